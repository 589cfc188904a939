"""A holder: what a node answers from the volumes that it has on its disk.

A holder knows no generation and no manifest. Each call names the volumes that it is about, and a volume's name says
what is in it, byte for byte. So a holder that was cut off and comes back cannot answer for an older state, and one that
was lost is made anew from the depot.

An answer comes with the volumes that could not be read, and why: another node has a copy of them.
Rows of the filter that are lost in the depot, too, make no volume unreadable: its segments are asked for all hashes,
and that is told as a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import CorruptError, IncompleteError
from pmbf.base.hashes import Hashes
from pmbf.base.params import Params
from pmbf.cluster import making, upkeep
from pmbf.cluster.comparing import (
    Answered,
    Learnt,
    SentQuery,
    VolumeRows,
    damaged_texts,
    left_by,
    moved,
    sources_in,
    told_in,
)
from pmbf.cluster.found import joined, listed, of_volume, within
from pmbf.cluster.making import Made, VolumeEdit
from pmbf.cluster.manifest import Volume
from pmbf.cluster.objects import depot_at
from pmbf.cluster.opened import UNREADABLE, Opened, Reply
from pmbf.cluster.texts import beginnings_of, chunks_of, entries_of, texts_of
from pmbf.cluster.volumes import Shelf, files_of
from pmbf.cluster.working import Tasks
from pmbf.extract import Limits
from pmbf.intake.adding import Named, add_texts
from pmbf.intake.discovery import FileFound
from pmbf.intake.loader import Loader, LoadReport, Progress
from pmbf.kernels import Ranges
from pmbf.screen.comparing import compare_each
from pmbf.screen.looking import asked_words
from pmbf.screen.options import Options
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.directory import LIVE
from pmbf.store.folder import Store
from pmbf.store.having import Keys
from pmbf.store.originals import document_text
from pmbf.store.writer import Writer

Ids = NDArray[np.uint32]


class Holder(Tasks):
    """Answers from volumes, which it fetches when they are first asked for.

    Args:
        depot: The folder of the depot, or `s3://bucket/folder`.
        shelf: The folder for the node's copies.
        params: Parameters of the collection; a volume with others is not answered from. None: those of each volume.
    """

    def __init__(self, depot: str, shelf: str, params: Params | None = None) -> None:
        super().__init__()
        self._params = params
        self._depot = depot_at(depot)
        self._shelf = Shelf(Path(shelf).expanduser(), self._depot)
        self._opened = Opened(self._shelf, params)
        self._each = self._opened.each
        self._known = Learnt("", None)

    # ------------------------------------------------------------------ volumes

    def fetch(self, volumes: Sequence[Volume]) -> None:
        """Fetch volumes that are not on this node's disk. One that cannot be fetched is told by `open`."""
        for volume in volumes:
            with suppress(*UNREADABLE):
                self._shelf.folder_of(volume.name)

    def open(self, volumes: Sequence[Volume]) -> Reply:
        """Open volumes, so that the first query need not wait for them; return how many are open."""
        opened, unread = self._each(volumes, lambda _store, _volume: True)
        return Reply(len(opened), unread)

    def here(self, volumes: Sequence[Volume]) -> Reply:
        """Open those volumes that are on this node's disk, and return their names. The others are not fetched.

        One that the depot does not list is unread.
        """
        here = [one for one in volumes if self._shelf.has(one.name)]
        names, unread = self._each(here, lambda _store, volume: volume.name)
        for one in volumes:
            try:
                if not self._shelf.has(one.name):
                    files_of(self._depot, one.name)
            except UNREADABLE as error:
                unread[one.name] = str(error)
        return Reply(names, unread)

    def keep(self, volumes: Sequence[Volume]) -> Reply:
        """Close and delete all other volumes."""
        names = {one.name for one in volumes}
        self._opened.keep(names)
        self._shelf.drop_all_but(names)
        return Reply(None, {})

    # ------------------------------------------------------------------ candidates

    def having(self, volumes: Sequence[Volume], hashes: Hashes, limit: int, places: Mapping[str, Ids]) -> Reply:
        """Return which documents have some hashes, as a `FoundByNode`.

        Args:
            volumes: The volumes.
            hashes: `(h,)`, ascending, each once.
            limit: Documents of a hash that more than `limit` documents of a volume have are only counted.
            places: `(n,) uint32`, ascending, which of them each volume is asked for, by its name.
        """
        some, unread = self._each(
            volumes, lambda store, volume: listed(hashes, places[volume.name], limit, store.generation, volume)
        )
        return Reply(joined(hashes, some), unread, self._opened.warnings(volumes))

    def near(
        self, volumes: Sequence[Volume], queries: Sequence[Hashes], among: Sequence[Ranges], least: int, window: int
    ) -> Reply:
        """Return for each volume, which documents have several hashes of a query near each other.

        See `Generation.near`.
        """

        def of(store: Store, volume: Volume) -> list[Keys]:
            own = [within(one, volume) for one in among]
            found = store.generation.near(queries, own, least=least, window=window)
            return [one + (np.uint64(volume.offset) << np.uint64(32)) for one in found]

        return Reply(*self._each(volumes, of), self._opened.warnings(volumes))

    def totals(self, volumes: Sequence[Volume], ids: Ids) -> Reply:
        """Return how many of some documents are live with text, and how many hashes these have together."""

        def of(store: Store, volume: Volume) -> tuple[int, int]:
            locations = store.generation.directory.locations(of_volume(ids, volume))
            return int(np.count_nonzero(locations["state"] == LIVE)), int(locations["n_hashes"].sum(dtype=np.int64))

        found, unread = self._each(volumes, of)
        return Reply((sum(one for one, _ in found), sum(one for _, one in found)), unread)

    # ------------------------------------------------------------------ texts

    def beginnings(self, volumes: Sequence[Volume], places: Mapping[str, Sequence[int]], n_chars: int) -> Reply:
        """Return the first characters of some texts, by volume; None if a text is not stored.

        `places` says of each volume's live documents with text, ascending, which are meant.
        """

        found, unread = self._each(
            volumes, lambda store, volume: (volume.name, beginnings_of(store, places[volume.name], n_chars))
        )
        return Reply(dict(found), unread)

    def compare(
        self, volumes: Sequence[Volume], asked: Sequence[SentQuery], options: Options, state: str | Learnt
    ) -> Reply:
        """Return what each query shares with sources in these volumes, as an `AnsweredEach`.

        If the holder has not learnt how rare words are in a `state` of the collection, then the value is None. It
        learns that from a call that brings it along.
        """
        known = self._known
        if isinstance(state, Learnt):
            known = self._known = state
        elif known.state != state:
            return Reply(None, {})
        batch = [one.query for one in asked]
        words = asked_words(batch, known.statistics)
        looked_at, _ = self._each(volumes, lambda store, volume: told_in(VolumeRows(store, volume), batch, words))
        told = left_by(looked_at, batch, options)
        found, unread = self._each(volumes, lambda store, volume: sources_in(VolumeRows(store, volume), batch))
        some = [[one for its in found for one in its[at]] for at in range(len(batch))]
        compare_each(batch, some, options, known.statistics)
        for id_, reason in damaged_texts(some).items():
            unread |= {one.name: reason for one in volumes if id_ in one}
        ids = {one.document.id for query in batch for one in query.shared}
        having = [one for one in volumes if one.name not in unread and any(id_ in one for id_ in ids)]
        listed, unlisted = self._each(
            having,
            lambda store, volume: VolumeRows(store, volume).listed_of(ids),
        )
        paths = {id_: some for one in listed for id_, some in one.items()}
        answered = {}
        for one, query, said in zip(asked, batch, told, strict=True):
            shared = [source for source in query.shared if source.document.id in paths]
            for source in shared:
                source.name(paths, query.left_out)
            answered[one.number] = Answered(shared, said)
        return Reply(answered, unread | unlisted)

    def text(self, volumes: Sequence[Volume], id_: int) -> Reply:
        """Return the text of a document; raise `NotFoundError` if there is none."""
        [volume] = volumes
        opened, unread = self._each(volumes, lambda store, _volume: store)
        try:
            return Reply(document_text(opened[0], id_ - volume.offset) if opened else "", unread)
        except (CorruptError, IncompleteError, OSError) as error:
            return Reply("", {volume.name: str(error)})

    def entries(self, volumes: Sequence[Volume], ids: Sequence[int] | None = None) -> Reply:
        """Return the documents with their paths, or some of them."""
        return _flat(*self._each(volumes, lambda store, volume: entries_of(store, volume, ids)))

    def texts(self, volumes: Sequence[Volume], ids: Sequence[int]) -> Reply:
        """Return the texts of some documents, by id."""
        found, unread = self._each(volumes, lambda store, volume: texts_of(store, volume, ids))
        return Reply({id_: text for some in found for id_, text in some.items()}, unread)

    def chunks(self, volumes: Sequence[Volume], ids: Sequence[int], n_words: int, bits: int) -> Reply:
        """Return the lists of chunks of some documents, by volume."""
        return Reply(*self._each(volumes, lambda store, volume: chunks_of(store, volume, ids, n_words, bits)))

    # ------------------------------------------------------------------ new volumes

    def load(self, params: Params, found: Sequence[FileFound], limits: Limits) -> Made:
        """Make a volume of the files that can be read."""

        def tell(progress: Progress) -> None:
            self._progress = progress

        def fill(writer: Writer) -> LoadReport:
            return Loader(writer, limits=limits, on_progress=tell).load(found)

        return making.made(self._depot, self._shelf.workplace, params, fill)

    def store(self, params: Params, named: Sequence[Named]) -> Made:
        """Make a volume of texts, each with its name."""

        def fill(writer: Writer) -> LoadReport:
            add_texts(writer, named)
            return LoadReport()

        return making.made(self._depot, self._shelf.workplace, params, fill)

    def change(self, volume: Volume, edit: VolumeEdit) -> Volume:
        """Make a volume in place of another one."""
        return self._mending([volume], lambda: making.changed(self._depot, self._shelf, volume, edit))

    def join(self, params: Params, volumes: Sequence[Volume]) -> Volume:
        """Make a volume in place of others that follow one another."""
        return self._mending(volumes, lambda: making.joined(self._depot, self._shelf, params, volumes))

    def _mending(self, volumes: Sequence[Volume], make: Callable[[], Volume]) -> Volume:
        """Make a volume; if files are damaged on this node's disk, then fetch them anew and make it again."""
        try:
            return make()
        except CorruptError:
            if not self.mend(volumes):
                raise
            return make()

    # ------------------------------------------------------------------ upkeep

    def check(self, volume: Volume) -> list[str]:
        """Return what is wrong with a volume: its files here, those in the depot, and what they say."""
        mended = self.mend([volume]).get(volume.name, [])  # any node may be asked
        return mended + upkeep.volume_problems(self._depot, self._shelf, volume, self._params)

    def mend(self, volumes: Sequence[Volume]) -> dict[str, list[str]]:
        """Fetch files anew that are damaged on this node's disk; return which ones, by volume."""
        found: dict[str, list[str]] = {}
        for volume in volumes:
            with suppress(*UNREADABLE):  # then `check` tells why
                found[volume.name] = [
                    f"{self._shelf.folder}: {one} was damaged" for one in self._shelf.mend(volume.name)
                ]
        found = {name: some for name, some in found.items() if some}
        self._opened.renew(found.keys())
        return found

    # ------------------------------------------------------------------ the catalog

    def by_sha256(self, volumes: Sequence[Volume], contents: Sequence[str]) -> Reply:
        """Return the live documents with these contents."""

        def of(store: Store, volume: Volume) -> list[Document]:
            return [one._replace(id=one.id + volume.offset) for one in store.catalog.by_sha256(contents)]

        return _flat(*self._each(volumes, of))

    def unread_documents(self, volumes: Sequence[Volume]) -> Reply:
        """Return the id, the kind and the problems of each document that has no word, or was not read to its end."""

        def of(store: Store, volume: Volume) -> list[tuple[int, str | None, str]]:
            kinds, problems = store.catalog.kinds_without_words(), store.catalog.incomplete_documents()
            some = sorted({*kinds, *problems})
            return [(one + volume.offset, kinds.get(one), problems.get(one, "")) for one in some]

        return _flat(*self._each(volumes, of))

    def some_paths(self, volumes: Sequence[Volume], paths: Sequence[str]) -> Reply:
        """Return those paths that are listed."""
        return self._paths(volumes, lambda store: store.catalog.some_paths(paths).values())

    def has_below(self, volumes: Sequence[Volume], folder: str) -> Reply:
        """Return whether a path is listed below a folder."""
        some, unread = self._each(volumes, lambda store, _volume: store.catalog.has_below(folder))
        return Reply(any(some), unread)

    def listed_of(self, volumes: Sequence[Volume], ids: Sequence[int]) -> Reply:
        """Return the paths of some documents."""

        def of(store: Store, volume: Volume) -> list[ListedPath]:
            listed = store.listed_of(volume.own(ids))
            return [moved(one, volume) for some in listed.values() for one in some]

        return _flat(*self._each(volumes, of))

    def paths(self, volumes: Sequence[Volume], with_labels: bool) -> Reply:
        """Return every path, or every path that has labels."""
        return self._paths(
            volumes, lambda store: store.catalog.labelled_paths() if with_labels else store.catalog.paths()
        )

    def _paths(self, volumes: Sequence[Volume], listed: Callable[[Store], Iterable[ListedPath]]) -> Reply:
        return _flat(*self._each(volumes, lambda store, volume: [moved(one, volume) for one in listed(store)]))


def _flat(found: list[list[Any]], unread: dict[str, str]) -> Reply:
    return Reply([one for some in found for one in some], unread)
