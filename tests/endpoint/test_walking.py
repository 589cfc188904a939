"""The attacks on filters: they work where nothing is secret, and what they measure is what happened."""

import random

import mmh3
import numpy as np

from experiments import held_filters, walking
from experiments import seeds as seed_search
from experiments.walking import DOCUMENT_WORDS
from pmbf.endpoint.sitekey import SiteKey
from tests.conftest import words

DOCUMENT = words(1, DOCUMENT_WORDS[0])
VOCABULARY = sorted({*DOCUMENT.split(), *words(2, 500).split()})
KEY, WRONG = SiteKey(bytes(16)), SiteKey(bytes(15) + b"\1")


def held(made, guessed):
    return held_filters.unsampled(DOCUMENT.split(), made, guessed)


def test_a_plain_filter_is_walked_and_a_keyed_one_is_not_without_the_key():
    own = DOCUMENT.split()[100:]
    plain = held(held_filters.murmur(0), held_filters.murmur(0))
    keyed, insider = (held(held_filters.siphash(KEY, 5), held_filters.siphash(one, 5)) for one in (WRONG, KEY))
    assert [walking.walk(one, own, VOCABULARY) for one in (plain, keyed, insider)] == [
        walking.MOST_WORDS,
        0,
        walking.MOST_WORDS,
    ]
    assert [one.confirms(own[:40]) for one in (plain, keyed, insider)] == [True, False, True]
    assert not any(one.confirms(words(3, 40).split()) for one in (plain, keyed, insider))


def test_an_endpoint_row_confirms_to_who_has_the_key_and_is_not_walked():
    own = DOCUMENT.split()[100:]
    outsider, insider = (held_filters.endpoint_row(DOCUMENT.split(), KEY, one) for one in (WRONG, KEY))
    assert [one.confirms(own[:40]) for one in (outsider, insider)] == [False, True]
    assert walking.walk(outsider, own, VOCABULARY) == 0
    assert all(insider.fitting(own[:n], [own[n]])[0] for n in range(held_filters.KNOWN_WORDS, 100))
    # Of wrong words few fit, but for those so short that no gram more is surely sampled.
    assert 0 < insider.fitting(own[:50], VOCABULARY).mean() < 0.9


def test_letters_are_walked_like_words():
    row = held_filters.endpoint_row(DOCUMENT.split(), KEY, KEY, held_filters.KNOWN_LETTERS)
    letters = DOCUMENT.replace(" ", "")
    assert all(row.fitting(letters[:n], letters[n])[0] for n in range(held_filters.KNOWN_LETTERS, 300))


def test_the_seed_is_found_among_all():
    search = seed_search.search_seeds(DOCUMENT.split(), 12, random.Random(4))
    assert (search.n_tried, search.is_found, search.n_fitting) == (1 << 12, True, 1)


def test_seeded_hashes_are_those_of_mmh3():
    seeds = np.array([0, 1, 77, 2**32 - 1], np.uint32)
    for octets in (b"", b"a", b"ab", b"abc", b"abcd", b"five words are a shingle"):
        expected = [mmh3.hash(octets, seed, signed=False) for seed in seeds.tolist()]
        assert seed_search.murmur_of_seeds(octets, seeds).tolist() == expected
