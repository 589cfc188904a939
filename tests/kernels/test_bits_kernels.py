"""Both twins of the bit kernels, on every instruction set, beside naive ones in plain Python integers: same bits, same
counts, same errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from pmbf.base.errors import ParameterError
from pmbf.kernels import reference_bits

N_ROWS = st.sampled_from([0, 1, 7, 8, 9, 63, 64, 65, 130])
HASHES = npst.arrays(np.uint32, st.integers(0, 40))
MASK = (1 << 64) - 1


@pytest.fixture(scope="module")
def kernels(level: str) -> Any:
    """Both twins, the native one on each instruction set that this processor has."""
    if level == "reference":
        return reference_bits
    from pmbf.kernels import native_bits

    return native_bits


def row_matrix(min_words: int = 1) -> st.SearchStrategy[np.ndarray]:
    """Draw rows of any number and width, a seed deciding their bits."""
    return st.builds(
        lambda n_rows, n_words, seed, sparse: _random_rows(n_rows, n_words, seed, sparse),
        N_ROWS, st.integers(min_words, 5), st.integers(0, 2**32 - 1), st.booleans(),
    )  # fmt: skip


def _random_rows(n_rows: int, n_words: int, seed: int, sparse: bool) -> np.ndarray:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 2**64, (n_rows, n_words), np.uint64)
    return rows & random.integers(0, 2**64, rows.shape, np.uint64) if sparse else rows


def naive_positions(value: int, row_bits: int, n_hashes: int) -> list[int]:
    mixed = (value * 0x9E3779B97F4A7C15 + 0x6A09E667F3BCC909) & MASK
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        mixed = ((mixed ^ (mixed >> 33)) * factor) & MASK
    mixed ^= mixed >> 33
    first, step = mixed >> 32, (mixed & 0xFFFFFFFF) | 1
    return [(((first + i * step) & 0xFFFFFFFF) * row_bits) >> 32 for i in range(n_hashes)]


def as_integer(row: np.ndarray) -> int:
    return sum(int(word) << (64 * number) for number, word in enumerate(row))


def naive_hits(rows: np.ndarray, hashes: np.ndarray, n_hashes: int) -> list[int]:
    """Return, for each hash, an integer whose bit r says that row r has all its bits."""
    wholes = [as_integer(row) for row in rows]
    at = [naive_positions(value, 64 * rows.shape[1], n_hashes) for value in hashes.tolist()]
    return [sum(all(whole >> p & 1 for p in ps) << r for r, whole in enumerate(wholes)) for ps in at]


def filled(kernels: Any, hashes: list[int], n_words: int, n_hashes: int) -> list[int]:
    row = np.zeros(n_words, np.uint64)
    kernels.fill(row, np.array(hashes, np.uint32), n_hashes=n_hashes)
    return np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist()


def test_bits_of_a_hash_never_change_since_stored_rows_depend_on_them(kernels: Any) -> None:
    expected = [[9717, 6386, 3054, 12522], [9995, 9873, 9752, 9631], [11336, 1049, 3563, 6076]]
    for one, bits in zip([0, 1, 2**32 - 1], expected, strict=True):
        assert sorted(bits) == filled(kernels, [one], 200, 4)


def test_bits_are_spread_evenly_over_a_row_though_sampled_hashes_are_small(kernels: Any) -> None:
    counts = sum(np.bincount(filled(kernels, [one], 16, 3), minlength=1024) for one in range(10_000))
    chi_square = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
    assert abs(chi_square - 1023) < 5 * np.sqrt(2 * 1023)


@given(st.lists(HASHES, max_size=3), st.integers(1, 5), st.integers(1, 7))
def test_a_filled_row_has_the_bits_of_all_its_hashes_and_no_others(
    kernels: Any, parts: list[np.ndarray], n_words: int, n_hashes: int
) -> None:
    row, expected = np.zeros(n_words, np.uint64), 0
    for hashes in parts:
        kernels.fill(row, hashes, n_hashes=n_hashes)
        for value in hashes.tolist():
            for position in naive_positions(value, 64 * n_words, n_hashes):
                expected |= 1 << position
    assert expected == as_integer(row)


@given(row_matrix(min_words=0))
def test_slices_are_the_transposed_bits_of_rows(kernels: Any, rows: np.ndarray) -> None:
    slices = kernels.seal(rows)
    assert (64 * rows.shape[1], -(-len(rows) // 64)) == slices.shape
    wholes = [as_integer(row) for row in rows]
    expected = [sum((whole >> p & 1) << r for r, whole in enumerate(wholes)) for p in range(64 * rows.shape[1])]
    assert expected == [as_integer(line) for line in slices]


@given(row_matrix(min_words=0))
def test_unsealed_slices_are_the_rows_that_were_sealed(kernels: Any, rows: np.ndarray) -> None:
    assert rows.tolist() == kernels.unseal(kernels.seal(rows), len(rows)).tolist()


def test_a_tile_wider_than_one_block_is_sealed_bit_for_bit(kernels: Any) -> None:
    rows = _random_rows(512, 67, seed=1, sparse=False)
    slices = kernels.seal(rows)
    as_bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    assert (as_bits.T == np.unpackbits(slices.view(np.uint8), axis=1, bitorder="little")).all()
    assert (rows == kernels.unseal(slices, 512)).all()


@given(row_matrix(), HASHES, st.integers(1, 7))
def test_both_forms_give_the_hits_of_the_naive_filter(
    kernels: Any, rows: np.ndarray, hashes: np.ndarray, n_hashes: int
) -> None:
    expected = naive_hits(rows, hashes, n_hashes)
    opened, n_hit = kernels.look_up([(rows, False, n_hashes)], hashes)
    sealed, _ = kernels.look_up([(kernels.seal(rows), True, n_hashes)], hashes)
    assert expected == [as_integer(line) for line in opened]
    assert [one.bit_count() for one in expected] == n_hit.tolist()
    assert expected == [as_integer(line) for line in sealed]


@pytest.mark.parametrize("n_hashes_in_query", [3, 40, 5000], ids=["probed", "between", "transposed in blocks"])
def test_open_and_sealed_agree_at_any_length_of_query(kernels: Any, n_hashes_in_query: int) -> None:
    rows = _random_rows(300, 60, seed=2, sparse=True)
    hashes = np.random.default_rng(3).integers(0, 2**32, n_hashes_in_query, np.uint32)
    opened, _ = kernels.look_up([(rows, False, 2)], hashes)
    assert (opened == kernels.look_up([(kernels.seal(rows), True, 2)], hashes)[0]).all()
    assert opened.any()


@given(st.lists(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_intersect_says_of_each_hash_whether_the_other_array_has_it(kernels: Any, a: list[int], b: set[int]) -> None:
    found = kernels.intersect(np.array(a, np.uint32), np.array(sorted(b), np.uint32))
    assert [value in b for value in a] == found.tolist()


@given(row_matrix())
def test_popcounts_count_ones(kernels: Any, rows: np.ndarray) -> None:
    assert [as_integer(line).bit_count() for line in rows] == kernels.popcounts(rows).tolist()


ROW, ROWS, HASH = np.zeros(2, np.uint64), np.zeros((3, 2), np.uint64), np.zeros(4, np.uint32)
SLICES = np.zeros((128, 1), np.uint64)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda kernels: kernels.fill(ROW, HASH.astype(np.int64), n_hashes=1), "hashes is int64 (4,)"),
        (lambda kernels: kernels.fill(ROW, HASH.reshape(2, 2), n_hashes=1), "hashes is uint32 (2, 2)"),
        (lambda kernels: kernels.fill(ROW[:0], HASH, n_hashes=1), "row_bits is 0"),
        (lambda kernels: kernels.fill(ROW, HASH, n_hashes=0), "n_hashes is 0"),
        (lambda kernels: kernels.fill(ROWS, HASH, n_hashes=1), "row is uint64 (3, 2)"),
        (lambda kernels: kernels.fill(_read_only(ROW), HASH, n_hashes=1), "row is read-only"),
        (lambda kernels: kernels.fill(ROW, list(HASH), n_hashes=1), "hashes is list"),  # type: ignore[arg-type]
        (lambda kernels: kernels.seal(ROW), "rows is uint64 (2,)"),
        (lambda kernels: kernels.unseal(SLICES, 65), "slices has 1 words a line, expected 2 for 65 rows"),
        (lambda kernels: kernels.unseal(SLICES[:100], 3), "slices has 100 positions"),
        (lambda kernels: kernels.intersect(HASH, HASH.astype(np.uint64)), "b is uint64 (4,)"),
        (lambda kernels: kernels.popcounts(ROW), "rows is uint64 (2,)"),
    ],
)
def test_a_wrong_argument_is_named_with_what_was_found(kernels: Any, call: Callable[[Any], object], found: str) -> None:
    with pytest.raises(ParameterError) as raised:
        call(kernels)
    assert str(raised.value).startswith(found)


def test_a_row_is_left_alone_when_the_hashes_are_refused(kernels: Any) -> None:
    row = np.zeros(2, np.uint64)
    with pytest.raises(ParameterError):
        kernels.fill(row, HASH.astype(np.uint64), n_hashes=3)
    assert not row.any()


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
