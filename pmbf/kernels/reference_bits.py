"""Bits of rows and tiles over whole arrays, in NumPy: positions, hits, counts.

Bit p of a row is bit p % 64 of its word p // 64; bit 0 is the lowest. Rows (open form) are `(n_rows, W) uint64`. Slices
(sealed form) are `(64 W, S) uint64` with S = ceil(n_rows / 64); bit r % 64 of `slices[p, r // 64]` is bit p of row r.
Hits have the same last axis: bit r % 64 of `hits[i, r // 64]` says that row r may hold hash i.

Each function releases the GIL most of the time, and changes only what its docstring names. An array of another dtype or
number of dimensions is a `ParameterError`. Words are read as little-endian bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks
from pmbf.kernels.reference_hash import fmix64
from pmbf.kernels.reference_turning import blocks, seal

__all__ = [
    "fill",
    "hits_open",
    "hits_sealed",
    "intersect",
    "popcount",
    "popcounts",
    "positions",
    "window_counts",
]

Hashes = NDArray[np.uint32]
Bits = NDArray[np.uint64]
Octets = NDArray[np.uint8]
Counts = NDArray[np.int64]

SPREAD, OFFSET = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x6A09E667F3BCC909)
"""Odd factor and summand of a hash before it is mixed: 64 bits of the fractions of the golden ratio and of sqrt(2)."""

_LOW = np.uint64(0xFFFFFFFF)
_BLOCK_WORDS = 1 << 17
"""Words of one temporary array, 1 MB."""

_BLOCK_HASHES = 1 << 12
_LANE_MAX = 255
_PROBES_WORTH_A_SEAL = 4
"""From 4 probes per column of words, sealing the rows is faster than probing them. Measured at 512 rows."""


def positions(hashes: Hashes, *, row_bits: int, n_hashes: int) -> Counts:
    """Return the bits that each hash sets in a row, `(n, n_hashes) int64`.

    Sampled hashes are the smallest of their texts, so they are mixed again before they are spread over the row.

    Args:
        hashes: `(n,) uint32`, any order.
        row_bits: Width of the row, m, 1 to 2^32 - 1.
        n_hashes: Bits per hash, k, at least 1. Two of them may fall on one position.

    Raises:
        ParameterError: `hashes` is not `(n,) uint32`, or a number is outside its range.

    Source:
        Kirsch & Mitzenmacher 2006, Less Hashing, Same Performance: h1 + i·h2. Lemire 2019, Fast Random Integer
        Generation in an Interval: multiply and shift instead of a remainder.

    >>> positions(np.array([7], np.uint32), row_bits=128, n_hashes=3).tolist()
    [[31, 113, 67]]
    """
    checks.require("hashes", hashes, np.uint32, "(n,)", 1)
    checks.require_probes(row_bits, n_hashes)
    mixed = fmix64(hashes.astype(np.uint64) * SPREAD + OFFSET)
    points: Bits = np.multiply.outer((mixed & _LOW) | np.uint64(1), np.arange(n_hashes, dtype=np.uint64))
    points += (mixed >> np.uint64(32))[:, None]
    points &= _LOW
    points *= np.uint64(row_bits)
    points >>= np.uint64(32)
    return points.view(np.int64)


def fill(row: Bits, hashes: Hashes, *, n_hashes: int) -> None:
    """Set the bits of hashes in a row, in place.

    Args:
        row: `(W,) uint64`, writable.
        hashes: `(n,) uint32`, any order, repeats allowed.
        n_hashes: Bits per hash, k.

    Raises:
        ParameterError: An array has another dtype or shape, or `row` is read-only.
    """
    checks.require("row", row, np.uint64, "(W,)", 1)
    checks.require_writable("row", row)
    at = positions(hashes, row_bits=64 * len(row), n_hashes=n_hashes).ravel()
    np.bitwise_or.at(row, at >> 6, _masks(at))


def hits_open(rows: Bits, hashes: Hashes, *, n_hashes: int) -> Bits:
    """Return which rows may hold each hash, `(q, ceil(n_rows / 64)) uint64`.

    Args:
        rows: `(n_rows, W) uint64`, W at least 1.
        hashes: `(q,) uint32`, any order.
        n_hashes: Bits per hash, k. A row may hold a hash if all k bits are set.

    Raises:
        ParameterError: An array has another dtype or shape.
    """
    checks.require("rows", rows, np.uint64, "(n_rows, W)", 2)
    n_rows, n_words = rows.shape
    at = positions(hashes, row_bits=64 * n_words, n_hashes=n_hashes)
    if at.size >= _PROBES_WORTH_A_SEAL * n_words:
        return _hits_at(seal(rows), at)
    hits = np.zeros((len(at), -(-n_rows // 64)), np.uint64)
    octets = hits.view(np.uint8)
    for part in blocks(len(at), _BLOCK_WORDS // max(1, n_rows)):
        present = _probed(rows, at[part])
        octets[part, : -(-n_rows // 8)] = np.packbits(present, axis=0, bitorder="little").T
    return hits


def hits_sealed(slices: Bits, hashes: Hashes, *, n_hashes: int) -> Bits:
    """Return what `hits_open` returns for the same rows, from their slices. A hash reads k lines of 8 S bytes.

    Args:
        slices: `(64 W, S) uint64`, W at least 1.
        hashes: `(q,) uint32`, any order.
        n_hashes: Bits per hash, k.

    Raises:
        ParameterError: An array has another dtype or shape.
    """
    checks.require("slices", slices, np.uint64, "(64 W, S)", 2)
    return _hits_at(slices, positions(hashes, row_bits=len(slices), n_hashes=n_hashes))


def window_counts(hits: Bits, n_rows: int, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the hits of every row in every window, `(n_windows, n_rows) int32`.

    The call needs as much memory again as the result, and 16 MB at 512 rows, whatever the number of hashes.

    Args:
        hits: `(q, S) uint64`.
        n_rows: More than 64 (S - 1), at most 64 S.
        starts: `(n_windows,) int64`, first hash of each window, 0 to `stops`.
        stops: `(n_windows,) int64`, one past the last hash of each window, at most q.

    Raises:
        ParameterError: An array has another dtype or shape, or a window reaches outside the hashes.

    >>> window_counts(np.array([[1], [3], [2]], np.uint64), 2, np.array([0, 1]), np.array([3, 2])).tolist()
    [[2, 2], [1, 1]]
    """
    checks.require("hits", hits, np.uint64, "(q, S)", 2)
    checks.require_rows("hits", hits, n_rows)
    checks.require_windows(starts, stops, len(hits))
    if not len(starts):
        return np.empty((0, n_rows), np.int32)
    edges = _edges(starts, stops)
    sums = np.zeros((len(edges), n_rows), np.int32)
    for first, last, lanes in _lane_sums(hits, edges):
        sums[first + 1 : last + 1] = lanes[:, :n_rows]
    for before, after in pairwise(sums):  # eight times as fast as cumsum along this axis
        np.add(before, after, out=after)
    counts = sums.take(np.searchsorted(edges, stops), axis=0)
    counts -= sums.take(np.searchsorted(edges, starts), axis=0)
    return counts


def intersect(a: Hashes, b: Hashes) -> NDArray[np.bool_]:
    """Return which hashes of one array occur in another, `(len(a),) bool`.

    Args:
        a: `(n,) uint32`, any order, repeats allowed.
        b: `(m,) uint32`, ascending; not checked.

    Raises:
        ParameterError: An array is not one-dimensional uint32.

    >>> intersect(np.array([5, 1, 5], np.uint32), np.array([2, 5], np.uint32)).tolist()
    [True, False, True]
    """
    checks.require("a", a, np.uint32, "(n,)", 1)
    checks.require("b", b, np.uint32, "(m,)", 1)
    if not len(b):
        return np.zeros(len(a), np.bool_)
    found = np.minimum(np.searchsorted(b, a), len(b) - 1)
    return np.asarray(b[found] == a)


def popcount(words: Bits) -> int:
    """Return the number of set bits in an array of words.

    Args:
        words: `(n,) uint64`.

    Raises:
        ParameterError: `words` is not `(n,) uint64`.

    >>> popcount(np.array([3, 1 << 63], np.uint64))
    3
    """
    checks.require("words", words, np.uint64, "(n,)", 1)
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def popcounts(rows: Bits) -> Counts:
    """Return the number of set bits in each row, `(n_rows,) int64`.

    Args:
        rows: `(n_rows, W) uint64`.

    Raises:
        ParameterError: `rows` is not `(n_rows, W) uint64`.
    """
    checks.require("rows", rows, np.uint64, "(n_rows, W)", 2)
    counts = np.empty(len(rows), np.int64)
    for part in blocks(len(rows), _BLOCK_WORDS // max(1, rows.shape[1])):
        counts[part] = np.bitwise_count(rows[part]).sum(axis=1, dtype=np.int64)
    return counts


def _masks(at: Counts) -> Bits:
    return np.uint64(1) << (at & 63).astype(np.uint64)


def _probed(rows: Bits, at: Counts) -> NDArray[np.bool_]:
    """Return whether each row has all bits of each hash, `(n_rows, q) bool`."""
    present = np.ones((len(rows), len(at)), np.bool_)
    for column in at.T:
        present &= (np.take(rows, column >> 6, axis=1) & _masks(column)) != 0
    return present


def _hits_at(slices: Bits, at: Counts) -> Bits:
    hits = np.empty((len(at), slices.shape[1]), np.uint64)
    for part in blocks(len(at), _BLOCK_HASHES):
        lines = np.take(slices, at[part, 0], axis=0, out=hits[part])
        for column in at[part, 1:].T:
            lines &= np.take(slices, column, axis=0)
    return hits


def _edges(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the borders of all windows, ascending. More are put between, so that neighbours are at most 255 apart."""
    between = np.arange(starts.min(), stops.max(), _LANE_MAX)
    return np.unique(np.concatenate([starts, stops, between]))


def _lane_sums(hits: Bits, edges: NDArray[np.int64]) -> Iterator[tuple[int, int, Octets]]:
    """Yield the hits between neighbouring edges, part by part: first edge, last edge, `(last - first, 64 S) uint8`.

    A word counts eight rows, each in a byte of its own, which holds up to 255.
    """
    for part in blocks(len(edges) - 1, _BLOCK_WORDS // (16 * max(1, hits.shape[1]))):
        first, last = edges[part.start], edges[part.stop]
        octets = np.ascontiguousarray(hits[first:last]).view(np.uint8)
        lanes = np.unpackbits(octets, axis=1, bitorder="little").view(np.uint64)
        if lanes.size:
            sums = np.add.reduceat(lanes, edges[part] - first, axis=0)
            yield part.start, part.stop, sums.view(np.uint8)
