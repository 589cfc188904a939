"""The depot: the one place that all nodes of a cluster share. What stands in it never changes.

    depot/
      files/ab/abcd…            a file, named by its SHA-256
      manifests/000000000007    the volumes of a generation; who writes it first has made the commit
    last                      number of the last commit, noted after it: the one file that is replaced

A file is written under a name of its own, synced, and then linked to its place. So a name is there with its whole
content or not at all, and of two writers of one manifest exactly one succeeds.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from pmbf.base.contents import without_waiting
from pmbf.base.errors import CorruptError, NotFoundError
from pmbf.cluster.untrusted import TEMPORARY, bounded, commit_number, content_name, is_content, open_plain
from pmbf.store.folders import make_folder, require_folder, sync_folder

_PIECE_BYTES = 1 << 20


class Depot(ABC):
    """Files by their SHA-256, and manifests by their number; both are written once. Any process may use it."""

    @property
    @abstractmethod
    def address(self) -> str:
        """Where it is, as a user types it."""

    # ------------------------------------------------------------------ files

    @abstractmethod
    def put(self, source: Path) -> str:
        """Store a copy of a file and return its name. A file that is there is not written again."""

    @abstractmethod
    def put_bytes(self, content: bytes) -> str:
        """Store a file with this content and return its name."""

    def fetch(self, name: str, target: Path) -> None:
        """Write a copy of a stored file to a new file.

        `NotFoundError`: there is no such file. `CorruptError`: its content has not the checksum that is its name.
        """
        with open(target, "xb", opener=without_waiting) as copy:
            try:
                self._require(name, _copied(self._pieces(name), copy))
            except (NotFoundError, CorruptError):
                target.unlink()
                raise

    def read(self, name: str) -> bytes:
        """Return the content of a small file; raise what `fetch` raises."""
        content = bounded(self._pieces(name), str(self._file(name)))
        self._require(name, [content])
        return content

    def verify(self, name: str) -> None:
        """Read a whole file and compare it with its name; raise what `fetch` raises."""
        self._require(name, self._pieces(name))

    @abstractmethod
    def renew(self, name: str) -> None:
        """Make a file as young as one that is written now. Raises `NotFoundError` if there is no such file."""

    @abstractmethod
    def files(self) -> Iterator[str]:
        """Yield the name of each file."""

    @abstractmethod
    def delete(self, name: str, least_age_s: float) -> int:
        """Delete a file that was neither written nor renewed for some seconds; return its bytes, 0 if it stays."""

    @abstractmethod
    def clean(self, least_age_s: float) -> None:
        """Delete what writers that were killed have left behind before some seconds."""

    # ------------------------------------------------------------------ manifests

    @abstractmethod
    def commit(self, number: int, content: bytes) -> bool:
        """Store a manifest, unless there is one with this number; return whether it was stored."""

    @abstractmethod
    def numbers(self) -> list[int]:
        """Return the numbers of all manifests, those that were emptied included."""

    @abstractmethod
    def noted(self) -> bytes:
        """Return the note of the last commit, empty if there is none; see `pmbf.cluster.noted`."""

    @abstractmethod
    def note(self, content: bytes) -> None:
        """Replace the note of the last commit."""

    def manifest(self, number: int) -> bytes:
        """Return a manifest. Raises `NotFoundError` if there is none with this number, or it was emptied."""
        if content := self._content(number):
            return content
        raise NotFoundError(f"{self.address}: has no manifest {number}")

    @abstractmethod
    def generations(self) -> dict[int, float]:
        """Return the age in seconds of each manifest that was not emptied, by number."""

    @abstractmethod
    def empty(self, number: int) -> None:
        """Take the content of a manifest away. Its number stays taken: nobody commits it a second time."""

    # ------------------------------------------------------------------ private

    @abstractmethod
    def _file(self, name: str) -> Path | str:
        """Return where a file is stored."""

    @abstractmethod
    def _pieces(self, name: str) -> Iterator[bytes]:
        """Yield the content of a file. Raises `NotFoundError` at the first piece if there is no such file."""

    @abstractmethod
    def _content(self, number: int) -> bytes:
        """Return the content of a manifest, empty if there is none."""

    def _missing(self, name: str) -> NotFoundError:
        return NotFoundError(f"{self._file(name)}: the depot has no such file; put back a copy")

    def _require(self, name: str, content: Iterable[bytes]) -> None:
        read = hashlib.sha256()
        for piece in content:
            read.update(piece)
        if read.hexdigest() != name:
            raise CorruptError(
                f"{self._file(name)}: its SHA-256 is {read.hexdigest()}, expected that of its name; put back a copy"
            )


class FolderDepot(Depot):
    """A depot in a folder: of this machine, or of a file system that all nodes share.

    The file system must make hard links, and keep its promises to `fsync`: local ones and NFS do.

    Args:
        folder: The folder; it is made if it is not there. Only its owner may read it.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    @property
    def address(self) -> str:
        return str(self.folder)

    def put(self, source: Path) -> str:
        with open(source, "rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            self._put(name, _pieces(file))
        return name

    def put_bytes(self, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()
        self._put(name, [content])
        return name

    def renew(self, name: str) -> None:
        try:
            os.utime(self._file(name), follow_symlinks=False)
        except FileNotFoundError:
            raise self._missing(name) from None

    def files(self) -> Iterator[str]:
        for place in (self.folder / "files").glob("??/*"):
            if is_content(place.name):
                yield place.name

    def delete(self, name: str, least_age_s: float) -> int:
        place, now = self._file(name), self._now()
        self._require_folders(place.parent)
        gone = place.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            if now - place.lstat().st_mtime < least_age_s:
                return 0
            place.rename(gone)  # who puts it from here on writes it anew
        except FileNotFoundError:  # another process has deleted it
            return 0
        found = gone.lstat()
        if now - found.st_mtime < least_age_s:  # it was put between the two steps
            with contextlib.suppress(FileExistsError):
                os.link(gone, place, follow_symlinks=False)
        gone.unlink()
        return 0 if place.exists() else found.st_size

    def clean(self, least_age_s: float) -> None:
        now = self._now()
        for folder in (self.folder, self.folder / "manifests", *(self.folder / "files").glob("??")):
            self._require_folders(folder)
            for place in folder.glob(".*.tmp"):
                with contextlib.suppress(FileNotFoundError):
                    if TEMPORARY.fullmatch(place.name) and now - place.lstat().st_mtime >= least_age_s:
                        place.unlink()

    def commit(self, number: int, content: bytes) -> bool:
        return self._write(self._manifest(number), [content])

    def numbers(self) -> list[int]:
        folder = self.folder / "manifests"
        numbers = map(commit_number, os.listdir(folder) if folder.is_dir() else [])
        return [number for number in numbers if number is not None]

    def noted(self) -> bytes:
        with contextlib.suppress(FileNotFoundError), open(self._note, "rb", opener=open_plain) as file:
            return file.read(64)
        return b""

    def note(self, content: bytes) -> None:
        with self._written(self._note, [content]) as new:
            os.replace(new, self._note)

    def generations(self) -> dict[int, float]:
        now = self._now()
        found = {number: self._manifest(number).lstat() for number in self.numbers()}
        return {number: now - one.st_mtime for number, one in found.items() if one.st_size}

    def empty(self, number: int) -> None:
        place = self._manifest(number)
        with self._written(place, []) as nothing:
            os.replace(nothing, place)  # what another has linked to this place keeps its content

    def _pieces(self, name: str) -> Iterator[bytes]:
        try:
            with open(self._file(name), "rb", opener=open_plain) as stored:
                yield from _pieces(stored)
        except FileNotFoundError:
            raise self._missing(name) from None

    def _content(self, number: int) -> bytes:
        place = self._manifest(number)
        with contextlib.suppress(FileNotFoundError), open(place, "rb", opener=open_plain) as file:
            return bounded(_pieces(file), str(place))
        return b""

    def _put(self, name: str, content: Iterable[bytes]) -> None:
        try:
            self.renew(name)
        except NotFoundError:
            self._write(self._file(name), content)

    def _now(self) -> float:
        """Return the time by the clock of the file system: that of its files, whatever host asks."""
        make_folder(self.folder, mode=0o700)
        clock = self.folder / f".{secrets.token_hex(8)}.tmp"
        clock.touch(mode=0o600)
        now = clock.stat().st_mtime
        clock.unlink()
        return now

    def _file(self, name: str) -> Path:
        return self.folder / "files" / name[:2] / content_name(name, self.address)

    def _manifest(self, number: int) -> Path:
        return self.folder / "manifests" / f"{number:012}"

    @property
    def _note(self) -> Path:
        return self.folder / "last"

    def _require_folders(self, folder: Path) -> None:
        """Refuse to write and to delete in a folder of the depot that is a link, or below one."""
        while folder != self.folder:
            require_folder(folder)
            folder = folder.parent

    def _write(self, target: Path, pieces: Iterable[bytes]) -> bool:
        """Write a new file whole and durable; return False if there is one of its name."""
        try:
            with self._written(target, pieces) as temporary:
                os.link(temporary, target)
        except FileExistsError:
            return False
        return True

    @contextlib.contextmanager
    def _written(self, target: Path, pieces: Iterable[bytes]) -> Iterator[Path]:
        """Yield a new file, synced, that is to get another name; the new name is durable at the end."""
        self._require_folders(target.parent)
        make_folder(target.parent, mode=0o700)
        temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with open(temporary, "xb", opener=without_waiting) as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(target.parent)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece


def _copied(pieces: Iterable[bytes], copy: BinaryIO) -> Iterator[bytes]:
    for piece in pieces:
        copy.write(piece)
        yield piece
