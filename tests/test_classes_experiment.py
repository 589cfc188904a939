"""The experiment on planted classes: what is planted, and a run on a small folder."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from experiments import classes
from measure.classmates import Classmates, classmates
from pmbf.base.errors import ParameterError

pytestmark = pytest.mark.slow

LETTERS = "bcdfglmnprst"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Forty files of paragraphs of forty words, as rare as the words of prose; each paragraph stands twice."""
    made = tmp_path_factory.mktemp("paragraphs")
    chosen = random.Random(7)

    def paragraph() -> str:
        drawn = (f"{chosen.choice(LETTERS)}a{chosen.randrange(700)}{chosen.choice(LETTERS)}" for _ in range(40))
        return " ".join(drawn).capitalize() + "."

    for number in range(40):
        parts = [paragraph() for _ in range(20)] * 2
        (made / f"{number}.txt").write_text("\n\n".join(parts), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def made(folder) -> Classmates:
    return classmates(folder, n_texts=24, n_words=600, n_copied=3, lengths=(200, 400), seed=1)


def test_planted_passages_stand_in_both_texts_and_the_template_in_all(made):
    assert 9 == len(made.copied) and 3 == len(made.only_library) == len(made.library)
    template = next(iter(made.texts.values()))[:700]
    assert all(text.startswith(template) for text in made.texts.values())
    assert 24 == sum(name.endswith("/essay") for name in made.texts) < len(made.texts)
    names = [name for one in made.copied for name in (one.a, one.b)] + [
        name for pair in made.only_library for name in pair
    ]
    assert len(names) == len(set(names))
    for one in made.copied:
        assert one.a < one.b and one.n_chars >= 150


def test_the_same_seed_makes_the_same_class(folder, made):
    assert made == classmates(folder, n_texts=24, n_words=600, n_copied=3, lengths=(200, 400), seed=1)


def test_too_few_texts_or_paragraphs_are_named(folder):
    with pytest.raises(ParameterError, match="n_texts is 20, expected at least 24 for 3 pairs"):
        classmates(folder, n_texts=20, n_words=600, n_copied=3, lengths=(200,), seed=1)
    with pytest.raises(ParameterError, match="has too few paragraphs"):
        classmates(folder, n_texts=200, n_words=6000, n_copied=1, lengths=(200,), seed=1)


def test_every_planted_pair_is_found_and_none_by_template_or_library_alone(made):
    result = classes.measured(made)
    assert result.planted == result.found == {"verbatim": 3, "edited": 3, "shuffled": 3}
    assert (0, {}) == (result.n_library, {sure: n for sure, n in result.others.items() if sure != "worth a look"})


def test_the_figures_become_a_table(folder):
    figures = classes.run(folder, n_texts=24, n_words=300, n_copied=3, seed=2)
    assert "| verbatim | 3 | 3 |" in classes.table(figures).splitlines()
