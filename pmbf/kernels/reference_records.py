"""Files on disk, in NumPy and zlib: checksums, and what many fingerprint records share with a query.

`docs/format.md` has the layout of a record: checksum, number of parts, hashes in each, the parts as gaps.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.errors import ParameterError
from pmbf.kernels import checks
from pmbf.kernels.reference_bits import intersect
from pmbf.kernels.reference_gaps import decode_gaps
from pmbf.kernels.types import SharedPlaces

Hashes = NDArray[np.uint32]
Counts = NDArray[np.int64]
Buffer = bytes | memoryview


def checksum(content: Buffer) -> int:
    """Return the CRC-32 of some bytes, the one of zlib.

    >>> hex(checksum(b"123456789"))
    '0xcbf43926'
    """
    return zlib.crc32(content)


def shared(files: Sequence[Buffer], file: Counts, offsets: Counts, sizes: Counts, wanted: Hashes) -> SharedPlaces:
    """Return which of a query's hashes each of many fingerprint records has.

    Args:
        files: What holds the records.
        file: `(n,) int64`, index in `files` of the one that holds each record.
        offsets: `(n,) int64`, where in its file each record begins.
        sizes: `(n,) int64`, bytes of each record.
        wanted: `(q,) uint32`, the query's hashes, ascending and distinct; not checked.

    Raises:
        ParameterError: An array has another dtype or shape, or a record leaves its file.
    """
    checks.require_records(files, file, offsets, sizes)
    checks.require("wanted", wanted, np.uint32, "(q,)", 1)
    bounds, places = np.zeros(len(file) + 1, np.int64), [np.empty(0, np.uint32)]
    for number, (which, start, size) in enumerate(zip(file.tolist(), offsets.tolist(), sizes.tolist(), strict=True)):
        hashes = _hashes(memoryview(files[which])[start : start + size])
        if hashes is None:
            return SharedPlaces(bounds[:1], places[0], number)
        found = hashes[intersect(hashes, wanted)]
        places.append(np.searchsorted(wanted, np.unique(found)).astype(np.uint32))
        bounds[number + 1] = bounds[number] + len(places[-1])
    return SharedPlaces(bounds, np.concatenate(places), None)


def _hashes(record: memoryview) -> Hashes | None:
    """Return the hashes of all parts of a record, None when it is damaged."""
    if len(record) < 8 or zlib.crc32(record[4:]) != int.from_bytes(record[:4], "little"):
        return None
    n_parts = int.from_bytes(record[4:8], "little")
    if 4 * n_parts > len(record) - 8:
        return None
    parts, offset = [np.empty(0, np.uint32)], 8 + 4 * n_parts
    for count in np.frombuffer(record, "<u4", n_parts, 8).tolist():
        try:
            part, offset = decode_gaps(record, offset, count)
        except ParameterError:
            return None
        parts.append(part)
    return np.concatenate(parts)
