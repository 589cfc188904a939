"""Both twins of the kernels that compare a query with a text are equal to the bit."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.kernels import (
    NAT,
    Bars,
    Counts,
    JudgedPassages,
    Question,
    Rules,
    Terms,
    reference_compare,
    tokenise,
)
from pmbf.kernels.reference_judge import chains_of, is_one_run
from pmbf.kernels.reference_ready import asked_of
from pmbf.kernels.reference_runs import Block, chained
from pmbf.passages.prepared import prepare
from tests.kernels.oracle import oracle

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


def twins() -> list[Any]:
    """Return both twins."""
    try:
        return [oracle("compare"), import_module("pmbf.kernels.native_compare")]
    except UnsupportedError as error:
        pytest.skip(str(error))


def by_both(query: str, text: str, terms: Terms) -> list[JudgedPassages]:
    """Return what each twin finds in a text, which each has made ready."""
    found = []
    for twin in twins():
        asked = twin.ready([query.encode()], terms.counts, COMMONEST)
        [[one]], _ = twin.compare([Question(asked[0], terms, [0])], [text.encode()], [None], COMMONEST)
        found.append(one)
    return found


def terms_of(
    counts: Counts, bars: Bars = BARS, rules: Rules = LAX, *, least_pages: int = 0, beside: bool = False
) -> Terms:
    """Return terms of texts whose language is known, whatever is counted."""
    return Terms(counts, bars, rules, least_pages, beside)


def counts_of(texts: list[str]) -> Counts:
    """Return the words of some texts, a page for each text."""
    held = [prepare(text).words for text in texts]
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


def assert_same(expected: Any, found: Any) -> None:
    assert np.array_equal(expected, found)
    assert not isinstance(expected, np.ndarray) or (expected.shape, expected.dtype) == (found.shape, found.dtype)


def assert_equal(expected: JudgedPassages, found: JudgedPassages) -> None:
    assert np.array_equal(expected.edges, found.edges) and np.array_equal(expected.kinds, found.kinds)
    assert np.array_equal(expected.figures, found.figures, equal_nan=True)
    assert [one.shape for one in expected] == [one.shape for one in found]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, min_size=1, max_size=4), st.integers(0, 12), st.booleans()
)
def test_queries_of_a_batch_are_compared_by_both_twins_as_one_is(
    queries: list[str], sources: list[str], n_pages: int, beside: bool
) -> None:
    counts = counts_of([f"{text} {n}" for n, text in zip(range(n_pages), 12 * (queries + sources), strict=False)])
    terms, utf8 = terms_of(counts, least_pages=8, beside=beside), [text.encode() for text in sources]
    for twin in twins():
        known = twin.ready(utf8[:1], counts, COMMONEST)
        asked = twin.ready([text.encode() for text in queries], counts, COMMONEST)
        questions = [Question(one, terms, list(range(number % 2, len(sources)))) for number, one in enumerate(asked)]
        found, made = twin.compare(questions, [None, *utf8[1:]], [*known, *[None] * (len(utf8) - 1)], COMMONEST)
        assert len(made) == len(utf8) and made[0] is known[0]
        for text, one in zip(utf8, made, strict=True):
            expected, tokens = tokenise(text), twin.tokens_of(one)
            assert twin.extent_of(one) == expected.extent
            for name in (field.name for field in fields(expected)):
                assert_same(getattr(expected, name), getattr(tokens, name))
        for question, query, some in zip(questions, queries, found, strict=True):
            for number, one in zip(question.sources, some, strict=True):
                for alone in by_both(query, sources[number], terms):
                    assert_equal(alone, one)


def test_a_summary_needs_an_alignment_even_if_its_words_are_common_in_both_twins() -> None:
    query, source = "the quick brown fox. jumps over it\n㍿", 6 * "jumps over it\n" + "㍿"
    counts = counts_of([f"{text} {n}" for n, text in zip(range(8), 12 * [query, source], strict=False)])
    expected, found = by_both(query, source, terms_of(counts, least_pages=8, beside=True))
    assert expected.edges.tolist() == [[4, 11, 15, 22]]
    assert_equal(expected, found)


def test_a_batch_with_a_text_that_is_not_utf8_is_refused_by_both_twins_with_the_same_words() -> None:
    counts, told = counts_of([]), []
    for twin in twins():
        [query] = twin.ready([b"the quick brown fox"], counts, COMMONEST)
        with pytest.raises(ParameterError, match="UTF-8") as error:
            twin.ready([b"the quick \xff brown fox"], counts, COMMONEST)
        told.append(str(error.value))
        with pytest.raises(ParameterError, match="UTF-8"):
            twin.compare([Question(query, terms_of(counts), [0])], [b"the quick \xff fox"], [None], COMMONEST)
    assert told[0] == told[1]


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

    for known in (counts, beside(counts, query), beside(counts, source)):
        assert_equal(*by_both(query, source, terms_of(known, replace(bars, max_gap=max_gap), rules)))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_twins_agree_under_the_usual_rules(query: str, source: str) -> None:
    counts = counts_of(list(PIECES))
    terms = terms_of(counts, replace(BARS, seed_tokens=4, letters=65), Rules())

    assert_equal(*by_both(query * 4, source + query * 4, terms))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, TEXTS, TEXTS, st.integers(1, 60))
def test_twins_look_for_no_alignment_of_a_query_that_is_one_run(
    query: str, before: str, after: str, end: str, letters: int
) -> None:
    counts = counts_of(list(PIECES))
    run = " ".join(["the quick brown fox jumps over the lazy dog again and again", query])
    bars = replace(BARS, letters=letters, reworded_letters=4 * letters)

    assert_equal(*by_both(f"{run} {end}", f"{before} {run} {after}", terms_of(counts, bars)))
    terms = terms_of(counts, replace(BARS, letters=12, reworded_letters=1, seed_tokens=1))
    [ready] = reference_compare.ready([run.encode()], counts, COMMONEST)
    asked = asked_of(ready, terms)
    assert is_one_run(asked, chains_of(asked, ready))
    assert_equal(*by_both(run, run, terms))


@settings(max_examples=80, deadline=None)
@given(TEXTS, TEXTS, st.data())
def test_sides_in_characters_are_those_of_the_reference(one: str, other: str, data: st.DataObject) -> None:
    texts = [f"{one} Rome Bank 7th GREAT EU Élan (x) \ud800", f"{other} Rome Bank 7th) \udfff Élan"]
    ranges = []
    for text in texts:
        n_tokens = len(tokenise(text.encode(errors="replace")))
        start = data.draw(st.integers(0, n_tokens - 1))
        ranges += [start, data.draw(st.integers(start + 1, n_tokens))]
    passages = JudgedPassages.of([(tuple(ranges), kind, (1.0,) * 6) for kind in range(4)])
    found = []
    for twin in twins():
        blocks = twin.ready([text.encode(errors="replace") for text in texts], counts_of([]), COMMONEST)
        found.append(twin.sides(texts[0], blocks[0], texts[1], blocks[1], passages))

    assert found[0] == found[1]


def test_sides_of_other_texts_are_refused() -> None:
    counts, itself = counts_of([]), JudgedPassages.of([((0, 2, 0, 2), 0, (1.0,) * 6)])
    [native] = twins()[1:]
    short, long = native.ready([b"one", b"one two"], counts, COMMONEST)
    for texts in (("one", short, "one two", long), ("one two", short, "one two", long)):
        with pytest.raises(ValueError):
            native.sides(*texts, itself)


@pytest.mark.parametrize("text", ["", " \n.", "…", "word"])
def test_a_text_without_words_in_common_has_nothing(text: str) -> None:
    counts = counts_of([])
    for query in ("the quick brown fox", ""):
        assert [len(one.kinds) for one in by_both(query, text, terms_of(counts))] == [0, 0]


def test_words_misspelt_in_many_ways_take_the_same_class_in_both_twins() -> None:
    rng = random.Random(5)
    stems = ["".join(rng.choices("abcdefghijklmnop", k=8)) for _ in range(60)]

    def misspelt(word: str) -> str:
        at = rng.randrange(7)
        return rng.choice([word, word[:at] + word[at + 1 :], word[:at] + rng.choice("xyz") + word[at + 1 :]])

    chosen = rng.choices(stems, k=400)
    query, source = (" ".join(misspelt(word) for word in chosen) for _ in range(2))
    counts, bars = counts_of([" ".join(stems), *PIECES]), replace(BARS, threshold=0.0, topical=0.0)

    expected, found = by_both(query, source, terms_of(counts, bars))

    assert len(expected.kinds)
    assert_equal(expected, found)


RUNS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 9)), max_size=60)


@settings(max_examples=200, deadline=None)
@given(RUNS, st.integers(0, 40))
def test_each_run_is_in_one_chain(runs: list[tuple[int, int, int]], max_gap: int) -> None:
    blocks = [Block(*run) for run in sorted(runs)]

    chains = chained(blocks, max_gap)

    assert all(chains)
    assert sorted(run for chain in chains for run in chain) == blocks


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_twins_tell_the_same_words_of_a_text(text: str) -> None:
    found = []
    for twin in twins():
        [made] = twin.ready([text.encode()], counts_of([]), COMMONEST)
        found.append(twin.words_of(made))
    for one in found:
        assert [column.tolist() for column in one] == [column.tolist() for column in found[0]]
        assert (np.diff(one.keys.astype(object)) > 0).all()


def test_threads_that_ask_first_together_get_the_same() -> None:
    """What is kept with the terms is made by the thread that asks first; the others may be making it, too."""
    twin, text = twins()[1], "".join(PIECES) * 40
    counts = counts_of(list(PIECES))

    def compared(terms: Terms) -> JudgedPassages:
        [query] = twin.ready([text.encode()], terms.counts, COMMONEST)
        [[found]], _ = twin.compare([Question(query, terms, [0])], [text.encode()], [None], COMMONEST)
        return found

    expected = compared(terms_of(counts))
    assert len(expected.kinds)
    with ThreadPoolExecutor(4) as threads:
        for _ in range(30):
            same = terms_of(Counts(counts.keys, counts.n_holding, counts.n_times, counts.n_pages, counts.n_words))
            for found in threads.map(compared, [same] * 8):
                assert_equal(expected, found)


@pytest.mark.parametrize(
    ("n_words", "every", "in_order"),
    [(n, every, order) for n, every in ((20, 3), (70, 3), (700, 9), (4090, 3), (5000, 9)) for order in (True, False)]
    + [(33_000, 9, False)],
)
def test_texts_of_any_length_are_judged_to_the_bit(n_words: int, every: int, in_order: bool) -> None:
    """Over 64 symbols take several words of bits; over 4,096 letters or words, and over 32,768, are cut or left out."""
    rng = random.Random(n_words)
    ours = ["".join(rng.choices("abcdefgh", k=7)) for _ in range(n_words)]
    theirs = [word if at % every else f"{word}xyz" for at, word in enumerate(ours)]
    if not in_order:
        for at in range(0, n_words - 8, 8):
            theirs[at : at + 8] = rng.sample(theirs[at : at + 8], 8)
    expected, found = by_both(" ".join(ours), " ".join(theirs), terms_of(counts_of([" ".join(ours[::5])])))

    assert len(expected.kinds)
    assert_equal(expected, found)
