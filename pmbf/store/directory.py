"""Where each document's record is: an array by document id, in chunks of 65,536, each a file.

The catalog says the same, a thousand times slower: the documents of a query's hit rows, several hundred, are looked up
here. The chunks are written with the commit that changes them, and made anew from the catalog by `check --repair`.
`docs/format.md` lays them out, kind `DOCS`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import begins
from pmbf.base.errors import UnsupportedError
from pmbf.store.catalog_tables import Documents
from pmbf.store.files import MAX_ID, MappedFile, damaged

LOCATION = np.dtype([("file", "<u4"), ("n_hashes", "<u4"), ("offset", "<u8"), ("n_bytes", "<u4"), ("state", "<u4")])
"""Where a document's record is: the serial number of the file, the number of hashes, the offset and length of the
record, and a state, `LIVE`, `REMOVED`, `WITHOUT_TEXT` or `UNUSED`; 24 bytes."""
UNUSED, LIVE, REMOVED, WITHOUT_TEXT = 0, 1, 2, 3
"""`WITHOUT_TEXT` is live, too: of a file without text."""

CHUNK_DOCUMENTS = 1 << 16
"""Documents whose locations make a chunk of the directory. A commit writes each chunk that it changes anew, 1.5 MB at
most."""

SKIP_SHIFT = 40
"""Of the offset of a text: so many lower bits say where its first block begins, those above where it begins there."""

_HEAD = struct.Struct("<4I2Q")
_CHUNK_SHIFT = CHUNK_DOCUMENTS.bit_length() - 1

_TIMES = 4
"""Times that only the pages of a chunk that are looked at are checked. Then all are, in a tenth of a millisecond: to
tell which ones were checked takes a third of that each time, and ten million documents have 150 chunks."""

Locations = NDArray[Any]
"""`(n,)` of `LOCATION`."""
_NO_LOCATIONS: Locations = np.empty(0, LOCATION)
_NO_IDS = np.empty(0, np.uint32)
Newer = tuple[NDArray[np.uint32], Locations]


class Totals(NamedTuple):
    """Live documents, removed ones, the hashes of the live ones; the files without text, which are not among these."""

    n_live: int
    n_removed: int
    n_without_text: int
    n_hashes: int


class Directory:
    """The chunks of one generation, opened when they are first asked for.

    Args:
        chunks: Serial of the file that holds each chunk, by the chunk's number.
        newer: Returns ids of documents, ascending, whose locations the chunks do not have yet, and these locations;
            None: there are none.
        names_texts: Whether the location of a document is that of its text, where its fingerprint is not stored.
    """

    def __init__(
        self,
        chunks: Mapping[int, int],
        open_file: Callable[[int], MappedFile],
        newer: Callable[[], Newer] | None = None,
        *,
        names_texts: bool = False,
    ) -> None:
        self.chunks, self.names_texts = dict(chunks), names_texts
        self._open_file = open_file
        self._has_newer, self._newer_of = newer is not None, newer or (lambda: (_NO_IDS, _NO_LOCATIONS))
        self._mapped: dict[int, Locations] = {}
        self._unchecked = dict.fromkeys(chunks, 0)

    def emptied(self) -> Directory:
        """Return a directory of the same kind without chunks."""
        return Directory({}, self._open_file, names_texts=self.names_texts)

    def locations(self, ids: NDArray[np.uint32], field: str | None = None) -> Locations:
        """Return the locations of some documents, `(n,)` of `LOCATION`; one that is not in the directory is `UNUSED`.

        Args:
            ids: `(n,) uint32`, in any order; ascending ones take less time.
            field: The one field of the locations that is returned, in a tenth of the time; None: all fields.
        """
        found = self._in_chunks(ids, field)
        if self._has_newer:
            newer_ids, newer = self._newer
            at = np.minimum(np.searchsorted(newer_ids, ids), len(newer_ids) - 1)
            is_newer = newer_ids[at] == ids
            found[is_newer] = (newer[field] if field else newer)[at[is_newer]]
        return found

    @cached_property
    def _newer(self) -> Newer:
        return self._newer_of()

    def _in_chunks(self, ids: NDArray[np.uint32], field: str | None = None) -> Locations:
        """Return the locations that the chunks have, as `locations`."""
        numbers, places = ids >> np.uint32(_CHUNK_SHIFT), ids & np.uint32(CHUNK_DOCUMENTS - 1)
        if len(ids) and (numbers == numbers[0]).all():
            return self._of_chunk(int(numbers[0]), places, field)
        if not (numbers[1:] >= numbers[:-1]).all():
            order = np.argsort(numbers, kind="stable")
            scattered: Locations = np.empty(len(ids), LOCATION[field] if field else LOCATION)
            scattered[order] = self._in_chunks(ids[order], field)
            return scattered
        starts = begins(numbers)
        bounds = [*starts.tolist(), len(ids)]
        return np.concatenate(
            [
                np.empty(0, LOCATION[field] if field else LOCATION),
                *(
                    self._of_chunk(number, places[start:stop], field)
                    for number, start, stop in zip(numbers[starts].tolist(), bounds, bounds[1:], strict=False)
                ),
            ]
        )

    def _of_chunk(self, number: int, places: NDArray[np.uint32], field: str | None) -> Locations:
        """Return the locations at some places of a chunk, as `locations`."""
        every = self._checked(number, places)
        column = every[field] if field else every
        if places.max() < len(every):
            return column[places]
        found = np.zeros(len(places), column.dtype)  # of the last chunk, or there is none
        is_known = places < len(every)
        found[is_known] = column[places[is_known]]
        return found

    def _checked(self, number: int, places: NDArray[np.uint32]) -> Locations:
        """Return the locations of a chunk, none when there is no such chunk; those at some places are checked."""
        if (n_times := self._unchecked.get(number)) is not None:
            file = self._open_file(self.chunks[number])
            if number not in self._mapped:
                self._mapped[number] = np.frombuffer(_content(file), LOCATION)
            if n_times < _TIMES:
                here = places[places < len(self._mapped[number])].astype(np.int64)
                file.check_places(here * LOCATION.itemsize + _HEAD.size, LOCATION.itemsize)
                self._unchecked[number] = n_times + 1
            else:
                file.verify()
            if file.is_checked:
                self._unchecked.pop(number, None)
        return self._mapped.get(number, _NO_LOCATIONS)

    def chunk(self, number: int) -> Locations:
        """Return the locations of a chunk, none when there is no such chunk; read-only."""
        known = _NO_LOCATIONS
        if number in self.chunks:
            file = self._open_file(self.chunks[number])
            file.verify()
            known = np.frombuffer(_content(file), LOCATION)
        newer_ids, newer = self._newer
        is_here = newer_ids >> np.uint32(_CHUNK_SHIFT) == number
        if not is_here.any():
            return known
        places = newer_ids[is_here] & np.uint32(CHUNK_DOCUMENTS - 1)
        merged: Locations = np.zeros(max(len(known), int(places[-1]) + 1), LOCATION)
        merged[: len(known)], merged[places] = known, newer[is_here]
        return merged

    def numbers(self) -> list[int]:
        """Return the numbers of the chunks that there are, ascending; newer locations count, too."""
        return sorted({*self.chunks, *(self._newer[0] >> np.uint32(_CHUNK_SHIFT)).tolist()})

    def totals(self) -> Totals:
        """Return how many documents and hashes there are."""
        sums = [0, 0, 0, 0]
        for serial in self.chunks.values():
            _, *counts, _ = _head(self._open_file(serial))
            sums = [a + b for a, b in zip(sums, counts, strict=True)]
        if self._has_newer:
            newer_ids, newer = self._newer
            before, now = _counts(self._in_chunks(newer_ids)), _counts(newer)
            sums = [n - a + b for n, a, b in zip(sums, before, now, strict=True)]
        return Totals(*sums)

    def live_ids(self) -> NDArray[np.uint32]:
        """Return the ids of all live documents with text, ascending."""
        found = [
            np.flatnonzero(self.chunk(number)["state"] == LIVE).astype(np.uint32) + np.uint32(number << _CHUNK_SHIFT)
            for number in self.numbers()
        ]
        return np.concatenate([np.empty(0, np.uint32), *found])

    def free_ids(self) -> Iterator[int]:
        """Yield the ids that no document has, ascending: those that compaction gave back, and then new ones.

        Raises:
            CorruptError: A chunk is damaged.
            UnsupportedError: All ids are in use.
        """
        for number in range(MAX_ID // CHUNK_DOCUMENTS + 1):
            if self._is_full(number):
                continue
            used = self.chunk(number)["state"] != UNUSED
            first = number << _CHUNK_SHIFT
            yield from (np.flatnonzero(~used) + first).tolist() if number else (np.flatnonzero(~used[1:]) + 1).tolist()
            yield from range(max(1, first + len(used)), min(first + CHUNK_DOCUMENTS, MAX_ID + 1))
        raise UnsupportedError(f"a collection holds {MAX_ID} documents at most; load the others into another one")

    def _is_full(self, number: int) -> bool:
        """Return whether the head of a chunk tells that every id is in use; 0 is none."""
        if number not in self.chunks:
            return False
        _, n_live, n_removed, n_without_text, *_ = _head(self._open_file(self.chunks[number]))
        return bool(n_live + n_removed + n_without_text == CHUNK_DOCUMENTS - (number == 0))

    def changed(self, documents: Documents, is_binary: NDArray[np.bool_], lost: Iterable[int]) -> dict[int, Locations]:
        """Return the chunks that change, by number, if documents are forgotten and then others written.

        Of two rows with one id the later holds. `is_binary` tells of each whether it is a file without text.
        """
        changed: dict[int, Locations] = {}
        for id_ in lost:
            self._writable(changed, id_)[id_ % CHUNK_DOCUMENTS] = 0
        ids = documents.id.astype(np.uint32)
        locations = located(documents, is_binary, names_texts=self.names_texts)
        for number in np.unique(ids >> _CHUNK_SHIFT).tolist():
            here = ids >> _CHUNK_SHIFT == number
            chunk = self._writable(changed, number << _CHUNK_SHIFT)
            chunk[ids[here] & (CHUNK_DOCUMENTS - 1)] = locations[here]
        return {number: _trimmed(locations) for number, locations in changed.items()}

    def _writable(self, changed: dict[int, Locations], id_: int) -> Locations:
        number = id_ >> _CHUNK_SHIFT
        if number not in changed:
            known = self.chunk(number)
            changed[number] = np.zeros(CHUNK_DOCUMENTS, LOCATION)
            changed[number][: len(known)] = known
        return changed[number]


def payload(locations: Locations) -> Iterator[bytes | memoryview]:
    """Yield the parts of a chunk's payload."""
    yield _HEAD.pack(len(locations), *_counts(locations), 0)
    yield locations.tobytes()


def _counts(locations: Locations) -> tuple[int, int, int, int]:
    """Return the live documents of some locations, removed ones, those without text, and the hashes of the live."""
    states = locations["state"]
    n_live, n_removed, n_without_text = (int(np.count_nonzero(states == one)) for one in (LIVE, REMOVED, WITHOUT_TEXT))
    return n_live, n_removed, n_without_text, int(locations["n_hashes"][states == LIVE].sum(dtype=np.int64))


def _head(file: MappedFile) -> tuple[int, ...]:
    file.check(0, _HEAD.size)
    return _HEAD.unpack_from(file.payload)


def _content(file: MappedFile) -> memoryview:
    """Return the locations of a chunk, which are not checked."""
    stop = _HEAD.size + _head(file)[0] * LOCATION.itemsize
    if stop > len(file.payload):
        raise damaged(file.path, f"its head asks for {stop} bytes, it has {len(file.payload)}")
    return file.payload[_HEAD.size : stop]


def located(documents: Documents, is_binary: NDArray[np.bool_], *, names_texts: bool = False) -> Locations:
    """Return the locations of documents, `(n,)` of `LOCATION`; `is_binary` tells which are files without text."""
    found = np.zeros(len(documents), LOCATION)
    found["file"], found["n_hashes"] = documents.fingerprint_file, documents.n_hashes
    found["offset"], found["n_bytes"] = documents.fingerprint_offset, documents.fingerprint_bytes
    if names_texts:
        of_text = documents.text_file > 0
        some = documents[of_text]
        found["file"][of_text], found["n_bytes"][of_text] = some.text_file, some.text_bytes
        found["offset"][of_text] = some.text_offset | some.text_skip << SKIP_SHIFT
    found["state"] = np.where(documents.removed, REMOVED, np.where(is_binary, WITHOUT_TEXT, LIVE))
    return found


def _trimmed(locations: Locations) -> Locations:
    used = np.flatnonzero(locations["state"])
    return locations[: used[-1] + 1] if len(used) else locations[:0]
