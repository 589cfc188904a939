"""The experiment on planted passages: its figures of answers that are known, and a run on a small folder."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from experiments import planted
from measure.planting import Planted, Query

pytestmark = pytest.mark.slow


def prose(seed: int, n_words: int) -> str:
    """Return words of a vocabulary of their own."""
    chosen = random.Random(seed)
    return " ".join(f"w{seed}{chosen.choice('mnopqrst')}{chosen.randrange(999)}" for _ in range(n_words))


@pytest.fixture
def made(tmp_path: Path) -> Planted:
    """Ten documents; three clean texts, and one text a cell that holds a part of a document."""
    for number in range(10):
        (tmp_path / f"{number}.txt").write_text(prose(number, 400), encoding="utf-8")
    queries = [Query(prose(100 + number, 400), planted.CLEAN) for number in range(3)]
    for number, (level, share) in enumerate(planted.LEVELS.items()):
        passage = " ".join(prose(number, 400).split()[: round(1000 * share) + 30])
        for edited in (False, True):
            before = prose(200 + number, 100) + " "
            text = before + passage + " " + prose(300 + number, 100)
            queries.append(Query(text, level, edited, f"{number}.txt", len(before), len(before) + len(passage)))
    return Planted(str(tmp_path), tuple(f"{number}.txt" for number in range(10)), tuple(queries))


def test_planted_sources_are_found_in_a_small_folder(made: Planted) -> None:
    lines = planted.table(planted.measured(made)).splitlines()
    assert "10 documents, 3 clean texts, 6 planted ones" == lines[0]
    assert 2 == sum(line == "| 20 % | edited | 1 | 1.000 | 1.000 | 1.000 | 1.000 |" for line in lines)


def test_figures_of_a_cell_are_those_counted_by_hand(made: Planted) -> None:
    folder = Path(made.folder)
    [query] = [one for one in made.queries if (one.level, one.edited) == ("1 %", False)]
    source, other, third = ((str(folder / f"{number}.txt"),) for number in (0, 5, 6))
    answers = [
        (query, [(source, 9.0), (other, 3.0)]),
        (query, [(other, 9.0), (source, 8.0)]),
        (query, [(source, 4.0), (other, 9.0), (third, 9.0)]),
        (query, []),
    ]
    found = planted.cell(answers, 4.0, folder)
    assert (0.5, 0.25, 2 / 5, 2 / 5) == (found.recall, found.first, found.precision, found.stretch)


@pytest.mark.parametrize(("n_words", "expected"), [(7, 0.5), (8, 1.0)])
def test_a_document_with_eight_words_of_the_passage_holds_a_stretch(
    made: Planted, n_words: int, expected: float
) -> None:
    folder = Path(made.folder)
    [query] = [one for one in made.queries if (one.level, one.edited) == ("5 %", True)]
    shared = " ".join(query.passage.split()[20 : 20 + n_words])
    (folder / "other.txt").write_text(f"and {shared} and", encoding="utf-8")
    named = [((str(folder / name),), 9.0) for name in (query.source, "other.txt")]
    found = planted.cell([(query, named)], 4.0, folder)
    assert (0.5, expected) == (found.precision, found.stretch)
