"""Files that are written for a commit: here and now, or in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future

from pmbf.store import files
from pmbf.store.files import StoredFile
from pmbf.store.folder import Store

Written = Future[list[StoredFile]]
"""Files that are being written."""


class Files:
    """Writes the files of one collection, each under a number of its own."""

    def __init__(self, store: Store, threads: Executor | None) -> None:
        self.store, self.next_serial = store, 0
        self._threads = threads

    def go_on(self) -> None:
        """Count on above the serials of all live files."""
        used = self.store.generation.highest_serial()
        self.next_serial = max(self.next_serial, int(self.store.catalog.meta["next_serial"]), used + 1)

    def reserve_serial(self) -> int:
        """Return a serial number no other file gets."""
        serial, self.next_serial = self.next_serial, self.next_serial + 1
        return serial

    def write(
        self, kind: str, payload: Iterable[files.Buffer], *, serial: int | None = None, tile: int = -1
    ) -> StoredFile:
        """Write a file and return its row of the catalog."""
        serial = self.reserve_serial() if serial is None else serial
        written = files.write_file(self.store.folder, kind, self.store.generation.identity, serial, payload)
        return written._replace(tile=tile)

    def start(
        self, kind: str, content: Iterable[files.Buffer], serial: int | None = None, *, tile: int = -1
    ) -> Written:
        """Write a file in a thread if there are any, otherwise here and now."""
        serial = self.reserve_serial() if serial is None else serial
        return self.run(lambda: [self.write(kind, content, serial=serial, tile=tile)])

    def run(self, write: Callable[[], list[StoredFile]]) -> Written:
        """Run what writes files in a thread if there are any, otherwise here and now."""
        if self._threads:
            return self._threads.submit(write)
        written: Written = Future()
        written.set_result(write())
        return written
