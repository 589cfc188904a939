"""The features of texts, beside a slow version that follows the paper's words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf import ParameterError
from pmbf.alike.pairs.features import Features, featured, spots
from pmbf.alike.pairs.stopwords import STOP_WORDS, stop_table
from pmbf.text import tokenise

ENGLISH = set(STOP_WORDS["en"].split())
TOPIC = ["tower", "records", "society", "lamp", "harbour", "keeper"]


def textbook(words, distance, chain):
    """Return the spot signatures of English words: at each stop word, every `distance`-th other word, `chain` times."""
    found = set()
    for place, word in enumerate(words):
        if word in ENGLISH:
            others = [other for other in words[place + 1 :] if other not in ENGLISH]
            links = others[distance - 1 :: distance][:chain]
            if len(links) == chain:
                found.add((word, *links))
    return found


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.sampled_from([*TOPIC, "the", "of", "was", "in", "and"]), max_size=30), max_size=5),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_spot_signatures_are_those_of_the_textbook(texts, distance, chain):
    tokens = [tokenise(" ".join(words)).hashes for words in texts]
    made = spots(tokens, distance=distance, chain=chain)
    for number, words in enumerate(texts):
        if made.languages[number] == 0:
            hashes = made.hashes[made.texts == number]
            assert len(textbook(words, distance, chain)) == len(np.unique(hashes))


@settings(max_examples=200)
@given(st.lists(st.sampled_from([*TOPIC, "the", "of", "was"]), min_size=2, max_size=12), st.data())
def test_two_texts_share_the_spot_signatures_that_the_textbook_says(words, data):
    other = data.draw(st.permutations(words))
    a, b = featured([" ".join(words).encode(), " ".join(other).encode()], Features("spotsigs")).lists
    expected = textbook(words, 1, 2) & textbook(other, 1, 2)
    if textbook(words, 1, 2) and textbook(other, 1, 2) and not ENGLISH.isdisjoint(words):
        assert len(expected) == len(np.intersect1d(a, b))


def test_a_spot_signature_never_reaches_into_the_next_text():
    alone = featured([b"the tower of", b"harbour lamp"], Features("spotsigs"))
    assert [-1, -1] == alone.languages.tolist()


def test_each_language_with_a_list_has_spot_signatures():
    table = stop_table()
    for number, (name, listed) in enumerate(STOP_WORDS.items()):
        words = listed.split()[:12]
        text = " ".join(f"{word} xk{i} xq{i} xz{i}" for i, word in enumerate(words))
        assert (name, number) == (table.names[number], featured([text.encode()], Features("spotsigs")).languages[0])


SCRIPTS = {
    "chinese": "海水一天来两次，也退两次，这条海岸上从来没有人问过它为什么。",
    "japanese": "海は一日に二度満ちて、二度引いていく。",
    "thai": "ทะเลขึ้นวันละสองครั้งและลงวันละสองครั้ง",
    "georgian": "ზღვა დღეში ორჯერ მოდის და ორჯერ მიდის",
    "hebrew": "הים בא פעמיים ביום ויוצא פעמיים ביום",
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_text_without_a_list_of_stop_words_has_runs_of_words(script):
    text = SCRIPTS[script].encode()
    made, words = featured([text], Features("spotsigs")), featured([text], Features("words"))
    assert [-1] == made.languages.tolist()
    assert words.lists[0].tolist() == made.lists[0].tolist() != []


def test_empty_texts_have_no_features_and_one_word_is_a_feature():
    for kind in ("words", "spotsigs"):
        assert [0, 1, 0] == featured([b"", b"sea", b" .,! "], Features(kind)).lists.sizes.tolist()


def test_features_of_a_text_do_not_depend_on_the_texts_beside_it():
    texts = ["the sea of the north and the wind of the east", "la mer est calme et le vent est dans les voiles", "sea"]
    together = featured([text.encode() for text in texts], Features("spotsigs")).lists
    for number, text in enumerate(texts):
        assert featured([text.encode()], Features("spotsigs")).lists[0].tolist() == together[number].tolist()


@pytest.mark.parametrize("wrong", [{"kind": "letters"}, {"shingle_tokens": 0}, {"distance": 9}, {"chain": 0}])
def test_features_outside_their_range_are_refused(wrong):
    with pytest.raises(ParameterError, match="expected"):
        Features(**wrong)
