"""What is sampled of a text under a key: the same wherever the passage stands, and nothing that says little."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.guard.filter.sampling import GRAM_LETTERS, RUN, WINDOW, keyed_sample
from pmbf.store.sitekey import SiteKey
from tests.conftest import words

KEY, OTHER_KEY = SiteKey(bytes(16)), SiteKey(bytes(15) + b"\1")
LEAST_LETTERS = GRAM_LETTERS + RUN * WINDOW - 1


def of_letters(seed, n_letters):
    """Return words of so many letters in all, the last of them cut short."""
    text = words(seed, n_letters)
    ends = [at for at, char in enumerate(text, 1) if char != " "]
    return text[: ends[n_letters - 1]]


def n_letters(text):
    return len(text.replace(" ", ""))


def shared_run(text, other):
    """Return the longest run of a text's hashes that another one has."""
    has = np.isin(keyed_sample(text, KEY).hashes, keyed_sample(other, KEY).hashes)
    return max(map(len, "".join("x" if one else " " for one in has).split()), default=0)


def test_the_letters_that_are_enough_are_those_the_docs_tell():
    assert LEAST_LETTERS == 171


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 60), st.integers(0, 60))
def test_171_equal_letters_in_a_row_give_a_run_whatever_stands_around_them(seed, before, after):
    passage = of_letters(seed, LEAST_LETTERS)
    first = f"{words(seed + 1, before)} {passage} {words(seed + 2, after)}"
    second = f"{words(seed + 3, after)} {passage} {words(seed + 4, before)}"
    assert shared_run(first, second) >= RUN


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 40), st.integers(LEAST_LETTERS, 1000), st.integers(0, 40))
def test_what_is_shared_is_never_measured_short_and_at_most_21_letters_long(seed, before, size, after):
    ahead, passage = words(seed + 1, before), of_letters(seed, size)
    text = f"{ahead} {passage} {words(seed + 2, after)}"
    sample = keyed_sample(text, KEY)
    has = np.isin(sample.hashes, keyed_sample(f"{words(seed + 3)} {passage}", KEY).hashes)
    shared = np.flatnonzero(has & (sample.first >= n_letters(ahead)))
    span = sample.span_around(int(shared[0]), int(shared[-1]) + 1)
    assert span.start <= len(ahead) + 1 and span.stop >= len(ahead) + 1 + len(passage)
    assert n_letters(text[span.start : span.stop]) <= size + 2 * (WINDOW - 1)


def test_57_equal_chinese_letters_in_a_row_do_too():
    letters = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
    chosen = random.Random(8)
    for _ in range(20):
        passage = "".join(chosen.choices(letters, k=LEAST_LETTERS // 3))
        around = ["".join(chosen.choices(letters, k=50)) for _ in range(4)]
        assert shared_run(around[0] + passage + around[1], around[2] + passage + around[3]) >= RUN


def test_a_long_text_is_sampled_as_its_pieces_are():
    text = words(6, 40_000)  # of three blocks
    sample = keyed_sample(text, KEY)
    begins = [int(np.searchsorted(sample.first, border)) - 1000 for border in (1 << 16, 2 << 16)]
    assert np.all(np.diff(sample.first) > 0)
    for begin in begins:
        starts, stops = sample.bounds()
        piece = keyed_sample(text[starts[begin] : stops[begin + 1999]], KEY).hashes
        inside = sample.hashes[begin + 20 : begin + 1980]
        assert inside.tobytes() in piece.tobytes()


def test_wrapping_case_accents_and_invisible_letters_change_nothing():
    text = "Façades élégantes " + words(3, 80)
    disguised = text.upper().replace("É", "E").replace("Ç", "c").replace(" ", "\n  ").replace("A", "A\u200b")
    assert keyed_sample(disguised, KEY).hashes.tolist() == keyed_sample(text, KEY).hashes.tolist()


def test_another_key_gives_other_hashes():
    text = words(4, 2000)
    mine, theirs = keyed_sample(text, KEY), keyed_sample(text, OTHER_KEY)
    assert not set(mine.hashes.tolist()) & set(theirs.hashes.tolist())


def test_places_are_those_of_the_grams():
    text = words(5, 3000)
    sample = keyed_sample(text, KEY)
    spans = list(zip(*(bounds.tolist() for bounds in sample.bounds()), strict=True))
    assert all(n_letters(text[start:stop]) == GRAM_LETTERS for start, stop in spans)
    assert spans == sorted(set(spans))
    # Of a window the least is kept: two of its length and one (Schleimer, Wilkerson & Aiken 2003, section 3.4).
    assert 0.95 < len(sample) / n_letters(text) / (2 / (WINDOW + 1)) < 1.05


def test_letters_that_look_alike_are_one():
    text = words(7, 300)
    disguised = text.translate(str.maketrans("aopc", "аорс"))
    assert keyed_sample(disguised, KEY).hashes.tolist() == keyed_sample(text, KEY).hashes.tolist()


@pytest.mark.parametrize("text", ["0000 0001 0000 0000 1000 0000 " * 20, "ab" * 99, "- 1 1 1 2 1 1 1 2 1 1 1 1" * 9])
def test_what_says_little_is_left_out(text):
    assert len(keyed_sample(text, KEY)) == 0


def test_what_is_shorter_than_a_gram_has_none():
    assert [len(keyed_sample(text, KEY)) for text in ("", "a")] == [0, 0]
    letters = of_letters(3, GRAM_LETTERS)
    assert (len(keyed_sample(letters[:-1], KEY)), len(keyed_sample(letters, KEY))) == (0, 1)


def test_what_says_little_at_the_edge_belongs_to_a_passage():
    passage = f"{of_letters(9, 300)} {'0' * 50}"
    text = f"{words(10, 40)} {passage}"
    sample = keyed_sample(f"{text} {words(11, 40)}", KEY)
    shared = np.flatnonzero(np.isin(sample.hashes, keyed_sample(f"{words(12, 40)} {passage}", KEY).hashes))
    assert sample.span_around(int(shared[0]), int(shared[-1]) + 1).stop >= len(text)
