"""Candidates compared in detail: each candidate's text with the query's, passage by passage."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

from pmbf import verify
from pmbf.fingerprint import QuerySample
from pmbf.jobs.threads import in_order
from pmbf.kernels import NAT
from pmbf.report import Passage
from pmbf.screen.exempt import Exempt, counting
from pmbf.screen.near import TOGETHER, WHOLE_CHARS, passages_near
from pmbf.screen.options import Options
from pmbf.screen.reading import Read, Texts, read
from pmbf.screen.sections import SectionRules, section_rules
from pmbf.screen.sources import Source
from pmbf.span import Span
from pmbf.store.generation import Generation

SHORT_DOUBT, TOPICAL_EVIDENCE, MANY_DOCUMENTS = 0.35, 22.0, 1000
"""Chance matches become likelier in large collections: among thousands of documents some pair shares the words of a few
sentences. So both bars, 0.35 of similarity and 22 nats of evidence, rise with log(documents), and are full from 1,000
documents on."""

SHORT_QUERY_CHARS = 300
"""In a query under 300 characters (50 words) the least lengths of a reworded passage fall in proportion: in the query
from 150 characters to half of its length, in the source from 200 to two thirds of it. Either most of a query so short
is from one source, or nothing is."""

LEAST_SUMMARY_CHARS = 450
"""Characters of the shortest summary; a hundred words have 500 and more. A shorter one is a few sentences on the same
topic, and one document in thousands has their words."""
_LONGER_THAN_ANY = 2**31 - 1

SUMMARY_TIMES = 2.0
"""Nats of evidence of a summary for each time that the source is as long: the longer a source, the more words of its
topic it has. The 184 summaries of PAN13's training corpus that are found have 2.3 and more; the 14 that 200 texts
without a copy seem to hold of manuals have 0.7 to 1.9. From 1,000 documents on, as above."""

TOGETHER_CHARS = 1 << 20
"""At most `TOGETHER` sources are read and compared together, and at most a million characters, or one source."""

SHARES = 4
"""Groups of sources for each thread. The last threads wait for each other as long as a group takes."""

_USUAL = verify.Settings()


Placed = tuple[Generation, Sequence[Source]]
Located = tuple[Generation, Source]
"""The files that hold the texts of some sources, and these sources, best first."""

_Pair = tuple["Subject", Sequence[Located]]


@dataclass(frozen=True, slots=True)
class Subject:
    """A query as comparing takes it: its clean text, its sampled hashes, its exempt spans, and the number of documents
    with text that it is compared with."""

    text: str
    sample: QuerySample
    exempt: Exempt
    n_documents: int


class Shared(NamedTuple):
    """A source with the passages it shares with a query, or the reason why it was not compared."""

    source: Source
    passages: tuple[Passage, ...] = ()
    problem: str | None = None


def shared(
    subject: Subject,
    compared: Sequence[Placed],
    options: Options,
    statistics: verify.Statistics | None,
) -> list[Shared]:
    """Return the sources that do share passages with a query, and those that were not compared, in their order.

    A text that cannot be read raises no error: its source has a `problem`.

    Args:
        subject: The query.
        compared: Its sources. Those of a collection in one folder are together.
        options: What counts as found.
        statistics: How rare words are in the collection; None if unknown.
    """
    if not any(some for _, some in compared):
        return []
    comparison = _comparison(subject, verify.prepare(subject.text), options, statistics)
    with closing(in_order(_calls(comparison, compared), options.threads)) as results:
        return comparison.counting(itertools.chain.from_iterable(results))


def shared_each(
    subjects: Sequence[Subject],
    compared: Sequence[Sequence[Placed]],
    options: Options,
    statistics: verify.Statistics | None,
) -> list[list[Shared]]:
    """Return what `shared` returns for each query of a batch. Short queries are compared in few native calls.

    Args:
        subjects: The queries.
        compared: The sources of each. Those of a collection in one folder are together.
        options: What counts as found.
        statistics: How rare words are in the collection; None if unknown.
    """
    located = [_located(some) for some in compared]
    are_short = [bool(some) and len(one.text) <= WHOLE_CHARS for one, some in zip(subjects, located, strict=True)]
    short = itertools.chain.from_iterable(
        _shared_together(some, options, statistics)
        for some in _queries_together(itertools.compress(zip(subjects, located, strict=True), are_short))
    )
    return [
        next(short) if is_short else shared(subject, some, options, statistics)
        for subject, some, is_short in zip(subjects, compared, are_short, strict=True)
    ]


def _located(compared: Iterable[Placed]) -> list[Located]:
    return [(generation, source) for generation, sources in compared for source in sources]


def _settings(options: Options, query: verify.Prepared, n_documents: int) -> verify.Settings:
    n_letters = verify.n_letters(query, Span(0, query.n_tokens))
    asked = options.min_chars, options.min_similarity, options.summaries
    most = max(options.min_chars, SHORT_QUERY_CHARS)
    return _settings_of(*asked, min(n_letters, most), min(query.n_words, _USUAL.seed_tokens), n_documents)


@lru_cache(maxsize=256)
def _settings_of(
    min_chars: int, min_similarity: float, summaries: bool, n_letters: int, n_words: int, n_documents: int
) -> verify.Settings:
    """Return what counts as a passage. A text too short to hold a passage is one as a whole.

    In a short text a reworded passage may be shorter. If the options ask for passages shorter than usual, then little
    evidence is no reason to drop one.
    """
    doubt = min(1.0, math.log(max(1, n_documents)) / math.log(MANY_DOCUMENTS))
    least, share = min(min_chars, n_letters), min(1.0, n_letters / SHORT_QUERY_CHARS)
    return verify.Settings(
        seed_tokens=n_words,
        min_chars=least,
        threshold=min_similarity,
        min_reworded_chars=max(min_chars, int(share * _USUAL.min_reworded_chars)),
        min_reworded_source_chars=max(min_chars, int(share * _USUAL.min_reworded_source_chars)),
        least_evidence=_USUAL.least_evidence if least >= _USUAL.min_chars else 0.0,
        min_summary_chars=LEAST_SUMMARY_CHARS if summaries else _LONGER_THAN_ANY,
        least_topical_evidence=TOPICAL_EVIDENCE * doubt,
        short_doubt=SHORT_DOUBT * doubt,
        rules=replace(_USUAL.rules, summary_times=round(SUMMARY_TIMES * doubt * NAT)),
    )


@dataclass(frozen=True, eq=False)
class _Comparison:
    """A query, and how it is compared with texts.

    Args:
        subject: The query.
        query: Its text, prepared.
        settings: What counts as a passage.
        options: What counts as found.
        of_others: How rare words are in the collection; None if unknown.
    """

    subject: Subject
    query: verify.Prepared
    settings: verify.Settings
    options: Options
    of_others: verify.Statistics | None

    @cached_property
    def statistics(self) -> verify.Statistics | None:
        """How rare words are: in the collection, and in the query if the collection knows its language."""
        if self.of_others is None or not self.query.is_known(self.of_others):
            return self.of_others
        return self.of_others.beside(self.query.words)

    @cached_property
    def rules(self) -> SectionRules | None:
        """The rules of the query's sections, or None if everything is compared with everything."""
        if self.options.template is None:
            return None
        return section_rules(self.subject.exempt.sections, self.options, self.query, self.settings, self.statistics)

    def read(self, generation: Generation, source: Source) -> Read:
        """Return the text of a source."""
        return read(generation, source, self.subject.sample, len(self.subject.text))

    def counting(self, found: Iterable[Shared]) -> list[Shared]:
        """Return the sources that share passages, with what counts of them, and those that were not compared."""
        kept = []
        for one in found:
            if one.passages:
                passages = counting(one.passages, self.subject.exempt, self.query, self.settings.min_chars)
                one = one._replace(passages=passages)
            if one.passages or one.problem:
                kept.append(one)
        return kept


def _comparison(
    subject: Subject, query: verify.Prepared, options: Options, statistics: verify.Statistics | None
) -> _Comparison:
    return _Comparison(subject, query, _settings(options, query, subject.n_documents), options, statistics)


def _calls(comparison: _Comparison, compared: Iterable[Placed]) -> Iterator[Callable[[], list[Shared]]]:
    """Yield calls that compare some sources each. The texts are read here, a call's when the call is asked for."""
    for some in _together(_located(compared), comparison.options.threads):
        texts = [comparison.read(generation, source) for generation, source in some]
        yield partial(_compared, comparison, [source for _, source in some], texts)


def _together(sources: Sequence[Located], n_threads: int) -> Iterator[list[Located]]:
    """Yield sources in groups, each for one call. Threads get `SHARES` groups each, of about the same cost."""
    share = sum(_cost(one) for _, one in sources) / (SHARES * n_threads) if n_threads > 1 else TOGETHER_CHARS
    some: list[Located] = []
    cost = n_chars = 0
    for generation, source in sources:
        n_chars += source.document.n_chars
        if some and (len(some) == TOGETHER or n_chars > TOGETHER_CHARS or cost >= share):
            yield some
            some, cost, n_chars = [], 0, source.document.n_chars
        some.append((generation, source))
        cost += _cost(source)
    if some:
        yield some


def _cost(source: Source) -> int:
    """Return how much of a source is compared, in characters: of a long one a part."""
    return min(source.document.n_chars, WHOLE_CHARS)


def _compared(comparison: _Comparison, sources: Sequence[Source], texts: Sequence[Read]) -> list[Shared]:
    """Return what some sources share with a query. Those that are compared whole take one native call."""
    copied = (_copied(comparison, source, one) for source, one in zip(sources, texts, strict=True))
    known = {id(one.text): passages for one, passages in zip(texts, copied, strict=True) if passages is not None}
    whole = [one.text for one in texts if one.text and one.is_whole and id(one.text) not in known]
    if whole:
        found = verify.passages_in_each(comparison.query, whole, comparison.settings, comparison.statistics)
        known.update(zip(map(id, whole), found, strict=True))
    made = _found(comparison, sources, texts, known)
    for one in texts:
        one.keep()
    return made


def _found(
    comparison: _Comparison, sources: Sequence[Source], texts: Sequence[Read], whole: Mapping[int, tuple[Passage, ...]]
) -> list[Shared]:
    """Return what some sources share with a query. Sources that were compared whole and share nothing are left out.

    Args:
        comparison: The query.
        sources: The sources.
        texts: Their texts.
        whole: The passages of those that were compared whole, by the `id` of their text.
    """
    always = comparison.rules is not None
    return [
        _shared_with(comparison, source, one, whole)
        for source, one in zip(sources, texts, strict=True)
        if always or whole.get(id(one.text), True)
    ]


def _shared_with(
    comparison: _Comparison, source: Source, read: Read, whole: Mapping[int, tuple[Passage, ...]]
) -> Shared:
    if (text := read.text) is None:
        return Shared(source, problem=read.problem)
    passages = whole.get(id(text))
    if passages is None:
        passages = passages_near(comparison.query, text, read.stretches, comparison.settings, comparison.statistics)
    return Shared(source, passages if comparison.rules is None else comparison.rules.kept(text.text, passages))


def _copied(comparison: _Comparison, source: Source, read: Read) -> tuple[Passage, ...] | None:
    """Return the passage of a source that has the words of the query and no others, or None.

    A source with few hashes of the query is not looked at.
    """
    query = comparison.query
    if read.text is None or not read.is_whole or 2 * source.candidate.n_hits < len(comparison.subject.sample):
        return None
    return verify.passage_of_same_words(query, read.text.text, comparison.settings, comparison.statistics)


def _queries_together(pairs: Iterable[_Pair]) -> Iterator[list[_Pair]]:
    """Yield queries in groups, each for one call: at most `TOGETHER_CHARS` characters of sources, or one query."""
    some: list[_Pair] = []
    n_chars = 0
    for subject, sources in pairs:
        more = len(subject.text) + sum(one.document.n_chars for _, one in sources)
        if some and n_chars + more > TOGETHER_CHARS:
            yield some
            some, n_chars = [], 0
        some.append((subject, sources))
        n_chars += more
    if some:
        yield some


def _shared_together(
    pairs: Sequence[_Pair], options: Options, statistics: verify.Statistics | None
) -> list[list[Shared]]:
    """Return what short queries share with their sources. Those that are compared whole take one native call."""
    queries = verify.prepare_each([subject.text for subject, _ in pairs], statistics)
    comparisons = [
        _comparison(subject, query, options, statistics) for (subject, _), query in zip(pairs, queries, strict=True)
    ]
    texts = Texts()
    read = [
        [texts.of(*source, comparison.subject.sample, len(comparison.subject.text)) for source in sources]
        for (_, sources), comparison in zip(pairs, comparisons, strict=True)
    ]
    whole = [[one.text for one in some if one.text and one.is_whole] for some in read]
    asked = [(one.query, some, one.settings) for one, some in zip(comparisons, whole, strict=True)]
    found = verify.passages_of_queries(asked, statistics)
    known = [dict(zip(map(id, some), passages, strict=True)) for some, passages in zip(whole, found, strict=True)]
    shared = [
        comparison.counting(_found(comparison, [source for _, source in sources], some, passages))
        for comparison, (_, sources), some, passages in zip(comparisons, pairs, read, known, strict=True)
    ]
    for one in texts.every:
        one.keep()
    return shared
