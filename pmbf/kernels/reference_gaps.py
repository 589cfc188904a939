"""Ascending hashes as gaps of one to four bytes, in NumPy: the parts of `FPRT` records (docs/format.md).

First come ceil(n/4) control bytes: two bits for each gap, lowest first, say how many bytes it has, minus one. Then come
the bytes of the gaps, least significant first. This is the layout of Stream VByte (Lemire, Kurz & Rupp 2018). A vector
unit decodes four gaps at a time.

Of hashes of more than 32 bits, the upper halves are stored as gaps. Then come the other bits of each hash in whole
bytes, least significant first: nothing about them is known beforehand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels import checks

__all__ = ["decode_gaps"]

Buffer = bytes | memoryview

_SHIFTS = np.array([0, 2, 4, 6], np.uint8)


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

    Raises:
        ParameterError: `hashes` is not `(n,) uint32`.

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

    Raises:
        ParameterError: `content` ends before the hashes do, or a number is outside its range.

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
