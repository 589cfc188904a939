"""The hits of a query in NumPy: which rows they are in, and how much evidence they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks
from pmbf.kernels.reference_bits import Bits, Counts, Hashes, hits_open, hits_sealed, popcounts
from pmbf.kernels.types import HitRules, Probed

__all__ = ["evidence", "look_up", "rows_with_evidence"]

Weights = NDArray[np.int32]


def look_up(tiles: Sequence[Probed], hashes: Hashes) -> tuple[Bits, Counts]:
    """Return which rows of some tiles may hold each hash, `(q, S) uint64`, and their number per hash, `(q,) int64`.

    The hits of the tiles stand side by side, as `hits_open` returns them. The hits of each tile begin with a new word.

    Args:
        tiles: For each tile its bits, `(64 W, S)` if sealed, else `(n_rows, W) uint64`; whether it is sealed; its bits
            per hash.
        hashes: `(q,) uint32`, any order.

    Raises:
        ParameterError: As for `hits_open` and `hits_sealed`.

    >>> rows = np.array([[3], [1], [2]], np.uint64)
    >>> found, n_hit = look_up([(rows, False, 1)] * 2, np.array([5, 12], np.uint32))
    >>> found.shape, n_hit.tolist()
    ((2, 2), [0, 0])
    """
    checks.require("hashes", hashes, np.uint32, "(n,)", 1)
    lines = [np.empty((len(hashes), 0), np.uint64)]
    for bits, sealed, n_hashes in tiles:
        lines.append((hits_sealed if sealed else hits_open)(bits, hashes, n_hashes=n_hashes))
    hits = np.concatenate(lines, axis=1)
    return hits, popcounts(hits)


def evidence(bounds: Counts, places: Hashes, weights: Weights, tokens: Hashes, rules: HitRules) -> Counts:
    """Return the greatest evidence of each list of places within a window of the query, `(n,) int64`.

    Hits of overlapping shingles say less. If a shingle begins d tokens after the hit before it in the list, and d is
    less than `shingle_tokens`, then it brings d new words, and counts d / shingle_tokens of its weight, rounded down.

    Args:
        bounds: `(n + 1,) int64`, ascending from 0; list i is `places[bounds[i]:bounds[i + 1]]`.
        places: `(bounds[-1],) uint32`, places of hashes in the query. They ascend in each list, which is not checked.
        weights: `(q,) int32`, at least 0, the weight of each of the query's hashes.
        tokens: `(q,) uint32`, ascending, the first token of each hash's shingle.
        rules: How hits near each other count together.

    Raises:
        ParameterError: An array has another dtype or shape, or a number is outside its range.

    >>> bounds, places = np.array([0, 3, 4]), np.array([0, 1, 9, 9], np.uint32)
    >>> weights, tokens = np.full(10, 30, np.int32), np.arange(10, dtype=np.uint32)
    >>> evidence(bounds, places, weights, tokens, HitRules(shingle_tokens=3, window=10)).tolist()
    [70, 30]
    """
    checks.require_lists_fit(bounds, places)
    checks.require_weights_fit(weights, tokens, rules)
    checks.require_weights(weights, tokens)
    checks.require_lists(bounds, places, weights)
    shingle_tokens, window = rules
    sizes = np.diff(bounds)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    begins = tokens[places].astype(np.int64)
    apart = np.diff(begins, prepend=0)
    apart[bounds[:-1][sizes > 0]] = shingle_tokens
    worth = weights[places].astype(np.int64) * np.minimum(apart, shingle_tokens) // shingle_tokens
    sums = np.append(0, np.cumsum(worth))
    # All lists lie on one line. A gap that no window bridges parts each list from the next.
    line = owner * (len(weights) + window) + places
    firsts = np.searchsorted(line, line - window, side="right")
    best = np.zeros(len(sizes), np.int64)
    np.maximum.at(best, owner, sums[1:] - sums[firsts])
    return best


def rows_with_evidence(hits: Bits, weights: Weights, tokens: Hashes, rules: HitRules, *, least: int) -> Counts:
    """Return the rows with enough evidence within a window of the query, ascending, `(n,) int64`; see `evidence`.

    Args:
        hits: `(q, S) uint64`, as `hits_open` returns them.
        weights, tokens, rules: As for `evidence`. Hits of hashes with weight 0 do not count.
        least: The evidence a row must have, at least 1.

    Raises:
        ParameterError: As for `evidence`.

    >>> weights, tokens = np.array([5, 7, 9], np.int32), np.array([0, 4, 8], np.uint32)
    >>> hits = np.array([[1], [3], [2]], np.uint64)
    >>> rows_with_evidence(hits, weights, tokens, HitRules(3, 3), least=13).tolist()
    [1]
    """
    checks.require_weighed_hits(hits, weights, least)
    checks.require_weights_fit(weights, tokens, rules)
    checks.require_weights(weights, tokens)
    rows = np.flatnonzero(np.unpackbits(_octets(np.bitwise_or.reduce(hits, axis=0)), bitorder="little"))
    bits = hits[:, rows >> 6] >> (rows & 63).astype(np.uint64) & (weights > 0).astype(np.uint64)[:, None]
    line, places = np.nonzero(bits.T)
    bounds = np.searchsorted(line, np.arange(len(rows) + 1)).astype(np.int64)
    return rows[evidence(bounds, places.astype(np.uint32), weights, tokens, rules) >= least]


def _octets(words: Bits) -> NDArray[np.uint8]:
    return np.ascontiguousarray(words, "<u8").view(np.uint8)
