"""Forward lists on disk: which chunks each document has, in files that are written once.

The payload of a segment, all numbers little-endian:

    chunk IDs     4 bytes each; those of one document ascend
    zeros         to a multiple of 8
    ends          8 bytes each: where the list of each document ends, in chunk IDs
    n             8 bytes: number of documents
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import Lists
from pmbf.store import files
from pmbf.store.files import Buffer, Identity, MappedFile, StoredFile

KIND = "CHNK"
_WORD = 8

Places = NDArray[np.int64]


class ListBatch(NamedTuple):
    """Some lists of a segment.

    Args:
        file: The segment.
        places: `(n,) int64`, which lists of it, ascending.
        documents: `(n,) uint32`, the number of each list's document in this run.
    """

    file: StoredFile
    places: Places
    documents: NDArray[np.uint32]


def write_segment(folder: Path, identity: Identity, serial: int, lists: Iterable[Lists]) -> StoredFile:
    """Write a segment of a serial with the lists of the documents in order, and return its row."""
    return files.write_file(folder, KIND, identity, serial, _payload(lists))


def _payload(many: Iterable[Lists]) -> Iterator[Buffer]:
    ends, n_chunks = [np.zeros(0, np.int64)], 0
    for lists in many:
        yield lists.features.astype("<u4").tobytes()
        ends.append(lists.offsets[1:].astype(np.int64) + n_chunks)
        n_chunks += len(lists.features)
    yield bytes(-n_chunks * 4 % _WORD)
    all_ends = np.concatenate(ends)
    yield all_ends.astype("<i8").tobytes()
    yield len(all_ends).to_bytes(_WORD, "little")


class ChunkSegment:
    """The lists of a segment, mapped and checked, for any number of threads; `CorruptError` if the file is damaged."""

    def __init__(self, folder: Path, file: StoredFile, identity: Identity) -> None:
        self.lists = _lists_of(MappedFile(folder, file, identity))

    def __len__(self) -> int:
        return len(self.lists)

    def take(self, places: Places) -> Lists:
        """Return some of the lists; consecutive ones are views."""
        if not len(places):
            return Lists.of([])
        first, last = int(places[0]), int(places[-1])
        if last - first + 1 == len(places):
            return self.lists.part(first, last + 1)
        return gathered(self.lists, places)


def gathered(lists: Lists, places: Places) -> Lists:
    """Return some lists, copied one after another.

    >>> three = Lists.of([np.array(some, np.uint32) for some in ([1, 2], [3], [4, 5])])
    >>> gathered(three, np.array([0, 2])).features.tolist()
    [1, 2, 4, 5]
    """
    starts = lists.offsets[places].astype(np.int64)
    sizes = lists.offsets[places + 1].astype(np.int64) - starts
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    taken = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
    return Lists(offsets.astype(np.uint64), lists.features[taken])


def _lists_of(mapped: MappedFile) -> Lists:
    payload, wrong = mapped.verify(), files.damaged(mapped.path, "its lists do not fill the payload")
    n_lists = int.from_bytes(payload[-_WORD:], "little") if len(payload) >= _WORD else -1
    chunk_bytes = len(payload) - _WORD * (n_lists + 1)
    if n_lists < 0 or chunk_bytes < 0 or chunk_bytes % _WORD:
        raise wrong
    ends = np.frombuffer(payload, "<i8", n_lists, chunk_bytes)
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    if (offsets[1:] < offsets[:-1]).any() or not 0 <= chunk_bytes - 4 * int(offsets[-1]) < _WORD:
        raise wrong
    return Lists(offsets.astype(np.uint64), np.frombuffer(payload, "<u4", int(offsets[-1])))
