"""Units on disk: where each unit stands, and all keys in order, in files that are written once.

The payload of a segment, all numbers little-endian, each array filled with zeros to a multiple of 8 bytes:

    head          8 bytes each: documents, units, keys of a unit, bits of a key, whether there is a directory, and
                  whether there are own keys
    contents      8 bytes a document: what its contents are, as `similar` knows them
    ids           4 bytes a document
    firsts        4 bytes a document: the units before its own
    spans         4 + 4 bytes a unit: start and stop in code points of the text
    directory     4 bytes each: where the keys with each of 65,536 first halves begin, and their number
    entries       4 bytes a key: the unit that has it
    keys          ascending; with a directory the second half alone, 2 bytes; otherwise 4 or 8 bytes
    own           only for the paper's code: 4 or 8 bytes a key, the keys of unit after unit
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import spans as spans_of
from pmbf.kernels import CODES
from pmbf.store import files
from pmbf.store.files import Buffer, Identity, MappedFile, StoredFile

KIND = "SENT"
KEY_BITS = (32, 64)
LEAST_WITH_DIRECTORY = 1 << 17
"""Keys of 32 bits from which on a directory takes less room than the first halves of the keys."""

_UNIT_BITS = 32
_HALF = 16
_N_HALVES = 1 << _HALF
_KINDS = {(key_bits, directory, own) for key_bits in KEY_BITS for directory in (0, 1) for own in (0, 1)}
_KINDS -= {(64, 1, 0), (64, 1, 1)}
"""Bits of a key, whether there is a directory, whether there are own keys: what a segment may have."""
_FIELDS = ("n_documents", "n_units", "n_keys", "key_bits", "has_directory", "has_own")
_HEAD = np.dtype([(name, "<i8") for name in _FIELDS])

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]


class StoredUnits(NamedTuple):
    """The units of some documents, on their way to a segment or from one.

    Args:
        contents, ids, counts: Of each document; `counts` are its units.
        spans: `(n_units, 2)`, start and stop of each in code points.
        keys: `(n_units, n_keys)`; of keys of 32 bits the lower half is 0.
    """

    contents: Numbers
    ids: Numbers
    counts: Numbers
    spans: NDArray[np.uint32]
    keys: Keys

    @classmethod
    def joined(cls, many: Sequence[StoredUnits]) -> StoredUnits:
        """Return units end to end."""
        return cls(*(np.concatenate(column) for column in zip(*many, strict=True)))

    def without(self, places: Sequence[int]) -> StoredUnits:
        """Return the units without those of some documents, given by place."""
        stays = np.ones(len(self.ids), np.bool_)
        stays[list(places)] = False
        units = np.repeat(stays, self.counts)
        return StoredUnits(
            self.contents[stays], self.ids[stays], self.counts[stays], self.spans[units], self.keys[units]
        )


def write_segment(
    folder: Path, identity: Identity, serial: int, units: StoredUnits, *, key_bits: int, own: bool
) -> StoredFile:
    """Write a segment and return its row; with `own`, the keys of each unit are kept in its order, too.

    Raises:
        OSError: The disk is full; nothing is left behind.
    """
    return files.write_file(folder, KIND, identity, serial, _payload(units, key_bits, own))


def _payload(units: StoredUnits, key_bits: int, own: bool) -> Iterator[Buffer]:
    n_units, n_keys = units.keys.shape
    keys = (units.keys >> np.uint64(64 - key_bits)).ravel()
    has_directory = key_bits == 2 * _HALF and len(keys) >= LEAST_WITH_DIRECTORY
    yield np.array([(len(units.ids), n_units, n_keys, key_bits, has_directory, own)], _HEAD).tobytes()
    ordered, entries = _ordered(keys, n_keys, key_bits)
    firsts = np.cumsum(units.counts) - units.counts
    parts = [units.contents.astype("<i8"), units.ids.astype("<u4"), firsts.astype("<u4"), units.spans.astype("<u4")]
    if has_directory:
        halves = np.arange(_N_HALVES + 1, dtype=np.uint64) << np.uint64(_HALF)
        parts.append(np.searchsorted(ordered, halves).astype("<u4"))
    parts.append(entries.astype("<u4"))
    parts.append(ordered.astype("<u2" if has_directory else f"<u{key_bits // 8}"))
    if own:
        parts.append(keys.astype(f"<u{key_bits // 8}"))
    for part in parts:
        yield part.tobytes()
        yield bytes(-part.nbytes % 8)


def _ordered(keys: Keys, n_keys: int, key_bits: int) -> tuple[Keys, NDArray[Any]]:
    """Return keys ascending, with the unit that has each. A sort of whole numbers takes a fifth of an `argsort`."""
    units = np.repeat(np.arange(len(keys) // max(1, n_keys), dtype=np.uint64), n_keys)
    if key_bits > _UNIT_BITS:
        order = np.argsort(keys, kind="stable")
        return keys[order], units[order]
    pairs = np.sort(keys << np.uint64(_UNIT_BITS) | units)
    return pairs >> np.uint64(_UNIT_BITS), pairs & np.uint64(2**_UNIT_BITS - 1)


class UnitSegment:
    """The units of a file, mapped and checked. A unit is known by its place in the segment.

    Thread rule: safe to read from any number of threads.

    Args:
        gone: Places of documents that left the collection.

    Raises:
        CorruptError: The file is missing, cut or damaged.
    """

    def __init__(self, folder: Path, file: StoredFile, identity: Identity, gone: Sequence[int] = ()) -> None:
        self.file = file
        mapped = MappedFile(folder, file, identity)
        self._path = mapped.path
        self._take(_Arrays(mapped))
        self.gone = np.array(gone, np.int64)
        if len(self.gone) and not 0 <= self.gone.min() <= self.gone.max() < len(self.ids):
            raise files.damaged(mapped.path, f"has {len(self.ids)} documents; document {self.gone.max()} left it")

    def _take(self, arrays: _Arrays) -> None:
        head = arrays.head
        n_documents, n_units, self.n_keys, self.key_bits = (int(head[name]) for name in _FIELDS[:4])
        kind = (self.key_bits, int(head["has_directory"]), int(head["has_own"]))
        if kind not in _KINDS or self.n_keys not in CODES.values():
            told = f"{self.n_keys} keys of {kind[0]} bits a unit, with the marks {kind[1]} and {kind[2]}"
            raise files.damaged(arrays.mapped.path, f"has {told}")
        n_entries = n_units * self.n_keys
        self.contents = arrays.take("<i8", n_documents)
        self.ids, self.firsts = arrays.take("<u4", n_documents), arrays.take("<u4", n_documents)
        self.spans = arrays.take("<u4", 2 * n_units).reshape(-1, 2)
        self.directory = arrays.take("<u4", _N_HALVES + 1) if head["has_directory"] else None
        self.entries = arrays.take("<u4", n_entries)
        whole = f"<u{self.key_bits // 8}"
        self.keys = arrays.take("<u2" if head["has_directory"] else whole, n_entries)
        self.has_own = bool(head["has_own"])  # else the keys of a unit ascend
        self._own = arrays.take(whole, n_entries).reshape(n_units, self.n_keys) if self.has_own else None
        arrays.require_end(self)

    def __len__(self) -> int:
        """Return how many units there are, those of documents that left included."""
        return len(self.spans)

    @cached_property
    def is_gone(self) -> NDArray[np.bool_]:
        """`(n_documents,) bool`, which documents left."""
        flags = np.zeros(len(self.ids), np.bool_)
        flags[self.gone] = True
        return flags

    @property
    def counts(self) -> Numbers:
        """`(n_documents,) int64`, how many units each document has."""
        return np.diff(np.append(self.firsts.astype(np.int64), len(self)))

    def documents(self, units: Numbers) -> Numbers:
        """Return the place of each unit's document."""
        return np.searchsorted(self.firsts, units, side="right") - 1

    def find(self, keys: Keys) -> tuple[Numbers, Numbers]:
        """Return places in `keys`, each there once, and the units that have them, of documents that did not leave."""
        asked = keys >> np.uint64(64 - self.key_bits)
        if self.directory is None:
            wanted = asked.astype(self.keys.dtype)
            starts, stops = (np.searchsorted(self.keys, wanted, side) for side in ("left", "right"))
            places, entries = _spread(starts, stops)
        else:
            halves = (asked >> np.uint64(_HALF)).astype(np.int64)
            places, entries = _spread(self.directory[halves], self.directory[halves + 1])
            is_equal = self.keys[entries] == asked.astype(np.uint16)[places]
            places, entries = places[is_equal], entries[is_equal]
        units = self.entries[entries].astype(np.int64)
        if not len(self.gone):
            return places, units
        stays = ~self.is_gone[self.documents(units)]
        return places[stays], units[stays]

    @cached_property
    def keys_by_unit(self) -> Keys:
        """The keys of all units, `(n_units, n_keys) uint64`: the top bits that are kept, then zeros.

        Found by a sort, if the keys were not kept in the order of the units: .3 s for a million units.
        """
        shift = np.uint64(64 - self.key_bits)
        if self._own is not None:
            return np.asarray(self._own.astype(np.uint64) << shift)
        if (np.bincount(self.entries, minlength=len(self)) != self.n_keys).any():
            raise files.damaged(self._path, f"has a unit without {self.n_keys} keys")
        return np.asarray(self.ascending[np.argsort(self.entries, kind="stable")].reshape(len(self), self.n_keys))

    @property
    def ascending(self) -> Keys:
        """All keys, `(n_entries,) uint64`, ascending: the top bits that are kept, then zeros."""
        keys = self.keys.astype(np.uint64)
        if self.directory is not None:
            halves = np.repeat(np.arange(_N_HALVES, dtype=np.uint64), _steps(self.directory))
            keys |= halves << np.uint64(_HALF)
        return np.asarray(keys << np.uint64(64 - self.key_bits))

    def own_keys(self, units: Numbers) -> Keys:
        """Return the keys of some units, `(n, n_keys) uint64`, as `keys_by_unit` has them."""
        if self._own is None:
            return np.asarray(self.keys_by_unit[units])
        return np.asarray(self._own[units].astype(np.uint64) << np.uint64(64 - self.key_bits))

    def all(self) -> StoredUnits:
        """Return all units, to write them anew."""
        contents, spans = np.asarray(self.contents), np.asarray(self.spans)
        return StoredUnits(contents, self.ids.astype(np.int64), self.counts, spans, self.keys_by_unit)


def _spread(starts: NDArray[Any], stops: NDArray[Any]) -> tuple[Numbers, Numbers]:
    """Return each number of some ranges, behind the place of its range."""
    starts = starts.astype(np.int64)
    counts = stops.astype(np.int64) - starts
    return np.repeat(np.arange(len(starts)), counts), spans_of(starts, counts)


def _steps(numbers: NDArray[np.uint32]) -> Numbers:
    """Return how much greater each number is than the one before."""
    return np.asarray(np.diff(numbers.astype(np.int64)), np.int64)


def _are_apart(spans: NDArray[np.uint32], firsts: NDArray[np.uint32]) -> bool:
    """Return whether each unit ends behind its start, and begins where the one before in its document ends, or later.

    No number of `firsts`, the units before those of each document, is above the number of units.
    """
    is_behind = spans[1:, 0] >= spans[:-1, 1]
    begun = firsts[(firsts > 0) & (firsts < len(spans))].astype(np.intp)
    is_behind[begun - 1] = True
    return bool((spans[:, 0] < spans[:, 1]).all() and is_behind.all())


@dataclass(slots=True)
class _Arrays:
    """The arrays of a payload, taken one after the other."""

    mapped: MappedFile
    _at: int = _HEAD.itemsize

    @property
    def head(self) -> Any:
        payload = self.mapped.verify()
        if len(payload) < _HEAD.itemsize:
            raise files.damaged(self.mapped.path, "its arrays do not fill the payload")
        return np.frombuffer(payload, _HEAD, 1)[0]

    def take(self, dtype: str, n: int) -> NDArray[Any]:
        size = n * np.dtype(dtype).itemsize
        if n < 0 or self._at + size > len(self.mapped.payload):
            raise files.damaged(self.mapped.path, "its arrays do not fill the payload")
        taken = np.frombuffer(self.mapped.payload, dtype, n, self._at)
        self._at += size + -size % 8
        return taken

    def require_end(self, segment: UnitSegment) -> None:
        """Refuse arrays that do not fit each other: what was checked here is indexed without a check later."""
        n_units, firsts = len(segment), segment.firsts
        entries, directory, keys = segment.entries, segment.directory, segment.keys
        fits = [
            self._at == len(self.mapped.payload),
            not len(entries) or int(entries.max()) < n_units,
            len(firsts) or not n_units,
            not len(firsts) or (firsts[0] == 0 and firsts[-1] <= n_units and _steps(firsts).min(initial=0) >= 0),
            directory is not None or bool((keys[1:] >= keys[:-1]).all()),
            directory is None or (directory[-1] == len(entries) and _steps(directory).min() >= 0 == directory[0]),
            _are_apart(segment.spans, firsts),
        ]
        if not all(fits):
            raise files.damaged(self.mapped.path, "its arrays do not fit each other")
