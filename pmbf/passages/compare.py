"""Two prepared texts in, passages out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import isnan

from pmbf.base.span import Span
from pmbf.kernels import KINDS, Judged
from pmbf.passages.certainty import certainty
from pmbf.passages.edges import Side, grown, span_pair
from pmbf.passages.exploring import compared, compared_queries, compared_with_each
from pmbf.passages.prepared import Prepared
from pmbf.passages.settings import Settings
from pmbf.passages.source_text import SourceText
from pmbf.passages.statistics import UNKNOWN, Statistics
from pmbf.report import Passage, Scores


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


def passages_each(
    pairs: Sequence[tuple[Prepared, SourceText, Settings]], statistics: Statistics | None
) -> list[tuple[Passage, ...]]:
    """Return the passages of each pair of a query and a text: all are compared in one native call.

    Args:
        pairs: Queries that `prepare_each` made ready under these statistics, each with a text, of which what is made
            is kept, and with what counts as a passage. The pairs of a query stand together.
        statistics: How rare words are in texts of other queries; None if unknown. If they know a query's language, then
            the words of the query count besides, as in `Statistics.beside`.
    """
    asked = []
    for _, some in itertools.groupby(pairs, lambda pair: id(pair[0])):
        queries, sources, settings = zip(*some, strict=True)
        asked.append((queries[0], sources, settings[0]))
    found = itertools.chain.from_iterable(compared_queries(asked, statistics or UNKNOWN))
    return [_found_in(one, query, source) for one, (query, source, _) in zip(found, pairs, strict=True)]


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
