"""Bits of rows and tiles: the reference of `native/bits`.

Bit p of a row is bit p % 64 of its word p // 64; bit 0 is the lowest. Rows (open form) are `(n_rows, W) uint64`. Slices
(sealed form) are `(64 W, S) uint64` with S = ceil(n_rows / 64); bit r % 64 of `slices[p, r // 64]` is bit p of row r.
Hits have the same last axis: bit r % 64 of `hits[i, r // 64]` says that row r may hold hash i.

An array of another dtype or number of dimensions is a `ParameterError`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks
from pmbf.kernels.reference_hash import MASK, fmix
from pmbf.kernels.types import HitRules, Probed

__all__ = ["evidence", "fill", "intersect", "look_up", "popcounts", "rows_with_evidence", "seal", "unseal"]

Hashes = NDArray[np.uint32]
Bits = NDArray[np.uint64]
Counts = NDArray[np.int64]
Weights = NDArray[np.int32]

SPREAD, OFFSET = 0x9E3779B97F4A7C15, 0x6A09E667F3BCC909
"""Odd factor and summand of a hash before it is mixed: 64 bits of the fractions of the golden ratio and of sqrt(2)."""

_LOW = (1 << 32) - 1


def fill(row: Bits, hashes: Hashes, *, n_hashes: int) -> None:
    """Set the bits of hashes in a row, in place.

    Args:
        row: `(W,) uint64`, writable.
        hashes: `(n,) uint32`, any order, repeats allowed.
        n_hashes: Bits per hash, k.

    >>> row = np.zeros(2, np.uint64)
    >>> fill(row, np.array([7], np.uint32), n_hashes=3)
    >>> np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist()
    [31, 67, 113]
    """
    checks.require_fill(row, hashes, n_hashes)
    for hash in hashes.tolist():
        for bit in positions_of(hash, 64 * len(row), n_hashes):
            row[bit // 64] |= np.uint64(1 << bit % 64)


def spread(hash: int) -> int:
    """Return the first 32 bits of a hash mixed again: sampled hashes are the smallest of their texts."""
    return fmix(hash * SPREAD + OFFSET & MASK)


def positions_of(hash: int, row_bits: int, n_hashes: int) -> list[int]:
    """Return the bits that a hash sets in a row.

    Source:
        Kirsch & Mitzenmacher 2006, Less Hashing, Same Performance: h1 + i·h2. Lemire 2019, Fast Random Integer
        Generation in an Interval: multiply and shift instead of a remainder.
    """
    mixed = spread(hash)
    first, step = mixed >> 32, mixed & _LOW | 1
    return [(first + at * step & _LOW) * row_bits >> 32 for at in range(n_hashes)]


def seal(rows: Bits) -> Bits:
    """Return rows as slices, position-major: the transposed bit matrix.

    Args:
        rows: `(n_rows, W) uint64`.

    Returns:
        `(64 W, ceil(n_rows / 64)) uint64`; bits past the last row are 0.

    >>> seal(np.array([[0b01], [0b11]], np.uint64))[:3].tolist()
    [[3], [2], [0]]
    """
    checks.require("rows", rows, np.uint64, "(n_rows, W)", 2)
    return _as_words(_as_bits(rows).T)


def unseal(slices: Bits, n_rows: int) -> Bits:
    """Return slices as rows, `(n_rows, W) uint64`: the way back from `seal`.

    Args:
        slices: `(64 W, S) uint64`.
        n_rows: More than 64 (S - 1), at most 64 S.
    """
    checks.require_slices(slices, n_rows)
    return _as_words(_as_bits(slices)[:, :n_rows].T)


def _as_bits(words: Bits) -> NDArray[np.uint8]:
    """Return the bits of each line of words, a byte for each."""
    return np.unpackbits(np.ascontiguousarray(words, "<u8").view(np.uint8), axis=1, bitorder="little")


def _as_words(bits: NDArray[np.uint8]) -> Bits:
    """Return lines of bits as words; the last word of a line is filled up with zeros."""
    n_lines, n_bits = bits.shape
    octets = np.zeros((n_lines, 8 * -(-n_bits // 64)), np.uint8)
    octets[:, : -(-n_bits // 8)] = np.packbits(bits, axis=1, bitorder="little")
    return octets.view("<u8").astype(np.uint64)


def look_up(tiles: Sequence[Probed], hashes: Hashes) -> tuple[Bits, Counts]:
    """Return which rows of some tiles may hold each hash, `(q, S) uint64`, and their number per hash, `(q,) int64`.

    A row may hold a hash if all k bits of the hash are set. The hits of the tiles stand side by side. The hits of each
    tile begin with a new word.

    Args:
        tiles: For each tile its bits, `(64 W, S)` if sealed, else `(n_rows, W) uint64`; whether it is sealed; its bits
            per hash.
        hashes: `(q,) uint32`, any order.

    >>> rows = np.array([[3], [1], [2]], np.uint64)
    >>> found, n_hit = look_up([(rows, False, 1)] * 2, np.array([5, 12], np.uint32))
    >>> found.shape, n_hit.tolist()
    ((2, 2), [0, 0])
    """
    checks.require_tiles(tiles, hashes)
    lines = [np.empty((len(hashes), 0), np.uint64)]
    for bits, sealed, n_hashes in tiles:
        row_bits = len(bits) if sealed else 64 * bits.shape[1]
        slices = bits if sealed else seal(bits)
        found = np.zeros((len(hashes), slices.shape[1]), np.uint64)
        for place, hash in enumerate(hashes.tolist()):
            found[place] = np.bitwise_and.reduce(slices[positions_of(hash, row_bits, n_hashes)])
        lines.append(found)
    hits = np.concatenate(lines, axis=1)
    return hits, popcounts(hits)


def popcounts(rows: Bits) -> Counts:
    """Return the number of set bits in each row, `(n_rows,) int64`.

    Args:
        rows: `(n_rows, W) uint64`.
    """
    checks.require("rows", rows, np.uint64, "(n_rows, W)", 2)
    counts: Counts = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
    return counts


def intersect(a: Hashes, b: Hashes) -> NDArray[np.bool_]:
    """Return which hashes of one array occur in another, `(len(a),) bool`.

    Args:
        a: `(n,) uint32`, any order, repeats allowed.
        b: `(m,) uint32`, ascending; not checked.

    >>> intersect(np.array([5, 1, 5], np.uint32), np.array([2, 5], np.uint32)).tolist()
    [True, False, True]
    """
    checks.require("a", a, np.uint32, "(n,)", 1)
    checks.require("b", b, np.uint32, "(m,)", 1)
    return np.isin(a, b)


def evidence(
    bounds: Counts, places: Hashes, weights: Weights, tokens: Hashes, rules: HitRules
) -> tuple[Counts, Hashes]:
    """Return the greatest evidence of each list of places within a window of the query.

    Hits of overlapping shingles say less. If a shingle begins d tokens after the hit before it in the list, and d is
    less than `shingle_tokens`, then it brings d new words, and counts d / shingle_tokens of its weight, rounded down.

    Args:
        bounds: `(n + 1,) int64`, ascending from 0; list i is `places[bounds[i]:bounds[i + 1]]`.
        places: `(bounds[-1],) uint32`, places of hashes in the query. They ascend in each list, which is not checked.
        weights: `(q,) int32`, at least 0, the weight of each of the query's hashes.
        tokens: `(q,) uint32`, ascending, the first token of each hash's shingle.
        rules: How hits near each other count together.

    Returns:
        `(n,) int64`, the evidence; and `(n, 2) uint32`, the first and the last place of the first window that has it,
        0 and 0 for no evidence.

    >>> bounds, places = np.array([0, 3, 4]), np.array([0, 1, 9, 9], np.uint32)
    >>> weights, tokens = np.full(10, 30, np.int32), np.arange(10, dtype=np.uint32)
    >>> found, within = evidence(bounds, places, weights, tokens, HitRules(shingle_tokens=3, window=10))
    >>> found.tolist(), within.tolist()
    ([70, 30], [[0, 9], [9, 9]])
    """
    checks.require_evidence(bounds, places, weights, tokens, rules)
    every, given = places.tolist(), (weights.tolist(), tokens.tolist(), rules)
    found = [evidence_of(every[start:stop], *given) for start, stop in pairwise(bounds.tolist())]
    nats, within = zip(*found, strict=True) if found else ((), ())
    return np.array(nats, np.int64), np.array(within, np.uint32).reshape(-1, 2)


def evidence_of(
    places: list[int], weights: list[int], tokens: list[int], rules: HitRules
) -> tuple[int, tuple[int, int]]:
    """Return the greatest evidence of one list of places within a window, and the places where the window ends."""
    length, best, total = rules.shingle_tokens, (0, (0, 0)), 0
    window: deque[tuple[int, int]] = deque()  # the places in the window that ends with a hit, and the worth of each
    for at, place in enumerate(places):
        n_new = min(length, tokens[place] - tokens[places[at - 1]]) if at else length
        worth = weights[place] * n_new // length
        window.append((place, worth))
        total += worth
        while window[0][0] <= place - rules.window:
            total -= window.popleft()[1]
        if total > best[0]:
            best = total, (window[0][0], place)
    return best


def rows_with_evidence(hits: Bits, weights: Weights, tokens: Hashes, rules: HitRules, *, least: int) -> Counts:
    """Return the rows with enough evidence within a window of the query, ascending, `(n,) int64`; see `evidence`.

    Args:
        hits: `(q, S) uint64`, as `look_up` returns them.
        weights, tokens, rules: As for `evidence`. Hits of hashes with weight 0 do not count.
        least: The evidence a row must have, at least 1.

    >>> weights, tokens = np.array([5, 7, 9], np.int32), np.array([0, 4, 8], np.uint32)
    >>> hits = np.array([[1], [3], [2]], np.uint64)
    >>> rows_with_evidence(hits, weights, tokens, HitRules(3, 3), least=13).tolist()
    [1]
    """
    checks.require_weighed_hits(hits, weights, least)
    checks.require_weights_fit(weights, tokens, rules)
    checks.require_weights(weights, tokens)
    ours, its_tokens, rows = weights.tolist(), tokens.tolist(), []
    for number, row in enumerate(_as_bits(hits).T.tolist()):
        places = [place for place, bit in enumerate(row) if bit and ours[place]]
        if evidence_of(places, ours, its_tokens, rules)[0] >= least:
            rows.append(number)
    return np.array(rows, np.int64)
