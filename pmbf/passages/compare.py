"""Pairs of texts in, the passages that each pair shares out: all pairs of a batch in one call of a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, groupby
from math import isnan, log
from operator import itemgetter
from typing import NamedTuple

from pmbf.base.span import Span
from pmbf.kernels import KINDS, Bars, JudgedPassages, Question, Terms, compare, sides
from pmbf.passages.prepared import COMMONEST_OF, Prepared, make_ready, octets
from pmbf.passages.settings import LIKENESS_TIMES, SURE_CHARS, SURE_WORDS, Settings
from pmbf.passages.statistics import LEAST_PAGES, UNKNOWN, Statistics
from pmbf.report import CERTAINTIES, Passage, Scores
from pmbf.text import SINGLE_CHARS

SURE_NATS, LIKELY_NATS = 45.0, 30.0
"""Evidence of a verbatim or edited passage: 30 nats are some seven rare words in a row."""

SURE_SCORE, LIKELY_SCORE = 1.8, 1.6
"""Of a reworded passage or a summary: its share of words in order plus a fourth of the logarithm of its nats. So at 50
nats .82 of its words must be in order to be sure, and .62 to be likely; at 100 nats .65 and .45, at 400 .30 and .10."""


class TextPair(NamedTuple):
    """A query, a text that it is compared with, and what counts as a passage.

    Args:
        query, source: The suspicious text, and the one that it is compared with.
        settings: What counts as a passage.
        start: Where the text begins in its document, in characters: spans of passages are those of the document.
        n_chars: Characters of that document, for `Passage.source_share`; 0 if unknown.
    """

    query: Prepared
    source: Prepared
    settings: Settings
    start: int = 0
    n_chars: int = 0


def passages(
    query: Prepared, source: Prepared, settings: Settings | None = None, statistics: Statistics | None = None
) -> tuple[Passage, ...]:
    """Return the passages two texts share, in query order.

    Promise: passages never overlap in the query. One part of the source may be found at several places of the query.
    The two sides of a `verbatim` passage have equal tokens. Where sides begin and end says `kernels.sides`.

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
    [found] = passages_each([TextPair(query, source, settings or Settings())], statistics, beside=False)
    return found


def passages_each(
    pairs: Sequence[TextPair], statistics: Statistics | None, *, beside: bool = True
) -> list[tuple[Passage, ...]]:
    """Return the passages of each pair, as `passages` does: all pairs are compared in one native call.

    Args:
        pairs: The pairs; those of a query stand together. What is made of the texts is kept with them.
        statistics: How rare words are in other texts; None if unknown.
        beside: Whether the words of each query count beside those of the other texts, if these know its language: as in
            `Statistics.beside`.
    """
    found = compared(pairs, statistics or UNKNOWN, beside=beside)
    return [_passages(one, pair) if len(one.kinds) else () for one, pair in zip(found, pairs, strict=True)]


def compared(pairs: Sequence[TextPair], statistics: Statistics, *, beside: bool) -> Iterable[JudgedPassages]:
    """Return the passages of each pair, in tokens, as `passages_each`.

    >>> from pmbf.passages.prepared import prepare
    >>> known = Statistics.of([prepare("The weather was fine, and the town was happy in it.").words] * 20)
    >>> query = prepare("The old bridge trembled when heavy carts crossed it.")
    >>> pair = TextPair(query, prepare("A fine day."), Settings())
    >>> [len(found.kinds) for found in compared([pair], known, beside=True)]
    [0]
    """
    if not pairs:
        return []
    queries, texts = dict.fromkeys(map(itemgetter(0), pairs)), dict.fromkeys(map(itemgetter(1), pairs))
    make_ready(list(queries), statistics)
    sources, numbers = list(texts), dict(zip(texts, range(len(texts)), strict=True))
    questions, terms = list[Question](), dict[int, Terms]()  # by the settings' id: to hash settings takes 5 us
    for (query, settings), some in groupby(pairs, itemgetter(0, 2)):
        its = terms.get(id(settings))
        if its is None:
            its = terms[id(settings)] = Terms(statistics, bars_of(settings), settings.rules, LEAST_PAGES, beside)
        questions.append(Question(query.made(statistics), its, [numbers[one.source] for one in some]))
    known = [one.made(statistics) for one in sources]
    new = [octets(one.text) if made is None else None for one, made in zip(sources, known, strict=True)]
    found, every = compare(questions, new, known, COMMONEST_OF)
    for source, before, made in zip(sources, known, every, strict=True):
        if before is None:
            source.keep(statistics, made)
    return chain.from_iterable(found)


@lru_cache(maxsize=256)
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


def _passages(found: JudgedPassages, pair: TextPair) -> tuple[Passage, ...]:
    """Return passages in characters of both texts."""
    query, source = pair.query, pair.source
    every = sides(query.text, query.last_made, source.text, source.last_made, found)
    made = []
    for (start, stop, first, last, counted), kind, figures in zip(
        every, found.kinds.tolist(), found.figures.tolist(), strict=True
    ):
        similarity, *alike, nats, in_order = figures
        name, evidence = KINDS[kind], nats * counted
        one = Passage(
            Span(start, stop),
            Span(pair.start + first, pair.start + last),
            similarity,
            name,
            scores=Scores(*[None if isnan(one) else one for one in alike]),
            evidence=round(evidence, 1),
            in_order=round(in_order, 3),
            certainty=certainty(name, evidence, in_order),
            source_share=round(min(1.0, (last - first) / pair.n_chars), 3) if pair.n_chars else None,
        )
        made.append(one)
    return tuple(made)


def certainty(kind: str, nats: float, in_order: float) -> str:
    """Return how sure it is that both sides of a passage share their wording: one of `CERTAINTIES`.

    A passage is wrong if both sides say the same thing, or name the same people, and neither took its wording from the
    other nor both from a third text. docs/certainty.md says how often a passage of each certainty is wrong.

    >>> certainty("verbatim", 38.0, 1.0), certainty("reworded", 60.0, 0.45), certainty("reworded", 200.0, 0.7)
    ('likely', 'worth a look', 'sure')
    """
    if kind in ("verbatim", "edited"):
        score, sure, likely = nats, SURE_NATS, LIKELY_NATS
    else:
        score, sure, likely = in_order + log(max(1.0, nats)) / 4, SURE_SCORE, LIKELY_SCORE
    return CERTAINTIES[(score < sure) + (score < likely)]
