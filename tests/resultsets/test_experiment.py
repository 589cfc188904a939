"""The experiment on revisions and planted edits: labels, edits, scores and tables."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from experiments.resultsets import command, revisions, wire
from experiments.resultsets.methods import PEERS, methods, timed
from experiments.resultsets.scoring import best, scored
from pmbf.errors import NotFoundError


def prose(seed: int, n_sentences: int) -> list[str]:
    chosen = random.Random(seed)
    words = [f"w{chosen.randrange(10**6)}" for _ in range(400)]
    return [" ".join(chosen.choices(words, k=14)).capitalize() + "." for _ in range(n_sentences)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases of 40 documents each, the second with a sentence more; and 130 others."""
    folder = tmp_path_factory.mktemp("revisions")
    for number, (old, new, _) in enumerate(revisions.RELEASES):
        for place in range(20):
            sentences = prose(100 * number + place, 12)
            for release, more in ((old, []), (new, ["A new sentence has come at the end of this document."])):
                path = folder / release / f"{place}.txt"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(" ".join(sentences + more), encoding="utf-8")
    for place in range(130):
        path = folder / revisions.RELEASES[0][1] / "others" / f"{place}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(" ".join(prose(1000 + place, 14)), encoding="utf-8")
    return folder


def test_releases_of_one_path_are_drawn_into_one_half_and_labelled(corpus):
    halves, others = revisions.drawn(corpus, 1)
    assert sum(map(len, halves.values())) == 80 and len(others) == 130
    names = [{(path.name, "linux" in str(path)) for path in paths} for paths in halves.values()]
    assert not names[0] & names[1]
    made = revisions.labelled(halves["first"])
    assert len(made.copies) == len(made.texts) / 2
    assert all(halves["first"][one].name == halves["first"][other].name for one, other in made.copies)


def test_a_folder_that_is_not_the_corpus_is_refused(tmp_path):
    with pytest.raises(NotFoundError, match="build it: python -m experiments corpus revisions"):
        revisions.drawn(tmp_path, 1)


def test_planted_edits_are_what_they_are_called(corpus):
    some = wire.articles(sorted((corpus / revisions.RELEASES[0][1]).rglob("*.txt")), 110)
    made, kinds = wire.planted(some, 3)
    assert len(made.texts) == 100 and set(kinds.values()) == set(wire.EDITS)
    for (source, derived), kind in kinds.items():
        before, after = made.texts[source], made.texts[derived]
        assert ((source, derived) in made.copies) == (kind != wire.NO_COPY)
        assert (before == after) == (kind == "verbatim")
        assert {"new headline": after.endswith(before), "cut to 55–80 %": before.startswith(after)}.get(kind, True)


def test_each_way_finds_plain_copies(corpus):
    halves, others = revisions.drawn(corpus, 1)
    made = revisions.labelled(halves["second"])
    for method in methods([path.read_text(encoding="utf-8") for path in others[:20]]):
        prepared_s, compared_s, scores = timed(method, made.texts, 1)
        assert prepared_s > 0 and compared_s > 0
        assert best([(scores, made.copies)]).f1 == 1.0, method.name


def test_the_threshold_of_the_best_score_is_chosen():
    scores, copies = {(0, 1): 0.9, (0, 2): 0.5, (1, 2): 0.3}, {(0, 1), (0, 2)}
    assert best([(scores, copies)]).threshold == 0.35
    assert scored([(scores, copies)], 0.1).precision == pytest.approx(2 / 3)
    assert scored([(scores, copies)], 0.6).recall == 0.5


def test_the_figures_become_tables(corpus, monkeypatch):
    monkeypatch.setattr(command, "N_BACKGROUND", 10)
    monkeypatch.setattr(command, "N_SETS", 2)
    monkeypatch.setattr(command, "N_TIMES", 1)
    monkeypatch.setattr("experiments.resultsets.methods.PEERS", {})
    figures = command.measured(corpus, 1)
    told = command.tables(figures)
    assert "| pmbf, words, 128 hashes |" in told and PEERS
    assert figures["halves"]["first"]["copies"] + figures["halves"]["second"]["copies"] == 40
