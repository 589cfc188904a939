"""Both twins of the kernels that compare a query with a text are equal to the bit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.base.arrays import edges
from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.kernels import (
    KINDS,
    NAT,
    Asked,
    Bars,
    Counts,
    Judged,
    Pair,
    Question,
    Ready,
    Rules,
    Spelled,
    Terms,
    fold,
    gram_stops,
    grams,
    reference_explore,
    reference_judge,
    reference_ready,
    reference_sources,
    reference_weigh,
    runs_of,
    spell,
    tokenise,
    words,
)
from pmbf.kernels.reference_runs import chained
from pmbf.kernels.reference_words import classes

PIECES = (
    "the quick brown fox. ", "jumps over it\n", "Hyphen-\nated", "a-", " \t", "\n\n", "x", "слово ", "中", "文字", "，",
    "。", "かな", "กำ", "ß", "ﬁ", "½", "㍿", "\u200b", "aа", "! ", "word? “q” — ", "राम। ", "internationalism ",
    "carefully ", "carefuly ", "𐐨𐐩𐐪𐐫𐐬𐐭𐐮 ", "trembled when heavy carts crossed it. ", "1904 ", "19045 ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=90).map("".join)
BARS = Bars(
    edited=0.4, threshold=0.3, short_doubt=0.2, sure_letters=200, topical=0.5, lacking_times=2.7, evidence=2.0,
    seed_tokens=2, max_gap=12, letters=20, reworded_letters=12, reworded_source_letters=12, summary_letters=20,
    summed_letters=3000, single_letters=3, sure_words=12,
)  # fmt: skip
COMMONEST = 8, 64
LAX = Rules(
    most_points=2000, density=2 * NAT, least_score=NAT, least_box=100, summary_source=20, summary_score=NAT,
    summary_evidence=NAT, summary_times=NAT, summary_boxes=10, summary_dense=100, summary_one=100,
)  # fmt: skip


def native(module: str = "judge") -> Any:
    try:
        return import_module(f"pmbf.kernels.native_{module}")
    except UnsupportedError as error:
        pytest.skip(str(error))


def compared_by_both(asked: Asked, text: str, counts: Counts) -> Iterator[Judged]:
    """Yield what each twin finds in a text, which each has made ready."""
    yield reference_judge.compare(asked, reference_ready.ready(text.encode(), counts, COMMONEST))
    yield native().compare(asked, native("ready").ready(text.encode(), counts, COMMONEST))


def counts_of(texts: list[str]) -> Counts:
    """Return the words of some texts, a page for each text."""
    held = [words(text.encode(), fold(text.encode()), tokenise(text.encode())) for text in texts]
    keys = np.unique(np.concatenate([one.keys for one in held] or [np.empty(0, np.uint64)]))
    holding, times = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    for one in held:
        place = np.searchsorted(keys, one.keys)
        holding[place] += 1
        times[place] += np.bincount(one.types, minlength=len(one.keys))
    return Counts(keys, holding, times, len(texts), int(times.sum()))


def beside(counts: Counts, text: str) -> Counts:
    """Return counts with those of a query, the same words on two pages."""
    own = counts_of([text])
    return counts.with_own(replace(own, n_holding=2 * own.n_holding, n_times=own.n_times - 1, n_pages=2))


def asked_of(text: str, counts: Counts, bars: Bars = BARS, rules: Rules = LAX) -> Asked:
    utf8 = text.encode()
    tokens = tokenise(utf8)
    found = words(utf8, fold(utf8), tokens)
    seeds = grams(runs_of(tokens.hashes), gram_stops(tokens.singles, bars.seed_tokens))
    text_as_judged = Spelled(tokens, found.keys[found.types], *spell(fold(utf8), tokens))
    return Asked(text_as_judged, found, seeds, counts, reference_weigh.weigh(counts, found, COMMONEST[0]), bars, rules)


def arrays_of_ready(found: Ready) -> dict[str, Any]:
    tokens = {f"tokens.{one.name}": getattr(found.tokens, one.name) for one in fields(found.tokens)}
    names = ("keys", "types", "n_holding", "n_times", "commonest", "borders", "spelled", "offsets")
    return tokens | {name: getattr(found, name) for name in names}


def assert_same(expected: dict[str, Any], found: dict[str, Any]) -> None:
    for name, one in expected.items():
        assert np.array_equal(one, found[name]), name
        assert not isinstance(one, np.ndarray) or (one.shape, one.dtype) == (found[name].shape, found[name].dtype), name


def assert_equal(expected: Judged, found: Judged) -> None:
    assert np.array_equal(expected.edges, found.edges) and np.array_equal(expected.kinds, found.kinds)
    assert np.array_equal(expected.figures, found.figures, equal_nan=True)
    assert [one.shape for one in expected] == [one.shape for one in found]


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 12))
def test_queries_of_a_batch_are_compared_by_both_twins_as_one_is(
    queries: list[str], sources: list[str], n_pages: int
) -> None:
    counts = counts_of([f"{text} {n}" for n, text in zip(range(n_pages), 12 * (queries + sources), strict=False)])
    terms, utf8 = Terms(counts, BARS, LAX, 8), [text.encode() for text in sources]
    as_asked = [
        reference_sources._asked(reference_ready.ready(one.encode(), counts, COMMONEST), terms) for one in queries
    ]
    as_ready = [reference_ready.ready(text, counts, COMMONEST) for text in utf8]
    for twin in (reference_sources, native("sources")):
        known = twin.ready_each(utf8[:1], counts, COMMONEST)
        asked = twin.ready_each([text.encode() for text in queries], counts, COMMONEST)
        questions = [Question(one, terms, list(range(number % 2, len(sources)))) for number, one in enumerate(asked)]
        found, made = twin.compare_queries(questions, [None, *utf8[1:]], [*known, *[None] * (len(utf8) - 1)], COMMONEST)
        ready = [twin.as_ready(one) for one in made]
        for one, other, block in zip(as_ready, ready, made, strict=True):
            assert_same(arrays_of_ready(one), arrays_of_ready(other))
            assert_same(arrays_of_ready(one), arrays_of_ready(replace(other, tokens=twin.tokens_of(block))))
        for question, query, some in zip(questions, as_asked, found, strict=True):
            for number, one in zip(question.sources, some, strict=True):
                assert_equal(reference_judge.compare(query, as_ready[number]), one)


def test_a_summary_needs_an_alignment_even_if_its_words_are_common_in_both_twins() -> None:
    query, source = "the quick brown fox. jumps over it\n㍿", 6 * "jumps over it\n" + "㍿"
    counts = counts_of([f"{text} {n}" for n, text in zip(range(8), 12 * [query, source], strict=False)])
    asked = reference_sources._asked(
        reference_ready.ready(query.encode(), counts, COMMONEST), Terms(counts, BARS, LAX, 8)
    )
    ready = reference_ready.ready(source.encode(), counts, COMMONEST)
    expected = reference_judge.compare(asked, ready)
    assert expected.edges.tolist() == [[4, 11, 15, 22]]
    assert_equal(expected, native().compare(asked, native("ready").ready(source.encode(), counts, COMMONEST)))


def test_a_batch_with_a_text_that_is_not_utf8_is_refused_by_both_twins() -> None:
    counts = counts_of([])
    for twin in (reference_sources, native("sources")):
        [query] = twin.ready_each([b"the quick brown fox"], counts, COMMONEST)
        with pytest.raises(ParameterError, match="UTF-8"):
            twin.ready_each([b"the quick \xff brown fox"], counts, COMMONEST)
        with pytest.raises(ParameterError, match="UTF-8"):
            terms = Terms(counts, BARS, LAX, 8)
            twin.compare_queries([Question(query, terms, [0])], [b"the quick \xff fox"], [None], COMMONEST)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_twins_make_a_text_ready_to_the_bit(text: str, others: list[str]) -> None:
    counts = counts_of(others)

    expected, found = (one.ready(text.encode(), counts, COMMONEST) for one in (reference_ready, native("ready")))

    assert_same(arrays_of_ready(expected), arrays_of_ready(found))
    assert found.n_bytes >= sum(one.nbytes for one in arrays_of_ready(found).values() if isinstance(one, np.ndarray))


@settings(max_examples=300, deadline=None)
@given(
    TEXTS,
    TEXTS,
    st.lists(TEXTS, max_size=4),
    st.integers(1, 6),
    st.integers(1, 60),
    st.integers(0, 3),
    st.integers(0, 40),
    st.sampled_from([1, 3, 10, 36]),
    st.sampled_from([1, 10]),
    st.integers(1, 16),
)
def test_twins_find_the_same_to_the_bit(
    query: str,
    source: str,
    others: list[str],
    seed_tokens: int,
    letters: int,
    topical: int,
    max_gap: int,
    gap: int,
    margin: int,
    gap_rounds: int,
) -> None:
    bars = replace(BARS, seed_tokens=seed_tokens, letters=letters, topical=float(topical), evidence=6.0 * topical)
    counts, rules = counts_of(others), replace(LAX, gap=gap, margin=margin, gap_rounds=gap_rounds)

    for known in (counts, beside(counts, query)):
        assert_equal(*compared_by_both(asked_of(query, known, replace(bars, max_gap=max_gap), rules), source, counts))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_twins_agree_under_the_usual_rules(query: str, source: str) -> None:
    counts = counts_of(list(PIECES))
    asked = asked_of(query * 4, counts, replace(BARS, seed_tokens=4, letters=65), Rules())

    assert_equal(*compared_by_both(asked, source + query * 4, counts))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, TEXTS, TEXTS, st.integers(1, 60))
def test_twins_look_for_no_alignment_of_a_query_that_is_one_run(
    query: str, before: str, after: str, end: str, letters: int
) -> None:
    counts = counts_of(list(PIECES))
    run = " ".join(["the quick brown fox jumps over the lazy dog again and again", query])
    asked = asked_of(f"{run} {end}", counts, replace(BARS, letters=letters, reworded_letters=4 * letters))

    expected, found = compared_by_both(asked, f"{before} {run} {after}", counts)

    assert_equal(expected, found)
    whole = asked_of(run, counts, replace(BARS, letters=12, reworded_letters=1, seed_tokens=1))
    explored = reference_explore.explore(whole, reference_ready.ready(run.encode(), counts, COMMONEST))
    assert explored is not None and not len(explored.boxes)
    assert_equal(*compared_by_both(whole, run, counts))


@pytest.mark.parametrize("text", ["", " \n.", "…", "word"])
def test_a_text_without_words_in_common_has_nothing(text: str) -> None:
    counts = counts_of([])
    for query in ("the quick brown fox", ""):
        assert [len(one.kinds) for one in compared_by_both(asked_of(query, counts), text, counts)] == [0, 0]


def test_bytes_that_are_no_utf8_are_refused_with_the_same_words() -> None:
    told = []
    for kernels in (reference_ready, native("ready")):
        with pytest.raises(ParameterError) as error:
            kernels.ready(b"the quick \xff brown fox", counts_of([]), COMMONEST)
        told.append(str(error.value))
    assert told[0] == told[1]


def test_words_misspelt_in_many_ways_take_the_same_class_in_both_twins() -> None:
    rng = random.Random(5)
    stems = ["".join(rng.choices("abcdefghijklmnop", k=8)) for _ in range(60)]

    def misspelt(word: str) -> str:
        at = rng.randrange(7)
        return rng.choice([word, word[:at] + word[at + 1 :], word[:at] + rng.choice("xyz") + word[at + 1 :]])

    chosen = rng.choices(stems, k=400)
    query, source = (" ".join(misspelt(word) for word in chosen) for _ in range(2))
    counts, bars = counts_of([" ".join(stems), *PIECES]), replace(BARS, threshold=0.0, topical=0.0)

    expected, found = compared_by_both(asked_of(query, counts, bars), source, counts)

    assert len(expected.kinds)
    assert_equal(expected, found)


RUNS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 9)), max_size=60)


@settings(max_examples=200, deadline=None)
@given(RUNS, st.integers(0, 40))
def test_each_run_is_in_one_chain(runs: list[tuple[int, int, int]], max_gap: int) -> None:
    chains = chained(sorted(runs), max_gap)

    assert all(chains)
    assert sorted(run for chain in chains for run in chain) == sorted(runs)


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=9), st.sampled_from([0, 2, 8, 64]))
def test_twins_weigh_words_to_the_bit(text: str, others: list[str], commonest: int) -> None:
    utf8, counts = text.encode(), counts_of(others)
    found = words(utf8, fold(utf8), tokenise(utf8))

    for known in (counts, beside(counts, text[: len(text) // 2])):
        expected, weighed = (kernels.weigh(known, found, commonest) for kernels in (reference_weigh, native("weigh")))

        assert expected.n_like == weighed.n_like
        for one, other in zip(expected[1:], weighed[1:], strict=True):
            assert np.array_equal(one, other) and one.dtype == other.dtype


def test_threads_that_ask_first_together_get_the_same() -> None:
    """What is kept with a query is made by the thread that asks first; the others may be making it, too."""
    kernels, text = native(), "".join(PIECES) * 40
    counts = counts_of(list(PIECES))
    ready = native("ready").ready(text.encode(), counts, COMMONEST)
    expected = kernels.compare(asked_of(text, counts), ready)
    assert len(expected.kinds)
    with ThreadPoolExecutor(4) as threads:
        for _ in range(30):
            same = Counts(counts.keys, counts.n_holding, counts.n_times, counts.n_pages, counts.n_words)
            asked = asked_of(text, same)

            def compared(_: int, asked: Asked = asked, same: Counts = same) -> Judged:
                found: Judged = kernels.compare(asked, native("ready").ready(text.encode(), same, COMMONEST))
                return found

            for found in threads.map(compared, range(8)):
                assert_equal(expected, found)


def judged_by_both(ours: list[str], theirs: list[str], bars: Bars, with_chain: bool) -> list[Judged]:
    """Return what each twin makes of two texts of as many words: of the chain of what is equal, or of one alignment."""
    texts, held = [], []
    for text in (" ".join(ours).encode(), " ".join(theirs).encode()):
        tokens, folded = tokenise(text), fold(text)
        held.append(words(text, folded, tokens))
        texts.append(Spelled(tokens, held[-1].keys[held[-1].types], *spell(folded, tokens)))
    our_classes, their_classes, n_classes = classes(*held)
    numbers = our_classes[held[0].types], their_classes[held[1].types]
    weights = np.full(n_classes, 4 * NAT, np.int32), np.full(n_classes, 9, np.int32)
    pair = Pair(numbers, (held[0].borders, held[1].borders), *weights)
    flags = np.array([one == other for one, other in zip(ours, theirs, strict=True)])
    blocks = np.array([(start, start, stop - start) for start, stop in edges(flags).tolist()], np.int64).reshape(-1, 3)
    chain = blocks if with_chain else blocks[:0], np.array([0, len(blocks)] if with_chain else [0], np.int64)
    boxes = np.array([[0, len(ours), 0, len(theirs), 99 * NAT, 0]] * (not with_chain), np.int64).reshape(-1, 6)
    return [twin.judge((texts[0], texts[1]), pair, chain, boxes, bars) for twin in (reference_judge, native())]


@pytest.mark.parametrize(("n_words", "every"), [(20, 3), (70, 3), (700, 9), (4090, 3), (5000, 9), (33_000, 9)])
@pytest.mark.parametrize("with_chain", [True, False])
def test_texts_of_any_length_are_judged_to_the_bit(n_words: int, every: int, with_chain: bool) -> None:
    """Over 64 symbols take several words of bits; over 4,096 letters or words, and over 32,768, are cut or left out."""
    rng = random.Random(n_words)
    ours = [f"{rng.choice('abcdefg')}{rng.randrange(n_words)}" for _ in range(n_words)]
    theirs = [word if place % every else f"x{rng.randrange(99)}" for place, word in enumerate(ours)]
    bars = replace(BARS, topical=0.0, reworded_letters=1, summed_letters=10**6)

    expected, found = judged_by_both(ours, theirs, bars, with_chain)

    assert [KINDS[kind] for kind in expected.kinds] == ["edited" if with_chain else "reworded"]
    assert_equal(expected, found)
