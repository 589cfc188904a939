"""A query beside a text in one call of a kernel: most pairs share no passage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pmbf import kernels
from pmbf.kernels import Asked, Bars, Judged, Question, Terms, compare
from pmbf.passages.prepared import Prepared
from pmbf.passages.settings import LIKENESS_TIMES, SURE_CHARS, SURE_WORDS, Settings
from pmbf.passages.source_text import COMMONEST_OF, SourceText, octets
from pmbf.passages.statistics import LEAST_PAGES, Statistics
from pmbf.text import SINGLE_CHARS


def compared(query: Prepared, source: SourceText, settings: Settings, statistics: Statistics) -> Judged:
    """Return the passages of a query and a text, in tokens.

    Args:
        query: The suspicious text. What is made of it for one text is kept for the next.
        source: The text it is compared with.
        settings: What counts as a passage.
        statistics: How rare words are; if they do not know the query's language, rarity is guessed from the two texts.

    >>> from pmbf.passages.prepared import prepare
    >>> known = Statistics.of([prepare("The weather was fine, and the town was happy in it.").words] * 20)
    >>> query = prepare("The old bridge trembled when heavy carts crossed it.")
    >>> len(compared(query, SourceText("A fine day."), Settings(), known).kinds)
    0
    """
    return compare(_asked(query, settings, statistics), source.ready(statistics))


def compared_with_each(
    query: Prepared, sources: Sequence[SourceText], settings: Settings, statistics: Statistics
) -> list[Judged]:
    """Return what `compared` returns for each of some texts, all compared in one native call.

    Args:
        query: The suspicious text.
        sources: The texts that it is compared with. What is made of them is kept with them.
        settings: What counts as a passage.
        statistics: How rare words are; if they do not know the query's language, rarity is guessed from the two texts.
    """
    asked = _asked(query, settings, statistics)
    known = [one.made(statistics) for one in sources]
    texts = [octets(one.text) if made is None else None for one, made in zip(sources, known, strict=True)]
    found, every = kernels.compare_each(asked, texts, known, COMMONEST_OF)
    for source, made in zip(sources, every, strict=True):
        source.keep(statistics, made)
    return found


def compared_queries(
    asked: Iterable[tuple[Prepared, Sequence[SourceText], Settings]], statistics: Statistics
) -> list[list[Judged]]:
    """Return what each query of a batch shares with each of its texts, all compared in one native call.

    Args:
        asked: Queries made ready under the statistics, each with the texts it is compared with, and what counts as a
            passage. What is made of the texts is kept with them.
        statistics: How rare words are in texts of other queries. Each query's own words count besides.
    """
    numbers: dict[int, int] = {}
    sources: list[SourceText] = []
    terms: dict[Settings, Terms] = {}
    questions = []
    for query, some, settings in asked:
        for one in some:
            if id(one) not in numbers:
                numbers[id(one)] = len(sources)
                sources.append(one)
        if settings not in terms:
            terms[settings] = Terms(statistics, bars_of(settings), settings.rules, LEAST_PAGES)
        questions.append(Question(query.made, terms[settings], [numbers[id(one)] for one in some]))
    if not sources:
        return [[] for _ in questions]
    known = [one.made(statistics) for one in sources]
    texts = [octets(one.text) if made is None else None for one, made in zip(sources, known, strict=True)]
    found, every = kernels.compare_queries(questions, texts, known, COMMONEST_OF)
    for source, before, made in zip(sources, known, every, strict=True):
        if before is None:
            source.keep(statistics, made)
    return found


def _asked(query: Prepared, settings: Settings, statistics: Statistics) -> Asked:
    """Return a query as the kernels take it. It is kept for the settings and statistics asked for last."""
    kept = query.asked[:1]
    if not kept or kept[0][0] is not statistics or kept[0][1] != settings:
        text, rules = (query.spelled, query.words, query.grams(settings.seed_tokens)), settings.rules
        if query.is_known(statistics):
            made = Asked(*text, statistics, query.weighed(statistics), bars_of(settings), rules)
        else:
            made = Asked(*text, statistics, None, bars_of(settings), rules, query.counted)
        kept = query.asked[:] = [(statistics, settings, made)]
    asked: Asked = kept[0][2]
    return asked


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
