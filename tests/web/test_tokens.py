"""A user is a token, not its name: who sees what a removed token left, which names are refused, old state folders."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from pmbf import Collection
from pmbf.errors import CorruptError, ParameterError
from pmbf.web import state, sums
from pmbf.web.history import History
from pmbf.web.names import skeleton
from pmbf.web.tokens import OWNER, Tokens, hashed
from tests.web.conftest import ESSAY, SHARED, Client

VERSION_2 = """
CREATE TABLE "screenings" ("id" TEXT PRIMARY KEY, "user" TEXT, "name" TEXT, "sha256" TEXT, "time" REAL,
    "generation" INTEGER, "share" REAL, "n_sources" INTEGER, "n_chars" INTEGER, "is_complete" INTEGER);
CREATE INDEX "idx_screenings_time" ON "screenings" ("time");
CREATE VIRTUAL TABLE "screenings_fts" USING FTS5 ("name", tokenize='unicode61', content="screenings");
CREATE TRIGGER "screenings_ai" AFTER INSERT ON "screenings" BEGIN
  INSERT INTO "screenings_fts" (rowid, "name") VALUES (new.rowid, new."name"); END;
CREATE TRIGGER "screenings_ad" AFTER DELETE ON "screenings" BEGIN
  INSERT INTO "screenings_fts" ("screenings_fts", rowid, "name") VALUES('delete', old.rowid, old."name"); END;
CREATE TRIGGER "screenings_au" AFTER UPDATE ON "screenings" BEGIN
  INSERT INTO "screenings_fts" ("screenings_fts", rowid, "name") VALUES('delete', old.rowid, old."name");
  INSERT INTO "screenings_fts" (rowid, "name") VALUES (new.rowid, new."name"); END;
CREATE TABLE "reports" ("id" TEXT PRIMARY KEY, "body" BLOB);
CREATE TABLE "sentences" ("id" TEXT PRIMARY KEY, "body" BLOB);
CREATE TABLE "texts" ("id" TEXT PRIMARY KEY, "body" BLOB);
CREATE TABLE "decisions" ("screening" TEXT, "source" TEXT, "verdict" TEXT, "who" TEXT, "time" REAL, "note" TEXT,
    PRIMARY KEY ("screening", "source"));
CREATE TABLE "tokens" ("id" TEXT PRIMARY KEY, "name" TEXT, "role" TEXT, "created" REAL, "expires" REAL,
    "last_used" REAL, "hash" TEXT);
CREATE TABLE "sessions" ("hash" TEXT PRIMARY KEY, "token" TEXT, "expires" REAL);
PRAGMA user_version = 2;
"""


@pytest.fixture
def tokens(tmp_path):
    with closing(state.opened(tmp_path / "state")) as db:
        made = Tokens(db)
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


def test_the_owner_is_an_admin_even_if_an_old_token_has_the_name(tokens):
    own = tokens.own()
    tokens.remove(own.id)
    tokens._made(OWNER, "screen")  # as an earlier version let it be made
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


def test_a_state_of_version_2_is_read_and_each_screening_has_the_token_that_made_it(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    with Collection(tmp_path / "library", create=True) as collection:
        collection.add(SHARED, name="harbours")
        report = collection.screen(ESSAY, name="essay")
    with closing(sqlite3.connect(folder / "history.db")) as db:
        db.executescript(VERSION_2)
        db.execute("INSERT INTO tokens VALUES ('aa', 'alice', 'review', 100, NULL, NULL, ?)", [hashed("secret")])
        db.execute("INSERT INTO tokens VALUES ('ab', 'alice ', 'screen', 100, NULL, NULL, 'x')")
        for number, user, when in (("1", "alice", 50), ("2", "alice", 150), ("3", "bob", 150), ("4", "alice ", 150)):
            db.execute("INSERT INTO screenings VALUES (?, ?, 'essay', '', ?, 1, 0.5, 1, 9, 1)", [number, user, when])
            db.execute("INSERT INTO decisions VALUES (?, 'harbours', 'open', ?, ?, '')", [number, user, when])
        db.commit()
    for _ in range(2):
        with closing(state.opened(folder)) as db:
            history, tokens = History(db), Tokens(db)
            owners = {one.id: one.user_id for one in history.screenings(search="ess")}
            assert owners == {"1": "", "2": "aa", "3": "", "4": "ab"}
            assert {n: history.decisions(n)["harbours"].who_id for n in "1234"} == owners
            alice = tokens.of("secret")
            assert [one.id for one in history.screenings(user=alice.id)] == ["2"]
    with closing(state.opened(folder)) as db:
        kept = History(db).keep(report, by=alice, sha256="0" * 64)
        assert History(db).screening(kept.id).user_id == "aa"
        assert db.execute("PRAGMA user_version").fetchone() == (state.VERSION,)


def test_an_upgrade_that_was_interrupted_goes_on(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "history.db")) as db:
        db.executescript(VERSION_2)
        db.execute("ALTER TABLE screenings ADD COLUMN user_id TEXT NOT NULL DEFAULT ''")
        db.commit()
    with closing(state.opened(folder)) as db:
        assert History(db).screenings() == [] and History(db).decisions("1") == {}


def as_version_4(folder, damaged):
    """Turn a state file into one of version 4, in which a screening's row is damaged."""
    with closing(state.opened(folder)) as db:
        for event in ("insert", "update", "delete"):
            db.execute(f"DROP TRIGGER screenings_sum_{event}")
        for name in ("options", "n_not_counted", "n_below"):
            db.execute(f"ALTER TABLE screenings DROP COLUMN {name}")
        sums.create(db)
        db.execute("DROP TRIGGER screenings_sum_update")
        db.execute("UPDATE screenings SET share = 0.5 WHERE id = ?", [damaged])
        sums.create(db, has_sums=True)
        db.execute("PRAGMA user_version = 4")
        db.conn.commit()


def test_a_state_of_version_4_tells_what_does_not_count_and_damage_stays_damage(tmp_path):
    folder = tmp_path / "state"
    with Collection(tmp_path / "library", create=True) as collection:
        collection.add(SHARED, name="harbours")
        report = collection.screen(f"References\n\n{SHARED}", name="essay", template="thesis")
    assert report.not_counted["skipped"] == report.n_not_counted > 0
    with closing(state.opened(folder)) as db:
        by = Tokens(db).own()
        whole, damaged = (History(db).keep(report, by=by, sha256="0" * 64, options="template=thesis") for _ in range(2))
    as_version_4(folder, damaged.id)
    for _ in range(2):
        with closing(state.opened(folder)) as db:
            assert History(db).screening(whole.id) == replace(whole, options="")
            assert History(db).screening(whole.id).n_not_counted == report.n_not_counted
            with pytest.raises(CorruptError, match="fails its checksum"):
                History(db).screening(damaged.id)
