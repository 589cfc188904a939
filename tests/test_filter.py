"""Which rows pass: never fewer than the stored ones, by chance no more than were asked for."""

from __future__ import annotations

import numpy as np
import pytest

from pmbf.base import params
from pmbf.base.errors import ParameterError
from pmbf.filter import CROWDED_RATE, PseudoMatrixBloomFilter, Tile

CAPACITY = 500


def full_tile(n_rows: int, *, seed: int, n_hashes: int = 3, fpr: float = 0.01) -> tuple[Tile, np.ndarray]:
    """Return a tile of full rows, and the hashes of each row, all below 2^31."""
    tile = Tile.new(params.words_per_row(CAPACITY, n_hashes=n_hashes, fpr=fpr), n_hashes=n_hashes, fpr=fpr)
    stored = np.random.default_rng(seed).integers(0, 2**31, (n_rows, CAPACITY), np.uint32)
    for hashes in stored:
        tile.insert(tile.add_row(), hashes)
    return tile, stored


def with_common_bits(tile: Tile, query: np.ndarray, *, chance: float) -> np.ndarray:
    """Return the rows of a matrix of one tile, where each row passes by so much chance."""
    matrix = PseudoMatrixBloomFilter({0: tile})
    [(_, rows)] = matrix.rows_with_common_bits(query, false_rows=chance * max(1, tile.n_rows))
    return rows


def foreign(n: int, *, seed: int) -> np.ndarray:
    """Return hashes that no row of `full_tile` holds."""
    return np.random.default_rng(seed).integers(2**31, 2**32, n, np.uint32)


def test_how_many_rows_hold_a_hash_is_read_off_the_filter() -> None:
    tile, stored = full_tile(200, seed=31)
    everywhere = np.uint32(77)
    for row in range(150):
        tile.insert(row, np.array([everywhere], np.uint32))
    matrix = PseudoMatrixBloomFilter({0: tile})
    n_holding = matrix.look_up(np.append(stored[3][:50], everywhere)).n_hit - matrix.n_false
    assert 145 < n_holding[-1] < 155
    assert abs(n_holding[:-1].mean() - 1) < 1


def test_tiles_of_different_widths_answer_one_query() -> None:
    matrix = PseudoMatrixBloomFilter()
    for number, row_words in ((7, 100), (2, 300)):
        matrix.tiles[number] = Tile.new(row_words, n_hashes=3, fpr=0.01)
        for row in range(number):
            matrix.tiles[number].insert(
                matrix.tiles[number].add_row(), np.arange(100 * row, 100 * row + 90, dtype=np.uint32)
            )
    query = np.arange(100, 180, dtype=np.uint32)
    found = [(tile, rows.tolist()) for tile, rows in matrix.rows_with_common_bits(query, false_rows=1e-3)]
    assert [(2, [1]), (7, [1])] == found
    assert 9 == matrix.n_rows
    looked_up = matrix.look_up(query)
    assert [[0b10, 0b10]] * 80 == (looked_up.hits & np.uint64(2)).tolist()
    found = [(tile, rows.tolist()) for tile, rows in looked_up.by_tile(np.array([0, 1, 63, 64, 70]))]
    assert [(2, [0, 1, 63]), (7, [0, 6])] == found


def test_the_row_that_holds_the_query_passes() -> None:
    tile, stored = full_tile(70, seed=1)
    assert [66] == with_common_bits(tile, stored[66][:100], chance=1e-6).tolist()


@pytest.mark.parametrize("n_hashes", [1, 3])
def test_foreign_texts_pass_no_more_often_than_was_asked_for(n_hashes: int) -> None:
    """Seeds 10 and 100 to 139; 40 queries, 2 false rows each at most, five standard deviations beside that."""
    tile, _ = full_tile(256, seed=10, n_hashes=n_hashes)
    tile.seal()
    found = [with_common_bits(tile, foreign(300, seed=seed), chance=2 / 256) for seed in range(100, 140)]
    assert sum(map(len, found)) < 80 + 5 * np.sqrt(80)


def test_with_one_bit_a_hash_bits_in_common_are_hits() -> None:
    tile, stored = full_tile(200, seed=15, n_hashes=1)
    query = np.concatenate([stored[9][:40], stored[150][:20], foreign(140, seed=16)])
    assert [9, 150] == with_common_bits(tile, query, chance=1e-6).tolist()
    n_hits = np.unpackbits(tile.hits(query).view(np.uint8), axis=1, bitorder="little")[:, :200].sum(axis=0)
    n_shared_positions = n_hits - tile.common_bits(query)
    assert 0 <= n_shared_positions.min() <= n_shared_positions.max() <= 3


def test_nothing_asked_is_nothing_found() -> None:
    tile, _ = full_tile(3, seed=19)
    assert [] == with_common_bits(tile, foreign(0, seed=20), chance=1e-6).tolist()


def test_a_tile_without_rows_has_none_that_pass() -> None:
    tile, _ = full_tile(0, seed=21)
    assert [] == with_common_bits(tile, foreign(9, seed=22), chance=0.5).tolist()


def test_a_row_without_a_bit_in_common_never_passes_though_chance_may() -> None:
    tile = Tile.new(10, n_hashes=3, fpr=0.01)
    tile.add_row()
    assert [] == with_common_bits(tile, foreign(9, seed=23), chance=1.0).tolist()


def test_no_chance_at_all_is_refused() -> None:
    tile, _ = full_tile(3, seed=24)
    with pytest.raises(ParameterError, match=r"p is 0\.0"):
        with_common_bits(tile, foreign(9, seed=25), chance=0.0)


def test_a_crowded_row_passes_whatever_is_asked() -> None:
    tile = Tile.new(2, n_hashes=3, fpr=0.01)
    tile.insert(tile.add_row(), np.arange(400, dtype=np.uint32))
    tile.insert(tile.add_row(), np.arange(3, dtype=np.uint32))
    assert tile.rates()[0] > CROWDED_RATE > tile.rates()[1]
    assert [0] == with_common_bits(tile, foreign(40, seed=26), chance=1e-9).tolist()
