"""Below the level `text` a site says alike or not: no score, no words that were not asked for, few questions a unit."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pmbf
from pmbf.sentences.beside import QueryUnits
from pmbf.sites import protocol, sparing
from pmbf.sites.client import Conversation
from pmbf.sites.keying import Keys, fingerprints, packed, random_ones, task_key, top_bits
from pmbf.sites.protocol import KeysAsked, RefusedError
from pmbf.sites.sparing import MOST_QUESTIONS, Blurred, Questions
from pmbf.sites.texts import TextsAsked
from tests.sentences.texts import sentence, text
from tests.sites.houses import House, houses

SECRET = text(10, 11, 12, 13)
TEXTS = {"home": {"own": text(0, 1, 2, 3)}, "north": {"tides.txt": SECRET, "moon.txt": text(*range(100, 114))}}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    with houses(tmp_path_factory.mktemp("two"), TEXTS, served=["north"]) as made:
        yield made


class Asker:
    """A member that says what it likes.

    Args:
        two: Its house, and the site north.
    """

    def __init__(self, two: dict[str, House]) -> None:
        registry = two["home"].registry
        self.conversation = Conversation(
            registry, registry.partner("north"), QueryUnits.of("x", "words"), [0], True, 60
        )
        self.conversation._until = float("inf")

    def asks(self, keys: Keys) -> dict[str, object]:
        """Ask for units by their keys, filled up with random ones, and return the answer."""
        registry, card = self.conversation.registry, self.conversation.partner.card
        self.conversation._until = time.monotonic() + 60
        hello = self.conversation._greeted()
        self.challenge, nonce = hello.challenge, secrets.token_hex(16)
        parts = map(bytes.fromhex, (hello.challenge, nonce))
        key = task_key(registry.federation_key(), registry.own.fingerprint, card.fingerprint, *parts)
        sent = np.concatenate([fingerprints(top_bits(keys, hello.key_bits), key), random_ones(-len(keys) % 32, 10)])
        message = KeysAsked(hello.challenge, nonce, hello.epoch, len(sent), True, 60)
        return dict(json.loads(self.conversation._exchanged("POST", protocol.KEYS, message.encoded(packed(sent)))))

    def sends(self, *units: str) -> dict[str, object]:
        """Send words for the first units of the task, and return the answer."""
        joined, spans = "", list[tuple[int, int]]()
        for one in units:
            spans.append((len(joined), len(joined) + len(one)))
            joined += one + "\n" * 40
        message = TextsAsked(self.challenge, joined, tuple(range(len(units))), tuple(spans), tuple(spans))
        return dict(json.loads(self.conversation._exchanged("POST", protocol.TEXTS, message.encoded())))


def keys_of(*units: str) -> Keys:
    return np.concatenate([QueryUnits.of(one, "words").units.keys[:1] for one in units])


def units_of(query: str) -> list[str]:
    asked = QueryUnits.of(query, "words")
    return [query[span.start : span.stop] for span in asked.spans]


@pytest.mark.parametrize("level", ["count", "title", "excerpt"])
def test_an_answer_below_text_has_no_score(two: dict[str, House], level: str) -> None:
    two["north"].shows(level)
    asker, units = Asker(two), units_of(SECRET)
    told = asker.asks(keys_of(*units))
    assert set(told) == {"epoch", "holds", "units", "claims", "titles", "left_out"}
    answer = asker.sends(*units)
    (document,) = answer["resembling"]  # type: ignore[misc]
    assert set(answer) == {"epoch", "n_unread", "documents", "resembling"} and answer["documents"] == []
    assert set(document) == {"title", "kind", "text", "units"}
    assert {len(row) for row in document["units"]} == {3}
    if level != "excerpt":
        assert document["text"] is None and all(row[1:] == [0, 0] for row in document["units"])
    near = two["home"].asks(SECRET, texts=True)
    assert near.n_found == 4
    assert {origin.similarity for one in near.sentences for origin in one.origins} == {None}
    assert {pair.similarity for one in near.sources for pair in one.pairs} == {None}
    assert "(alike)" in _shown(near, SECRET) and "100 %" not in _shown(near, SECRET).split("\n", 3)[3].split("alike")[1]
    assert "alike, says a site" in pmbf.page(near)


def _shown(report: object, query: str) -> str:
    from pmbf.cli.shown.canvas import View
    from pmbf.cli.shown.sentences import sentences_text

    return sentences_text(report, query, View(n_passages=20))  # type: ignore[arg-type]


def test_at_text_the_score_is_told(two: dict[str, House]) -> None:
    two["north"].shows("text")
    report = two["home"].asks(SECRET, texts=True)
    assert {origin.similarity for one in report.sentences for origin in one.origins} == {1.0}


@pytest.mark.parametrize("level", ["count", "text"])
@pytest.mark.parametrize("words", ["other", "changed", "two", "more", "short"])
def test_words_whose_keys_were_not_asked_for_are_refused(two: dict[str, House], level: str, words: str) -> None:
    two["north"].shows(level)
    asker, one = Asker(two), units_of(SECRET)[0]
    sent = {
        "other": [text(20, 21)], "changed": [one.replace(one.split()[3], "tower")], "two": [one + " " + text(30, 31)],
        "more": [one] * 33, "short": ["Yes."],
    }[words]  # fmt: skip
    asker.asks(keys_of(one))
    with pytest.raises(RefusedError, match=r"\(400\).*(not those whose keys|not one unit|was not asked for)"):
        asker.sends(*sent)


def test_words_count_for_the_units_of_a_day_even_after_a_restart(two: dict[str, House]) -> None:
    north, units = two["north"], units_of(SECRET)
    north.stop()
    north.registry.log_file.unlink()
    north.start()
    north.shows("count", units_a_day=64 + len(units))
    try:
        asker = Asker(two)
        asker.asks(keys_of(*units))
        asker.sends(*units)
        north.stop()
        north.start()
        told = f"you may ask for 32 more units today, and the task has {64}"
        asker = Asker(two)
        with pytest.raises(RefusedError, match=told):
            asker.asks(keys_of(*units * 16)[:33])
    finally:
        north.shows("count", units_a_day=20_000)


@pytest.mark.parametrize("level", ["none", "count"])
def test_a_unit_is_asked_about_32_times_a_day_then_left_out_and_told(two: dict[str, House], level: str) -> None:
    north, one = two["north"], units_of(text(100, 101))[0]
    north.shows(level)
    for file in (north.folder / "registry").glob("questions/*"):
        file.unlink()
    north.stop()
    north.start()
    keys = np.repeat(keys_of(one), MOST_QUESTIONS + 1, axis=0)
    told = Asker(two).asks(keys)
    if level == "count":
        assert told["units"] == [*range(MOST_QUESTIONS)]
    assert told["holds"] and told["left_out"]
    north.stop()
    north.start()
    again = Asker(two).asks(keys_of(one))
    assert not again["holds"] and again["left_out"], "also after a restart"
    report = two["home"].asks(text(40, 41), texts=True)
    assert report.problems == (
        "north: it leaves out sentences until midnight (UTC) that were asked about 32 times today",
    ), "of every answer, so of none in particular"
    north.shows("text")
    assert two["home"].asks(text(100, 101), texts=True).n_found == 2, "at text there is nothing to be hidden"
    for file in (north.folder / "registry").glob("questions/*"):
        assert file.stat().st_mode & 0o077 == 0 and file.parent.stat().st_mode & 0o077 == 0
        file.unlink()
    north.stop()
    north.start()


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 4), max_size=60), max_size=6))
def test_questions_are_counted_as_a_dict_counts_them(
    tmp_path_factory: pytest.TempPathFactory, asked: list[list[int]]
) -> None:
    folder, counts = tmp_path_factory.mktemp("q"), dict[int, int]()
    questions = Questions(folder)
    for places in asked:
        expected = []
        for place in places:
            expected.append(counts.get(place, 0) < MOST_QUESTIONS)
            counts[place] = counts.get(place, 0) + expected[-1]
        assert questions.allowed("north", np.array(places, np.uint64)).tolist() == expected
        assert questions.left_out("north") == any(n == MOST_QUESTIONS for n in counts.values())
        assert not questions.left_out("south")
        questions = Questions(folder)  # as after a restart


def test_a_cut_file_of_questions_and_those_of_other_days_do_no_harm(tmp_path: Path) -> None:
    questions = Questions(tmp_path)
    questions.allowed("north", np.zeros(20, np.uint64))
    (file,) = (tmp_path / "questions").iterdir()
    file.write_bytes(file.read_bytes()[:-3])
    (tmp_path / "questions" / "north.2001-01-01").write_bytes(bytes(800))
    questions = Questions(tmp_path)
    assert questions.allowed("north", np.zeros(20, np.uint64)).sum() == MOST_QUESTIONS - 19
    assert [one.name for one in (tmp_path / "questions").iterdir()] == [file.name]
    assert file.stat().st_size == 8 * MOST_QUESTIONS


@given(st.integers(0, 30), st.binary(min_size=1, max_size=8))
def test_a_blurred_bar_lies_between_both_ends(n_edits: int, secret: bytes) -> None:
    words = text(1, 2).split()
    unit = units_of(text(1, 2))[0]
    query = " ".join("zz" if at < n_edits else word for at, word in enumerate(words))[: len(unit)]
    exact, patch = QueryUnits(query, QueryUnits.of(query, "words").units), pytest.MonkeyPatch()
    candidate = [(0, (0, len(unit)), 2)]
    found = Blurred([query], secret).alike(unit, candidate)
    with patch.context() as change:
        change.setattr(sparing, "BLURRED_SIMILARITY", 0.0)
        change.setattr(sparing, "BLURRED_COLUMNS", 0)
        lowest = Blurred([query], secret).alike(unit, candidate)
    assert len(found) <= len(lowest)
    assert not lowest or exact.spans
    if n_edits == 0:
        assert found


def test_equal_words_have_an_equal_bar_and_other_words_another() -> None:
    bars = [sparing._drawn(sentence(number), b"secret") for number in range(500)]
    assert bars == [sparing._drawn(sentence(number), b"secret") for number in range(500)]
    assert len(set(bars)) == 500 and 0.45 < np.mean(bars) < 0.55 and 0.15 < np.std(bars) < 0.25
    assert bars != [sparing._drawn(sentence(number), b"other") for number in range(500)]
