"""Tiles beside a model of plain sets: a row is the set of hashes inserted, its bits a set of positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pmbf import kernels
from pmbf.base import params
from pmbf.base.errors import ParameterError
from pmbf.tile import ROWS_PER_TILE, Tile

ROW_WORDS, N_HASHES, FPR = 6, 3, 0.01
PARTS = st.lists(st.integers(0, 2**32 - 1), max_size=12)


def hash_array(values: object) -> np.ndarray:
    return np.array(sorted(values), np.uint32)  # type: ignore[call-overload]


def new_tile(n_rows: int = 0, row_words: int = ROW_WORDS) -> Tile:
    tile = Tile.new(row_words, n_hashes=N_HASHES, fpr=FPR)
    for _ in range(n_rows):
        tile.add_row()
    return tile


def filled_tile(n_rows: int, n_hashes: int, *, seed: int, row_words: int = ROW_WORDS) -> Tile:
    random = np.random.default_rng(seed)
    tile = new_tile(n_rows, row_words)
    for row in range(n_rows):
        tile.insert(row, random.integers(0, 2**32, n_hashes, np.uint32))
    return tile


def hit_rows(tile: Tile, hashes: np.ndarray) -> np.ndarray:
    """Return `(q, n_rows) bool`."""
    octets = np.ascontiguousarray(tile.hits(hashes)).view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")[:, : tile.n_rows].astype(bool)


class TileMachine(RuleBasedStateMachine):
    """A tile is changed at random; beside it walks a list of rows, each a list of parts."""

    def __init__(self) -> None:
        super().__init__()
        self.tile = new_tile()
        self.rows: list[list[list[int]]] = []

    @rule(n_rows=st.sampled_from([1, 1, 5, 60]))
    def add_rows(self, n_rows: int) -> None:
        for _ in range(min(n_rows, ROWS_PER_TILE - len(self.rows))):
            assert len(self.rows) == self.tile.add_row()
            self.rows.append([])

    @precondition(lambda self: self.rows)
    @rule(data=st.data(), part=PARTS)
    def insert(self, data: st.DataObject, part: list[int]) -> None:
        row = data.draw(st.integers(0, len(self.rows) - 1))
        self.tile.insert(row, hash_array(part))
        self.rows[row].append(part)

    @precondition(lambda self: any(self.rows))
    @rule(data=st.data())
    def remove_a_part(self, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from([row for row, parts in enumerate(self.rows) if parts]))
        self.rows[row].pop(data.draw(st.integers(0, len(self.rows[row]) - 1)))
        self.tile.rebuild(row, map(hash_array, self.rows[row]))

    @rule()
    def change_form_and_back(self) -> None:
        self.tile.seal()
        self.tile.unseal()

    @rule()
    def go_on_with_a_writable_copy(self) -> None:
        self.tile.seal()
        self.tile = self.tile.writable()

    @invariant()
    def it_is_the_tile_built_afresh(self) -> None:
        fresh = new_tile(len(self.rows))
        for row, parts in enumerate(self.rows):
            for part in parts:
                fresh.insert(row, hash_array(part))
        assert fresh.bits.tolist() == self.tile.bits.tolist()
        assert fresh.popcounts.tolist() == self.tile.popcounts.tolist()
        assert kernels.popcounts(fresh.bits).tolist() == fresh.popcounts.tolist()

    @invariant()
    def no_stored_hash_is_ever_missed(self) -> None:
        sealed = self.tile.writable()
        sealed.seal()
        for row, parts in enumerate(self.rows):
            for part in filter(None, parts):
                assert hit_rows(self.tile, hash_array(part))[:, row].all()
                assert hit_rows(sealed, hash_array(part))[:, row].all()


TestTileBesideSets = TileMachine.TestCase


@given(st.integers(0, 130), st.integers(0, 40), st.integers(0, 99))
def test_open_and_sealed_tiles_answer_alike(n_rows: int, n_hashes: int, seed: int) -> None:
    opened = filled_tile(n_rows, n_hashes, seed=seed)
    sealed = opened.writable()
    sealed.seal()
    query = np.random.default_rng(seed).integers(0, 2**32, 50, np.uint32)
    assert opened.hits(query).tolist() == sealed.hits(query).tolist()
    assert opened.common_bits(query).tolist() == sealed.common_bits(query).tolist()
    assert opened.rooms().tolist() == sealed.rooms().tolist()


def test_sealed_and_unsealed_a_tile_is_as_before() -> None:
    tile = filled_tile(100, 30, seed=4)
    bits, popcounts = tile.bits.copy(), tile.popcounts.copy()
    tile.seal()
    tile.seal()
    assert (True, (64 * ROW_WORDS, 2)) == (tile.sealed, tile.bits.shape)
    tile.unseal()
    tile.unseal()
    assert (False, bits.tolist(), popcounts.tolist()) == (tile.sealed, tile.bits.tolist(), tile.popcounts.tolist())


@pytest.mark.parametrize("n_hashes", [1, 2, 3, 7])
def test_the_measured_false_positive_rate_is_that_of_the_formula(n_hashes: int) -> None:
    """Seeds 5 and 6: 64 full rows tried with 20,000 absent hashes; the bounds are five standard deviations."""
    capacity, n_rows, n_tried = 500, 64, 20_000
    tile = Tile.new(params.words_per_row(capacity, n_hashes=n_hashes, fpr=FPR), n_hashes=n_hashes, fpr=FPR)
    stored = np.random.default_rng(5).integers(0, 2**31, (n_rows, capacity), np.uint32)
    for hashes in stored:
        tile.insert(tile.add_row(), hashes)
    absent = np.random.default_rng(6).integers(2**31, 2**32, n_tried, np.uint32)
    found = hit_rows(tile, absent).sum()
    expected = n_tried * tile.rates().sum()
    assert abs(found - expected) < 5 * np.sqrt(expected)
    assert FPR == pytest.approx(tile.rates().mean(), rel=0.05)


def test_a_row_filled_to_its_capacity_has_hardly_any_room_left() -> None:
    tile = filled_tile(20, 1004, seed=7, row_words=194)
    assert 1004 == tile.capacity
    assert (tile.rooms() <= 40).all()
    assert [tile.room(row) for row in range(20)] == tile.rooms().tolist()


@given(PARTS, PARTS)
def test_common_bits_are_those_of_the_row_and_the_query_as_sets(stored: list[int], query: list[int]) -> None:
    tile = new_tile(1)
    tile.insert(0, hash_array(stored))
    bits = [set(tile.places(hash_array(one)).tolist()) for one in (stored, query)]
    assert [len(bits[0] & bits[1])] == tile.common_bits(hash_array(query)).tolist()
    assert [len(bits[0])] == tile.popcounts.tolist()


def test_common_bits_are_those_of_the_kernel() -> None:
    tile = filled_tile(70, 40, seed=8)
    query = np.random.default_rng(9).integers(0, 2**32, 30, np.uint32)
    row = np.zeros(ROW_WORDS, np.uint64)
    kernels.fill(row, query, n_hashes=N_HASHES)
    assert kernels.popcounts(tile.bits & row).tolist() == tile.common_bits(query).tolist()


@pytest.mark.parametrize("sealed", [False, True])
def test_a_tile_over_read_only_memory_answers_without_a_copy(sealed: bool) -> None:
    source = filled_tile(65, 30, seed=11)
    query = np.arange(100, dtype=np.uint32)
    expected = source.hits(query).tolist()
    if sealed:
        source.seal()
    bits = np.frombuffer(source.bits.tobytes(), np.uint64).reshape(source.bits.shape)
    make = Tile.sealed_form if sealed else Tile.open_form
    tile = make(bits, n_rows=65, n_hashes=N_HASHES, fpr=FPR)
    assert np.shares_memory(tile.bits, bits)
    assert expected == tile.hits(query).tolist()
    assert source.popcounts.tolist() == tile.popcounts.tolist()


@pytest.mark.parametrize("form", ["sealed", "read-only"])
def test_only_a_writable_copy_of_a_fixed_tile_changes(form: str) -> None:
    tile = filled_tile(3, 5, seed=12)
    tile.seal()
    if form == "read-only":
        rows = np.frombuffer(kernels.unseal(tile.bits, 3).tobytes(), np.uint64).reshape(3, ROW_WORDS)
        tile = Tile.open_form(rows, n_rows=3, n_hashes=N_HASHES, fpr=FPR)
    before = tile.bits.copy()
    one = np.array([1], np.uint32)
    for change in (tile.add_row, lambda: tile.insert(0, one), lambda: tile.rebuild(0, [one])):
        with pytest.raises(ParameterError, match=f"the tile is {form}, expected an open one"):
            change()
    copy = tile.writable()
    copy.insert(copy.add_row(), one)
    assert (4, 3) == (copy.n_rows, tile.n_rows)
    assert (before == tile.bits).all()


def test_a_tile_takes_512_rows_and_no_more() -> None:
    tile = new_tile(ROWS_PER_TILE, row_words=1)
    with pytest.raises(ParameterError, match="512 rows"):
        tile.add_row()


def test_a_refused_rebuild_leaves_the_row_as_it_was() -> None:
    tile = filled_tile(1, 9, seed=13)
    before = tile.bits.tolist()
    with pytest.raises(ParameterError, match="hashes is int64"):
        tile.rebuild(0, [np.array([1], np.uint32), np.array([1])])
    assert (before, tile.popcounts.tolist()) == (tile.bits.tolist(), kernels.popcounts(tile.bits).tolist())


@pytest.mark.parametrize("row", [-1, 2])
def test_a_row_that_is_not_there_is_named(row: int) -> None:
    tile = filled_tile(2, 5, seed=14)
    one = np.array([1], np.uint32)
    asks = (tile.room, lambda row: tile.insert(row, one), lambda row: tile.rebuild(row, [one]))
    for ask in asks:
        with pytest.raises(ParameterError, match=f"row is {row}, expected 0 to 1"):
            ask(row)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"rows": np.zeros((3, 2))}, "rows is float64"),
        ({"rows": np.zeros((2, 2), np.uint64)}, r"rows is uint64 \(2, 2\), expected uint64 \(3, W\)"),
        ({"rows": np.zeros((3, 0), np.uint64)}, "row_words is 0"),
        ({"rows": np.zeros((513, 1), np.uint64), "n_rows": 513}, "n_rows is 513"),
        ({"n_hashes": 0}, "n_hashes is 0"),
        ({"fpr": 1.0}, "fpr is 1.0"),
        ({"popcounts": np.zeros(2, np.int64)}, r"popcounts is int64 \(2,\)"),
    ],
)
def test_parts_that_do_not_make_a_tile_are_refused(changed: dict[str, object], found: str) -> None:
    arguments = {"rows": np.zeros((3, 2), np.uint64), "n_rows": 3, "n_hashes": 3, "fpr": 0.01} | changed
    with pytest.raises(ParameterError, match=found):
        Tile.open_form(arguments.pop("rows"), **arguments)  # type: ignore[arg-type]


def test_slices_that_do_not_make_a_tile_are_refused() -> None:
    for shape in ((64, 2), (65, 1), (64,)):
        with pytest.raises(ParameterError, match="slices is uint64"):
            Tile.sealed_form(np.zeros(shape, np.uint64), n_rows=3, n_hashes=3, fpr=0.01)
    for row_words in (-1, 0, 1 << 26):
        with pytest.raises(ParameterError, match="row_words is"):
            Tile.new(row_words, n_hashes=3, fpr=0.01)
