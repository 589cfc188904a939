"""The files of one generation of a collection. They answer a query without the catalog.

They never change while a reader holds its lock, so that other processes may open them, whatever was committed since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.errors import CorruptError, ParameterError
from pmbf.filter import PseudoMatrixBloomFilter
from pmbf.fingerprint import Fingerprint
from pmbf.kernels import MISSING, REMOVED, UNREADY, UNUSED, WHOLE, PagedFile, SharedPlaces
from pmbf.params import Params
from pmbf.rowindex import RowIndex
from pmbf.store import codec, files, tilefile
from pmbf.store.directory import Directory
from pmbf.store.files import Identity, MappedFile, StoredFile
from pmbf.store.tables import Document
from pmbf.store.tilefile import StoredTile


class Generation:
    """The live files of a generation, mapped when they are needed. Unpickled, it opens the same files again.

    Args:
        folder: The collection's.
        params: Its parameters.
        identity: What the files' headers say.
        live: The files. Somebody must hold the reader's lock as long as they are used.

    Thread rule: one thread per object.
    """

    def __init__(self, folder: Path, params: Params, identity: Identity, live: Iterable[StoredFile]) -> None:
        self.folder = folder
        self.params = params
        self.identity = identity
        self._open_files: dict[int, MappedFile] = {}
        self._tiles: dict[int, StoredTile] = {}
        self._matrix: PseudoMatrixBloomFilter | None = None
        self._n_documents: int | None = None
        self._closed = False
        self.rows = RowIndex()
        self._show(live)

    def __reduce__(self) -> tuple[Any, ...]:
        return Generation, (self.folder, self.params, self.identity, list(self._live.values()))

    @property
    def n_documents(self) -> int:
        """Live documents.

        Raises:
            CorruptError: The directory is damaged.
        """
        if self._n_documents is None:
            self._n_documents = self.directory.totals().n_live
        return self._n_documents

    # ------------------------------------------------------------------ tiles

    def tile_files(self) -> dict[int, StoredFile]:
        """Return the live tile files by tile number."""
        return {file.tile: file for file in self._live.values() if file.kind == "TILE"}

    def tile(self, number: int) -> StoredTile:
        """Return a tile, mapped from its file and checked once; `rows` then knows its documents."""
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
        if self._closed:
            raise ParameterError(f"{self.folder}: the collection is closed; open it again")
        if self._matrix is None:
            stored = dict(self.tiles())
            self._matrix = PseudoMatrixBloomFilter({number: one.tile for number, one in stored.items()})
        return self._matrix

    # ------------------------------------------------------------------ documents

    def fingerprint(self, document: Document, *, rescuing: bool = False) -> Fingerprint:
        """Return a document's fingerprint.

        Args:
            document: Its row.
            rescuing: Whether the record's own checksum is enough, though others on its pages are damaged.

        Raises:
            CorruptError: The record or its file is damaged.
        """
        file = self.file(document.fingerprint_file)
        start, stop = document.fingerprint_offset, document.fingerprint_offset + document.fingerprint_bytes
        if not rescuing:
            file.check(start, stop)
        parts = codec.parts_of(file.payload[start:stop], str(file.path))
        found, expected = (len(parts), sum(map(len, parts))), (document.n_parts, document.n_hashes)
        if found != expected:
            what = f"document {document.id} has {found[1]} hashes in {found[0]} parts there, expected {expected[1]}"
            raise files.damaged(file.path, f"{what} in {expected[0]}")
        bounds = np.cumsum([0, *map(len, parts)], dtype=np.uint32)
        hashes = np.concatenate(parts) if parts else np.empty(0, np.uint32)
        return Fingerprint(hashes, bounds, document.n_chars, document.n_tokens)

    def shared_hashes(
        self, parts: NDArray[np.uint32], hashes: NDArray[np.uint32], weights: NDArray[np.int32]
    ) -> SharedPlaces:
        """Return which of a query's hashes the documents of some parts have.

        The catalog is not asked. A removed document has nothing.

        Args:
            parts: `(n_parts, 3) uint32`: document, first part, part after the last; in any order, documents repeatedly.
            hashes: `(q,) uint32`, of the query, in the order of its text.
            weights: `(q,) int32`; only hashes that weigh something are looked for.

        Raises:
            CorruptError: A record or a file is damaged, or a document is not in the directory.
        """
        ids = parts[:, 0]
        asked = parts, self.directory.checked(ids), self._records, hashes, weights
        ask = partial(kernels.shared, *asked, page_bytes=files.PAGE_BYTES, paged_from=1)
        found = ask()
        if found.status == UNREADY:
            self._open_records(ids)
            found = ask()
        if found.status == WHOLE:
            return found
        if found.status == MISSING:
            raise self.contradiction(f"document {found.document} is missing from the directory", "check --repair")
        [location] = self.directory.locations(np.array([found.document], np.uint32))
        raise codec.damaged_fingerprint(self.file(int(location["file"])).path)

    def _open_records(self, ids: NDArray[np.uint32]) -> None:
        """Open the files that hold the records of some documents, and check the pages of these records."""
        locations = self.directory.locations(ids)
        live = locations[(locations["state"] != UNUSED) & (locations["state"] != REMOVED)]
        for serial in set(live["file"].tolist()):
            file = self.file(serial)
            self._records[serial] = file.payload, file.checked
            here = live[live["file"] == serial]
            is_small = here["n_bytes"] <= files.PAGE_BYTES  # on two pages at most
            starts, n_bytes = here["offset"].astype(np.int64), here["n_bytes"].astype(np.int64)
            file.check_places(np.concatenate([starts[is_small], (starts + n_bytes - 1)[is_small]]), 1)
            for start, size in zip(starts[~is_small].tolist(), n_bytes[~is_small].tolist(), strict=True):
                file.check(start, start + size)

    def text(self, document: Document, *, rescuing: bool = False) -> str | None:
        """Return a document's stored text, or None when the collection keeps none.

        Args:
            document: Its row.
            rescuing: Whether the blocks' own checksums are enough, though others on their pages are damaged.

        Raises:
            CorruptError: A block or its file is damaged.
        """
        if not document.text_file:
            return None if document.n_chars else ""
        file = self.file(document.text_file)
        wanted = document.text_skip + document.text_bytes
        blocks, n_bytes, offset = [], 0, document.text_offset
        while n_bytes < wanted:
            blocks.append(codec.decode_block(file.payload, offset, str(file.path)))
            n_bytes += len(blocks[-1])
            offset += codec.block_bytes(file.payload, offset)
        if not rescuing:
            file.check(document.text_offset, offset)
        try:
            text = b"".join(blocks)[document.text_skip : wanted].decode("utf-8")
        except UnicodeDecodeError as error:
            raise files.damaged(file.path, f"the text of document {document.id} is no UTF-8") from error
        if len(text) != document.n_chars:
            what = f"the text of document {document.id} has {len(text)} characters, expected {document.n_chars}"
            raise files.damaged(file.path, what)
        return text

    # ------------------------------------------------------------------ files

    def names(self) -> set[str]:
        """Return the names of the live files inside the collection, each with its folder."""
        return {file.name for file in self._live.values()}

    def close(self) -> None:
        """Unmap every file for good."""
        self.forget_files()
        self._closed = True

    def forget_files(self) -> None:
        """Unmap every file; they are mapped again when needed."""
        self._forget_tiles()
        self._forget_documents()
        for file in self._open_files.values():
            file.close()
        self._open_files.clear()

    def refresh(self, live: Iterable[StoredFile]) -> None:
        """Show another set of live files: those of the generation just committed."""
        self._forget_tiles()
        self._show(live)
        for serial in self._open_files.keys() - self._live.keys():
            self._open_files.pop(serial).close()

    def _show(self, live: Iterable[StoredFile]) -> None:
        self._live = {file.serial: file for file in live}
        self._forget_documents()
        self._n_documents = None

    def _forget_tiles(self) -> None:
        self._tiles.clear()
        self._matrix = None
        self.rows = RowIndex()

    def _forget_documents(self) -> None:
        chunks = {file.tile: file.serial for file in self._live.values() if file.kind == "DOCS"}
        self.directory = Directory(chunks, self.file)
        self._records: dict[int, PagedFile] = {}

    def file(self, serial: int) -> MappedFile:
        """Return a live file, mapped, its header checked.

        Raises:
            CorruptError: The catalog does not list it, or it is damaged.
        """
        if serial not in self._open_files:
            if serial not in self._live:
                raise self.contradiction(f"file {serial} is named but not listed")
            self._open_files[serial] = MappedFile(self.folder, self._live[serial], self.identity)
        return self._open_files[serial]

    def contradiction(self, what: str, command: str = "check") -> CorruptError:
        """Return the error for files that contradict the catalog, with the way out."""
        return CorruptError(f"{self.folder}: {what}; run `pmbf {command} -c {self.folder}`")
