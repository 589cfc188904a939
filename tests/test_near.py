"""Long sources: what is near the query's hashes is compared, and passages stand where they stand in the whole."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from pmbf import Collection, kernels
from pmbf.base.params import Params
from pmbf.fingerprint import query_sample
from pmbf.report import Span
from pmbf.screen import near
from pmbf.store.folder import Store
from pmbf.verify import prepare

PHRASE_WORDS = 2
"""All words of these texts are long, so a phrase of two words is one shingle."""

PLACES = [0, 5_000, 65_500, 131_072, 400_000, -600]


def prose(seed: int, n_words: int) -> str:
    """Return a text of 80,000 words that no other seed has."""
    chosen = random.Random(seed)
    return " ".join(f"{'bcdfghkl'[seed % 8]}{chosen.randrange(80_000):05}" for _ in range(n_words))


@pytest.fixture(scope="module")
def book():
    """A text of some ten segments of the sample."""
    return prose(70, 90_000)


@pytest.fixture(scope="module")
def store(tmp_path_factory, book):
    folder = tmp_path_factory.mktemp("near") / "c.pmbf"
    with Collection(folder, create=True) as made:
        made.add_many([("book", book), ("essay", prose(69, 70_000)), ("note", prose(71, 120))])
    with Store(folder) as opened:
        yield opened


def stretches(text: str, query: str) -> list[Span]:
    """Return what of a text is compared with a query."""
    return near.stretches_near(prepare(text), query_sample(query, Params()), Params())


@pytest.mark.parametrize("place", PLACES)
def test_a_passage_of_a_long_source_stands_where_it_stands(store, book, place):
    passage = book[place:][:500]
    start = book.index(passage)
    with Collection(store.folder) as collection:
        [match] = collection.screen(prose(72, 120) + " § " + passage).matches
    [found] = match.passages
    assert found.kind == "verbatim"
    assert abs(found.source.start - start) < 10
    assert abs(found.source.stop - start - 500) < 10


def test_the_hashes_of_a_source_that_is_read_are_sampled_once_for_all_queries(store, monkeypatch):
    sampled, essay = [], prose(69, 70_000)

    def counting(text, params, *, starts=False):
        sampled.append(text)
        return query_sample(text, params, starts=starts)

    monkeypatch.setattr(near, "query_sample", counting)
    with Collection(store.folder) as collection:
        found = [collection.screen(prose(72, 120) + " § " + essay[place:][:500]).matches for place in (5_000, 65_500)]

    assert [len(matches) for matches in found] == [1, 1]
    assert sampled == [essay]


@pytest.mark.parametrize("place", PLACES)
def test_little_of_a_long_source_is_compared_and_the_passage_is_within(book, place):
    passage = book[place:][:500]
    start = book.index(passage)
    found = stretches(book, passage)
    assert any(one.start <= start and start + len(passage) <= one.stop for one in found)
    assert sum(map(len, found)) < 3 * near.MARGIN_CHARS


def test_passages_of_two_far_places_are_both_told_and_never_overlap(store, book):
    query = book[10_000:11_000] + " § " + book[400_000:401_000] + " § " + book[10_500:11_200]
    with Collection(store.folder) as collection:
        [match] = collection.screen(query).matches
    spans = [one.query for one in match.passages]
    assert match.coverage > 0.97
    assert all(before.stop <= after.start for before, after in itertools.pairwise(spans))


def test_there_are_few_stretches_beside_a_query_as_long_as_its_source(book):
    pages = [book[at : at + 2_000] for at in range(0, len(book) - 2_000, 40_000)]
    short = stretches(book, " § ".join(pages))
    long = stretches(book, " § ".join(pages) + " § " + prose(72, 90_000))
    assert len(short) == len(pages) >= 12
    assert len(long) <= 1 + near.QUERY_SHARE


def test_a_phrase_here_and_a_phrase_there_are_not_compared(book):
    words = book.split()
    phrases = [" ".join(words[at : at + PHRASE_WORDS]) for at in range(0, 90_000, 1000)]
    query = " ".join(f"{phrase} {prose(72 + at, 500)}" for at, phrase in enumerate(phrases))
    shared = kernels.intersect(query_sample(query, Params()).hashes, np.sort(query_sample(book, Params()).hashes))
    assert shared.sum() > 10
    assert [] == stretches(book, query)


def test_phrases_beside_each_other_here_and_pages_apart_there_are_not_compared(book):
    words = book.split()
    sample = query_sample(book, Params(), starts=True)
    every = np.searchsorted(sample.starts, np.arange(0, len(book) - 20_000, 10_000))  # nearer than stretches are apart
    phrases = [" ".join(words[at : at + PHRASE_WORDS]) for at in sample.token[every].tolist()]
    query = " ".join(f"{phrase} {prose(72, 30)}" for phrase in phrases)
    shared = kernels.intersect(query_sample(query, Params()).hashes, np.sort(sample.hashes))
    assert shared.sum() > 40
    assert [] == stretches(book, query)


def test_a_whole_book_is_compared_where_all_of_it_is_asked_for(book):
    assert [Span(0, len(book))] == stretches(book, book)


def test_the_same_word_half_a_million_times_is_compared():
    assert stretches("word " * 500_000, "word " * 400_000)


def test_a_stretch_ends_with_its_text(book):
    assert stretches(book, book[-700:])[-1].stop == len(book)
    assert stretches(book, book[:700])[0].start == 0


def test_a_short_source_is_compared_whole(book):
    assert [Span(0, near.WHOLE_CHARS)] == stretches(book[: near.WHOLE_CHARS], prose(5, 120))
