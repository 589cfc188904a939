"""Runs of text that very many documents share: not all of these documents are looked at, and the answer is the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import words

from pmbf import Collection
from pmbf.fingerprint import query_sample
from pmbf.screen import Options, candidates, widespread
from pmbf.store.folder import Store

CLAUSES = [words(1000 + number, 90) for number in range(3)]
ALL_AT_ONCE = 2**40


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """180 documents with words of their own: the later two thirds have the first clause, some the others."""
    chosen = random.Random(7)
    collection = Collection(tmp_path_factory.mktemp("forms") / "forms.pmbf", create=True)
    shares = (0.0, 0.45, 0.2)
    for number in range(180):
        own = [clause for clause, share in zip(CLAUSES, shares, strict=True) if chosen.random() < share]
        clauses = [CLAUSES[0], *own] if number >= 60 else own
        # A document may have some words of a clause, too.
        part = " ".join(CLAUSES[chosen.randrange(3)].split()[: chosen.randrange(12)])
        collection.add(" ".join([*clauses, part, words(number, 80)]), name=f"{number}")
    return collection


QUERIES = [
    " ".join([*(CLAUSES[number] for number in numbers), words(own, 60)])
    for numbers in ((0,), (1,), (2,), (0, 1), (2, 0), (1, 2), (0, 1, 2))
    for own in (75, 5000)
]


def named(collection: Collection, text: str, options: Options) -> list[tuple[int, int, float]]:
    with Store(collection.path) as store:
        return [tuple(one) for one in candidates(store.generation, query_sample(text, store.params), options)]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query[-30:])
@pytest.mark.parametrize("options", [Options(), Options(min_evidence=12.0)], ids=["usual", "min_evidence"])
def test_documents_are_drawn_until_the_answer_is_that_of_all(
    forms: Collection, query: str, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widespread, "MOST_AT_ONCE", ALL_AT_ONCE)
    of_all = named(forms, query, options)
    monkeypatch.setattr(widespread, "MOST_AT_ONCE", 0)
    monkeypatch.setattr(widespread, "AS_DEAR", 0)
    monkeypatch.setattr(widespread, "FIRST_DRAWN", 3)
    drawn = named(forms, query, options)
    assert of_all
    assert len(of_all) == len(drawn)
    assert len({*of_all} - {*drawn}) <= widespread.MOST_SHARING


@pytest.fixture
def drawn_by_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widespread, "MOST_AT_ONCE", 0)
    monkeypatch.setattr(widespread, "AS_DEAR", 0)
    monkeypatch.setattr(widespread, "FIRST_DRAWN", 60)


@pytest.mark.usefixtures("drawn_by_few")
def test_a_candidate_that_is_not_drawn_holds_the_run_all_the_same(tmp_path: Path) -> None:
    with Collection(tmp_path / "forms.pmbf", create=True) as collection:
        collection.add_many((f"{number}", f"{CLAUSES[0]} {words(number, 80)}") for number in range(300))
        found = collection.screen(f"{CLAUSES[0]} {words(299, 80)}").matches
    assert ["299"] == [match.document.path for match in found]


@pytest.mark.usefixtures("drawn_by_few")
def test_phrases_of_a_run_in_drawn_documents_hide_no_document_that_holds_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widespread, "FIRST_DRAWN", 700)
    whole = CLAUSES[1].split()
    phrases = [" ".join([*whole, *whole][start : start + 8]) for start in range(len(whole))]
    with Collection(tmp_path / "forms.pmbf", create=True) as collection:
        with_phrases = (f"{CLAUSES[0]} {phrases[n % 90]} {words(n, 40)} {phrases[(n + 45) % 90]}" for n in range(700))
        with_run = (f"{words(n, 40)} {CLAUSES[1]}" for n in range(700, 1500))
        collection.add_many((f"{number}", text) for number, text in enumerate([*with_phrases, *with_run]))
        found = collection.screen(f"{CLAUSES[0]} {words(5, 40)} and {CLAUSES[1]}").matches
    names = {int(match.document.path) for match in found}
    assert 5 in names and any(number >= 700 for number in names)
