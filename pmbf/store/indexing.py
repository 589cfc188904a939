"""The index of the documents of a commit: segments of postings with their rows of the filter, or tiles of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial

from pmbf.base.hashes import Hashes
from pmbf.filter import Tile
from pmbf.rowindex import RowIndex
from pmbf.store import laying, levels, rowsfile, tilefile
from pmbf.store.catalog_tables import BINARY_KIND
from pmbf.store.files import Buffer, MappedFile, StoredFile
from pmbf.store.fingerprints import Fingerprints
from pmbf.store.folder import Store
from pmbf.store.pending import Change, ended
from pmbf.store.placing import Placer
from pmbf.store.postings import Added, StoredPostings
from pmbf.store.tilefile import StoredTile
from pmbf.store.writing import Files, Written


class Index:
    """Takes the fingerprints of documents, and writes what a query finds them by.

    Args:
        rebuild: Whether all documents are placed anew.
        mean_hashes: Hashes of a typical document so far, 0 when there is none.

    Attributes:
        placer: Places documents into rows, in a collection of the kind `rows`; else None.
    """

    def __init__(self, files: Files, *, rebuild: bool, mean_hashes: float) -> None:
        self._files, self._store, self._rebuild = files, files.store, rebuild
        self.placer = _placer(self._store, rebuild, mean_hashes)
        self.n_loaded = 0
        self._placed: list[Added] = []

    def place(self, document: int, hashes: Hashes, bounds: list[int]) -> None:
        """Take a document's hashes; part p is `hashes[bounds[p]:bounds[p + 1]]`."""
        if self.placer:
            self.placer.place(document, hashes, bounds)
        elif len(hashes):
            self._placed.append(Added.of([(document, hashes)]))
            self.n_loaded += len(hashes)

    def place_all(self, taken: Fingerprints, mean_hashes: float) -> None:
        """Take the hashes of documents."""
        if self.placer:
            self.placer.mean_hashes = mean_hashes
            self.placer.place_all(taken)
            return
        has_hashes = taken.n_hashes > 0
        self._placed.append(Added(taken.ids[has_hashes], taken.n_hashes[has_hashes], taken.hashes))
        self.n_loaded += len(taken.hashes)

    def take(self, added: Added) -> None:
        """Take the hashes of documents of the journal, which no query asks there any more."""
        self._placed.append(added)

    def start_files(
        self,
        written: list[Written],
        rewritten: Collection[int] = (),
        *,
        is_last: bool = False,
        has_more: bool = False,
    ) -> set[int]:
        """Begin to write the index of the documents placed: segments, or the changed tiles.

        Args:
            written: The files are added to them.
            rewritten: Serials of files of postings that are written anew without the documents removed.
            is_last, has_more: As for `Writer.commit`.

        Returns:
            The serials of the files that are replaced.
        """
        if self.placer:
            return self._start_tiles(written)
        live, placed, replaced = self._store.generation, Added.joined(self._placed), set[int]()
        if self._rebuild:
            joins = levels.new_file(placed, self._store.params.hash_bits)
        else:
            joins = levels.joins(live, placed, rewritten=rewritten, n_loaded=self.n_loaded if is_last else 0)
        for join in joins:
            serials = self._files.reserve_serial(), 0 if has_more else self._files.reserve_serial()
            written.append(self._files.run(partial(self._write_segment, join.content, *serials)))
            replaced |= join.replaced
        return replaced if self._rebuild else replaced | live.posted.lost_rows(replaced)

    def rows_due(self) -> Change | None:
        """Return the change that makes rows which segments do not have yet, and lays those of large ones side by side.

        There is nothing to do after most commits: None.
        """
        posted = self._store.generation.posted
        together = laying.due(posted)
        alone = sorted(posted.without_row() - set(together.segments if together else ()))
        if not (together or alone):
            return None
        change, groups = Change(), [[serial] for serial in alone]
        if together:
            change.lost_files = together.replaced
            groups.append(together.segments)
        with ended(change.writing):
            for serials in groups:
                segments = [(serial, posted.of_file(serial).whole()) for serial in serials]
                change.writing.append(self._files.start("ROWS", rowsfile.payload(segments)))
        return change

    def forget(self) -> None:
        """Begin anew after a commit."""
        self._placed = []
        if self.placer:
            self.placer.forget_changes()

    def _start_tiles(self, written: list[Written]) -> set[int]:
        placer = self.placer
        assert placer is not None
        placer.fill_rows()
        for number in sorted(placer.changed & placer.tiles.keys()):
            tile, entries = placer.tiles[number], placer.rows.tile_arrays(number)
            content = tilefile.payload(StoredTile(tile, entries, growing=not tile.sealed))
            written.append(self._files.start("TILE", content, tile=number))
        of_tiles = self._store.generation.tile_files()
        return {file.serial for number, file in of_tiles.items() if number in placer.changed}

    def _write_segment(self, content: Iterable[Buffer], serial: int, rows_serial: int) -> list[StoredFile]:
        """Write a file of postings, and one with the row of the filter that follows from it, unless its serial is 0."""
        written = self._files.write("POST", content, serial=serial)
        if not rows_serial:
            return [written]
        mapped = MappedFile(self._store.folder, written, self._store.generation.identity)
        rows = rowsfile.payload([(serial, StoredPostings.of_file(mapped).whole())])
        return [written, self._files.write("ROWS", rows, serial=rows_serial)]


def totals_of(store: Store, rebuild: bool) -> tuple[int, int]:
    """Return the live documents with text and their hashes, told by the catalog if the directory is rebuilt."""
    if rebuild:
        rows = store.catalog.live_documents()
        hashes = [document.n_hashes for document in rows if document.kind != BINARY_KIND]
        return len(hashes), sum(hashes)
    known = store.generation.directory.totals()
    return known.n_live, known.n_hashes


def _placer(store: Store, rebuild: bool, mean_hashes: float) -> Placer | None:
    """Return a placer with the tiles that take more documents; with `rebuild` there are none. None: nothing is placed.

    Only a collection of the kind `rows` has tiles.
    """
    if store.params.index != "rows":
        return None
    tiles: dict[int, Tile] = {}
    rows = RowIndex()
    for number, stored in () if rebuild else store.generation.growing_tiles():
        tiles[number] = stored.tile.writable()
        rows.put_tile(number, stored.entries.copy())
    used = max(store.generation.tile_files(), default=-1)
    next_tile = max(int(store.catalog.meta["next_tile"]), used + 1)
    return Placer(store.params, tiles, rows, next_tile=next_tile, mean_hashes=mean_hashes)
