"""Rows of an endpoint filter: each a Bloom filter of one part of a document, all of one width and equally full.

                 ┌──────────── a document's sampled hashes, in text order ────────────┐
                 ├────── part 0: 512 ──────┤
                                       ├────── part 1: 512 ──────┤                      64 shared by neighbours
                                                             ├─ part 2: 90 ─┤░░ 422 keyed random hashes ░░░░░│

Every row holds `CAPACITY` hashes, so no row tells how long its document is. Rows are sorted by their opaque ids, so the
rows of one document stand anywhere. Any `OVERLAP` hashes in a row lie in one part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.params import words_per_row
from pmbf.store.sitekey import KEY_BYTES, SiteKey
from pmbf.tile import ROWS_PER_TILE

CAPACITY, OVERLAP = 512, 64
N_HASHES, FPR = 3, 0.01
ROW_WORDS = words_per_row(CAPACITY, n_hashes=N_HASHES, fpr=FPR)
ROWS_TOGETHER = 64
"""The number of rows is a multiple of 64: that takes no more space, and tells less about the collection."""

Hashes = NDArray[np.uint32]


def part_bounds(n_hashes: int) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a document begin and end among its sampled hashes.

    >>> list(part_bounds(1000))
    [(0, 512), (448, 960), (896, 1000)]
    """
    start = 0
    while start == 0 or start + OVERLAP < n_hashes:
        yield start, min(start + CAPACITY, n_hashes)
        start += CAPACITY - OVERLAP


def with_fillers(parts: Mapping[int, Hashes], key: SiteKey) -> dict[int, Hashes]:
    """Return the rows by ascending id, with empty rows added until their number is a multiple of `ROWS_TOGETHER`.

    Args:
        parts: The distinct hashes of each row, up to `CAPACITY`, by its id.
        key: The ids of the added rows are drawn from it.
    """
    n_rows = max(1, -(-len(parts) // ROWS_TOGETHER)) * ROWS_TOGETHER
    drawn = np.frombuffer(_stream(key, b"", 8 * n_rows), "<u8").tolist()
    fillers = [row for row in dict.fromkeys(drawn) if row not in parts][: n_rows - len(parts)]
    rows = {**parts, **{row: np.empty(0, np.uint32) for row in fillers}}
    return dict(sorted(rows.items()))


def sealed_tiles(rows: Mapping[int, Hashes], key: SiteKey) -> Iterator[NDArray[np.uint64]]:
    """Yield the slices of each tile, `(64 ROW_WORDS, S) uint64`, each row filled up to `CAPACITY` hashes."""
    ids = list(rows)
    for first in range(0, len(ids), ROWS_PER_TILE):
        some = ids[first : first + ROWS_PER_TILE]
        matrix = np.zeros((len(some), ROW_WORDS), np.uint64)
        for row, bits in zip(some, matrix, strict=True):
            kernels.fill(bits, padded(rows[row], row, key), n_hashes=N_HASHES)
        yield kernels.seal(matrix)


def padded(hashes: Hashes, row: int, key: SiteKey) -> Hashes:
    """Return a row's hashes, filled up with keyed random hashes to `CAPACITY` distinct ones.

    >>> len(np.unique(padded(np.array([7, 9], np.uint32), 1, SiteKey(bytes(16)))))
    512
    """
    drawn = np.frombuffer(_stream(key, row.to_bytes(8, "little"), 8 * CAPACITY), "<u4")
    own = set(hashes.tolist())
    extra = [one for one in dict.fromkeys(drawn.tolist()) if one not in own][: CAPACITY - len(own)]
    return np.concatenate([np.array(sorted(own), np.uint32), np.array(extra, np.uint32)])


def _stream(key: SiteKey, label: bytes, n_bytes: int) -> bytes:
    return hashlib.shake_128(key.derived("padding", KEY_BYTES) + label).digest(n_bytes)
