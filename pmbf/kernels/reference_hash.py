"""Hashes of shingles, and what spreads them. Sums and products wrap modulo 2^64. The formulas are in docs/text.md."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks

__all__ = ["siphash_windows"]

Keys = NDArray[np.uint64]

STEP = 0xBB67AE8584CAA73B
"""In an ordered shingle each token counts this factor more than the token before: 64 bits of the fraction of sqrt(3),
odd, 3 modulo 8."""

LENGTH = 0x9E3779B97F4A7C15
"""Added to a shingle's sum for each of its tokens: 2^64 / golden ratio."""

MASK = (1 << 64) - 1

_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
"""What SipHash begins with."""


def fmix(value: int) -> int:
    """Return a hash mixed, so that each bit depends on all bits of the hash: MurmurHash3's finaliser.

    >>> hex(fmix(1))
    '0xb456bcfc34c2cb2c'
    """
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def shingle_hash(tokens: Sequence[int], *, ordered: bool) -> int:
    """Return the hash of a shingle, given the hashes of its tokens."""
    if ordered:
        total = 0
        for token in reversed(tokens):
            total = (total * STEP + token) & MASK
    else:
        total = sum(map(fmix, tokens))
    return fmix((total + len(tokens) * LENGTH) & MASK)


def thinned(value: int) -> int:
    """Return the hash of a shingle that is four times as rare in the lower half of the range."""
    return value << 2 if value < 1 << 61 else 1 << 63 | value >> 1


def all_shingles(tokens: Sequence[int], singles: Sequence[bool], shingle_tokens: int) -> list[int]:
    """Return the hashes of all ordered shingles of a text. A very short text is one shingle.

    A shingle that begins with a single letter is twice as long.
    """
    found = []
    for at, single in enumerate(singles):
        stop = at + shingle_tokens * (2 if single else 1)
        if stop <= len(tokens):
            found.append(shingle_hash(tokens[at:stop], ordered=True))
    return found if found or not tokens else [shingle_hash(tokens, ordered=True)]


def siphash_windows(words: Keys, *, width: int, key: Keys) -> Keys:
    """Return SipHash-2-4 of every window of consecutive words.

    Args:
        words: `(n,) uint64`. The message of a window is its words, each with the least significant byte first.
        width: Words of a window, 1 to 255.
        key: `(2,) uint64`, the 128 bits of the key, least significant byte first.

    Returns:
        `(n - width + 1,) uint64`; empty if there are fewer words than a window has.

    Source:
        Aumasson & Bernstein 2012, SipHash: a fast short-input PRF, section 2.

    >>> words = np.frombuffer(bytes(range(16)), "<u8")
    >>> hex(siphash_windows(words[:1], width=1, key=words)[0])
    '0x93f5f5799a932462'
    """
    checks.require_keyed(words, width, key)
    numbers, secret = words.tolist(), key.tolist()
    windows = (numbers[start : start + width] for start in range(len(numbers) - width + 1))
    return np.array([_siphash(window, secret) for window in windows], np.uint64)


def _siphash(message: list[int], key: list[int]) -> int:
    state = [word ^ part for word, part in zip(_START, 2 * key, strict=True)]
    for block in (*message, 8 * len(message) << 56 & MASK):
        state[3] ^= block
        _rounds(state, 2)
        state[0] ^= block
    state[2] ^= 0xFF
    _rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _rounds(state: list[int], n_rounds: int) -> None:
    """SipRound, in place; the places of the state are the letters of the paper's figure."""
    for _ in range(n_rounds):
        for a, b, bits, turned in ((0, 1, 13, True), (2, 3, 16, False), (0, 3, 21, False), (2, 1, 17, True)):
            state[a] = state[a] + state[b] & MASK
            state[b] = _rotated(state[b], bits) ^ state[a]
            if turned:
                state[a] = _rotated(state[a], 32)


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 64 - bits) & MASK
