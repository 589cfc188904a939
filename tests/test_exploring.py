"""A text explored in one call has the passages that a comparison step by step finds."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from pmbf import Collection
from pmbf.kernels import JudgedPassages
from pmbf.passages.statistics import UNKNOWN
from pmbf.verify import Settings, Statistics, passages, prepare
from tests.paired import compare_two, step_by_step

ROOTS = ["berg", "wald", "stein", "fluss", "nacht", "licht", "traum", "feuer"]
WORDS = [f"{root}{end}" for root in ROOTS for end in ("er", "en", "ung", "lich")]
SCREENING = Settings(least_topical_evidence=15.0, short_doubt=0.3, min_summary_chars=300)


def written(rng: random.Random, n_sentences: int) -> list[str]:
    weights = [1 / (rank + 2) for rank in range(len(WORDS))]
    names = [f"{rng.choice(WORDS)}{rng.randrange(400)}" for _ in range(60)]
    return [
        " ".join([*rng.choices(WORDS, weights, k=rng.randrange(4, 12)), *rng.sample(names, 2)]).capitalize() + "."
        for _ in range(n_sentences)
    ]


def changed(rng: random.Random, sentences: list[str], share: float) -> list[str]:
    words = " ".join(sentences).split(" ")
    return [rng.choice(WORDS) if rng.random() < share else word for word in words]


FEW = Statistics.of([prepare("Zwei Wege führen in den Wald.").words])
"""Too few to know a language."""

STATISTICS = Statistics.of(prepare(" ".join(written(random.Random(seed), 60))).words for seed in range(40))


def assert_equal_in_both_twins(texts: tuple[str, str], settings: Settings, statistics: Statistics) -> JudgedPassages:
    """Compare two texts by the kernels that answer, and by the NumPy twin step by step."""
    query, source = prepare(texts[1]), prepare(texts[0])
    found = compare_two(query, source, settings, statistics)
    expected = step_by_step(query, source.text, settings, statistics)
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return found


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("settings", [Settings(), SCREENING, Settings(min_chars=20, least_evidence=0.0, seed_tokens=2)])
def test_a_text_explored_has_the_passages_of_a_comparison_step_by_step(seed: int, settings: Settings) -> None:
    rng = random.Random(seed)
    source, query = written(rng, 40), written(rng, 30)
    copied = source[5 : 5 + rng.randrange(1, 25)]
    kind = seed % 4
    if kind == 1:
        copied = [" ".join(changed(rng, copied, 0.2))]
    elif kind == 2:
        copied = rng.sample(copied, len(copied))
    texts = " ".join(source), " ".join([*query[:10], *(copied if kind != 3 else ()), *query[10:]])

    for statistics in (STATISTICS, STATISTICS.beside(prepare(texts[1]).words), UNKNOWN, FEW):
        found = assert_equal_in_both_twins(texts, settings, statistics)
        assert len(found.kinds) or kind == 3 or len(copied) < 8


@pytest.mark.parametrize("texts", [("", ""), ("", "one word"), ("one word", ""), ("中文字", "字中文"), ("a b", "a b")])
def test_a_guess_about_texts_of_few_words_is_the_same_in_both_twins(texts: tuple[str, str]) -> None:
    assert_equal_in_both_twins(texts, Settings(min_chars=1, least_evidence=0.0, seed_tokens=1), UNKNOWN)


def test_a_text_is_made_ready_once_whatever_the_queries_teach() -> None:
    source = prepare(" ".join(written(random.Random(3), 30)))
    made = []
    for seed in (4, 5):
        query = prepare(" ".join(written(random.Random(seed), 30)))
        passages(query, source, None, STATISTICS.beside(query.words))
        made.append(source.made(STATISTICS))

    assert made[0] is made[1] is not None
    assert source.made(pickle.loads(pickle.dumps(STATISTICS))) is None


def test_what_shares_nothing_has_no_passage() -> None:
    query = prepare(" ".join(written(random.Random(1), 30)))
    other = prepare(" ".join(f"{word}x {word}z." for word in WORDS))

    assert not len(compare_two(query, other, Settings(), STATISTICS).kinds)
    assert passages(query, other, Settings(), STATISTICS) == ()


def test_equal_runs_of_usual_words_are_no_passage() -> None:
    usual, rare = " ".join(WORDS[:10]), "amsel brombeere cedrat dachs efeu forelle ginster habicht igel jasminbusch"
    around = [" ".join(f"{word}{letter}" for word in WORDS) for letter in "yz"]
    for words, is_passage in ((usual, False), (rare, True)):
        query, source = prepare(f"{around[0]} {words}."), prepare(f"{words} {around[1]}.")

        assert bool(passages(query, source, Settings(), STATISTICS)) == is_passage
        assert len(passages(query, source, Settings(least_evidence=0.0), STATISTICS)) == 1


def test_a_query_may_be_explored_under_one_setting_after_another() -> None:
    rng = random.Random(8)
    source = written(rng, 20)
    query = prepare(" ".join(written(rng, 5) + source[3:5]))
    for settings in (Settings(), Settings(min_chars=5000), Settings()):
        expected = passages(prepare(query.text), prepare(" ".join(source)), settings, STATISTICS)
        assert passages(query, prepare(" ".join(source)), settings, STATISTICS) == expected
    assert expected


def test_statistics_that_were_used_go_to_another_process_without_what_is_kept_with_them() -> None:
    texts = [" ".join(written(random.Random(seed), 9)) for seed in (2, 3)]
    query, source = prepare(texts[0]), prepare(texts[1])
    passages(query, source, None, STATISTICS)

    copied = pickle.loads(pickle.dumps(STATISTICS))

    assert passages(query, source, None, copied) == passages(query, source, None, STATISTICS)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Collection, str]:
    """A collection of 80 texts, and a query that has a sentence of each: 80 candidates."""
    rng = random.Random(4)
    texts = [written(rng, 30) for _ in range(80)]
    collection = Collection(tmp_path_factory.mktemp("library") / "c.pmbf", create=True)
    collection.add_many([(f"text {number}", " ".join(text)) for number, text in enumerate(texts)])
    return collection, " ".join(text[number % 25] for number, text in enumerate(texts))


def test_threads_find_what_one_thread_finds(library: tuple[Collection, str]) -> None:
    collection, query = library

    alone = collection.screen(query, min_evidence=6.0)

    assert alone.matches and alone.n_candidates > 20
    for threads in (2, 3):
        assert collection.screen(query, min_evidence=6.0, threads=threads).matches == alone.matches
