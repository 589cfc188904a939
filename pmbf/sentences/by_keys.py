"""The sentences of a collection, opened: units by their keys, and what is known of a unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import begins, distinct
from pmbf.base.arrays import spans as spans_of
from pmbf.kernels import CODES
from pmbf.sentences.segments import Keys, Numbers, UnitSegment
from pmbf.sentences.state import SentencesState, damage, opened
from pmbf.store.files import Identity
from pmbf.store.folder import Store

MOST_UNITS_OF_A_KEY = 2_000
"""A key that more units have says nothing: their sentences stand in very many documents."""

MOST_UNITS_ALONE = 20
"""A key that more units have is no candidate alone: a second equal key is needed."""

PAPER_DISTANCE = 4
"""Bits of the paper's code that two units differ in, at most. So one of five groups is equal: none is missed."""


_IDS, _SPANS = np.empty(0, np.int64), np.empty((0, 2), np.int64)


class Candidates(NamedTuple):
    """Units of a query with units of the collection, by ordinal, that share keys: most shared keys of a unit first."""

    asked: Numbers
    units: Numbers
    n_equal: Numbers

    @classmethod
    def none(cls) -> Candidates:
        """Return no candidates."""
        return cls(*(np.empty(0, np.int64) for _ in range(3)))

    @classmethod
    def joined(cls, many: Sequence[Candidates]) -> Candidates:
        """Return candidates end to end."""
        return cls(*(np.concatenate(column) for column in zip(*many, strict=True)))

    def chosen(self, which: NDArray[np.bool_]) -> Candidates:
        """Return some of the candidates."""
        return Candidates(self.asked[which], self.units[which], self.n_equal[which])


@dataclass(frozen=True, slots=True)
class Status:
    """How large the sentences of a collection are, and whether they show it as it is.

    Args:
        code, key_bits, commit: As in `SentencesState`.
        collection_commit: The commit that the collection shows.
        n_documents, n_units, n_bytes, n_segments: Documents that left are not counted; bytes of the segments.
        n_gone: Documents that left, and still take room.
        unread: Documents whose text could not be read, by id, with the reason.
    """

    code: str
    key_bits: int
    commit: int
    collection_commit: int
    n_documents: int
    n_units: int
    n_bytes: int
    n_segments: int
    n_gone: int
    unread: dict[int, str]

    @property
    def is_current(self) -> bool:
        """Whether they show the collection as it is."""
        return self.commit == self.collection_commit


class Sentences:
    """The units of a collection. A unit is known by its ordinal: units are numbered segment after segment.

    Ordinals hold as long as this object. Documents that left have units, too, but no key finds these.

    Thread rule: safe to read from any number of threads.

    Args:
        store: The collection, opened.

    Raises:
        NotFoundError: The collection has no sentences.
        CorruptError: They are damaged.
        UnsupportedError: A newer or an earlier pmbf made them.
    """

    def __init__(self, store: Store) -> None:
        self._open(store.folder, store.generation.identity, store.commit_number, store.generation.n_documents)

    def _open(
        self, folder: Path, identity: Identity, commit: int, n_documents: int, shown: SentencesState | None = None
    ) -> None:
        self._opened_with = folder, identity, commit, n_documents
        self._folder, self._store_commit = folder, commit
        self.state: SentencesState
        self.state, self._segments = opened(folder, identity, shown)
        self._bases = np.cumsum([0, *map(len, self._segments)])
        self._n_documents = n_there = sum(len(one.ids) - len(one.gone) for one in self._segments)
        if self.is_current and not n_there <= n_documents <= n_there + len(self.state.unread):
            told = f"has {n_there} documents of the {n_documents} of the collection"
            raise damage(self._folder, f"{self._folder}/sentences: {told}")

    def __getstate__(self) -> tuple[Path, Identity, int, int, SentencesState]:
        return *self._opened_with, self.state

    def __setstate__(self, opened_with: tuple[Path, Identity, int, int, SentencesState]) -> None:
        self._open(*opened_with)  # a worker opens the files once more

    def __len__(self) -> int:
        return int(self._bases[-1])

    @property
    def code(self) -> str:
        return self.state.code

    @property
    def is_current(self) -> bool:
        """Whether they show the commit that the collection was opened at."""
        return self.state.commit == self._store_commit

    def status(self) -> Status:
        """Return how large the sentences are."""
        state, segments = self.state, self._segments
        return Status(
            code=state.code,
            key_bits=state.key_bits,
            commit=state.commit,
            collection_commit=self._store_commit,
            n_documents=self._n_documents,
            n_units=sum(int(one.counts[~one.is_gone].sum()) for one in segments),
            n_bytes=sum(one.payload_bytes for one in state.segments),
            n_segments=len(segments),
            n_gone=sum(len(one.gone) for one in segments),
            unread=state.unread,
        )

    def problems(self) -> list[str]:
        """Return why an answer may miss documents; nothing if it misses none."""
        found, own, at = [], f"the sentences are of commit {self.state.commit}, the collection", self._store_commit
        if self.state.commit < at:
            found.append(f"{own} is at {at}; run `pmbf sentences build -c {self._folder}`")
        if self.state.commit > at:
            found.append(f"{own} was opened at {at}; open it again")
        if self.state.unread:
            n, reason = len(self.state.unread), next(iter(self.state.unread.values()))
            found.append(f"{n} document{'s have' if n > 1 else ' has'} no sentences: {reason}")
        return found

    def look_up(self, keys: Keys) -> Candidates:
        """Return the units that share a key with units of a query, whose keys are those of `kernels.units`.

        With the paper's code these are units within 4 bits, and all of them.
        """
        shift = np.uint64(64 - self.state.key_bits)
        kept = keys >> shift << shift
        known = distinct(kept)
        places, units = self._having(known)
        counts = np.bincount(places, minlength=len(known))
        owners = np.searchsorted(known, kept)
        if self.code == "paper":
            found = _paired(owners, places, units, counts > 0)
            return found.chosen(kernels.popcounts(keys[found.asked] ^ self.keys(found.units)) <= PAPER_DISTANCE)
        is_telling = counts[places] <= MOST_UNITS_OF_A_KEY
        return _paired(owners, places[is_telling], units[is_telling], counts <= MOST_UNITS_ALONE)

    def documents(self, units: Numbers) -> Numbers:
        """Return the id of each unit's document."""
        return np.asarray(self._taken(units, lambda one, places: one.ids[one.documents(places)], _IDS))

    def contents(self, units: Numbers) -> Numbers:
        """Return what the contents of each unit's document are, as `contents_key` returns it."""
        return np.asarray(self._taken(units, lambda one, places: one.contents[one.documents(places)], _IDS))

    def spans(self, units: Numbers) -> NDArray[np.int64]:
        """Return start and stop of each unit, `(n, 2) int64`, in code points of the document."""
        return np.asarray(self._taken(units, lambda one, places: one.spans[places], _SPANS))

    def keys(self, units: Numbers) -> Keys:
        """Return the keys of each unit, `(n, n_keys) uint64`: the top bits that are kept, then zeros."""
        return np.asarray(self._taken(units, UnitSegment.own_keys, np.empty((0, CODES[self.code]), np.uint64)))

    def known_keys(self) -> Keys:
        """Return all keys that units have, ascending, each once, `(n,) uint64`; of documents that left, too."""
        return distinct(np.concatenate([np.empty(0, np.uint64), *(one.ascending for one in self._segments)]))

    def _having(self, known: Keys) -> tuple[Numbers, Numbers]:
        """Return places in `known`, ascending keys, and the units that have them."""
        places, units = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for segment, base in zip(self._segments, self._bases.tolist(), strict=False):
            some, its = segment.find(known)
            places.append(some)
            units.append(its + base)
        return np.concatenate(places), np.concatenate(units)

    def _taken(self, units: Numbers, taken: Callable[[UnitSegment, Numbers], NDArray[Any]], like: NDArray[Any]) -> Any:
        """Return what is taken of each unit in its segment, as an array of the kind of `like`."""
        out = np.empty((len(units), *like.shape[1:]), like.dtype)
        numbers = np.searchsorted(self._bases, units, side="right") - 1
        for number in distinct(numbers).tolist():
            here = numbers == number
            out[here] = taken(self._segments[number], units[here] - self._bases[number])
        return out


def _paired(asked: Numbers, places: Numbers, units: Numbers, is_rare: NDArray[np.bool_]) -> Candidates:
    """Return the pairs of a query unit and a unit that share a rare key, or two keys.

    Args:
        asked: `(n, n_keys)`, the number of each key of the query units.
        places, units: Numbers of keys, and a unit that has each.
        is_rare: `(n_known,)`, whether each key is enough alone.
    """
    owners = np.argsort(asked, axis=None, kind="stable") // max(1, asked.shape[1])
    n_owners = np.bincount(asked.ravel(), minlength=len(is_rare))
    firsts, of_each = (np.cumsum(n_owners) - n_owners)[places], n_owners[places]
    rare = np.repeat(is_rare[places], of_each)
    pairs = np.sort((owners[spans_of(firsts, of_each)] << 32 | np.repeat(units, of_each)) << 1 | rare)
    if not len(pairs):
        return Candidates.none()
    heads = begins(pairs >> 1)
    n_equal = np.diff(np.append(heads, len(pairs)))
    is_candidate = (n_equal > 1) | (pairs[heads] & 1 > 0)  # of one key: whether it is rare
    pairs, n_equal = (pairs >> 1)[heads][is_candidate], n_equal[is_candidate]
    order = np.lexsort((pairs, -n_equal, pairs >> 32))
    return Candidates((pairs >> 32)[order], (pairs & 0xFFFFFFFF)[order], n_equal[order])
