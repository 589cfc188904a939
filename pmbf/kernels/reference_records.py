"""Files on disk: checksums of bytes and of rows, the records of fingerprints, and the gaps in them.

`docs/format.md` has the layout of a record: checksum, number of parts, hashes of each part, the parts as gaps. Gaps are
laid out as in Stream VByte (Lemire, Kurz & Rupp 2018): a vector unit decodes four of them at a time.
"""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.base.listing import list_folder
from pmbf.kernels import checks

__all__ = ["check_pages", "checksum", "decode_gaps", "list_folder", "page_checksums", "records", "sum_rows"]

Sums = NDArray[np.uint32]
Counts = NDArray[np.int64]
Buffer = bytes | memoryview
_MOST = 2**63


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


def records(hashes: Hashes, bounds: Counts, firsts: Counts, hash_bits: int = 32) -> tuple[bytes, Counts]:
    """Return the records of fingerprints, end to end, and where each ends, `(n_fingerprints,) int64`.

    Args:
        hashes: `(n,)`, ascending inside each part, which is not checked: uint32, or uint64 with the bits uppermost.
        bounds: `(n_parts + 1,) int64`, ascending from 0 to n; part p is `hashes[bounds[p]:bounds[p + 1]]`.
        firsts: `(n_fingerprints + 1,) int64`, ascending from 0 to n_parts; fingerprint i has the parts from `firsts[i]`
            to `firsts[i + 1]`.
        hash_bits: Bits of a hash, one of `params.HASH_BITS`.

    >>> records(np.array([3, 5], np.uint32), np.array([0, 2]), np.array([0, 1]))[0][4:].hex(" ", -4)
    '01000000 02000000 000302'
    """
    checks.require_parts(hashes, bounds, firsts, hash_bits)
    cuts = [bounds[first : last + 1] for first, last in itertools.pairwise(firsts.tolist())]
    made = [_record(hashes, some, hash_bits) for some in cuts]
    return b"".join(made), np.cumsum([len(one) for one in made], dtype=np.int64)


def _record(hashes: Hashes, bounds: Counts, hash_bits: int) -> bytes:
    parts = [hashes[start:stop] for start, stop in itertools.pairwise(bounds.tolist())]
    content = b"".join(encode_hashes(part, hash_bits) for part in parts)
    body = struct.pack(f"<{len(bounds)}I", len(parts), *map(len, parts)) + content
    return struct.pack("<I", checksum(body)) + body


def encode_hashes(hashes: Hashes, hash_bits: int) -> bytes:
    """Return ascending hashes of `hash_bits` bits as bytes: the gaps of their upper halves, then their lower bytes."""
    if hash_bits == 32:
        return encode_gaps(hashes)
    n_low = (hash_bits - 32) // 8
    lows = ((hash >> 32 - 8 * n_low & (1 << 8 * n_low) - 1).to_bytes(n_low, "little") for hash in hashes.tolist())
    return encode_gaps((hashes >> np.uint64(32)).astype(np.uint32)) + b"".join(lows)


def encode_gaps(hashes: NDArray[np.uint32]) -> bytes:
    """Return ascending hashes as the bytes of their gaps. The first gap counts from zero.

    The order is not checked; hashes in another order are decoded correctly too.

    >>> encode_gaps(np.array([7, 300], np.uint32)).hex(" ")
    '04 07 25 01'
    """
    checks.require("hashes", hashes, np.uint32, "(n,)", 1)
    control, content, before = bytearray(-(-len(hashes) // 4)), bytearray(), 0
    for at, hash in enumerate(hashes.tolist()):
        gap = (hash - before & 0xFFFFFFFF).to_bytes(4, "little").rstrip(b"\0") or b"\0"
        control[at // 4] |= len(gap) - 1 << 2 * (at % 4)
        content += gap
        before = hash
    return bytes(control + content)


def decode_gaps(content: Buffer, offset: int, count: int, hash_bits: int = 32) -> tuple[Hashes, int]:
    """Return the hashes whose gaps begin at an offset, `(count,)`, and the offset behind them.

    Args:
        content: The bytes that hold the gaps.
        offset: Where the control bytes begin.
        count: Number of hashes.
        hash_bits: Bits of a hash, one of `params.HASH_BITS`. Hashes of more than 32 bits are uint64, bits uppermost.

    >>> decode_gaps(bytes.fromhex("04 07 25 01"), 0, 2)
    (array([  7, 300], dtype=uint32), 4)
    """
    octets = bytes(content)
    checks.require_gaps(len(octets), offset, count, hash_bits)
    at, n_low = offset + -(-count // 4), (hash_bits - 32) // 8
    sizes = [1 + (octets[offset + place // 4] >> 2 * (place % 4) & 3) for place in range(count)]
    if at + sum(sizes) + n_low * count > len(octets):
        raise checks.cut_gaps(len(octets), offset, count)
    hashes, upper = [], 0
    for size in sizes:
        upper = upper + int.from_bytes(octets[at : at + size], "little") & 0xFFFFFFFF
        hashes.append(upper)
        at += size
    for place in range(count if n_low else 0):
        low = int.from_bytes(octets[at : at + n_low], "little")
        hashes[place] = hashes[place] << 32 | low << 32 - 8 * n_low
        at += n_low
    return np.array(hashes, hash_dtype(hash_bits)), at


def sum_rows(rows: list[Any], kinds: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the integers of rows as columns, and the checksum of each row.

    The checksum is the CRC-32 over `kinds`, the integers, 8 bytes each, the lengths of the texts in UTF-8, 8 bytes
    each, and the texts.

    Args:
        rows: Tuples. Columns behind those that `kinds` names do not count.
        kinds: A letter for each column: `i` for an integer of 64 bits, `s` for a text.

    Returns:
        `(n, n_integers) int64` and `(n,) int64`. The checksum of a row is -1 if a column is of another kind, or a text
        is not valid Unicode; then its integers say nothing.

    >>> numbers, sums = sum_rows([(7, "tide", 3), (b"?", "tide", 3)], "is")
    >>> numbers[0].tolist(), hex(sums[0]), int(sums[1])
    ([7], '0x6a10dbfe', -1)
    """
    numbers = np.zeros((len(rows), kinds.count("i")), np.int64)
    sums = np.full(len(rows), -1, np.int64)
    for at, row in enumerate(rows):
        if _is_fitting(row, kinds):
            columns = list(zip(kinds, row, strict=False))
            integers = [column for kind, column in columns if kind == "i"]
            texts = [column.encode() for kind, column in columns if kind == "s"]
            lengths = struct.pack(f"<{len(kinds)}q", *integers, *map(len, texts))
            numbers[at], sums[at] = integers, zlib.crc32(kinds.encode() + lengths + b"".join(texts))
    return numbers, sums


def _is_fitting(row: Sequence[Any], kinds: str) -> bool:
    """Return whether the columns of a row are integers of 64 bits and texts that are valid Unicode, as `kinds` says."""
    return len(row) >= len(kinds) and all(
        isinstance(column, str) and not any(0xD800 <= ord(letter) < 0xE000 for letter in column)
        if kind == "s"
        else isinstance(column, int) and -_MOST <= column < _MOST
        for kind, column in zip(kinds, row, strict=False)
    )
