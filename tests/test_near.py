"""Long sources: what is near the query's hashes is compared, and passages stand where they stand in the whole."""

from __future__ import annotations

import itertools
import random

import pytest

from pmbf import Collection
from pmbf.fingerprint import fingerprint
from pmbf.report import Span
from pmbf.screen import near
from pmbf.store import Store

PLACES = [0, 5_000, 65_500, 131_072, 400_000, -600]


def prose(seed: int, n_words: int) -> str:
    """Return a text of 80,000 words that no other seed has."""
    chosen = random.Random(seed)
    return " ".join(f"{'bcdfghkl'[seed % 8]}{chosen.randrange(80_000):05}" for _ in range(n_words))


@pytest.fixture(scope="module")
def book():
    """A text of some ten segments."""
    return prose(70, 90_000)


@pytest.fixture(scope="module")
def store(tmp_path_factory, book):
    folder = tmp_path_factory.mktemp("near") / "c.pmbf"
    with Collection(folder, create=True) as made:
        made.add_many([("book", book), ("note", prose(71, 120))])
    with Store(folder) as opened:
        assert opened.documents([1])[1].n_parts > 2 * near.WHOLE_PARTS
        yield opened


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


@pytest.mark.parametrize("place", PLACES)
def test_little_of_a_long_source_is_compared_and_the_passage_is_within(store, book, place):
    passage = book[place:][:500]
    start = book.index(passage)
    stretches = near.stretches_near(store, store.documents([1])[1], passage)
    assert any(one.start <= start and start + len(passage) <= one.stop for one in stretches)
    assert sum(map(len, stretches)) < len(book) / 2


def test_passages_of_two_far_places_are_both_told_and_never_overlap(store, book):
    query = book[10_000:11_000] + " § " + book[400_000:401_000] + " § " + book[10_500:11_200]
    with Collection(store.folder) as collection:
        [match] = collection.screen(query).matches
    spans = [one.query for one in match.passages]
    assert match.coverage > 0.97
    assert all(before.stop <= after.start for before, after in itertools.pairwise(spans))


def test_stretches_cover_every_part_with_a_hash_up_to_the_last_character(store, book):
    document = store.documents([1])[1]
    sampled = fingerprint(book, store.params)
    assert document.n_parts == len(sampled.parts())
    assert [Span(0, len(book))] == near.stretches_near(store, document, book)
    last = near.stretches_near(store, document, book[-700:])[-1]
    assert last.stop == len(book)


def test_a_short_source_is_compared_whole(store):
    note = store.documents([2])[2]
    assert [Span(0, note.n_chars)] == near.stretches_near(store, note, prose(5, 120))
