"""A higher bar never names more documents: of candidates and of reports, one query at a time and many together."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import names, words

from pmbf import Collection, Params
from pmbf.base.params import Index
from pmbf.fingerprint import query_sample
from pmbf.screen import Options
from pmbf.screen.candidates import find, find_each

pytestmark = pytest.mark.slow

BARS = (0.5, 1, 2, 3, 5, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 60, 100, 1000)
"""In nats. Among 160 documents a hash of one document weighs 5."""

N_DOCUMENTS = 160
CLAUSES = {n_holding: words(-n_holding, 60).split() for n_holding in (20, 45, 55, 120)}
"""Text that so many documents share."""


def document(number: int) -> str:
    """Return a text of its own with clauses that others have, and phrases of the other clauses."""
    draw = random.Random(number)
    parts = [words(number, 120).split()]
    for n_holding, clause in CLAUSES.items():
        first = draw.randrange(len(clause) - 6)
        parts.append(clause if number * 7 % N_DOCUMENTS < n_holding else clause[first : first + 6])
    draw.shuffle(parts)
    return " ".join(word for part in parts for word in part)


def query(number: int) -> str:
    """Return parts of clauses and of documents, among words of its own."""
    draw = random.Random(-number)
    parts = [words(9_000 + number, 60).split(), words(19_000 + number, 60).split()]
    parts += [clause[: draw.choice((0, 12, 25, 60))] for clause in CLAUSES.values()]
    for _ in range(3):
        of = document(draw.randrange(N_DOCUMENTS)).split()
        first = draw.randrange(len(of) - 40)
        parts.append(of[first : first + draw.choice((6, 15, 40))])
    draw.shuffle(parts)
    return " ".join(word for part in parts for word in part)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bars") / "c.pmbf"
    with Collection(path, create=True) as collection:
        collection.add_many((f"text-{number}", document(number)) for number in range(N_DOCUMENTS))
    return path


def gained(found: list[set[object]]) -> list[set[object]]:
    """Return what each higher bar names that a lower bar does not."""
    return [more for i, one in enumerate(found) for lower in found[:i] if (more := one - lower)]


@pytest.mark.parametrize(("index", "method"), [("postings", "hashes"), ("rows", "hashes"), ("rows", "popcount")])
def test_a_higher_bar_has_no_more_candidates(made: Path, tmp_path: Path, index: Index, method: str) -> None:
    if index == "rows":
        with Collection(made) as usual, Collection(tmp_path / "r.pmbf", create=True, params=Params.rows()) as of_rows:
            of_rows.add_many([(one.paths[0], usual.text(one.id)) for one in usual.documents()])
        made = of_rows.path
    with Collection(made) as collection:
        generation = collection._store.generation
        samples = [query_sample(query(number), generation.params) for number in range(40)]
        bars = [Options(min_evidence=bar, method=method) for bar in BARS]
        each = [find(generation, samples, bar) for bar in bars]
        assert each == [find_each(generation, samples, bar) for bar in bars]
    documents = [[{one.document for one in found.candidates} for found in some] for some in zip(*each, strict=True)]
    assert [] == [more for some in documents for more in gained(some)]
    assert sum(len(some[0]) > len(some[-1]) for some in documents) == len(documents)


def test_a_higher_bar_reports_no_more_sources(made: Path) -> None:
    texts = [query(number) for number in range(10)]
    with Collection(made) as collection:
        reports = [list(collection.screen_many(texts, min_evidence=bar)) for bar in BARS]
        assert reports[9] == [collection.screen(text, min_evidence=BARS[9]) for text in texts]
    for of_text in zip(*reports, strict=True):
        assert [] == gained([set(names(report)) for report in of_text])
