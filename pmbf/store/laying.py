"""Which rows of the filter are laid side by side: then one line answers for all of them.

The row of a small segment stands alone, and goes with it when it is joined. Large segments stay. Once four of their
rows stand alone, they are laid beside each other, and beside those laid before, as long as all take up to 1 GB.
"""

from __future__ import annotations

from typing import NamedTuple

from pmbf.filter import row_bits
from pmbf.store.levels import full_bytes, level
from pmbf.store.posted import Posted

ROWS_TOGETHER, MOST_ROWS = 4, 512
_MOST_BYTES = 1 << 30
_DEAD_SHARE = 0.25
"""Share of rows of segments that are no more at which the others are laid anew."""


class Due(NamedTuple):
    """Segments whose rows are laid side by side, by the serials of their postings; files of rows that are replaced."""

    segments: list[int]
    replaced: set[int]


class _Laid(NamedTuple):
    """A file of rows, or 0: its segments that are still there, how many rows it has, and hashes of the largest."""

    serial: int
    segments: list[int]
    n_rows: int
    n_hashes: int


def due(posted: Posted) -> Due | None:
    """Return which rows are to be laid side by side; None if there is nothing to do."""
    least = level(full_bytes(sum(file.payload_bytes for file in posted.files.values()))) - 1
    large = {serial for serial, file in posted.files.items() if level(file.payload_bytes) >= least}
    files = [_laid(posted, serial) for serial in sorted(posted.row_files)] if large else []
    files += [_alone(posted, serial) for serial in sorted(large & posted.without_row())]
    files = [one for one in files if large.intersection(one.segments)]
    chosen, n_rows, n_hashes = list[_Laid](), 0, 0
    for one in sorted(files, key=lambda one: one.n_rows * one.n_hashes):
        n_then, most_hashes = n_rows + len(one.segments), max(n_hashes, one.n_hashes)
        has_room = n_then <= ROWS_TOGETHER or n_then * row_bits(most_hashes, n_then) // 8 <= _MOST_BYTES
        if n_then <= MOST_ROWS and has_room:
            chosen, n_rows, n_hashes = [*chosen, one], n_then, most_hashes
    n_alone = sum(one.n_rows == 1 for one in chosen)
    has_dead = any(len(one.segments) <= (1 - _DEAD_SHARE) * one.n_rows for one in chosen)
    if n_alone < ROWS_TOGETHER and not has_dead:
        return None
    return Due(
        sorted(serial for one in chosen for serial in one.segments), {one.serial for one in chosen if one.serial}
    )


def _alone(posted: Posted, segment: int) -> _Laid:
    """Return the row that a segment would have alone; it has none yet."""
    return _Laid(0, [segment], 1, posted.of_file(segment).to_find().n_hashes)


def _laid(posted: Posted, serial: int) -> _Laid:
    found = posted.rows_in(serial)
    return _Laid(serial, sorted(posted.files.keys() & set(found.serials)), found.rows.n_rows, max(found.n_hashes))
