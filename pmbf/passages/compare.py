"""Two prepared texts in, passages out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

import numpy as np

from pmbf.kernels import KINDS, ONE_LANGUAGE, Judged, Pair, judge, weigh
from pmbf.passages.certainty import certainty
from pmbf.passages.edges import Side, grown, span_pair
from pmbf.passages.exploring import bars_of, compared, compared_queries, compared_with_each
from pmbf.passages.prepared import Prepared, prepare
from pmbf.passages.settings import SURE_WORDS, Settings
from pmbf.passages.source_text import SourceText
from pmbf.passages.statistics import UNKNOWN, Statistics
from pmbf.report import Passage, Scores
from pmbf.span import Span


def passages(
    query: Prepared, source: Prepared, settings: Settings | None = None, statistics: Statistics | None = None
) -> tuple[Passage, ...]:
    """Return the passages two texts share, in query order.

    Promise: passages never overlap in the query. One part of the source may be found at several places of the query.
    The two sides of a `verbatim` passage have equal tokens. A verbatim or edited side begins with a word, and ends with
    a word or with closing punctuation that follows the word in both texts. A side of another kind includes the
    characters glued to its first and last word.

    Cost: O(n log n) for n tokens in all, plus the Levenshtein distances of the gaps between equal runs.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        settings: What counts as a passage.
        statistics: How rare words are in texts of this kind. None: guessed from the two texts.

    >>> from pmbf.passages.prepared import prepare
    >>> source = "I wandered lonely as a cloud that floats on high over vales and hills, when all at once I saw."
    >>> [found] = passages(prepare(f"He wrote: “{source}” Lovely!"), prepare(source))
    >>> found.query, found.source, found.kind
    (Span(start=11, stop=105), Span(start=0, stop=94), 'verbatim')
    """
    return passages_in(query, source.as_source, settings, statistics)


def passages_in(
    query: Prepared, source: SourceText, settings: Settings | None = None, statistics: Statistics | None = None
) -> tuple[Passage, ...]:
    """Return the passages a query shares with a text, as `passages` does: the way for many queries of many texts.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        settings: What counts as a passage.
        statistics: As for `passages`.
    """
    return _found_in(compared(query, source, settings or Settings(), statistics or UNKNOWN), query, source)


def passages_in_each(
    query: Prepared, sources: Sequence[SourceText], settings: Settings, statistics: Statistics | None = None
) -> list[tuple[Passage, ...]]:
    """Return the passages a query shares with each of some texts: all are compared in one native call.

    Args:
        query: The suspicious text.
        sources: The texts that it is compared with. What is made of them is kept with them.
        settings: What counts as a passage.
        statistics: As for `passages`.
    """
    found = compared_with_each(query, sources, settings, statistics or UNKNOWN)
    return [_found_in(one, query, source) for one, source in zip(found, sources, strict=True)]


def passages_of_queries(
    asked: Sequence[tuple[Prepared, Sequence[SourceText], Settings]], statistics: Statistics | None
) -> list[list[tuple[Passage, ...]]]:
    """Return the passages that each query of a batch shares with each of its texts, all compared in one native call.

    Args:
        asked: Queries that `prepare_each` made ready under these statistics; the texts that each is compared with, of
            which what is made is kept; what counts as a passage.
        statistics: How rare words are in texts of other queries; None if unknown. If they know a query's language, then
            the words of the query count besides, as in `Statistics.beside`.
    """
    found = compared_queries(asked, statistics or UNKNOWN)
    return [
        [_found_in(one, query, source) for one, source in zip(some, sources, strict=True)]
        for some, (query, sources, _) in zip(found, asked, strict=True)
    ]


def passage_of_same_words(
    query: Prepared, text: str, settings: Settings, statistics: Statistics | None = None
) -> tuple[Passage, ...] | None:
    """Return what `passages_in` returns for a text of the same words in the same order: one verbatim passage.

    Nothing is aligned, and no equal run is looked for: one run is both texts, and another run needs a seed that stands
    in the query twice.

    Returns:
        None if the words differ, if they are few, or if a seed stands in the query twice.
    """
    source = query if text == query.text else prepare(text)
    if not len(query.run_stops(SURE_WORDS)) or not np.array_equal(query.tokens.hashes, source.tokens.hashes):
        return None
    grams = query.grams(settings.seed_tokens)
    if len(grams.names) < len(grams.order):
        return None
    words = query.words
    known = statistics if statistics is not None and query.is_known(statistics) else None
    weights = query.weighed(known) if known else weigh(query.counted.guess(query.counted), words, ONE_LANGUAGE)
    sides, borders = (words.types, words.types), (words.borders, words.borders)
    pair = Pair(sides, borders, weights.rarities, weights.priors, settings.rules)
    run = np.array([[0, 0, query.n_tokens]]), np.array([0, 1])
    found = judge((query.spelled, source.spelled), pair, run, np.empty((0, 6), np.int64), bars_of(settings))
    return _found_in(found, query, source)


def _found_in(found: Judged, query: Prepared, source: Side) -> tuple[Passage, ...]:
    return tuple(_passages(found, (query, source))) if len(found.kinds) else ()


def _passages(found: Judged, texts: tuple[Side, Side]) -> Iterator[Passage]:
    """Yield passages in characters of both texts."""
    query, source = texts
    for edges, kind, figures in zip(found.edges.tolist(), found.kinds.tolist(), found.figures.tolist(), strict=True):
        here, there = Span(*edges[:2]), Span(*edges[2:])
        similarity, *alike, nats, in_order = figures
        name = KINDS[kind]
        is_exact = name in ("verbatim", "edited")
        spans = span_pair(query, source, here, there) if is_exact else (grown(query, here), grown(source, there))
        counted = query.names.share_counted(here)
        if counted < 1:
            counted = max(counted, source.names.share_counted(there))
        nats *= counted
        yield Passage(
            *spans,
            similarity,
            name,
            scores=Scores(*(None if isnan(one) else one for one in alike)),
            evidence=round(nats, 1),
            in_order=round(in_order, 3),
            certainty=certainty(name, nats, in_order),
        )
