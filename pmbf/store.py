"""One collection's folder at one generation: its documents, their fingerprints and texts, its tiles.

papers.pmbf/
  catalog.sqlite      documents, paths, live files, parameters        (truth)
  generation          number of the last commit, a guard against a lost one
  fingerprints/       records of sampled hashes                       (truth)
  texts/              blocks of compressed text, for verification     (truth, may be absent)
  tiles/              bits and row index; stop shingles; directory    (derived, `check --repair` rebuilds them)
  writer.lock         held by the one writer
  readers.lock        shared by readers: while held, old files stay
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf import catalog, codec, kernels, storage, tilefile
from pmbf.catalog import Catalog
from pmbf.directory import REMOVED, UNUSED, Directory
from pmbf.errors import CorruptError, ParameterError
from pmbf.filter import PseudoMatrixBloomFilter
from pmbf.fingerprint import Fingerprint
from pmbf.params import Params
from pmbf.records import Document, FileEntry
from pmbf.rowindex import RowIndex
from pmbf.storage import Identity, MappedFile
from pmbf.tilefile import StoredTile

GENERATION_FILE = "generation"
_LEFT_BY_A_START = {"writer.lock", catalog.FILE_NAME, catalog.TEMPORARY_NAME}
"""What a folder may hold whose collection is being made, or whose making was cut short."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Which of a query's hashes each of some documents has.

    Args:
        ids: `(n,) uint32`, the live documents, ascending.
        n_hashes: `(n,) int64`, hashes of each.
        bounds: `(n + 1,) int64`; those of document i are `at[bounds[i]:bounds[i + 1]]`.
        at: `(bounds[-1],) uint32`, places in the query's distinct hashes; of each document ascending, each once.
    """

    ids: NDArray[np.uint32]
    n_hashes: NDArray[np.int64]
    bounds: NDArray[np.int64]
    at: NDArray[np.uint32]


class Store:
    """A collection's folder, opened for reading, or as its one writer.

    Args:
        folder: Where the collection is.
        writable: Whether to take the writer's lock.
        trusting: Whether to believe the catalog although a later commit was promised; for repairing.

    Raises:
        NotFoundError: There is no collection in the folder.
        BusyError: Another process is writing to it.
        CorruptError: A file is damaged.
        UnsupportedError: A newer pmbf wrote it.
    """

    def __init__(self, folder: str | os.PathLike[str], *, writable: bool = False, trusting: bool = False) -> None:
        self.folder = Path(folder)
        self.writable = writable
        self._open_files: dict[int, MappedFile] = {}
        self._tiles: dict[int, StoredTile] = {}
        self._matrix: PseudoMatrixBloomFilter | None = None
        self.rows = RowIndex()
        catalog.require(self.folder)
        with contextlib.ExitStack() as stack:
            stack.enter_context(storage.writer_lock(self.folder) if writable else storage.reader_lock(self.folder))
            promised = 0 if trusting else _read_generation(self.folder)
            self.catalog = Catalog(self.folder, writable=writable)
            stack.callback(self.catalog.close)
            self._check_generation(promised)
            self.params = Params.from_json(self.catalog.meta["params"], name=str(self.folder))
            self.identity = Identity(bytes.fromhex(self.catalog.meta["collection_id"]), self.params.digest())
            self._show(self.catalog.files())
            self._stack = stack.pop_all()

    @staticmethod
    def create(folder: str | os.PathLike[str], params: Params) -> None:
        """Make an empty collection, unless another process has just made one.

        Raises:
            ParameterError: The folder exists and holds something else.
            BusyError: Another process is making one there.
            OSError: The folder cannot be written.
        """
        path = Path(folder)
        if path.exists() and (not path.is_dir() or any(one.name not in _LEFT_BY_A_START for one in path.iterdir())):
            raise ParameterError(f"{path}: exists and is no collection; name a new folder")
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with storage.writer_lock(path):
            if not (path / catalog.FILE_NAME).exists():
                catalog.create(path, _first_meta(params))
                storage.sync_folder(path)

    @property
    def generation(self) -> int:
        """Number of the commit this store shows."""
        return int(self.catalog.meta["generation"])

    def close(self) -> None:
        """Release the lock and every file."""
        self.forget_files()
        self._stack.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

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

    def matrix(self) -> PseudoMatrixBloomFilter:
        """Return the filter over all tiles, mapped and checked; `rows` then knows every document's rows."""
        if self._matrix is None:
            stored = dict(self.tiles())
            self._matrix = PseudoMatrixBloomFilter(
                {number: one.tile for number, one in stored.items()},
                {number: one.background for number, one in stored.items()},
            )
        return self._matrix

    def stop_hashes(self) -> NDArray[np.uint32]:
        """Return the hashes found in too many documents to tell them apart, ascending."""
        for entry in self._entries.values():
            if entry.kind == "STOP":
                return np.frombuffer(self.file(entry.serial).verify(), "<u4")
        return np.empty(0, np.uint32)

    # ------------------------------------------------------------------ documents

    def documents(self, ids: Iterable[int]) -> dict[int, Document]:
        """Return documents by id, removed ones included.

        Raises:
            CorruptError: One of them is not in the catalog.
        """
        wanted = set(ids)
        found = self.catalog.documents(wanted)
        if missing := sorted(wanted - found.keys()):
            raise self._contradiction(f"document {missing[0]} is missing")
        return found

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

    def shared_hashes(self, ids: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> Shared:
        """Return which of a query's hashes some documents have; removed documents are left out.

        Some two microseconds for a document of 600 hashes; the catalog is not asked.

        Args:
            ids: `(n,) uint32`, ascending.
            wanted: `(q,) uint32`, the query's hashes, ascending and distinct.

        Raises:
            CorruptError: A record or a file is damaged, or a document is not in the directory.
        """
        places = self.directory.entries(ids)
        if len(missing := ids[places["state"] == UNUSED]):
            raise self._contradiction(f"document {missing[0]} is missing from the directory", "check --repair")
        live = places["state"] != REMOVED
        ids, places = ids[live], places[live]
        serials, file = np.unique(places["file"], return_inverse=True)
        files = [self.file(serial) for serial in serials.tolist()]
        offsets, sizes = places["offset"].astype(np.int64), places["n_bytes"].astype(np.int64)
        found = kernels.shared([one.payload for one in files], file.astype(np.int64), offsets, sizes, wanted)
        if found.damaged is not None:
            raise codec.damaged_fingerprint(files[file[found.damaged]].path)
        return Shared(ids, places["n_hashes"].astype(np.int64), found.bounds, found.at)

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

    def paths_of(self, ids: Iterable[int]) -> dict[int, list[str]]:
        """Return the paths of live documents, sorted, by id.

        Raises:
            CorruptError: A live document has no path.
        """
        wanted = set(ids)
        found = self.catalog.paths_of(wanted)
        if missing := sorted(wanted - found.keys()):
            raise self._contradiction(f"document {missing[0]} has no path")
        return found

    # ------------------------------------------------------------------ files

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

    def clean(self) -> list[str]:
        """Delete files no generation names, if nobody is reading; return their names.

        Only the writer calls this: another writer's uncommitted files would look the same.
        """
        live = {entry.record.name for entry in self._entries.values()}
        with storage.no_readers(self.folder) as alone:
            return [
                name
                for name in _file_names(self.folder)
                if alone and name not in live and _unlinked(self.folder / name)
            ]

    def _show(self, entries: Iterable[FileEntry]) -> None:
        self._entries = {entry.serial: entry for entry in entries}
        chunks = {entry.tile: entry.serial for entry in self._entries.values() if entry.kind == "DOCS"}
        self.directory = Directory(chunks, self.file)

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
        return CorruptError(f"{self.catalog.location}: {what}; run `pmbf {command} -c {self.folder}`")

    def _check_generation(self, promised: int) -> None:
        if self.generation < promised:
            raise CorruptError(
                f"{self.catalog.location}: shows commit {self.generation}, but commit {promised} was made: "
                f"an older copy, or a damaged write-ahead log; run `pmbf check --repair -c {self.folder}`"
            )


def _first_meta(params: Params) -> dict[str, str]:
    numbers = {"generation": "0", "next_serial": "1", "next_tile": "0", "stop_documents": "0"}
    return numbers | {"params": params.to_json(), "collection_id": secrets.token_hex(16)}


def write_generation(folder: Path, generation: int) -> None:
    """Note that a commit was made, after it was."""
    temporary = folder / (GENERATION_FILE + ".tmp")
    with open(temporary, "w", encoding="ascii") as file:
        file.write(f"{generation}\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, folder / GENERATION_FILE)


def _read_generation(folder: Path) -> int:
    path = folder / GENERATION_FILE
    try:
        return int(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return 0
    except ValueError:
        raise storage.damaged(path, "is not a number") from None


def _file_names(folder: Path) -> list[str]:
    kinds = sorted({kind for kind, _ in storage.FILE_KINDS.values()})
    return [f"{kind}/{path.name}" for kind in kinds for path in sorted((folder / kind).glob("*"))]


def _unlinked(path: Path) -> bool:
    if path.is_dir():
        return False
    path.unlink(missing_ok=True)
    return True
