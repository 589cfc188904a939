"""Which segments are joined: as many as a level takes make one of a higher level, up to the size of a full segment.

    level 0     up to 256 KB     ▪▪▪
    level 1     up to 1 MB       ■■      a fourth segment of a level is joined with the others of it, and with all
    level 2     up to 4 MB       ■       smaller ones, to one of a higher level
    …
    full        512 MB           ████    is not joined any more

A segment is a file of postings and the row of the filter that says which hashes it may have. A commit writes those of
its documents, and joins them. So a query asks three segments of a level at most, and the full ones; and a posting is
written once for each level that it passes. The last commit of a load joins all segments that are not larger than what
was loaded, as far as they fit into full ones. A full segment of a large collection is larger: a sixteenth of all
postings, up to 2 GB. So a collection has some 16 full segments, and the longest join does not grow with it.

Source: O'Neil, Cheng, Gawlick & O'Neil 1996, The Log-Structured Merge-Tree; the form with several files of a level.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from pmbf.rowindex import FreeSpaceIndex
from pmbf.store import postings
from pmbf.store.files import StoredFile
from pmbf.store.generation import Generation
from pmbf.store.postings import Added, Ids, Source, StoredPostings

FANOUT_BITS = 2
"""A level has files up to 4 times as large as the level before; its fourth file is joined."""

_SMALLEST_BYTES = 1 << 16

_BYTES_A_POSTING = 4
"""Of a new file, about."""

FULL_BYTES, MOST_BYTES, FULL_SEGMENTS = 512 << 20, 2 << 30, 16
"""Bytes of a full segment: a sixteenth of all postings, at least the first number and at most the second. A query among
76,837 manuals, which fit into one, takes half as many look-ups again if they are in eight."""

_NO_DOCUMENT = np.empty(0, np.uint32)

_MADE_HASHES = 1 << 23
"""Most hashes of documents whose postings are made at once: sorted, they take 64 MB."""


def level(n_bytes: int) -> int:
    """Return the level of a file.

    >>> [level(n << 10) for n in (1, 255, 256, 1023, 1024)]
    [0, 0, 1, 1, 2]
    """
    return (max(1, n_bytes // _SMALLEST_BYTES).bit_length() - 1) // FANOUT_BITS


def full_bytes(n_bytes: int) -> int:
    """Return the bytes of a full segment in a collection with some bytes of postings.

    >>> [full_bytes(n << 30) >> 20 for n in (0, 1, 16, 100)]
    [512, 512, 1024, 2048]
    """
    return min(MOST_BYTES, max(FULL_BYTES, n_bytes // FULL_SEGMENTS))


def joined_with(
    n_bytes: int, files: Iterable[StoredFile], *, least_bytes: int = 0, most_bytes: int = FULL_BYTES
) -> list[StoredFile]:
    """Return the files that are joined with a new one.

    What a join makes of the largest level goes on into the segment with the smallest room that is enough, if one has
    room: a compaction has taken documents out of it.

    Args:
        n_bytes: Bytes of the new file.
        files: The files of postings that there are.
        least_bytes: Smaller files are joined whatever their level.
        most_bytes: Bytes of a full segment.

    >>> kilobytes = lambda *sizes: [StoredFile(n, "POST", size << 10, 0) for n, size in enumerate(sizes)]
    >>> [[file.serial for file in joined_with(9 << 10, kilobytes(*sizes))] for sizes in ((9, 9), (9, 300, 9, 9))]
    [[], [0, 2, 3]]
    >>> [file.serial for file in joined_with(9 << 10, kilobytes(2000, 300, 300, 300, 100, 100, 100))]
    [1, 2, 3, 4, 5, 6]
    >>> [file.serial for file in joined_with(9 << 10, kilobytes(2000, 300, 9), least_bytes=400 << 10)]
    [1, 2]
    """
    left, n_all = sorted(files, key=lambda file: file.payload_bytes), n_bytes
    chosen: list[StoredFile] = []
    while True:
        here = level(n_all)
        below = [file for file in left if level(file.payload_bytes) <= here or file.payload_bytes < least_bytes]
        n_here = sum(level(file.payload_bytes) == here for file in below)
        is_due = 1 + n_here >= 1 << FANOUT_BITS or any(file.payload_bytes < least_bytes for file in below)
        sums = accumulate((file.payload_bytes for file in below), initial=n_all)
        n_fitting = sum(n <= most_bytes for n in sums) - 1
        if not is_due or n_fitting < 1:
            return sorted([*chosen, *_with_room(n_all, left, most_bytes)])
        chosen, left = chosen + below[:n_fitting], left[n_fitting:]
        n_all += sum(file.payload_bytes for file in below[:n_fitting])


def _with_room(n_bytes: int, files: Iterable[StoredFile], most_bytes: int) -> list[StoredFile]:
    """Return the large segment that takes a join of some bytes: the one with the smallest room that is enough.

    It is not more than twice as large as what it takes, so that a posting is not written too often.
    """
    if level(n_bytes) < level(most_bytes) - 1:
        return []
    large = (file for file in files if level(file.payload_bytes) >= level(most_bytes))
    by_serial = {file.serial: file for file in large if file.payload_bytes <= 2 * n_bytes}
    rooms = FreeSpaceIndex()
    for serial, file in by_serial.items():
        rooms.set(0, serial, max(0, most_bytes - file.payload_bytes))
    taken = rooms.take(n_bytes)
    return [by_serial[taken[1]]] if taken else []


class Join(NamedTuple):
    """A file of postings to be written, and the serials of the files that it replaces."""

    content: Iterator[bytes | memoryview]
    replaced: set[int]


def new_file(added: Added, hash_bits: int = 32) -> Iterator[Join]:
    """Yield the files with the postings of new documents alone: one, or several if one would be too large."""
    most_bytes = full_bytes(_BYTES_A_POSTING * len(added.hashes))
    for some in added.cut(most_bytes // _BYTES_A_POSTING):
        yield Join(_content(some, [], _NO_DOCUMENT, hash_bits), set())


def joins(
    generation: Generation, added: Added, *, rewritten: Collection[int] = (), n_loaded: int = 0
) -> Iterator[Join]:
    """Yield the file to be written in a commit, if there is one; several if one file does not take all.

    Args:
        generation: The commit before.
        added: The hashes of new documents.
        rewritten: Serials of files of postings that are joined whatever their level.
        n_loaded: In the last commit of a load, the hashes loaded: files that are smaller are joined.
    """
    posted = generation.posted
    n_new = _BYTES_A_POSTING * len(added.hashes)
    n_bytes = n_new + sum(posted.files[serial].payload_bytes for serial in rewritten)
    if not n_bytes:
        return
    most_bytes = full_bytes(n_new + sum(file.payload_bytes for file in posted.files.values()))
    others = [file for serial, file in posted.files.items() if serial not in rewritten]
    least_bytes = _BYTES_A_POSTING * n_loaded
    smaller = joined_with(n_bytes, others, least_bytes=least_bytes, most_bytes=most_bytes)
    joined = sorted({*rewritten, *(file.serial for file in smaller)})
    sources = [(serial, posted.of_file(serial)) for serial in joined]
    for some in _fitting(n_new, sources, most_bytes):
        gone = [generation.gone(one.documents) for _, one in some]
        all_gone = np.concatenate([_NO_DOCUMENT, *gone])
        content = _content(added, [one for _, one in some], all_gone, generation.params.hash_bits)
        yield Join(content, {serial for serial, _ in some})
        added = Added.of([])


def _fitting(
    n_bytes: int, sources: Iterable[tuple[int, StoredPostings]], most_bytes: int
) -> Iterator[list[tuple[int, StoredPostings]]]:
    """Yield sources in turns that a file takes each, with `n_bytes` of new documents in the first."""
    some: list[tuple[int, StoredPostings]] = []
    for serial, source in sources:
        if some and n_bytes + source.n_bit_bytes > most_bytes:
            yield some
            some, n_bytes = [], 0
        some, n_bytes = [*some, (serial, source)], n_bytes + source.n_bit_bytes
    yield some


def _content(added: Added, sources: Sequence[Source], gone: Ids, hash_bits: int) -> Iterator[bytes | memoryview]:
    """Yield the parts of a file; the postings of new documents are made when the first part is asked for."""
    made = [postings.made(some, hash_bits) for some in added.cut(_MADE_HASHES)]
    yield from postings.payload([*sources, *made], gone, hash_bits)
