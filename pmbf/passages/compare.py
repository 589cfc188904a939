"""Pairs of texts in, the passages that each pair shares out: all pairs of a batch in one call of a kernel."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from math import isnan

from pmbf.base.span import Span
from pmbf.kernels import KINDS, Bars, JudgedPassages, Question, Terms, compare
from pmbf.passages.certainty import certainty
from pmbf.passages.edges import grown, span_pair
from pmbf.passages.prepared import COMMONEST_OF, Prepared, make_ready, octets
from pmbf.passages.settings import LIKENESS_TIMES, SURE_CHARS, SURE_WORDS, Settings
from pmbf.passages.statistics import LEAST_PAGES, UNKNOWN, Statistics
from pmbf.report import Passage, Scores
from pmbf.text import SINGLE_CHARS

Pair = tuple[Prepared, Prepared, Settings]
"""A query, a text that it is compared with, and what counts as a passage."""


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
    [found] = passages_each([(query, source, settings or Settings())], statistics, beside=False)
    return found


def passages_each(
    pairs: Sequence[Pair], statistics: Statistics | None, *, beside: bool = True
) -> list[tuple[Passage, ...]]:
    """Return the passages of each pair, as `passages` does: all pairs are compared in one native call.

    Args:
        pairs: The pairs; those of a query stand together. What is made of the texts is kept with them.
        statistics: How rare words are in other texts; None if unknown.
        beside: Whether the words of each query count beside those of the other texts, if these know its language: as in
            `Statistics.beside`.
    """
    found = compared(pairs, statistics or UNKNOWN, beside=beside)
    return [
        tuple(_passages(one, query, source)) if len(one.kinds) else ()
        for one, (query, source, _) in zip(found, pairs, strict=True)
    ]


def compared(pairs: Sequence[Pair], statistics: Statistics, *, beside: bool) -> Iterable[JudgedPassages]:
    """Return the passages of each pair, in tokens.

    Args:
        pairs, statistics, beside: As for `passages_each`.

    >>> from pmbf.passages.prepared import prepare
    >>> known = Statistics.of([prepare("The weather was fine, and the town was happy in it.").words] * 20)
    >>> query = prepare("The old bridge trembled when heavy carts crossed it.")
    >>> [len(found.kinds) for found in compared([(query, prepare("A fine day."), Settings())], known, beside=True)]
    [0]
    """
    if not pairs:
        return []
    make_ready([query for query, _ in itertools.groupby(query for query, _, _ in pairs)], statistics)
    sources = {id(source): source for _, source, _ in pairs}
    numbers = {key: number for number, key in enumerate(sources)}
    terms: dict[Settings, Terms] = {}
    questions = []
    for (_, settings), some in itertools.groupby(pairs, lambda pair: (id(pair[0]), pair[2])):
        [(query, first, _), *others] = some
        if settings not in terms:
            terms[settings] = Terms(statistics, bars_of(settings), settings.rules, LEAST_PAGES, beside)
        asked = [numbers[id(first)], *(numbers[id(source)] for _, source, _ in others)]
        questions.append(Question(query.made(statistics), terms[settings], asked))
    known = [one.made(statistics) for one in sources.values()]
    texts = [octets(one.text) if made is None else None for one, made in zip(sources.values(), known, strict=True)]
    found, every = compare(questions, texts, known, COMMONEST_OF)
    for source, before, made in zip(sources.values(), known, every, strict=True):
        if before is None:
            source.keep(statistics, made)
    return itertools.chain.from_iterable(found)


def bars_of(settings: Settings) -> Bars:
    """Return what a passage must have, for the kernels."""
    return Bars(
        edited=settings.threshold,
        threshold=settings.reworded_threshold,
        short_doubt=settings.short_doubt,
        sure_letters=SURE_CHARS,
        topical=settings.least_topical_evidence,
        lacking_times=LIKENESS_TIMES,
        evidence=settings.least_evidence,
        seed_tokens=settings.seed_tokens,
        max_gap=settings.max_gap_tokens,
        letters=settings.min_chars,
        reworded_letters=settings.min_reworded_chars,
        reworded_source_letters=settings.min_reworded_source_chars,
        summary_letters=settings.min_summary_chars,
        summed_letters=settings.max_summed_chars,
        single_letters=SINGLE_CHARS,
        sure_words=SURE_WORDS,
    )


def _passages(found: JudgedPassages, query: Prepared, source: Prepared) -> Iterator[Passage]:
    """Yield passages in characters of both texts."""
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
