"""Both twins of the kernel that finds documents with hashes of a query near each other, beside the plain way."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes
from pmbf.kernels import ALL_DOCUMENTS, Postings, Ranges, reference_evident, reference_postings

HASHES = st.integers(0, 40) | st.integers(0, 2**32 - 1)
PAIRS = st.lists(st.tuples(HASHES, st.integers(0, 5)), max_size=120)
IDS = np.array([3, 70, 71, 900, 2**31, 2**32 - 1], np.uint32)


@pytest.fixture(scope="module", params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    """Both twins; the native one has no instruction sets here."""
    if request.param == "reference":
        return reference_evident
    return pytest.importorskip("pmbf.kernels.native_evident")


def words(values: list[int], hash_bits: int) -> Hashes:
    """Return hashes of some width; those above 32 bits differ behind their first 32 bits, too."""
    if hash_bits == 32:
        return np.array(values, np.uint32)
    return np.array([value << 32 | value % 5 << 64 - hash_bits for value in values], np.uint64)


def made(pairs: list[tuple[int, int]], hash_bits: int = 32) -> Postings:
    pairs = sorted({*pairs})
    numbers = np.array([number for _, number in pairs], np.uint32)
    return reference_postings.make_postings(words([value for value, _ in pairs], hash_bits), numbers, IDS, hash_bits)


RANGES = st.lists(st.integers(0, 2**32) | st.sampled_from(IDS.tolist()), max_size=8).map(
    lambda ends: np.array(sorted(ends[len(ends) % 2 :]), np.int64).reshape(-1, 2)
)
QUERIES = st.lists(st.tuples(st.lists(HASHES, unique=True, max_size=30), st.just(ALL_DOCUMENTS) | RANGES), max_size=4)


@given(PAIRS, PAIRS, QUERIES, st.integers(1, 6), st.integers(1, 8), st.sampled_from([32, 40, 48, 64]))
def test_documents_with_hashes_near_each_other_are_found_with_all_their_hashes(
    kernels: Any,
    here: list[tuple[int, int]],
    there: list[tuple[int, int]],
    queries: list[tuple[list[int], Ranges]],
    least: int,
    window: int,
    hash_bits: int,
) -> None:
    both, hashes = [made(some, hash_bits) for some in (here, there)], [words(one, hash_bits) for one, _ in queries]
    found = kernels.find_near(both, hashes, [ranges for _, ranges in queries], least=least, window=window)
    for (query, ranges), keys in zip(queries, found, strict=True):
        expected = []
        for pairs, (number, id_) in itertools.product((here, there), enumerate(IDS.tolist())):
            if not any(start <= id_ < stop for start, stop in ranges.tolist()):
                continue
            places = [place for place, value in enumerate(query) if (value, number) in pairs]
            if any(sum(first <= place < first + window for place in places) >= least for first in places):
                expected += [id_ << 32 | place for place in places]
        assert sorted(expected) == keys.tolist()


def test_damaged_postings_and_numbers_below_one_are_refused(kernels: Any) -> None:
    good, query = made([(7, 0), (9, 5)]), np.array([7, 9], np.uint32)
    beyond = replace(good, directory=np.full_like(good.directory, 2**31))
    fewer = replace(good, documents=IDS[:3])
    for damaged in (beyond, fewer):
        with pytest.raises(ParameterError, match="postings are damaged"):
            kernels.find_near([damaged], [query], [ALL_DOCUMENTS], least=1, window=3)
    with pytest.raises(ParameterError, match="least is 0, window 4, both must be at least 1"):
        kernels.find_near([good], [query], [ALL_DOCUMENTS], least=0, window=4)
    for among in ([], [np.array([[5, 4]])], [np.array([[-1, 4]])], [np.array([1, 4])], [np.array([[1, 4]], np.int32)]):
        with pytest.raises(ParameterError, match="ranges"):
            kernels.find_near([good], [query], among, least=1, window=4)


def test_nothing_is_found_in_no_postings_and_for_no_query(kernels: Any) -> None:
    assert [] == kernels.find_near([made([(7, 0)])], [], [], least=1, window=1)
    [keys] = kernels.find_near([], [np.array([4], np.uint32)], [ALL_DOCUMENTS], least=1, window=1)
    assert [] == keys.tolist()
