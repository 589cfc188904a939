"""The normalised measures, against cases computed by hand; the computation stands beside each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.pan.normplagdet import Side, normalised, side
from experiments.pan.plagdet import Annotation

LENGTHS = {"a": 200, "b": 1000}
SUMMARY = Annotation("a", 0, 100, "b", 0, 1000)
HALF = Annotation("a", 0, 50, "b", 0, 1000)


def test_a_whole_source_says_nothing_of_a_summary() -> None:
    found = normalised([SUMMARY], [HALF], LENGTHS)

    # a: c 100, r 50, i 50, least 0, most 50, weight 50/200; b: c = r = d, so least = most, weight 0
    assert found.recall == (50 * 0.25) / (100 * 0.25)
    assert found.precision == 1
    assert found.plagdet == pytest.approx(2 / 3)


def test_an_overlap_counts_from_the_least_it_can_be() -> None:
    case, detection = Annotation("a", 0, 160, "b", 0, 500), Annotation("a", 80, 120, "b", 0, 500)

    # a: c 160, r 120, d 200, i 80: least 80, most 120, weight 40/200; b: c = r = i = 500, least 0, weight 500/1000
    assert normalised([case], [detection], LENGTHS).recall == pytest.approx(
        (0 * 0.2 + 500 * 0.5) / (80 * 0.2 + 500 * 0.5)
    )


def test_whoever_reports_both_whole_documents_has_recall_and_no_precision() -> None:
    case, everything = Annotation("a", 0, 100, "b", 0, 500), Annotation("a", 0, 200, "b", 0, 1000)

    assert normalised([case], [everything], LENGTHS).recall == 1
    assert normalised([case], [everything], LENGTHS).precision == 0
    assert normalised([everything], [everything], LENGTHS).plagdet == 1


def test_a_document_of_unknown_length_ends_with_its_last_annotation() -> None:
    longer = Annotation("a", 0, 200, "b", 0, 1000)

    assert normalised([SUMMARY, longer], [HALF], {}) == normalised([SUMMARY, longer], [HALF], LENGTHS)


def test_sides_are_measured_alone() -> None:
    assert side([SUMMARY], [HALF], 0) == Side(1.0, 0.5)
    assert side([SUMMARY], [HALF], 1) == Side(1.0, 1.0)
    assert side([], [], 0) == Side(1.0, 1.0)
    assert side([SUMMARY], [], 0) == Side(0.0, 0.0)


@pytest.mark.parametrize(("cases", "found", "share"), [([], [], 1), ([SUMMARY], [], 0), ([], [SUMMARY], 0)])
def test_nothing_is_found_of_nothing(cases: list[Annotation], found: list[Annotation], share: float) -> None:
    scores = normalised(cases, found, LENGTHS)

    assert (share, share) == (scores.precision, scores.recall)


PASSAGES = st.builds(
    Annotation,
    st.just("a"),
    st.integers(0, 100),
    st.integers(1, 100),
    st.just("b"),
    st.integers(0, 500),
    st.integers(1, 500),
)


@given(st.sets(PASSAGES, min_size=1, max_size=4), st.sets(PASSAGES, max_size=4))
def test_normalised_scores_are_shares_and_what_is_right_is_whole(
    cases: set[Annotation], found: set[Annotation]
) -> None:
    scores = normalised(cases, found, LENGTHS)

    assert 0 <= scores.precision <= 1
    assert 0 <= scores.recall <= 1
    one = next(iter(cases))
    assert normalised([one], [one], LENGTHS).plagdet == pytest.approx(1)
