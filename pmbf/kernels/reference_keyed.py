"""SipHash-2-4 over whole arrays, in NumPy: the hashes of shingles under a site key."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks

__all__ = ["siphash_windows"]

Hashes = NDArray[np.uint64]

_START = np.array([0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573], np.uint64)


def siphash_windows(words: Hashes, *, width: int, key: Hashes) -> Hashes:
    """Return SipHash-2-4 of every window of consecutive words.

    Args:
        words: `(n,) uint64`. The message of a window is its words, each with the least significant byte first.
        width: Words of a window, 1 to 255.
        key: `(2,) uint64`, the 128 bits of the key, least significant byte first.

    Returns:
        `(n - width + 1,) uint64`; empty if there are fewer words than a window has.

    Raises:
        ParameterError: An array has another dtype or shape, or `width` is outside its range.

    Source:
        Aumasson & Bernstein 2012, SipHash: a fast short-input PRF, section 2.

    >>> words = np.frombuffer(bytes(range(16)), "<u8")
    >>> hex(siphash_windows(words[:1], width=1, key=words)[0])
    '0x93f5f5799a932462'
    """
    checks.require_keyed(words, width, key)
    n_windows = max(0, len(words) - width + 1)
    state = [np.full(n_windows, word, np.uint64) for word in _START ^ np.tile(key, 2)]
    length = np.full(n_windows, 8 * width << 56 & (1 << 64) - 1, np.uint64)
    for block in [*(words[place : place + n_windows] for place in range(width)), length]:
        state[3] ^= block
        _rounds(state, 2)
        state[0] ^= block
    state[2] ^= np.uint64(0xFF)
    _rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _rounds(state: list[Hashes], n_rounds: int) -> None:
    """SipRound, in place; the letters are those of the paper's figure."""
    for _ in range(n_rounds):
        for a, b, bits, turned in ((0, 1, 13, True), (2, 3, 16, False), (0, 3, 21, False), (2, 1, 17, True)):
            state[a] += state[b]
            state[b] = _rotated(state[b], bits) ^ state[a]
            if turned:
                state[a] = _rotated(state[a], 32)


def _rotated(words: Hashes, bits: int) -> Hashes:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))
