"""Turning: rows of bits to slices and back, in NumPy. `reference_bits` says how bits lie in both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks

__all__ = ["seal", "unseal"]

Bits = NDArray[np.uint64]

_TURN_WORDS = 1 << 14
"""Words of one temporary array, 128 KB: it stays in the second-level cache. Larger arrays take 2.5 times as long."""

_Turn = tuple[np.uint64, np.uint64]
_TURNS: tuple[_Turn, ...] = (
    (np.uint64(7), np.uint64(0x00AA00AA00AA00AA)),
    (np.uint64(14), np.uint64(0x0000CCCC0000CCCC)),
    (np.uint64(28), np.uint64(0x00000000F0F0F0F0)),
)


def seal(rows: Bits) -> Bits:
    """Return rows as slices, position-major: the transposed bit matrix.

    Args:
        rows: `(n_rows, W) uint64`.

    Returns:
        `(64 W, ceil(n_rows / 64)) uint64`; bits past the last row are 0.

    Raises:
        ParameterError: `rows` is not `(n_rows, W) uint64`.

    >>> seal(np.array([[0b01], [0b11]], np.uint64))[:3].tolist()
    [[3], [2], [0]]
    """
    checks.require("rows", rows, np.uint64, "(n_rows, W)", 2)
    n_rows, n_words = rows.shape
    n_groups = -(-n_rows // 64)
    slices = np.empty((64 * n_words, n_groups), np.uint64)
    for part in blocks(n_words, _TURN_WORDS // max(1, 64 * n_groups)):
        padded = np.zeros((64 * n_groups, part.stop - part.start), np.uint64)
        padded[:n_rows] = rows[:, part]
        slices[64 * part.start : 64 * part.stop] = _sealed(padded)
    return slices


def unseal(slices: Bits, n_rows: int) -> Bits:
    """Return slices as rows, `(n_rows, W) uint64`: the way back from `seal`.

    Args:
        slices: `(64 W, S) uint64`.
        n_rows: More than 64 (S - 1), at most 64 S.

    Raises:
        ParameterError: `slices` is not `(64 W, S) uint64`, or S does not fit `n_rows`.
    """
    checks.require("slices", slices, np.uint64, "(64 W, S)", 2)
    checks.require_rows("slices", slices, n_rows)
    checks.require_whole_words(slices)
    n_words = len(slices) // 64
    rows = np.empty((n_rows, n_words), np.uint64)
    for part in blocks(n_words, _TURN_WORDS // max(1, 64 * slices.shape[1])):
        rows[:, part] = _unsealed(slices[64 * part.start : 64 * part.stop])[:n_rows]
    return rows


def blocks(n_items: int, wanted: int) -> Iterator[slice]:
    step = max(1, wanted)
    for start in range(0, n_items, step):
        yield slice(start, min(start + step, n_items))


def _sealed(rows: Bits) -> Bits:
    """Return the slices of whole groups of 64 rows.

    Bytes are moved so that 8 rows by 8 positions stand in one word. Then the words are turned, and bytes moved again.
    """
    n_rows, n_words = rows.shape
    octets = rows.view(np.uint8).reshape(n_rows // 8, 8, 8 * n_words).transpose(2, 0, 1)
    squares = _turned(np.ascontiguousarray(octets).view(np.uint64))
    octets = squares.view(np.uint8).transpose(0, 2, 1)
    return np.ascontiguousarray(octets).reshape(64 * n_words, n_rows // 8).view(np.uint64)


def _unsealed(slices: Bits) -> Bits:
    """Return the whole groups of 64 rows of slices: the steps of `_sealed` backwards."""
    n_positions, n_groups = slices.shape
    octets = np.ascontiguousarray(slices).view(np.uint8).reshape(n_positions // 8, 8, 8 * n_groups)
    squares = _turned(np.ascontiguousarray(octets.transpose(0, 2, 1)).view(np.uint64))
    octets = squares.view(np.uint8).transpose(1, 2, 0)
    return np.ascontiguousarray(octets).reshape(64 * n_groups, n_positions // 8).view(np.uint64)


def _turned(squares: Bits) -> Bits:
    """Transpose each word, 8 bytes of 8 bits, in place, and return the words (Warren, Hacker's Delight, 7-3)."""
    for shift, mask in _TURNS:
        swap = squares >> shift
        swap ^= squares
        swap &= mask
        squares ^= swap
        swap <<= shift
        squares ^= swap
    return squares
