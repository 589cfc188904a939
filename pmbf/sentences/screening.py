"""From a text to the report of its sentences.

    text ─units─► keys ─look up─► candidates ─Levenshtein─► alike units ─► sentences, sources

A unit of the query begins at each of its sentences: so the units of a copied passage are among them, whatever stands
before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pmbf import kernels
from pmbf.base.arrays import among
from pmbf.base.errors import ParameterError, PmbfError
from pmbf.base.span import length_in, merged
from pmbf.intake.texts import Text
from pmbf.report import DocumentRef, NotCounted
from pmbf.screen.leaving_out import NOTHING, LeftOut
from pmbf.screen.options import Options, OptionValues
from pmbf.screen.sections import told_all_skipped
from pmbf.screen.templates import template_of
from pmbf.sentences.beside import Alike, QueryUnits
from pmbf.sentences.by_keys import Candidates, Sentences
from pmbf.sentences.report import Outcome, Sentence, SentenceOrigin, SentenceReport, SentenceSource, StretchPair
from pmbf.sentences.sections import InSections
from pmbf.sentences.segments import Keys
from pmbf.sentences.state import damage
from pmbf.store.catalog_tables import Document, contents_key
from pmbf.store.folder import Store
from pmbf.store.listing import labels_of
from pmbf.store.originals import original_text

MOST_CANDIDATES = 100
"""Units that a unit of the query is compared with, those with most equal keys. More are repeats of one sentence."""

_UNITS_TOGETHER = 256
"""Units that are looked up in one call: of a very long text no more pairs than those of 256 units are in memory."""


_OPTIONS = {"exclude_self", "exclude_same", "where", "where_not", "labels_of", "template"}


class ComparedDocument(NamedTuple):
    """A document beside the query.

    Args:
        document: The document.
        alike: The units that are alike.
        pairs: The stretches that they make.
        problem: Why the document's text could not be read, or None.
    """

    document: Document
    alike: Sequence[Alike] = ()
    pairs: Sequence[StretchPair] = ()
    problem: str | None = None


def options_of(given: OptionValues) -> Options:
    """Return the options of a screening by sentences.

    Raises:
        ParameterError: There is another one.
    """
    if other := given.keys() - _OPTIONS:
        raise ParameterError(f"{min(other)} is no option of a screening by sentences")
    return Options.of(given)


def screen_sentences(
    store: Store, sentences: Sentences, read: Text, left_out: LeftOut = NOTHING, options: Options | None = None
) -> SentenceReport:
    """Return which sentences of a text stand in which documents.

    Args:
        store: The collection, at its generation.
        sentences: Those of the collection.
        read: The text as it was read.
        left_out: What the text is not compared with.
        options: Of `options_of`; their template cuts the text, and its sources, into sections.

    Raises:
        CorruptError: The catalog is damaged.
    """
    template = template_of(options.template) if options and options.template else None
    asked = QueryUnits.of(read.text, sentences.code)
    sections = InSections(template, asked)
    found = [*compare(store, sentences, asked, candidates(sentences, asked.units.keys, left_out), sections)]
    sources = _sources(store, found, left_out)
    told = tuple(_sentences(asked, found, sections))
    skipped = sections.skipped and all(one.outcome in ("short", "skipped") for one in told)
    nothing = [told_all_skipped(template.name)] if template and skipped else []
    unread = [f"not compared with {one.document.path}: {one.problem}" for one in sources if one.problem]
    return SentenceReport(
        name=read.name,
        kind=read.kind,
        n_chars=len(asked.text),
        n_tokens=len(kernels.tokenise(asked.text.encode("utf-8"))),
        sentences=told,
        sources=tuple(sources),
        n_documents=store.generation.n_documents - len(left_out.documents),
        n_left_out=len(left_out.documents),
        generation=store.commit_number,
        code=sentences.code,
        collection=str(store.folder),
        problems=(*read.problems, *sentences.problems(), *unread, *nothing),
        template=template.name if template else "",
        skipped=tuple(sections.skipped),
        sections=sections.with_figures([pair.query for one in found for pair in one.pairs]),
        n_not_counted=sum(one.not_counted is not None for one in told),
    )


def candidates(sentences: Sentences, keys: Keys, left_out: LeftOut = NOTHING) -> Candidates:
    """Return the units of the collection that each unit of a query is compared with.

    Args:
        sentences: Those of the collection.
        keys: `(n, n_keys) uint64`, of each unit of the query.
        left_out: What the query is not compared with.
    """
    found = [Candidates.none()]
    for first in range(0, len(keys), _UNITS_TOGETHER):
        some = sentences.look_up(keys[first : first + _UNITS_TOGETHER])
        if len(left_out.documents):
            some = some.chosen(~among(sentences.documents(some.units), left_out.documents.astype(np.int64)))
        ranks = np.arange(len(some.asked)) - np.searchsorted(some.asked, some.asked)  # among those of the same unit
        some = some.chosen(ranks < MOST_CANDIDATES)
        found.append(some._replace(asked=some.asked + first))
    return Candidates(*(np.concatenate(column) for column in zip(*found, strict=True)))


def compare(
    store: Store, sentences: Sentences, asked: QueryUnits, found: Candidates, sections: InSections | None = None
) -> Iterator[ComparedDocument]:
    """Yield the documents with units that are alike, and those whose text cannot be read or is another one, by id.

    Raises:
        CorruptError: The catalog has lost a document, or the sentences name one that it does not have.
    """
    documents, contents = sentences.documents(found.units), sentences.contents(found.units)
    numbers, spans, n_equal = found.asked.tolist(), sentences.spans(found.units).tolist(), found.n_equal.tolist()
    places = defaultdict(list)
    for place, document in enumerate(documents.tolist()):
        places[document].append(place)
    rows = store.living(places)
    paths = store.paths_of(rows)
    for id_, some in sorted(places.items()):
        document = rows.get(id_)
        if document is None or contents_key(document) != contents[some[0]]:
            if sentences.is_current:
                raise damage(store.folder, f"{store.folder}/sentences: document {id_} is not the one of the collection")
            continue  # the sentences are of another commit, which the report tells
        try:
            text = original_text(store.generation, document, paths.get(id_, []))
        except (PmbfError, OSError) as error:
            yield ComparedDocument(document, problem=str(error))
            continue
        units = [(numbers[place], spans[place], n_equal[place]) for place in some]
        if max(stop for _, (_, stop), _ in units) > len(text):
            told = f"{store.folder}/sentences: a unit of document {id_} ends behind its text"
            yield ComparedDocument(document, problem=str(damage(store.folder, told)))
            continue
        alike = sections.alike(text, units) if sections else asked.alike(text, units)
        if alike:
            yield ComparedDocument(document, alike, asked.pairs(text, alike))


def _sentences(asked: QueryUnits, found: Sequence[ComparedDocument], sections: InSections) -> Iterator[Sentence]:
    """Yield every sentence of the query."""
    origins: dict[int, list[SentenceOrigin]] = defaultdict(list)
    for one in found:
        best: dict[int, Alike] = {}
        for unit in sorted(one.alike, key=lambda unit: unit.similarity):
            best |= dict.fromkeys(unit.sentences, unit)
        for number, unit in best.items():
            origins[number].append(SentenceOrigin(one.document.id, unit.source, unit.similarity))
    covered = merged(asked.spans)
    for number, span in enumerate(asked.sentences):
        its = tuple(sorted(origins[number], key=lambda one: (-(one.similarity or 0), one.document)))
        compared: Outcome = "skipped" if sections.skips(number) else "new" if length_in(span, covered) else "short"
        out: NotCounted = "skipped" if sections.skips(number) else "elsewhere"
        yield Sentence(span, "found" if its else compared, its, out if number in sections.apart and not its else None)


def _sources(store: Store, found: Sequence[ComparedDocument], left_out: LeftOut) -> list[SentenceSource]:
    """Return the documents, those with most sentences first."""
    listed = store.listed_of(one.document.id for one in found)
    sources = []
    for one in found:
        paths = left_out.kept(listed[one.document.id])
        names = tuple(path.path for path in paths)
        reference = DocumentRef(
            one.document.id, names[0], names, one.document.n_chars, one.document.kind, labels_of(paths)
        )
        n_sentences = len({number for unit in one.alike for number in unit.sentences})
        n_equal = sum(unit.n_equal for unit in one.alike)
        sources.append(SentenceSource(reference, n_sentences, tuple(one.pairs), n_equal, one.problem))
    return sorted(sources, key=lambda one: (-one.n_sentences, -one.n_equal, one.document.path))
