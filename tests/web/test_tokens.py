"""A user is a token, not its name: who sees what a removed token left, which names are refused."""

import json
from contextlib import closing

import pytest

from pmbf.base.errors import ParameterError
from pmbf.serving.web import database
from pmbf.serving.web.tokens import OWNER, AccessTokens, skeleton
from tests.web.conftest import ESSAY, Client


@pytest.fixture
def tokens(tmp_path):
    with closing(database.opened(tmp_path / "state")) as db:
        made = AccessTokens(db)
        made.own()
        made.add("alice", "screen")
        yield made


def made(client, name, role="screen"):
    """Make a token; return a client that shows it, and its entry."""
    answer = client.ask("POST", "/v1/tokens", json.dumps({"name": name, "role": role}))
    assert answer.status == 201, answer.text
    return Client(client.port, answer.json["token"]), answer.json["entry"]


ALIKE = ("alice", "alice ", " alice", "ALICE", "\u0430lice", "a\u04cf\u0456ce", "a1ice", "\uff41lice", "alice\ufe0f")
NO_NAMES = ("a  b", "a\u3000b", "\u3164", "\u200balice")


@pytest.mark.parametrize("name", [*ALIKE, *NO_NAMES, "owner", "owner ", "Owner", "\u03bfwner", "0wner"])
def test_a_name_that_looks_like_another_is_refused(tokens, name):
    with pytest.raises(ParameterError, match="name"):
        tokens.add(name, "screen")


@pytest.mark.parametrize("name", ["bob", "alicia", "Алиса", "alice b", "Jürgen", "李", "owners"])
def test_a_name_that_looks_like_no_other_is_taken(tokens, name):
    assert tokens.add(name, "screen")[1].name == name
    assert skeleton(name) != skeleton("alice")


def test_the_owner_is_an_admin_even_if_another_token_has_the_name(tokens):
    own = tokens.own()
    tokens.remove(own.id)
    tokens._made(OWNER, "screen")  # as nobody can make it
    again = tokens.own()
    assert (again.role, again.id == own.id) == ("admin", False) and tokens.own() == again


def test_a_new_token_of_an_old_name_sees_nothing_of_the_old_ones(clients, owner):
    old, entry = made(owner, "carol")
    number = old.screened(ESSAY, "&keep_text=1")["screening"]["id"]
    [job] = old.ask("POST", "/v1/screenings", b"a text").json["jobs"]
    old.over(job["id"])
    assert owner.ask("DELETE", f"/v1/tokens/{entry['id']}").status == 204
    new, again = made(owner, "carol")
    assert again["id"] != entry["id"]
    assert new.ask("GET", "/v1/screenings").json["screenings"] == []
    for target in (f"/v1/screenings/{number}", f"/screenings/{number}/evidence", f"/v1/jobs/{job['id']}"):
        assert new.ask("GET", target).status == 404
    assert new.ask("DELETE", f"/v1/screenings/{number}").status == 404
    found = clients["review"].ask("GET", f"/v1/screenings/{number}").json["screening"]
    assert (found["user"], found["user_id"]) == ("carol", entry["id"])
    page = owner.ask("GET", f"/screenings/{number}").text
    assert f"carol (token {entry['id']}, removed)" in page
    own = new.screened(ESSAY)["screening"]["id"]
    assert "<bdi>carol</bdi>" in owner.ask("GET", f"/screenings/{own}").text


def test_a_decision_tells_a_reviewer_who_is_gone_from_one_of_the_same_name(clients, owner):
    old, entry = made(owner, "dora", "review")
    number = clients["screen"].screened(ESSAY)["screening"]["id"]
    body = json.dumps({"source": "harbours", "verdict": "dismissed"})
    assert old.ask("POST", f"/v1/screenings/{number}/decisions", body).json["who_id"] == entry["id"]
    assert "<bdi>dora</bdi>" in owner.ask("GET", f"/screenings/{number}").text
    owner.ask("DELETE", f"/v1/tokens/{entry['id']}")
    made(owner, "dora", "review")
    assert f"<bdi>dora (token {entry['id']}, removed)</bdi>" in owner.ask("GET", f"/screenings/{number}").text
