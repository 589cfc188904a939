"""Both twins of the kernels of inverted indexes, beside dictionaries and sets: which documents share which features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.kernels import Inverted, Jaccard, Lists, SharedCounts, cut_lists, join_lists, kernels_of

LAST = 2**32 - 1
FEATURES = st.integers(0, 30) | st.sampled_from([0, 1 << 31, LAST - 1, LAST]) | st.integers(0, LAST)
SETS = st.lists(st.sets(FEATURES, max_size=25), max_size=12)


@pytest.fixture(scope="module", params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    """Both twins; the native one has no instruction sets here."""
    from types import SimpleNamespace

    return SimpleNamespace(**kernels_of(request.param))


def lists_of(sets: Sequence[set[int]]) -> Lists:
    return Lists.of([np.array(sorted(one), np.uint32) for one in sets])


def numbers(*some: int) -> np.ndarray:
    return np.array(some, np.uint32)


def as_dict(inverted: Inverted) -> dict[int, list[int]]:
    starts = inverted.starts.tolist()
    found = [inverted.documents[start:stop].tolist() for start, stop in pairwise(starts)]
    return dict(zip(inverted.features.tolist(), found, strict=True))


def as_dicts(counts: SharedCounts) -> list[dict[int, int]]:
    """Return the counts of each list, after a look at their order."""
    found = []
    for start, stop in pairwise(counts.offsets.tolist()):
        documents = counts.documents[start:stop].tolist()
        assert documents == sorted(set(documents))
        found.append(dict(zip(documents, counts.counts[start:stop].tolist(), strict=True)))
    return found


def inverse(sets: Sequence[set[int]], documents: Sequence[int]) -> dict[int, list[int]]:
    return {
        feature: [number for number, one in zip(documents, sets, strict=True) if feature in one]
        for feature in sorted(set().union(*sets))
    }


def shared(probes: Sequence[set[int]], documents: dict[int, set[int]]) -> list[dict[int, int]]:
    """Return the oracle: how many features each document shares with each probe, if any."""
    return [{number: len(probe & one) for number, one in documents.items() if probe & one} for probe in probes]


@given(SETS, st.data())
@example([{0, LAST}, {LAST}, {0}], None)
@example([{5}], None)
@example([set(), set()], None)
def test_each_feature_has_just_its_documents(kernels: Any, sets: list[set[int]], data: Any) -> None:
    inverted = kernels.invert(lists_of(sets))
    assert as_dict(inverted) == inverse(sets, range(len(sets)))
    assert inverted.n_documents == len(sets)
    if data is None:
        return
    chosen = sorted(data.draw(st.sets(st.integers(0, LAST - 1), min_size=len(sets), max_size=len(sets))))
    inverted = kernels.invert(lists_of(sets), numbers(*chosen))
    assert as_dict(inverted) == inverse(sets, chosen)
    assert inverted.n_documents == (chosen[-1] + 1 if chosen else 0)


@given(SETS)
def test_the_directory_leads_to_each_feature(kernels: Any, sets: list[set[int]]) -> None:
    inverted = kernels.invert(lists_of(sets))
    features = inverted.features.tolist()
    assert len(inverted.directory) <= max(1, len(features)) + 1
    for place, feature in enumerate(features):
        slot = (feature - features[0]) >> inverted.shift
        assert inverted.directory[slot] <= place < inverted.directory[slot + 1]


@given(SETS, SETS, st.integers(1, 4))
@example([{1, 2}, {2}], [{2}, set(), {9}], 1)
def test_shared_features_are_counted(kernels: Any, sets: list[set[int]], probes: list[set[int]], least: int) -> None:
    counts = kernels.shared_counts(kernels.invert(lists_of(sets)), lists_of(probes), min_shared=least)
    expected = shared(probes, dict(enumerate(sets)))
    assert [{n: c for n, c in one.items() if c >= least} for one in expected] == as_dicts(counts)


@given(SETS, st.data())
def test_only_documents_after_a_number_are_counted(kernels: Any, sets: list[set[int]], data: st.DataObject) -> None:
    after = data.draw(st.lists(st.integers(0, 12), min_size=len(sets), max_size=len(sets)))
    counts = kernels.shared_counts(kernels.invert(lists_of(sets)), lists_of(sets), after=numbers(*after))
    expected = shared(sets, dict(enumerate(sets)))
    assert [{n: c for n, c in one.items() if n > a} for one, a in zip(expected, after, strict=True)] == as_dicts(counts)


@given(SETS, SETS, st.sampled_from([0.1, 0.25, 0.4, 0.5, 2 / 3, 0.75, 1.0]))
@example([{1, 2, 3, 4, 5}], [{4, 5}, {1, 2, 3, 4, 5}], 0.4)
def test_pairs_below_a_jaccard_index_are_not_told(
    kernels: Any, sets: list[set[int]], probes: list[set[int]], threshold: float
) -> None:
    jaccard = Jaccard(threshold, lists_of(probes).sizes, lists_of(sets).sizes)
    counts = kernels.shared_counts(kernels.invert(lists_of(sets)), lists_of(probes), jaccard=jaccard)
    expected = shared(probes, dict(enumerate(sets)))
    assert [
        {n: c for n, c in one.items() if c / len(probe | sets[n]) >= threshold}
        for one, probe in zip(expected, probes, strict=True)
    ] == as_dicts(counts)


THRESHOLDS = st.sampled_from([0.05, 0.3, 0.4, 0.5, 0.75, 0.9, 1.0])


def alike(probe: set[int], sets: Sequence[set[int]], threshold: float, first: int) -> dict[int, int]:
    """Return the oracle: which sets from `first` on are as similar, and how many features they share."""
    found = {j: len(probe & one) for j, one in enumerate(sets) if j >= first and probe & one}
    return {j: n for j, n in found.items() if n / len(probe | sets[j]) >= threshold}


@given(SETS, THRESHOLDS, st.integers(0, 3))
@example([{1, 2, 3, 4, 5}, {4, 5}, set(), set(), {1, 2, 3, 4, 5}], 0.4, 0)
def test_all_pairs_of_lists_that_are_alike_are_told_once(
    kernels: Any, sets: list[set[int]], threshold: float, n_copies: int
) -> None:
    sets = [*sets, *sets[:n_copies]]
    expected = [alike(one, sets, threshold, i + 1) for i, one in enumerate(sets)]
    assert expected == as_dicts(kernels.jaccard_join(lists_of(sets), threshold))


@pytest.fixture(scope="module")
def edited_copies() -> tuple[list[set[int]], list[dict[int, tuple[int, float]]]]:
    """Sets with copies of all degrees; of each set the later ones that share features: how many, and how alike."""
    random = np.random.default_rng(8)
    sets: list[set[int]] = []
    for _ in range(300):
        own = {*random.integers(0, 40, 12).tolist(), *random.integers(0, LAST, random.integers(0, 60)).tolist()}
        for share in (0, 0.1, 0.3, 0.6):
            sets.append({feature if random.random() >= share else int(random.integers(LAST)) for feature in own})
    owners: dict[int, list[int]] = {}
    for i, one in enumerate(sets):
        for feature in one:
            owners.setdefault(feature, []).append(i)
    counted = [Counter(j for feature in one for j in owners[feature] if j > i) for i, one in enumerate(sets)]
    return sets, [
        {j: (n, n / (len(one) + len(sets[j]) - n)) for j, n in sorted(found.items())}
        for one, found in zip(sets, counted, strict=True)
    ]


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_edited_copies_among_many_lists_are_all_told(kernels: Any, edited_copies: Any, threshold: float) -> None:
    """Common and rare features, copies of all degrees, lists of all lengths."""
    sets, shared = edited_copies
    expected = [{j: n for j, (n, similarity) in one.items() if similarity >= threshold} for one in shared]
    assert expected == as_dicts(kernels.jaccard_join(lists_of(sets), threshold))


@given(SETS, st.integers(1, 7), st.integers(1, 3), st.sampled_from([None, 0.3, 0.5]))
def test_counts_of_ranges_sum_to_those_of_the_whole(
    kernels: Any, sets: list[set[int]], n_ranges: int, least: int, threshold: float | None
) -> None:
    lists = lists_of(sets)
    jaccard = Jaccard(threshold, lists.sizes, lists.sizes) if threshold else None
    whole = kernels.shared_counts(kernels.invert(lists), lists, min_shared=least, jaccard=jaccard)
    parts = [kernels.shared_counts(kernels.invert(part), part) for part in cut_lists(lists, n_ranges)]
    assert as_dicts(whole) == as_dicts(kernels.merge_counts(parts, min_shared=least, jaccard=jaccard))


@given(SETS, st.integers(1, 9))
def test_ranges_cut_features_by_their_top_bits(sets: list[set[int]], n_ranges: int) -> None:
    parts = cut_lists(lists_of(sets), n_ranges)
    for number, part in enumerate(parts):
        assert {int(feature) * n_ranges >> 32 for feature in part.features} <= {number}
    together = [set().union(*(part[i].tolist() for part in parts)) for i in range(len(sets))]
    assert sets == together


@given(SETS, SETS)
def test_lists_are_joined_and_cut(some: list[set[int]], others: list[set[int]]) -> None:
    joined = join_lists([lists_of(some), lists_of(others)])
    assert [sorted(one) for one in some + others] == [joined[i].tolist() for i in range(len(joined))]
    assert [sorted(one) for one in others] == [
        one.tolist() for one in map(joined.part(len(some), len(joined)).__getitem__, range(len(others)))
    ]


@given(SETS, st.sets(FEATURES, max_size=20))
def test_features_are_dropped(kernels: Any, sets: list[set[int]], stop: set[int]) -> None:
    found = kernels.drop_features(lists_of(sets), numbers(*sorted(stop)))
    assert [sorted(one - stop) for one in sets] == [found[i].tolist() for i in range(len(found))]


@given(SETS, SETS)
def test_both_twins_make_the_same_arrays(sets: list[set[int]], probes: list[set[int]]) -> None:
    one, other = kernels_of("reference"), kernels_of("native")
    here, there = one["invert"](lists_of(sets)), other["invert"](lists_of(sets))
    for name in ("features", "starts", "documents", "directory"):
        assert getattr(here, name).dtype == getattr(there, name).dtype
        assert np.array_equal(getattr(here, name), getattr(there, name)), name
    assert (here.shift, here.n_documents) == (there.shift, there.n_documents)
    here, there = (twin["shared_counts"](twin["invert"](lists_of(sets)), lists_of(probes)) for twin in (one, other))
    for name in ("offsets", "documents", "counts"):
        assert getattr(here, name).dtype == getattr(there, name).dtype
        assert np.array_equal(getattr(here, name), getattr(there, name)), name


def test_many_documents_with_common_and_rare_features_are_counted(kernels: Any) -> None:
    """More features than a bucket, more documents than a block, and one feature that all have."""
    random = np.random.default_rng(3)
    sets = [{7, *random.integers(0, 3000, 40).tolist(), *random.integers(0, LAST, 60).tolist()} for _ in range(800)]
    counts = kernels.shared_counts(kernels.invert(lists_of(sets)), lists_of(sets[:50]), min_shared=2)
    expected = shared(sets[:50], dict(enumerate(sets)))
    assert [{n: c for n, c in one.items() if c >= 2} for one in expected] == as_dicts(counts)


def test_a_few_documents_are_counted_by_many_lists(kernels: Any) -> None:
    random = np.random.default_rng(5)
    sets = [{*random.integers(0, 3000, 40).tolist(), *random.integers(0, LAST, 60).tolist()} for _ in range(200)]
    held = {3: sets[3], 150: sets[150]}
    counts = kernels.shared_counts(kernels.invert(lists_of([*held.values()]), numbers(*held)), lists_of(sets))
    assert shared(sets, held) == as_dicts(counts)


SOME = lists_of([{1, 5}, {5}])


@pytest.mark.parametrize(("lists", "message"), [
    (replace(SOME, offsets=SOME.offsets.astype(np.int64)), "offsets is int64"),
    (replace(SOME, features=SOME.features.astype(np.uint64)), "features is uint64"),
    (replace(SOME, offsets=SOME.offsets[:-1]), "offsets do not ascend from 0 to 3"),
    (replace(SOME, offsets=SOME.offsets[:0]), "offsets do not ascend"),
    (replace(SOME, offsets=SOME.offsets + np.uint64(1)), "offsets do not ascend"),
    (replace(SOME, offsets=np.array([0, 2**63, 3], np.uint64)), "offsets do not ascend"),
    (replace(SOME, features=numbers(5, 1, 5)), "features of a list do not ascend"),
    (replace(SOME, features=numbers(5, 5, 5)), "features of a list do not ascend"),
])  # fmt: skip
def test_malformed_lists_are_refused(kernels: Any, lists: Lists, message: str) -> None:
    for ask in (lambda: kernels.invert(lists), lambda: kernels.shared_counts(kernels.invert(SOME), lists)):
        with pytest.raises(ParameterError, match=message):
            ask()


def test_more_postings_than_a_range_has_places_for_are_refused(kernels: Any) -> None:
    """The features are one number, told 2^32 times: the sizes alone are looked at."""
    features = np.broadcast_to(np.uint32(7), (2**32,))
    with pytest.raises(ParameterError, match="4294967296 features in all, expected at most"):
        kernels.invert(Lists(np.array([0, 2**32], np.uint64), features))


def test_lists_that_share_half_of_their_features_with_all_others_are_joined(kernels: Any) -> None:
    """Nearly every list may be like every other one."""
    common = set(range(20))
    sets = [common | {100 + 7 * i % 50, 200 + i % 40, *range(1000 + 9 * i, 1000 + 9 * i + 10)} for i in range(150)]
    expected = [alike(one, sets, 0.45, i + 1) for i, one in enumerate(sets)]
    assert any(expected) and expected == as_dicts(kernels.jaccard_join(lists_of(sets), 0.45))


def test_other_arguments_are_refused(kernels: Any) -> None:
    inverted = kernels.invert(SOME)
    one = kernels.shared_counts(inverted, SOME)
    for message, ask in {
        "documents does not ascend": lambda: kernels.invert(SOME, numbers(4, 4)),
        "documents is for 1 lists": lambda: kernels.invert(SOME, numbers(4)),
        "a document is 2^32 - 1": lambda: kernels.invert(SOME, numbers(4, LAST)),
        "min_shared is 0": lambda: kernels.shared_counts(inverted, SOME, min_shared=0),
        "after is for 3 lists": lambda: kernels.shared_counts(inverted, SOME, after=numbers(1, 1, 1)),
        "threshold is 1.5": lambda: kernels.shared_counts(inverted, SOME, jaccard=Jaccard(1.5, SOME.sizes, SOME.sizes)),
        "sizes is for 1 documents": lambda: kernels.merge_counts([one], jaccard=Jaccard(0.5, SOME.sizes, numbers(1))),
        "list_sizes is for 1 lists": lambda: kernels.merge_counts([one], jaccard=Jaccard(0.5, numbers(1), SOME.sizes)),
        "there are no counts": lambda: kernels.merge_counts([]),
        "counts of 2 and of 1 lists": lambda: kernels.merge_counts(
            [one, SharedCounts(one.offsets[:2], *[numbers(0, 1)] * 2)]
        ),
        "threshold is 0, expected": lambda: kernels.jaccard_join(SOME, 0),
        "stop does not ascend": lambda: kernels.drop_features(SOME, numbers(3, 2)),
        "0 ranges of 32 bits": lambda: cut_lists(SOME, 0),
        "a feature is 5": lambda: cut_lists(SOME, 3, bits=2),
    }.items():
        with pytest.raises(ParameterError) as raised:
            ask()
        assert message in str(raised.value)


@given(SETS, st.data())
def test_a_damaged_index_is_refused_or_read_within_its_arrays(
    kernels: Any, sets: list[set[int]], data: st.DataObject
) -> None:
    sets = [*sets, {1, 2, 3}]
    inverted = kernels.invert(lists_of(sets))
    name = data.draw(st.sampled_from(["features", "starts", "documents", "directory"]))
    array = getattr(inverted, name).copy()
    for _ in range(data.draw(st.integers(1, 3))):
        array[data.draw(st.integers(0, len(array) - 1))] ^= np.uint32(1 << data.draw(st.integers(0, 31)))
    damaged = replace(inverted, **{name: array})
    for ask in (
        lambda: kernels.shared_counts(damaged, lists_of(sets)),
        lambda: kernels.shared_counts(damaged, lists_of(sets), after=numbers(*range(len(sets)))),
    ):
        try:
            ask()
        except ParameterError as error:
            assert "damaged" in str(error)
