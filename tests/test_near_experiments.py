"""The experiments on near-duplicates run, on small sets, and their figures are what was planted."""

import pytest
from conftest import words

from experiments.near import accuracy, cost, peers
from experiments.near import revisions as corpus
from pmbf import ParameterError

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two releases of twelve documents each; of every document a twentieth was changed."""
    monkeypatch.setattr(corpus, "RELEASES", (("linux-doc-6.12", "new", 12),))
    for number in range(12):
        text = words(number, 400).split()
        for release, content in (("linux-doc-6.12", text), ("new", text[:380] + words(99 + number, 20).split())):
            path = tmp_path / "revisions" / release / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(" ".join(content), encoding="utf-8")
    return tmp_path / "revisions"


def test_accuracy_is_one_where_all_revisions_are_alike(folder):
    figures = accuracy.run(folder, [])
    assert (24, 12) == (figures["documents"], figures["alike"])
    row = next(one for one in figures["rows"] if one["features"] == "3 words")
    assert [1.0] * 4 == row["f1"][:4]
    assert [1.0, 1.0] == [score for _, score in row["halves"]]
    assert f"| {row['features']} | 0 to 1 |" in accuracy.table(figures)


def test_a_band_needs_a_large_background_in_experiments_too(folder):
    with pytest.raises(ParameterError, match="100,000"):
        accuracy.run(folder, [folder])


def test_cost_is_measured_for_both_plans(folder, monkeypatch):
    monkeypatch.setattr(cost, "_REPEATS", 1)
    figures = cost.run(folder, [24, 99])
    [row] = figures["rows"]
    plans = row["plans"]
    assert [("doc", 1), ("doc", 2), ("term", 1), ("term", 2)] == [(one["plan"], one["jobs"]) for one in plans]
    assert [12] * 4 == [one["pairs"] for one in plans]
    assert plans[0]["raw"] == 0 < plans[3]["summed"] < plans[3]["raw"]
    assert "| 24 |" in cost.table(figures)


def test_planted_pairs_are_found_all(folder, monkeypatch):
    monkeypatch.setattr(peers, "N_TEXTS", 24)
    monkeypatch.setattr(peers, "N_PLANTED", 8)
    texts, true = peers.pieces(folder)
    assert (24, {200}) == (len(texts), {len(text.split()) for text in texts})
    assert true
    figures = peers.measured("pmbf", "pieces", str(folder))
    assert (24, 1.0, len(true), None) == tuple(figures[name] for name in ("n_texts", "recall", "planted", "f1"))
    assert 1.0 == peers.measured("pmbf", "revisions", str(folder))["f1"]


@pytest.mark.parametrize("library", ["rensa", "datasketch"])
def test_other_libraries_are_asked_for_the_same(folder, monkeypatch, library):
    pytest.importorskip(library)
    monkeypatch.setattr(peers, "N_TEXTS", 24)
    monkeypatch.setattr(peers, "N_PLANTED", 8)
    assert peers.measured(library, "revisions", str(folder))["recall"] > 0.8
    assert peers.measured(library, "pieces", str(folder))["recall"] > 0.5
