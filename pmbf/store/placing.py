"""Where a document's hashes go: the free-space index picks the rows, the row index remembers them.

`single-row` puts a document whole into the fullest row that still has room for it. `multi-row` does the same while
it fits into an empty row, and otherwise lays its parts, in text order, over as many rows as they need. Rows are
added to the last tile; once that has 512 it is sealed and a new tile begins, its row width following the documents
seen by then.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import begins
from pmbf.base.hashes import Hashes, first_bits
from pmbf.base.params import Params, words_per_row
from pmbf.filter import ROWS_PER_TILE, Tile
from pmbf.rowindex import Entries, Entry, FreeSpaceIndex, RowIndex
from pmbf.store.fingerprints import Fingerprints

MIN_CAPACITY, MAX_CAPACITY = 8192, 65_536
"""The least and the most hashes that a row is made for.

With fewer, a query reads more tiles than it saves documents. With more, a tile is larger than 50 MB.
"""


class Placer:
    """Places documents into rows.

    Args:
        params: The collection's parameters.
        open_tiles: Tiles that may take documents, by number; changed in place.
        rows: Who lives in them; changed in place.
        next_tile: Number of the next new tile.
        mean_hashes: Hashes of a typical document so far, 0 when there is none.
    """

    def __init__(
        self, params: Params, open_tiles: dict[int, Tile], rows: RowIndex, *, next_tile: int, mean_hashes: float
    ) -> None:
        self.tiles = open_tiles
        self.rows = rows
        self.changed: set[int] = set()
        self.next_tile = next_tile
        self._params = params
        self.mean_hashes = mean_hashes
        self._free = FreeSpaceIndex()
        self._waiting: dict[tuple[int, int], list[Hashes]] = {}
        for number in open_tiles:
            self.note_rooms(number)

    def place(self, document: int, hashes: Hashes, bounds: Sequence[int]) -> None:
        """Put a document's sampled hashes into rows; part p is `hashes[bounds[p]:bounds[p + 1]]`."""
        for start, stop in self._chunks(bounds):
            if bounds[start] < bounds[stop]:
                self.put(document, hashes[bounds[start] : bounds[stop]], start, stop)

    def place_all(self, taken: Fingerprints) -> None:
        """Put the sampled hashes of documents into rows, one document after another."""
        placed = np.fromiter(itertools.chain.from_iterable(self._placed(taken)), np.int64).reshape(-1, 5)
        placed = placed[np.lexsort((placed[:, 1], placed[:, 0]))]
        tiles, rows, whose, starts, stops = placed.T
        hashes, counts = taken.of_parts(whose, starts, stops)
        entries = np.stack([rows, taken.ids[whose], starts, stops], axis=1).astype(np.uint32)
        ends = np.append(np.cumsum(counts), 0)
        for first, last in _runs(tiles):
            self.rows.add_all(int(tiles[first]), entries[first:last])
            self.changed.add(int(tiles[first]))
        for first, last in _runs(tiles * ROWS_PER_TILE + rows):
            place = int(tiles[first]), int(rows[first])
            self._waiting.setdefault(place, []).append(hashes[ends[first - 1] : ends[last - 1]])

    def put(self, document: int, hashes: Hashes, part_start: int, part_stop: int) -> None:
        """Put the hashes of the parts `[part_start, part_stop)` of a document into one row."""
        # Hashes that neighbours share take room once: `fill_rows` sets the room again.
        place = number, row = self._row_for(len(hashes))
        self._waiting.setdefault(place, []).append(hashes)
        self.rows.add(Entry(number, row, document, part_start, part_stop))
        self.changed.add(number)

    def adopt(self, number: int, tile: Tile, entries: Entries, *, seal: bool) -> None:
        """Take over a changed tile; with `seal` it takes no more documents."""
        self.tiles[number] = tile
        self.rows.put_tile(number, entries)
        self.changed.add(number)
        if seal:
            tile.seal()
            self._free.drop_tile(number)
        else:
            self.note_rooms(number)

    def drop(self, number: int) -> None:
        """Let go of a tile: its documents are placed elsewhere."""
        self.tiles.pop(number, None)
        self.rows.drop_tile(number)
        self._free.drop_tile(number)
        self.changed.add(number)

    def fill_rows(self) -> None:
        """Set the bits of all hashes put into rows, and seal full tiles that are not the last one.

        Until then the tiles lack these bits.
        """
        for (number, row), hashes in self._waiting.items():
            tile = self.tiles[number]
            tile.insert(row, first_bits(np.concatenate(hashes)))
            self._free.set(number, row, tile.room(row))
        self._waiting.clear()
        last = max(self.tiles, default=-1)
        for number in self.changed & self.tiles.keys():
            if number < last and self.tiles[number].n_rows == ROWS_PER_TILE:
                self.tiles[number].seal()

    def forget_changes(self) -> None:
        """Start afresh after a commit; sealed tiles take no more documents."""
        self.changed.clear()
        for number in [number for number, tile in self.tiles.items() if tile.sealed]:
            del self.tiles[number]
            self.rows.drop_tile(number)
            self._free.drop_tile(number)

    def note_rooms(self, number: int) -> None:
        """Set the rooms of a tile's rows in the free-space index."""
        self._free.drop_tile(number)
        for row, room in enumerate(self.tiles[number].rooms().tolist()):
            self._free.set(number, row, room)

    def _placed(self, taken: Fingerprints) -> Iterator[tuple[int, int, int, int, int]]:
        """Take room; yield tile, row, the place of a document, the first of its parts there, and the part behind."""
        sizes = zip(taken.n_parts.tolist(), taken.n_hashes.tolist(), strict=True)
        for at, (n_parts, n_hashes) in enumerate(sizes):
            if n_parts == 1 and n_hashes:
                yield *self._row_for(n_hashes), at, 0, 1
            elif n_hashes:
                bounds = taken.bounds[taken.firsts[at] : taken.firsts[at + 1] + 1].tolist()
                for start, stop in self._chunks([bound - bounds[0] for bound in bounds]):
                    if bounds[start] < bounds[stop]:
                        yield *self._row_for(bounds[stop] - bounds[start]), at, start, stop

    def _row_for(self, n_hashes: int) -> tuple[int, int]:
        """Take room for hashes in one row; return its tile and its number."""
        return self._free.take(n_hashes) or self._new_row(n_hashes)

    def _chunks(self, bounds: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the spans of parts that go into one row each.

        Args:
            bounds: Where each part begins among the hashes, and the last one ends.
        """
        n_parts = len(bounds) - 1
        if n_parts <= 1 or self._params.placement == "single-row" or bounds[-1] <= (capacity := self._capacity()):
            yield 0, n_parts
            return
        start = 0
        for number in range(1, n_parts):
            if bounds[number + 1] - bounds[start] > capacity and bounds[number] > bounds[start]:
                yield start, number
                start = number
        yield start, n_parts

    def _new_row(self, n_hashes: int) -> tuple[int, int]:
        """Add a row for `n_hashes` hashes; return its tile and its number."""
        number = self._growing()
        if number is None:
            number = self._new_tile()
        tile = self.tiles[number]
        row = tile.add_row()
        self._free.set(number, row, max(0, tile.capacity - n_hashes))
        return number, row

    def _new_tile(self) -> int:
        number, self.next_tile = self.next_tile, self.next_tile + 1
        params = self._params
        words = words_per_row(self._new_capacity(), n_hashes=params.n_hashes, fpr=params.fpr)
        self.tiles[number] = Tile.new(words, n_hashes=params.n_hashes, fpr=params.fpr)
        return number

    def _capacity(self) -> int:
        """Return the hashes a row of the tile now filled was made for."""
        number = self._growing()
        return self._new_capacity() if number is None else self.tiles[number].capacity

    def _growing(self) -> int | None:
        """Return the number of the tile that takes more rows, or None."""
        number = max(self.tiles, default=None)
        if number is None or self.tiles[number].sealed or self.tiles[number].n_rows == ROWS_PER_TILE:
            return None
        return number

    def _new_capacity(self) -> int:
        params = self._params
        largest_part = int(1.25 * params.density * params.segment_chars) + 1
        if params.row_capacity is not None:
            return max(params.row_capacity, largest_part)
        wanted = max(MIN_CAPACITY, int(params.docs_per_row * self.mean_hashes), largest_part)
        return min(wanted, max(MAX_CAPACITY, largest_part))


def _runs(values: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return where each run of equal values begins and ends."""
    return list(itertools.pairwise([*begins(values).tolist(), len(values)]))
