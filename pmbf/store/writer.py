"""Collects changes in memory, and commits them as one new generation.

    add, relist, detach, remove ─► pending
    commit ─► one document, or removals: rows of the journal, in that transaction; else
           ─► files of fingerprints, texts, changed tiles and postings  } side by side, each synced
           ─► one SQLite transaction that names them                    } committed last: now it has happened
           ─► the generation's number; files no longer named are deleted when nobody reads

Killed before the transaction, nothing has happened; files that nobody names are cleaned away by the next writer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, wait

import numpy as np

from pmbf.base.arrays import among
from pmbf.base.errors import ParameterError
from pmbf.store import directory
from pmbf.store.catalog_tables import BINARY_KIND, Document, DocumentRows, JournalEntry, ListedPath, made_from
from pmbf.store.codec import TextPacker
from pmbf.store.files import StoredFile
from pmbf.store.fingerprints import Fingerprints
from pmbf.store.folder import Store, write_generation
from pmbf.store.incoming import Contents, NewDocuments
from pmbf.store.indexing import Index, totals_of
from pmbf.store.journal import NO_JOURNAL, Journal
from pmbf.store.pending import Change, Pending, PendingDocuments, ended
from pmbf.store.writing import Files


class Writer:
    """Changes a collection through its writable store.

    Args:
        rebuild: Start with no segments and no tiles, to place every document anew.
        threads: Where texts are compressed while more come, and files written; here by default.
    """

    def __init__(self, store: Store, *, rebuild: bool = False, threads: Executor | None = None) -> None:
        if not store.writable:
            raise ParameterError(f"{store.folder}: opened for reading; open it with writable=True to change it")
        self.store = store
        self.threads = threads
        self.first_commit, self.changed = store.commit_number, set[int]()  # ids of documents changed since that commit
        self.files = Files(store, threads)
        self._start_placing(rebuild=rebuild)
        store.clean()

    # ------------------------------------------------------------------ looking, pending changes included

    @property
    def pending_bytes(self) -> int:
        """Bytes of text waiting for a commit."""
        return self.pending.texts.n_raw_bytes

    def path(self, path: str) -> ListedPath | None:
        """Return a path as it is listed, or None."""
        return self.paths([path]).get(path)

    def paths(self, paths: Sequence[str]) -> dict[str, ListedPath]:
        """Return those paths that are listed, by path."""
        pending, lost = self.pending.paths, self.pending.lost_paths
        stored = {path: listed for path, listed in self.store.catalog.some_paths(paths).items() if path not in lost}
        return stored | {path: pending[path] for path in paths if path in pending}

    def look_up(self, contents: Sequence[Contents]) -> list[int | None]:
        """Return the id of the live document with each of these contents, or None."""
        known = [self.pending.known(one) for one in contents]
        missing = {one[0] for one, id_ in zip(contents, known, strict=True) if id_ is None}
        rows = self.store.catalog.by_sha256(missing)
        stored = {(row.sha256, made_from(row.kind)): row.id for row in rows if row.id not in self.pending.removed}
        return [stored.get(one) if id_ is None else id_ for one, id_ in zip(contents, known, strict=True)]

    # ------------------------------------------------------------------ changing

    def add(self, new: NewDocuments, ids: Sequence[int] = ()) -> list[int]:
        """Store documents and return their ids, the next free ones by default; each needs a path, see `relist`.

        Their contents differ, and `look_up` does not know them.
        """
        ids = list(ids) or list(itertools.islice(self._ids, len(new)))
        self.pending.add(ids, new, self.store.params)
        return ids

    def attach(self, paths: Mapping[str, ListedPath]) -> None:
        """List paths anew; each keeps its labels, and the document listed there before loses it."""
        before = self.paths(list(paths))
        labels = {path: listed.labels for path, listed in before.items() if listed.labels}
        kept = [one._replace(labels=labels[path]) if path in labels else one for path, one in paths.items()]
        self.relist([before.get(path) for path in paths], kept)

    def relist(self, before: Sequence[ListedPath | None], after: Sequence[ListedPath]) -> None:
        """List paths anew, different ones; `before` says of each how it is listed now, None if it is not.

        A document whose last path goes is removed with the commit.
        """
        self._forget([one for one in before if one is not None])
        self.pending.paths |= {one.path: one for one in after}

    def detach(self, paths: Sequence[str]) -> None:
        """Take paths out; a document without paths is removed with the commit."""
        self._forget(list(self.paths(paths).values()))

    def remove(self, documents: Iterable[int]) -> None:
        """Remove documents with all their paths; `compact` gives their room back."""
        ids = set(documents)
        self._forget([one for one in self.pending.paths.values() if one.document in ids])
        self.pending.lost_paths.update(*self._stored_paths(ids).values())
        self._remove_documents(ids)

    def _forget(self, listed: Sequence[ListedPath]) -> None:
        pending = self.pending
        pending.left.update(one.document for one in listed)
        pending.lost_paths.update(one.path for one in listed)
        for one in listed:
            pending.paths.pop(one.path, None)

    def _remove_documents(self, documents: set[int]) -> None:
        self.pending.dropped |= documents & self.pending.numbers
        self.pending.removed |= documents - self.pending.numbers

    def _stored_paths(self, documents: set[int]) -> dict[int, list[str]]:
        """Return the committed paths of documents that no pending change has taken from them; those that have any."""
        lost, found = self.pending.lost_paths, dict[int, list[str]]()
        for document, paths in self.store.catalog.paths_of(documents).items():
            if staying := [path for path in paths if path not in lost]:
                found[document] = staying
        return found

    # ------------------------------------------------------------------ committing

    def commit(self, *, is_last: bool = False, has_more: bool = False, in_journal: bool = False) -> None:
        """Make all pending changes durable and visible, at once.

        Args:
            is_last: Whether a load ends. Then the segments of this load are joined.
            has_more: Whether a load goes on. Then new segments have no row of the filter yet, and are asked for all
                hashes: most of them are joined before the load ends.
            in_journal: Whether the journal takes the changes, if it has room for them. Then no file is written.

        Raises:
            OSError: The disk is full or cannot be written; the pending changes are dropped, the collection is
                as it was after the commit before.
        """
        self._drop_pathless()
        if in_journal:
            self._make_room()
        is_entered = False
        if self.pending:
            try:
                change = self._change(is_last, has_more, in_journal)
                is_entered = change.entries is not None
                self._write(change)
            except BaseException:
                self.discard()
                raise
            self._start_pending()
        if not (has_more or is_entered):
            self._try_to_lay_rows()

    def discard(self) -> None:
        """Drop every pending change."""
        self._refresh()
        self._start_placing()
        self.store.clean()

    def apply(self, change: Change) -> None:
        """Commit a prepared change, as `compact` and `repair` make them, and start placing anew."""
        self._write(change)
        self._start_placing()
        self._try_to_lay_rows()

    def settle(self) -> None:
        """Write the documents of the journal to files, in a commit of their own, if there are any.

        Raises:
            CorruptError: Postings that are joined are damaged; the collection is as before.
            OSError: The disk is full; the collection is as before.
        """
        if not self.store.generation.journal.entries:
            return
        change = Change()
        try:
            with ended(change.writing):
                self.start_settling(change)
                self.index.take(change.settled.added(self.store.params.hash_bits))
                change.lost_files = self.index.start_files(change.writing)
            self._write(change)
        except BaseException:
            self.discard()
            raise

    def start_settling(self, change: Change) -> None:
        """Start to write the texts or records of the journal to files; its rows go with the change."""
        change.settled = self.store.generation.journal
        for (kind, serial), payload in change.settled.payloads.items():
            change.writing.append(self.files.start(kind, [payload], serial))

    def lay_rows(self) -> None:
        """Make the rows of the filter that are missing, in a commit of their own, if there are any.

        Raises:
            CorruptError: Rows or postings are damaged; the collection is as before.
            OSError: The disk is full; the collection is as before.
        """
        if change := self.index.rows_due():
            self._write(change)

    def _try_to_lay_rows(self) -> None:
        """Make missing rows. If that fails, then what was committed stays, and the next commit tries it again."""
        try:
            self.lay_rows()
        except OSError:
            self.discard()

    def _drop_pathless(self) -> None:
        """Remove documents that lost their last path, and those whose load was interrupted before they had one."""
        pending = self.pending
        named = {listed.document for listed in pending.paths.values()}
        pathless = (pending.left | pending.numbers) - pending.removed - named
        if stored := pathless - pending.numbers:
            self.store.require_paths()
            pathless -= self._stored_paths(stored).keys()
        self._remove_documents(pathless)

    def _make_room(self) -> None:
        """Write the journal to files if it is too full for removals that an empty one takes."""
        pending, journal = self.pending, self.store.generation.journal
        if not pending.has_documents and pending.fits(NO_JOURNAL) and not pending.fits(journal):
            self.settle()

    def _change(self, is_last: bool, has_more: bool, in_journal: bool) -> Change:
        pending, journal = self.pending, self.store.generation.journal
        change = Change(
            changed_documents=[row._replace(removed=1) for row in self.store.documents(pending.removed).values()],
            paths=list(pending.paths.values()),
            lost_paths=pending.lost_paths,
        )
        if in_journal and not self.index.placer and pending.fits(journal):
            change.entries = [JournalEntry(id_, b"", b"") for id_ in sorted(pending.removed - journal.entries.keys())]
            if pending.has_documents:
                change.new_documents, entry = pending.entered(journal, self.store.params)
                change.entries.append(entry)
        elif pending.has_documents:
            documents = pending.staying()
            offsets = self._start_files(documents, change, is_last, has_more)
            change.new_documents = pending.rows(documents, offsets)
        return change

    def _place(self, documents: PendingDocuments) -> None:
        samples = documents.samples
        self._n_live += sum(kind != BINARY_KIND for kind in documents.kinds)
        self._n_hashes += len(samples.hashes)
        taken = Fingerprints.of_samples(documents.ids, samples)
        self.index.place_all(taken, self._n_hashes / max(1, self._n_live))

    def _start_files(self, documents: PendingDocuments, change: Change, is_last: bool, has_more: bool) -> list[int]:
        """Start to write the files of new documents, and of those in the journal; return where blocks of text begin.

        The index comes first: meanwhile threads compress the last blocks of text.
        """
        pending, writing = self.pending, change.writing
        with ended(writing):
            if records := pending.records.n_bytes and [pending.records.payload()]:
                writing.append(self.files.start("FPRT", records, pending.fingerprint_file))
            self.start_settling(change)
            self._place(documents)
            self.index.take(change.settled.added(self.store.params.hash_bits))
            change.lost_files = self.index.start_files(writing, is_last=is_last, has_more=has_more)
            blocks, offsets = pending.texts.finished()
            if blocks:
                writing.append(self.files.start("TEXT", blocks, pending.text_file))
        return offsets

    def _write(self, change: Change) -> None:
        catalog = self.store.catalog
        try:
            if change.entries is None:
                self._change_directory(change)
            with catalog.transaction():
                self._write_rows(change)
        finally:
            wait(change.writing)
        if change.entries is None:
            catalog.checkpoint()
        write_generation(self.store.folder, self.store.commit_number)
        if change.entries is None:
            self._refresh()
            self.store.clean()
        else:
            rows = [*map(Document._make, change.new_documents.tuples()), *change.changed_documents]
            self.store.generation.enter(change.entries, rows)
        self.index.forget()

    def _refresh(self) -> None:
        catalog = self.store.catalog
        self.store.generation.refresh(catalog.files(), Journal.of(catalog))

    def _write_rows(self, change: Change) -> None:
        catalog = self.store.catalog
        self.changed.update(change.new_documents.numbers.id.tolist(), change.lost_documents)
        self.changed.update(one.id for one in change.changed_documents)
        catalog.delete(StoredFile, change.lost_files)
        catalog.delete(ListedPath, change.lost_paths)
        catalog.delete(Document, change.lost_documents)
        catalog.delete(JournalEntry, change.settled.entries)
        catalog.insert(change.entries or ())
        catalog.insert_tuples(Document, change.new_documents.tuples())
        catalog.replace(change.changed_documents)
        catalog.insert(change.paths)
        meta = {"generation": str(self.store.commit_number + 1), "next_serial": str(self.files.next_serial)}
        catalog.set_meta(**meta, **({"next_tile": str(placer.next_tile)} if (placer := self.index.placer) else {}))
        # Last: from here on all files are on disk.
        catalog.insert([*change.new_files, *itertools.chain.from_iterable(one.result() for one in change.writing)])

    def _change_directory(self, change: Change) -> None:
        """Add the chunks of the directory that a change touches to its files; all of them when rebuilding."""
        known, lost = self.store.generation.directory, set(change.lost_documents)
        changed = DocumentRows.of(change.changed_documents)
        rows = [(one.numbers, one.is_binary()) for one in (change.settled.documents, change.new_documents, changed)]
        if self._rebuild:
            kept, is_binary = self.store.catalog.document_columns()
            is_kept = ~among(kept.id, np.array(list(lost), np.int64))
            known, rows = self.store.generation.directory.emptied(), [(kept[is_kept], is_binary[is_kept]), *rows[1:]]
        numbers, are_binary = (np.concatenate(column) for column in zip(*rows, strict=True))
        for number, locations in known.changed(numbers.view(np.recarray), are_binary, lost).items():
            change.lost_files |= {known.chunks[number]} if number in known.chunks else set()
            if len(locations):
                change.writing.append(self.files.start("DOCS", directory.payload(locations), tile=number))

    def _start_placing(self, *, rebuild: bool = False) -> None:
        self._rebuild = rebuild
        self.files.go_on()
        has_rows = self.store.params.index == "rows"
        self._n_live, self._n_hashes = totals_of(self.store, rebuild) if has_rows else (0, 0)
        mean_hashes = self._n_hashes / max(1, self._n_live)
        self.index = Index(self.files, rebuild=rebuild, mean_hashes=mean_hashes)
        self._start_pending()

    def _start_pending(self) -> None:
        self._ids = self.store.generation.directory.free_ids()
        self.pending = Pending(self.files.reserve_serial(), self.files.reserve_serial(), texts=TextPacker(self.threads))
