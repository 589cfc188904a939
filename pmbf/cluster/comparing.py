"""Candidates compared where their texts lie: what a holder does with the volumes that it has opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pmbf.base.errors import CorruptError
from pmbf.cluster.manifest import Volume
from pmbf.intake.texts import Text
from pmbf.kernels import Sample
from pmbf.report import Section
from pmbf.screen.candidates import Candidate
from pmbf.screen.exempt import Exempt
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.screened import Screened
from pmbf.screen.sources import Source, sources
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.folder import Store
from pmbf.verify import Statistics


class SentQuery(NamedTuple):
    """A query that is compared with candidates, as it is sent: without what only its report needs.

    Args:
        number: Of the query, in its batch.
        sample: Its sampled hashes.
        candidates: Those in the node's volumes, best first, by their ids in the collection.
        left_paths: Paths that no source is read from, nor named by.
        n_documents: Documents with text that it was looked up in.
    """

    number: int
    text: str
    sample: Sample
    sections: Sequence[Section]
    candidates: Sequence[Candidate]
    left_paths: frozenset[str]
    n_documents: int

    @property
    def query(self) -> Screened:
        """The query, for the stage that compares."""
        exempt, left_out = Exempt(sections=self.sections), LeftOut(paths=self.left_paths)
        query = Screened(Text("", self.text), self.sample, exempt, left_out, self.candidates)
        query.n_documents = self.n_documents
        return query


def asked_of(batch: Sequence[Screened], names: Mapping[int, str], volumes: Sequence[Volume]) -> list[SentQuery]:
    """Return those queries of a batch that have candidates in some volumes.

    `names` has each candidate's volume, by id.
    """
    asked, here = [], {one.name for one in volumes}
    for number, query in enumerate(batch):
        if some := [one for one in query.candidates if names[one.document] in here]:
            of_text = query.read.text, query.sample, query.exempt.sections
            asked.append(SentQuery(number, *of_text, some, query.left_out.paths, query.n_documents))
    return asked


class Learnt(NamedTuple):
    """How rare words are in a state of the collection, for comparisons; without statistics if no text is stored."""

    state: str
    statistics: Statistics | None


Answered = dict[int, list[Source]]
"""What each query shares with documents of a node's volumes, each with its paths, by the number of the query."""


@dataclass(frozen=True, slots=True)
class VolumeRows:
    """The rows of a volume with the ids of the collection; see `pmbf.screen.sources.Rows`."""

    store: Store
    volume: Volume

    def documents(self, ids: Iterable[int]) -> dict[int, Document]:
        offset, found = self.volume.offset, self.store.documents(self.volume.own(ids))
        return {id_ + offset: row._replace(id=id_ + offset) for id_, row in found.items()}

    def listed_of(self, ids: Iterable[int]) -> dict[int, list[ListedPath]]:
        offset, found = self.volume.offset, self.store.listed_of(self.volume.own(ids))
        return {id_ + offset: [moved(one, self.volume) for one in paths] for id_, paths in found.items()}


def moved(listed: ListedPath, volume: Volume) -> ListedPath:
    """Return a path of a volume with the document's id in the collection."""
    return listed._replace(document=listed.document + volume.offset)


def sources_in(rows: VolumeRows, batch: Sequence[Screened]) -> list[list[Source]]:
    """Return the sources of each query in a volume."""
    some = [([one for one in query.candidates if one.document in rows.volume], query.left_out) for query in batch]
    return sources(rows, rows.store.generation, some)


def damaged_texts(found: Iterable[Sequence[Source]]) -> dict[int, str]:
    """Return why stored texts cannot be read, by the id of the document: another node may have them whole.

    Only if one of a query's sources has a problem, they are looked at.
    """
    damaged = {}
    for some in found:
        for source in some if any(one.problem for one in some) else ():
            assert source.files
            try:
                source.files.text(source.document)
            except (CorruptError, OSError) as error:
                damaged[source.document.id] = str(error)
    return damaged
