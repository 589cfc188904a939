"""Candidates compared where their texts lie: what a holder does with the volumes that it has opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pmbf.cluster.manifest import Volume
from pmbf.errors import CorruptError
from pmbf.screen.candidates import Candidate
from pmbf.screen.comparing import Placed, Shared, Subject
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.sources import Source, paths_of, sources
from pmbf.store.folder import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """A query that is compared with candidates.

    Args:
        subject: The query.
        candidates: Candidates in the node's volumes, best first, with ids of the collection.
        left_paths: Paths that no source is named by.
    """

    subject: Subject
    candidates: Sequence[Candidate]
    left_paths: frozenset[str]


def placed_sources(store: Store, volume: Volume, asked: Sequence[Asked]) -> list[Placed]:
    """Return the sources of each query in a volume, with the ids of the collection and the files of the volume."""
    some = [
        (
            [replace(one, document=one.document - volume.offset) for one in query.candidates if one.document in volume],
            LeftOut(paths=query.left_paths),
        )
        for query in asked
    ]
    return [
        (store.generation, [_with_id(one, one.document.id + volume.offset) for one in found])
        for found in sources(store, some)
    ]


def named(
    store: Store, volume: Volume, asked: Sequence[Asked], found: Sequence[Sequence[Shared]]
) -> list[list[Shared]]:
    """Return what each query shares with the sources in a volume, these with their paths.

    Args:
        store: The volume, opened.
        volume: The volume.
        asked: The queries.
        found: What each query shares with sources in any volume.
    """
    here = [[one for one in some if one.source.document.id in volume] for some in found]
    own = [_with_id(one.source, one.source.document.id - volume.offset) for some in here for one in some]
    paths = paths_of(store, own)
    kept = [LeftOut(paths=query.left_paths).kept for query in asked]
    return [
        [
            one._replace(source=one.source.listed(keep(paths[one.source.document.id - volume.offset])))
            if not one.source.paths
            else one
            for one in some
        ]
        for keep, some in zip(kept, here, strict=True)
    ]


def _with_id(source: Source, id_: int) -> Source:
    return replace(source, document=source.document._replace(id=id_))


def damaged_texts(compared: Sequence[Placed]) -> dict[int, str]:
    """Return why stored texts cannot be read, by the id of the document: another node may have them whole."""
    found = {}
    for generation, some in compared:
        for source in some:
            try:
                generation.text(source.document)
            except (CorruptError, OSError) as error:
                found[source.document.id] = str(error)
    return found
