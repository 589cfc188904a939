"""What comes from outside may have any type and size: it is refused by name, and nothing ends in a traceback."""

from __future__ import annotations

import http.client
import json
import math
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pmbf import Collection
from pmbf.base.errors import PmbfError
from pmbf.sentences.beside import QueryUnits
from pmbf.sites import auditlog, init, opened, private, protocol, read_card
from pmbf.sites.held import title_of
from pmbf.sites.keying import packed, random_ones
from pmbf.sites.protocol import Hello, KeysAnswer, MalformedError
from pmbf.sites.texts import SharedUnits, TextsAnswer
from tests.commands.conftest import run
from tests.sentences.texts import text
from tests.sites.houses import House, houses
from tests.sites.liar import PATIENT
from tests.sites.test_misbehaviour import asked, connected

HOSTILE: list[Any] = [
    *(None, [], {}, [[]], [None], {"a": 1}, -1, 0, 1 << 70, 10**400, 1.5, math.nan, math.inf, -math.inf, True, False),
    *(
        "",
        "\0",
        "\x1b[2J\u202e",
        "../../x",
        "/etc/passwd",
        "a" * (1 << 20),
        "é" * 300,
        [["a"]],
        [[1, 2, 3, 4, 5, 6, 7]],
    ),
]
TEXTS = {"home": {"own": text(0, 1, 2, 3)}, "north": {"tides.txt": text(10, 11, 12, 13)}}


def changed(value: Any) -> Iterator[Any]:
    """Yield a value with each of its parts replaced by each hostile value, and without it."""
    yield from HOSTILE
    if isinstance(value, dict):
        for name in value:
            yield {other: it for other, it in value.items() if other != name}
            yield from ({**value, name: one} for one in changed(value[name]))
    elif isinstance(value, list) and value:
        yield from ([one, *value[1:]] for one in changed(value[0]))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    with houses(tmp_path_factory.mktemp("two"), TEXTS, served=[]) as made:
        made["north"].start(PATIENT)
        made["north"].shows("count", units_a_day=10**9)
        yield made


@pytest.mark.parametrize("path", [protocol.KEYS, protocol.TEXTS, private.POINTS, private.TAGS])
def test_no_question_ends_in_an_error_of_the_site(two: dict[str, House], path: str) -> None:
    connection: http.client.HTTPSConnection = connected(two["home"], two["north"])
    hello = Hello.decoded(asked(connection, "GET", protocol.SITE)[1])
    line: dict[str, Any] = {"challenge": hello.challenge, "epoch": hello.epoch, "seconds": 20}
    rest = b""
    if path == protocol.KEYS:
        line |= {"nonce": secrets.token_hex(16), "n_units": 32, "texts": True}
        rest = b"\n" + packed(random_ones(32, 10))
    elif path == protocol.TEXTS:
        line = {"challenge": hello.challenge, "text": "a bcd", "numbers": [0], "units": [[0, 3]], "sentences": [[0, 5]]}
    elif path == private.POINTS:
        line, rest = line | {"n_keys": 1}, b"\n" + bytes(32)
    else:
        line = {"tags": "0" * 32, "page": 0}
    for one in changed(line):
        status, told = asked(connection, "POST", path, json.dumps(one).encode() + rest)
        assert status == 200 or 400 <= status < 500, (status, told, str(one)[:200])
    for raw in (b"", b"\xff\xfe", b"[" * 200_000, b'{"a":' * 100_000, b"1" * 9000, b"\n", b"\0" * 5000):
        assert 400 <= asked(connection, "POST", path, raw)[0] < 500


def shared() -> SharedUnits:
    return SharedUnits(QueryUnits.of(text(10, 11, 12, 13), "words"), [0, 1])


def decoders() -> dict[str, tuple[dict[str, Any], Callable[[bytes], object]]]:
    """Return each answer as it is right, and what reads it."""
    hello = Hello(protocol.VERSION, "p", "k", "e", "count", 1, 32, ("x",), "c")
    keys = {"epoch": "e", "holds": True, "units": [0], "claims": [[0, 0]], "titles": ["t"], "left_out": False}
    document = {"title": "t", "kind": "text", "text": "abc def", "is_whole": True, "alike": [[0, 5, 0, 3, 9000, 3]],
                "sentences": [[0]], "pairs": [[0, 5, 0, 3, 9000]]}  # fmt: skip
    resembling = {"title": "t", "kind": "text", "text": "abc", "units": [[0, 0, 3]]}
    texts = {"epoch": "e", "n_unread": 0, "documents": [document], "resembling": [resembling]}
    return {
        "hello": (json.loads(hello.encoded()), Hello.decoded),
        "keys": (keys, lambda raw: KeysAnswer.decoded(raw, 32)),
        "texts": (texts, lambda raw: TextsAnswer.decoded(raw, shared())),
    }


@pytest.mark.parametrize("which", ["hello", "keys", "texts"])
def test_an_answer_of_any_types_is_malformed_or_read(which: str) -> None:
    right, decoded = decoders()[which]
    decoded(json.dumps(right).encode())
    n_refused = 0
    for one in changed(right):
        try:
            decoded(json.dumps(one).encode())
        except MalformedError:
            n_refused += 1
    assert n_refused > 100


def test_a_registry_of_any_types_is_damaged_or_read(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    made = init(folder, "home")
    (tmp_path / "card.json").write_text(json.dumps(_card(init(tmp_path / "north", "north").own)))
    assert run("site", "--registry", folder, "add", tmp_path / "card.json").exit_code == 0
    right = json.loads((folder / "registry.json").read_text())
    for one in changed(right):
        (folder / "registry.json").write_text(json.dumps(one))
        try:
            assert opened(folder).own.name == made.own.name
        except PmbfError as error:
            assert str(folder) in str(error)
    for raw in (b"", b"\xff\xfe", b"[" * 200_000, b"1" * 9000):
        (folder / "registry.json").write_bytes(raw)
        assert run("site", "--registry", folder, "list").exit_code == 3


def _card(card: object) -> dict[str, Any]:
    return {name: getattr(card, name) for name in ("name", "address", "contact", "certificate")}


def test_a_card_of_any_types_is_refused_with_its_file(tmp_path: Path) -> None:
    right, path = _card(init(tmp_path / "north", "north").own), tmp_path / "card.json"
    for one in changed(right):
        path.write_text(json.dumps(one))
        try:
            card = read_card(path)
        except PmbfError as error:
            assert str(path) in str(error)
        else:
            assert card.name == "north" and card.certificate == right["certificate"]
    for raw in (b"", b"\xff\xfe", b"[" * 15_000, b"1" * 9000, b"x" * 30_000):
        path.write_bytes(raw)
        with pytest.raises(PmbfError):
            read_card(path)


NAMES = [
    *(
        "",
        ".",
        "..",
        "../x",
        "/etc/x",
        "a/b",
        "a\0b",
        "a" * 41,
        "a" * 300,
        "North",
        "n\u043erth",
        "nort\u04bb",
        "-north",
    ),
    *("north\n", " north", "north ", "north.json", "\u202enorth", "NUL:", "a\\b"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_no_file_should_have_is_refused_everywhere(tmp_path: Path, name: str) -> None:
    init(tmp_path / "home", "home")
    right = _card(init(tmp_path / "north", "north").own)
    (tmp_path / "card.json").write_text(json.dumps(right | {"name": name}))
    for words in (("add", tmp_path / "card.json"), ("init", name), ("remove", name), ("policy", name)):
        where = tmp_path / ("other" if words[0] == "init" else "home")
        done = run("site", "--registry", where, words[0], "--", *words[1:])
        assert done.exit_code in (2, 3), words
    assert not (tmp_path / "other").exists() and opened(tmp_path / "home").partners == {}


@pytest.mark.parametrize(("name", "like"), [("n0rth", "north"), ("nor-th", "north"), ("horne", "home")])
def test_a_name_that_looks_like_a_known_one_is_refused(tmp_path: Path, name: str, like: str) -> None:
    init(tmp_path / "home", "home")
    done = []
    for one in ("north", "south", name):
        (tmp_path / "card.json").write_text(json.dumps(_card(init(tmp_path / "new" / one, one).own)))
        done.append(run("site", "--registry", tmp_path / "home", "add", tmp_path / "card.json", "--replace"))
    assert [one.exit_code for one in done] == [0, 0, 2]
    assert f"looks like {like}" in " ".join(done[-1].stderr.split())


def test_a_log_whose_lines_have_other_types_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    right = {"time": "2026-01-01T00:00:00Z", "side": "site", "partner": "north", "event": "words", "n_units": 3,
             "before": auditlog.NOTHING_BEFORE}  # fmt: skip
    for one in changed(right):
        log.write_text(json.dumps(one) + "\n")
        auditlog.units_today(log)
        try:
            list(auditlog.lines(log))
        except PmbfError as error:
            assert str(log) in str(error)


def test_a_document_whose_name_is_no_utf8_is_told_by_its_title(two: dict[str, House], tmp_path: Path) -> None:
    assert title_of("/a/caf\udce9.txt") == "caf?.txt" and len(title_of("a" * 9000)) == protocol.MOST_TITLE_CHARS
    (tmp_path / "caf\udce9.txt").write_text(text(20, 21))
    with Collection(two["north"].collection) as collection:
        collection.load([tmp_path])
    for level in ("title", "text"):
        two["north"].shows(level, units_a_day=10**9)
        for texts in (False, True):
            report = two["home"].asks(text(20, 21), texts=texts)
            assert report.problems == ()
            assert [one.document.path for one in report.sources] == ["north: caf?.txt"]
