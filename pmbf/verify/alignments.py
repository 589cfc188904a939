"""Alignments: parts of two texts that share more words, in whatever order, than chance and topic explain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmbf.kernels import Pair, Rules, align, classes
from pmbf.report import Span
from pmbf.verify.prepared import Names, Positions, Prepared
from pmbf.verify.statistics import Statistics

VERBATIM_WORDS = 6
"""Words in an equal run that makes its place verbatim; a letter that is a token counts as half a word."""


class Alignment(NamedTuple):
    """A part of either text, in tokens, its score in 1/1024 nat, and whether it sums up the whole source."""

    query: Span
    source: Span
    score: int
    is_summary: bool


def alignments(query: Prepared, source: Prepared, statistics: Statistics, rules: Rules) -> list[Alignment]:
    """Return the parts two texts share, the best first; they may overlap in the query where the source repeats itself.

    >>> from pmbf.verify.prepared import prepare
    >>> ours = prepare("Slowly the river rose in spring, and the old bridge trembled while heavy carts crossed it.")
    >>> theirs = prepare("In spring the river was rising slowly; crossing carts let the old wooden bridge tremble.")
    >>> statistics = Statistics.of([prepare("The weather was fine, and the town was happy in it.").words] * 20)
    >>> alignments(ours, theirs, statistics, Rules())[0].query
    Span(start=0, stop=16)
    """
    found = align(_pair(query, source, statistics, rules)).tolist()
    made = [
        Alignment(Span(i, i_stop), Span(j, j_stop), score, bool(kind)) for i, i_stop, j, j_stop, score, kind in found
    ]
    return sorted(made, key=lambda one: (not one.is_summary, -one.score, one.query, one.source))


def verbatim_share(query: Prepared, source: Prepared, found: Alignment) -> float:
    """Return the share of an alignment's tokens in the query that stand in equal runs of `VERBATIM_WORDS`."""
    theirs, _ = _runs(source, found.source)
    ours, stops = _runs(query, found.query)
    held = np.flatnonzero(np.isin(ours, theirs))
    reached = np.zeros(len(found.query), np.intp)
    reached[held] = stops[held] - found.query.start
    covered = np.maximum.accumulate(reached) > np.arange(len(found.query))
    return float(np.mean(covered))


def _pair(query: Prepared, source: Prepared, statistics: Statistics, rules: Rules) -> Pair:
    ours, theirs = query.words, source.words
    our_classes, their_classes, n_classes = classes(ours, theirs)
    weights = np.zeros((2, n_classes), np.int32)
    for all_weights, of_query, of_source in zip(
        weights, query.weights(statistics), source.weights(statistics), strict=True
    ):
        all_weights[their_classes] = of_source
        all_weights[: len(of_query)] = of_query
    numbers = our_classes[ours.types], their_classes[theirs.types]
    return Pair(numbers, (ours.borders, theirs.borders), weights[0], weights[1], rules)


def _runs(text: Prepared, span: Span) -> tuple[Names, Positions]:
    """Return the names of the runs inside a part of a text, and where they end."""
    stops = text.run_stops(VERBATIM_WORDS)[span.start : span.stop]
    stops = stops[stops <= span.stop]
    starts = np.arange(span.start, span.start + len(stops))
    return text.names(starts, stops), stops
