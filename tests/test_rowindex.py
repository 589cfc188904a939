"""The two indexes beside plain dicts and lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pmbf.base.errors import CorruptError, NotFoundError, ParameterError
from pmbf.rowindex import Entry, FreeSpaceIndex, RowIndex

TILES, ROWS, ROOMS, DOCUMENTS = st.integers(0, 3), st.integers(0, 5), st.integers(0, 12), st.integers(0, 8)


class FreeSpaceMachine(RuleBasedStateMachine):
    """The free-space index is changed at random; beside it walks a dict that is searched from end to end."""

    def __init__(self) -> None:
        super().__init__()
        self.index = FreeSpaceIndex()
        self.rooms: dict[tuple[int, int], int] = {}

    @rule(tile=TILES, row=ROWS, room=ROOMS)
    def set(self, tile: int, row: int, room: int) -> None:
        self.index.set(tile, row, room)
        self.rooms[tile, row] = room

    @rule(n_hashes=ROOMS)
    def take(self, n_hashes: int) -> None:
        """The tightest row that fits is taken, the lowest of equals."""
        fitting = [(room, place) for place, room in self.rooms.items() if room >= n_hashes]
        expected = min(fitting)[1] if fitting else None
        assert expected == self.index.take(n_hashes)
        if expected:
            self.rooms[expected] -= n_hashes

    @rule(tile=TILES)
    def drop_tile(self, tile: int) -> None:
        self.index.drop_tile(tile)
        self.rooms = {place: room for place, room in self.rooms.items() if place[0] != tile}

    @invariant()
    def it_knows_every_row_once(self) -> None:
        assert len(self.rooms) == len(self.index)

    def teardown(self) -> None:
        """Every row has the room that the dict says: from the largest down, each is taken to the brim."""
        for room in sorted(self.rooms.values(), reverse=True):
            self.take(room)


TestFreeSpaceBesideADict = FreeSpaceMachine.TestCase


def opened_index(tiles: dict[int, np.ndarray]) -> RowIndex:
    """Return an index of tiles as they were stored."""
    index = RowIndex()
    for tile, entries in tiles.items():
        index.put_tile(tile, entries)
    return index


class RowIndexMachine(RuleBasedStateMachine):
    """The row index is changed at random; beside it walks a list of entries."""

    def __init__(self) -> None:
        super().__init__()
        self.index = RowIndex()
        self.entries: list[Entry] = []
        self.tiles: set[int] = set()

    @rule(tile=TILES, row=ROWS, document=DOCUMENTS, start=st.integers(0, 4), n_parts=st.integers(1, 3))
    def add(self, tile: int, row: int, document: int, start: int, n_parts: int) -> None:
        entry = Entry(tile, row, document, start, start + n_parts)
        self.index.add(entry)
        self.entries.append(entry)
        self.tiles.add(tile)

    @rule(document=DOCUMENTS)
    def drop_document(self, document: int) -> None:
        expected = sorted({(entry.tile, entry.row) for entry in self.entries if entry.document == document})
        assert expected == self.index.drop_document(document)
        self.entries = [entry for entry in self.entries if entry.document != document]

    @rule(tile=TILES)
    def drop_tile(self, tile: int) -> None:
        self.index.drop_tile(tile)
        self.entries = [entry for entry in self.entries if entry.tile != tile]
        self.tiles.discard(tile)

    @rule()
    def store_and_open(self) -> None:
        stored = {tile: self.index.tile_arrays(tile).tobytes() for tile in self.index.tiles()}
        opened = {tile: np.frombuffer(content, np.uint32).reshape(-1, 4) for tile, content in stored.items()}
        self.index = opened_index(opened)

    @precondition(lambda self: self.tiles)
    @rule(data=st.data())
    def ask_for_the_documents_of_rows(self, data: st.DataObject) -> None:
        tile = data.draw(st.sampled_from(sorted(self.tiles)))
        rows = data.draw(st.lists(ROWS))
        expected = sorted({one.document for one in self.entries if one.tile == tile and one.row in rows})
        assert expected == self.index.documents(tile, rows).tolist()

    @rule(document=DOCUMENTS)
    def ask_for_the_rows_of_a_document(self, document: int) -> None:
        expected = sorted({(entry.tile, entry.row) for entry in self.entries if entry.document == document})
        assert expected == self.index.rows_of(document)

    @invariant()
    def it_knows_every_entry(self) -> None:
        assert (len(self.entries), sorted(self.tiles)) == (len(self.index), self.index.tiles())

    def teardown(self) -> None:
        for tile in self.tiles:
            entries = sorted(entry for entry in self.entries if entry.tile == tile)
            assert [list(entry[1:]) for entry in entries] == self.index.tile_arrays(tile).tolist()
            for row in range(6):
                parts = [[*entry[2:]] for entry in entries if entry.row == row]
                assert parts == sorted(self.index.parts(tile, [row]).tolist())


TestRowIndexBesideAList = RowIndexMachine.TestCase


@given(st.lists(st.tuples(ROWS, DOCUMENTS), max_size=30), st.lists(ROWS))
def test_arrays_that_are_only_ascending_by_row_serve_too(pairs: list[tuple[int, int]], rows: list[int]) -> None:
    pairs.sort(key=lambda pair: pair[0])
    array = np.array([(row, document, 0, 1) for row, document in pairs], np.uint32).reshape(-1, 4)
    index = opened_index({5: array})
    assert sorted({document for row, document in pairs if row in rows}) == index.documents(5, rows).tolist()


def test_opening_looks_at_nothing_and_copies_nothing() -> None:
    class Untouched(np.ndarray):
        def __getitem__(self, key: object) -> object:
            raise AssertionError("looked at")

    index = opened_index({0: np.zeros((3, 4), np.uint32).view(Untouched)})
    assert (3, [0]) == (len(index), index.tiles())
    array = np.zeros((3, 4), np.uint32)
    assert np.shares_memory(array, opened_index({0: array}).tile_arrays(0))


def test_a_change_leaves_the_array_it_was_opened_with_alone() -> None:
    array = np.array([[0, 7, 0, 1], [1, 8, 0, 1]], np.uint32)
    before = array.tolist()
    index = opened_index({0: array})
    index.add(Entry(0, 0, 9, 0, 1))
    index.drop_document(7)
    assert [[0, 9, 0, 1], [1, 8, 0, 1]] == index.tile_arrays(0).tolist()
    assert before == array.tolist()


def test_an_array_out_of_order_is_refused_when_it_is_needed() -> None:
    index = opened_index({3: np.array([[1, 7, 0, 1], [0, 8, 0, 1]], np.uint32)})
    with pytest.raises(CorruptError, match=r"row index of tile 3 is not ascending by row; run `pmbf check --repair`"):
        index.documents(3, [0])


def test_documents_outside_32_bits_live_nowhere() -> None:
    index = opened_index({0: np.array([[0, 2**32 - 1, 0, 1]], np.uint32)})
    assert [[(0, 0)], [], []] == [index.rows_of(document) for document in (2**32 - 1, 2**32, -1)]


def test_a_tile_that_is_not_known_is_named() -> None:
    for ask in (RowIndex().tile_arrays, lambda tile: RowIndex().documents(tile, [0])):
        with pytest.raises(NotFoundError, match="tile 4 is not in the row index"):
            ask(4)


@pytest.mark.parametrize(
    "entry", [Entry(0, -1, 0, 0, 1), Entry(0, 0, 2**32, 0, 1), Entry(0, 0, 0, 1, 1), Entry(0, 0, 0, 2, 1)]
)
def test_an_entry_that_names_no_part_is_refused(entry: Entry) -> None:
    with pytest.raises(ParameterError, match="names no part"):
        RowIndex().add(entry)


def test_arrays_of_another_shape_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"entries is int64 \(2, 4\)"):
        opened_index({0: np.zeros((2, 4), np.int64)})
    with pytest.raises(ParameterError, match="room of tile 1, row 2 is -3"):
        FreeSpaceIndex().set(1, 2, -3)
