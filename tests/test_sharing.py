"""The highest counts of each document, beside sorted dictionaries."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import kernels
from pmbf.alike import sharing
from pmbf.base.errors import ParameterError
from pmbf.kernels import Lists

SETS = st.lists(st.sets(st.integers(0, 12) | st.integers(0, 2**32 - 1), max_size=15), max_size=14)


def lists_of(sets: list[set[int]]) -> Lists:
    return Lists.of([np.array(sorted(one), np.uint32) for one in sets])


def best(sets: list[set[int]], i: int, ranks: list[int], least: int = 1) -> list[tuple[int, int]]:
    found = [(j, len(sets[i] & sets[j])) for j in range(len(sets)) if j != i and len(sets[i] & sets[j]) >= least]
    return sorted(found, key=lambda one: (-one[1], ranks[one[0]]))


def rows_of(ranked: sharing.Ranked) -> list[list[tuple[int, int]]]:
    cuts = ranked.offsets.astype(int).tolist()
    pairs = list(zip(ranked.documents.tolist(), ranked.counts.tolist(), strict=True))
    return [pairs[start:stop] for start, stop in pairwise(cuts)]


@given(SETS, st.integers(1, 4), st.integers(1, 3), st.randoms(use_true_random=False), st.integers(1, 5))
def test_each_document_keeps_its_highest_counts(
    sets: list[set[int]], keep: int, least: int, random: Any, block: int
) -> None:
    ranks = list(range(len(sets)))
    random.shuffle(ranks)
    lists, highest = lists_of(sets), sharing.Highest(len(sets), keep, np.array(ranks, np.uint32))
    for start in range(0, len(lists), block):
        some = lists.part(start, start + block)
        rows = np.arange(start, start + len(some), dtype=np.uint32)
        counts = kernels.shared_counts(kernels.invert(lists), some, min_shared=least, after=rows)
        highest.add(counts, rows, mirrored=True)
    ranked = highest.ranked()
    expected = [best(sets, i, ranks, least) for i in range(len(sets))]
    assert [row[:keep] for row in expected] == rows_of(ranked)
    assert [len(row) for row in expected] == ranked.totals.tolist()
    assert [len(row) > keep for row in expected] == ranked.is_cut.tolist()


@given(SETS, SETS, st.integers(1, 4))
def test_the_highest_of_other_lists_are_kept(sets: list[set[int]], probes: list[set[int]], keep: int) -> None:
    counts = kernels.shared_counts(kernels.invert(lists_of(sets)), lists_of(probes))
    expected = [
        sorted(((j, len(probe & one)) for j, one in enumerate(sets) if probe & one), key=lambda one: (-one[1], one[0]))
        for probe in probes
    ]
    highest = sharing.Highest(len(probes), keep, np.arange(len(sets), dtype=np.uint32))
    highest.add(counts, np.arange(len(probes), dtype=np.uint32))
    assert [row[:keep] for row in expected] == rows_of(highest.ranked())


def test_what_is_no_order_and_no_row_is_refused() -> None:
    with pytest.raises(ParameterError, match="ranks is no permutation"):
        sharing.Highest(2, 3, np.array([1, 1], np.uint32))
    with pytest.raises(ParameterError, match="keep is 0"):
        sharing.Highest(2, 0, np.arange(2, dtype=np.uint32))
    counts = kernels.shared_counts(kernels.invert(lists_of([{1}, {1}])), lists_of([{1}]))
    with pytest.raises(ParameterError, match="documents has 1, expected numbers below 1"):
        sharing.Highest(1, 3, np.arange(1, dtype=np.uint32)).add(counts, np.array([0], np.uint32))
    with pytest.raises(ParameterError, match="rows has 2, expected numbers below 2"):
        sharing.Highest(2, 3, np.arange(2, dtype=np.uint32)).add(counts, np.array([2], np.uint32))
