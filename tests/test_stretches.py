"""Long texts of a collection: their stretches are found, read and compared alone, and are told when damaged."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import names

from pmbf import Collection, Params, repair
from pmbf.fingerprint import query_sample
from pmbf.report import Span
from pmbf.screen.near_long import spans_near
from pmbf.store import codec, pending, stretches
from pmbf.store.folder import Store
from pmbf.store.having import FirstPlaces
from pmbf.store.stretches import STRETCH_CHARS, LongText

LETTERS = "bcdfghklmnprstvwäßжя漢"


def prose(seed: int, n_words: int) -> str:
    """Return a text of long words, of one to three bytes a letter, that no other seed has."""
    chosen = random.Random(seed)
    return " ".join("".join(chosen.choices(LETTERS[:-1], k=6)) + f"{seed}" for _ in range(n_words))


BOOK = prose(1, 14_000)
PLACES = [0, STRETCH_CHARS - 250, 5 * STRETCH_CHARS, 8 * STRETCH_CHARS - 499, 65_536 - 250, 70_001, len(BOOK) - 500]


@pytest.fixture(autouse=True)
def long_from_40_000(monkeypatch):
    monkeypatch.setattr(stretches, "LONG_CHARS", 40_000)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c.pmbf"


@pytest.fixture
def made(path):
    """A collection with a long text between short ones."""
    with Collection(path, create=True) as collection:
        collection.add_many([("before", prose(2, 100)), ("book", BOOK), ("after", prose(3, 3_000))])
        yield collection


def opened(path: Path) -> LongText:
    """Return the long text of a collection."""
    with Store(path) as store:
        [document] = [one for one in store.catalog.live_documents() if stretches.is_by_stretches(one)]
        return LongText(store.generation.again(), document)


def asked(made: Collection, place: int, n_chars: int = 500) -> Span:
    """Return where the one passage of a query with some of the book stands in it."""
    [match] = made.screen(prose(4, 100) + " § " + BOOK[place:][:n_chars] + " § " + prose(5, 100)).matches
    [passage] = match.passages
    return passage.source


@pytest.mark.parametrize("place", PLACES)
def test_a_passage_across_the_bounds_of_stretches_and_blocks_is_found_whole(made, place):
    found = asked(made, place)
    assert abs(found.start - place) < 10
    assert abs(found.stop - place - 500) < 10


def test_a_passage_over_many_stretches_is_one(made):
    found = asked(made, 3_000, 50_000)
    assert abs(found.start - 3_000) < 10
    assert abs(found.stop - 53_000) < 10


def test_each_sampled_hash_is_said_to_be_in_the_stretch_where_it_begins(made, path):
    sample = query_sample(BOOK, Params(), starts=True)
    firsts = FirstPlaces.of(sample.hashes)
    having = opened(path).having(firsts, len(BOOK))
    found = {
        (int(stretch), int(sample.hashes[place]))
        for stretch, place in zip(having.ids[having.owners], having.places, strict=True)
    }
    assert found == set(zip((sample.starts // STRETCH_CHARS).tolist(), sample.hashes.tolist(), strict=True))


def test_stretches_are_read_as_the_text_has_them(made, path):
    long, bounds = opened(path), [*range(0, len(BOOK), 3 * STRETCH_CHARS), len(BOOK)]
    every = [Span(*at) for at in pairwise(bounds)]
    random.Random(7).shuffle(every)
    assert [long.read(at) for at in every] == [BOOK[at.start : at.stop] for at in every]
    assert BOOK == long.text == long.read(Span(0, len(BOOK)))


def test_a_collection_without_texts_keeps_fingerprints_of_long_texts(path):
    with Collection(path, create=True, params=Params(store_text=False)) as collection:
        collection.add(BOOK, name="book")
        assert collection.check().problems == []
    with Store(path) as store:
        [document] = store.catalog.live_documents()
        assert store.generation.fingerprint(document).parts()


@pytest.mark.parametrize("params", [Params.rows(), Params(hash_bits=48), Params.obfuscation()])
def test_every_kind_of_collection_has_stretches(path, params):
    with Collection(path, create=True, params=params) as collection:
        collection.add_many([("book", BOOK), ("note", prose(3, 3_000))])
        assert abs(asked(collection, 65_000).start - 65_000) < 10
        assert collection.check().problems == []


def blocks_of(path: Path) -> tuple[str, list[int]]:
    """Return the file of the long text, and where each of its blocks begins in the file."""
    long = opened(path)
    offsets, file = [long._document.text_offset], long._file
    while len(offsets) * codec.BLOCK_RAW_BYTES < long._document.text_skip + long._document.text_bytes:
        offsets.append(offsets[-1] + codec.block_bytes(file.payload, offsets[-1]))
    return file.path, [64 + offset for offset in offsets]


def flipped(path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_what_is_damaged_elsewhere_in_a_long_text_stops_no_answer(made, path):
    file, offsets = blocks_of(path)
    made.close()
    flipped(file, offsets[-1] + 5_000)
    with Collection(path) as again:
        assert abs(asked(again, 20_000).start - 20_000) < 10
        assert again.check().problems


@pytest.mark.parametrize("within", [0, 9_000])
def test_a_damaged_block_with_the_passage_is_told(made, path, within):
    file, offsets = blocks_of(path)
    made.close()
    flipped(file, offsets[2] + within)
    with Collection(path) as again:
        report = again.screen(BOOK[70_000:][:3_000])
        [match] = report.matches
        assert match.passages == ()
        assert "run `pmbf check --repair" in match.problem
        assert "book" in report.problems[0]


def test_a_damaged_record_of_stretches_changes_no_answer_and_is_made_anew(made, path):
    [file] = (path / "fingerprints").iterdir()
    made.close()
    whole = file.read_bytes()
    file.write_bytes(whole[:64] + bytes(len(whole) - 1_000) + whole[-936:])
    with Collection(path) as again:
        assert abs(asked(again, 20_000).start - 20_000) < 10
        assert any("fprt" in problem for problem in again.check().problems)
    assert repair(path).ok
    with Collection(path) as again:
        assert again.check().problems == []
        assert opened(path).having(FirstPlaces.of(query_sample(BOOK, Params()).hashes), 9).ids.size


def test_a_record_of_other_stretches_is_told_and_made_anew(path, monkeypatch):
    of_other = stretches.postings_of(BOOK[::-1].encode(), Params())
    with monkeypatch.context() as patched:
        patched.setattr(pending, "postings_of", lambda utf8, params: of_other)
        with Collection(path, create=True) as collection:
            collection.add(BOOK, name="book")
    with Collection(path) as collection:
        assert collection.check().problems == ["document 1: its record is not that of the stretches of its text"]
    assert repair(path).ok
    with Collection(path) as collection:
        assert collection.check().problems == []


def test_stretches_stay_when_their_text_moves_to_another_place(made):
    made.remove("before")
    made.add_many([(f"more {seed}", prose(seed, 90)) for seed in range(10, 14)])
    made.remove("after")
    assert made.compact().n_files
    assert abs(asked(made, 65_000).start - 65_000) < 10
    assert made.check().problems == []


def test_a_long_text_that_was_removed_is_named_no_more(made, path):
    made.remove("book")
    assert names(made.screen(BOOK[20_000:][:900])) == []
    made.compact()
    assert sum(file.stat().st_size for file in (path / "fingerprints").iterdir()) < 10_000
    made.add(BOOK, name="again")
    assert names(made.screen(BOOK[20_000:][:900])) == ["again"]
    assert made.check().problems == []


def test_passages_of_a_template_are_those_of_the_whole_text(made):
    report = made.screen("Introduction\n\n" + BOOK[20_000:][:900], template="thesis")
    assert names(report) == ["book"]


def test_few_stretches_are_compared_for_phrases_all_over_a_text(path):
    tome = prose(8, 60_000)
    with Collection(path, create=True) as collection:
        collection.add(tome, name="tome")
    words = tome.split()
    query = " ".join(" ".join(words[at : at + 2]) + " " + prose(100 + at, 200) for at in range(0, len(words), 200))
    found = spans_near(opened(path), query_sample(query, Params()), Params(), "fast", 4 * STRETCH_CHARS)
    assert all(one.stop <= other.start for one, other in pairwise(found))
    assert 0 < sum(map(len, found)) < len(tome) / 2


def test_words_that_stand_in_a_text_as_they_are_are_compared_with_no_other_place(path):
    tome = prose(8, 60_000)
    copied = tome[200_000:204_000]
    words = copied.split()
    with Collection(path, create=True) as collection:
        collection.add(
            tome + " ".join(f"{one} {other} {prose(9, 300)}" for one, other in pairwise(words[::9])), name="tome"
        )
    [found] = spans_near(opened(path), query_sample(copied, Params()), Params(), "thorough", 4 * STRETCH_CHARS)
    assert found.start <= 200_000 <= 204_000 <= found.stop
    assert len(found) <= 7 * STRETCH_CHARS


@pytest.mark.parametrize("n_chars", [0, 1, 20_000, 24_000, len(BOOK) - 1, len(BOOK), len(BOOK) + 5])
def test_the_beginning_of_a_text_is_read_alone(made, path, n_chars):
    with Store(path) as store:
        [document] = [one for one in store.catalog.live_documents() if one.n_chars == len(BOOK)]
        assert BOOK[:n_chars] == store.generation.beginning(document, n_chars)


def test_the_bytes_where_stretches_begin_are_those_of_characters(monkeypatch):
    monkeypatch.setattr(stretches, "_OCTETS", 5_000)
    expected = [len(BOOK[:at].encode()) for at in range(0, len(BOOK), STRETCH_CHARS)]
    assert np.array_equal(stretches._begins(BOOK.encode()), expected)
