"""Both twins of the kernel that looks a query up in all tiles at once, and of those that weigh what it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.kernels import HitRules, reference_bits

TILES = st.lists(
    st.tuples(st.sampled_from([1, 7, 64, 65, 511, 512, 513]), st.integers(1, 9), st.booleans(), st.integers(1, 4)),
    max_size=4,
)
ROWS, HASHES = np.full((3, 2), 5, np.uint64), np.arange(4, dtype=np.uint32)


@pytest.fixture(scope="module")
def kernels(level: str) -> Any:
    """Both twins, the native one on each instruction set that this processor has."""
    if level == "reference":
        return reference_bits
    from pmbf.kernels import native_bits

    return native_bits


@given(TILES, st.integers(0, 90), st.integers(0, 2**32 - 1))
def test_the_hits_of_tiles_stand_side_by_side(
    kernels: Any, shapes: list[tuple[int, int, bool, int]], n_hashes: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    hashes, tiles, expected = random.integers(0, 2**32, n_hashes, np.uint32), [], np.empty((n_hashes, 0), np.uint64)
    for n_rows, n_words, sealed, k in shapes:
        rows = random.integers(0, 2**64, (n_rows, n_words), np.uint64)
        tiles.append((reference_bits.seal(rows) if sealed else rows, sealed, k))
        expected = np.hstack([expected, reference_bits.look_up([(rows, False, k)], hashes)[0]])
    hits, n_hit = kernels.look_up(tiles, hashes)
    assert (expected.shape, expected.dtype, expected.tolist()) == (hits.shape, hits.dtype, hits.tolist())
    assert np.bitwise_count(expected).sum(axis=1).tolist() == n_hit.tolist()
    assert n_hit.dtype == np.int64


def test_arrays_that_are_not_contiguous_are_taken(kernels: Any) -> None:
    random = np.random.default_rng(6)
    rows, hashes = (
        random.integers(0, 2**64, (90, 12), np.uint64)[::2, ::3],
        random.integers(0, 2**32, 90, np.uint32)[::3],
    )
    hits = kernels.look_up([(rows, False, 2)], hashes)[0]
    assert reference_bits.look_up([(rows, False, 2)], hashes)[0].tolist() == hits.tolist()
    weights, tokens = np.full(60, 900, np.int32)[::2], np.arange(60, dtype=np.uint32)[::2]
    how = HitRules(shingle_tokens=3, window=16)
    rows_found = kernels.rows_with_evidence(hits[::-1], weights, tokens, how, least=2000)
    expected = reference_bits.rows_with_evidence(hits[::-1], weights, tokens, how, least=2000)
    assert expected.tolist() == rows_found.tolist()
    bounds, places = np.array([0, 9, 2, 9, 4])[::2], np.array([1, 9, 2, 9, 3, 9, 8, 9], np.uint32)[::2]
    assert [1500, 1800] == kernels.evidence(bounds, places, weights, tokens, how)[0].tolist()


@pytest.mark.parametrize(
    ("tile", "hashes", "found"),
    [
        ((ROWS, False, 1), HASHES.astype(np.int64), "hashes is int64 (4,), expected uint32 (n,)"),
        ((ROWS.astype(np.int64), False, 1), HASHES, "rows is int64 (3, 2), expected uint64 (n_rows, W)"),
        ((ROWS[0], True, 1), HASHES, "slices is uint64 (2,), expected uint64 (64 W, S)"),
        ((ROWS[:, :0], False, 1), HASHES, "row_bits is 0"),
        ((ROWS[:0], True, 1), HASHES, "row_bits is 0"),
        ((ROWS, False, 0), HASHES, "n_hashes is 0"),
    ],
)
def test_what_is_no_tile_is_refused_in_the_same_words(
    kernels: Any, tile: tuple[np.ndarray, bool, int], hashes: np.ndarray, found: str
) -> None:
    with pytest.raises(ParameterError) as raised:
        kernels.look_up([(ROWS, False, 2), tile], hashes)
    assert str(raised.value).startswith(found)
