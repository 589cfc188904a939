"""The rows of the filter of all volumes, for who asks: which volumes may have which of a batch's hashes.

    depot ─► rows of each volume, on the disk of who asks ─► Filter ─► of each volume, the hashes that it is asked for

A row says yes to each hash that it was given. So what a volume is not asked for, it has not, and answers are those
without the filter. If the rows of a volume cannot be read, then the volume is asked for everything, and that is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import begins, distinct
from pmbf.base.errors import CorruptError, ParameterError
from pmbf.base.hashes import Hashes
from pmbf.base.params import Params
from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Manifest, Volume
from pmbf.cluster.opened import UNREADABLE
from pmbf.cluster.volumes import ROWS, Shelf, files_in, files_of
from pmbf.kernels import AskedRows, Row
from pmbf.store.rowsfile import rows_at, segments_among

Places = NDArray[np.uint32]

_LIST = "list"
"""A volume's list of files, as the depot has it: it names the segments."""

_NUMBER, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


@dataclass(frozen=True, slots=True, eq=False)
class Filter:
    """The rows of the segments of some volumes.

    Args:
        rows: The row of each segment; None: it may have all hashes.
        owners: `(n,) int64`, the number of the volume that has each segment.
        unread: Why the rows of a volume could not be read, by the volume's name.
    """

    volumes: Sequence[Volume]
    rows: AskedRows
    owners: NDArray[np.int64]
    unread: Mapping[str, str]

    def having(self, hashes: Hashes) -> dict[str, Places]:
        """Return places in some hashes, in any order, that each volume may have: `(n,) uint32`, ascending, by its name.

        A volume that has none of them is not there. `ParameterError`: the rows are damaged.
        """
        keys = kernels.segments_having(self.rows, hashes)
        volumes = self.owners[(keys & _NUMBER).astype(np.intp)].astype(np.uint64)
        passed = distinct(volumes << _SHIFT | keys >> _SHIFT)
        starts, places = begins(passed >> _SHIFT), passed.astype(np.uint32)
        numbers, bounds = (passed[starts] >> _SHIFT).tolist(), [*starts.tolist(), len(passed)]
        return {
            self.volumes[number].name: places[start:stop]
            for number, start, stop in zip(numbers, bounds, bounds[1:], strict=False)
        }


_NO_ROWS = Filter((), AskedRows(), np.empty(0, np.int64), {})


class _RowsShelf(Shelf):
    """The rows of volumes, without their other files."""

    def _files_of(self, name: str) -> dict[str, str]:
        listed = files_of(self.depot, name)
        return {_LIST: name} | {file: content for file, content in listed.items() if file.endswith(ROWS)}

    def _may_lack(self, file: str) -> bool:
        return False


class RowsHere:
    """The rows of volumes on the disk of who asks, fetched when they are first needed, mapped, and kept.

    Several processes may share the folder, and any thread may ask.
    """

    def __init__(self, folder: Path, depot: Depot, params: Params) -> None:
        self._folder, self._depot, self._params = folder, depot, params
        self._rows: dict[str, list[Row | None]] = {}
        self._unread: dict[str, str] = {}
        self._filter, self._lock = _NO_ROWS, RLock()

    @cached_property
    def _shelf(self) -> Shelf:
        return _RowsShelf(self._folder, self._depot)

    def having(self, manifest: Manifest, hashes: Hashes) -> tuple[dict[str, Places], Mapping[str, str]]:
        """Return which of some hashes each volume may have, as `Filter.having`, and whose rows could not be read."""
        asked = self._of(manifest.volumes)
        try:
            return asked.having(hashes), asked.unread
        except ParameterError:
            self._read_anew(manifest.volumes)
            asked = self._of(manifest.volumes)
            return asked.having(hashes), asked.unread

    def mend(self, volumes: Iterable[Volume]) -> dict[str, list[str]]:
        """Fetch rows anew that are lost or damaged here, and try again those that could not be read.

        What was damaged is returned by the name of the volume.
        """
        found: dict[str, list[str]] = {}
        with self._lock:
            for name in [one.name for one in volumes]:
                try:
                    damaged = [f"{self._folder}: {file} was damaged" for file in self._shelf.mend(name)]
                except UNREADABLE:  # the nodes tell why
                    damaged = []
                if damaged or name in self._unread:
                    self._forget(name)
                if damaged:
                    found[name] = damaged
        return found

    def keep(self, volumes: Iterable[Volume]) -> None:
        """Delete the rows of all other volumes."""
        with self._lock:
            names = {one.name for one in volumes}
            for name in self._rows.keys() - names:
                self._forget(name)
            try:
                self._shelf.drop_all_but(names)
            except UNREADABLE:  # a disk that cannot be written has nothing to delete
                return

    def _of(self, volumes: Sequence[Volume]) -> Filter:
        """Return the rows of volumes; those of other volumes than before are read."""
        with self._lock:
            if self._filter.volumes is not volumes:
                rows = [self._rows_of(one) for one in volumes]
                numbers = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
                every = AskedRows(row for some in rows for row in some)
                unread = {one.name: self._unread[one.name] for one in volumes if one.name in self._unread}
                self._filter = Filter(volumes, every, numbers, unread)
            return self._filter

    def _rows_of(self, volume: Volume, *, verified: bool = False) -> list[Row | None]:
        """Return the row of each segment of a volume; one segment without a row if they cannot be read."""
        if volume.name not in self._rows:
            try:
                self._rows[volume.name] = self._read(volume.name, verified)
            except UNREADABLE as error:
                self._unread[volume.name], self._rows[volume.name] = str(error), [None]
        return self._rows[volume.name]

    def _read(self, name: str, verified: bool) -> list[Row | None]:
        """Return the row of each segment of a volume. What is lost or damaged here is fetched anew."""
        try:
            return self._mapped(name, verified)
        except UNREADABLE:
            if problems := self._shelf.mend_rows(name):
                raise CorruptError(problems[0]) from None
            return self._mapped(name, verified)

    def _mapped(self, name: str, verified: bool) -> list[Row | None]:
        folder = self._shelf.folder_of(name)
        listed = files_in(folder / _LIST, name)
        rows: dict[int, Row] = {}
        for file in listed:
            if file.endswith(ROWS):
                stored = rows_at(folder / file, self._params)
                if verified:
                    stored.file.verify()
                rows |= stored.by_serial()
        return [rows.get(serial) for serial in segments_among(listed)]

    def _read_anew(self, volumes: Iterable[Volume]) -> None:
        """Read all rows anew, each page of them; what is damaged is fetched, or unread."""
        with self._lock:
            for one in volumes:
                self._forget(one.name)
                self._rows_of(one, verified=True)

    def _forget(self, name: str) -> None:
        self._rows.pop(name, None)
        self._unread.pop(name, None)
        self._filter = _NO_ROWS
