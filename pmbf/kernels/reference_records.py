"""Files on disk, in NumPy and zlib: checksums, and the records of fingerprints.

`docs/format.md` has the layout of a record: checksum, number of parts, hashes of each part, the parts as gaps.
"""

from __future__ import annotations

import itertools
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels import checks
from pmbf.kernels.reference_gaps import encode_hashes

__all__ = ["check_pages", "checksum", "page_checksums", "record"]

Sums = NDArray[np.uint32]
Counts = NDArray[np.int64]
Buffer = bytes | memoryview


def checksum(content: Buffer) -> int:
    """Return the CRC-32 of some bytes, as zlib computes it.

    >>> hex(checksum(b"123456789"))
    '0xcbf43926'
    """
    return zlib.crc32(content)


def page_checksums(content: Buffer, *, page_bytes: int) -> Sums:
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
    content: Buffer, sums: Sums, checked: NDArray[np.uint8], offsets: Counts, size: int, *, page_bytes: int
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


def record(hashes: Hashes, bounds: NDArray[np.uint32], hash_bits: int = 32) -> bytes:
    """Return the record of a fingerprint.

    Args:
        hashes: `(n,)`, ascending inside each part, which is not checked: uint32, or uint64 with the bits uppermost.
        bounds: `(n_parts + 1,) uint32`, ascending from 0 to n; part p is `hashes[bounds[p]:bounds[p + 1]]`.

        hash_bits: Bits of a hash, one of `params.HASH_BITS`.

    Raises:
        ParameterError: An array has another dtype or shape, or the bounds do not cut the hashes into parts.

    >>> record(np.array([3, 5], np.uint32), np.array([0, 2], np.uint32))[4:].hex(" ", -4)
    '01000000 02000000 000302'
    """
    checks.require_parts(hashes, bounds, hash_bits)
    parts = [hashes[start:stop] for start, stop in itertools.pairwise(bounds.tolist())]
    content = b"".join(encode_hashes(part, hash_bits) for part in parts)
    body = struct.pack(f"<{len(bounds)}I", len(parts), *map(len, parts)) + content
    return struct.pack("<I", checksum(body)) + body
