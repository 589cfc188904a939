"""The corpora nobody tuned on, in little: made-up texts in the same folders and lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import words
from pan_layouts import external, write

from experiments import others

FIRST, SECOND, THIRD = (words(seed, 200) for seed in (1, 2, 3))


def test_answers_are_told_by_level_and_article(tmp_path: Path) -> None:
    rows = (
        "File,Task,Category\na1.txt,a,cut\na2.txt,a,non\nb1.txt,b,cut\norig_taska.txt,a,orig\norig_taskb.txt,b,orig\n"
    )
    files = {"a1.txt": FIRST, "a2.txt": THIRD, "b1.txt": FIRST, "orig_taska.txt": FIRST, "orig_taskb.txt": SECOND}
    write(tmp_path / "clough_stevenson", {**files, "file_information.csv": "\ufeff" + rows})

    figures = others.run(tmp_path, only=["clough_stevenson"])

    levels = figures["corpora"]["clough_stevenson"]["levels"]
    assert levels["cut"] == {"texts": 2, "found": 1, "wrong": 1, "coverage": 0.5}
    assert levels["non"] == {"texts": 1, "found": 0, "wrong": 0, "coverage": 0}
    assert "| cut | 2 | 1 | 1 | 0.50 |" in others.table(figures)


def test_pairs_are_told_by_containment_and_unlisted_ones_apart(tmp_path: Path) -> None:
    head = "containment_a\tcontainment_b\twords_a\twords_b\ta\tb\n"
    texts = {"one.txt": FIRST, "two.txt": f"{FIRST}. {SECOND}", "three.txt": SECOND, "four.txt": THIRD}
    pairs = head + "1.0\t0.5\t1\t1\tone.txt\ttwo.txt\n0.01\t0.01\t1\t1\tone.txt\tfour.txt\n"
    files = {f"procedure-codes/{name}": text for name, text in texts.items()}
    write(tmp_path / "civil_codes", files | {"pairs.tsv": pairs})

    found = others.run(tmp_path, only=["civil_codes"], jobs=2)["corpora"]["civil_codes"]

    assert found["bins"]["0.5"]["pairs"] == found["bins"]["0.5"]["found"] == 2
    assert found["bins"]["0.5"]["containment"] == 0.75
    assert found["bins"]["0.5"]["coverage"] == pytest.approx(0.75, abs=0.01)
    assert found["bins"]["0.0"] == {"pairs": 2, "found": 0, "containment": 0.01, "coverage": 0}
    assert found["unlisted"] == found["unlisted_sharing_a_run"] == 2  # the second half of `two` is `three`


def test_editions_are_asked_from_one_side(tmp_path: Path) -> None:
    pairs = "head\n1.0\t1.0\t9\t9\tBook.txt\tAuthor/Книга.txt\n"
    files = {"a/Book.txt": FIRST, "b/Author/Книга.txt": FIRST, "b/Author/Другая.txt": SECOND, "pairs.tsv": pairs}
    write(tmp_path / "ru_editions", files)

    figures = others.run(tmp_path, only=["ru_editions", "zh_subset"])

    found = figures["corpora"]["ru_editions"]
    assert (found["documents"], found["queries"], found["unlisted"]) == (2, 1, 0)
    assert found["bins"]["0.5"] == {"pairs": 1, "found": 1, "containment": 1, "coverage": 1}
    assert figures["corpora"]["zh_subset"] == {"failed": "is not there"}
    assert "is not there" in others.table(figures)
    assert "| 0.5 | 1 | 1 | 1.000 | 1.000 |" in others.table(figures)


def test_a_corpus_of_pans_format_is_aligned_and_screened(tmp_path: Path) -> None:
    write(tmp_path / "indonesian_pan", external("suspicious-documents", "source-documents"))

    figures = others.run(tmp_path, only=["indonesian_pan"])

    scores = figures["corpora"]["indonesian_pan"]
    assert scores["align"]["all"]["recall"] == scores["retrieve"]["all"]["recall"] == 1
    assert "| all | 3 | 3 |" in others.table(figures)
