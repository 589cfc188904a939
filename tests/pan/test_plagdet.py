"""The measures, against cases computed by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.pan.plagdet import Annotation, granularity, macro, micro, overlaps, plagdet

WHOLE = Annotation("one", 0, 100, "first", 0, 100)
INTRINSIC = Annotation("one", 0, 100)
NEXT = Annotation("one", 100, 100, "first", 100, 100)
TWICE = Annotation("one", 0, 200, "first", 0, 200)
OTHER = Annotation("two", 0, 100, "second", 0, 100)
HALF_OVER = Annotation("two", 50, 100, "second", 50, 100)
INSIDE = Annotation("two", 25, 75, "second", 25, 75)


@pytest.mark.parametrize(
    ("cases", "detections", "recall", "precision"),
    [
        ([], [], 1, 1),
        ([WHOLE], [], 0, 0),
        ([], [WHOLE], 0, 0),
        ([WHOLE], [WHOLE], 1, 1),
        ([INTRINSIC], [INTRINSIC], 1, 1),
        ([WHOLE, OTHER], [WHOLE], 0.5, 1),
        ([WHOLE], [WHOLE, OTHER], 1, 0.5),
        ([WHOLE], [INTRINSIC], 0.5, 1),
        ([INTRINSIC], [WHOLE], 1, 0.5),
        ([WHOLE], [NEXT], 0, 0),
        ([WHOLE], [TWICE], 1, 0.5),
        ([OTHER], [HALF_OVER], 0.5, 0.5),
        ([OTHER], [INSIDE], 0.75, 1),
        ([OTHER], [HALF_OVER, INSIDE], 0.75, 0.75),
        ([WHOLE], [WHOLE._replace(source="second")], 0, 0),
        ([WHOLE], [WHOLE._replace(source_start=100)], 0, 0),
        ([WHOLE, WHOLE], [WHOLE, WHOLE], 1, 1),
    ],
)
def test_macro_recall_and_precision(
    cases: list[Annotation], detections: list[Annotation], recall: float, precision: float
) -> None:
    found = macro(cases, detections)

    assert (recall, precision) == (found.recall, found.precision)


def test_a_tiny_false_detection_weighs_as_much_as_a_long_one_in_macro_and_nothing_in_micro() -> None:
    tiny = Annotation("one", 5000, 1, "first", 5000, 1)

    assert macro([WHOLE], [WHOLE, tiny]).precision == 0.5
    assert micro([WHOLE], [WHOLE, tiny]).precision == pytest.approx(200 / 202)


def test_micro_counts_each_character_once() -> None:
    again = Annotation("one", 50, 100, "first", 50, 100)

    found = micro([WHOLE, NEXT], [WHOLE, again])

    assert found.recall == pytest.approx(300 / 400)
    assert found.precision == 1.0
    assert micro([], []).plagdet == 1.0
    assert micro([WHOLE], []).recall == micro([], [WHOLE]).precision == 0.0


def test_micro_keeps_documents_and_sides_apart() -> None:
    same_offsets = Annotation("two", 0, 100, "first", 0, 100)

    found = micro([WHOLE, same_offsets], [WHOLE])

    assert found.recall == pytest.approx(200 / 300)  # 100 + 100 here, the source's 100 counted once


@pytest.mark.parametrize(
    ("cases", "detections", "expected"),
    [
        ([], [], 1),
        ([WHOLE], [], 1),
        ([WHOLE], [OTHER], 1),
        ([WHOLE], [WHOLE], 1),
        ([WHOLE], [WHOLE._replace(length=40), WHOLE._replace(start=60, length=40)], 2),
        ([WHOLE, OTHER], [WHOLE, OTHER, HALF_OVER, INSIDE], 2),
        ([WHOLE, NEXT], [TWICE], 1),
        ([WHOLE], [INTRINSIC, WHOLE], 2),
    ],
)
def test_granularity_counts_detections_of_detected_cases(
    cases: list[Annotation], detections: list[Annotation], expected: float
) -> None:
    assert expected == granularity(cases, detections)


@pytest.mark.parametrize(
    ("precision", "recall", "pieces", "expected"),
    [
        (0, 0, 1, 0),
        (1, 1, 1, 1),
        (1, 0.5, 1, 2 / 3),
        (1, 1, 3, 0.5),
        (0.89484, 0.76190, 1.00141, 0.82220),  # published with the first place of 2013
        (0.88168, 0.87904, 1.00344, 0.87818),  # and of 2014
        (1, 1, 0.5, 0),
        (-1, 1, 1, 0),
    ],
)
def test_plagdet_is_f1_over_the_logarithm_of_granularity(
    precision: float, recall: float, pieces: float, expected: float
) -> None:
    assert plagdet(precision, recall, pieces) == pytest.approx(expected, abs=6e-6)


def test_touching_passages_do_not_overlap() -> None:
    assert not overlaps(WHOLE, NEXT)
    assert overlaps(WHOLE, NEXT._replace(start=99, source_start=99))


PASSAGES = st.builds(
    Annotation,
    st.sampled_from(["one", "two"]),
    st.integers(0, 30),
    st.integers(1, 20),
    st.sampled_from(["first", "second"]),
    st.integers(0, 30),
    st.integers(1, 20),
)


@given(st.sets(PASSAGES, max_size=5), st.sets(PASSAGES, max_size=5))
def test_scores_are_those_of_sets_of_characters(cases: set[Annotation], detections: set[Annotation]) -> None:
    found = macro(cases, detections)

    assert found.recall == pytest.approx(by_sets(cases, detections))
    assert found.precision == pytest.approx(by_sets(detections, cases))
    assert found.plagdet <= 1 and not math.isnan(found.plagdet)


def by_sets(those: set[Annotation], found: set[Annotation]) -> float:
    if not those or not found:
        return float(not those and not found)
    shares = []
    for one in those:
        covered: set[tuple[int, int]] = set()
        for other in found:
            sides = [characters(one, side) & characters(other, side) for side in (0, 1)]
            if (one.suspicious, one.source) == (other.suspicious, other.source) and all(sides):
                covered |= sides[0] | sides[1]
        shares.append(len(covered) / one.n_chars)
    return sum(shares) / len(shares)


def characters(one: Annotation, side: int) -> set[tuple[int, int]]:
    span = one.spans[side]
    return {(side, place) for place in range(span.start, span.stop)}
