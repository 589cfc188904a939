"""Hashes of shingles, and what spreads them. Sums and products wrap modulo 2^64. The formulas are in docs/text.md."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

STEP = 0xBB67AE8584CAA73B
"""In an ordered shingle each token counts this factor more than the token before: 64 bits of the fraction of sqrt(3),
odd, 3 modulo 8."""

LENGTH = 0x9E3779B97F4A7C15
"""Added to a shingle's sum for each of its tokens: 2^64 / golden ratio."""

MASK = (1 << 64) - 1


def fmix64(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return each hash mixed, so that each bit depends on all bits of the hash: MurmurHash3's finaliser.

    >>> hex(fmix64(np.array([1], np.uint64))[0])
    '0xb456bcfc34c2cb2c'
    """
    mixed = (hashes ^ hashes >> np.uint64(33)) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ mixed >> np.uint64(33)) * np.uint64(0xC4CEB9FE1A85EC53)
    return mixed ^ mixed >> np.uint64(33)


def fmix(value: int) -> int:
    """Return one hash mixed in the same way."""
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def shingle_hash(tokens: Sequence[int], *, ordered: bool) -> int:
    """Return the hash of a shingle.

    Args:
        tokens: The hash of each token.
        ordered: Whether their order counts.
    """
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

    Args:
        tokens: The hash of each token.
        singles: Whether each token is a single letter. A shingle that begins with one is twice as long.
        shingle_tokens: Tokens in a shingle, at least 1.
    """
    found = []
    for at, single in enumerate(singles):
        stop = at + shingle_tokens * (2 if single else 1)
        if stop <= len(tokens):
            found.append(shingle_hash(tokens[at:stop], ordered=True))
    return found if found or not tokens else [shingle_hash(tokens, ordered=True)]
