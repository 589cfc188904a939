"""Sites that are down, late, flooded or lying: no wrong answer, and each is said with the site's name."""

from __future__ import annotations

import http.client
import json
import secrets
import shutil
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pmbf import Collection
from pmbf.intake.texts import Text
from pmbf.screen.templates import Pattern, Template
from pmbf.screen.templates.cutting import SectionPatterns
from pmbf.sentences import SentenceReport
from pmbf.sentences.beside import QueryUnits
from pmbf.sites import Partner, Registry, Sites, init, protocol
from pmbf.sites.answering import ASKS_A_MINUTE
from pmbf.sites.client import Conversation, PartnerAnswer
from pmbf.sites.keying import packed, random_ones
from pmbf.sites.protocol import Hello, KeysAsked
from pmbf.sites.registry import parse_address
from pmbf.sites.server import MOST_HANDSHAKES
from pmbf.sites.texts import SharedUnits
from pmbf.sites.tls import client_context
from tests.commands.conftest import run
from tests.sentences.texts import text
from tests.sites.houses import House, copied, houses, until
from tests.sites.liar import LIES

TEXTS = {
    "home": {"own": text(0, 1, 2, 3)},
    "north": {"tides": text(10, 11, 12, 13)},
    "south": {"reef": text(20, 21, 22)},
}
QUERY = text(1, 2, 30, 11, 12, 31, 32, 21, 22, 33)
WORDS_ALONE = {"endless units", "other words", "more alike", "less than alike", "outside the text",
               "outside the document", "other sentences", "longer stretches"}  # fmt: skip
"""Lies that need words of the query."""
SLOW = {"dripping", "sleeping"}
"""They take as long with words as without."""

SAID = {
    "version": "it speaks version 1 of the protocol, and this pmbf version 2; upgrade it",
    "parameters": "its parameters are others",
    "epoch": "its epoch has changed within the task",
    "echoes": "it refuses (403): the words of your text",
    "dripping": "it did not answer within 2.5 s",
    "sleeping": "it did not answer within 2.5 s",
}
"""What is said of a lie; of all others that they cannot be."""


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    """Three houses that no test changes; none is served."""
    with houses(tmp_path_factory.mktemp("pattern"), TEXTS, served=[]) as made:
        for name in ("north", "south"):
            made[name].shows("text")
        yield made


@pytest.fixture
def three(pattern: dict[str, House], tmp_path: Path) -> Iterator[dict[str, House]]:
    with copied(pattern, tmp_path, served=["south"]) as made:
        yield made


@pytest.fixture(scope="module")
def lied_to(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, House], dict[bool, SentenceReport]]]:
    """Three houses, and what home finds without north, with and without consent."""
    with houses(tmp_path_factory.mktemp("lied_to"), TEXTS, served=["south"]) as made:
        for name in ("north", "south"):
            made[name].shows("text")
        yield made, {texts: made["home"].asks(QUERY, "south", texts=texts) for texts in (False, True)}


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_site_changes_nothing_and_is_said(
    lied_to: tuple[dict[str, House], dict[bool, SentenceReport]], lie: str
) -> None:
    three, without = lied_to
    north = three["north"]
    north.start(lie)
    try:
        for texts in [True] if lie in WORDS_ALONE | SLOW else [False, True]:
            told = three["home"].asks(QUERY, texts=texts, seconds=2.5 if lie in SLOW else 20)
            (problem,) = told.problems
            assert problem.startswith(f"north: {SAID.get(lie, 'it answers what cannot be')}")
            assert told.sites[0].problem and told.sites[1] == without[texts].sites[0]
            assert [one.outcome for one in told.sentences] == [one.outcome for one in without[texts].sentences]
            assert [(one.document.path[:5], one.n_sentences, one.pairs) for one in told.sources] == [
                (one.document.path[:5], one.n_sentences, one.pairs) for one in without[texts].sources
            ]
        assert "your text" not in three["home"].registry.log_file.read_text(), "words of a site are not logged"
    finally:
        north.stop()


def test_a_site_that_is_down_or_frozen_is_said(three: dict[str, House]) -> None:
    home, south = three["home"], three["south"]
    report = home.asks(QUERY)
    assert report.problems == ("north: it cannot be reached: Connection refused",)
    assert south.process
    south.process.send_signal(signal.SIGSTOP)
    assert home.asks(QUERY, "south", seconds=1.5).problems == ("south: it did not answer within 1.5 s",)
    south.process.send_signal(signal.SIGCONT)
    assert home.asks(QUERY, "south").problems == ()


def test_the_command_ends_with_3_if_a_site_is_down_and_nothing_is_found(three: dict[str, House]) -> None:
    home = three["home"]
    query = home.folder / "clean.txt"
    query.write_text(text(40, 41, 42))
    words = ("site", "--registry", home.folder / "registry", "ask", query, "-c", home.collection)
    assert run(*words, "--sites", "south").exit_code == 0
    result = run(*words, "--sites", "all", "--param", "seconds=5")
    assert result.exit_code == 3
    assert "Incomplete: north: it cannot be reached" in result.stdout


# ---------------------------------------------------------------------- questions that a site refuses


def connected(house: House, to: House) -> http.client.HTTPSConnection:
    card = to.registry.own
    host, port = parse_address(card.address)
    return http.client.HTTPSConnection(host, port, context=client_context(house.registry, card), timeout=20)


def asked(connection: http.client.HTTPSConnection, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    connection.request(method, path, body or None)
    response = connection.getresponse()
    return response.status, response.read()


def question(house: House, to: House) -> bytes:
    """Return a question about random keys, of a task of its own."""
    hello = Hello.decoded(asked(connected(house, to), "GET", protocol.SITE)[1])
    message = KeysAsked(hello.challenge, secrets.token_hex(16), hello.epoch, 32, True, 20)
    return message.encoded(packed(random_ones(32, protocol.N_KEYS)))


def reason(answer: tuple[int, bytes]) -> tuple[int, str]:
    return answer[0], json.loads(answer[1])["error"]


def test_a_replayed_task_is_refused(three: dict[str, House]) -> None:
    home, north, south = (three[name] for name in ("home", "north", "south"))
    body = question(home, south)
    assert asked(connected(home, south), "POST", protocol.KEYS, body)[0] == 200
    again = reason(asked(connected(home, south), "POST", protocol.KEYS, body))
    assert again == (409, "this task was asked before; a task is asked once")
    other = question(home, south)
    foreign = reason(asked(connected(north, south), "POST", protocol.KEYS, other))
    assert foreign == (409, "this task is unknown or has ended; ask the site for a new challenge")
    made_up = other.replace(other[14:46], b"0" * 32)
    assert reason(asked(connected(home, south), "POST", protocol.KEYS, made_up))[0] == 409


def test_words_that_nobody_announced_are_refused(three: dict[str, House]) -> None:
    home, south = three["home"], three["south"]
    hello = Hello.decoded(asked(connected(home, south), "GET", protocol.SITE)[1])
    words = {"challenge": hello.challenge, "text": "a b", "numbers": [0], "units": [[0, 3]], "sentences": [[0, 3]]}
    answer = reason(asked(connected(home, south), "POST", protocol.TEXTS, json.dumps(words).encode()))
    assert answer[0] == 409 and "no words are expected" in answer[1]


@pytest.mark.parametrize("body", [b"", b"{}", b"[]\n", b"{}\n" + bytes(60), b"\xff", b'{"challenge": 1}\n' + bytes(60)])
def test_a_malformed_question_is_refused(three: dict[str, House], body: bytes) -> None:
    for path in (protocol.KEYS, protocol.TEXTS):
        status, _ = reason(asked(connected(three["home"], three["south"]), "POST", path, body or b" "))
        assert status == 400
    assert three["home"].asks(QUERY, "south").problems == ()


def test_a_flood_is_refused_and_others_are_answered(three: dict[str, House]) -> None:
    home, north, south = (three[name] for name in ("home", "north", "south"))
    connection = connected(north, south)
    statuses = [asked(connection, "GET", protocol.SITE)[0] for _ in range(ASKS_A_MINUTE + 5)]
    assert statuses == [200] * ASKS_A_MINUTE + [429] * 5
    assert home.asks(QUERY, "south").problems == ()
    assert north.asks(QUERY, "south").problems == ("south: it refuses (429): you may ask 120 times a minute",)
    log = (south.folder / "registry" / "log.jsonl").read_text()
    assert log.count('"refused"') == 1, "a flood does not fill the log"


def test_a_partner_with_many_connections_leaves_places_for_others(three: dict[str, House]) -> None:
    home, north, south = (three[name] for name in ("home", "north", "south"))
    held = [connected(north, south) for _ in range(64)]
    try:
        for connection in held:
            connection.connect()
        assert home.asks(QUERY, "south").problems == ()
        assert north.asks(QUERY, "south").problems
    finally:
        for connection in held:
            connection.close()
    until(lambda: not north.asks(QUERY, "south").problems)


def test_half_open_handshakes_end_when_others_come(three: dict[str, House]) -> None:
    home, south = three["home"], three["south"]
    address = parse_address(south.registry.own.address)
    silent = [socket.create_connection(address) for _ in range(MOST_HANDSHAKES)]
    try:
        for _ in range(3):
            assert home.asks(QUERY, "south").problems == ()
        later = [socket.create_connection(address) for _ in range(MOST_HANDSHAKES)]
        for connection in silent:
            connection.settimeout(5)  # a handshake alone would have 10 s
            assert connection.recv(1) == b"", "the site has ended the oldest handshakes"
        silent += later
        assert home.asks(QUERY, "south").problems == ()
    finally:
        for connection in silent:
            connection.close()


def test_units_of_a_day_are_limited_even_after_a_restart(three: dict[str, House]) -> None:
    home, south = three["home"], three["south"]
    south.shows("text", units_a_day=50)
    assert home.asks(QUERY, "south").problems == ()
    told = "south: it refuses (429): you may ask for 18 more units today, and the task has 32"
    assert home.asks(QUERY, "south").problems == (told,)
    south.stop()
    south.start()
    assert home.asks(QUERY, "south").problems == (told,)


def test_strangers_and_those_who_were_taken_out_learn_nothing(three: dict[str, House], tmp_path: Path) -> None:
    home, south = three["home"], three["south"]
    shutil.copytree(home.collection, tmp_path / "stranger" / "c.pmbf")
    init(tmp_path / "stranger" / "registry", "stranger")
    stranger = House(tmp_path / "stranger", "stranger")
    stranger.knows(south)
    (problem,) = stranger.asks(QUERY).problems
    assert problem.startswith("south: ") and problem.endswith("it may not know our certificate")
    registry = south.registry
    replace(registry, partners={name: one for name, one in registry.partners.items() if name != "home"}).stored()
    assert home.asks(QUERY, "south").problems == ("south: it refuses (403): this site does not know your certificate",)


def test_another_federation_key_is_said(three: dict[str, House]) -> None:
    home = three["home"]
    key = home.folder / "registry" / "federation.key"
    key.write_text(f"pmbf-site-key 1 {secrets.token_hex(16)}\n")
    assert home.asks(QUERY, "south").problems == ("south: its federation key is another one",)


def test_another_certificate_is_said(three: dict[str, House], tmp_path: Path) -> None:
    home, south = three["home"], three["south"]
    impostor: Registry = init(tmp_path / "impostor", "south")
    card = replace(south.registry.own, certificate=impostor.own.certificate)
    home.registry.with_partner(Partner(card)).stored()
    problem = "south: it shows another certificate than the registry has"
    assert home.asks(QUERY, "south").problems == (problem,)


class Interrupted(Conversation):
    """A conversation in which the site's collection changes behind the first hello."""

    house: House
    site: House
    times = 1

    def _greeted(self) -> Hello:
        hello = super()._greeted()
        if self.times:
            self.times -= 1
            with Collection(self.site.collection) as collection:
                collection.add(text(60, 61, 62 + self.times), name=f"late {self.times}")
            asked(connected(self.house, self.site), "GET", protocol.SITE)  # the site sees that it has changed
        return hello


@pytest.mark.parametrize("times", [1, 2])
def test_a_collection_that_changes_within_a_task_is_asked_anew(three: dict[str, House], times: int) -> None:
    home, south = three["home"], three["south"]
    query = QueryUnits.of(text(60, 61), protocol.CODE)
    partner = home.registry.partner("south")
    Interrupted.times, Interrupted.house, Interrupted.site = times, home, south
    asking = Interrupted(home.registry, partner, query, range(len(query.spans)), False, 20)
    asking.run()
    answer: PartnerAnswer = asking.answer
    if times == 1:
        assert answer.problem is None and answer.titles == ("late 0",)
    else:
        assert answer.problem and "the epoch has changed" in answer.problem and not answer.claims


# ---------------------------------------------------------------------- what must not come out


def test_a_level_that_is_lowered_within_a_task_counts_at_once(three: dict[str, House]) -> None:
    home, south = three["home"], three["south"]
    query = QueryUnits.of(text(20, 21, 22), protocol.CODE)
    asking = Lowered(home.registry, home.registry.partner("south"), query, range(len(query.spans)), True, 20)
    Lowered.site = south
    asking.run()
    assert asking.answer.problem == "it refuses (403): this site does not compare words for you"
    assert asking.answer.texts is None


class Lowered(Conversation):
    """A conversation in which the site takes back its level before the words come."""

    site: House

    def _exchanged(self, method: str, path: str, body: bytes = b"") -> bytes:
        if path == protocol.TEXTS:
            self.site.shows("none")
        return super()._exchanged(method, path, body)


def test_an_error_of_a_site_names_no_path(three: dict[str, House]) -> None:
    home, south = three["home"], three["south"]
    private = south.registry.private_file
    private.chmod(0o644)
    assert home.asks(QUERY, "south").problems == (
        "south: it refuses (500): the site cannot answer now; ask its contact",
    )
    private.chmod(0o600)
    assert home.asks(QUERY, "south").problems == ()


def test_a_site_that_claims_every_unit_is_told_whatever_their_number(three: dict[str, House]) -> None:
    home = three["home"]
    query = QueryUnits.of(text(*range(100, 132)), protocol.CODE)
    for n in range(1, len(query.spans) + 1):
        asking = Conversation(home.registry, home.registry.partner("south"), query, range(n), True, 20)
        order = asking._filled_up()
        assert len(order) % 32 == 0 and order.count(-1) >= protocol.LEAST_RANDOM
        assert [one for one in order if one >= 0] == [*range(n)]


@pytest.mark.parametrize("whole", [False, True])
def test_words_of_skipped_sections_are_never_sent(three: dict[str, House], whole: bool) -> None:
    home, south = three["home"], three["south"]
    skip = SectionPatterns("office", "skip", (Pattern("Seal"),))
    shown = text(20), text(21), text(22)
    query = f"{shown[0]}\n\nSeal\nQuixada\n\n{shown[1]}\n\nSeal\n{text(10, 11)}\n\n{shown[2]}"
    rest = SectionPatterns("text", "compare", tuple(Pattern(one[:40] + "*") for one in shown))
    template = Template("form", (rest, skip))
    with Collection(home.collection) as collection:
        at_home = collection.screen_sentences(query, template=template)
    hidden = [query[one.start : one.stop] for one in at_home.skipped]
    assert len(hidden) == 2 and "Quixada" in hidden[0] and text(10, 11) in hidden[1]
    sent: list[SharedUnits] = []
    made = SharedUnits.__init__

    def kept(self: SharedUnits, *given: object) -> None:
        made(self, *given)  # type: ignore[arg-type]
        sent.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SharedUnits, "__init__", kept)
        sites = Sites(home.registry, [home.registry.partner("south")], texts=True, whole=whole)
        report = sites.ask(at_home, Text("", query))
    assert not report.problems and report.n_found >= 2
    (shared,) = sent
    assert all(one[:60] in shared.text for one in shown)
    assert "Seal" not in shared.text and "Quixada" not in shared.text and text(10, 11)[:15] not in shared.text
    assert "skipped" in {one.outcome for one in report.sentences}
    assert south.registry.log_file.read_text().count('"words"') == 1
