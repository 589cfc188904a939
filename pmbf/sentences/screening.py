"""Texts screened by sentences, a batch at a time: the stages of `pmbf.screen.answering`, with units for passages.

    read ─► sampled: units, keys ─► looked up: candidates ─► compared: alike units ─► resolved: sentences, sources

A unit of the query begins at each of its sentences: so the units of a copied passage are among them, whatever stands
before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pmbf import kernels
from pmbf.base.arrays import among, distinct
from pmbf.base.errors import ParameterError
from pmbf.base.span import length_in, merged
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.report import NotCounted
from pmbf.screen.answering import ReadQuery
from pmbf.screen.candidates import Candidate
from pmbf.screen.exempt import exempt
from pmbf.screen.folder import Folder
from pmbf.screen.leaving_out import NOTHING, LeftOut
from pmbf.screen.options import Options, OptionValues
from pmbf.screen.screened import AnswerOf, Screened
from pmbf.screen.sections import told_all_skipped
from pmbf.screen.sources import Source, reference, texts_of
from pmbf.screen.templates import Template
from pmbf.sentences.beside import Alike, QueryUnits, UnitPair
from pmbf.sentences.by_keys import Candidates, Sentences
from pmbf.sentences.report import Outcome, Sentence, SentenceOrigin, SentenceReport, SentenceSource, StretchPair
from pmbf.sentences.sections import UnitsInSections
from pmbf.sentences.segments import Keys
from pmbf.sentences.state import damage
from pmbf.store.catalog_tables import Document, ListedPath, contents_key
from pmbf.store.folder import Store

MOST_CANDIDATES = 100
"""Units that a unit of the query is compared with, those with most equal keys. More are repeats of one sentence."""

_UNITS_TOGETHER = 256
"""Units that are looked up in one call: of a very long text no more pairs than those of 256 units are in memory."""

_OPTIONS = {"exclude_self", "exclude_same", "where", "where_not", "labels_of", "template"}

SentenceAnswer = AnswerOf[SentenceReport]


@dataclass(frozen=True, slots=True)
class SentenceFolder(Folder):
    """A collection in one folder with its sentences, as the stages ask for it."""

    sentences: Sentences = field(kw_only=True)

    @staticmethod
    def beside(store: Store, sentences: Sentences) -> SentenceFolder:
        """Return an open collection with its sentences."""
        return SentenceFolder(store, store.generation, store.folder, store.commit_number, sentences=sentences)

    @property
    def statistics(self) -> None:
        """Nothing: units are compared letter by letter, however rare their words are."""


class ComparedDocument(NamedTuple):
    """A document beside a query: the units that are alike, and the stretches that they make.

    A document whose text could not be read has a problem in place of these.
    """

    document: Document
    alike: Sequence[Alike] = ()
    pairs: Sequence[StretchPair] = ()
    problem: str | None = None


@dataclass(slots=True, kw_only=True)
class ScreenedUnits(Screened):
    """A query in units on its way to its report; `beside` are the documents with alike units, by id."""

    units: UnitsInSections
    found: Candidates = field(default_factory=Candidates.none)
    beside: list[ComparedDocument] = field(default_factory=list)


def options_of(given: OptionValues) -> Options:
    """Return the options of a screening by sentences.

    Raises:
        ParameterError: There is another one.
    """
    if other := given.keys() - _OPTIONS:
        raise ParameterError(f"{min(other)} is no option of a screening by sentences")
    return Options.of({**given, "apparatus": False})


def screen_sentences(
    backend: SentenceFolder, read: Text, left_out: LeftOut = NOTHING, options: Options | None = None
) -> SentenceReport:
    """Return which sentences of a text stand in which documents: a batch of one.

    Raises:
        CorruptError: The catalog is damaged.
    """
    [answer] = screened(backend, options or options_of({}), [(read, left_out)])
    return answer.report


# ---------------------------------------------------------------------- stages


def screened(backend: SentenceFolder, options: Options, texts: Sequence[ReadQuery]) -> list[SentenceAnswer]:
    """Return the answers to some texts, through all stages; raise what `screen_sentences` raises.

    Args:
        options: Of `options_of`; their template cuts the texts, and their sources, into sections.
    """
    batch = [_sampled(backend, options, *one) for one in texts]
    look_up(backend, batch)
    for number, document in compared(backend, [(one.units, one.found) for one in batch]):
        batch[number].beside.append(document)
    named = {one.document.id for query in batch for one in query.beside}
    listed = backend.store.listed_of(named) if named else {}
    return [SentenceAnswer(_report(backend, options, one, listed), one.read) for one in batch]


def _sampled(backend: SentenceFolder, options: Options, read: Text, left_out: LeftOut) -> ScreenedUnits:
    sample, exempted = query_sample(read.content, backend.generation.params), exempt(read.content, options)
    template = options.template if isinstance(options.template, Template) else None
    text = read.text
    units = kernels.units(text.encode("utf-8"), code=backend.sentences.code, from_each=True)
    return ScreenedUnits(
        read=read,
        sample=sample,
        exempt=exempted,
        left_out=left_out,
        n_documents=backend.generation.n_documents - len(left_out.documents),
        n_left_out=len(left_out.documents),
        units=UnitsInSections(text, units, template, exempted),
    )


def look_up(backend: SentenceFolder, batch: Sequence[ScreenedUnits]) -> None:
    """Fill in the candidates of the queries of a batch."""
    keys, left_out = [one.units.units.keys for one in batch], [one.left_out for one in batch]
    for one, found in zip(batch, candidates(backend.sentences, keys, left_out), strict=True):
        one.found = found


def candidates(sentences: Sentences, keys: Sequence[Keys], left_out: Sequence[LeftOut]) -> list[Candidates]:
    """Return the units of the collection that the units of each query are compared with.

    Args:
        keys: Of each query `(n, n_keys) uint64`, the keys of its units.
        left_out: Of each query what it is not compared with.
    """
    every, bounds = np.concatenate(keys), np.cumsum([0, *map(len, keys)])
    parts = []
    for first in range(0, len(every), _UNITS_TOGETHER):
        some = sentences.look_up(every[first : first + _UNITS_TOGETHER])
        some = _without(sentences, some._replace(asked=some.asked + first), bounds, left_out)
        ranks = np.arange(len(some.asked)) - np.searchsorted(some.asked, some.asked)  # among those of the same unit
        parts.append(some.chosen(ranks < MOST_CANDIDATES))
    found = Candidates.joined(parts or [Candidates.none()])
    cuts = np.searchsorted(found.asked, bounds).tolist()
    return [
        Candidates(found.asked[start:stop] - bound, found.units[start:stop], found.n_equal[start:stop])
        for bound, start, stop in zip(bounds.tolist(), cuts, cuts[1:], strict=False)
    ]


def _without(sentences: Sentences, found: Candidates, bounds: np.ndarray, left_out: Sequence[LeftOut]) -> Candidates:
    """Return candidates without those in documents that are left out for their query."""
    if not any(len(one.documents) for one in left_out):
        return found
    documents, stays = sentences.documents(found.units), np.ones(len(found.units), np.bool_)
    of_query = np.searchsorted(bounds, found.asked, side="right") - 1
    for number in distinct(of_query).tolist():
        here = of_query == number
        stays[here] = ~among(documents[here], left_out[number].documents.astype(np.int64))
    return found.chosen(stays)


def compared(
    backend: SentenceFolder, asked: Sequence[tuple[QueryUnits, Candidates]]
) -> Iterator[tuple[int, ComparedDocument]]:
    """Yield documents with units that are alike, and those whose text cannot be read or is another one, by id.

    Before each stands the number of the query. A text is read once for all queries.

    Args:
        asked: The units of each query, and their candidates.

    Raises:
        CorruptError: The catalog has lost a document, or the sentences name one that it does not have.
    """
    if not any(len(found.units) for _, found in asked):
        return
    sentences, folder = backend.sentences, backend.folder
    places, contents = _by_document(sentences, [found for _, found in asked])
    rows = backend.store.living(places)
    unstored = [one.id for one in rows.values() if one.n_chars and not one.text_file]
    paths = backend.store.listed_of(unstored) if unstored else {}
    for id_, of_queries in sorted(places.items()):
        document = rows.get(id_)
        if document is None or contents_key(document) != contents[id_]:
            if sentences.is_current:
                raise damage(folder, f"{folder}/sentences: document {id_} is not the one of the collection")
            continue  # the sentences are of another commit, which the report tells
        source = Source(Candidate(id_, len(of_queries), 0.0), document, backend.generation, paths.get(id_, ()))
        [text] = texts_of([source])
        for number, units in of_queries.items():
            if text is None:
                yield number, ComparedDocument(document, problem=source.problem)
            elif max(stop for _, (_, stop), _ in units) > len(text.text):
                told = f"{folder}/sentences: a unit of document {id_} ends behind its text"
                yield number, ComparedDocument(document, problem=str(damage(folder, told)))
            elif alike := asked[number][0].alike(text.text, units):
                yield number, ComparedDocument(document, alike, asked[number][0].pairs(text.text, alike))


def _by_document(
    sentences: Sentences, found: Sequence[Candidates]
) -> tuple[dict[int, dict[int, list[UnitPair]]], dict[int, int]]:
    """Return by document and query the pairs of units to compare; and what the contents of each document were."""
    numbers = np.repeat(np.arange(len(found)), [len(one.units) for one in found]).tolist()
    every = Candidates.joined(found)
    documents, contents = sentences.documents(every.units).tolist(), sentences.contents(every.units).tolist()
    pairs = zip(every.asked.tolist(), sentences.spans(every.units).tolist(), every.n_equal.tolist(), strict=True)
    places: dict[int, dict[int, list[UnitPair]]] = defaultdict(lambda: defaultdict(list))
    for document, number, pair in zip(documents, numbers, pairs, strict=True):
        places[document][number].append(pair)
    return places, dict(zip(documents, contents, strict=True))


# ---------------------------------------------------------------------- resolved


def _report(
    backend: SentenceFolder, options: Options, query: ScreenedUnits, listed: Mapping[int, Sequence[ListedPath]]
) -> SentenceReport:
    sources, told = _sources(query, listed), tuple(_sentences(query))
    unread = [f"not compared with {one.document.path}: {one.problem}" for one in sources if one.problem]
    skipped = query.units.skipped and all(one.outcome in ("short", "skipped") for one in told)
    nothing = [told_all_skipped(options.template_name)] if skipped else []
    return SentenceReport(
        name=query.read.name,
        kind=query.read.kind,
        n_chars=query.sample.n_chars,
        n_tokens=query.sample.n_tokens,
        sentences=told,
        sources=tuple(sources),
        n_documents=query.n_documents,
        n_left_out=query.n_left_out,
        generation=backend.commit_number,
        code=backend.sentences.code,
        collection=str(backend.folder),
        problems=(*query.read.problems, *backend.sentences.problems(), *unread, *nothing),
        template=options.template_name,
        skipped=tuple(query.units.skipped),
        sections=query.units.with_figures([pair.query for one in query.beside for pair in one.pairs]),
        n_not_counted=sum(one.not_counted is not None for one in told),
    )


def _sentences(query: ScreenedUnits) -> Iterator[Sentence]:
    """Yield every sentence of a query."""
    origins: dict[int, list[SentenceOrigin]] = defaultdict(list)
    for one in query.beside:
        best: dict[int, Alike] = {}
        for unit in sorted(one.alike, key=lambda unit: unit.similarity):
            best |= dict.fromkeys(unit.sentences, unit)
        for number, unit in best.items():
            origins[number].append(SentenceOrigin(one.document.id, unit.source, unit.similarity))
    units, covered = query.units, merged(query.units.spans)
    for number, span in enumerate(units.sentences):
        its = tuple(sorted(origins[number], key=lambda one: (-(one.similarity or 0), one.document)))
        compared: Outcome = "skipped" if units.skips(number) else "new" if length_in(span, covered) else "short"
        out: NotCounted = "skipped" if units.skips(number) else "elsewhere"
        yield Sentence(span, "found" if its else compared, its, out if number in units.apart and not its else None)


def _sources(query: ScreenedUnits, listed: Mapping[int, Sequence[ListedPath]]) -> list[SentenceSource]:
    """Return the documents, those with most sentences first."""
    sources = []
    for one in query.beside:
        named = reference(one.document, query.left_out.kept(listed[one.document.id]))
        n_sentences = len({number for unit in one.alike for number in unit.sentences})
        n_equal = sum(unit.n_equal for unit in one.alike)
        sources.append(SentenceSource(named, n_sentences, tuple(one.pairs), n_equal, one.problem))
    return sorted(sources, key=lambda one: (-one.n_sentences, -one.n_equal, one.document.path))
