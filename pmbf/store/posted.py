"""The postings of one generation: those of its segments, with the rows of the filter in front of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.errors import CorruptError, ParameterError
from pmbf.base.hashes import Hashes
from pmbf.kernels import Postings, Ranges, Row, Sampled, Segments
from pmbf.store import mapping
from pmbf.store.files import MappedFile, StoredFile
from pmbf.store.postings import Source, StoredPostings
from pmbf.store.rowsfile import StoredRows

Keys = NDArray[np.uint64]
Answer = TypeVar("Answer")

_FEW_BLOCKS = 128
"""Blocks of 512 bytes, 16 pages. A query that had fewer read is not worth the millisecond that reading ahead takes."""


class Posted:
    """The postings of one generation, opened when they are first asked for.

    A query asks the filter first, and a segment only for the hashes that its row may have. The filter has no false
    negatives, so the answers are those without it. If rows cannot be read, then their segments are asked for all
    hashes, and `unread_rows` says so.

    Args:
        newer: Returns the postings of documents that no file has yet; None: there are none.

    Thread rule: threads may find from one object.
    """

    def __init__(
        self,
        folder: Path,
        live: Iterable[StoredFile],
        open_file: Callable[[int], MappedFile],
        newer: Callable[[], Postings] | None = None,
    ) -> None:
        self._folder, self._open_file, self._newer = folder, open_file, newer
        known = list(live)
        self.files: Mapping[int, StoredFile] = {file.serial: file for file in known if file.kind == "POST"}
        """The files of postings, by serial: one a segment."""
        self.row_files: Mapping[int, StoredFile] = {file.serial: file for file in known if file.kind == "ROWS"}
        """The files of rows of the filter, by serial."""
        self.unread_rows: dict[int, str] = {}
        """Why rows of the filter could not be read, by the serial of their file, each with the way out."""
        self._opened: dict[int, StoredPostings] = {}
        self._rows: dict[int, StoredRows] = {}
        self._asked: Segments | None = None
        self._is_apart, self._reads_ahead = False, True
        self._opening = threading.RLock()

    def of_file(self, serial: int) -> StoredPostings:
        """Return the postings of a segment."""
        if serial not in self._opened:
            self._opened[serial] = StoredPostings.of_file(self._open_file(serial))
        return self._opened[serial]

    def rows_in(self, serial: int) -> StoredRows:
        """Return the rows of the filter in a file."""
        if serial not in self._rows:
            self._rows[serial] = StoredRows(self._open_file(serial))
        return self._rows[serial]

    def sources(self) -> list[Source]:
        """Return the postings of all segments, and of the documents that no file has yet; no document is in two."""
        return [*self._in_files(), *self._in_memory()]

    def _in_files(self) -> list[StoredPostings]:
        with self._opening:
            return [self.of_file(serial) for serial in sorted(self.files)]

    def _in_memory(self) -> list[Postings]:
        return [self._newer()] if self._newer else []

    def lost_rows(self, replaced: set[int]) -> set[int]:
        """Return the serials of the files of rows that nobody needs if some files of postings are replaced."""
        staying = self.files.keys() - replaced
        return {serial for serial in self.row_files if staying.isdisjoint(self.rows_in(serial).serials)}

    def without_row(self) -> set[int]:
        """Return the serials of the segments that have no row of the filter yet: those of a load that did not end."""
        return set(self.files) - {segment for serial in self.row_files for segment in self.rows_in(serial).serials}

    def rows(self) -> dict[int, Row]:
        """Return the row of the filter of each segment that has one which can be read, by the segment's serial."""
        found: dict[int, Row] = {}
        for serial in sorted(self.row_files.keys() - self.unread_rows.keys()):
            try:
                found |= self.rows_in(serial).by_serial()
            except OSError as error:
                self.unread_rows[serial] = str(error)
        return found

    def find(self, hashes: Hashes, *, limit: int) -> tuple[NDArray[np.int64], Keys]:
        """Return how many documents have each hash, and which documents have the hashes that few have.

        Args:
            hashes: `(q,)`, distinct.
            limit: Documents of a hash that more than `limit` documents have are only counted.

        Returns:
            `(q,) int64`, and `(n,) uint64`, ascending, each once: document << 32 | number of the hash.
        """
        return self.ask(kernels.find_postings, hashes, limit=limit)

    def find_near(self, queries: Sequence[Hashes], among: Sequence[Ranges], *, least: int, window: int) -> list[Keys]:
        """Return the documents that have `least` hashes of a query in `window` places, for each of many queries.

        Args:
            queries: Of each query `(q,)`, distinct hashes in the order of its text.
            among: Of each query `(n, 2) int64`, ascending: the documents that are looked at, from an id up to another.

        Returns:
            All hashes of these documents, for each query `(n,) uint64`, ascending, each once: document << 32 | place.
        """
        return self.ask(kernels.find_near, queries, among, least=least, window=window)

    def ask(self, kernel: Callable[..., Answer], /, *arguments: Any, **named: Any) -> Answer:
        """Return what a kernel tells of the segments, which are its first argument.

        If something contradicts itself, then the damaged page is looked for. If it is one of the filter, then its
        segments are asked for all hashes.
        """
        asked = self._segments()
        try:
            if self._is_apart:
                return self._ask_apart(lambda: kernel(asked, *arguments, **named), asked, _hashes_in(arguments[0]))
            return kernel(asked, *arguments, **named)
        except ParameterError as error:
            if self._has_given_up_rows(asked):
                return self.ask(kernel, *arguments, **named)
            for one in self._in_files():
                one.file.verify()
            command = f"pmbf check --repair -c {self._folder}"
            raise CorruptError(f"{self._folder}: {error}; run `{command}`") from error

    def _segments(self) -> Segments:
        asked = self._asked
        if asked is not None:
            return asked
        with self._opening:
            if self._asked is None:
                rows = self.rows()
                self._advise()
                in_files = [self.of_file(serial).to_find(rows.get(serial)) for serial in sorted(self.files)]
                self._asked = Segments([*in_files, *self._in_memory()])
            return self._asked

    def _advise(self) -> None:
        """If memory does not hold the postings beside the filter, then have their pages read one by one."""
        self._is_apart = not mapping.fits(
            sum(one.payload_bytes for one in [*self.files.values(), *self.row_files.values()])
        )
        if self._is_apart:
            for one in self._in_files():
                one.file.read_apart()

    def _ask_apart(self, ask: Callable[[], Answer], asked: Segments, hashes: Hashes) -> Answer:
        """Ask segments that memory does not hold. If the disk was read the last time, then pages are read ahead now."""
        n_before = mapping.read_blocks()
        if self._reads_ahead:
            self._read_ahead(asked, hashes)
        answer = ask()
        self._reads_ahead = mapping.read_blocks() - n_before >= _FEW_BLOCKS
        return answer

    def _read_ahead(self, asked: Segments, hashes: Hashes) -> None:
        """Begin to read what the segments have of the hashes that their rows may have."""
        keys = kernels.segments_having([one.row for one in asked], hashes)
        places, numbers = keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)
        for number, one in enumerate(self._in_files()):
            one.read_ahead(hashes[places[numbers == number]])

    def _has_given_up_rows(self, asked: Segments) -> bool:
        """Give up the files of rows that are damaged. Return whether one of those asked was, here or in a thread."""
        with self._opening:
            if self._asked is not asked:
                return True
            n_before = len(self.unread_rows)
            for serial, one in self._rows.items():
                try:
                    one.file.verify()
                except OSError as error:
                    self.unread_rows[serial] = str(error)
            if len(self.unread_rows) == n_before:
                return False
            self._asked = None
            return True


def _hashes_in(sought: Hashes | Sequence[Hashes | Sampled]) -> Hashes:
    """Return the hashes of a query, or of many."""
    if isinstance(sought, np.ndarray):
        return sought
    some = [one.hashes if isinstance(one, Sampled) else one for one in sought]
    return np.concatenate([np.empty(0, np.uint32), *some])
