"""The live files of a generation, each mapped when it is first asked for."""

from __future__ import annotations

import threading
from pathlib import Path

from pmbf.base.errors import CorruptError, ParameterError
from pmbf.store.files import CATALOG_NAME, HeldFile, Identity, MappedFile, StoredFile
from pmbf.store.journal import NO_JOURNAL


class LiveFiles:
    """The files that a generation names.

    Thread rule: threads may ask for files of one object.
    """

    def __init__(self, folder: Path, identity: Identity) -> None:
        self.folder = folder
        self.identity = identity
        self._live: dict[int, StoredFile] = {}
        self.journal = NO_JOURNAL
        self._open_files: dict[int, MappedFile] = {}
        self._opening = threading.RLock()
        self._closed = False

    def names(self) -> set[str]:
        """Return the names of the live files inside the collection, each with its folder."""
        return {file.name for file in self._live.values()}

    def highest_serial(self) -> int:
        """Return the highest serial of the live files, 0 if there are none."""
        return max(self._live, default=0)

    def tile_files(self) -> dict[int, StoredFile]:
        """Return the live tile files by tile number."""
        return {file.tile: file for file in self._live.values() if file.kind == "TILE"}

    def record_files(self) -> list[int]:
        """Return the serials of the live files of fingerprints."""
        return [file.serial for file in self._live.values() if file.kind == "FPRT"]

    def file(self, serial: int) -> MappedFile:
        """Return a live file, mapped, its header checked; or one that is not written yet."""
        if serial not in self._open_files:
            self._require_open()
            with self._opening:
                if serial not in self._open_files:
                    self._open_files[serial] = self._opened(serial)
        return self._open_files[serial]

    def _opened(self, serial: int) -> MappedFile:
        for (_, held), payload in self.journal.payloads.items():
            if held == serial:
                return HeldFile(self.folder / CATALOG_NAME, payload)
        if serial not in self._live:
            raise self.contradiction(f"file {serial} is named but not listed")
        return MappedFile(self.folder, self._live[serial], self.identity)

    def _require_open(self) -> None:
        if self._closed:
            raise ParameterError(f"{self.folder}: the collection is closed; open it again")

    def contradiction(self, what: str, command: str = "check") -> CorruptError:
        """Return the error for files that contradict the catalog, with the way out."""
        return CorruptError(f"{self.folder}: {what}; run `pmbf {command} -c {self.folder}`")
