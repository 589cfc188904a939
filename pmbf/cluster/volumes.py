"""Volumes on their way: a collection's folder is sealed into the depot, and fetched from it to a node's disk."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Volume
from pmbf.errors import CorruptError
from pmbf.store import locks
from pmbf.store.directory import CHUNK_DOCUMENTS, Directory
from pmbf.store.folder import GENERATION_FILE, Store
from pmbf.store.folders import make_folder, temporary_folder
from pmbf.store.schema import FILE_NAME

_LIST = "files.json"
_COPIED = {FILE_NAME, GENERATION_FILE}
"""SQLite may write to the catalog, and a writer to the generation's number. The other files never change."""


def seal(folder: Path, depot: Depot, *, instead_of: Volume | None = None) -> Volume:
    """Store a collection's folder in the depot as a volume. Nobody else may change the folder meanwhile.

    Args:
        folder: The collection.
        depot: Where the volume is stored.
        instead_of: The volume that this one takes the place of; its ids are not given to others.

    Raises:
        BusyError: Another process is writing to the collection.
        OSError: The depot cannot be written.
    """
    with Store(folder, writable=True) as store:
        store.catalog.checkpoint()
        names = sorted(store.generation.names() | {FILE_NAME, GENERATION_FILE})
        totals, n_ids = store.generation.directory.totals(), _highest_id(store.generation.directory)
    sizes = {name: (folder / name).stat().st_size for name in names}
    listed = {name: depot.put(folder / name) for name in names}
    with temporary_folder("pmbf-volume-") as beside:
        (beside / _LIST).write_text(json.dumps(listed, sort_keys=True), encoding="utf-8")
        name = depot.put(beside / _LIST)
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


class Shelf:
    """The volumes on a node's disk, each the folder of a collection. Several processes may share a shelf.

    shelf/
      files/abcd…          files of the depot
      volumes/abcd…/       a volume: links to these files, and a copy of the catalog

    Args:
        folder: Where they are kept.
        depot: Where they come from.
    """

    def __init__(self, folder: Path, depot: Depot) -> None:
        self.folder, self.depot = folder, depot
        for name in ("files", "volumes"):
            make_folder(folder / name, mode=0o700)

    def folder_of(self, name: str) -> Path:
        """Return the folder of a volume; what is missing of it is fetched.

        Raises:
            NotFoundError: The depot has not all files of the volume.
            CorruptError: A file of the depot has another content than its name says.
            OSError: The disk is full.
        """
        target = self.folder / "volumes" / name
        if not target.exists():
            making = target.with_name(f".{secrets.token_hex(8)}")
            try:
                self._make(name, making)
                _put_in_place(making, target)
            finally:
                shutil.rmtree(making, ignore_errors=True)
        return target

    def copy(self, name: str, target: Path) -> None:
        """Make a new folder with the files of a volume, in which a writer may change the collection."""
        self._make(name, target)

    def drop_all_but(self, names: Collection[str]) -> None:
        """Delete the other volumes, and files that no volume has. A volume that a process has open stays."""
        for folder in (self.folder / "volumes").iterdir():
            if folder.name not in names and not folder.name.startswith("."):
                self._drop(folder)
        for file in (self.folder / "files").iterdir():
            if file.stat().st_nlink == 1 and not file.name.startswith("."):
                file.unlink(missing_ok=True)

    def _drop(self, folder: Path) -> None:
        gone = folder.with_name(f".{secrets.token_hex(8)}")
        with locks.no_readers(folder) as alone:
            if not alone:
                return
            folder.rename(gone)  # who opens it now fetches it anew
        shutil.rmtree(gone, ignore_errors=True)

    def _make(self, name: str, target: Path) -> None:
        target.mkdir(mode=0o700)
        self.depot.fetch(name, target / _LIST)
        for file, content in _listed(target / _LIST).items():
            place = target / file
            place.parent.mkdir(mode=0o700, exist_ok=True)
            if file in _COPIED:
                self.depot.fetch(content, place)
            else:
                self._link(content, place)
        (target / _LIST).unlink()

    def _link(self, content: str, place: Path) -> None:
        kept = self.folder / "files" / content
        try:
            os.link(kept, place)
        except FileNotFoundError:
            self.depot.fetch(content, place)
            with suppress(FileExistsError):  # another process has fetched it meanwhile
                os.link(place, kept)


def _highest_id(directory: Directory) -> int:
    number = max(directory.chunks, default=0)
    return max(0, number * CHUNK_DOCUMENTS + len(directory.chunk(number)) - 1)


def _put_in_place(made: Path, target: Path) -> None:
    try:
        os.rename(made, target)
    except OSError:
        if not target.exists():  # otherwise another process was faster: both have made the same
            raise


def _listed(path: Path) -> dict[str, str]:
    """Return the files of a volume: the name that the depot has for each.

    Raises:
        CorruptError: The list is not one that `seal` writes.
    """
    listed: dict[str, str] = json.loads(path.read_bytes())
    for file in listed:
        if file.count("/") > 1 or file.startswith(("/", ".")) or ".." in file:
            raise CorruptError(f"a volume has a file {file!r:.80}, expected one inside the collection's folder")
    return listed
