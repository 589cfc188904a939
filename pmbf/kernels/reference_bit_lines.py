"""Numbers in a line of bits, where they begin at any bit: read from bytes, written as one byte for each bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.postings_layout import PADDING_BYTES, Keys

_WINDOW_BITS = 57
"""Bits that a word read anywhere holds at least."""


def read_unary(bits: NDArray[np.uint8], at: Keys, stop: Keys) -> tuple[Keys, Keys, NDArray[np.bool_]]:
    """Read a number in unary at each place; return what follows, the numbers, and whether there is one."""
    numbers, begins = np.zeros(len(at), np.uint64), at.copy()
    waiting = np.flatnonzero(at < stop)
    while len(waiting):
        here, left = begins[waiting], np.minimum(stop[waiting] - begins[waiting], np.uint64(_WINDOW_BITS))
        words = low(windows(bits, here, stop[waiting]), left)
        lowest = words & (~words + np.uint64(1))
        zeros = np.where(words == 0, left, np.frexp(lowest.astype(np.float64))[1].astype(np.uint64) - np.uint64(1))
        numbers[waiting] += zeros
        begins[waiting] += zeros
        waiting = waiting[(words == 0) & (here + left < stop[waiting])]
    return begins + np.uint64(1), numbers, begins < stop


def windows(bits: NDArray[np.uint8], at: Keys, stop: Keys) -> Keys:
    """Return the 57 bits or more that begin at each place. Beyond the bits there are zeros."""
    octets = (np.minimum(at, np.maximum(stop, at)) >> np.uint64(3)).astype(np.int64)
    octets = np.minimum(octets, len(bits) - PADDING_BYTES)
    words = np.lib.stride_tricks.sliding_window_view(bits, 8)[octets].copy().view("<u8").ravel().astype(np.uint64)
    return words >> (at & np.uint64(7))


def read_long(bits: NDArray[np.uint8], at: Keys, stop: Keys, n_bits: int) -> Keys:
    """Return the number of up to 63 bits at each place."""
    first = min(n_bits, _WINDOW_BITS)
    numbers = low(windows(bits, at, stop), np.uint64(first))
    if n_bits == first:
        return numbers
    return numbers | low(windows(bits, at + np.uint64(first), stop), np.uint64(n_bits - first)) << np.uint64(first)


def low(words: Keys, n_bits: Keys | np.uint64) -> Keys:
    """Return the lowest bits of each word."""
    return words & ((np.uint64(1) << n_bits) - np.uint64(1))


def put(line: NDArray[np.uint8], at: NDArray[np.int64], numbers: Keys, n_bits: int) -> None:
    """Write the lowest bits of each number into a line of bits."""
    for bit in range(n_bits):
        line[at + bit] = (numbers >> np.uint64(bit)) & np.uint64(1)
