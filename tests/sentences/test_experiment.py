"""The experiments of sentences: edits, hosts, and both measurements on a small corpus."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from experiments.sentences import cost, lone, recall
from experiments.sentences.editing import edited, inside
from tests.sentences.texts import text


@pytest.fixture
def pan(tmp_path: Path) -> Path:
    for folder, first in (("src", 0), ("susp", 1000)):
        (tmp_path / "pan" / folder).mkdir(parents=True)
        for number in range(4):
            seeds = range(first + 60 * number, first + 60 * number + 60)
            (tmp_path / "pan" / folder / f"{number}.txt").write_text(text(*seeds))
    return tmp_path / "pan"


@pytest.mark.parametrize("share", recall.SHARES)
def test_the_share_of_edited_words_is_as_asked(share: float) -> None:
    words = [f"w{number}" for number in range(4000)]
    made = edited(" ".join(words), share, ["other"], random.Random(3)).split()
    kept = set(words) & set(made)
    assert 1 - len(kept) / len(words) == pytest.approx(0.7 * share, abs=0.02)  # replaced or dropped
    assert made.count("other") / len(words) == pytest.approx(0.65 * share, abs=0.02)  # replaced or put in


def test_a_passage_stands_where_it_is_said_to_stand() -> None:
    query, start, stop = inside("A passage of words.", text(*range(30)))
    assert query[start:stop] == "A passage of words."
    assert query[start - 2 : start] == ". "


def test_recall_is_measured_for_both_codes(pan: Path) -> None:
    figures = recall.run(pan, [], n_cases=2, seed=5)
    for code in ("words", "paper"):
        assert figures["counts"][f"{code} lone 0.0 asked"] == 2
        assert figures["counts"][f"{code} lone 0.0 candidate"] == 2
        assert figures["counts"][f"{code} embedded 0.0 verified"] == 2
    assert figures["counts"]["default cut 300 0.0 verified"] == 1
    assert recall.table(figures).count("| 300 |") == 1


def test_cost_is_measured_for_both_codes(pan: Path) -> None:
    figures = cost.run(pan, [], n_cases=2)
    assert "| bytes a unit |" in cost.table(figures)
    assert figures["codes"]["words"]["n_units"] > 50


def test_units_alone_are_measured_in_a_script_without_spaces(tmp_path: Path) -> None:
    chance = random.Random(8)
    (tmp_path / "zh").mkdir()
    for number in range(4):
        lines = ["".join(chr(0x4E00 + chance.randrange(2000)) for _ in range(30)) + "。" for _ in range(150)]
        (tmp_path / "zh" / f"{number}.txt").write_text("".join(lines))
    figures = lone.run(tmp_path / "zh", [], n_cases=3, seed=5)
    counts = figures["counts"]
    assert counts["words lone 0.0 verified"] == counts["paper lone 0.0 verified"] == 3
    assert lone.table(figures).count("\n") == 7


def test_letters_of_a_script_without_spaces_are_edited_in_pairs() -> None:
    made = edited("潮" * 2000, 0.2, ["山水"], random.Random(3))
    assert " " not in made
    assert made.count("山水") / 1000 == pytest.approx(0.65 * 0.2, abs=0.04)
