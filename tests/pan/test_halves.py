"""Either half of a corpus is scored by itself."""

from __future__ import annotations

from pathlib import Path

from experiments.pan import halves
from experiments.pan.corpus import Corpus, Kind
from experiments.pan.plagdet import Annotation

SOURCE = "source-document00009.txt"


def case(number: int, start: int = 0) -> Annotation:
    return Annotation(f"suspicious-document{number:05}.txt", start, 100, SOURCE, 0, 100)


def corpus(*cases: Annotation) -> Corpus:
    pairs = frozenset((one.suspicious, one.source) for one in cases)
    suspicious = {one.suspicious: Path(one.suspicious) for one in cases}
    kinds = (Kind("02-no-obfuscation", cases=frozenset(cases), pairs=pairs),)
    return Corpus(Path("pan"), suspicious, {SOURCE: Path(SOURCE)}, kinds, pairs, ())


def test_a_half_has_the_cases_and_the_detections_of_its_own_documents() -> None:
    truth = corpus(case(2), case(3), case(5))
    found = [case(2), case(3), case(4)]
    lengths = dict.fromkeys((*truth.suspicious, "suspicious-document00004.txt", SOURCE), 1000)

    figures = halves.scores(truth, found, lengths, {})

    first, second = (figures[name]["scores"]["all"] for name in ("first", "second"))
    assert (first["cases"], first["precision"], first["recall"]) == (1, 0.5, 1.0)
    assert (second["cases"], second["precision"], second["recall"]) == (2, 1.0, 0.5)
    assert [1, 2] == [figures[name]["suspicious"] for name in ("first", "second")]


def test_the_recall_of_candidates_is_that_of_the_half() -> None:
    truth = corpus(case(2), case(3), case(5))

    figures = halves.scores(truth, [], {}, {(case(3).suspicious, SOURCE): 1})

    assert [0.0, 0.5] == [figures[name]["recall"]["all"]["recall"] for name in ("first", "second")]
    lines = halves.table(figures).splitlines()
    assert lines[0].endswith("| its candidates |") and len({line.count("|") for line in lines}) == 1
