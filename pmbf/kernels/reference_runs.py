"""Equal runs of two texts: the NumPy reference of `native/align/{prepare,grams,runs,hops}.c`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product, takewhile

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Grams, Runs
from pmbf.kernels.types import Tokens

__all__ = ["grams", "runs_of"]

Places = NDArray[np.int64]

BASE = 0x9E3779B97F4A7C15
BASE_INVERSE = pow(BASE, -1, 2**64)

HOP_EDITS = 2
HOP_WORDS = 3
_HOPS = sorted(product(range(HOP_EDITS + 1), repeat=2), key=lambda hop: (max(hop), sum(hop), hop))
_WINDOW = 16


def runs_of(hashes: NDArray[np.uint64]) -> Runs:
    """Return the names of the runs of some tokens.

    Args:
        hashes: `(n,) uint64`, the hash of each token.

    Source:
        Karp & Rabin 1987, Efficient randomized pattern-matching algorithms; prefix sums make any run O(1).
    """
    sums = np.zeros(len(hashes) + 1, np.uint64)
    np.cumsum(hashes * _powers(BASE, len(hashes)), out=sums[1:])
    return Runs(sums, _powers(BASE_INVERSE, len(hashes)))


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    powers = np.full(count, base, np.uint64)
    powers[:1] = 1
    return np.cumprod(powers, dtype=np.uint64)


def grams(runs: Runs, stops: Places) -> Grams:
    """Return the run from each token to its stop, grouped by name.

    Args:
        runs: The names of a text's runs.
        stops: `(n,) int64`, the stop of the run that begins at each of the first n tokens.
    """
    names = runs.names(np.arange(len(stops)), stops)
    order = np.argsort(names, kind="stable").astype(np.int64)
    names = names[order]
    is_first = np.ones(len(names), np.bool_)
    np.not_equal(names[1:], names[:-1], out=is_first[1:])
    firsts = np.flatnonzero(is_first)
    return Grams(runs, stops, names[firsts], order, np.append(firsts, len(names)).astype(np.int64))


def equal_runs(query: Grams, source: Grams) -> Places:
    """Return the equal runs of two texts, `(3, n) int64`: where each begins in the query, in the source, its length.

    Runs are sorted by start in the query, then longest first, then by start in the source. No run comes twice. A run
    inside a run more than twice as long is left out. `docs/alignment.md`, section 8, says which grams are paired.
    """
    if not len(query.names) or not len(source.names):
        return np.empty((3, 0), np.int64)
    rounds = [_runs(partners, query.stops) for partners in _pairings(query, source)]
    starts, partners, stops = np.concatenate(rounds, axis=1)
    before = _reach(query.runs, source.runs, starts, partners, forward=False)
    after = _reach(query.runs, source.runs, stops, partners + stops - starts, forward=True)
    runs = np.stack([starts - before, -stops - after, partners - before])
    return _leading(runs[:, np.lexsort(runs[::-1])])


def hops(query: Tokens, source: Tokens, borders: Places, *, forward: bool) -> Places:
    """Return for each border how many tokens to skip, outwards, and the length of the equal run behind them.

    Args:
        query: Tokens of the query.
        source: Tokens of the source.
        borders: `(2, n) int64`, places in the query and in the source.
        forward: Whether outwards is to the right.

    Returns:
        `(3, n) int64`: tokens skipped in the query, in the source, and tokens of the run. The smallest edit of up to
        `HOP_EDITS` tokens in either text is taken that `HOP_WORDS` equal words follow. All three are 0 if there is
        none.
    """
    found = np.zeros((3, borders.shape[1]), np.int64)
    for at, (here, there) in enumerate(borders.T.tolist()):
        ours, theirs = (
            slice(border, border + _WINDOW) if forward else slice(max(0, border - _WINDOW), border)
            for border in (here, there)
        )
        way = 1 if forward else -1
        half_words = (2 - query.singles[ours].astype(np.int64))[::way].tolist()
        found[:, at] = _hop(query.hashes[ours][::way].tolist(), source.hashes[theirs][::way].tolist(), half_words)
    return found


def _hop(ours: list[int], theirs: list[int], half_words: list[int]) -> tuple[int, int, int]:
    for skipped, skipped_there in _HOPS:
        pairs = zip(ours[skipped:], theirs[skipped_there:], strict=False)
        length = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        if sum(half_words[skipped : skipped + length]) >= 2 * HOP_WORDS:
            return skipped, skipped_there, length
    return 0, 0, 0


def _pairings(ours: Grams, theirs: Grams) -> Iterator[Places]:
    """Yield in each round the source's gram that is paired with each gram of the query, -1 for none."""
    name = np.minimum(np.searchsorted(theirs.names, ours.names), len(theirs.names) - 1)
    counts = np.diff(ours.bounds)
    is_shared = np.repeat(theirs.names[name] == ours.names, counts)
    grams, names = ours.order[is_shared], np.repeat(name, counts)[is_shared]
    turns = (np.arange(len(ours.order)) - np.repeat(ours.bounds[:-1], counts))[is_shared]
    sizes = np.diff(theirs.bounds)[names]
    by_turn = _partners(ours, grams, theirs.order[theirs.bounds[names] + turns % sizes])
    yield by_turn
    anchors = np.sort(grams[sizes == 1])
    grams, names = grams[sizes > 1], names[sizes > 1]
    if len(anchors) and len(grams):
        behind = np.searchsorted(anchors, grams)
        for near in (np.maximum(behind - 1, 0), np.minimum(behind, len(anchors) - 1)):
            yield _partners(ours, grams, _nearest(theirs, names, by_turn[anchors[near]] + grams - anchors[near]))


def _partners(ours: Grams, grams: Places, partners: Places) -> Places:
    partner_of = np.full(len(ours.order), -1, np.int64)
    partner_of[grams] = partners
    return partner_of


def _nearest(theirs: Grams, group: NDArray[np.intp], wanted: Places) -> Places:
    """Return for each wanted place the nearest gram whose name is that of its group."""
    width = len(theirs.order)
    ladder = np.repeat(np.arange(len(theirs.names)), np.diff(theirs.bounds)) * width + theirs.order
    place = np.searchsorted(ladder, group * width + np.clip(wanted, 0, width - 1))
    above = theirs.order[np.minimum(place, theirs.bounds[group + 1] - 1)]
    below = theirs.order[np.maximum(place - 1, theirs.bounds[group])]
    return np.where(np.abs(above - wanted) < np.abs(below - wanted), above, below)


def _runs(partners: Places, gram_stops: Places) -> Places:
    """Return `(3, n)`: query start, source start, query stop of each row of pairs that are neighbours in both texts."""
    starts = np.flatnonzero(partners >= 0)
    partners = partners[starts]
    is_head = np.ones(len(starts), np.bool_)
    is_head[1:] = (np.diff(starts) != 1) | (np.diff(partners) != 1)
    heads = np.flatnonzero(is_head)
    tails = np.append(heads[1:], len(starts))[: len(heads)] - 1
    return np.stack([starts[heads], partners[heads], gram_stops[starts[tails]]])


def _reach(query: Runs, source: Runs, here: Places, there: Places, *, forward: bool) -> Places:
    """Return how many tokens are equal from each pair of borders on: a bisection by powers of two."""
    room = np.minimum(len(query.back) - here, len(source.back) - there) if forward else np.minimum(here, there)
    found = np.zeros_like(here)
    for power in reversed(range(int(room.max(initial=0)).bit_length())):
        step = 1 << power
        tried = np.flatnonzero(found + step <= room)
        near = found[tried] if forward else -found[tried] - step
        ours, theirs = here[tried] + near, there[tried] + near
        found[tried[query.names(ours, ours + step) == source.names(theirs, theirs + step)]] += step
    return found


def _leading(runs: Places) -> Places:
    """Return the runs without repeats, and without runs less than half as long as one that holds them.

    Args:
        runs: `(3, n)`: query start, minus query stop, source start; sorted.
    """
    starts, stops, partners = runs[0], -runs[1], runs[2]
    furthest = np.maximum.accumulate(stops)
    leader = np.maximum.accumulate(np.where(stops == furthest, np.arange(len(stops)), 0))
    keep = 2 * (stops - starts) >= (stops - starts)[leader]
    keep[1:] &= (np.diff(runs) != 0).any(axis=0)
    return np.stack([starts, partners, stops - starts])[:, keep]
