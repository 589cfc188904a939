"""A damaged state file: what was screened, decided and let in is right, or an error that names the file.

Everyday some blocks are zeroed and some bits flipped; `PMBF_FLIPS=all` zeroes every block, and flips every bit of the
heads of all pages.
"""

import asyncio
import json
import os
import sqlite3
import zlib

import pytest

pytest.importorskip("starlette", reason="the application needs pmbf[web]")

import pmbf.serving.web.history
from pmbf import Collection, CorruptError, PmbfError
from pmbf.report import Report
from pmbf.serving.http.messages import HttpError
from pmbf.serving.service.pool import Pool
from pmbf.serving.web import database
from pmbf.serving.web.history import History
from pmbf.serving.web.jobs import Jobs
from pmbf.serving.web.running import Parts
from pmbf.serving.web.server import WORKING_MODULE, application
from pmbf.serving.web.sums import KEYS
from pmbf.serving.web.tokens import AccessTokens
from tests.conftest import words
from tests.faults.beside import BLOCK, blocks, head_bits, sample
from tests.replacing import places, replaced

FLIPS = os.environ.get("PMBF_FLIPS", "10")
N_SCREENINGS = 12
HOST = "127.0.0.1:1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A state folder with screenings, texts, reports by sentences, decisions, tokens and a session."""
    folder, collection = tmp_path_factory.mktemp("state"), tmp_path_factory.mktemp("papers") / "c.pmbf"
    with Collection(collection, create=True) as papers:
        papers.add(words(1), name="harbours")
        papers.build_sentences()
        report, by_sentences = papers.screen(words(1)), papers.screen_sentences(words(1))
    db = database.opened(folder)
    history, tokens = History(db), AccessTokens(db)
    made = [tokens.add(f"token {number}", role) for number, role in enumerate(("screen", "review", "admin"))]
    kept = []
    for number in range(N_SCREENINGS):
        named = Report.from_json(report.to_json().replace('"name": ""', f'"name": "essay {number}"'))
        text, sentences = (words(1) if number % 2 else None), (by_sentences.to_json() if number % 3 else None)
        kept.append(history.keep(named, by=made[0][1], sha256="0" * 64, text=text, sentences=sentences).id)
    for number in kept[:5]:
        history.decide(number, source="harbours", verdict="confirmed", by=made[1][1], note="read")
    session = tokens.open_session(made[2][1])
    db.execute("UPDATE tokens SET last_used = 1e11")  # so that no use changes the file
    db.conn.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return folder, kept, [secret for secret, _ in made], session


def ways(folder, kept, secrets, session):
    """Return each way to ask, by name."""

    def history(ask):
        return lambda: with_state(folder, lambda db: ask(History(db)))

    def tokens(ask):
        return lambda: with_state(folder, lambda db: ask(AccessTokens(db)))

    pages = ["/v1/screenings", f"/v1/screenings/{kept[1]}", "/screenings", f"/screenings/{kept[1]}", "/tokens"]
    return {
        "list": history(lambda one: one.screenings()),
        "list of a user": history(lambda one: one.screenings(user=one.screening(kept[0]).user_id)),
        "search": history(lambda one: one.screenings(search="essay 3")),
        "entries": history(lambda one: [one.screening(number) for number in kept]),
        "reports": history(lambda one: [one.report(number) for number in kept]),
        "sentences": history(lambda one: [one.sentences(number) for number in kept]),
        "texts": history(lambda one: [one.text(number) for number in kept[1::2]]),
        "decisions": history(lambda one: [one.decisions(number) for number in kept]),
        "tokens": tokens(lambda one: [unused(token) for token in one.all()]),
        "token": tokens(lambda one: [unused(one.of(secret)) for secret in secrets]),
        "unknown token": tokens(lambda one: one.of("no")),
        "session": tokens(lambda one: unused(one.of_session(session))),
    } | {page: (lambda page=page: asked(folder, page, secrets[2])) for page in pages}


def unused(token):
    """Return a token without the time of its last use."""
    return token and (token.id, token.name, token.role, token.created, token.expires)


def with_state(folder, ask):
    db = database.opened(folder)
    try:
        return ask(db)
    finally:
        db.close()


def asked(folder, path, secret):
    """Return status and body of a request to the real application; without the collection's working processes."""

    def ask(db):
        history, pool = History(db), Pool(["c.pmbf"], 1, WORKING_MODULE)  # no page here asks its processes
        parts = Parts("c.pmbf", pool, Jobs(pool, history, answer_s=1), history, AccessTokens(db), is_secure=False)
        sent = []

        async def send(message):
            sent.append(message)

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        headers = [(b"host", HOST.encode()), (b"authorization", f"Bearer {secret}".encode())]
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
        scope |= {"raw_path": path.encode(), "root_path": "", "scheme": "http", "server": ("127.0.0.1", 1)}
        asyncio.run(application(parts, hosts=[HOST])(scope, receive, send))
        body = b"".join(message.get("body", b"") for message in sent).decode()
        status = sent[0]["status"]
        if status >= 500:
            raise HttpError(status, body)
        return status, body

    return with_state(folder, ask)


def answers(given):
    return {name: ask() for name, ask in ways(*given).items()}


def wrong(given, expected):
    found = {}
    for name, ask in ways(*given).items():
        try:
            answer = ask()
        except (PmbfError, OSError, HttpError, sqlite3.OperationalError) as error:
            if "history.db" not in str(error) and not isinstance(error, sqlite3.OperationalError):
                found[name] = f"names no file: {error!r}"
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
        else:
            if answer != expected[name]:
                found[name] = f"silent: {answer}"
    return found


def test_no_page_over_a_damaged_state_file_is_wrong_in_silence(folder):
    expected, path = answers(folder), folder[0] / "history.db"
    content, bad, n_damaged = path.read_bytes(), [], 0
    cases = [(at, bytes(BLOCK)) for at in sample(blocks(content), FLIPS, "blocks")]
    for bit in sample(head_bits(content, "history.db"), FLIPS, "bits"):
        cases.append((bit // 8, bytes([content[bit // 8] ^ 1 << bit % 8])))
    for at, written in cases:
        with open(path, "r+b") as opened:
            os.pwrite(opened.fileno(), written, at)
        bad += [f"{len(written)} bytes at {at}: {way}: {what[:160]}" for way, what in wrong(folder, expected).items()]
        n_damaged += 1
        path.write_bytes(content)
        for log in folder[0].glob("history.db-*"):
            log.unlink()
    print(f"history.db: {n_damaged} damages x {len(expected)} ways, {len(bad)} silent or unclear")
    assert bad == []
    assert answers(folder) == expected


@pytest.mark.parametrize("table", KEYS)
def test_a_row_that_is_lost_is_told(folder, table):
    """As if its page was: the triggers do not run."""
    content, expected = (folder[0] / "history.db").read_bytes(), answers(folder)
    db = sqlite3.connect(folder[0] / "history.db")
    db.execute(f"DROP TRIGGER {table}_sum_delete")
    db.execute(
        f"DELETE FROM {table} WHERE rowid = (SELECT min(rowid) + 1 FROM {table})"
        if table != "sessions"
        else "DELETE FROM sessions"
    )
    db.commit()
    db.close()
    told = wrong(folder, expected)
    changed = 0
    for ask in ways(*folder).values():
        try:
            ask()
        except (PmbfError, HttpError):
            changed += 1
    (folder[0] / "history.db").write_bytes(content)
    assert told == {} and changed


FAR = ["share = 9e999", "time = 1e300", "n_chars = 9000000000000000000"]


@pytest.mark.parametrize("change", ["time = 'noon'", "share = NULL", "name = X'00ff'", "is_complete = 'no'", *FAR])
def test_a_value_that_no_application_writes_is_told_although_its_checksum_is_right(folder, change):
    path = folder[0] / "history.db"
    content = path.read_bytes()
    with_state(folder[0], lambda db: [db.execute(f"UPDATE screenings SET {change} WHERE rowid = 2"), db.conn.commit()])
    for name in ("list", "/screenings", "/v1/screenings"):
        with pytest.raises((CorruptError, HttpError), match=r"history\.db"):
            ways(*folder)[name]()
    path.write_bytes(content)


@pytest.mark.parametrize("table", ["reports", "sentences", "texts"])
def test_a_body_that_is_none_is_told_although_its_checksum_is_right(folder, table):
    path = folder[0] / "history.db"
    content = path.read_bytes()
    for body in ("X'00'", "7", "NULL", "'{}'"):
        with_state(folder[0], lambda db, body=body: [db.execute(f"UPDATE {table} SET body = {body}"), db.conn.commit()])
        with pytest.raises(CorruptError, match=r"history\.db"):
            ways(*folder)[table]()
        path.write_bytes(content)


WRONG = (None, -1, 2**70, 1e308, float("nan"), "x", "\ud800", True, [], {}, [[1]], {"a": 1})
"""Values that no report has in most of its places."""


def put(folder, screening, body, table="reports"):
    """Put a report in the place of that of a screening, with a right checksum."""
    packed = zlib.compress(body)
    with_state(folder, lambda db: [db.table(table).update(screening, {"body": packed}), db.conn.commit()])


@pytest.mark.parametrize(("table", "number"), [("reports", 1), ("sentences", 1)])
def test_no_value_inside_a_report_whose_checksum_is_right_stops_a_page_without_a_word(folder, table, number):
    path, screening, secret = folder[0] / "history.db", folder[1][number], folder[2][2]
    content, bad = path.read_bytes(), []
    db = database.opened(folder[0])
    report = json.loads(zlib.decompress(next(db.query(f"SELECT body FROM {table} WHERE id = ?", [screening]))["body"]))
    db.close()
    cases = [(place, wrong) for place in places(report) for wrong in WRONG]
    for place, wrong in sample(cases, "40" if FLIPS == "10" else FLIPS, table):
        body = zlib.compress(json.dumps(replaced(report, place, wrong)).encode())
        with_state(
            folder[0], lambda db, body=body: [db.table(table).update(screening, {"body": body}), db.conn.commit()]
        )
        for page in (f"/screenings/{screening}", f"/v1/screenings/{screening}"):
            try:
                asked(folder[0], page, secret)
            except HttpError as error:
                bad += [] if "history.db" in str(error) else [f"{place} {wrong!r} {page}: {error!r:.200}"]
            except Exception as error:
                bad.append(f"{place} {wrong!r} {page}: {error!r:.200}")
    path.write_bytes(content)
    assert bad == []


@pytest.mark.parametrize("body", [b"0" * (1 << 20), b"[" * 100_000, b"1" * 5000, b""])
def test_a_report_that_unpacks_to_no_report_is_told(folder, body, monkeypatch):
    monkeypatch.setattr(pmbf.serving.web.history, "MOST_BODY_BYTES", 1 << 18)
    path, screening = folder[0] / "history.db", folder[1][1]
    content = path.read_bytes()
    put(folder[0], screening, body)
    with pytest.raises(CorruptError, match=r"history\.db"):
        with_state(folder[0], lambda db: History(db).report(screening))
    path.write_bytes(content)


def test_a_report_of_a_newer_version_is_refused_on_a_page(folder):
    path, screening = folder[0] / "history.db", folder[1][1]
    content = path.read_bytes()
    put(folder[0], screening, b'{"schema": 99}')
    with pytest.raises(HttpError, match="upgrade pmbf"):
        asked(folder[0], f"/screenings/{screening}", folder[2][2])
    path.write_bytes(content)


def test_options_that_no_application_keeps_are_shown_as_they_are(folder):
    path, screening = folder[0] / "history.db", folder[1][1]
    content = path.read_bytes()
    options = {"options": "below=1&sensitivity=none&min_chars=9"}
    with_state(folder[0], lambda db: [db.table("screenings").update(screening, options), db.conn.commit()])
    _, page = asked(folder[0], f"/screenings/{screening}", folder[2][2])
    assert "below: 1 · Sensitivity: none · Shortest passage, in characters: 9" in page
    path.write_bytes(content)
