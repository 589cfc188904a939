"""Candidates compared in detail: each candidate's text with the query's, passage by passage."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from pmbf import verify
from pmbf.errors import PmbfError
from pmbf.fingerprint import QuerySample
from pmbf.jobs.threads import in_order
from pmbf.kernels import NAT
from pmbf.labels import Labels
from pmbf.report import CERTAINTIES, DocumentRef, Match, Passage
from pmbf.screen.candidates import Candidate
from pmbf.screen.exempt import Exempt, counted, counting, ordered
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.near import passages_near, stretches_near
from pmbf.screen.options import Options
from pmbf.span import Span
from pmbf.store.folder import Store
from pmbf.store.generation import Generation
from pmbf.store.listing import labels_of
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


@dataclass(frozen=True, slots=True)
class Source:
    """A candidate, its row of the catalog, the paths it is listed under, sorted, and the labels of each of them."""

    candidate: Candidate
    document: Document
    paths: tuple[str, ...]
    labels: tuple[Labels, ...] = ()

    @property
    def reference(self) -> DocumentRef:
        """The document as a report names it."""
        document = self.document
        return DocumentRef(document.id, self.paths[0], self.paths, document.n_chars, document.kind, self.labels)


Placed = tuple[Generation, Source]
"""The files that hold a source's text, and the source."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A query as comparing takes it: its clean text, its sampled hashes, its exempt spans, and how many documents of
    the collection are left out."""

    text: str
    sample: QuerySample
    exempt: Exempt
    n_left_out: int = 0


class Confirmed(NamedTuple):
    """The sources of a query above the threshold, and the number of those below."""

    matches: tuple[Match, ...] = ()
    n_below: int = 0


def sources(store: Store, found: Sequence[tuple[Sequence[Candidate], LeftOut]]) -> list[list[Source]]:
    """Return the sources of some queries: the catalog rows and paths of their candidates, in the same order.

    The catalog is asked once for all of them.

    Args:
        store: The collection.
        found: The candidates of each query, and what is left out for it.

    Raises:
        CorruptError: The catalog is damaged.
    """
    ids = [candidate.document for some, _ in found for candidate in some]
    documents, paths = store.documents(ids), store.listed_of(ids)
    return [
        [_source(one, documents[one.document], left_out.kept(paths[one.document])) for one in some]
        for some, left_out in found
    ]


def _source(candidate: Candidate, document: Document, paths: Sequence[ListedPath]) -> Source:
    return Source(candidate, document, tuple(one.path for one in paths), labels_of(paths))


def matches(
    generation: Generation,
    subject: Subject,
    compared: Sequence[Source],
    options: Options,
    statistics: verify.Statistics | None,
) -> Confirmed:
    """Return the sources that do share passages with a query, those with most evidence first.

    Args:
        generation: The collection's files, which hold the texts of the sources.
        subject: The query.
        compared: The candidates, best first.
        options: What counts as found.
        statistics: How rare words are in the collection; None if unknown.
    """
    n_documents = generation.n_documents - subject.n_left_out
    here = [(generation, source) for source in compared]
    return resolved(found_in(here, subject, options, statistics, n_documents=n_documents), options)


def found_in(
    compared: Sequence[Placed],
    subject: Subject,
    options: Options,
    statistics: verify.Statistics | None,
    *,
    n_documents: int,
) -> list[Match]:
    """Return the sources that share passages with a query, in their order; they are not resolved yet.

    A text that cannot be read raises no error: its match has a `problem`.

    Args:
        compared: The candidates, best first, each with the files that hold its text.
        subject: The query.
        options: What counts as found.
        statistics: How rare words are in the collection; None if unknown.
        n_documents: Documents with text that the query is compared with.
    """
    if not compared:
        return []
    query = verify.prepare(subject.text)
    settings = _settings(options, query, n_documents)
    if statistics is not None and query.is_known(statistics):
        statistics = statistics.beside(query.words)
    calls = _calls(compared, query, subject.sample, settings, statistics)
    found = []
    with closing(in_order(calls, options.threads)) as results:
        for source, passages, problem in results:
            passages = counting(passages, subject.exempt, query, settings.min_chars)
            if passages or problem:
                found.append(_match(source, subject, passages, problem))
    return found


def _settings(options: Options, query: verify.Prepared, n_documents: int) -> verify.Settings:
    """Return what counts as a passage. A text too short to hold a passage is one as a whole.

    In a short text a reworded passage may be shorter. If the options ask for passages shorter than usual, then little
    evidence is no reason to drop one.
    """
    usual = verify.Settings()
    doubt = min(1.0, math.log(max(1, n_documents)) / math.log(MANY_DOCUMENTS))
    n_letters = verify.n_letters(query, Span(0, query.n_tokens))
    min_chars, share = min(options.min_chars, n_letters), min(1.0, n_letters / SHORT_QUERY_CHARS)
    return verify.Settings(
        seed_tokens=min(usual.seed_tokens, query.n_words),
        min_chars=min_chars,
        threshold=options.min_similarity,
        min_reworded_chars=max(options.min_chars, int(share * usual.min_reworded_chars)),
        min_reworded_source_chars=max(options.min_chars, int(share * usual.min_reworded_source_chars)),
        least_evidence=usual.least_evidence if min_chars >= usual.min_chars else 0.0,
        min_summary_chars=LEAST_SUMMARY_CHARS if options.summaries else _LONGER_THAN_ANY,
        least_topical_evidence=TOPICAL_EVIDENCE * doubt,
        short_doubt=SHORT_DOUBT * doubt,
        rules=replace(usual.rules, summary_times=round(SUMMARY_TIMES * doubt * NAT)),
    )


class _Compared(NamedTuple):
    """A source with the passages it shares, or the reason why it was not compared."""

    source: Source
    passages: tuple[Passage, ...] = ()
    problem: str | None = None


def _calls(
    compared: Iterable[Placed],
    query: verify.Prepared,
    asked: QuerySample,
    settings: verify.Settings,
    statistics: verify.Statistics | None,
) -> Iterator[Callable[[], _Compared]]:
    """Yield the call that compares each source. The text is read here: a generation is used by one thread."""
    for generation, source in compared:
        try:
            text = _text(generation, source)
        except (PmbfError, OSError) as error:
            yield partial(_Compared, source, problem=str(error))
            continue
        stretches = stretches_near(text, asked, len(query.text), generation.params)
        yield partial(_compared, source, query, text, stretches, settings, statistics, generation.recent)


def _text(generation: Generation, source: Source) -> verify.SourceText:
    """Return the text of a source, with what earlier comparisons made of it. Only stored texts are kept."""
    known: verify.SourceText | None = generation.recent.get(_place(source.document))
    return known or verify.SourceText(original_text(generation, source.document, source.paths))


def _place(document: Document) -> tuple[int, ...] | None:
    if not document.text_file:
        return None
    return document.text_file, document.text_offset, document.text_skip, document.text_bytes


def _compared(
    source: Source,
    query: verify.Prepared,
    text: verify.SourceText,
    stretches: Sequence[Span],
    settings: verify.Settings,
    statistics: verify.Statistics | None,
    recent: Recent,
) -> _Compared:
    found = passages_near(query, text, stretches, settings, statistics)
    if place := _place(source.document):
        recent.put(place, text, text.n_bytes)
    return _Compared(source, found)


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


def resolved(found: Sequence[Match], options: Options) -> Confirmed:
    """Return the matches above the threshold, most evidence first. Each passage names other documents with it."""
    kept = [match for match in found if match.problem or match.coverage >= options.threshold]
    neighbours = verify.with_neighbours({match.document.id: match.passages for match in kept})
    kept = [replace(match, passages=neighbours[match.document.id]) for match in kept]
    ranked = sorted(kept, key=lambda match: (-match.evidence, -match.n_covered, match.document.path))
    return Confirmed(tuple(ranked), len(found) - len(kept))


def share(part: float, whole: int) -> float:
    """Return a part as a share of the whole; 0 if the whole is empty."""
    return part / whole if whole else 0.0
