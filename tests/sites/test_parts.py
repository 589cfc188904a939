"""Keys of tasks and fingerprints, the log, the registry, the words that are shared, and messages."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf import Collection, kernels
from pmbf.base.errors import CorruptError, ParameterError
from pmbf.screen.leaving_out import NOTHING
from pmbf.sentences import Sentences
from pmbf.sentences.beside import QueryUnits
from pmbf.sentences.screening import candidates
from pmbf.sites import Card, auditlog, init, opened, protocol, read_card
from pmbf.sites.keying import fingerprints, packed, read, task_key, unpacked
from pmbf.sites.protocol import Hello, KeysAnswer, MalformedError
from pmbf.sites.texts import SharedUnits, TextsAsked
from pmbf.store.folder import Store
from pmbf.store.sitekey import SiteKey
from tests.sentences.texts import sentence, text
from tests.sites.houses import built

KEY = np.array([3, 4], np.uint64)
SECRET = SiteKey(bytes(range(16)))


# ---------------------------------------------------------------------- fingerprints


@given(st.sets(st.integers(0, 60)), st.lists(st.lists(st.integers(0, 60), min_size=10, max_size=10), min_size=1))
def test_fingerprints_are_read_back_if_the_site_has_the_key(known: set[int], asked: list[list[int]]) -> None:
    for shift in (32, 0):
        mine = np.array(sorted(known), np.uint64) << np.uint64(shift)
        keys = np.array(asked, np.uint64) << np.uint64(shift)
        sent = unpacked(packed(fingerprints(keys, KEY)), len(keys), 10)
        assert sent is not None
        plain = read(sent, mine, KEY)
        is_known = np.isin(keys, mine)
        assert (plain[is_known] == keys[is_known]).all()
        assert not np.isin(plain[~is_known], mine).any()


@given(st.binary(max_size=200), st.integers(0, 6))
def test_bytes_that_are_no_fingerprints_are_refused_or_stay_as_they_are(raw: bytes, n_units: int) -> None:
    found = unpacked(raw, n_units, 10)
    if found is not None:
        again = unpacked(packed(found), n_units, 10)
        assert again is not None and (again == found).all() and len(packed(found)) <= len(raw)


def test_overlapping_units_are_sent_once() -> None:
    keys = QueryUnits.of(text(*range(60)), protocol.CODE).units.keys
    assert len(packed(fingerprints(keys, KEY))) < 0.8 * 60 * len(keys)


def test_each_part_of_a_task_changes_its_key() -> None:
    parts = [bytes([number]) * size for number, size in enumerate((32, 32, 16, 16))]
    made = {task_key(SECRET, *parts).tobytes()}
    for number, part in enumerate(parts):
        made.add(task_key(SECRET, *parts[:number], bytes([9]) * len(part), *parts[number + 1 :]).tobytes())
    made.add(task_key(SiteKey(bytes(16)), *parts).tobytes())
    assert len(made) == 6


@pytest.mark.parametrize("key_bits", [32, 64])
def test_a_keyed_look_up_is_the_plain_one(tmp_path: Path, key_bits: int) -> None:
    texts = {str(number): text(*range(number, number + 6)) for number in range(0, 60, 3)}
    with Collection(built(tmp_path / "c.pmbf", texts)) as collection:
        collection.build_sentences(key_bits=key_bits)
    keys = QueryUnits.of(text(2, 3, 70, 9, 10, 71, 72, 30, 31), "words").units.keys
    keys = keys >> np.uint64(64 - key_bits) << np.uint64(64 - key_bits)
    with Store(tmp_path / "c.pmbf") as store:
        sentences = Sentences(store)
        asked = [keys, read(fingerprints(keys, KEY), sentences.known_keys(), KEY)]
        plain, keyed = candidates(sentences, asked, [NOTHING, NOTHING])
    assert len(plain.asked) and all((one == other).all() for one, other in zip(plain, keyed, strict=True))


# ---------------------------------------------------------------------- the log


def written(folder: Path, n: int = 4) -> Path:
    log = folder / "log.jsonl"
    for number in range(n):
        auditlog.write(log, "site", "south", "fingerprints", n_units=number)
    return log


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert [one["n_units"] for one in auditlog.lines(written(tmp_path))] == [0, 1, 2, 3]
    assert auditlog.units_today(tmp_path / "log.jsonl") == {"south": 6}
    assert [*auditlog.lines(tmp_path / "none")] == []


@pytest.mark.parametrize("change", ["edit", "delete", "swap", "junk"])
def test_a_changed_line_of_the_log_is_told(tmp_path: Path, change: str) -> None:
    log = written(tmp_path)
    lines = log.read_bytes().splitlines(keepends=True)
    changed = {
        "edit": [lines[0], lines[1].replace(b"south", b"north"), *lines[2:]],
        "delete": [lines[0], *lines[2:]],
        "swap": [lines[0], lines[2], lines[1], lines[3]],
        "junk": [*lines, b"{}\n"],
    }
    log.write_bytes(b"".join(changed[change]))
    with pytest.raises(CorruptError, match="the log was changed"):
        list(auditlog.lines(log))


# ---------------------------------------------------------------------- the registry


def test_a_registry_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = init(tmp_path / "r", "north", address="north.example:8443", contact="Ann, library")
    assert opened(tmp_path / "r").own == made.own
    assert made.federation_key() == opened(tmp_path / "r").federation_key()
    for name in ("private.pem", "federation.key", "registry.json"):
        assert (tmp_path / "r" / name).stat().st_mode & 0o077 == 0
    with pytest.raises(ParameterError, match="holds a registry already"):
        init(tmp_path / "r", "north")


def test_a_private_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    init(tmp_path / "r", "north")
    (tmp_path / "r" / "private.pem").chmod(0o644)
    with pytest.raises(ParameterError, match="mode 0644 is open to others"):
        opened(tmp_path / "r")


@pytest.mark.parametrize("content", [b"", b"[]", b'{"format": 1}', b'{"format": 1, "own": {}, "level": 7}'])
def test_a_damaged_registry_is_told(tmp_path: Path, content: bytes) -> None:
    init(tmp_path / "r", "north")
    (tmp_path / "r" / "registry.json").write_bytes(content)
    with pytest.raises(CorruptError, match="is damaged"):
        opened(tmp_path / "r")


@pytest.mark.parametrize(
    "change",
    [{"name": "../x"}, {"name": 7}, {"address": "no port"}, {"contact": "a\nb"}, {"certificate": "x"}, {"z": 1}],
)
def test_a_malformed_card_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    own = init(tmp_path / "r", "north").own
    values = {"name": own.name, "address": "", "contact": "", "certificate": own.certificate}
    (tmp_path / "card.json").write_text(json.dumps(values))
    assert read_card(tmp_path / "card.json") == Card(own.name, "", "", own.certificate)
    (tmp_path / "card.json").write_text(json.dumps(values | change))
    with pytest.raises(ParameterError):
        read_card(tmp_path / "card.json")


def test_a_card_with_a_certificate_that_tls_cannot_use_is_refused(tmp_path: Path) -> None:
    own, other = (init(tmp_path / name, name).own for name in ("north", "south"))
    junk = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    for certificate in (junk, own.certificate + other.certificate):
        card = {"name": "west", "address": "", "contact": "", "certificate": certificate}
        (tmp_path / "card.json").write_text(json.dumps(card))
        with pytest.raises(ParameterError, match="certificate"):
            read_card(tmp_path / "card.json")
    (tmp_path / "card.json").write_text("[" * 15_000)
    with pytest.raises(ParameterError, match="is no card"):
        read_card(tmp_path / "card.json")


# ---------------------------------------------------------------------- words and messages


@given(
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from([3, 14, 60])), min_size=1, max_size=30),
    st.sets(st.integers(0, 60), min_size=1),
)
def test_shared_units_are_the_same_words_and_lead_back(seeds: list[tuple[int, int]], chosen: set[int]) -> None:
    asked = QueryUnits.of(" ".join(sentence(*one) for one in seeds), protocol.CODE)
    if not asked.spans:
        return
    numbers = sorted(number for number in chosen if number < len(asked.spans)) or [0]
    shared = SharedUnits(asked, numbers)
    message = TextsAsked.read(shared.asking("c", numbers).encoded())
    there = message.asked()
    for place, number in enumerate(numbers):
        assert there.plain_units[place] == asked.plain_units[number]
        assert [part for _, part in there.parts[place]] == [part for _, part in asked.parts[number]]
        assert [shared.sentence_numbers[one] for one, _ in there.parts[place]] == [
            one for one, _ in asked.parts[number]
        ]
        assert shared.back(*message.units[place]) == asked.spans[number]
    kept = {at for number in numbers for at in range(asked.spans[number].start, asked.spans[number].stop)}
    assert shared.n_chars - len(kept) <= 20 * len(numbers)


@pytest.mark.parametrize(
    "change",
    [
        {"units": [[5, 2]]},
        {"units": [[0, 99]]},
        {"sentences": [[4, 5]]},
        {"sentences": []},
        {"sentences": [[0, 3], [1, 5]]},
        {"numbers": [0, 0]},
        {"numbers": [-1]},
        {"numbers": [True]},
        {"text": "\ud800"},
        {"text": 7},
    ],
)
def test_words_that_do_not_fit_are_refused(change: dict[str, object]) -> None:
    values = {"challenge": "c", "text": "a bcd", "numbers": [0], "units": [[0, 3]], "sentences": [[0, 5]]}
    assert TextsAsked.read(json.dumps(values).encode()).asked().plain_units[0] == "a b"
    with pytest.raises(MalformedError):
        TextsAsked.read(json.dumps(values | change).encode())


def test_units_as_long_as_a_book_are_refused() -> None:
    words = "the sea comes in " * 1000
    values = {"challenge": "c", "text": words, "numbers": [*range(99)], "sentences": [[0, len(words)]]}
    for length, is_taken in ((900, True), (len(words), False)):
        raw = json.dumps(values | {"units": [[0, length]] * 99}).encode()
        if is_taken:
            assert len(TextsAsked.read(raw).units) == 99
        else:
            with pytest.raises(MalformedError, match="too long"):
                TextsAsked.read(raw)


def test_parameters_follow_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    protocol.parameters.cache_clear()
    before = protocol.parameters()
    protocol.parameters.cache_clear()
    honest = kernels.units
    monkeypatch.setattr(kernels, "units", lambda utf8, **how: honest(utf8.replace(b"sea", b"sky"), **how))
    assert protocol.parameters() != before
    protocol.parameters.cache_clear()


def test_of_another_version_only_the_version_is_read() -> None:
    assert Hello.decoded(b'{"version": 9, "new": []}').version == 9
    for raw in (b"{}", b'{"version": "1"}', b'{"version": true}', b"7", b"[" * 10**5):
        with pytest.raises(MalformedError):
            Hello.decoded(raw)


def test_fields_are_checked() -> None:
    right = {"epoch": "ab", "holds": True, "units": [3], "claims": [[1, 2]], "titles": ["a"] * 3, "left_out": False}
    assert KeysAnswer.decoded(json.dumps(right).encode(), 4).claims == ((1, 2),)
    for wrong in (
        {"epoch": 5},
        {"epoch": "a" * 201},
        {"epoch": "\ud800"},
        {"holds": 1},
        {"units": "3"},
        {"units": [4]},
        {"units": [3, 3]},
        {"units": [-1]},
        {"units": [True]},
        {"units": [1.0]},
        {"claims": [[1, 2, 3]]},
        {"claims": [[1, 3]]},
        {"claims": [[4, 0]]},
        {"titles": ["a"] * 41},
        {"titles": ["a" * 4097]},
        {"more": 1},
    ):
        with pytest.raises(MalformedError):
            KeysAnswer.decoded(json.dumps(right | wrong).encode(), 4)
    for name in right:
        with pytest.raises(MalformedError, match="it lacks"):
            KeysAnswer.decoded(json.dumps({key: one for key, one in right.items() if key != name}).encode(), 4)
