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

from pmbf.base.hashes import Hashes
from pmbf.kernels import checks

__all__ = ["check_pages", "checksum", "decode_gaps", "page_checksums", "record", "sum_rows"]

Sums = NDArray[np.uint32]
Counts = NDArray[np.int64]
Buffer = bytes | memoryview
_SHIFTS = np.array([0, 2, 4, 6], np.uint8)
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


def record(hashes: Hashes, bounds: NDArray[np.uint32], hash_bits: int = 32) -> bytes:
    """Return the record of a fingerprint.

    Args:
        hashes: `(n,)`, ascending inside each part, which is not checked: uint32, or uint64 with the bits uppermost.
        bounds: `(n_parts + 1,) uint32`, ascending from 0 to n; part p is `hashes[bounds[p]:bounds[p + 1]]`.

        hash_bits: Bits of a hash, one of `params.HASH_BITS`.

    >>> record(np.array([3, 5], np.uint32), np.array([0, 2], np.uint32))[4:].hex(" ", -4)
    '01000000 02000000 000302'
    """
    checks.require_parts(hashes, bounds, hash_bits)
    parts = [hashes[start:stop] for start, stop in itertools.pairwise(bounds.tolist())]
    content = b"".join(encode_hashes(part, hash_bits) for part in parts)
    body = struct.pack(f"<{len(bounds)}I", len(parts), *map(len, parts)) + content
    return struct.pack("<I", checksum(body)) + body


def encode_hashes(hashes: Hashes, hash_bits: int) -> bytes:
    """Return ascending hashes of `hash_bits` bits as bytes: the gaps of their upper halves, then their lower bytes."""
    if hash_bits == 32:
        return encode_gaps(hashes)
    n_low = (hash_bits - 32) // 8
    lows = hashes.astype("<u8").view(np.uint8).reshape(-1, 8)[:, 4 - n_low : 4]
    return encode_gaps((hashes >> np.uint64(32)).astype(np.uint32)) + lows.tobytes()


def encode_gaps(hashes: NDArray[np.uint32]) -> bytes:
    """Return ascending hashes as the bytes of their gaps. The first gap counts from zero.

    Args:
        hashes: `(n,) uint32`, ascending. The order is not checked; hashes in another order are decoded correctly too.

    >>> encode_gaps(np.array([7, 300], np.uint32)).hex(" ")
    '04 07 25 01'
    """
    checks.require("hashes", hashes, np.uint32, "(n,)", 1)
    gaps = np.diff(hashes, prepend=np.uint32(0)).astype("<u4")
    extra = (gaps > 0xFF).astype(np.uint8) + (gaps > 0xFFFF) + (gaps > 0xFFFFFF)
    control = np.zeros((-(-len(gaps) // 4), 4), np.uint8)
    control.reshape(-1)[: len(gaps)] = extra
    packed = (control << _SHIFTS).sum(axis=1, dtype=np.uint8)
    used = np.arange(4) <= extra[:, None]
    return bytes(packed.tobytes() + gaps.view(np.uint8).reshape(-1, 4)[used].tobytes())


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
    octets = np.frombuffer(content, np.uint8)
    checks.require_gaps(len(octets), offset, count, hash_bits)
    n_control = -(-count // 4)
    control = octets[offset : offset + n_control]
    extra = (control[:, None] >> _SHIFTS & 3).reshape(-1)[:count]
    start, stop = offset + n_control, offset + n_control + count + int(extra.sum())
    if stop > len(octets):
        raise checks.cut_gaps(len(octets), offset, count)
    gaps = np.zeros((count, 4), np.uint8)
    gaps[np.arange(4) <= extra[:, None]] = octets[start:stop]
    uppers = np.cumsum(gaps.reshape(-1).view("<u4"), dtype=np.uint32)
    n_low = (hash_bits - 32) // 8
    if not n_low:
        return uppers, stop
    if stop + n_low * count > len(octets):
        raise checks.cut_gaps(len(octets), offset, count)
    hashes = np.zeros((count, 8), np.uint8)
    hashes[:, 4 - n_low : 4] = octets[stop : stop + n_low * count].reshape(count, n_low)
    hashes[:, 4:] = uppers.astype("<u4").view(np.uint8).reshape(count, 4)
    return hashes.reshape(-1).view("<u8").astype(np.uint64), stop + n_low * count


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
    pack = struct.Struct(f"<{len(kinds)}q").pack
    for at, row in enumerate(rows):
        if _is_fitting(row, kinds):
            integers = [column for column, kind in zip(row, kinds, strict=False) if kind == "i"]
            texts = _in_utf8([column for column, kind in zip(row, kinds, strict=False) if kind == "s"])
            if texts is not None:
                numbers[at] = integers
                sums[at] = zlib.crc32(kinds.encode() + pack(*integers, *map(len, texts)) + b"".join(texts))
    return numbers, sums


def _is_fitting(row: Sequence[Any], kinds: str) -> bool:
    return len(row) >= len(kinds) and all(
        isinstance(column, str) if kind == "s" else isinstance(column, int) and -_MOST <= column < _MOST
        for column, kind in zip(row, kinds, strict=False)
    )


def _in_utf8(texts: Sequence[str]) -> list[bytes] | None:
    try:
        return [text.encode() for text in texts]
    except UnicodeEncodeError:
        return None
