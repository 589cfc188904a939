"""The experiment on short passages: who holds one, and a run on a small folder."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import words

from experiments import short


def test_short_passages_of_a_small_folder(tmp_path: Path) -> None:
    for number in range(20):
        shared = words(99, 200) if number < 17 else ""
        (tmp_path / f"{number}.txt").write_text(f"{words(number, 250)} {shared}", encoding="utf-8")
    lines = short.table(short.run(tmp_path, n_passages=60, seed=1)).splitlines()
    assert lines[0] == "20 documents, 60 passages"
    assert re.fullmatch(r"load \d+\.\d s, index \d+% of the text, \d+ ms a text", lines[1])
    assert lines[3] == "| characters | in 1 | in 2–16 | in 17–50 | in more |"
    of_300 = next(line for line in lines if line.startswith("| 300 |")).split(" | ")
    assert (of_300[1][:7], of_300[2], of_300[3][:7]) == ("1.00 of", "", "1.00 of")


def test_a_passage_whose_words_stand_across_two_documents_is_in_neither() -> None:
    assert short.Holders({1: "one two three four", 2: "five six seven"}).of("three four five six") == set()
    assert short.Holders({1: "one two three four"}).of("one two three") == set()
