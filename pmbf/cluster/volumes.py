"""Volumes on their way: a collection's folder is sealed into the depot, and fetched from it to a node's disk."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from pmbf.base.errors import CorruptError, NotFoundError
from pmbf.base.params import Params
from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Volume
from pmbf.cluster.untrusted import (
    MOST_BYTES,
    content_name,
    is_content,
    json_object,
    open_plain,
    require_plain,
    require_tables,
    volume_file,
)
from pmbf.cluster.workplace import Workplace
from pmbf.store import locks
from pmbf.store.directory import CHUNK_DOCUMENTS, Directory
from pmbf.store.folder import GENERATION_FILE, Store, write_generation
from pmbf.store.folders import own_folder
from pmbf.store.schema import FILE_NAME

_COPIED = {FILE_NAME, GENERATION_FILE}
"""SQLite may write to the catalog, and a writer to the generation's number. The other files never change."""

ROWS = ".rows"
"""How the names of files end that have rows of the filter: answers do without them."""


def seal(folder: Path, depot: Depot, *, instead_of: Volume | None = None) -> Volume:
    """Store a collection's folder in the depot as a volume. Nobody else may change the folder meanwhile.

    The ids of the volume that it takes the place of (`instead_of`) are not given to others. `BusyError`: another
    process is writing to the collection.
    """
    with Store(folder, writable=True) as store:
        store.catalog.checkpoint()
        if not (folder / GENERATION_FILE).exists():  # nothing was ever committed: no file had text
            write_generation(folder, store.commit_number)
        names = sorted(store.generation.names() | {FILE_NAME, GENERATION_FILE})
        totals, n_ids = store.generation.directory.totals(), _highest_id(store.generation.directory)
    sizes = {name: (folder / name).stat().st_size for name in names}
    # Files that both versions have are not read: one that is damaged on this disk must not become the new version's.
    before = files_of(depot, instead_of.name) if instead_of else {}
    kept = {name: before[name] for name in names if name in before and name not in _COPIED}
    listed = kept | {name: depot.put(folder / name) for name in names if name not in kept}
    name = depot.put_bytes(json.dumps(listed, sort_keys=True).encode())
    return Volume(
        name=name,
        key=instead_of.key if instead_of else name,
        offset=instead_of.offset if instead_of else 0,
        n_ids=max(n_ids, instead_of.n_ids if instead_of else 0),
        n_live=totals.n_live,
        n_without_text=totals.n_without_text,
        n_hashes=totals.n_hashes,
        n_bytes=sum(sizes.values()),
    )


def files_of(depot: Depot, name: str) -> dict[str, str]:
    """Return the files of a volume: the name that the depot has for each.

    `NotFoundError`: the depot has no such volume. `CorruptError`: its list is damaged, or names what none has.
    """
    return _listed(depot.read(name), f"{depot.address}: volume {name[:12]}")


def files_in(path: Path, name: str) -> dict[str, str]:
    """Return what the list of a volume's files says that lies at a path here, as `files_of`."""
    with open(path, "rb", opener=open_plain) as file:
        content = file.read(MOST_BYTES)
    if hashlib.sha256(content).hexdigest() != name:
        raise CorruptError(f"{path}: is not the list of the files of volume {name[:12]}; delete it")
    return _listed(content, str(path))


class Shelf:
    """The volumes on a node's disk, each the folder of a collection. Several processes may share a shelf.

    shelf/
      files/abcd…          files of the depot
      volumes/abcd…/       a volume: links to these files, and a copy of the catalog
      work/1234…/          folders in which a process makes volumes
    """

    def __init__(self, folder: Path, depot: Depot) -> None:
        self.folder, self.depot = folder, depot
        for place in (folder, folder / "files", folder / "volumes"):
            own_folder(place)
        self.workplace = Workplace(folder / "work")

    def folder_of(self, name: str) -> Path:
        """Return the folder of a volume; what is missing of it is fetched, but for rows that cannot be.

        `NotFoundError`: the depot has not all other files of the volume. `CorruptError`: another file of the depot has
        another content than its name says, or a copy is a link.
        """
        target = self._place(name)
        if not os.path.lexists(target):
            with self.workplace.new_folder() as beside:
                self._make(name, beside / name, without_rows=True)
                _put_in_place(beside / name, target)
        require_plain(target)
        return target

    def has(self, name: str) -> bool:
        """Return whether a volume is here."""
        return os.path.lexists(self._place(name))

    def copy(self, name: str, target: Path) -> None:
        """Make a new folder with the files of a volume, in which a writer may change the collection."""
        self._make(name, target)

    def drop_all_but(self, names: Collection[str]) -> None:
        """Delete the other volumes, and files that no volume has. A volume that a process has open stays.

        What has no name that a shelf gives stays, too.
        """
        for folder in (self.folder / "volumes").iterdir():
            if is_content(folder.name) and folder.name not in names:
                self._drop(folder)
        for file in (self.folder / "files").iterdir():
            if is_content(file.name) and file.lstat().st_nlink == 1:
                file.unlink(missing_ok=True)

    def mend(self, name: str) -> list[str]:
        """Fetch the files of a volume anew that are lost or damaged here, and return which ones.

        What the depot has not, or has damaged, stays as it is. `NotFoundError`, `CorruptError`: so is the list of
        files.
        """
        found = self._mended(name, "")
        return [file for file, problem in found.items() if not problem]

    def mend_rows(self, name: str) -> list[str]:
        """Fetch rows of the filter anew that are lost or damaged here; return why some could not be, as `mend`."""
        return [problem for problem in self._mended(name, ROWS).values() if problem]

    def _mended(self, name: str, ending: str) -> dict[str, str]:
        """Fetch files anew whose names end with `ending`; return each that is lost or damaged, and why it stays so."""
        folder, found = self._place(name), dict[str, str]()
        if not folder.exists():
            return found
        require_plain(folder)
        for file, content in self._files_of(name).items():
            if not file.endswith(ending) or file in _COPIED or _has(folder / file, content):
                continue
            found[file] = ""
            try:
                (self.folder / "files" / content).unlink(missing_ok=True)
                with self.workplace.new_folder() as beside:
                    self._link(content, beside / "new")
                    os.replace(beside / "new", folder / file)
            except (NotFoundError, CorruptError) as error:
                found[file] = str(error)
        return found

    def _place(self, name: str) -> Path:
        return self.folder / "volumes" / content_name(name, str(self.folder))

    def _drop(self, folder: Path) -> None:
        require_plain(folder)
        with self.workplace.new_folder() as beside, locks.no_readers(folder) as alone:
            if alone:
                folder.rename(beside / "gone")  # who opens it now fetches it anew

    def _make(self, name: str, target: Path, *, without_rows: bool = False) -> None:
        """Make the folder of a volume; if that is allowed, then without the rows that the depot has not."""
        target.mkdir(mode=0o700)
        for file, content in self._files_of(name).items():
            place = target / file
            place.parent.mkdir(mode=0o700, exist_ok=True)
            if file in _COPIED:
                self.depot.fetch(content, place)
                if file == FILE_NAME:
                    require_tables(place, f"{self.depot.address}: volume {name[:12]}")
                continue
            try:
                self._link(content, place)
            except (NotFoundError, CorruptError):
                if not (without_rows and self._may_lack(file)):
                    raise

    def _files_of(self, name: str) -> dict[str, str]:
        """Return the files of a volume that are kept here: the name that the depot has for each."""
        return files_of(self.depot, name)

    def _may_lack(self, file: str) -> bool:
        """Return whether a volume can be used without one of its files."""
        return file.endswith(ROWS)

    def _link(self, content: str, place: Path) -> None:
        """Make a file of the depot at a place: a link to the one that is kept here, which is fetched if it is not."""
        kept = self.folder / "files" / content_name(content, str(self.folder))
        with suppress(FileNotFoundError):
            if stat.S_ISREG(kept.lstat().st_mode):
                os.link(kept, place, follow_symlinks=False)
                return
            kept.unlink()  # a link, which leads to another's file
        self.depot.fetch(content, place)
        with suppress(FileExistsError):  # another process has fetched it meanwhile
            os.link(place, kept, follow_symlinks=False)


def require_as_listed(store: Store, volume: Volume, params: Params | None = None) -> None:
    """Raise `CorruptError` for a volume that is not what its manifest says: its ids would meet those of another one.

    Its parameters must be those of the collection, by which queries are sampled. None if these are not known here.
    """
    directory = store.generation.directory
    totals = directory.totals()
    has = {"n_live": totals.n_live, "n_without_text": totals.n_without_text, "n_hashes": totals.n_hashes}
    said = {name: getattr(volume, name) for name in has}
    if has != said or _highest_id(directory) > volume.n_ids:
        has["n_ids"], said["n_ids"] = _highest_id(directory), volume.n_ids
        raise CorruptError(f"volume {volume.name[:12]}: has {has}, but the manifest says {said}; put back a copy")
    if params is not None and store.params != params:
        raise CorruptError(f"volume {volume.name[:12]}: was made with other parameters than the manifest says")


def _highest_id(directory: Directory) -> int:
    number = max(directory.chunks, default=0)
    return max(0, number * CHUNK_DOCUMENTS + len(directory.chunk(number)) - 1)


def _has(file: Path, content: str) -> bool:
    try:
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest() == content
    except FileNotFoundError:
        return False


def _put_in_place(made: Path, target: Path) -> None:
    try:
        os.rename(made, target)
    except OSError:
        if not target.exists():  # otherwise another process was faster: both have made the same
            raise


def _listed(content: bytes, where: str) -> dict[str, str]:
    """Return what a volume's list says: the one place where it comes in, and is checked."""
    read = json_object(content, where)
    listed = {volume_file(file, where): content_name(name, where) for file, name in read.items()}
    if missing := _COPIED - listed.keys():
        raise CorruptError(f"{where}: lists no {min(missing)}, which each collection has")
    return listed
