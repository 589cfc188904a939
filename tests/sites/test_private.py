"""Private questions: a site has keys of a text, and does not learn which were asked."""

from __future__ import annotations

import builtins
import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pmbf import Collection
from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.sentences import Sentences
from pmbf.sentences.beside import QueryUnits
from pmbf.sites import Sites, auditlog, private, protocol
from pmbf.sites.client import Conversation
from pmbf.sites.keying import Keys, top_bits
from pmbf.sites.protocol import Hello, MalformedError
from pmbf.store.folder import Store
from pmbf.store.sitekey import SiteKey
from tests.commands.conftest import run
from tests.sentences.texts import text
from tests.sites.houses import House, houses
from tests.sites.test_misbehaviour import asked, connected, reason

pytest.importorskip("nacl", reason="needs the extra 'psi'")

from pmbf.sites import tagging
from pmbf.sites.private import PointsAsked, PrivateQuestion, TagsAsked
from pmbf.sites.tagging import TagSet, id_of, packed_tags, unpacked_tags

TEXTS = {
    "home": {"own": text(0, 1, 2, 3)},
    "north": {"/secret/folder/tides.txt": text(10, 11, 12, 13)},
    "south": {"reef.txt": text(20, 21, 22)},
}
QUERY = text(1, 2, 30, 11, 12, 31, 32, 21, 22, 33)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    """North answers private questions, south does not."""
    with houses(tmp_path_factory.mktemp("houses"), TEXTS, served=["south"]) as made:
        made["north"].start("", "--private")
        yield made


def home_of(three: dict[str, House], level: str = "private") -> House:
    for name in ("north", "south"):
        three[name].shows(level)
    return three["home"]


# ---------------------------------------------------------------------- processes with TLS


def test_a_private_question_claims_what_a_question_by_keys_claims(three: dict[str, House]) -> None:
    home = home_of(three, "count")
    by_keys, privately = home.asks(QUERY, "north"), home.asks(QUERY, "north", private=True)
    assert privately.problems == () and privately.n_claimed == by_keys.n_claimed > 0
    assert [one.outcome for one in privately.sentences] == [one.outcome for one in by_keys.sentences]
    (site,) = privately.sites
    assert site.n_shared == 0 and 0 < site.n_equal < site.n_keys
    assert [one.document.path for one in privately.sources if one.claimed] == ["north: its documents"]
    assert f"{site.n_equal} of their {site.n_keys} keys are there" in site.told


def test_the_number_of_equal_keys_is_that_of_a_plain_comparison(three: dict[str, House]) -> None:
    home = home_of(three)
    (site,) = home.asks(QUERY, "north", private=True, whole=True).sites
    ours = top_bits(QueryUnits.of(QUERY, protocol.CODE).units.keys, 32)
    with Store(three["north"].collection) as store:
        known = Sentences(store).known_keys()
    assert site.n_keys == len(np.unique(ours))
    assert site.n_equal == len(np.intersect1d(ours, known)) > 0


def test_the_log_of_the_site_has_the_number_of_keys_and_nothing_of_the_answer(three: dict[str, House]) -> None:
    home_of(three).asks(QUERY, "north", private=True)
    line = [*auditlog.lines(three["north"].registry.log_file)][-1]
    assert (line["event"], line["n_keys"] % 320, line["n_units"]) == ("private", 0, line["n_keys"] // 10)
    assert "holds" not in line and "n_documents" not in line


def test_two_questions_about_one_text_have_no_point_in_common(three: dict[str, House]) -> None:
    keys = QueryUnits.of(QUERY, protocol.CODE).units.keys
    first, second = PrivateQuestion(keys), PrivateQuestion(keys)
    assert not set(first.points) & set(second.points) and len(first.points) % 320 == 0
    assert len(first.points) >= first.n_distinct + 40


def test_at_the_level_private_other_questions_are_refused(three: dict[str, House]) -> None:
    home = home_of(three)
    refusal = "north: it refuses (403): this site answers private questions alone; ask with --private"
    for texts in (False, True):
        assert home.asks(QUERY, "north", texts=texts).problems == (refusal,)
    told = "south: it refuses (403): this site answers no private questions; it was started without --private"
    assert home.asks(QUERY, "south", private=True).problems == (told,)


@pytest.mark.parametrize("level", ["none", "closed"])
def test_none_and_closed_answer_no_private_question(three: dict[str, House], level: str) -> None:
    (problem,) = home_of(three, level).asks(QUERY, "north", private=True).problems
    assert problem.startswith("north: it refuses (403): this site does not answer ")


def test_a_loaded_document_counts_from_the_next_question_on_and_a_removed_one_no_more(three: dict[str, House]) -> None:
    home = home_of(three)
    claimed = [home.asks(text(50, 51, 52), "north", private=True).n_claimed]
    for change in ("add", "remove"):
        with Collection(three["north"].collection) as collection:
            collection.add(text(50, 51, 52), name="new") if change == "add" else collection.remove("new")
            collection.compact()
        claimed.append(home.asks(text(50, 51, 52), "north", private=True).n_claimed)
    assert claimed == [0, 3, 0]


def test_tags_are_given_once(three: dict[str, House], monkeypatch: pytest.MonkeyPatch) -> None:
    home, paths = home_of(three), list[str]()
    exchanged = Conversation._exchanged

    def noted(self: Conversation, method: str, path: str, body: bytes = b"") -> bytes:
        paths.append(path)
        return exchanged(self, method, path, body)

    monkeypatch.setattr(Conversation, "_exchanged", noted)
    (home.registry.folder / "tags" / "north").unlink(missing_ok=True)
    for _ in range(2):
        assert home.asks(QUERY, "north", private=True).n_claimed > 0
    assert paths == [protocol.SITE, private.POINTS, private.TAGS, protocol.SITE, private.POINTS]
    (home.registry.folder / "tags" / "north").write_bytes(bytes(80))
    assert home.asks(QUERY, "north", private=True).n_claimed > 0, "damaged ones are asked for anew"


def test_a_private_question_is_asked_once_and_counts_for_the_day(three: dict[str, House]) -> None:
    home, north = home_of(three), three["north"]
    hello = Hello.decoded(asked(connected(home, north), "GET", protocol.SITE)[1])
    points = PrivateQuestion(np.array([[7] * 10], np.uint64)).points
    body = PointsAsked(hello.challenge, hello.epoch, len(points), 20).encoded(b"".join(points))
    assert asked(connected(home, north), "POST", private.POINTS, body)[0] == 200
    assert reason(asked(connected(home, north), "POST", private.POINTS, body))[0] == 409
    north.shows("private", units_a_day=1)
    (problem,) = home.asks(QUERY, "north", private=True).problems
    assert "it refuses (429): you may ask for 0 more units today" in problem
    north.shows("private", units_a_day=20_000)


@pytest.mark.parametrize("body", [b"{}", b"[]\n", b"\xff", b'{"n_keys": 0}\n', b'{"n_keys": 2}\n' + bytes(63)])
def test_a_malformed_private_question_is_refused(three: dict[str, House], body: bytes) -> None:
    home, north = home_of(three), three["north"]
    for path in (private.POINTS, private.TAGS):
        assert reason(asked(connected(home, north), "POST", path, body))[0] == 400
    hello = Hello.decoded(asked(connected(home, north), "GET", protocol.SITE)[1])
    for point in (bytes(32), b"\1" + bytes(31), b"\xff" * 32):  # none, of small order, not canonical
        message = PointsAsked(hello.challenge, hello.epoch, 1, 20).encoded(point)
        assert reason(asked(connected(home, north), "POST", private.POINTS, message))[0] in (400, 409)
    tags = TagsAsked("0" * 32, 0).encoded()
    assert reason(asked(connected(home, north), "POST", private.TAGS, tags))[0] == 409


@pytest.mark.parametrize("lie", ["random tags", "all points one", "no points"])
def test_a_lying_site_is_said(three: dict[str, House], monkeypatch: pytest.MonkeyPatch, lie: str) -> None:
    home = home_of(three)
    exchanged = Conversation._exchanged

    def lied(self: Conversation, method: str, path: str, body: bytes = b"") -> bytes:
        raw = exchanged(self, method, path, body)
        line, _, points = raw.partition(b"\n")
        if path == private.TAGS and lie == "random tags":
            return packed_tags(np.sort(np.frombuffer(secrets.token_bytes(800), "<u8") >> 16).astype(np.uint64))
        if path == private.POINTS and lie == "no points":
            return line + b"\n" + bytes(len(points))
        if path == private.POINTS and lie == "all points one":
            return line + b"\n" + points[:32] * (len(points) // 32)
        return raw

    (home.registry.folder / "tags" / "north").unlink(missing_ok=True)
    monkeypatch.setattr(Conversation, "_exchanged", lied)
    report = home.asks(QUERY, "north", private=True)
    assert report.n_claimed == 0
    if lie != "all points one":  # all points of a site that has one are of no key
        assert report.problems[0].startswith("north: it answers what cannot be: ")


def test_the_command_asks_privately(three: dict[str, House]) -> None:
    home = home_of(three)
    query = home.folder / "query.txt"
    query.write_text(QUERY)
    words = ("site", "--registry", home.folder / "registry", "ask", query, "-c", home.collection)
    result = run(*words, "--sites", "north", "--private", "--json")
    assert result.exit_code == 1
    (site,) = json.loads(result.stdout)["sites"]
    assert site["n_keys"] > site["n_equal"] > 0
    refused = run(*words, "--sites", "north", "--private", "--share-matched")
    assert refused.exit_code == 2 and "words would tell" in " ".join(refused.stderr.split())


# ---------------------------------------------------------------------- parts


def test_without_the_extra_the_error_says_what_to_install(
    three: dict[str, House], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def missing(name: str, *given: object, **more: object) -> object:
        if name == "nacl":
            raise ImportError(name)
        return real(name, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", missing)
    registry = three["home"].registry
    with pytest.raises(UnsupportedError, match=r"pip install 'pmbf\[psi\]'") as told:
        Sites(registry, registry.named("north"), private=True)
    assert told.value.missing_extra == "psi"
    result = run("site", "--registry", registry.folder, "serve", "--private", "-c", three["north"].collection)
    assert result.exit_code == 3 and "pip install 'pmbf[psi]'" in result.stderr


def test_words_are_not_sent_in_private(three: dict[str, House]) -> None:
    registry = three["home"].registry
    with pytest.raises(ParameterError, match="words would tell what is asked"):
        Sites(registry, registry.named("north"), texts=True, private=True)


def keys_of(*numbers: int) -> Keys:
    return np.array(sorted(numbers), np.uint64) << np.uint64(32)


def test_only_new_keys_get_tags_and_the_others_keep_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = TagSet(tmp_path)
    first.cover(keys_of(*range(50)))
    made = list[int]()
    points_of = tagging.points_of
    monkeypatch.setattr("pmbf.sites.tagging.points_of", lambda keys, of: made.append(len(keys)) or points_of(keys, of))
    again = TagSet(tmp_path)
    again.cover(keys_of(*range(10, 60)))
    assert made == [10] and again.n_tags == 50
    fresh = TagSet(tmp_path)
    assert fresh.id == again.id != first.id
    (tmp_path / "psi.tags").unlink()
    fresh = TagSet(tmp_path)
    fresh.cover(keys_of(*range(10, 60)))
    assert fresh.id == again.id


@pytest.mark.parametrize("damage", ["a byte", "another secret"])
def test_damaged_tags_and_those_of_another_secret_are_made_anew(tmp_path: Path, damage: str) -> None:
    first = TagSet(tmp_path)
    first.cover(keys_of(1, 2, 3))
    if damage == "a byte":
        content = bytearray((tmp_path / "psi.tags").read_bytes())
        content[-1] ^= 1
        (tmp_path / "psi.tags").write_bytes(content)
    else:
        (tmp_path / "psi.key").unlink()
    again = TagSet(tmp_path)
    assert again.n_tags == 0
    again.cover(keys_of(1, 2, 3))
    assert (again.id == first.id) == (damage == "a byte")


def test_a_question_finds_the_keys_that_are_there_and_no_others(tmp_path: Path) -> None:
    site = TagSet(tmp_path)
    site.cover(keys_of(*range(0, 40, 2)))
    question = PrivateQuestion(keys_of(*range(40)).reshape(4, 10))
    tags = unpacked_tags(site.page(0), site.n_tags)
    assert id_of(tags) == site.id
    assert question.found(site.multiplied(question.points), tags) == (20, [5, 5, 5, 5])
    every = tagging.tags_of(tagging.multiplied(site.multiplied(question.points), tagging.inverse(question._secret)))
    with pytest.raises(MalformedError, match="random keys"):
        question.found(site.multiplied(question.points), every)


def test_points_of_another_secret_find_nothing() -> None:
    ours, other = (tagging.secret_of(SiteKey(bytes([n] * 16))) for n in (1, 2))
    tags = tagging.tags_of(tagging.points_of(keys_of(*range(10)), ours))
    question = PrivateQuestion(keys_of(*range(10)).reshape(1, 10))
    assert question.found(tagging.multiplied(question.points, ours), tags)[0] == 10
    assert question.found(tagging.multiplied(question.points, other), tags)[0] == 0


def test_many_points_are_multiplied_in_order() -> None:
    secret = tagging.random_secret()
    points = tagging.points_of(keys_of(*range(1200)), secret)
    assert points[1100:1110] == tagging.points_of(keys_of(*range(1100, 1110)), secret)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_pages_of_tags_with_fewer_or_more_are_refused(n: int) -> None:
    raw = packed_tags(np.arange(3, dtype=np.uint64))
    with pytest.raises(MalformedError):
        unpacked_tags(raw, n)
    with pytest.raises(MalformedError):
        unpacked_tags(raw[: len(raw) // 2], 3)
