"""One collection's folder at one generation: its documents, their fingerprints and texts. `docs/format.md` draws it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from pmbf.base.errors import CorruptError, ParameterError, UnsupportedError
from pmbf.base.params import Params
from pmbf.store import database, files, folders, locks, schema, telling
from pmbf.store.catalog import Catalog
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.directory import LIVE, WITHOUT_TEXT
from pmbf.store.files import MAX_ID, Identity
from pmbf.store.generation import Generation
from pmbf.store.journal import Journal

GENERATION_FILE = "generation"
_LEFT_BY_A_START = {"writer.lock", schema.FILE_NAME} | schema.LEFT_BY_CREATION
"""What a folder may hold whose collection is being made, or whose making was cut short."""
_FOLDERS = sorted({folder for folder, _ in files.FILE_KINDS.values()})
_OWN_NAME = re.compile(rf"[0-9]{{6,}}\.({'|'.join(suffix for _, suffix in files.FILE_KINDS.values())})(\.tmp)?")


class Store:
    """A collection's folder, opened for reading, or as its one writer.

    Args:
        writable: Whether to take the writer's lock.
        trusting: Whether to believe the catalog although a later commit was promised; for repairing.
        before: A store that this process had opened: if nothing was changed since, then what it has read holds.

    Raises:
        NotFoundError: There is no collection in the folder.
        BusyError: Another process is writing to it.
        UnsupportedError: Another version of pmbf wrote it.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        writable: bool = False,
        trusting: bool = False,
        before: Store | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.writable = writable
        self._knows_paths = False
        schema.require(self.folder)
        with contextlib.ExitStack() as stack:
            stack.enter_context(locks.writer_lock(self.folder) if writable else locks.reader_lock(self.folder))
            if writable:
                _require_own_folders(self.folder)
            promised = 0 if trusting else read_generation(self.folder)
            self.catalog = Catalog(self.folder, writable=writable, trusting=trusting)
            stack.callback(self.catalog.close)
            if not trusting:
                self._check_generation(promised)
            if before and before.catalog.meta == self.catalog.meta:  # it has the checksums of all rows
                self.generation: Generation = before.generation.again()
            else:
                params = self._params()
                identity = Identity(self._collection_id(), params.digest())
                live, journal = self.catalog.files(), Journal.of(self.catalog)
                self.generation = Generation(self.folder, params, identity, live, journal)
            self.params = self.generation.params
            self._stack = stack.pop_all()

    @staticmethod
    def create(folder: str | os.PathLike[str], params: Params) -> None:
        """Make an empty collection, unless another process has just made one.

        Raises:
            ParameterError: The folder exists and holds something else.
        CorruptError: It held a collection, whose catalog is lost.
            BusyError: Another process is making one there.
            OSError: The folder cannot be written.
        """
        path = Path(folder)
        telling.require_catalog(path)
        if telling.is_depot(path):
            raise ParameterError(
                f"{path}: is the depot of a cluster: use `pmbf load -c {path}`, or name another folder"
            )
        if path.exists() and (not path.is_dir() or any(one.name not in _LEFT_BY_A_START for one in path.iterdir())):
            what = "is a folder of files" if path.is_dir() else "is a file"
            raise ParameterError(
                f"{path}: {what}; a collection needs a folder of its own, for instance -c {telling.proposed(path)}"
            )
        folders.make_folder(path, mode=0o700)
        with locks.writer_lock(path):
            if not (path / schema.FILE_NAME).exists():
                schema.create(path, _first_meta(params))

    @property
    def commit_number(self) -> int:
        """Number of the commit this store shows."""
        return int(self.catalog.meta["generation"])

    def close(self) -> None:
        """Release the lock and every file."""
        self.generation.close()
        self._stack.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # ------------------------------------------------------------------ documents

    def documents(self, ids: Iterable[int]) -> dict[int, Document]:
        """Return documents by id, removed ones included; each must be there."""
        wanted = set(ids)
        found = self.catalog.documents(wanted)
        if missing := sorted(wanted - found.keys()):
            raise self.generation.contradiction(f"document {missing[0]} is missing")
        return found

    def living(self, ids: Iterable[int]) -> dict[int, Document]:
        """Return those of some documents that are there, by id; the others were removed.

        What the catalog does not find is compared with the directory: a row that is lost is no removed document.
        """
        wanted = sorted({id_ for id_ in ids if 0 <= id_ <= MAX_ID})
        found = {id_: row for id_, row in self.catalog.documents(wanted).items() if not row.removed}
        states = self.generation.directory.locations(np.array(wanted, np.uint32), "state")
        live = {id_ for id_, state in zip(wanted, states.tolist(), strict=True) if state in (LIVE, WITHOUT_TEXT)}
        if wrong := sorted(live ^ found.keys()):
            where = "directory" if wrong[0] in found else "catalog"
            raise self.generation.contradiction(f"document {wrong[0]} is missing from the {where}", "check --repair")
        return found

    def paths_by_document(self) -> dict[int, list[str]]:
        """Return every path, sorted, by the id of its document."""
        paths: dict[int, list[str]] = {}
        for listed in self.catalog.paths():
            paths.setdefault(listed.document, []).append(listed.path)
        return paths

    def require_paths(self) -> None:
        """Refuse an index of the paths that leaves out one, once; 5 ms for 80,000 documents."""
        if not self._knows_paths:
            self.catalog.require_paths_by_document()
            self._knows_paths = True

    def paths_of(self, ids: Iterable[int]) -> dict[int, list[str]]:
        """Return the paths of live documents, sorted, by id."""
        return {id_: [one.path for one in some] for id_, some in self.listed_of(ids).items()}

    def listed_of(self, ids: Iterable[int]) -> dict[int, list[ListedPath]]:
        """Return the paths of live documents as they are listed, sorted, by id; each has one."""
        wanted = set(ids)
        if wanted:
            self.require_paths()
        found = self.catalog.listed_of(wanted)
        if missing := sorted(wanted - found.keys()):
            raise self.generation.contradiction(f"document {missing[0]} has no path")
        return found

    def documents_with_paths(self) -> Iterator[tuple[Document, list[ListedPath]]]:
        """Yield every live document with its paths, sorted, by ascending id."""
        self.require_paths()
        paths = self.catalog.paths_by_document()
        of, some = next(paths, (MAX_ID + 1, []))
        for document in self.catalog.live_documents():
            while of < document.id:
                of, some = next(paths, (MAX_ID + 1, []))
            if of > document.id:
                raise self.generation.contradiction(f"document {document.id} has no path")
            yield document, some

    # ------------------------------------------------------------------ files

    def clean(self) -> list[str]:
        """Delete files no generation names, if nobody is reading; return their names.

        Only the writer calls this: another writer's uncommitted files would look the same.
        """
        live = self.generation.names()
        with locks.no_readers(self.folder) as alone:
            unnamed = [name for name in _own_files(self.folder) if name not in live] if alone else []
            unnamed = [name for name in unnamed if not (self.folder / name).is_dir()]
            for name in unnamed:
                (self.folder / name).unlink(missing_ok=True)
            return unnamed

    def _params(self) -> Params:
        line = self.catalog.meta.get("params")
        try:
            return Params.from_json(line or "", name=str(self.folder))
        except UnsupportedError:
            raise
        except (AttributeError, TypeError, ValueError) as error:  # no JSON, no dictionary, or other values
            what = f"`params` is {line!r} in the table `meta`, expected those of a collection ({error})"
            raise database.damage(self.catalog.location, what) from error

    def _collection_id(self) -> bytes:
        digits = self.catalog.meta.get("collection_id")
        if not re.fullmatch("[0-9a-f]{32}", str(digits)):
            what = f"`collection_id` is {digits!r} in the table `meta`, expected 32 hexadecimal digits"
            raise database.damage(self.catalog.location, what)
        return bytes.fromhex(str(digits))

    def _check_generation(self, promised: int) -> None:
        """Refuse a catalog that shows less than was promised. A writer notes a commit that was made and not noted.

        So the note of a commit is there before the next one begins: only that of the first may be missing.
        """
        if self.commit_number > 1 and not (self.folder / GENERATION_FILE).exists():
            what = f"the file is missing, expected the note of commit {self.commit_number - 1} or {self.commit_number}"
            raise files.damaged(self.folder / GENERATION_FILE, what)
        if self.writable and self.commit_number > promised:
            write_generation(self.folder, self.commit_number)
        if self.commit_number < promised:
            raise CorruptError(
                f"{self.catalog.location}: shows commit {self.commit_number}, but commit {promised} was made: "
                f"an older copy, or a damaged write-ahead log; run `pmbf check --repair -c {self.folder}`"
            )


def _first_meta(params: Params) -> dict[str, str]:
    numbers = {"generation": "0", "next_serial": "1", "next_tile": "0"}
    return numbers | {"params": params.to_json(), "collection_id": secrets.token_hex(16)}


def write_generation(folder: Path, generation: int) -> None:
    """Write the note of a commit that was made."""
    with folders.replacing(folder / GENERATION_FILE) as file:
        file.write(b"%d_%d\n" % (generation, zlib.crc32(b"%d" % generation)))


def read_generation(folder: Path) -> int:
    """Return the number of the last commit that was noted, 0 where none is. `CorruptError`: the note is damaged."""
    path = folder / GENERATION_FILE
    try:
        with files.opened(path) as file:
            line = file.read()
    except FileNotFoundError:
        return 0
    found = re.fullmatch(rb"([0-9]{1,19})_([0-9]{1,10})\n", line)
    if found is None:
        raise files.damaged(path, f"holds {line[:40]!r}, expected a number and its checksum")
    number, crc = found.groups()
    if int(crc) != zlib.crc32(number):
        raise files.damaged(path, f"the checksum of {int(number)} is {zlib.crc32(number)}, not {int(crc)}")
    return int(number)


def _require_own_folders(folder: Path) -> None:
    """Refuse folders that are links: a writer would delete files behind them.

    Raises:
        UnsupportedError: One is a link.
    """
    for name in _FOLDERS:
        if (folder / name).is_symlink():
            raise UnsupportedError(
                f"{folder / name}: is a link to {os.readlink(folder / name)}; a collection is changed only where its "
                f"folders stand in it: move {name}/ back, or link the whole of {folder}"
            )


def _own_files(folder: Path) -> list[str]:
    """Return the names of all files that a writer can have written, finished or not."""
    names = list[str]()
    for kind in _FOLDERS:
        with contextlib.suppress(FileNotFoundError):
            names += [f"{kind}/{name}" for name in sorted(os.listdir(folder / kind)) if _OWN_NAME.fullmatch(name)]
    return names
