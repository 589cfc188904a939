"""Which rows have room, and which documents live in which rows. It knows numbers, never bits.

The paper asks for two indexes beside the matrix (Tskhay, Butakov & Kim 2014). The free-space index knows the room of
each row, so that a document goes into a row where it fits. The row index names the documents of each row: it resolves a
row that answers "maybe", and finds the rows of a document that is deleted.

    FreeSpaceIndex    (room, tile, row), ascending           take(250) ─► from the smallest room of at least 250

    RowIndex          per tile, ascending:   row │ document │ part_start │ part_stop        uint32, 16 bytes
                                               0 │       17 │          0 │         1
                                               0 │       23 │          0 │         1
                                               1 │       40 │          0 │         4        a long document lies in
                                               2 │       40 │          4 │         6        several rows, part by part
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.base.errors import CorruptError, NotFoundError, ParameterError

Entries = NDArray[np.uint32]
"""`(n_entries, 4) uint32`: row, document, part_start, part_stop."""

_MAX_UINT32 = 0xFFFFFFFF


class FreeSpaceIndex:
    """The room of each row, and the row with the smallest room that is enough.

    Best fit fills rows almost fully, and leaves large rooms for long documents. An operation costs O(log n) comparisons
    and moves pointers within one list, which has a few megabytes for a million rows. Not thread-safe.

    >>> index = FreeSpaceIndex()
    >>> index.set(0, 0, 900)
    >>> index.set(0, 1, 300)
    >>> index.take(250), index.take(301), index.take(1000)
    ((0, 1), (0, 0), None)
    """

    def __init__(self) -> None:
        self._tiles: dict[int, dict[int, int]] = {}
        self._ascending: list[tuple[int, int, int]] = []

    def __len__(self) -> int:
        """Return the number of rows in the index."""
        return len(self._ascending)

    def set(self, tile: int, row: int, room: int) -> None:
        """Set the room of a row, in hashes, at least 0. A new row is added.

        Raises:
            ParameterError: `room` is negative.
        """
        if room < 0:
            raise ParameterError(f"room of tile {tile}, row {row} is {room}, expected at least 0")
        rooms = self._tiles.setdefault(tile, {})
        if row in rooms:
            del self._ascending[bisect_left(self._ascending, (rooms[row], tile, row))]
        rooms[row] = room
        insort(self._ascending, (room, tile, row))

    def drop_tile(self, tile: int) -> None:
        """Remove all rows of a tile. An unknown tile is no error."""
        if self._tiles.pop(tile, None):
            self._ascending = [entry for entry in self._ascending if entry[1] != tile]

    def take(self, n_hashes: int) -> tuple[int, int] | None:
        """Take room for `n_hashes` in the row with the smallest room that is enough; return its tile and row, or None.

        Of several such rows the first by tile and row is taken. Its room falls by `n_hashes`.
        """
        at = bisect_left(self._ascending, (n_hashes, -1, -1))
        if at == len(self._ascending):
            return None
        room, tile, row = self._ascending.pop(at)
        self._tiles[tile][row] = room - n_hashes
        insort(self._ascending, (room - n_hashes, tile, row))
        return tile, row


class Entry(NamedTuple):
    """The parts `[part_start, part_stop)` of a document live in a row of a tile."""

    tile: int
    row: int
    document: int
    part_start: int
    part_stop: int


class RowIndex:
    """Which documents live in a row, and which rows hold a document.

    Arrays given to `put_tile` are kept uncopied, read-only memory maps too, and read only when their tile is asked for.
    So opening a collection of a million documents builds no Python objects. A change copies one tile. Any number of
    threads may read the index while no thread changes it.

    >>> index = RowIndex()
    >>> index.add(Entry(tile=0, row=1, document=40, part_start=0, part_stop=4))
    >>> index.add(Entry(tile=0, row=2, document=40, part_start=4, part_stop=6))
    >>> index.rows_of(40)
    [(0, 1), (0, 2)]
    >>> index.documents(0, [2]).tolist()
    [40]
    """

    def __init__(self) -> None:
        self._tiles: dict[int, _TileEntries] = {}

    def __len__(self) -> int:
        """Return the number of entries."""
        return sum(map(len, self._tiles.values()))

    def tiles(self) -> list[int]:
        """Return the numbers of all tiles, ascending."""
        return sorted(self._tiles)

    def add(self, entry: Entry) -> None:
        """Add an entry: parts of a document live in a row.

        Raises:
            ParameterError: A number is outside [0, 2^32), or the entry names no part.
        """
        tile, *numbers = entry
        row, document, start, stop = numbers
        if not (0 <= tile <= _MAX_UINT32 >= row >= 0 <= document <= _MAX_UINT32 >= stop > start >= 0):
            raise ParameterError(f"{entry} names no part of a document; expected 0 <= part_start < part_stop < 2^32")
        self.add_all(tile, np.array([numbers], np.uint32))

    def add_all(self, tile: int, entries: Entries) -> None:
        """Add entries of a tile, in any order.

        Raises:
            ParameterError: `entries` is not `(n_entries, 4) uint32`, or an entry names no part.
        """
        _require_entries(entries)
        if not (entries[:, 2] < entries[:, 3]).all():
            raise ParameterError("an entry names no part of a document; expected part_start < part_stop")
        if tile not in self._tiles:
            self._tiles[tile] = _TileEntries()
        self._tiles[tile].add(entries)

    def documents(self, tile: int, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return the documents that live in the given rows of a tile, ascending, each once.

        Raises:
            NotFoundError: The tile is not in the index.
            CorruptError: The tile's array is not ascending by row.
        """
        entries = self._tile(tile)
        return distinct(entries.of_rows(rows)[:, 1]) if len(rows) else np.empty(0, np.uint32)

    def parts(self, tile: int, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return the parts that live in the given rows of a tile, `(n, 3) uint32`: document, part_start, part_stop.

        Raises:
            NotFoundError: The tile is not in the index.
            CorruptError: The tile's array is not ascending by row.
        """
        return self._tile(tile).of_rows(rows)[:, 1:]

    def rows_of(self, document: int) -> list[tuple[int, int]]:
        """Return the tile and row of each row that holds a document, ascending, each once; empty if no row does.

        The first call after a change sorts the changed tiles by document.

        Raises:
            CorruptError: A tile's array is not ascending by row.
        """
        return [
            (number, row)
            for number in self.tiles()
            for row in np.unique(self._tiles[number].of_document(document)[:, 0]).tolist()
        ]

    def drop_document(self, document: int) -> list[tuple[int, int]]:
        """Remove the entries of a document; return the rows that held it, as `rows_of` did before."""
        rows = self.rows_of(document)
        for tile in {tile for tile, _ in rows}:
            self._tiles[tile].drop_document(document)
        return rows

    def drop_tile(self, tile: int) -> None:
        """Remove a tile. An unknown tile is no error."""
        self._tiles.pop(tile, None)

    def tile_arrays(self, tile: int) -> Entries:
        """Return the entries of a tile by row, `(n_entries, 4) uint32`: row, document, part_start, part_stop.

        Raises:
            NotFoundError: The tile is not in the index.
            CorruptError: The tile's array is not ascending by row.
        """
        return self._tile(tile).entries()

    def put_tile(self, tile: int, entries: Entries) -> None:
        """Set all entries of a tile. `entries` is kept, not copied.

        Args:
            tile: The number of the tile.
            entries: As `tile_arrays` returns them, ascending by row. The order is checked when the tile is first used.

        Raises:
            ParameterError: `entries` is not `(n_entries, 4) uint32`.
        """
        _require_entries(entries)
        self._tiles[tile] = _TileEntries(entries, where=f"tile {tile}")

    def _tile(self, tile: int) -> _TileEntries:
        if tile not in self._tiles:
            raise NotFoundError(f"tile {tile} is not in the row index; expected one of its {len(self._tiles)} tiles")
        return self._tiles[tile]


def _require_entries(entries: Entries) -> None:
    if entries.dtype != np.uint32 or entries.ndim != 2 or entries.shape[1] != 4:
        raise ParameterError(f"entries is {entries.dtype} {entries.shape}, expected uint32 (n_entries, 4)")


class _TileEntries:
    """One tile's entries: an array ascending by row, and arrays of entries added since, not yet sorted in."""

    def __init__(self, entries: Entries | None = None, *, where: str = "") -> None:
        self._given = entries if entries is not None else np.empty((0, 4), np.uint32)
        self._where = where
        self._checked = entries is None
        self._added: list[Entries] = []
        self._by_document: Entries | None = None
        self._cuts: list[int] | None = None

    def __len__(self) -> int:
        return len(self._given) + sum(map(len, self._added))

    def add(self, entries: Entries) -> None:
        self._added.append(entries)
        self._by_document = self._cuts = None

    def drop_document(self, document: int) -> None:
        entries = self.entries()
        self._given = entries[entries[:, 1] != document]
        self._by_document = self._cuts = None

    def entries(self) -> Entries:
        if not self._checked:
            self._check()
        if self._added:
            entries = np.concatenate([self._given, *self._added])
            self._given = entries[np.lexsort(entries.T[::-1])]
            self._added = []
        return self._given

    def of_rows(self, rows: Sequence[int] | NDArray[np.int64]) -> Entries:
        entries = self.entries()
        if self._cuts is None:
            n_rows = int(entries[-1, 0]) + 1 if len(entries) else 0
            self._cuts = np.searchsorted(entries[:, 0].copy(), np.arange(n_rows + 1)).tolist()
        cuts, wanted = self._cuts, sorted({*np.asarray(rows).tolist()})
        spans = [entries[cuts[row] : cuts[row + 1]] for row in wanted if 0 <= row < len(cuts) - 1]
        return np.concatenate([entries[:0], *spans])

    def of_document(self, document: int) -> Entries:
        if self._by_document is None:
            entries = self.entries()
            self._by_document = entries[np.argsort(entries[:, 1], kind="stable")]
        if not 0 <= document <= _MAX_UINT32:
            return self._by_document[:0]
        documents = self._by_document[:, 1]
        start = np.searchsorted(documents, np.uint32(document), side="left")
        stop = np.searchsorted(documents, np.uint32(document), side="right")
        return self._by_document[start:stop]

    def _check(self) -> None:
        """Refuse entries that do not ascend by row: a row out of place would not be found, and its documents missed."""
        rows = self._given[:, 0]
        if (rows[1:] < rows[:-1]).any():
            raise CorruptError(f"row index of {self._where} is not ascending by row; run `pmbf check --repair`")
        self._checked = True
