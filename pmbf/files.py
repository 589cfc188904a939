"""The files of one generation of a collection: what answers a query, without the catalog.

They never change while a reader holds its lock, so that other processes may open them, whatever was committed since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import codec, kernels, storage, tilefile
from pmbf.arrays import distinct
from pmbf.directory import REMOVED, UNUSED, Directory
from pmbf.errors import CorruptError, ParameterError
from pmbf.filter import PseudoMatrixBloomFilter
from pmbf.fingerprint import Fingerprint
from pmbf.params import Params
from pmbf.records import Document, FileEntry
from pmbf.rowindex import RowIndex
from pmbf.storage import Identity, MappedFile
from pmbf.tilefile import StoredTile

LARGE_RECORD_BYTES = 1 << 14
"""Fingerprints so large, of books, are checked page by page, each page once, and only the parts asked for are read."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Which of a query's hashes each of some documents has.

    Args:
        ids: `(n,) uint32`, the live documents, ascending.
        bounds: `(n + 1,) int64`; those of document i are `at[bounds[i]:bounds[i + 1]]`.
        at: `(bounds[-1],) uint32`, places in the query's distinct hashes; of each document ascending, each once.
    """

    ids: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    at: NDArray[np.uint32]


class StoreFiles:
    """The live files of a generation, mapped when they are needed; pickled, it is the same files in another process.

    Args:
        folder: The collection's.
        params: Its parameters.
        identity: What the files' headers say.
        entries: The live files. Somebody must hold the reader's lock as long as they are used.

    Thread rule: one thread per object.
    """

    def __init__(self, folder: Path, params: Params, identity: Identity, entries: Iterable[FileEntry]) -> None:
        self.folder = folder
        self.params = params
        self.identity = identity
        self._open_files: dict[int, MappedFile] = {}
        self._tiles: dict[int, StoredTile] = {}
        self._matrix: PseudoMatrixBloomFilter | None = None
        self._n_documents: int | None = None
        self._closed = False
        self.rows = RowIndex()
        self._show(entries)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoreFiles, (self.folder, self.params, self.identity, list(self._entries.values()))

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

    def tile_files(self) -> dict[int, FileEntry]:
        """Return the live tile files by tile number."""
        return {entry.tile: entry for entry in self._entries.values() if entry.kind == "TILE"}

    def tile(self, number: int) -> StoredTile:
        """Return a tile, mapped from its file and checked once; `rows` then knows its documents."""
        if number not in self._tiles:
            stored = tilefile.read(self.folder, self.tile_files()[number].record, self.identity)
            self.rows.put_tile(number, stored.entries)
            self._tiles[number] = stored
        return self._tiles[number]

    def tiles(self) -> Iterator[tuple[int, StoredTile]]:
        """Yield every tile's number and the tile, ascending."""
        for number in sorted(self.tile_files()):
            yield number, self.tile(number)

    def growing_tiles(self) -> Iterator[tuple[int, StoredTile]]:
        """Yield the number of each tile that takes more documents, and the tile, ascending; the others are not read."""
        for number, entry in sorted(self.tile_files().items()):
            if tilefile.is_growing(self.folder, entry.record, self.identity):
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

    def fingerprint(self, document: Document) -> Fingerprint:
        """Return a document's fingerprint.

        Raises:
            CorruptError: The record or its file is damaged.
        """
        file = self.file(document.fingerprint_file)
        start = document.fingerprint_offset
        parts = codec.decode_fingerprint(file.payload[start : start + document.fingerprint_bytes], str(file.path))
        bounds = np.cumsum([0, *map(len, parts)], dtype=np.uint32)
        hashes = np.concatenate(parts) if parts else np.empty(0, np.uint32)
        return Fingerprint(hashes, bounds, document.n_chars, document.n_tokens)

    def hashes_of(self, ids: NDArray[np.uint32]) -> Iterator[NDArray[np.uint32]]:
        """Yield the hashes of live documents, each ascending and distinct; the catalog is not asked.

        Raises:
            CorruptError: A record or its file is damaged.
        """
        places = self.directory.entries(ids)
        for serial, offset, n_bytes in zip(
            *(places[name].tolist() for name in ("file", "offset", "n_bytes")), strict=True
        ):
            file = self.file(serial)
            parts = codec.decode_fingerprint(file.payload[offset : offset + n_bytes], str(file.path))
            yield parts[0] if len(parts) == 1 else np.unique(np.concatenate([np.empty(0, np.uint32), *parts]))

    def shared_hashes(self, parts: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> Shared:
        """Return which of a query's hashes some parts of documents have; removed documents are left out.

        Some two microseconds for a document of 600 hashes; the catalog is not asked.

        Args:
            parts: `(n, 3) uint32`: document, first part, part after the last; documents may stand there repeatedly.
            wanted: `(q,) uint32`, the query's hashes, ascending and distinct.

        Raises:
            CorruptError: A record or a file is damaged, or a document is not in the directory.
        """
        parts = parts[np.argsort(parts[:, 0], kind="stable")]
        places = self.directory.entries(parts[:, 0].copy())
        if len(missing := parts[places["state"] == UNUSED, 0]):
            raise self._contradiction(f"document {missing[0]} is missing from the directory", "check --repair")
        live = places["state"] != REMOVED
        parts, places = parts[live], places[live]
        serials = distinct(places["file"])
        file = np.searchsorted(serials, places["file"]).astype(np.int64, copy=False)
        files = [self.file(serial) for serial in serials.tolist()]
        offsets, sizes = places["offset"].astype(np.int64), places["n_bytes"].astype(np.int64)
        large = sizes >= LARGE_RECORD_BYTES
        for at in np.flatnonzero(large).tolist():
            files[file[at]].check(int(offsets[at]), int(offsets[at] + sizes[at]))
        ranges = parts[:, 1:].astype(np.int64)
        payloads = [one.payload for one in files]
        found = kernels.shared(payloads, file, offsets, sizes, wanted, parts=ranges, checked=large)
        if found.damaged is not None:
            raise codec.damaged_fingerprint(files[file[found.damaged]].path)
        return _by_document(parts[:, 0], found.bounds, found.at)

    def text(self, document: Document) -> str | None:
        """Return a document's stored text, or None when the collection keeps none.

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
        try:
            return b"".join(blocks)[document.text_skip : wanted].decode("utf-8")
        except UnicodeDecodeError as error:
            raise storage.damaged(file.path, f"the text of document {document.id} is no UTF-8") from error

    # ------------------------------------------------------------------ files

    def close(self) -> None:
        """Unmap every file for good."""
        self.forget_files()
        self._closed = True

    def forget_files(self) -> None:
        """Unmap every file; they are mapped again when needed."""
        self._forget_tiles()
        for file in self._open_files.values():
            file.close()
        self._open_files.clear()

    def refresh(self, entries: Iterable[FileEntry]) -> None:
        """Show another set of live files: those of the generation just committed."""
        self._forget_tiles()
        self._show(entries)
        for serial in self._open_files.keys() - self._entries.keys():
            self._open_files.pop(serial).close()

    def _show(self, entries: Iterable[FileEntry]) -> None:
        self._entries = {entry.serial: entry for entry in entries}
        chunks = {entry.tile: entry.serial for entry in self._entries.values() if entry.kind == "DOCS"}
        self.directory = Directory(chunks, self.file)
        self._n_documents = None

    def _forget_tiles(self) -> None:
        self._tiles.clear()
        self._matrix = None
        self.rows = RowIndex()

    def file(self, serial: int) -> MappedFile:
        """Return a live file, mapped, its header checked.

        Raises:
            CorruptError: The catalog does not list it, or it is damaged.
        """
        if serial not in self._open_files:
            if serial not in self._entries:
                raise self._contradiction(f"file {serial} is named but not listed")
            self._open_files[serial] = MappedFile(self.folder, self._entries[serial].record, self.identity)
        return self._open_files[serial]

    def _contradiction(self, what: str, command: str = "check") -> CorruptError:
        return CorruptError(f"{self.folder}: {what}; run `pmbf {command} -c {self.folder}`")


def _by_document(ids: NDArray[np.uint32], bounds: NDArray[np.int64], at: NDArray[np.uint32]) -> Shared:
    """Return what was found of ascending documents, those that stand there more than once together."""
    is_first = np.ones(len(ids), np.bool_)
    np.not_equal(ids[1:], ids[:-1], out=is_first[1:])
    if is_first.all():
        return Shared(ids, bounds, at)
    owner = np.repeat(np.cumsum(is_first) - 1, np.diff(bounds))
    pairs = distinct(owner << 32 | at)
    starts = np.searchsorted(pairs >> 32, np.arange(is_first.sum() + 1))
    return Shared(ids[is_first], starts.astype(np.int64), pairs.astype(np.uint32))
