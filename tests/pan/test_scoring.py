"""Scores by kind, pairs found, candidates and shared runs, against cases computed by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.pan import candidates
from experiments.pan.annotations import write_detections
from experiments.pan.candidates import SILVER, Recall, Runs
from experiments.pan.corpus import Corpus, Kind
from experiments.pan.plagdet import Annotation
from experiments.pan.scoring import ALL, Detections, Documents, oddities, of_kind, results, within_texts
from pmbf.base.errors import NotFoundError, ParameterError

ONE = Annotation("one", 0, 100, "first", 0, 100)
TWO = Annotation("two", 0, 100, "second", 0, 100)
FALSE = Annotation("one", 500, 100, "second", 0, 100)
LENGTHS = {"one": 1000, "two": 1000, "first": 1000, "second": 1000}


def corpus(*kinds: Kind, pairs: set[tuple[str, str]] | None = None) -> Corpus:
    return Corpus(Path(), {}, {}, kinds, frozenset(pairs) if pairs else None, ())


LOW, HIGH = Kind("low", None, frozenset({ONE})), Kind("high", None, frozenset({TWO}))


def test_a_kind_told_by_its_cases_has_the_detections_of_its_cases() -> None:
    some = results(corpus(LOW, HIGH), [ONE, FALSE], LENGTHS)

    assert list(some) == ["low", "high", ALL]
    assert (some["low"].macro.precision, some["low"].macro.recall, some["low"].detections) == (1, 1, 1)
    assert (some["high"].macro.precision, some["high"].macro.recall, some["high"].detections) == (0, 0, 0)
    assert (some[ALL].macro.precision, some[ALL].macro.recall, some[ALL].detections) == (0.5, 0.5, 2)


def test_a_kind_of_pairs_has_all_detections_in_its_pairs() -> None:
    kind = Kind("02", frozenset({("one", "first"), ("one", "second")}), frozenset({ONE}))

    assert [ONE, FALSE] == of_kind(kind, [ONE, FALSE, TWO])


def test_kinds_without_cases_are_right_when_nothing_is_found() -> None:
    none = Kind("01", frozenset({("one", "second")}), frozenset())

    assert results(corpus(none), [], LENGTHS)["01"].macro.plagdet == 1
    assert results(corpus(none), [FALSE], LENGTHS)["01"].macro.plagdet == 0


@pytest.mark.parametrize(
    ("cases", "found", "expected"),
    [
        ([ONE, TWO], [ONE, FALSE], Documents(2, 2, 1, 0.5, 0.5, 0.5)),
        ([ONE, TWO], [ONE], Documents(2, 1, 1, 1.0, 0.5, 2 / 3)),
        # a passage elsewhere in the same two documents still names the right source
        ([ONE], [ONE._replace(start=700), ONE._replace(start=800)], Documents(1, 1, 1, 1.0, 1.0, 1.0)),
        ([], [], Documents(0, 0, 0, 1.0, 1.0, 1.0)),
        ([ONE], [], Documents(1, 0, 0, 0.0, 0.0, 0.0)),
        ([], [ONE], Documents(0, 1, 0, 0.0, 0.0, 0.0)),
    ],
)
def test_sources_are_found_by_pairs(cases: list[Annotation], found: list[Annotation], expected: Documents) -> None:
    assert expected == Documents.of(cases, found)


def test_detections_twice_in_one_file_or_two_count_once(tmp_path: Path) -> None:
    (tmp_path / "part1").mkdir()
    named = [one._replace(suspicious="one.txt", source="first.txt") for one in (ONE, ONE)]
    write_detections(tmp_path / "a.xml", "one.txt", named)
    write_detections(tmp_path / "part1" / "b.xml", "one", named)

    assert set(named) == Detections.at(tmp_path).all


def test_unreadable_detections_are_told_and_the_others_count(tmp_path: Path) -> None:
    write_detections(tmp_path / "a.xml", "one.txt", [ONE])
    (tmp_path / "b.xml").write_text("<document")

    found = Detections.at(tmp_path)

    assert len(found.all) == 1
    assert "b.xml" in found.problems[0]
    with pytest.raises(NotFoundError, match="no XML"):
        Detections.at(tmp_path.joinpath("empty").mkdir() or tmp_path / "empty")
    with pytest.raises(NotFoundError, match="no folder"):
        Detections.at(tmp_path / "none")


def test_where_pairs_are_listed_others_do_not_count() -> None:
    found = Detections(frozenset({ONE, TWO}), ())

    assert found.within(corpus(pairs={("one", "first")})) == (ONE,)
    assert set(found.within(corpus())) == {ONE, TWO}


def test_detections_past_the_end_of_their_text_count_as_the_official_script_counts_and_are_told() -> None:
    outside, stranger = ONE._replace(start=950, length=100), ONE._replace(source="third")

    assert list(oddities([ONE, TWO], LENGTHS)) == []
    assert [told.split(";")[0] for told in oddities([ONE, outside, stranger], LENGTHS)] == [
        "1 of 3 detections name a document that is not in the corpus",
        "1 of 3 detections reach past the end of their text",
    ]
    case = ONE._replace(start=900)
    # 50 of 100 characters here lie after the end: of 200, the 50 in the case and the source's 100 are right
    assert results(corpus(replace(LOW, cases=frozenset({case}))), [outside], LENGTHS)[ALL].macro.precision == 0.75


def test_cases_are_cut_where_their_text_ends_and_told() -> None:
    too_long, behind = ONE._replace(source_length=99_999_999), ONE._replace(start=1000)
    elsewhere = TWO._replace(source="not there", source_length=99_999_999)

    cut = within_texts(corpus(replace(LOW, cases=frozenset({too_long, behind, elsewhere})), HIGH), LENGTHS)

    assert cut.kinds == (replace(LOW, cases=frozenset({ONE._replace(source_length=1000), elsewhere})), HIGH)
    assert cut.problems == (
        "1 of 4 cases reach past the end of their text: cut there",
        "1 of 4 cases lie behind the end of their text: left out",
    )


def test_candidates_are_ranked_by_the_lines_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "one.candidates.tsv").write_text("second\t9\t3\nfirst\t7\t3\nsecond\t1\t1\n")

    assert candidates.ranks(tmp_path) == {("one.txt", "second"): 1, ("one.txt", "first"): 2}


def test_recall_is_told_by_the_length_of_the_list() -> None:
    places = {("one", "first"): 2, ("two", "second"): 300}
    pairs = {("one", "first"), ("two", "second"), ("two", "third")}

    assert Recall.of(pairs, places) == Recall(3, (0, 1 / 3, 1 / 3, 2 / 3, 2 / 3))
    assert Recall.of({("two", "third")}, {}) == Recall(1, (0, 0, 0, 0, 0))
    assert list(candidates.recalls(corpus(LOW, HIGH, Kind("none", None, frozenset())), places)) == [
        "low",
        "high",
        "all",
    ]


def test_shared_runs_are_found_where_detections_lie_on_them(tmp_path: Path) -> None:
    head = "susp\tthis_offset\tthis_length\tsource\tsource_offset\tsource_length\twords\tstatus\n"
    lines = ["one\t0\t100\tfirst\t0\t100\t20\tunlisted-pair\n", "two\t0\t100\tsecond\t0\t100\t20\tunlisted-pair\n"]
    (tmp_path / SILVER).write_text(head + "".join(lines))
    runs = candidates.silver(tmp_path / SILVER)
    quarter = Annotation("one.txt", 75, 100, "first.txt", 75, 100)

    found = candidates.runs_found(runs, [quarter], {("one.txt", "first.txt"): 4})

    # one run of two is met, and 25 characters of 200 are covered
    assert found == {"unlisted-pair": Runs(2, Recall(2, (0, 0.5, 0.5, 0.5, 0.5)), 0.5, 0.125)}
    others = [quarter, quarter._replace(start=500)]
    assert candidates.unlisted(runs, others) == {"detections": 2, "on_shared_runs": 1}
    (tmp_path / SILVER).write_text(head + "one\ttwo\n")
    with pytest.raises(ParameterError, match="line 2"):
        candidates.silver(tmp_path / SILVER)
