"""Files on disk, in NumPy and zlib: checksums, and the hashes that many fingerprint records share with a query.

`docs/format.md` has the layout of a record: checksum, number of parts, hashes of each part, the parts as gaps.
"""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pmbf.errors import ParameterError
from pmbf.kernels import checks
from pmbf.kernels.reference_bits import intersect
from pmbf.kernels.reference_gaps import decode_gaps, encode_gaps
from pmbf.kernels.types import (
    CHUNK_DOCUMENTS,
    DAMAGED,
    LOCATION,
    MISSING,
    REMOVED,
    UNREADY,
    UNUSED,
    WHOLE,
    PagedFile,
    SharedPlaces,
)

__all__ = ["check_pages", "checksum", "page_checksums", "record", "shared"]

Hashes = NDArray[np.uint32]
Counts = NDArray[np.int64]
Buffer = bytes | memoryview

_HEAD_BYTES = 8
"""Bytes of a record's head: its checksum and its number of parts."""


def checksum(content: Buffer) -> int:
    """Return the CRC-32 of some bytes, as zlib computes it.

    >>> hex(checksum(b"123456789"))
    '0xcbf43926'
    """
    return zlib.crc32(content)


def page_checksums(content: Buffer, *, page_bytes: int) -> Hashes:
    """Return the checksum of each page of some bytes, `(n_pages,) uint32`. The last page may be shorter.

    Args:
        content: The bytes.
        page_bytes: Length of a page, at least 1.

    >>> page_checksums(b"123456789123456789", page_bytes=9).tolist() == 2 * [checksum(b"123456789")]
    True
    """
    octets = memoryview(content).cast("B")
    starts = range(0, len(octets), page_bytes)
    return np.array([zlib.crc32(octets[start : start + page_bytes]) for start in starts], np.uint32)


def check_pages(
    content: Buffer, sums: Hashes, checked: NDArray[np.uint8], offsets: Counts, size: int, *, page_bytes: int
) -> int | None:
    """Check the pages that some places touch, except pages checked before, against their checksums.

    Args:
        content: The bytes.
        sums: `(n_pages,) uint32`, as `page_checksums` returned them.
        checked: `(n_pages,) uint8`, 1 for each page that was found intact before. A page found intact now becomes 1.
        offsets: `(n,) int64`, where the places begin.
        size: Bytes of each place.
        page_bytes: Length of a page, at least 1.

    Returns:
        The number of the first damaged page, in the order of the places, or None. Pages after a damaged page are not
        checked.

    Raises:
        ParameterError: An array has another dtype or shape, or a place reaches outside the bytes.
    """
    octets = memoryview(content).cast("B")
    checks.require_pages(len(octets), sums, checked, offsets, page_bytes)
    checks.require_places(len(octets), offsets, size)
    for start in offsets.tolist() if size else ():
        for page in range(start // page_bytes, (start + size - 1) // page_bytes + 1):
            if not checked[page]:
                if zlib.crc32(octets[page * page_bytes : (page + 1) * page_bytes]) != sums[page]:
                    return page
                checked[page] = 1
    return None


def record(hashes: Hashes, bounds: Hashes) -> bytes:
    """Return the record of a fingerprint.

    Args:
        hashes: `(n,) uint32`, ascending and distinct inside each part, which is not checked.
        bounds: `(n_parts + 1,) uint32`, ascending from 0 to n; part p is `hashes[bounds[p]:bounds[p + 1]]`.

    Raises:
        ParameterError: An array has another dtype or shape, or the bounds do not cut the hashes into parts.

    >>> record(np.array([3, 5], np.uint32), np.array([0, 2], np.uint32))[4:].hex(" ", -4)
    '01000000 02000000 000302'
    """
    checks.require_parts(hashes, bounds)
    parts = [hashes[start:stop] for start, stop in itertools.pairwise(bounds.tolist())]
    body = struct.pack(f"<{len(bounds)}I", len(parts), *map(len, parts)) + b"".join(map(encode_gaps, parts))
    return struct.pack("<I", checksum(body)) + body


def shared(
    parts: Hashes,
    directory: Mapping[int, Buffer],
    files: Mapping[int, PagedFile],
    hashes: Hashes,
    weights: NDArray[np.int32],
    *,
    page_bytes: int,
    paged_from: int,
) -> SharedPlaces:
    """Return which of a query's hashes some parts of many documents have.

    Args:
        parts: `(n, 3) uint32`: document, first part, part after the last. Any order; a document may come several times.
            Parts beyond the last part of a record count as empty.
        directory: The chunks of the directory by number. Chunk c holds the `LOCATION` of each document from
            `c * CHUNK_DOCUMENTS` on. A removed document has no hashes.
        files: The files that hold the records, by serial number.
        hashes: `(q,) uint32`, the hashes of the query, any order, repeats allowed.
        weights: `(q,) int32`. Only hashes with a weight above 0 are looked for.
        page_bytes: Length of the files' pages, at least 1.
        paged_from: Bytes, at least 1. A record of this length or more is trusted if its pages were checked before. The
            checksum of a shorter record is compared now.

    Raises:
        ParameterError: An array has another dtype or shape.
    """
    checks.require_asked(parts, hashes, weights)
    parts = parts[np.argsort(parts[:, 0], kind="stable")]
    records: list[memoryview] = []
    for document in parts[:, 0].tolist():
        status, record = _record_of(directory, files, document, page_bytes, paged_from)
        if status != WHOLE:
            return SharedPlaces.none(status, document)
        records.append(record)
    wanted = np.flatnonzero(weights > 0)
    distinct, firsts, numbers = np.unique(hashes[wanted], return_index=True, return_inverse=True)
    owns: dict[int, NDArray[np.intp]] = {}
    for record, (document, first, last) in zip(records, parts.tolist(), strict=True):
        has = _hashes(record, first, last, len(record) >= paged_from) if record else np.empty(0, np.uint32)
        if has is None:
            return SharedPlaces.none(DAMAGED, document)
        own = np.searchsorted(distinct, has[intersect(has, distinct)])
        owns[document] = np.union1d(owns.get(document, np.empty(0, np.intp)), own)
    every = np.concatenate([np.empty(0, np.intp), *owns.values()])
    n_having = np.zeros(len(hashes), np.int64)
    n_having[wanted] = np.bincount(every, minlength=len(distinct))[numbers]
    places = [np.sort(wanted[firsts[own]]) for own in owns.values()]
    return SharedPlaces(
        WHOLE,
        max(owns, default=0),
        np.array(list(owns), np.uint32),
        np.cumsum([0, *map(len, places)], dtype=np.int64),
        np.concatenate([np.empty(0, np.uint32), *places]).astype(np.uint32),
        n_having,
    )


def _record_of(
    directory: Mapping[int, Buffer], files: Mapping[int, PagedFile], document: int, page_bytes: int, paged_from: int
) -> tuple[int, memoryview]:
    """Return the status and the bytes of a document's record. A removed document has no bytes."""
    none = memoryview(b"")
    locations = np.frombuffer(directory.get(document // CHUNK_DOCUMENTS, b""), LOCATION)
    place = document % CHUNK_DOCUMENTS
    serial, _, start, n_bytes, state = locations[place].tolist() if place < len(locations) else (0, 0, 0, 0, UNUSED)
    if state in (UNUSED, REMOVED):
        return (MISSING if state == UNUSED else WHOLE), none
    if serial not in files:
        return UNREADY, none
    content, checked = memoryview(files[serial][0]), files[serial][1]
    if n_bytes < _HEAD_BYTES or start + n_bytes > content.nbytes:
        return DAMAGED, none
    pages = range(start // page_bytes, (start + n_bytes - 1) // page_bytes + 1)
    is_ready = n_bytes < paged_from or all(page < len(checked) and checked[page] for page in pages)
    return (WHOLE if is_ready else UNREADY), content[start : start + n_bytes]


def _hashes(record: memoryview, first: int, last: int, is_checked: bool) -> Hashes | None:
    """Return the hashes of some parts of a record; None if the record is damaged."""
    if not (is_checked or zlib.crc32(record[4:]) == int.from_bytes(record[:4], "little")):
        return None
    n_parts = int.from_bytes(record[4:8], "little")
    if 4 * n_parts > len(record) - _HEAD_BYTES:
        return None
    parts, offset = [np.empty(0, np.uint32)], _HEAD_BYTES + 4 * n_parts
    for number, count in enumerate(np.frombuffer(record, "<u4", n_parts, _HEAD_BYTES).tolist()[:last]):
        try:
            part, offset = decode_gaps(record, offset, count)
        except ParameterError:
            return None
        if number >= first:
            parts.append(part)
    return np.concatenate(parts)
