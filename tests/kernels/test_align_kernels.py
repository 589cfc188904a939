"""The steps of an alignment, where the answer is known.

That the twins align alike is seen in what they find: `test_judge_kernels.py`.
"""

from __future__ import annotations

import re
from dataclasses import fields
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pmbf.kernels import Rules, Tokens, fold, reference_align, reference_runs, reference_words, tokenise
from pmbf.kernels.align_rules import NAT, Odds, score_tables
from pmbf.kernels.reference_refine import NumberedPair
from pmbf.kernels.reference_runs import Grams
from pmbf.kernels.reference_words import KeyedWords

PIECES = (
    "the quick brown fox. ", "Hyphen-\nated", "a-", "-\r\n", " \t", "\n", "\n\n", "x", "слово ", "中", "文字", "，",
    "。", "々", "かな", "กำ", "เก่า ", "ß", "ﬁ", "½", "㍿", "\u200b", "aа", "! ", "word? “q” — ", "\u2028", "राम। ", "…",
    "internationalism ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=150).map("".join)


def words_of(text: str) -> KeyedWords:
    utf8 = text.encode()
    return reference_words.words(utf8, fold(utf8), tokenise(utf8))


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_a_spelling_has_one_blank_between_words_at_most(text: str) -> None:
    spelling, offsets = reference_words.spell(fold(text.encode()), tokenise(text.encode()))

    assert "  " not in spelling and offsets[-1] == len(spelling)


@pytest.mark.parametrize(
    ("one", "other"),
    [("water", "WATERS"), ("translation", "translated"), ("Straße", "strassen"), ("été", "ete"), ("водами", "водам")],
)
def test_forms_of_a_word_have_one_key(one: str, other: str) -> None:
    assert words_of(one).keys.tolist() == words_of(other).keys.tolist()


def test_letters_of_scripts_without_spaces_are_joined_to_words() -> None:
    han = words_of("老渔夫老渔翁")

    assert han.types[0] == han.types[3]
    assert han.types[1] != han.types[4]
    assert len(words_of("ชาวประมงชราออกไป").keys) > 6


def test_borders_tell_what_stands_before_a_word() -> None:
    text = "One. Two, e.g\nthree!”\nFour\n\nfive 3.14 (six)… seven。八"

    found = words_of(text).borders

    #       One Two e  g three Four five 3 14 six seven 八 the end
    assert [3, 1, 0, 0, 4, 2, 3, 0, 0, 0, 1, 1, 3] == found


@pytest.mark.parametrize("text", ["", " \n.", "…"])
def test_a_text_without_words_has_none(text: str) -> None:
    found = words_of(text)

    assert (len(found.keys), len(found.types), found.borders) == (0, 0, [3])


def kinds(query: str, source: str) -> tuple[list[int], list[int]]:
    """Return the classes of the words of two texts, word by word."""
    ours, theirs = (words_of(text) for text in (query, source))
    our_classes, their_classes, n_classes = reference_words.classes(ours, theirs)
    assert max([*our_classes, *their_classes], default=-1) < n_classes
    return our_classes[ours.types].tolist(), their_classes[theirs.types].tolist()


def test_equal_words_have_one_class_and_others_their_own() -> None:
    ours, theirs = kinds("one two three two", "four two one five")

    assert (ours[0], ours[1], ours[3]) == (theirs[2], theirs[1], theirs[1])
    assert len({*ours, *theirs}) == 5


@pytest.mark.parametrize(
    "slip",
    ["prccedure", "pnocedure", "porcedure", "procdure", "proccedure", "rocedure", "prodecure", "Procéáure"],
)
def test_a_slip_of_the_pen_is_the_same_word(slip: str) -> None:
    ours, theirs = kinds(f"the {slip} is", "a procedure was")

    assert (ours[1] == theirs[1]) == (slip != "prodecure")  # two letters far apart: one slip too many
    assert ours[0] != theirs[0]


def test_a_misread_word_joins_the_right_one_on_either_side() -> None:
    ours, theirs = kinds("planning plamming p1anning 190415 planting", "planning 190416 glanning")

    assert ours[0] == theirs[0] == theirs[2]
    assert ours[2] not in theirs and ours[3] not in theirs
    assert ours[4] == ours[0] or ours[4] not in theirs


def shuffled_pair(n_before: int, n_shared: int, n_after: int, *, seed: int) -> NumberedPair:
    """Return two texts of words of their own with a shuffled part in common, all words equally rare."""
    random = np.random.default_rng(seed)
    shared = np.arange(n_shared)
    query = np.concatenate([n_shared + np.arange(n_before), random.permutation(shared), 10_000 + np.arange(n_after)])
    source = np.concatenate([20_000 + np.arange(n_after), shared, 30_000 + np.arange(n_before)])
    names, places = np.unique(np.concatenate([query, source]), return_inverse=True)
    ours, theirs = places[: len(query)].tolist(), places[len(query) :].tolist()
    borders = [0] * (len(ours) + 1), [0] * (len(theirs) + 1)
    return NumberedPair((ours, theirs), borders, [4 * NAT] * len(names), [100] * len(names))


@pytest.mark.parametrize("seed", range(5))
def test_a_shuffled_part_is_found_to_the_word(seed: int) -> None:
    [found] = reference_align.align(shuffled_pair(120, 40, 90, seed=seed))

    assert (120, 160, 90, 130) == found[:4]
    assert found.kind == 0


def test_a_part_scores_as_its_alignment_does() -> None:
    pair = shuffled_pair(120, 40, 90, seed=3)
    [found] = reference_align.align(pair)

    scores = reference_align.part_scores(pair, list(found[:2]), list(found[2:4]))

    assert found.score == scores[0]
    assert max(reference_align.part_scores(pair, [0, 40], [200, 220])) < 0


def test_a_word_said_again_counts_once_and_less_where_the_rest_of_either_text_has_it() -> None:
    def said(query: list[int], source: list[int], n_copied: int) -> tuple[int, int]:
        borders = [0] * (len(query) + 1), [0] * (len(source) + 1)
        pair = NumberedPair((query, source), borders, [NAT] * 500, [1000] * 500)
        return reference_align.part_scores(pair, [0, n_copied], [0, n_copied])

    alone = said([*range(9), *range(100, 200)], [*range(9), *range(200, 300)], 9)
    twice = said([*range(9), *range(9), *range(100, 200)], [*range(9), *range(9), *range(200, 300)], 18)
    again = said([*list(range(9)) * 9, *range(100, 128)], [*range(9), *range(200, 300)], 9)
    again_there = said([*range(9), *range(100, 200)], [*list(range(9)) * 9, *range(200, 228)], 9)

    assert twice == (2 * alone[0], alone[1])
    assert again[1] == again_there[1] < alone[1]


def test_texts_without_a_word_in_common_have_no_alignment() -> None:
    assert len(reference_align.align(shuffled_pair(300, 0, 200, seed=1))) == 0


TOKENS = st.lists(st.integers(0, 2), max_size=60) | st.lists(st.integers(0, 20), max_size=150)


@settings(max_examples=150, deadline=None)
@given(TOKENS, TOKENS, st.integers(1, 4))
def test_equal_runs_are_equal_as_long_as_can_be(query: list[int], source: list[int], n: int) -> None:
    found = reference_runs.equal_runs(*grams_of(n, query, source))

    for here, there, length in found:
        assert length == n_equal(query[here:], source[there:]) >= n
        assert not n_equal(query[:here][::-1], source[:there][::-1])
    held = {here + place for here, _, length in found for place in range(length - n + 1)}
    shared = {tuple(source[at : at + n]) for at in range(len(source) - n + 1)}
    assert held == {at for at in range(len(query) - n + 1) if tuple(query[at : at + n]) in shared}


def test_a_repeated_run_goes_where_its_neighbours_lead() -> None:
    refrain, one, two = [1, 2, 3], [4, 5, 6], [7, 8, 9]

    found = reference_runs.equal_runs(*grams_of(3, [*refrain, *two], [*refrain, *one, *refrain, *two]))

    assert (0, 6, 6) in found


@settings(max_examples=100, deadline=None)
@given(TOKENS, st.integers(1, 4))
def test_grams_are_grouped_by_name(tokens: list[int], n: int) -> None:
    [found] = grams_of(n, tokens)

    every = [tuple(tokens[at : at + n]) for at in range(len(tokens) - n + 1)]
    assert sorted(found.places.values()) == sorted(
        [at for at, one in enumerate(every) if one == gram] for gram in set(every)
    )


@settings(max_examples=150, deadline=None)
@given(TOKENS, TOKENS, st.integers(0, 9))
def test_a_hop_is_the_smallest_edit_that_three_words_follow(query: list[int], source: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    borders = np.array([random.integers(0, len(text) + 1, 12) for text in (query, source)])
    singles = [random.random(len(text)) < 0.3 for text in (query, source)]
    texts = [tokens_of(text, single) for text, single in zip((query, source), singles, strict=True)]
    for forward in (True, False):
        for here, there in borders.T.tolist():
            skipped, skipped_there, length = reference_runs.hop(*texts, here, there, forward=forward)
            sides = (query[here:], source[there:]) if forward else (query[:here][::-1], source[:there][::-1])
            ours, theirs = sides[0][:16], sides[1][:16]
            assert length <= n_equal(ours[skipped:], theirs[skipped_there:])
            assert length or n_equal(ours, theirs) < 6


def tokens_of(numbers: list[int], singles: NDArray[np.bool_]) -> Tokens:
    none = np.zeros(len(numbers), np.uint32)
    return Tokens(np.array(numbers, np.uint64), none, none, singles, 0, 0, 0)


def grams_of(n: int, *texts: list[int]) -> list[Grams]:
    """Return the grams of n tokens of some texts."""
    return [reference_runs.grams(tokens_of(text, np.zeros(len(text), np.bool_)), n) for text in texts]


def n_equal(one: list[int], other: list[int]) -> int:
    """Return how many first elements are equal."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


def test_the_rules_stand_in_one_order_in_both_languages() -> None:
    header = Path(reference_align.__file__).parent / "native" / "align" / "align.h"
    [struct] = re.findall(r"typedef struct \{([^}]*)\} rules_t;", header.read_text(encoding="utf-8"))

    assert [field.name for field in fields(Rules)] == re.findall(r"\w+", struct.replace("int64_t", ""))


def test_tables_fall_as_more_is_expected() -> None:
    tables = score_tables(Odds())

    assert (np.diff(tables[[0, 2]]) <= 0).all()
    assert tables[0].max() <= 2.5 * NAT and tables[1].min() >= -0.87 * NAT - 1
