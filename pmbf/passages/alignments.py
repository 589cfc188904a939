"""Alignments: a range of each text, the two sharing more words than chance and topic explain. Word order is free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.arrays import among
from pmbf.kernels import NAT, ONE_LANGUAGE, Pair, Rules, align, classes, part_scores, weigh
from pmbf.passages.prepared import Positions, Prepared
from pmbf.passages.statistics import Statistics
from pmbf.span import Span

VERBATIM_WORDS = 6
"""Words in the shortest equal run that counts as verbatim. A letter that is a token counts as half a word."""


class Alignment(NamedTuple):
    """A token range of each text, its score in 1/1024 nat, and whether it sums up the whole source."""

    query: Span
    source: Span
    score: int
    is_summary: bool


def pair_of(query: Prepared, source: Prepared, statistics: Statistics | None, rules: Rules) -> Pair:
    """Return two texts in the form that the alignment kernels take.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        statistics: How rare words are. Statistics with fewer than `LEAST_PAGES` pages in the query's language are not
            used, nor is None; rarity is then guessed from the two texts.
        rules: The numbers of an alignment.
    """
    ours, theirs = query.words, source.words
    if statistics is None or not query.is_known(statistics):
        guess = query.counted.guess(source.counted)
        weighed = [weigh(guess, words, ONE_LANGUAGE) for words in (ours, theirs)]
    else:
        weighed = [text.weighed(statistics) for text in (query, source)]
    our_classes, their_classes, n_classes = classes(ours, theirs)
    weights = np.zeros((2, n_classes), np.int32)
    weights[:, their_classes] = weighed[1][1:]
    weights[:, : len(our_classes)] = weighed[0][1:]
    numbers = our_classes[ours.types], their_classes[theirs.types]
    return Pair(numbers, (ours.borders, theirs.borders), weights[0], weights[1], rules)


def alignments(pair: Pair) -> list[Alignment]:
    """Return the alignments of two texts, the best first. Two may overlap in the query if the source repeats itself.

    >>> from pmbf.passages.prepared import prepare
    >>> ours = prepare("Slowly the river rose in spring, and the old bridge trembled while heavy carts crossed it.")
    >>> theirs = prepare("In spring the river was rising slowly; crossing carts let the old wooden bridge tremble.")
    >>> statistics = Statistics.of([prepare("The weather was fine, and the town was happy in it.").words] * 20)
    >>> alignments(pair_of(ours, theirs, statistics, Rules()))[0].query
    Span(start=0, stop=16)
    """
    return ranked(align(pair))


def ranked(boxes: NDArray[np.int64]) -> list[Alignment]:
    """Return alignments as the kernels have them, the best first."""
    made = [
        Alignment(Span(i, i_stop), Span(j, j_stop), score, bool(kind))
        for i, i_stop, j, j_stop, score, kind in boxes.tolist()
    ]
    return sorted(made, key=lambda one: (not one.is_summary, -one.score, one.query, one.source))


def evidence(pair: Pair, parts: Sequence[tuple[Span, Span]]) -> list[float]:
    """Return the evidence of the words of each pair of ranges, query and source, in nats."""
    found: list[float] = _scores(pair, parts)[:, 0].tolist()
    return found


def topical_evidence(pair: Pair, here: Span, there: Span) -> float:
    """Return the evidence of a pair of ranges in texts with a topic, in nats.

    Each word counts once, and is expected as often as in the rest of both texts.
    """
    return float(_scores(pair, [(here, there)])[0, 1])


def _scores(pair: Pair, parts: Sequence[tuple[Span, Span]]) -> NDArray[np.float64]:
    if not parts:
        return np.empty((0, 2))
    edges = [(here.start, here.stop, there.start, there.stop) for here, there in parts]
    return np.asarray(part_scores(pair, np.array(edges, np.int64)) / NAT)


def in_runs(
    query: Prepared, source: Prepared, here: Span, there: Span, n_words: int = VERBATIM_WORDS
) -> NDArray[np.bool_]:
    """Return which tokens of a query range are in runs of `n_words` words that the source range has, `(n,)`."""
    theirs, _ = _runs(source, there, n_words)
    ours, stops = _runs(query, here, n_words)
    held = np.flatnonzero(among(ours, theirs))
    reached = np.zeros(len(here), np.intp)
    reached[held] = stops[held] - here.start
    return np.maximum.accumulate(reached) > np.arange(len(here))


def in_common(pair: Pair, found: Alignment) -> NDArray[np.bool_]:
    """Return which query tokens of an alignment stand anywhere in its source range, `(n,) bool`."""
    query, source = pair.classes
    return among(query[found.query.start : found.query.stop], source[found.source.start : found.source.stop])


def _runs(text: Prepared, span: Span, n_words: int) -> tuple[NDArray[np.uint64], Positions]:
    """Return the name of each run of `n_words` words inside a range, and where the run ends."""
    stops = text.run_stops(n_words)[span.start : span.stop]
    stops = stops[stops <= span.stop]
    return text.run_names(n_words)[span.start : span.start + len(stops)], stops
