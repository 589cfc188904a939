"""The documents of a cluster's collection one after another, and their texts: a node reads those of its volumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pmbf import kernels
from pmbf.base.errors import IncompleteError, NotFoundError
from pmbf.cluster.calls import Nodes
from pmbf.cluster.comparing import moved
from pmbf.cluster.manifest import Manifest, Volume
from pmbf.cluster.spread import Spread
from pmbf.kernels import Lists
from pmbf.store.folder import Store
from pmbf.store.listing import Entry
from pmbf.store.originals import original_text

Chunks = tuple[list[int], Lists, dict[int, str]]
"""Ids of documents, the lists of their chunks, and by id why a text cannot be read: its list is empty."""


def entries_of(store: Store, volume: Volume, ids: Sequence[int] | None = None) -> list[Entry]:
    """Return the documents of a volume with their paths, by ascending id; or those of them that have some ids."""
    if ids is None:
        entries: Iterable[Entry] = store.documents_with_paths()
    else:
        rows = store.living(volume.own(ids))
        listed = store.listed_of(rows)
        entries = [(row, listed[id_]) for id_, row in sorted(rows.items())]
    return [(row._replace(id=row.id + volume.offset), [moved(one, volume) for one in paths]) for row, paths in entries]


def texts_of(store: Store, volume: Volume, ids: Sequence[int]) -> dict[int, str | IncompleteError]:
    """Return the texts of those documents that are in a volume, by id; or that one is not stored, and its file gone.

    `CorruptError`: a text is damaged.
    """
    rows = store.documents(volume.own(ids))
    paths = store.paths_of(rows)
    found: dict[int, str | IncompleteError] = {}
    for id_, row in rows.items():
        try:
            found[id_ + volume.offset] = original_text(store.generation, row, paths[id_])
        except IncompleteError as error:
            found[id_ + volume.offset] = error
    return found


def chunks_of(store: Store, volume: Volume, ids: Sequence[int], n_words: int, bits: int) -> Chunks:
    """Return the lists of chunks of those documents that are in a volume; raise what `texts_of` raises."""
    texts = texts_of(store, volume, ids)
    unread = {id_: str(text) for id_, text in texts.items() if not isinstance(text, str)}
    utf8 = [text.encode() if isinstance(text, str) else b"" for text in texts.values()]
    return list(texts), kernels.chunk_lists(utf8, n_words=n_words, bits=bits), unread


def beginnings_of(store: Store, places: Sequence[int], n_chars: int) -> list[str | None]:
    """Return the first characters of a volume's texts at some places; None if a text is not stored."""
    ids = store.generation.directory.live_ids()[list(places)].tolist()
    rows = store.documents(ids)
    return [store.generation.beginning(rows[id_], n_chars) for id_ in ids]


class SpreadTexts:
    """The documents of a manifest's volumes, and their texts; see `pmbf.alike.pairs.texts.TextArchive`.

    Volumes that no node answers for are then in `problems`.
    """

    def __init__(self, spread: Spread) -> None:
        self._spread = spread

    def entries(self) -> Iterator[Entry]:
        """Yield the documents with their paths, by ascending id; one volume's are in memory."""
        for volume in self._spread.manifest.volumes:
            for some in self._spread.ask("entries", (), [volume], size=max(1, volume.n_documents)):
                yield from some

    def some_entries(self, ids: Sequence[int]) -> Iterator[Entry]:
        for some in self._spread.ask("entries", (ids,), self._spread.having(ids), size=max(1, len(ids))):
            yield from some

    def texts(self, entries: Sequence[Entry]) -> list[str | None]:
        ids = [row.id for row, _ in entries]
        found: dict[int, str | IncompleteError] = {}
        for some in self._spread.ask("texts", (ids,), self._spread.having(ids), size=max(1, len(ids))):
            found |= some
        return [text if isinstance(text := found.get(id_), str) else None for id_ in ids]

    @property
    def problems(self) -> tuple[str, ...]:
        return self._spread.problems


@dataclass(frozen=True, slots=True)
class TextsOnNodes:
    """The texts of a manifest's documents by their ids, for a report: read through the nodes as long as these run."""

    nodes: Nodes
    manifest: Manifest

    def __call__(self, document: int) -> str:
        """Return a document's text. `NotFoundError`: there is none such; `IncompleteError`: no node can read it."""
        found = self.nodes.ask("text", [self.manifest.volume_of(document)], (document,))
        if found.unread:
            raise IncompleteError(f"document {document}: {next(iter(found.unread.values()))}")
        text: str = found.values[0].value
        return text

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return _Gone, ()


class _Gone:
    """In place of the texts in a report that was pickled."""

    def __call__(self, document: int) -> str:
        raise NotFoundError(
            f"the text of document {document} is on the nodes of a cluster: ask `ClusterCollection.text`"
        )
