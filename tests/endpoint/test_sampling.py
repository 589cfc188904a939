"""What is sampled of a text under a key: the same wherever the passage stands, and nothing that says little."""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.endpoint.sampling import RUN, keyed_sample
from pmbf.endpoint.sitekey import SiteKey
from tests.conftest import words

KEY, OTHER_KEY = SiteKey(bytes(16)), SiteKey(bytes(15) + b"\1")
LEAST_WORDS = 31


def shared_run(text, other):
    """Return the longest run of a text's hashes that another one has."""
    has = np.isin(keyed_sample(text, KEY).hashes, keyed_sample(other, KEY).hashes)
    return max(map(len, "".join("x" if one else " " for one in has).split()), default=0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 60), st.integers(0, 60))
def test_31_equal_words_in_a_row_give_a_run_whatever_stands_around_them(seed, before, after):
    passage = words(seed, LEAST_WORDS)
    first = f"{words(seed + 1, before)} {passage} {words(seed + 2, after)}"
    second = f"{words(seed + 3, after)} {passage} {words(seed + 4, before)}"
    assert shared_run(first, second) >= RUN


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 40), st.integers(LEAST_WORDS, 200), st.integers(0, 40))
def test_what_is_shared_is_never_measured_short_and_at_most_three_words_long(seed, before, n_words, after):
    ahead, passage = words(seed + 1, before), words(seed, n_words)
    text = f"{ahead} {passage} {words(seed + 2, after)}"
    sample = keyed_sample(text, KEY)
    shared = np.flatnonzero(np.isin(sample.hashes, keyed_sample(f"{words(seed + 3)} {passage}", KEY).hashes))
    span = sample.span_around(int(shared[0]), int(shared[-1]) + 1)
    stretched = text[span.start : span.stop].split()
    assert passage in " ".join(stretched)
    assert len(stretched) <= n_words + 6


def test_39_equal_chinese_letters_in_a_row_do_too():
    letters = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
    chosen = random.Random(8)
    passage = "".join(chosen.choices(letters, k=39))
    around = ["".join(chosen.choices(letters, k=50)) for _ in range(4)]
    assert shared_run(around[0] + passage + around[1], around[2] + passage + around[3]) >= RUN


def test_wrapping_case_accents_and_invisible_letters_change_nothing():
    text = "Façades élégantes " + words(3, 80)
    disguised = text.upper().replace("É", "E").replace("Ç", "c").replace(" ", "\n  ").replace("A", "A\u200b")
    assert keyed_sample(disguised, KEY).hashes.tolist() == keyed_sample(text, KEY).hashes.tolist()


def test_another_key_gives_other_hashes():
    text = words(4, 2000)
    mine, theirs = keyed_sample(text, KEY), keyed_sample(text, OTHER_KEY)
    assert not set(mine.hashes.tolist()) & set(theirs.hashes.tolist())


def test_places_are_those_of_the_shingles():
    text = words(5, 300)
    sample = keyed_sample(text, KEY)
    spans = [sample.span(at, at + 1) for at in range(len(sample))]
    assert all(len(text[span.start : span.stop].split()) == 8 for span in spans)
    assert spans == sorted(set(spans))
    # Of a window of four the least is kept: two in five (Schleimer, Wilkerson & Aiken 2003, section 3.4).
    assert 0.36 < len(sample) / len(sample.tokens) < 0.44


def test_what_says_little_is_left_out():
    assert len(keyed_sample("2021-03-14 12:30:00 7 7 8 9 " * 20, KEY)) == 0
    assert len(keyed_sample("to be or not to be is it so or is it no " * 20, KEY)) == 0
    assert len(keyed_sample("seven words are not enough for any", KEY)) == 0
    assert len(keyed_sample("", KEY)) == 0
