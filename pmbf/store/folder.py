"""One collection's folder at one generation: its documents, their fingerprints and texts, its tiles.

papers.pmbf/
  catalog.sqlite      documents, paths, live files, parameters        (truth)
  generation          number of the last commit, a guard against a lost one
  fingerprints/       records of sampled hashes                       (truth)
  texts/              blocks of compressed text, for verification     (truth, may be absent)
  tiles/              bits and row index; directory                   (derived, `check --repair` rebuilds them)
  writer.lock         held by the one writer
  readers.lock        shared by readers: while held, old files stay
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from pmbf.errors import CorruptError, ParameterError
from pmbf.params import Params
from pmbf.store import catalog, files, locks
from pmbf.store.catalog import Catalog
from pmbf.store.files import Identity
from pmbf.store.generation import StoreFiles
from pmbf.store.tables import Document

GENERATION_FILE = "generation"
_LEFT_BY_A_START = {"writer.lock", catalog.FILE_NAME} | catalog.LEFT_BY_CREATION
"""What a folder may hold whose collection is being made, or whose making was cut short."""


class Store(StoreFiles):
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
        catalog.require(self.folder)
        with contextlib.ExitStack() as stack:
            stack.enter_context(locks.writer_lock(self.folder) if writable else locks.reader_lock(self.folder))
            promised = 0 if trusting else _read_generation(self.folder)
            self.catalog = Catalog(self.folder, writable=writable)
            stack.callback(self.catalog.close)
            self._check_generation(promised)
            params = Params.from_json(self.catalog.meta["params"], name=str(self.folder))
            identity = Identity(bytes.fromhex(self.catalog.meta["collection_id"]), params.digest())
            super().__init__(self.folder, params, identity, self.catalog.files())
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
        with locks.writer_lock(path):
            if not (path / catalog.FILE_NAME).exists():
                catalog.create(path, _first_meta(params))
                files.sync_folder(path)

    @property
    def generation(self) -> int:
        """Number of the commit this store shows."""
        return int(self.catalog.meta["generation"])

    def close(self) -> None:
        """Release the lock and every file."""
        super().close()
        self._stack.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

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

    def clean(self) -> list[str]:
        """Delete files no generation names, if nobody is reading; return their names.

        Only the writer calls this: another writer's uncommitted files would look the same.
        """
        live = {entry.record.name for entry in self._entries.values()}
        with locks.no_readers(self.folder) as alone:
            return [
                name
                for name in _file_names(self.folder)
                if alone and name not in live and _unlinked(self.folder / name)
            ]

    def _check_generation(self, promised: int) -> None:
        if self.generation < promised:
            raise CorruptError(
                f"{self.catalog.location}: shows commit {self.generation}, but commit {promised} was made: "
                f"an older copy, or a damaged write-ahead log; run `pmbf check --repair -c {self.folder}`"
            )


def _first_meta(params: Params) -> dict[str, str]:
    numbers = {"generation": "0", "next_serial": "1", "next_tile": "0"}
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
        raise files.damaged(path, "is not a number") from None


def _file_names(folder: Path) -> list[str]:
    kinds = sorted({kind for kind, _ in files.FILE_KINDS.values()})
    return [f"{kind}/{path.name}" for kind in kinds for path in sorted((folder / kind).glob("*"))]


def _unlinked(path: Path) -> bool:
    if path.is_dir():
        return False
    path.unlink(missing_ok=True)
    return True
