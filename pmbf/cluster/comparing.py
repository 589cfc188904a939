"""Candidates compared where their texts lie: what a holder does with the volumes that it has opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pmbf.base.errors import CorruptError
from pmbf.cluster.manifest import Volume
from pmbf.intake.texts import Text
from pmbf.report import Passage
from pmbf.screen.candidates import Candidate
from pmbf.screen.comparing import Located
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.screened import Screened, Shared
from pmbf.screen.sources import Source, sources
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.folder import Store
from pmbf.verify import Statistics


class Asked(NamedTuple):
    """A query that is compared with candidates.

    Args:
        number: Of the query, in its batch.
        query: The query, with its candidates in the node's volumes, best first, by their ids in the collection. Of what
            it is not compared with, the paths are there that no source is read from.
    """

    number: int
    query: Screened


def asked_of(batch: Sequence[Screened], is_there: Callable[[Candidate], bool]) -> list[Asked]:
    """Return those queries of a batch that have candidates in some volumes.

    Args:
        batch: The queries.
        is_there: Returns whether a candidate is in one of these volumes.
    """
    asked = []
    for number, query in enumerate(batch):
        if some := [one for one in query.candidates if is_there(one)]:
            left, text = LeftOut(paths=query.left_out.paths), Text("", query.read.text)
            asked.append(Asked(number, replace(query, read=text, candidates=some, left_out=left, warnings=())))
    return asked


class Learnt(NamedTuple):
    """How rare words are in a state of the collection; comparisons need it.

    Args:
        state: Which state.
        statistics: How many texts have each word; None if no text is stored.
    """

    state: str
    statistics: Statistics | None


class Answered(NamedTuple):
    """What queries share with the documents of a node's volumes.

    Args:
        found: Of each query, by its number: ids of documents, what each shares with the query, and why it was not
            compared.
        documents: The rows of these documents, and their paths, by id.
    """

    found: dict[int, list[tuple[int, tuple[Passage, ...], str | None]]]
    documents: dict[int, tuple[Document, Sequence[ListedPath]]]

    def shared(self, number: int, candidates: Mapping[int, Candidate]) -> list[Shared]:
        """Return what a query shares with its candidates, by id."""
        return [
            Shared(Source(candidates[id_], self.documents[id_][0]), passages, problem)
            for id_, passages, problem in self.found.get(number, ())
        ]


@dataclass(frozen=True, slots=True)
class VolumeRows:
    """The rows of a volume with the ids of the collection; see `pmbf.screen.sources.Rows`."""

    store: Store
    volume: Volume

    def documents(self, ids: Iterable[int]) -> dict[int, Document]:
        """Return the rows of documents, by id."""
        offset = self.volume.offset
        found = self.store.documents(id_ - offset for id_ in ids)
        return {id_ + offset: row._replace(id=id_ + offset) for id_, row in found.items()}

    def listed_of(self, ids: Iterable[int]) -> dict[int, list[ListedPath]]:
        """Return the paths of documents as they are listed, sorted, by id."""
        offset = self.volume.offset
        found = self.store.listed_of(id_ - offset for id_ in ids)
        return {id_ + offset: [moved(one, self.volume) for one in paths] for id_, paths in found.items()}


def moved(listed: ListedPath, volume: Volume) -> ListedPath:
    """Return a path of a volume with the document's id in the collection."""
    return listed._replace(document=listed.document + volume.offset)


def located_sources(rows: VolumeRows, asked: Sequence[Asked]) -> list[list[Located]]:
    """Return the sources of each query in a volume, with the files of the volume."""
    some = [([one for one in query.candidates if one.document in rows.volume], query.left_out) for _, query in asked]
    return [[(rows.store.generation, source) for source in found] for found in sources(rows, some)]


def answered(
    asked: Sequence[Asked], every: Sequence[Sequence[Shared]], paths: Mapping[int, Sequence[ListedPath]]
) -> Answered:
    """Return what was found, for those documents whose paths are known.

    Args:
        asked: The queries.
        every: What each shares with its sources.
        paths: The paths of documents, by id.
    """
    rows = {one.source.document.id: one.source.document for some in every for one in some}
    return Answered(
        {
            number: [
                (one.source.document.id, one.passages, one.problem) for one in some if one.source.document.id in paths
            ]
            for (number, _), some in zip(asked, every, strict=True)
        },
        {id_: (row, paths[id_]) for id_, row in rows.items() if id_ in paths},
    )


def damaged_texts(located: Sequence[Located]) -> dict[int, str]:
    """Return why stored texts cannot be read, by the id of the document: another node may have them whole."""
    found = {}
    for generation, source in located:
        try:
            generation.text(source.document)
        except (CorruptError, OSError) as error:
            found[source.document.id] = str(error)
    return found
