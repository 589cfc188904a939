"""The other ways to find passages see planted copies, are asked about the same pairs, and say where they cannot run."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import words
from pan_layouts import COPIES, LAYOUTS, WITHOUT, apart, text_alignment, write

from experiments.pan import rival_methods as methods
from experiments.pan import rivals
from experiments.pan.corpus import Corpus
from experiments.pan.rivals import RIVALS
from measure.process import FailedError, alone
from pmbf.report import Span

COPIED = words(1, 80)
SUSPICIOUS = f"{words(2, 90)}.\r\n\r\n{COPIED}. {words(3, 70)}"
SOURCE = f"\ufeff{words(4, 60)}. {COPIED.replace(' ', chr(10), 5)}\n{words(5, 50)}"
HERE, THERE = SUSPICIOUS.index(COPIED), SOURCE.index(COPIED[-40:]) + 40 - len(COPIED)

METHODS = {
    "pmbf": methods.ours([SOURCE]),
    "50-grams": methods.grams,
    "difflib": methods.difflib_words,
    "rapidfuzz": methods.rapidfuzz_windows,
    "copydetect": methods.copydetect_prose,
}


@pytest.mark.parametrize("name", list(METHODS))
def test_a_planted_copy_is_seen(name: str) -> None:
    if RIVALS[name].package:
        pytest.importorskip(RIVALS[name].package)

    found = METHODS[name](SUSPICIOUS, SOURCE)
    [(here, there)] = [one for one in found if len(one[0]) >= 150]

    assert abs(here.start - HERE) <= 200
    assert abs(here.stop - HERE - len(COPIED)) <= 200
    assert abs(there.start - THERE) <= 200
    assert abs(there.stop - THERE - len(COPIED)) <= 200


@pytest.mark.parametrize("name", list(METHODS))
def test_texts_without_a_copy_and_empty_ones_have_none(name: str) -> None:
    if RIVALS[name].package:
        pytest.importorskip(RIVALS[name].package)

    for one, other in ((words(6), words(7)), ("", words(7)), (words(6), ""), ("", "")):
        assert [found for found in METHODS[name](one, other) if len(found[0]) >= 150] == []


def test_a_run_of_fifty_letters_is_found_to_the_character_and_one_of_forty_nine_is_not() -> None:
    run = "".join(chr(ord("a") + number % 26) for number in range(50))
    spaced = " ".join(run)

    assert methods.grams(f"1{run}2", f"3 {spaced}. 4") == [(Span(1, 51), Span(2, 101))]
    assert methods.grams(run[:49] + "1", spaced[:97] + "2") == []


def test_a_process_that_takes_too_long_is_ended() -> None:
    with pytest.raises(FailedError, match=r"not done after 0\.01 s"):
        alone("measure.process:resident_bytes", timeout_s=0.01)


def test_all_are_asked_about_the_same_pairs(tmp_path: Path) -> None:
    corpus = Corpus.at(write(tmp_path, text_alignment()))

    small = rivals.sample(corpus, n_pairs=1, seed=4)

    assert small == rivals.sample(corpus, n_pairs=1, seed=4)
    assert [1, 1] == [len(kind.pairs or ()) for kind in small.kinds]
    assert len(small.cases) == 1
    assert {WITHOUT} < set(small.aligned_pairs())


def test_where_no_pairs_are_listed_pairs_with_a_case_are_drawn(tmp_path: Path) -> None:
    small = rivals.sample(Corpus.at(write(tmp_path, apart())), n_pairs=10, seed=1)

    assert sorted(COPIES) == small.aligned_pairs()


def test_each_rival_is_a_row_and_one_that_cannot_run_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.at(write(tmp_path, LAYOUTS["2013"]()))
    lost = rivals.Rival("no_such_package", lambda _: methods.grams, "")
    monkeypatch.setitem(rivals.RIVALS, "lost", lost)

    figures = rivals.run(corpus, n_pairs=5, only=("pmbf", "50-grams", "plagdef", "lost"))

    found = figures["rivals"]
    assert figures["pairs"] == 4
    assert found["pmbf"]["scores"]["all"]["recall"] == 1
    assert found["50-grams"]["scores"]["all"]["cases"] == len(COPIES)
    assert "pip install no_such_package" in found["lost"]["failed"]
    table = rivals.table(figures)
    assert "| plagdef | does not install here |" in table
    assert "0 found" in table
    slow = rivals.run(corpus, n_pairs=5, timeout_s=0.01, only=("50-grams",))
    assert "0 of 4 pairs done" in slow["rivals"]["50-grams"]["failed"]
