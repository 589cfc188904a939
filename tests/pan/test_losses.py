"""What recall and precision lack, by cause, against cases computed by hand and against the scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.pan.corpus import Corpus, Kind
from experiments.pan.losses import Losses, losses, table
from experiments.pan.plagdet import Annotation, macro

CASE = Annotation("one", 100, 100, "first", 100, 100)
LONG = Annotation("one", 500, 300, "first", 500, 300)
ANNOTATIONS = st.sets(
    st.builds(
        Annotation,
        st.sampled_from(["one", "two"]),
        st.integers(0, 600),
        st.integers(1, 400),
        st.sampled_from(["first", "second"]),
        st.integers(0, 600),
        st.integers(1, 400),
    ),
    max_size=6,
)


@given(cases=ANNOTATIONS, found=ANNOTATIONS)
def test_causes_add_up_to_what_recall_and_precision_lack(cases: set[Annotation], found: set[Annotation]) -> None:
    lost, scores = Losses.of(cases, found), macro(cases, found)

    if cases:
        assert sum(lost.recall.values()) == pytest.approx(1 - scores.recall)
    if found:
        assert sum(lost.precision.values()) == pytest.approx(1 - scores.precision)


def test_a_missed_case_is_short_or_long() -> None:
    lost = Losses.of([CASE, LONG], [])

    assert (lost.recall["missed_short"], lost.recall["missed_long"], lost.recall["no_candidate"]) == (0.5, 0.5, 0)


def test_a_missed_case_whose_source_was_not_compared_says_so() -> None:
    assert Losses.of([CASE], [], {("one", "second")}).recall["no_candidate"] == 1
    assert Losses.of([CASE], [], {("one", "first")}).recall["missed_short"] == 1


def test_each_side_tells_what_it_lacks_and_where_it_goes_beyond() -> None:
    lost = Losses.of([CASE], [CASE._replace(start=150, source_length=300)])

    assert (lost.recall["query"], lost.recall["source"]) == (0.25, 0)
    assert (lost.precision["query"], lost.precision["source"]) == (50 / 400, 200 / 400)


def test_a_case_with_two_detections_is_split() -> None:
    halves = CASE._replace(length=50), CASE._replace(start=150, length=50)

    assert Losses.of([CASE, LONG], halves).split == 1


def test_a_detection_without_a_case_is_false() -> None:
    assert Losses.of([CASE], [CASE, LONG]).precision["no_case"] == 0.5


def test_kinds_stand_one_below_the_other_with_their_steps() -> None:
    kinds = Kind("low", None, frozenset({CASE})), Kind("clean", frozenset({("two", "first")}), frozenset())
    found = losses(Corpus(Path(), {}, {}, kinds, None, ()), [CASE], {})
    one = {"recall": found["low"].recall, "precision": found["low"].precision, "split": found["low"].split}

    lines = table({"given": {"low": one}, "sought": {"low": one}}).splitlines()

    assert ["low"] == list(found)
    assert ["| low | given | 0.00 |", "| low | sought | 0.00 |"] == [
        line[: line.index("0.00 |") + 6] for line in lines[2:]
    ]
