"""Which files of postings are joined: as many as a level takes make one of a higher level.

    level 0     up to 256 KB     ▪▪▪
    level 1     up to 1 MB       ■■      a fourth file of a level is joined with the others of it, and with all
    level 2     up to 4 MB       ■       smaller ones, to a file of a higher level
    …

A commit writes the postings of its documents as a file, and joins it. So a query asks three files of a level at most,
and a posting is written once for each level that it passes. The last commit of a load joins all files that are not
larger than what was loaded: after a load of everything there is one file.

Source: O'Neil, Cheng, Gawlick & O'Neil 1996, The Log-Structured Merge-Tree; the form with several files of a level.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from pmbf.store import postings
from pmbf.store.files import StoredFile
from pmbf.store.generation import Generation
from pmbf.store.postings import MOST_BYTES, Added, Ids, Source

FANOUT_BITS = 2
"""A level has files up to 4 times as large as the level before; its fourth file is joined."""

_SMALLEST_BYTES = 1 << 16

_BYTES_A_POSTING = 4
"""Of a new file, about."""

_OF_A_TILE = -1
"""In the place of a serial: the postings are those of a tile of an earlier version."""

_NO_DOCUMENT = np.empty(0, np.uint32)

_MADE_HASHES = 1 << 23
"""Most hashes of documents whose postings are made at once: sorted, they take 64 MB."""


def level(n_bytes: int) -> int:
    """Return the level of a file.

    >>> [level(n << 10) for n in (1, 255, 256, 1023, 1024)]
    [0, 0, 1, 1, 2]
    """
    return (max(1, n_bytes // _SMALLEST_BYTES).bit_length() - 1) // FANOUT_BITS


def joined_with(n_bytes: int, files: Iterable[StoredFile], *, least_bytes: int = 0) -> list[StoredFile]:
    """Return the files that are joined with a new one.

    Args:
        n_bytes: Bytes of the new file.
        files: The files of postings that there are.
        least_bytes: Smaller files are joined whatever their level.

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
        n_fitting = sum(n <= MOST_BYTES for n in sums) - 1
        if not is_due or n_fitting < 1:
            return sorted(chosen)
        chosen, left = chosen + below[:n_fitting], left[n_fitting:]
        n_all += sum(file.payload_bytes for file in below[:n_fitting])


class Join(NamedTuple):
    """A file of postings to be written, and the serials of the files that it replaces."""

    content: Iterator[bytes | memoryview]
    replaced: set[int]


def new_file(added: Added, hash_bits: int = 32) -> Iterator[Join]:
    """Yield the files with the postings of new documents alone: one, or several if one would be too large."""
    for some in added.cut(MOST_BYTES // _BYTES_A_POSTING):
        yield Join(_content(some, [], _NO_DOCUMENT, hash_bits), set())


def joins(
    generation: Generation,
    added: Added,
    *,
    tiles: Iterable[int] = (),
    rewritten: Collection[int] = (),
    n_loaded: int = 0,
) -> Iterator[Join]:
    """Yield the file to be written in a commit, if there is one; several if one file does not take all.

    Args:
        generation: The commit before.
        added: The hashes of new documents.
        tiles: Numbers of tiles that are written anew. The postings of those of an earlier version get a file.
        rewritten: Serials of files of postings that are joined whatever their level.
        n_loaded: In the last commit of a load, the hashes loaded: files that are smaller are joined.

    Raises:
        CorruptError: A file that is read is damaged.
    """
    posted = generation.posted
    n_bytes = _BYTES_A_POSTING * len(added.hashes)
    n_bytes += sum(posted.files[serial].payload_bytes for serial in rewritten)
    unposted = sorted(set(posted.unposted_tiles()).intersection(tiles))
    if not (n_bytes or unposted):
        return
    others = [file for serial, file in posted.files.items() if serial not in rewritten]
    smaller = joined_with(n_bytes, others, least_bytes=_BYTES_A_POSTING * n_loaded)
    joined = {*rewritten, *(file.serial for file in smaller)}
    sources: list[tuple[int, Source]] = [(serial, posted.of_file(serial)) for serial in sorted(joined)]
    sources += [(_OF_A_TILE, posted.of_tile(number)) for number in unposted]
    for some in _fitting(_BYTES_A_POSTING * len(added.hashes), sources):
        gone = [generation.gone(one.documents) for _, one in some]
        all_gone = np.concatenate([_NO_DOCUMENT, *gone])
        content = _content(added, [one for _, one in some], all_gone, generation.params.hash_bits)
        yield Join(content, {serial for serial, _ in some} - {_OF_A_TILE})
        added = Added.of([])


def _fitting(n_bytes: int, sources: Iterable[tuple[int, Source]]) -> Iterator[list[tuple[int, Source]]]:
    """Yield sources in turns that a file takes each, with `n_bytes` of new documents in the first."""
    some: list[tuple[int, Source]] = []
    for serial, source in sources:
        if some and n_bytes + source.n_bit_bytes > MOST_BYTES:
            yield some
            some, n_bytes = [], 0
        some, n_bytes = [*some, (serial, source)], n_bytes + source.n_bit_bytes
    yield some


def _content(added: Added, sources: list[Source], gone: Ids, hash_bits: int) -> Iterator[bytes | memoryview]:
    """Yield the parts of a file; the postings of new documents are made when the first part is asked for."""
    made = [postings.made(some, hash_bits) for some in added.cut(_MADE_HASHES)]
    yield from postings.payload([*sources, *made], gone, hash_bits)
