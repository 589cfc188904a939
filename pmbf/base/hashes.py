"""Sampled hashes as arrays: 32 bits each, or more in collections made for ten million documents.

    32 bits        uint32
    40 to 64 bits  uint64, the bits uppermost and zeros below: its upper half is the hash of 32 bits

So the order of hashes does not depend on their width. What needs no more than 32 bits, a row for instance, takes
`first_bits`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.unsignedinteger[Any]]

_PLACE = np.uint64(0xFFFFFFFF)


def hash_dtype(hash_bits: int) -> type[np.unsignedinteger[Any]]:
    """Return the dtype of hashes of some width.

    >>> hash_dtype(32).__name__, hash_dtype(48).__name__
    ('uint32', 'uint64')
    """
    return np.uint32 if hash_bits == 32 else np.uint64


def first_bits(hashes: Hashes) -> NDArray[np.uint32]:
    """Return the first 32 bits of each hash.

    >>> first_bits(np.array([7 << 32 | 5 << 24], np.uint64)).tolist()
    [7]
    """
    return hashes.astype(np.uint32, copy=False) if hashes.itemsize == 4 else (hashes >> np.uint64(32)).astype(np.uint32)


def ascending(hashes: Hashes) -> NDArray[np.intp]:
    """Return the places of hashes in ascending order, `(n,) intp`. Equal hashes stay in the order of their places.

    >>> ascending(np.array([9, 4, 9, 1], np.uint32)).tolist()
    [3, 1, 0, 2]
    """
    keys = np.sort(first_bits(hashes).astype(np.uint64) << np.uint64(32) | np.arange(len(hashes), dtype=np.uint64))
    places = (keys & _PLACE).astype(np.intp)
    ordered = hashes[places]
    if (ordered[1:] < ordered[:-1]).any():  # several hashes with the same first bits
        places = places[np.argsort(ordered, kind="stable")]
    return places
