"""Hashes counted in windows: never fewer rows than the stored ones, by chance no more than were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.paper.counting import rows_over as over
from pmbf import params
from pmbf.errors import ParameterError
from pmbf.filter import CROWDED_RATE, PseudoMatrixBloomFilter, Tile
from pmbf.thresholds import threshold

CAPACITY = 500


def full_tile(n_rows: int, *, seed: int, n_hashes: int = 3, fpr: float = 0.01) -> tuple[Tile, np.ndarray]:
    """Return a tile of full rows, and the hashes of each row, all below 2^31."""
    tile = Tile.new(params.words_per_row(CAPACITY, n_hashes=n_hashes, fpr=fpr), n_hashes=n_hashes, fpr=fpr)
    stored = np.random.default_rng(seed).integers(0, 2**31, (n_rows, CAPACITY), np.uint32)
    for hashes in stored:
        tile.insert(tile.add_row(), hashes)
    return tile, stored


def rows_over(tile: Tile, query: np.ndarray, windows: object, *, chance: float, method: str = "hashes") -> np.ndarray:
    """Return the rows of a matrix of one tile, where each window of a row passes by so much chance."""
    n_windows = len([None for start, stop in windows if start < stop]) if method == "hashes" else 1
    false_rows = chance * max(1, n_windows) * max(1, tile.n_rows)
    [(_, rows)] = over(PseudoMatrixBloomFilter({0: tile}), query, windows, false_rows=false_rows, method=method)
    return rows


def foreign(n: int, *, seed: int) -> np.ndarray:
    """Return hashes that no row of `full_tile` holds."""
    return np.random.default_rng(seed).integers(2**31, 2**32, n, np.uint32)


@pytest.mark.parametrize("method", ["hashes", "popcount"])
def test_the_row_that_holds_the_query_passes(method: str) -> None:
    tile, stored = full_tile(70, seed=1)
    query = stored[66][:100]
    found = rows_over(tile, query, [(0, 100)], chance=1e-6, method=method)
    assert [66] == found.tolist()


@given(st.integers(1, 6), st.floats(1e-12, 1e-3), st.booleans())
def test_a_stored_text_of_few_hashes_passes_whatever_the_rates(n_stored: int, chance: float, sealed: bool) -> None:
    tile, stored = full_tile(3, seed=2)
    if sealed:
        tile.seal()
    query = np.concatenate([foreign(40, seed=3), stored[1][:n_stored], foreign(40, seed=4)])
    window = (40, 40 + n_stored)
    found = rows_over(tile, query, [(0, len(query)), window], chance=chance)
    assert 1 in found


def test_a_passage_in_a_long_query_is_found_in_its_window_and_not_in_the_whole() -> None:
    tile, stored = full_tile(100, seed=5)
    query = np.concatenate([foreign(2000, seed=6), stored[42][:14], foreign(2000, seed=7)])
    asked = {"chance": 1e-6}
    assert [] == rows_over(tile, query, [(0, len(query))], **asked).tolist()
    assert [42] == rows_over(tile, query, [(0, len(query)), (1990, 2014), (1995, 2019)], **asked).tolist()


@pytest.mark.parametrize("place", [0, 2047, 2048, 4999])
def test_more_windows_than_are_counted_at_once_are_all_looked_at(place: int) -> None:
    tile, stored = full_tile(10, seed=8)
    query = foreign(60_000, seed=9)
    query[12 * place : 12 * place + 12] = stored[3][:12]
    windows = [(start, start + 12) for start in range(0, 60_000, 12)]
    assert [3] == rows_over(tile, query, windows, chance=1e-8).tolist()


@pytest.mark.parametrize("method", ["hashes", "popcount"])
@pytest.mark.parametrize("n_hashes", [1, 3])
def test_foreign_texts_pass_no_more_often_than_was_asked_for(method: str, n_hashes: int) -> None:
    """Seeds 10 and 100 to 139; 40 queries, 2 false rows each at most, five standard deviations beside that."""
    tile, _ = full_tile(256, seed=10, n_hashes=n_hashes)
    tile.seal()
    matrix = PseudoMatrixBloomFilter({0: tile})
    windows = [(0, 300), (0, 100), (100, 200), (200, 300)]
    n_found = 0
    for seed in range(100, 140):
        for _, rows in over(matrix, foreign(300, seed=seed), windows, false_rows=2.0, method=method):
            n_found += len(rows)
    assert n_found < 80 + 5 * np.sqrt(80)


def test_rows_pass_from_the_threshold_of_their_own_rate_on() -> None:
    tile, stored = full_tile(1, seed=13)
    needed = threshold(100, float(tile.rates()[0]) * 2**0.25, 1e-6)
    for n_shared, expected in ((needed, [0]), (needed - 5, [])):
        query = np.concatenate([stored[0][:n_shared], foreign(100 - n_shared, seed=14)])
        assert expected == rows_over(tile, query, [(0, 100)], chance=1e-6).tolist()


def test_with_three_bits_a_hash_counting_hashes_finds_what_common_bits_cannot() -> None:
    tile, stored = full_tile(200, seed=17)
    query = np.concatenate([stored[9][:20], foreign(180, seed=18)])
    asked = {"chance": 1e-6}
    assert [9] == rows_over(tile, query, [(0, 200)], **asked).tolist()
    assert [] == rows_over(tile, query, [(0, 200)], **asked, method="popcount").tolist()


@pytest.mark.parametrize("method", ["hashes", "popcount"])
@pytest.mark.parametrize("windows", [[], [(0, 0)], [(0, 0), (5, 5)]])
def test_nothing_asked_is_nothing_found(method: str, windows: list[tuple[int, int]]) -> None:
    tile, _ = full_tile(3, seed=19)
    query = foreign(5 if windows == [(0, 0), (5, 5)] and method == "hashes" else 0, seed=20)
    assert [] == rows_over(tile, query, windows, chance=1e-6, method=method).tolist()


@pytest.mark.parametrize("method", ["hashes", "popcount"])
def test_a_tile_without_rows_has_none_that_pass(method: str) -> None:
    tile, _ = full_tile(0, seed=21)
    found = rows_over(tile, foreign(9, seed=22), [(0, 9)], chance=0.5, method=method)
    assert [] == found.tolist()


def test_a_row_without_a_hit_never_passes_though_chance_may() -> None:
    tile = Tile.new(10, n_hashes=3, fpr=0.01)
    tile.add_row()
    assert [] == rows_over(tile, foreign(9, seed=23), [(0, 9)], chance=1.0).tolist()


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"method": "bits"}, "method is 'bits', expected 'hashes' or 'popcount'"),
        ({"chance": 0.0}, "p is 0.0"),
        ({"windows": [(0, 10)]}, "a window is not inside the 9 hashes"),
    ],
)
def test_a_wrong_argument_is_named(changed: dict[str, object], found: str) -> None:
    tile, _ = full_tile(3, seed=24)
    arguments = {"windows": [(0, 9)], "chance": 0.1} | changed
    with pytest.raises(ParameterError, match=found):
        rows_over(tile, foreign(9, seed=25), arguments.pop("windows"), **arguments)  # type: ignore[arg-type]


def test_a_crowded_row_passes_whatever_is_asked() -> None:
    tile = Tile.new(2, n_hashes=3, fpr=0.01)
    tile.insert(tile.add_row(), np.arange(400, dtype=np.uint32))
    tile.insert(tile.add_row(), np.arange(3, dtype=np.uint32))
    assert tile.rates()[0] > CROWDED_RATE > tile.rates()[1]
    matrix = PseudoMatrixBloomFilter({0: tile})
    for method in ("hashes", "popcount"):
        [(_, rows)] = over(matrix, foreign(40, seed=26), [(0, 40)], false_rows=1e-9, method=method)
        assert [0] == rows.tolist()
