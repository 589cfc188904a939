"""Collects changes in memory, and commits them as one new generation.

    add, attach, detach, remove ─► pending
    commit ─► files of fingerprints, texts and changed tiles, each synced  } side by side
           ─► one SQLite transaction that names them                       } committed last: now it has happened
           ─► the generation's number; files no longer named are deleted when nobody reads

Killed before the transaction, nothing has happened; files that nobody names are cleaned away by the next writer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future, wait
from typing import Any

from pmbf import kernels
from pmbf.errors import ParameterError
from pmbf.filter import Tile
from pmbf.kernels import Postings
from pmbf.rowindex import RowIndex
from pmbf.store import directory, files, tilefile
from pmbf.store.codec import TextPacker
from pmbf.store.directory import Directory
from pmbf.store.files import StoredFile
from pmbf.store.folder import Store, write_generation
from pmbf.store.pending import Change, NewDocument, Pending, PendingDocument
from pmbf.store.placing import Hashes, Placer
from pmbf.store.postings import merged
from pmbf.store.tables import BINARY_KIND, Document, ListedPath, made_from
from pmbf.store.tilefile import StoredTile


class Writer:
    """Changes a collection through its writable store.

    Args:
        store: A store opened with `writable=True`; its lock keeps other writers out.
        rebuild: Start with no tiles, to place every document anew.
        threads: Where texts are compressed while more come, and files written; here by default.
    """

    def __init__(self, store: Store, *, rebuild: bool = False, threads: Executor | None = None) -> None:
        if not store.writable:
            raise ParameterError(f"{store.folder}: opened for reading; open it with writable=True to change it")
        self.store = store
        self.threads = threads
        self.first_commit, self.changed = store.commit_number, set[int]()  # ids of documents changed since that commit
        self._next_serial = 0
        self._start_placing(rebuild=rebuild)
        store.clean()

    # ------------------------------------------------------------------ looking, pending changes included

    @property
    def pending_bytes(self) -> int:
        """Bytes of text waiting for a commit."""
        return self.pending.texts.n_raw_bytes

    def path(self, path: str) -> ListedPath | None:
        """Return a path as it is listed, or None."""
        if path in self.pending.lost_paths:
            return None
        return self.pending.paths.get(path) or self.store.catalog.path(path)

    def paths(self, paths: Sequence[str]) -> dict[str, ListedPath]:
        """Return those paths that are listed, by path."""
        pending, lost = self.pending.paths, self.pending.lost_paths
        stored = {path: listed for path, listed in self.store.catalog.some_paths(paths).items() if path not in lost}
        return stored | {path: pending[path] for path in paths if path in pending}

    def with_contents(self, sha256: str, kind: str) -> int | None:
        """Return the id of the live document with these contents that was made from the same as `kind`, or None."""
        made = made_from(kind)
        if (document := self.pending.ids.get((sha256, made))) in self.pending.documents:
            return document
        if sha256 not in self.pending.looked_up:
            self.look_up([sha256])
        known = self.pending.looked_up[sha256].get(made)
        return None if known in self.pending.removed else known

    def look_up(self, contents: Iterable[str]) -> None:
        """Ask the catalog about these contents in one go; `with_contents` knows them until the next commit.

        Args:
            contents: SHA-256 of each.
        """
        found: dict[str, dict[str, int]] = {sha256: {} for sha256 in contents}
        for row in self.store.catalog.by_sha256(found):
            found[row.sha256][made_from(row.kind)] = row.id
        self.pending.looked_up = found

    # ------------------------------------------------------------------ changing

    def add(self, new: NewDocument) -> int:
        """Store a document and return its id; it needs a path, see `attach`.

        A fingerprint follows from its text. So its record is stored only where the text is not.
        """
        pending, number = self.pending, next(self._ids)
        keeps_text = self.store.params.store_text
        offset, n_bytes = 0, 0
        if not keeps_text:
            offset, n_bytes = pending.records.add(new.record or kernels.record(new.hashes, new.bounds))
        text = pending.texts.add(new.utf8) if new.utf8 and keeps_text else None
        pending.ids[new.sha256, made_from(new.kind)] = number
        pending.documents[number] = PendingDocument(new.without_bytes(), offset, n_bytes, text)
        return number

    def attach(self, path: str, document: int, *, size: int = -1, mtime_ns: int = -1) -> ListedPath:
        """List a document under a path, which keeps its labels; the document listed there before loses it."""
        before = self.path(path)
        after = ListedPath(path, document, size, mtime_ns, before.labels if before else "")
        self.relist(before, after)
        return after

    def relist(self, before: ListedPath | None, after: ListedPath) -> None:
        """List a path anew; `before` says how it is listed now, None if it is not."""
        if before is not None:
            if before.document != after.document:
                self.detach(after.path)
            self._forget_path(after.path)
        self.pending.lost_paths.discard(after.path)
        self.pending.paths[after.path] = after
        self.pending.n_paths[after.document] += 1

    def detach(self, path: str) -> None:
        """Take a path out; a document without paths is removed."""
        listed = self.path(path)
        if listed is None:
            return
        self._forget_path(path)
        if not self.pending.n_paths[listed.document] and not self._stored_paths(listed.document):
            self.store.require_paths()
            self._remove_document(listed.document)

    def remove(self, document: int) -> None:
        """Remove a document with all its paths; `compact` gives its room back."""
        pending = [path for path, listed in self.pending.paths.items() if listed.document == document]
        for path in self._stored_paths(document) + pending:
            self._forget_path(path)
        self._remove_document(document)

    def _forget_path(self, path: str) -> None:
        if listed := self.pending.paths.pop(path, None):
            self.pending.n_paths[listed.document] -= 1
        self.pending.lost_paths.add(path)

    def _remove_document(self, document: int) -> None:
        if self.pending.documents.pop(document, None) is None:
            self.pending.removed.add(document)

    def _stored_paths(self, document: int) -> list[str]:
        """Return the committed paths of a document that no pending change has taken from it."""
        lost, moved = self.pending.lost_paths, self.pending.paths
        stored = self.store.catalog.paths_of([document]).get(document, [])
        return [path for path in stored if path not in lost and path not in moved]

    # ------------------------------------------------------------------ committing

    def commit(self) -> None:
        """Make all pending changes durable and visible, at once.

        Raises:
            OSError: The disk is full or cannot be written; the pending changes are dropped, the collection is
                as it was after the commit before.
        """
        self._drop_pathless()
        if self.pending:
            try:
                self._write(self._change())
            except BaseException:
                self.discard()
                raise
            self._start_pending()

    def discard(self) -> None:
        """Drop every pending change."""
        self.store.generation.refresh(self.store.catalog.files())
        self._start_placing()
        self.store.clean()

    def apply(self, change: Change) -> None:
        """Commit a prepared change, as `compact` and `repair` make them, and start placing anew."""
        self._write(change)
        self._start_placing()

    def reserve_serial(self) -> int:
        """Return a serial number no other file gets."""
        serial, self._next_serial = self._next_serial, self._next_serial + 1
        return serial

    def write_file(
        self, kind: str, payload: Iterable[files.Buffer], *, serial: int | None = None, tile: int = -1
    ) -> StoredFile:
        """Write a file and return its row of the catalog."""
        serial = self.reserve_serial() if serial is None else serial
        written = files.write_file(self.store.folder, kind, self.store.generation.identity, serial, payload)
        return written._replace(tile=tile)

    def write_tile(self, number: int) -> StoredFile:
        """Write a tile of the placer and return its row of the catalog."""
        return self._start_tile(number).result()

    def _start_tile(self, number: int) -> Future[StoredFile]:
        """Write a tile of the placer, in a thread if there are any."""
        tile, entries = self.placer.tiles[number], self.placer.rows.tile_arrays(number)
        stored = StoredTile(tile, entries, growing=not tile.sealed)
        generation = self.store.generation
        old = generation.postings(number) if number in generation.tile_files() else Postings.none()
        arguments = self.reserve_serial(), number, stored, old, self.placer.added(number)
        return self._start(self._write_tile, *arguments)

    def _write_tile(
        self, serial: int, number: int, stored: StoredTile, old: Postings, added: Sequence[tuple[int, Hashes]]
    ) -> StoredFile:
        postings = merged(old, stored.documents, added)
        return self.write_file("TILE", tilefile.payload(stored, postings), serial=serial, tile=number)

    def _drop_pathless(self) -> None:
        """Forget documents whose load was interrupted before they had a path."""
        named = {listed.document for listed in self.pending.paths.values()}
        for document in self.pending.documents.keys() - named:
            self._remove_document(document)

    def _change(self) -> Change:
        pending = self.pending
        change = Change(
            changed_documents=[row._replace(removed=1) for row in self.store.documents(pending.removed).values()],
            paths=list(pending.paths.values()),
            lost_paths=pending.lost_paths,
        )
        if pending.documents:
            blocks, offsets = pending.texts.finished()
            change.writing = self._new_files(blocks)
            change.new_documents = pending.rows(offsets)
            change.lost_files = self._replaced_files()
        return change

    def _place_pending(self) -> None:
        documents = self.pending.documents
        self._n_live += sum(pending.new.kind != BINARY_KIND for pending in documents.values())
        self._n_hashes += sum(len(pending.new.hashes) for pending in documents.values())
        self.placer.mean_hashes = self._n_hashes / max(1, self._n_live)
        for document, pending in documents.items():
            self.placer.place(document, pending.new.hashes, pending.new.bounds.tolist())

    def _new_files(self, blocks: list[bytes]) -> list[Future[StoredFile]]:
        pending = self.pending
        written: list[Future[StoredFile]] = []
        try:
            if records := pending.records.n_bytes and [pending.records.payload()]:
                written.append(self._start(self.write_file, "FPRT", records, serial=pending.fingerprint_file))
            if blocks:
                written.append(self._start(self.write_file, "TEXT", blocks, serial=pending.text_file))
            self._place_pending()
            self.placer.fill_rows()
            written += [self._start_tile(number) for number in sorted(self.placer.changed)]
        except BaseException:
            wait(written)  # the clean-up must not meet a file that a thread still writes
            raise
        return written

    def _start(self, write: Callable[..., StoredFile], *arguments: Any, **more: Any) -> Future[StoredFile]:
        """Write a file in a thread if there are any, otherwise here and now."""
        if self.threads:
            return self.threads.submit(write, *arguments, **more)
        written: Future[StoredFile] = Future()
        written.set_result(write(*arguments, **more))
        return written

    def _replaced_files(self) -> set[int]:
        changed = self.placer.changed
        return {file.serial for number, file in self.store.generation.tile_files().items() if number in changed}

    def _write(self, change: Change) -> None:
        catalog = self.store.catalog
        try:
            self._change_directory(change)
            with catalog.transaction():
                self._write_rows(change)
        finally:
            wait(change.writing)
        catalog.checkpoint()
        write_generation(self.store.folder, self.store.commit_number)
        self.store.generation.refresh(catalog.files())
        self.placer.forget_changes()
        self.store.clean()

    def _write_rows(self, change: Change) -> None:
        catalog = self.store.catalog
        rows = (*change.new_documents, *change.changed_documents)
        self.changed.update((one.id for one in rows), change.lost_documents)
        catalog.delete(StoredFile, change.lost_files)
        catalog.delete(ListedPath, change.lost_paths)
        catalog.delete(Document, change.lost_documents)
        catalog.insert(change.new_documents)
        catalog.replace(change.changed_documents)
        catalog.replace(change.paths)
        meta = {"generation": str(self.store.commit_number + 1), "next_serial": str(self._next_serial)}
        catalog.set_meta(**meta, next_tile=str(self.placer.next_tile))
        # Last: from here on all files are on disk.
        catalog.insert([*change.new_files, *(one.result() for one in change.writing)])

    def _change_directory(self, change: Change) -> None:
        """Add the chunks of the directory that a change touches to its files; all of them when rebuilding."""
        known, lost = self.store.generation.directory, set(change.lost_documents)
        rows = itertools.chain(change.new_documents, change.changed_documents)
        if self._rebuild:
            kept = (document for document in self.store.catalog.all_documents() if document.id not in lost)
            known, rows = Directory({}, self.store.generation.file), itertools.chain(kept, rows)
        for number, locations in known.changed(rows, lost).items():
            change.lost_files |= {known.chunks[number]} if number in known.chunks else set()
            if len(locations):
                serial, content = self.reserve_serial(), directory.payload(locations)
                change.writing.append(self._start(self.write_file, "DOCS", content, serial=serial, tile=number))

    def _start_placing(self, *, rebuild: bool = False) -> None:
        catalog = self.store.catalog
        self._rebuild = rebuild
        used = max((file.serial for file in catalog.files()), default=0)
        self._next_serial = max(self._next_serial, int(catalog.meta["next_serial"]), used + 1)
        self._n_live, self._n_hashes = self._totals()
        self.placer = self._placer(rebuild)
        self._start_pending()

    def _totals(self) -> tuple[int, int]:
        """Return the live documents with text and their hashes, told by the catalog if the directory is rebuilt."""
        if self._rebuild:
            rows = self.store.catalog.live_documents()
            hashes = [document.n_hashes for document in rows if document.kind != BINARY_KIND]
            return len(hashes), sum(hashes)
        totals = self.store.generation.directory.totals()
        return totals.n_live, totals.n_hashes

    def _start_pending(self) -> None:
        self._ids = self.store.generation.directory.free_ids()
        self.pending = Pending(self.reserve_serial(), self.reserve_serial(), texts=TextPacker(self.threads))

    def _placer(self, rebuild: bool) -> Placer:
        tiles: dict[int, Tile] = {}
        rows = RowIndex()
        for number, stored in () if rebuild else self.store.generation.growing_tiles():
            tiles[number] = stored.tile.writable()
            rows.put_tile(number, stored.entries.copy())
        used = max(self.store.generation.tile_files(), default=-1)
        next_tile = max(int(self.store.catalog.meta["next_tile"]), used + 1)
        mean_hashes = self._n_hashes / max(1, self._n_live)
        return Placer(self.store.params, tiles, rows, next_tile=next_tile, mean_hashes=mean_hashes)
