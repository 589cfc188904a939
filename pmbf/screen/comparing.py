"""Candidates compared in detail: each candidate's text with the query's, passage by passage."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import NamedTuple

from pmbf import verify
from pmbf.errors import PmbfError
from pmbf.fingerprint import QuerySample
from pmbf.jobs.threads import in_order
from pmbf.kernels import NAT
from pmbf.report import CERTAINTIES, Match, Passage
from pmbf.screen.exempt import Exempt, counted, counting, ordered
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.near import TOGETHER, WHOLE_CHARS, passages_near, stretches_near
from pmbf.screen.options import Options
from pmbf.screen.sections import Kept, SectionRules, section_rules
from pmbf.screen.sources import Source
from pmbf.span import Span
from pmbf.store.generation import Generation
from pmbf.store.originals import original_text
from pmbf.store.recent import Recent
from pmbf.store.tables import Document, ListedPath

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


@dataclass(frozen=True, slots=True)
class Subject:
    """A query as comparing takes it: its clean text, its sampled hashes, its exempt spans, and the number of documents
    with text that it is compared with."""

    text: str
    sample: QuerySample
    exempt: Exempt
    n_documents: int


class Confirmed(NamedTuple):
    """The sources of a query above the threshold, and the number of those below; by the names of `same` sections, the
    number of sources that share text with them elsewhere."""

    matches: tuple[Match, ...] = ()
    n_below: int = 0
    n_elsewhere: Mapping[str, int] = MappingProxyType({})


class Shared(NamedTuple):
    """A source with the passages it shares with a query, or the reason why it was not compared; and the names of `same`
    sections of the query with which it shares text elsewhere."""

    source: Source
    passages: tuple[Passage, ...] = ()
    problem: str | None = None
    elsewhere: tuple[str, ...] = ()


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
    query = verify.prepare(subject.text)
    settings = _settings(options, query, subject.n_documents)
    if statistics is not None and query.is_known(statistics):
        statistics = statistics.beside(query.words)
    rules = section_rules(subject.exempt.sections, options, query, settings, statistics)
    comparison = _Comparison(query, settings, statistics, len(subject.sample), rules)
    calls = _calls(comparison, subject, compared, options)
    found = []
    with closing(in_order(calls, options.threads)) as results:
        for some in results:
            for one in some:
                passages = counting(one.passages, subject.exempt, query, settings.min_chars)
                if passages or one.problem or one.elsewhere:
                    found.append(one._replace(passages=passages))
    return found


def confirmed(
    subject: Subject,
    found: Sequence[Shared],
    options: Options,
    paths: Mapping[int, Sequence[ListedPath]],
    left_out: LeftOut,
) -> Confirmed:
    """Return the sources of a query as a report shows them, those with most evidence first.

    Args:
        subject: The query.
        found: The sources that share passages with it.
        options: What counts as found.
        paths: The paths of those sources whose paths are not known, by the id of the document.
        left_out: What the query is not compared with.
    """
    known = (
        (one if one.paths else one.listed(left_out.kept(paths[one.document.id])), passages, problem)
        for one, passages, problem, _ in found
        if passages or problem
    )
    resolved = _resolved([_match(source, subject, passages, problem) for source, passages, problem in known], options)
    return resolved._replace(n_elsewhere=Counter(name for one in found for name in one.elsewhere))


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


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A query, and how it is compared with texts."""

    query: verify.Prepared
    settings: verify.Settings
    statistics: verify.Statistics | None
    n_hashes: int
    rules: SectionRules | None = None


class _Read(NamedTuple):
    """A source with its text and the stretches that are compared, or the reason why it was not read."""

    source: Source
    recent: Recent
    text: verify.SourceText | None = None
    stretches: Sequence[Span] = ()
    problem: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the whole text is compared."""
        return self.text is not None and len(self.stretches) == 1 and len(self.stretches[0]) == len(self.text.text)


def _calls(
    comparison: _Comparison, subject: Subject, compared: Iterable[Placed], options: Options
) -> Iterator[Callable[[], list[Shared]]]:
    """Yield calls that compare some sources each. The texts are read here, a call's when the call is asked for."""
    each = [(generation, source) for generation, sources in compared for source in sources]
    for some in _together(each, options.threads):
        texts = [_read(generation, source, subject, len(comparison.query.text)) for generation, source in some]
        yield partial(_compared, comparison, texts)


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


def _read(generation: Generation, source: Source, subject: Subject, n_query_chars: int) -> _Read:
    try:
        text = _text(generation, source)
    except (PmbfError, OSError) as error:
        return _Read(source, generation.recent, problem=str(error))
    return _Read(
        source, generation.recent, text, stretches_near(text, subject.sample, n_query_chars, generation.params)
    )


def _text(generation: Generation, source: Source) -> verify.SourceText:
    """Return the text of a source, with what earlier comparisons made of it. Only stored texts are kept."""
    known: verify.SourceText | None = generation.recent.get(_place(source.document))
    return known or verify.SourceText(original_text(generation, source.document, source.paths))


def _place(document: Document) -> tuple[int, ...] | None:
    if not document.text_file:
        return None
    return document.text_file, document.text_offset, document.text_skip, document.text_bytes


def _compared(comparison: _Comparison, texts: Sequence[_Read]) -> list[Shared]:
    """Return what some sources share with a query. Those that are compared whole take one native call."""
    known = [_copied(comparison, one) for one in texts]
    in_whole = _in_whole(comparison, [one for one, passages in zip(texts, known, strict=True) if passages is None])
    found = []
    for (source, recent, text, stretches, problem), passages in zip(texts, known, strict=True):
        if text and passages is None:
            passages = in_whole.get(id(text))
        if text and passages is None:
            passages = passages_near(comparison.query, text, stretches, comparison.settings, comparison.statistics)
        if text and (place := _place(source.document)):
            recent.put(place, text, text.n_bytes)
        kept = comparison.rules.kept(text.text, passages or ()) if comparison.rules and text else Kept(passages or ())
        found.append(Shared(source, kept.passages, problem, kept.elsewhere))
    return found


def _in_whole(comparison: _Comparison, texts: Sequence[_Read]) -> dict[int, tuple[Passage, ...]]:
    """Return the passages of each text that is compared whole, by the `id` of the text."""
    whole = [one.text for one in texts if one.text and one.is_whole]
    if not whole:
        return {}
    found = verify.passages_in_each(comparison.query, whole, comparison.settings, comparison.statistics)
    return dict(zip(map(id, whole), found, strict=True))


def _copied(comparison: _Comparison, one: _Read) -> tuple[Passage, ...] | None:
    """Return the passage of a source that has the words of the query and no others, or None.

    A source with few hashes of the query is not looked at.
    """
    query = comparison.query
    if one.text is None or not one.is_whole or 2 * one.source.candidate.n_hits < comparison.n_hashes:
        return None
    return verify.passage_of_same_words(query, one.text.text, comparison.settings, comparison.statistics)


def _match(source: Source, subject: Subject, passages: tuple[Passage, ...], problem: str | None) -> Match:
    spans = [passage.query for passage in passages]
    covered = counted(spans, subject.exempt)
    return Match(
        document=source.reference,
        containment=share(source.candidate.n_hits, len(subject.sample)),
        n_hits=source.candidate.n_hits,
        n_covered=covered,
        coverage=share(covered, len(subject.text)),
        longest=max((passage.n_counted for passage in passages), default=0),
        passages=tuple(_with_source_share(passage, source.document) for passage in passages),
        problem=problem,
        evidence=round(sum(passage.evidence for passage in passages), 1),
        in_order=share(ordered(passages, subject.exempt), len(subject.text)),
        certainty=min((one.certainty for one in passages if one.certainty), key=CERTAINTIES.index, default=None),
    )


def _with_source_share(passage: Passage, document: Document) -> Passage:
    return replace(passage, source_share=round(min(1.0, share(len(passage.source), document.n_chars)), 3))


def _resolved(found: list[Match], options: Options) -> Confirmed:
    """Return the matches above the threshold, most evidence first. Each passage names other documents with it."""
    kept = [match for match in found if match.problem or match.coverage >= options.threshold]
    neighbours = verify.with_neighbours({match.document.id: match.passages for match in kept})
    kept = [replace(match, passages=neighbours[match.document.id]) for match in kept]
    ranked = sorted(kept, key=lambda match: (-match.evidence, -match.n_covered, match.document.path))
    return Confirmed(tuple(ranked), len(found) - len(kept))


def share(part: float, whole: int) -> float:
    """Return a part as a share of the whole; 0 if the whole is empty."""
    return part / whole if whole else 0.0
