"""Candidates compared where their texts lie: what a holder does with the volumes that it has opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pmbf.cluster.manifest import Volume
from pmbf.errors import CorruptError
from pmbf.screen.candidates import Candidate
from pmbf.screen.comparing import Placed, Subject, sources
from pmbf.screen.leaving_out import LeftOut
from pmbf.store.folder import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """A query that is compared with candidates.

    Args:
        subject: The query.
        candidates: Candidates in the node's volumes, best first, with ids of the collection.
        left_paths: Paths that no source is named by.
        n_documents: Documents with text that the query is compared with.
    """

    subject: Subject
    candidates: Sequence[Candidate]
    left_paths: frozenset[str]
    n_documents: int


def placed_sources(store: Store, volume: Volume, asked: Sequence[Asked]) -> list[list[Placed]]:
    """Return the sources of each query in a volume, with the ids of the collection and the files of the volume."""
    some = [
        (
            [replace(one, document=one.document - volume.offset) for one in query.candidates if one.document in volume],
            LeftOut(paths=query.left_paths),
        )
        for query in asked
    ]
    return [
        [
            (store.generation, replace(one, document=one.document._replace(id=one.document.id + volume.offset)))
            for one in found
        ]
        for found in sources(store, some)
    ]


def damaged_texts(compared: Sequence[Placed]) -> dict[int, str]:
    """Return why stored texts cannot be read, by the id of the document: another node may have them whole."""
    found = {}
    for generation, source in compared:
        try:
            generation.text(source.document)
        except (CorruptError, OSError) as error:
            found[source.document.id] = str(error)
    return found
