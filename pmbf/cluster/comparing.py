"""Candidates compared where their texts lie: what a holder does with the volumes that it has opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import CorruptError
from pmbf.cluster.manifest import Volume
from pmbf.intake.texts import Text
from pmbf.kernels import QueryWords, Sample
from pmbf.report import Section
from pmbf.screen.candidates import Candidate
from pmbf.screen.exempt import Exempt
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.looking import leave, told
from pmbf.screen.options import Options
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


class Answered(NamedTuple):
    """What a node's volumes have for a query.

    Args:
        shared: The documents that it shares passages with, each with its paths.
        told: What the words say for doubtful candidates, as `looking.told` returns it.
    """

    shared: list[Source]
    told: Mapping[int, float]


AnsweredEach = dict[int, Answered]
"""Of each query, by its number."""


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


@dataclass(frozen=True, slots=True)
class _VolumeLists:
    """The word lists of a volume by the ids of the collection; see `pmbf.screen.looking.Lists`."""

    rows: VolumeRows

    def words_of(self, ids: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        return self.rows.store.generation.words_of(ids - np.uint32(self.rows.volume.offset))


def told_in(
    rows: VolumeRows, batch: Sequence[Screened], words: Mapping[int, QueryWords]
) -> dict[int, dict[int, float]]:
    """Return what the words of each query say for its candidates in a volume."""
    found = {}
    for number, its in words.items():
        here = [one for one in batch[number].candidates if one.document in rows.volume]
        found[number] = told(_VolumeLists(rows), here, its)
    return found


def left_by(
    told: Sequence[Mapping[int, Mapping[int, float]]], batch: Sequence[Screened], options: Options
) -> list[dict[int, float]]:
    """Leave each query the candidates that it is compared with; return what the words say for its doubtful ones.

    `told` has that of some volumes, as `told_in` returns it. Candidates in volumes elsewhere are not known here: the
    query is compared with as many of these as if there were no others.
    """
    joined = [{id_: nats for one in told for id_, nats in one.get(at, {}).items()} for at in range(len(batch))]
    for query, its in zip(batch, joined, strict=True):
        leave(query, its, options)
    return joined


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
