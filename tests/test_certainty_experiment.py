"""The experiment on certainty counts each passage once, and believes its judges."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from experiments.certainty import Judged, by_cases, by_person, counts, half_of, run, table
from experiments.pan.corpus import Corpus, Kind
from experiments.pan.plagdet import Annotation
from pmbf.base.span import Span
from pmbf.report import Passage

SENTENCE = "The harbour master wrote the height of every tide into a thick brown book, and the book was never lost. "
TEXTS = {
    "a": SENTENCE + "It rained all week.",
    "b": "We had no rain at all. " + SENTENCE,
    "c": "Nobody had asked him to do that, and nobody thanked him when the engineers came to read.",
}


def passage(start: int, stop: int, kind: str = "reworded") -> Passage:
    return Passage(Span(start, stop), Span(start, stop), 0.5, kind)


def found(judged: Judged) -> Counter[str]:
    return Counter({what: sum(one[what] for one in counts(judged)) for what in ("passages", "wrong")})


def test_a_passage_counts_once_whichever_text_is_the_query():
    assert found(Judged(TEXTS, TEXTS, lambda query, source, one: False)) == {"passages": 1, "wrong": 0}


def test_a_passage_that_nobody_can_judge_does_not_count():
    assert found(Judged(TEXTS, TEXTS, lambda query, source, one: None))["passages"] == 0


def test_a_person_judges_both_directions_and_one_sort():
    judge = by_person({"loose": [["a", "b", 10, 20, 15, 25]]})
    assert judge("a", "b", passage(18, 30)) is judge("b", "a", passage(18, 30)) is True
    assert judge("a", "b", passage(18, 30, "edited")) is judge("a", "c", passage(18, 30)) is False
    assert judge("a", "b", passage(21, 24)) is False


def test_cases_judge_the_pairs_that_a_corpus_lists():
    cases = frozenset({Annotation("q.txt", 10, 10, "s.txt", 10, 10)})
    pairs = frozenset({("q.txt", "s.txt")})
    judge = by_cases(Corpus(Path(), {}, {}, (Kind("random", pairs, cases),), pairs, ()))
    assert judge("q.txt", "s.txt", passage(15, 30)) is False
    assert judge("q.txt", "s.txt", passage(20, 30)) is True
    assert judge("q.txt", "other.txt", passage(15, 30)) is None


def test_a_folder_is_judged_by_a_file(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
    noted = tmp_path / "judgements.json"
    noted.write_text(json.dumps({"wrong": {"exact": [["b", "a", 23, 126, 0, 103]]}}))
    figures = run(tmp_path, judgements=noted)
    assert f"| {half_of('a')} | exact | sure | 1 | 1 |" in table(figures)
    assert figures["queries"] == 3
