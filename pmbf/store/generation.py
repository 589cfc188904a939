"""The files of one generation of a collection. They answer a query without the catalog.

They never change while a reader holds its lock, so that other processes may open them, whatever was committed since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base import arrays
from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.base.params import Params
from pmbf.filter import PseudoMatrixBloomFilter
from pmbf.fingerprint import Fingerprint, fingerprint
from pmbf.kernels import Evident, EvidentRules, Ranges, Sampled
from pmbf.rowindex import RowIndex
from pmbf.store import codec, files, tilefile, wordlists
from pmbf.store.catalog_tables import Document, JournalEntry, require_size
from pmbf.store.directory import LIVE, REMOVED, Directory, Totals
from pmbf.store.files import Identity, StoredFile
from pmbf.store.having import FirstPlaces, Having
from pmbf.store.journal import Journal
from pmbf.store.live import LiveFiles
from pmbf.store.posted import Posted
from pmbf.store.recent import SAMPLED_BYTES, Recent
from pmbf.store.tilefile import StoredTile

RECENT_BYTES = 64 << 20
"""Bytes of texts that were compared lately, made ready to be compared again: 300 texts of 4,000 words, 3,800 of 200."""

_MOST_OCTETS = 4
"""Bytes of a character in UTF-8, at most."""

_SMALL_SHARE = 8
"""A block is kept for the next text in it if the text just read is less than this part of the block."""


class Generation(LiveFiles):
    """The live files of a generation, mapped when they are needed. Unpickled, it opens the same files again.

    Args:
        identity: What the files' headers say.
        live: The files. Somebody must hold the reader's lock as long as they are used.

    Thread rule: threads may read from one object, until one of them closes or refreshes it.
    """

    def __init__(
        self, folder: Path, params: Params, identity: Identity, live: Iterable[StoredFile], journal: Journal
    ) -> None:
        super().__init__(folder, identity)
        self.params = params
        self._tiles: dict[int, StoredTile] = {}
        self._matrix: PseudoMatrixBloomFilter | None = None
        self._whole: Generation | None = None
        self._left_out = np.empty(0, np.uint32)
        self.recent, self.sampled, self.rows = Recent(RECENT_BYTES), Recent(SAMPLED_BYTES), RowIndex()
        self._show(live, journal)

    def __reduce__(self) -> tuple[Any, ...]:
        return Generation, (self.folder, self.params, self.identity, list(self._live.values()), self.journal)

    def again(self) -> Generation:
        """Return the same files, opened once more: they stay open when these are closed, and need a `close` too."""
        return Generation(self.folder, self.params, self.identity, self._live.values(), self.journal)

    def without(self, documents: NDArray[np.uint32]) -> Generation:
        """Return this generation without some live documents, as if they had been removed; it shares the open files."""
        known, states = self.totals, self.directory.locations(documents, "state")
        n_live = int(np.count_nonzero(states == LIVE))
        n_hashes = int(self.directory.locations(documents, "n_hashes").sum(dtype=np.int64))
        remaining = Generation.__new__(Generation)
        remaining.__dict__ |= self.__dict__
        remaining._whole, remaining._left_out = self._whole or self, documents
        remaining.totals = known._replace(n_live=known.n_live - n_live, n_hashes=known.n_hashes - n_hashes)
        return remaining

    @property
    def n_documents(self) -> int:
        """Live documents with text, those left out not counted: a query is compared with so many."""
        return self.totals.n_live

    @property
    def left_out(self) -> NDArray[np.uint32] | None:
        """The documents that are left out, ascending; None if documents were removed since the last compaction."""
        return None if self.totals.n_removed else self._left_out

    @property
    def warnings(self) -> tuple[str, ...]:
        """Which files are damaged that no answer has needed so far, each with the way out."""
        return tuple(self.posted.unread_rows.values())

    def relative_sizes(self, ids: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the hashes of some documents, for an average document 1."""
        totals = self.totals
        n_hashes = np.maximum(1, self.directory.locations(ids, "n_hashes"))
        return np.asarray(n_hashes * (max(1, totals.n_live) / max(1, totals.n_hashes)))

    # ------------------------------------------------------------------ tiles

    def tile(self, number: int) -> StoredTile:
        """Return a tile, mapped from its file and checked once; `rows` then knows its documents.

        Raises:
            ParameterError: The files have been closed.
            CorruptError: The tile is damaged.
        """
        if number not in self._tiles:
            self._require_open()
            with self._opening:
                if number not in self._tiles:
                    stored = tilefile.read(self.folder, self.tile_files()[number], self.identity)
                    self.rows.put_tile(number, stored.entries)
                    self._tiles[number] = stored
        return self._tiles[number]

    def tiles(self) -> Iterator[tuple[int, StoredTile]]:
        """Yield every tile's number and the tile, ascending."""
        for number in sorted(self.tile_files()):
            yield number, self.tile(number)

    def growing_tiles(self) -> Iterator[tuple[int, StoredTile]]:
        """Yield the number of each tile that takes more documents, and the tile, ascending; the others are not read."""
        for number, file in sorted(self.tile_files().items()):
            if tilefile.is_growing(self.folder, file, self.identity):
                yield number, self.tile(number)

    def matrix(self) -> PseudoMatrixBloomFilter:
        """Return the filter over all tiles, mapped and checked; `rows` then knows every document's rows.

        Raises:
            ParameterError: The files have been closed.
            CorruptError: A tile is damaged.
        """
        self._require_open()
        if self._whole:
            return self._whole.matrix()
        with self._opening:
            if self._matrix is None:
                stored = dict(self.tiles())
                self._matrix = PseudoMatrixBloomFilter({number: one.tile for number, one in stored.items()})
            return self._matrix

    # ------------------------------------------------------------------ documents

    def fingerprint(self, document: Document, *, rescuing: bool = False) -> Fingerprint:
        """Return a document's fingerprint, made anew from its text where the text is stored.

        If `rescuing`, then the record's own checksum is enough, though others on its pages are damaged.
        """
        if not codec.has_stored_fingerprint(document):
            return self._of_text(document, rescuing)
        path, record = self.file(document.fingerprint_file).path, self.record(document, rescuing=rescuing)
        parts = codec.parts_of(record, str(path), self.params.hash_bits, is_worded=self.has_words)
        require_size(document, len(parts), sum(map(len, parts)), path)
        bounds = np.cumsum([0, *map(len, parts)], dtype=np.uint32)
        hashes = np.concatenate([np.empty(0, hash_dtype(self.params.hash_bits)), *parts])
        words = codec.words_in(record, str(path)) if self.has_words else b""
        return Fingerprint(hashes, bounds, document.n_chars, document.n_tokens, words)

    @property
    def has_words(self) -> bool:
        """Whether records have word lists."""
        return self.params.index == "postings"

    def words(self, document: Document, *, rescuing: bool = False) -> bytes:
        """Return a document's stored word list, empty if there is none; `rescuing` as for `fingerprint`."""
        if not (self.has_words and document.fingerprint_file):
            return b""
        return codec.words_in(self.record(document, rescuing=rescuing), str(self.file(document.fingerprint_file).path))

    def words_of(self, ids: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the word lists of some live documents, end to end, and where each begins and the last one ends.

        A list is that of docs/text.md, section 6; it is empty if it is not known.
        """
        if not self.has_words:
            return np.empty(0, np.uint8), np.zeros(len(ids) + 1, np.int64)
        places = self.directory.locations(ids)
        return wordlists.read(self, places["file"], places["offset"].astype(np.int64), places["n_bytes"])

    def record(self, document: Document, *, rescuing: bool = False) -> bytes:
        """Return the record that a document has."""
        file, start = self.file(document.fingerprint_file), document.fingerprint_offset
        stop = start + document.fingerprint_bytes
        if not rescuing:
            file.check(start, stop)
        return bytes(file.payload[start:stop])

    def _of_text(self, document: Document, rescuing: bool) -> Fingerprint:
        taken = fingerprint(self.text(document, rescuing=rescuing) or "", self.params)
        where = self.file(document.text_file).path if document.text_file else self.folder
        require_size(document, len(taken.bounds) - 1, len(taken), where)
        return taken

    def documents_having(self, hashes: Hashes, *, limit: int) -> Having:
        """Return which live documents have which hashes of a query, `(q,)`, and how many documents have each hash.

        A hash that is repeated counts at its first place. Those that more than `limit` documents have are only counted.
        """
        self._require_postings()
        firsts = FirstPlaces.of(hashes)
        counts, keys = self.posted.find(firsts.hashes, limit=limit)
        return firsts.having(self.of_living(keys), counts, limit)

    def near(
        self, queries: Sequence[Hashes], among: Sequence[Ranges], *, least: int, window: int
    ) -> list[NDArray[np.uint64]]:
        """Return what `Posted.find_near` does, of live documents."""
        self._require_postings()
        return [self.of_living(keys) for keys in self.posted.find_near(queries, among, least=least, window=window)]

    def evident(self, queries: Sequence[Sampled], rules: EvidentRules) -> Evident:
        """Return the documents with evidence enough of many queries, in one native call."""
        self._require_postings()
        return self.posted.ask(kernels.evident, queries, rules)

    def of_living(self, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the keys without documents removed or left out. A key is document << 32 | anything, ascending."""
        if not self.totals.n_removed and not len(self._left_out):
            return keys
        documents = (keys >> np.uint64(32)).astype(np.uint32)
        begins = arrays.begins(documents)
        is_gone = self.directory.locations(documents[begins], "state") == REMOVED
        is_gone |= arrays.among(documents[begins], self._left_out)
        living: NDArray[np.uint64] = keys[~np.repeat(is_gone, np.diff(np.append(begins, len(keys))))]
        return living

    def _require_postings(self) -> None:
        if self.params.index != "postings":
            raise ParameterError(f"{self.folder}: has no postings, but they are needed: load without `--index rows`")

    def gone(self, documents: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return those of some documents that are not live."""
        return np.asarray(documents[self.directory.locations(documents, "state") != LIVE])

    def require_live(self, ids: NDArray[np.uint32]) -> None:
        """Refuse documents that the directory does not call live."""
        if len(gone := self.gone(ids)):
            raise self.contradiction(f"document {gone[0]} is missing from the directory", "check --repair")

    def text(self, document: Document, *, rescuing: bool = False, recent: bool = False) -> str | None:
        """Return a document's stored text, or None when the collection keeps none.

        Args:
            document: Its row.
            rescuing: Whether the blocks' own checksums are enough, though others on their pages are damaged.
            recent: Whether blocks that were read lately for a text beside this one are good enough.
        """
        if not document.text_file:
            return None if document.n_chars else ""
        file, place = self.file(document.text_file), (document.text_file, document.text_offset)
        raw: bytes | None = self.recent.get(place) if recent else None
        wanted = document.text_skip + document.text_bytes
        if raw is None or len(raw) < wanted:
            raw, stop = codec.decode_blocks(file.payload, document.text_offset, wanted, str(file.path))
            if not rescuing:
                file.check(document.text_offset, stop)
            if recent and document.text_bytes * _SMALL_SHARE < len(raw):
                self.recent.put(place, raw, len(raw))
        try:
            text = raw[document.text_skip : wanted].decode("utf-8")
        except UnicodeDecodeError as error:
            raise files.damaged(file.path, f"the text of document {document.id} is no UTF-8") from error
        if len(text) != document.n_chars:
            what = f"the text of document {document.id} has {len(text)} characters, expected {document.n_chars}"
            raise files.damaged(file.path, what)
        return text

    def beginning(self, document: Document, n_chars: int) -> str | None:
        """Return the first characters of a document's stored text, or None when the collection keeps none."""
        if not document.text_file or document.text_bytes <= _MOST_OCTETS * n_chars:
            text = self.text(document)
            return None if text is None else text[:n_chars]
        file, begin = self.file(document.text_file), document.text_offset
        wanted = document.text_skip + _MOST_OCTETS * n_chars
        raw, stop = codec.decode_blocks(file.payload, begin, wanted, str(file.path))
        file.check(begin, stop)
        # Of the last character some bytes may be missing. It is not among those asked for.
        return raw[document.text_skip : wanted].decode("utf-8", errors="ignore")[:n_chars]

    # ------------------------------------------------------------------ files

    def close(self) -> None:
        """Unmap every file for good."""
        self.forget_files()
        self._closed = True

    def forget_files(self) -> None:
        """Unmap every file; they are mapped again when needed."""
        self._forget_tiles()
        self._forget_documents()
        self.recent.clear()
        for file in self._open_files.values():
            file.close()
        self._open_files.clear()

    def refresh(self, live: Iterable[StoredFile], journal: Journal) -> None:
        """Show another set of live files: those of the generation just committed."""
        self._show(live, journal)
        self._forget_tiles()
        self.recent.clear()
        for serial in self._open_files.keys() - self._live.keys():
            self._open_files.pop(serial).close()

    def enter(self, entries: Iterable[JournalEntry], rows: Iterable[Document]) -> None:
        """Show the same files, and a journal with more entries, see `Journal.followed_by`."""
        self.refresh(self._live.values(), self.journal.followed_by(entries, rows))

    def _show(self, live: Iterable[StoredFile], journal: Journal) -> None:
        self._live, self.journal = {file.serial: file for file in live}, journal
        self._forget_postings()
        self._forget_documents()
        vars(self).pop("totals", None)

    def _forget_tiles(self) -> None:
        self._tiles.clear()
        self._forget_postings()
        self._matrix = None
        self.rows = RowIndex()

    def _forget_postings(self) -> None:
        newer = partial(self.journal.postings, self.params.hash_bits) if self.journal.entries else None
        self.posted = Posted(self.folder, self._live.values(), self.file, newer)

    def _forget_documents(self) -> None:
        chunks = {file.tile: file.serial for file in self._live.values() if file.kind == "DOCS"}
        self.sampled.clear()
        newer = self.journal.locations if self.journal.entries else None
        self.directory = Directory(chunks, self.file, newer, names_texts=self.params.index == "rows")

    @cached_property
    def totals(self) -> Totals:
        """How many documents and hashes there are, those left out not counted."""
        return self.directory.totals()
