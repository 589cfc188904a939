"""Equal runs of two texts, and the chains that they make: the reference of `native/align/{runs,hops,chains}.c`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from typing import NamedTuple

from pmbf.kernels.asked import gram_stops
from pmbf.kernels.types import Tokens

HOP_EDITS = 2
HOP_WORDS = 3
_HOPS = sorted(product(range(HOP_EDITS + 1), repeat=2), key=lambda hop: (max(hop), sum(hop), hop))
_WINDOW = 16

GAP_PRICE = 0.25
"""Equal tokens that one token of a gap costs. Measured on 150-word copies with a quarter of the words changed: .948 of
the characters found in 1.03 pieces a copy, against .913 in 1.08 at a price of 0.5."""

LOOK_BACK = 32
"""Earlier runs that are tried as the one before a run. The work stays linear where thousands overlap."""


class Block(NamedTuple):
    """Equal tokens: `length` of them, from token `query` of the query and from token `source` of the source."""

    query: int
    source: int
    length: int

    @property
    def query_stop(self) -> int:
        return self.query + self.length

    @property
    def source_stop(self) -> int:
        return self.source + self.length

    def cut(self, start: int, stop: int) -> Block:
        """Return the part inside the query tokens `[start, stop)`. If there is none, its length is below 1."""
        first = max(start, self.query)
        return Block(first, self.source + first - self.query, min(stop, self.query_stop) - first)


Chain = list[Block]
"""Blocks that follow each other in both texts."""


@dataclass(frozen=True, eq=False)
class Grams:
    """The runs of some words of a text, one from each token on: the hash of each token, and where each gram stops."""

    tokens: list[int]
    stops: list[int]

    @cached_property
    def names(self) -> list[tuple[int, ...]]:
        """The tokens of each gram."""
        return [tuple(self.tokens[start:stop]) for start, stop in enumerate(self.stops)]

    @cached_property
    def places(self) -> dict[tuple[int, ...], list[int]]:
        """Where the grams of each name begin, ascending."""
        places: dict[tuple[int, ...], list[int]] = {}
        for start, name in enumerate(self.names):
            places.setdefault(name, []).append(start)
        return places


def grams(tokens: Tokens, n_words: int) -> Grams:
    """Return the runs of `n_words` words of a text."""
    return Grams(tokens.hashes.tolist(), gram_stops(tokens.singles, n_words).tolist())


def equal_runs(query: Grams, source: Grams) -> Chain:
    """Return the equal runs of two texts.

    Runs are sorted by start in the query, then longest first, then by start in the source. No run comes twice. A run
    inside a run more than twice as long is left out. `docs/alignment.md`, section 8, says which grams are paired.
    """
    found = set()
    for pairs in _pairings(query, source):
        for start, stop, partner in _in_a_row(pairs, query.stops):
            before = _n_equal(query.tokens, source.tokens, start - 1, partner - 1, -1)
            after = _n_equal(query.tokens, source.tokens, stop, partner + stop - start, 1)
            found.add(Block(start - before, partner - before, stop - start + before + after))
    return _leading(found)


def _n_equal(ours: list[int], theirs: list[int], here: int, there: int, step: int) -> int:
    """Return how many tokens are equal in a row from a place of each text on. `step` is 1 or -1."""
    n = 0
    while 0 <= here < len(ours) and 0 <= there < len(theirs) and ours[here] == theirs[there]:
        here, there, n = here + step, there + step, n + 1
    return n


def _pairings(query: Grams, source: Grams) -> Iterator[dict[int, int]]:
    """Yield in each round the source's gram that is paired with grams of the query."""
    # Round 1: the k-th gram of a name in the query, and the k-th in the source, from its first again after its last.
    by_turn: dict[int, int] = {}
    choice: dict[int, list[int]] = {}
    for name, some in query.places.items():
        theirs = source.places.get(name, [])
        for turn, gram in enumerate(some if theirs else ()):
            choice[gram] = theirs
            by_turn[gram] = theirs[turn % len(theirs)]
    yield by_turn
    # Rounds 2 and 3: grams that stand once in the source lead the others, the last before and the next behind each.
    anchors = sorted(gram for gram, theirs in choice.items() if len(theirs) == 1)
    for behind in (False, True) if anchors else ():
        nearest = {}
        for gram, theirs in choice.items():
            if len(theirs) > 1:
                at = bisect_left(anchors, gram)
                anchor = anchors[min(at, len(anchors) - 1) if behind else max(at - 1, 0)]
                wanted = by_turn[anchor] + gram - anchor
                nearest[gram] = min(theirs, key=lambda place: (abs(place - wanted), place))
        yield nearest


def _in_a_row(pairs: dict[int, int], gram_stops: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield query start, query stop, source start of each row of pairs that are neighbours in both texts."""
    row: list[int] = []
    for gram in sorted(pairs):
        if row and (gram, pairs[gram]) != (row[-1] + 1, pairs[row[-1]] + 1):
            yield row[0], gram_stops[row[-1]], pairs[row[0]]
            row = []
        row.append(gram)
    if row:
        yield row[0], gram_stops[row[-1]], pairs[row[0]]


def _leading(runs: set[Block]) -> Chain:
    """Return the runs without those less than half as long as one that holds them."""
    kept, first, last = [], 0, 0
    for run in sorted(runs, key=lambda run: (run.query, -run.length, run.source)):
        if run.query_stop >= last:
            first, last = run.query, run.query_stop
        if 2 * run.length >= last - first:
            kept.append(run)
    return kept


def hop(query: Tokens, source: Tokens, here: int, there: int, *, forward: bool) -> tuple[int, int, int]:
    """Return how many tokens to skip outwards at a border, in the query and in the source, and the equal ones behind.

    That is the smallest edit of up to `HOP_EDITS` tokens in either text that `HOP_WORDS` equal words follow; zeros if
    there is none. The border is before token `here` and token `there`; outwards is to the right if `forward`.
    """
    ours, theirs = (
        slice(border, border + _WINDOW) if forward else slice(max(0, border - _WINDOW), border)
        for border in (here, there)
    )
    way = 1 if forward else -1
    half_words = [1 if single else 2 for single in query.singles[ours][::way].tolist()]
    tokens, others = query.hashes[ours][::way].tolist(), source.hashes[theirs][::way].tolist()
    for skipped, skipped_there in _HOPS:
        length = _n_equal(tokens, others, skipped, skipped_there, 1)
        if sum(half_words[skipped : skipped + length]) >= 2 * HOP_WORDS:
            return skipped, skipped_there, length
    return 0, 0, 0


def chained(runs: Chain, max_gap: int) -> list[Chain]:
    """Return the chains of some runs, the worthiest first. Each run is in exactly one; two of a chain may overlap.

    A chain is runs that follow each other in both texts with gaps of at most `max_gap` tokens. It is worth its equal
    tokens, less `GAP_PRICE` for each token of its gaps. The runs are sorted by start in the query.

    Source:
        Li 2018, Minimap2: pairwise alignment for nucleotide sequences, section 2.1 (chaining with a bounded look-back).
    """
    worths, previous = _link(runs, max_gap)
    used, chains = set[int](), []
    for last in sorted(range(len(runs)), key=lambda index: (-worths[index], index)):
        chain, index = list[Block](), last
        while index >= 0 and index not in used:
            used.add(index)
            chain.append(runs[index])
            index = previous[index]
        if chain:
            chains.append(chain[::-1])
    return chains


def _link(runs: Chain, max_gap: int) -> tuple[list[float], list[int]]:
    """Return the worth of the best chain that ends in each run, and the run before it in that chain, or -1."""
    worths: list[float] = []
    previous: list[int] = []
    furthest = list(accumulate((run.query_stop for run in runs), max))
    for index, run in enumerate(runs):
        best, best_index = 0.0, -1
        for earlier in range(index - 1, max(-1, index - 1 - LOOK_BACK), -1):
            if run.query - furthest[earlier] > max_gap:
                break  # all earlier runs end too far away
            gap, gap_there = run.query - runs[earlier].query_stop, run.source - runs[earlier].source_stop
            overlap = -min(0, gap, gap_there)
            widest = max(gap, gap_there) + overlap
            if overlap < run.length and widest <= max_gap:
                brings = worths[earlier] - overlap - GAP_PRICE * widest
                if brings > best:
                    best, best_index = brings, earlier
        worths.append(best + run.length)
        previous.append(best_index)
    return worths, previous
