"""The depot: the one place that all nodes of a cluster share. What stands in it never changes.

    depot/
      files/ab/abcd…            a file, named by its SHA-256
      manifests/000000000007    the volumes of a generation; who writes it first has made the commit

A file is written under a name of its own, synced, and then linked to its place. So a name is there with its whole
content or not at all, and of two writers of one manifest exactly one succeeds.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from pmbf.contents import without_waiting
from pmbf.errors import CorruptError, NotFoundError
from pmbf.store.folders import make_folder, sync_folder

_PIECE_BYTES = 1 << 20
_NUMBER = re.compile("[0-9]{12}")
_NAME = re.compile("[0-9a-f]{64}")


class Depot(Protocol):
    """Files by their SHA-256, and manifests by their number; both are written once. Any process may use it."""

    @property
    def address(self) -> str:
        """Where it is, as a user types it."""
        ...

    def put(self, source: Path) -> str:
        """Store a copy of a file and return its name. A file that is there is not written again."""
        ...

    def fetch(self, name: str, target: Path) -> None:
        """Write a copy of a stored file to a new file.

        Raises:
            NotFoundError: There is no such file.
            CorruptError: Its content has not the checksum that is its name.
        """
        ...

    def commit(self, number: int, content: bytes) -> bool:
        """Store a manifest, unless there is one with this number; return whether it was stored."""
        ...

    def last(self) -> int:
        """Return the number of the last manifest, 0 if there is none."""
        ...

    def manifest(self, number: int) -> bytes:
        """Return a manifest.

        Raises:
            NotFoundError: There is none with this number.
        """
        ...


class FolderDepot:
    """A depot in a folder: of this machine, or of a file system that all nodes share.

    The file system must make hard links, and keep its promises to `fsync`: local ones and NFS do.

    Args:
        folder: The folder; it is made if it is not there. Only its owner may read it.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    @property
    def address(self) -> str:
        """The path of the folder."""
        return str(self.folder)

    def put(self, source: Path) -> str:
        """Store a copy of a file, as `Depot.put`."""
        with open(source, "rb") as file:
            name = hashlib.file_digest(file, "sha256").hexdigest()
            target = self._file(name)
            if not target.exists():
                file.seek(0)
                self._write(target, _pieces(file))
        return name

    def fetch(self, name: str, target: Path) -> None:
        """Write a copy of a stored file, as `Depot.fetch`."""
        place = self._file(name)
        if not place.exists():
            raise NotFoundError(f"{place}: the depot has no such file; a volume that needs it cannot be read")
        read = hashlib.sha256()
        with open(place, "rb") as stored, open(target, "xb", opener=without_waiting) as copy:
            for piece in _pieces(stored):
                read.update(piece)
                copy.write(piece)
        if read.hexdigest() != name:
            target.unlink()
            raise CorruptError(
                f"{place}: its SHA-256 is {read.hexdigest()}, expected that of its name; put back a copy"
            )

    def commit(self, number: int, content: bytes) -> bool:
        """Store a manifest, as `Depot.commit`."""
        return self._write(self._manifest(number), [content])

    def last(self) -> int:
        """Return the number of the last manifest, as `Depot.last`."""
        folder = self.folder / "manifests"
        names = os.listdir(folder) if folder.is_dir() else []
        return max((int(name) for name in names if _NUMBER.fullmatch(name)), default=0)

    def manifest(self, number: int) -> bytes:
        """Return a manifest, as `Depot.manifest`."""
        try:
            return self._manifest(number).read_bytes()
        except FileNotFoundError:
            raise NotFoundError(f"{self.folder}: has no manifest {number}") from None

    def _file(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise CorruptError(f"{self.folder}: a file is called {name!r:.80}, expected 64 hexadecimal digits")
        return self.folder / "files" / name[:2] / name

    def _manifest(self, number: int) -> Path:
        return self.folder / "manifests" / f"{number:012}"

    def _write(self, target: Path, pieces: Iterator[bytes] | list[bytes]) -> bool:
        """Write a new file whole and durable; return False if there is one of its name."""
        make_folder(target.parent, mode=0o700)
        temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with open(temporary, "xb", opener=without_waiting) as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            os.link(temporary, target)
        except FileExistsError:
            return False
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(target.parent)
        return True


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE_BYTES):
        yield piece
