"""Hashes of tokens and shingles over whole arrays, in NumPy. Sums and products wrap modulo 2^64.

The token hash is the first 64 bits of MurmurHash3 x64 128 with seed 0 (Austin Appleby, public domain). Nearly all
tokens have at most 15 bytes. Such a token is two unaligned loads cut to its length. A load of no bytes is 0 and changes
nothing, so one pass serves all lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Index = NDArray[np.intp]

STEP = 0xBB67AE8584CAA73B
"""In an ordered shingle each token counts this factor more than the token before: 64 bits of the fraction of sqrt(3),
odd, 3 modulo 8."""

LENGTH = 0x9E3779B97F4A7C15
"""Added to a shingle's sum for each of its tokens: 2^64 / golden ratio."""

_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_EIGHTH, _MIDDLE = np.uint64(1 << 61), np.uint64(1 << 63)
_BLOCK = 16
_LONGEST = 64
_CHUNK = 1 << 14
_KEEP = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)


def token_hashes(utf8: bytes, starts: Index, stops: Index) -> Hashes:
    """Return the hash of each token.

    Args:
        utf8: Folded text.
        starts: `(n,) intp`, first byte of each token.
        stops: `(n,) intp`, one past the last byte of each token.

    Returns:
        `(n,) uint64`, equal to `mmh3.hash64(token, seed=0, signed=False)[0]`.
    """
    words = np.ndarray(len(utf8) + 1, "<u8", utf8 + bytes(8), strides=(1,))
    hashes = np.empty(len(starts), np.uint64)
    for first in range(0, len(starts), _CHUNK):
        part = slice(first, first + _CHUNK)
        hashes[part] = _murmur(words, starts[part], (stops - starts)[part])
    _hash_long(utf8, starts, stops, hashes)
    return hashes


def shingle_hashes(
    tokens: Hashes, singles: NDArray[np.bool_], thin: NDArray[np.bool_], *, shingle_tokens: int, ordered: bool
) -> Hashes:
    """Return the weighed hash of the shingle that begins at each token.

    Args:
        tokens: `(n,) uint64` token hashes.
        singles: `(n,) bool`, whether each token is a single letter. A shingle that begins at one is twice as long.
        thin: `(n,) bool`, whether the shingle at each token is four times as rare in the lower half of the range.
        shingle_tokens: Tokens in a shingle, at least 1.
        ordered: Whether the order of the tokens counts.

    Returns:
        `(n,) uint64`. If the text ends before the shingle does, then its value means nothing.
    """
    hashes = np.zeros(len(tokens), np.uint64)
    for first in range(0, len(tokens), _CHUNK):
        part = slice(first, first + _CHUNK)
        ahead = tokens[first : first + _CHUNK + 2 * shingle_tokens]
        hashes[part] = _weighed(_shingles(ahead, singles[part], shingle_tokens, ordered), thin[part])
    return hashes


def joined_hashes(tokens: Hashes, others: Hashes) -> Hashes:
    """Return the weighed hash of each token with another one: that of an order-free shingle of both.

    Args:
        tokens: `(n,) uint64` token hashes.
        others: `(n,) uint64`, those of the other tokens.
    """
    return fmix64(fmix64(tokens) + fmix64(others) + np.uint64(2 * LENGTH % (1 << 64)))


def whole_hash(tokens: Hashes, thin: NDArray[np.bool_], *, ordered: bool) -> np.uint64:
    """Return the weighed hash of all tokens as one shingle.

    Args:
        tokens: `(n,) uint64` token hashes, at least one.
        thin: `(n,) bool`, as for `shingle_hashes`.
        ordered: Whether the order of the tokens counts.
    """
    whole = _shingles(tokens, np.zeros(1, np.bool_), len(tokens), ordered)
    return np.uint64(_weighed(whole, thin[:1])[0])


def all_shingles(tokens: Hashes, singles: NDArray[np.bool_], shingle_tokens: int) -> Hashes:
    """Return the hashes of all ordered shingles of a text, all 64 bits, unweighed. A very short text is one shingle.

    Args:
        tokens: `(n,) uint64` token hashes.
        singles: `(n,) bool`, as for `shingle_hashes`.
        shingle_tokens: As for `shingle_hashes`.
    """
    lengths = np.where(singles, 2 * shingle_tokens, shingle_tokens)
    whole = np.arange(len(tokens)) + lengths <= len(tokens)
    if not whole.any():
        return _shingles(tokens, np.zeros(1, np.bool_), len(tokens), True) if len(tokens) else tokens
    hashes = np.empty(len(tokens), np.uint64)
    for first in range(0, len(tokens), _CHUNK):
        part = slice(first, first + _CHUNK)
        ahead = tokens[first : first + _CHUNK + 2 * shingle_tokens]
        hashes[part] = _shingles(ahead, singles[part], shingle_tokens, True)
    return hashes[whole]


def fmix64(hashes: Hashes) -> Hashes:
    """Return each hash mixed, so that each bit depends on all bits of the hash: MurmurHash3's finaliser.

    >>> hex(fmix64(np.array([1], np.uint64))[0])
    '0xb456bcfc34c2cb2c'
    """
    mixed = hashes ^ (hashes >> np.uint64(33))
    mixed *= np.uint64(0xFF51AFD7ED558CCD)
    mixed ^= mixed >> np.uint64(33)
    mixed *= np.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> np.uint64(33)
    return mixed


def _weighed(hashes: Hashes, thin: NDArray[np.bool_]) -> Hashes:
    """Return each hash. Thin hashes are made four times as rare in the lower half of the range."""
    rarer = np.where(hashes < _EIGHTH, hashes << np.uint64(2), hashes >> np.uint64(1) | _MIDDLE)
    return np.where(thin, rarer, hashes)


def _shingles(tokens: Hashes, singles: NDArray[np.bool_], shingle_tokens: int, ordered: bool) -> Hashes:
    """Return the hash of the shingle at each of the first `len(singles)` tokens. If the end cuts a shingle short, then
    its hash means nothing.
    """
    sums = np.zeros(len(tokens) + 1, np.uint64)
    np.cumsum(tokens * _all_powers(STEP)[: len(tokens)] if ordered else fmix64(tokens), out=sums[1:])
    lengths = np.where(singles, 2 * shingle_tokens, shingle_tokens)
    first = np.arange(len(singles))
    window = sums[np.minimum(first + lengths, len(tokens))] - sums[: len(singles)]
    if ordered:
        window *= _all_powers(pow(STEP, -1, 1 << 64))[: len(singles)]
    return fmix64(window + lengths.astype(np.uint64) * np.uint64(LENGTH))


@cache
def _all_powers(base: int) -> Hashes:
    """Return base^0, base^1, … for one chunk and the longest shingle after it."""
    powers = np.full(2 * _CHUNK, base, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


def _murmur(words: Hashes, starts: Index, sizes: Index) -> Hashes:
    low, high = np.zeros(len(starts), np.uint64), np.zeros(len(starts), np.uint64)
    for at, offsets in _whole_blocks(starts, sizes):
        low[at], high[at] = _body(low[at], high[at], words[offsets], words[offsets + 8])
    tail, left = starts + (sizes & -_BLOCK), sizes & (_BLOCK - 1)
    high ^= _mix_high(words[np.minimum(tail + 8, len(words) - 1)] & _KEEP[np.maximum(left - 8, 0)])
    low ^= _mix_low(words[tail] & _KEEP[np.minimum(left, 8)])
    return _finish(low, high, sizes.astype(np.uint64))


def _whole_blocks(starts: Index, sizes: Index) -> Iterator[tuple[Index, Index]]:
    """Yield for each block of 16 bytes the tokens that have the whole block, and where it begins in each.

    Tokens over `_LONGEST` bytes are left out.
    """
    at = np.flatnonzero((sizes >= _BLOCK) & (sizes <= _LONGEST))
    for begin in range(0, _LONGEST, _BLOCK):
        at = at[sizes[at] >= begin + _BLOCK]
        if not len(at):
            return
        yield at, starts[at] + begin


def _body(low: Hashes, high: Hashes, first: Hashes, second: Hashes) -> tuple[Hashes, Hashes]:
    low = _rotated(low ^ _mix_low(first), 27) + high
    low = low * np.uint64(5) + np.uint64(0x52DCE729)
    high = _rotated(high ^ _mix_high(second), 31) + low
    return low, high * np.uint64(5) + np.uint64(0x38495AB5)


def _finish(low: Hashes, high: Hashes, sizes: Hashes) -> Hashes:
    low, high = low ^ sizes, high ^ sizes
    low = low + high
    high = high + low
    return fmix64(low) + fmix64(high)


def _mix_low(words: Hashes) -> Hashes:
    return _rotated(words * _C1, 31) * _C2


def _mix_high(words: Hashes) -> Hashes:
    return _rotated(words * _C2, 33) * _C1


def _rotated(words: Hashes, bits: int) -> Hashes:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


def _hash_long(utf8: bytes, starts: Index, stops: Index, hashes: Hashes) -> None:
    """Overwrite the hashes of the rare tokens over `_LONGEST` bytes, one by one."""
    long = np.flatnonzero(stops - starts > _LONGEST)
    if not len(long):
        return
    import mmh3

    for at in long:
        hashes[at] = mmh3.hash64(utf8[starts[at] : stops[at]], seed=0, signed=False)[0]
