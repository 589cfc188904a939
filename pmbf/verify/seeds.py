"""Blocks: maximal runs of tokens that stand in both texts.

Every gram of the query that stands in the source gets at most three partners there, so that pairs stay linear however
repetitive the texts are:

    its turn      the k-th occurrence here with the k-th there, round and round when the query holds more: a paragraph
                  copied twice is found twice
    from before   the occurrence nearest to where the last gram that is unique in the source leads
    from behind   the same with the next such gram

One right pair in a run is enough: the run grows over the rest.

Source: Grozea, Gehl & Popescu 2009, ENCOPLOT, for the pairing by turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pmbf.kernels import reach
from pmbf.verify.prepared import Grams, Positions, Prepared

MOST_BLOCKS = 1 << 16
"""Blocks that are looked at, the longest. Two texts of 500,000 one-letter words have as many blocks; all took 50 s."""


class Block(NamedTuple):
    """Equal tokens: `length` of them, from token `query` of the query and from token `source` of the source."""

    query: int
    source: int
    length: int

    @property
    def query_stop(self) -> int:
        """Token of the query behind the block."""
        return self.query + self.length

    @property
    def source_stop(self) -> int:
        """Token of the source behind the block."""
        return self.source + self.length

    def cut(self, start: int, stop: int) -> Block:
        """Return the part that lies in the tokens `[start, stop)` of the query; its length is below 1 if none does."""
        first = max(start, self.query)
        return Block(first, self.source + first - self.query, min(stop, self.query_stop) - first)


def blocks(query: Prepared, source: Prepared, seed_tokens: int) -> list[Block]:
    """Return equal runs of two texts in query order, each as long as it can be.

    Promise: a run of `seed_tokens` words whose grams stand once in the source is inside a block, unless a block more
    than twice as long covers it on the query's side, or there are `MOST_BLOCKS` longer ones.

    Args:
        seed_tokens: Words in the shortest run that starts a block, at least 1; letters that are tokens count half.

    >>> from pmbf.verify.prepared import prepare
    >>> blocks(prepare("he said: to be or not to be"), prepare("To be, or not to be?"), 4)
    [Block(query=2, source=0, length=6)]
    """
    ours, theirs = query.grams(seed_tokens), source.grams(seed_tokens)
    if not len(ours.names) or not len(theirs.names):
        return []
    rounds = [_runs(partners, ours.stops) for partners in _pairings(ours, theirs)]
    starts, partners, stops = np.concatenate(rounds, axis=1)
    before = reach(query.runs, source.runs, starts, partners, forward=False)
    after = reach(query.runs, source.runs, stops, partners + stops - starts, forward=True)
    runs = np.stack([starts - before, -stops - after, partners - before])
    return _leading(runs[:, np.lexsort(runs[::-1])])


def _pairings(ours: Grams, theirs: Grams) -> Iterator[Positions]:
    """Yield, one round after another, the source's gram for each of the query's grams, -1 for none."""
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


def _partners(ours: Grams, grams: Positions, partners: Positions) -> Positions:
    partner_of = np.full(len(ours.order), -1, np.intp)
    partner_of[grams] = partners
    return partner_of


def _nearest(theirs: Grams, group: Positions, wanted: Positions) -> Positions:
    """Return for each position that is wanted the nearest gram with the name of that group."""
    width = len(theirs.order)
    ladder = np.repeat(np.arange(len(theirs.names)), np.diff(theirs.bounds)) * width + theirs.order
    place = np.searchsorted(ladder, group * width + np.clip(wanted, 0, width - 1))
    above = theirs.order[np.minimum(place, theirs.bounds[group + 1] - 1)]
    below = theirs.order[np.maximum(place - 1, theirs.bounds[group])]
    return np.where(np.abs(above - wanted) < np.abs(below - wanted), above, below)


def _runs(partners: Positions, gram_stops: Positions) -> Positions:
    """Return `(3, n)`: query start, source start and query stop of the pairs that follow each other on both sides."""
    starts = np.flatnonzero(partners >= 0)
    partners = partners[starts]
    is_head = np.ones(len(starts), np.bool_)
    is_head[1:] = (np.diff(starts) != 1) | (np.diff(partners) != 1)
    heads = np.flatnonzero(is_head)
    tails = np.append(heads[1:], len(starts))[: len(heads)] - 1
    return np.stack([starts[heads], partners[heads], gram_stops[starts[tails]]])


def _leading(runs: Positions) -> list[Block]:
    """Return the runs, sorted by query start and longest first, without doubles and the short inside the long."""
    starts, stops, partners = runs[0], -runs[1], runs[2]
    furthest = np.maximum.accumulate(stops)
    leader = np.maximum.accumulate(np.where(stops == furthest, np.arange(len(stops)), 0))
    keep = 2 * (stops - starts) >= (stops - starts)[leader]
    keep[1:] &= (np.diff(runs) != 0).any(axis=0)
    found = np.stack([starts, partners, stops - starts])[:, keep]
    if found.shape[1] > MOST_BLOCKS:
        found = found[:, np.sort(np.argsort(-found[2], kind="stable")[:MOST_BLOCKS])]
    return list(map(Block, *found.tolist()))
