"""Equal runs of two texts, and the chains that they make: the reference of `native/align/{runs,hops,chains}.c`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product, takewhile

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.types import Tokens

Places = NDArray[np.int64]
Run = tuple[int, int, int]
"""Where an equal run begins in the query, in the source, and its length."""

BASE = 0x9E3779B97F4A7C15
BASE_INVERSE = pow(BASE, -1, 2**64)

HOP_EDITS = 2
HOP_WORDS = 3
_HOPS = sorted(product(range(HOP_EDITS + 1), repeat=2), key=lambda hop: (max(hop), sum(hop), hop))
_WINDOW = 16

GAP_PRICE = 0.25
"""Equal tokens that one token of a gap costs. Measured on 150-word copies with a quarter of the words changed: .948 of
the characters found in 1.03 pieces a copy, against .913 in 1.08 at a price of 0.5."""

LOOK_BACK = 32
"""Earlier runs that are tried as the one before a run. The work stays linear where thousands overlap."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Names for the runs of a text's tokens. The name of `[start, stop)` is (sums[stop] - sums[start]) · back[start].

    Args:
        sums: `(n + 1,) uint64`, prefix sums of the token hashes times powers of a base.
        back: `(n,) uint64`, powers of the inverse of the base.
    """

    sums: NDArray[np.uint64]
    back: NDArray[np.uint64]

    def names(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the name of each run, `(n,) uint64`. Equal runs have equal names; different runs hardly ever do."""
        return (self.sums[stops] - self.sums[starts]) * self.back[starts]


@dataclass(frozen=True, eq=False)
class Grams:
    """The runs of a text that may be seeds, one from each token on, grouped by name.

    Args:
        runs: Names of the text's runs.
        stops: `(n,) int64`, the token after the last token of each gram. Gram i begins at token i.
        names: `(n_names,) uint64`, distinct names, ascending.
        order: `(n,) int64`, grams by name, then by position.
        bounds: `(n_names + 1,) int64`; name k has the grams `order[bounds[k]:bounds[k + 1]]`.
    """

    runs: Runs
    stops: NDArray[np.int64]
    names: NDArray[np.uint64]
    order: NDArray[np.int64]
    bounds: NDArray[np.int64]


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


def equal_runs(query: Grams, source: Grams) -> list[Run]:
    """Return the equal runs of two texts.

    Runs are sorted by start in the query, then longest first, then by start in the source. No run comes twice. A run
    inside a run more than twice as long is left out. `docs/alignment.md`, section 8, says which grams are paired.
    """
    ours, theirs = _tokens(query.runs), _tokens(source.runs)
    found = set()
    for pairs in _pairings(query, source):
        for start, stop, partner in _in_a_row(pairs, query.stops.tolist()):
            before = _n_equal(ours[:start][::-1], theirs[:partner][::-1])
            after = _n_equal(ours[stop:], theirs[partner + stop - start :])
            found.add((start - before, stop + after, partner - before))
    return _leading(found)


def _tokens(runs: Runs) -> list[int]:
    """Return the names of the runs of one token."""
    firsts = np.arange(len(runs.back))
    tokens: list[int] = runs.names(firsts, firsts + 1).tolist()
    return tokens


def _n_equal(ours: list[int], theirs: list[int]) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))))


def _pairings(query: Grams, source: Grams) -> Iterator[dict[int, int]]:
    """Yield in each round the source's gram that is paired with grams of the query."""
    places = {name: some.tolist() for name, some in zip(source.names.tolist(), _groups(source), strict=True)}
    # Round 1: the k-th gram of a name in the query, and the k-th in the source, from its first again after its last.
    by_turn: dict[int, int] = {}
    choice: dict[int, list[int]] = {}
    for name, some in zip(query.names.tolist(), _groups(query), strict=True):
        for turn, gram in enumerate(some.tolist() if name in places else ()):
            choice[gram] = places[name]
            by_turn[gram] = places[name][turn % len(places[name])]
    yield by_turn
    # Rounds 2 and 3: grams that stand once in the source lead the others, the last before and the next behind each.
    anchors = sorted(gram for gram, some in choice.items() if len(some) == 1)
    for behind in (False, True) if anchors else ():
        nearest = {}
        for gram, theirs in choice.items():
            if len(theirs) > 1:
                at = bisect_left(anchors, gram)
                anchor = anchors[min(at, len(anchors) - 1) if behind else max(at - 1, 0)]
                wanted = by_turn[anchor] + gram - anchor
                nearest[gram] = min(theirs, key=lambda place: (abs(place - wanted), place))
        yield nearest


def _groups(grams: Grams) -> list[Places]:
    return np.split(grams.order, grams.bounds[1:-1])[: len(grams.names)]


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


def _leading(runs: set[tuple[int, int, int]]) -> list[Run]:
    """Return the runs without those less than half as long as one that holds them.

    Args:
        runs: Query start, query stop, source start of each.
    """
    kept, first, last = [], 0, 0
    for start, stop, partner in sorted(runs, key=lambda run: (run[0], -run[1], run[2])):
        if stop >= last:
            first, last = start, stop
        if 2 * (stop - start) >= last - first:
            kept.append((start, partner, stop - start))
    return kept


def hop(query: Tokens, source: Tokens, here: int, there: int, *, forward: bool) -> Run:
    """Return how many tokens to skip outwards at a border, in the query and in the source, and the equal ones behind.

    Args:
        query: Tokens of the query.
        source: Tokens of the source.
        here: The border in the query.
        there: The border in the source.
        forward: Whether outwards is to the right.

    Returns:
        The smallest edit of up to `HOP_EDITS` tokens in either text that `HOP_WORDS` equal words follow; zeros if there
        is none.
    """
    ours, theirs = (
        slice(border, border + _WINDOW) if forward else slice(max(0, border - _WINDOW), border)
        for border in (here, there)
    )
    way = 1 if forward else -1
    half_words = (2 - query.singles[ours].astype(np.int64))[::way].tolist()
    tokens, others = query.hashes[ours][::way].tolist(), source.hashes[theirs][::way].tolist()
    for skipped, skipped_there in _HOPS:
        length = _n_equal(tokens[skipped:], others[skipped_there:])
        if sum(half_words[skipped : skipped + length]) >= 2 * HOP_WORDS:
            return skipped, skipped_there, length
    return 0, 0, 0


def chained(runs: list[Run], max_gap: int) -> list[list[Run]]:
    """Return the chains of some runs, the worthiest first. Each run is in exactly one; two of a chain may overlap.

    A chain is runs that follow each other in both texts with small gaps. It is worth its equal tokens, less
    `GAP_PRICE` for each token of its gaps.

    Args:
        runs: By start in the query.
        max_gap: Most tokens between two runs of a chain, in either text.

    Source:
        Li 2018, Minimap2: pairwise alignment for nucleotide sequences, section 2.1 (chaining with a bounded look-back).
    """
    worths, previous = _link(runs, max_gap)
    used, chains = set[int](), []
    for last in sorted(range(len(runs)), key=lambda index: (-worths[index], index)):
        chain, index = list[Run](), last
        while index >= 0 and index not in used:
            used.add(index)
            chain.append(runs[index])
            index = previous[index]
        if chain:
            chains.append(chain[::-1])
    return chains


def _link(runs: list[Run], max_gap: int) -> tuple[list[float], list[int]]:
    """Return the worth of the best chain that ends in each run, and the run before it in that chain, or -1."""
    worths: list[float] = []
    previous: list[int] = []
    furthest = list(accumulate((start + length for start, _, length in runs), max))
    for index, (start, start_there, length) in enumerate(runs):
        best, best_index = 0.0, -1
        for earlier in range(index - 1, max(-1, index - 1 - LOOK_BACK), -1):
            if start - furthest[earlier] > max_gap:
                break  # all earlier runs end too far away
            before, before_there, length_before = runs[earlier]
            gap, gap_there = start - before - length_before, start_there - before_there - length_before
            overlap = -min(0, gap, gap_there)
            widest = max(gap, gap_there) + overlap
            if overlap < length and widest <= max_gap:
                brings = worths[earlier] - overlap - GAP_PRICE * widest
                if brings > best:
                    best, best_index = brings, earlier
        worths.append(best + length)
        previous.append(best_index)
    return worths, previous
