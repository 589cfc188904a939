"""What hostile clients send: numbers, words and forms that no page of the application would send."""

import json
import os
import resource
import socket
import sqlite3
import time
from contextlib import closing, suppress

import pytest

from pmbf import Collection
from pmbf.serving.http.messages import HttpError
from pmbf.serving.web import database
from pmbf.serving.web.forms import Spool, Spooled
from pmbf.serving.web.history import History
from pmbf.serving.web.tokens import Token
from tests.conftest import words
from tests.web.conftest import ESSAY, SHARED, Client, Running

ANN = Token("1", "ann", "screen", 0.0)


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 19, "x", "-1", "1.0", "%D9%A1" * 2000])
def test_an_id_that_no_document_has_is_not_found(clients, owner, number):
    assert owner.ask("GET", f"/collection/{number}").status == 404
    assert clients["admin"].ask("DELETE", f"/v1/documents/{number}").status == 404


@pytest.mark.parametrize("search", ["%00", "a%00b", '"%00*', "NEAR(", "^", "a%20OR", "%ED%A0%80"])
def test_a_search_is_words_and_no_query(clients, search):
    assert clients["screen"].ask("GET", f"/v1/screenings?search={search}").status == 200
    assert clients["screen"].ask("GET", f"/v1/documents?search={search}").status == 200


@pytest.mark.parametrize(
    "fields",
    [{"note": 5}, {"note": None}, {"note": ["x"]}, {"note": "\ud800"}, {"source": "\ud800"}, {"verdict": "\udfff"}],
)
def test_a_decision_that_is_no_text_is_refused(clients, fields):
    found = clients["review"].screened(ESSAY)
    source = found["report"]["matches"][0]["document"]["path"]
    body = json.dumps({"source": source, "verdict": "open"} | fields)
    answer = clients["review"].ask("POST", f"/v1/screenings/{found['screening']['id']}/decisions", body)
    assert answer.status == 400, answer.text


@pytest.mark.parametrize("target", ["//[", "//evil.example", "//evil.example/screenings/", "/screenings/", "/?#//["])
def test_a_strange_target_leads_nowhere(running, target):
    answer = Client(running.port).ask("GET", target)
    assert answer.status in (303, 404) and answer.headers.get("location", "/enter") == "/enter"


def test_what_is_deleted_is_in_no_file_of_the_history(tmp_path):
    with Collection(tmp_path / "library", create=True) as collection:
        collection.add(f"{words(1, 80)} {SHARED}", name="harbours")
        reports = [collection.screen(ESSAY.encode(), name=name) for name in ("quaxolotl zebrafish.txt", "other.txt")]
    history = History(database.opened(tmp_path / "state"))
    gone, stays = (history.keep(report, by=ANN, sha256="0" * 64, text=ESSAY) for report in reports)
    history.decide(gone.id, source="harbours", verdict="open", by=ANN, note="wombat")
    history.delete(gone.id)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "state").iterdir())
    assert [word for word in (b"quaxolotl", b"zebrafish", b"wombat", gone.id.encode()) if word in kept] == []
    assert [one.id for one in history.screenings(search="oth")] == [stays.id]


def multipart(*parts, boundary="x"):
    """Return a form's type and body; a part is a head and its content."""
    body = b"".join(b"--x\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % part for part in parts)
    return f"multipart/form-data; boundary={boundary}", body + b"--x--\r\n"


@pytest.mark.parametrize("charset", ["punycode", "unicode_escape", "raw_unicode_escape", '"utf-7"', "idna"])
def test_a_form_in_another_encoding_is_refused(running, charset):
    kind, body = multipart((b'name="token"', b"a-\\ud800" * 1000))
    answer = Client(running.port).ask("POST", "/enter", body, Content_Type=f"{kind}; charset={charset}")
    assert (answer.status, "encoding" in answer.text) == (400, True)


def test_a_form_that_names_utf_8_is_read(running):
    kind, body = multipart((b'name="token"', b"wrong"))
    for shown in (f"{kind}; charset=UTF-8", kind.replace("; ", '; charset="utf-8"; ')):
        assert Client(running.port).ask("POST", "/enter", body, Content_Type=shown).status == 401


def test_a_stranger_sends_little(running):
    """Parsing 16 MiB of `&` takes the only thread of the connections 7 s."""
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        began = time.monotonic()
        answer = Client(running.port).ask("POST", "/enter", b"&" * (2 << 20), Content_Type=kind)
        assert answer.status == 413 and time.monotonic() - began < 2


@pytest.fixture
def own(library, tmp_path):
    """An application for one test, its session, its state folder."""
    made = Running(library, tmp_path / "state")
    yield made, made.entered(), tmp_path / "state"
    code, said = made.stop()
    assert code == 0 and "Traceback" not in said, said


def test_a_full_disk_is_told(own):
    made, client, _ = own
    text = ESSAY.encode() * 2000
    assert len(text) > 2 << 20  # more than a form keeps in memory
    resource.prlimit(made.process.pid, resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
    raw = client.ask("POST", "/v1/screenings", text)
    kind, body = multipart((b'name="file"; filename="a.txt"', text))
    form = client.ask("POST", "/v1/screenings", body, Content_Type=kind)
    assert [(one.status, "cannot be kept" in one.text) for one in (raw, form)] == [(503, True)] * 2
    [job] = client.ask("POST", "/v1/screenings", ESSAY.encode()).json["jobs"]
    over = client.over(job["id"])
    assert over["state"] == "failed" and "history" in over["reason"], over
    assert client.ask("GET", "/v1/screenings").status == 200
    resource.prlimit(made.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert client.screened(ESSAY)["screening"]["n_sources"] == 1


def test_a_history_that_another_program_holds_is_told(own):
    _, client, folder = own
    with closing(sqlite3.connect(folder / "history.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = client.ask("POST", "/v1/tokens", b'{"name": "one", "role": "screen"}')
        assert answer.status == 503 and "locked" in answer.json["error"]
        [job] = client.ask("POST", "/v1/screenings", ESSAY.encode()).json["jobs"]
        assert "locked" in client.over(job["id"])["reason"]
        other.execute("ROLLBACK")
    assert client.ask("POST", "/v1/tokens", b'{"name": "one", "role": "screen"}').status == 201


def test_waiting_uploads_take_bounded_room():
    spool = Spool(100)
    first, second = Spooled(spool), Spooled(spool)
    first.write(b"x" * 60)
    with pytest.raises(HttpError, match="60 bytes wait") as refused:
        second.write(b"x" * 41)
    assert refused.value.status == 503
    assert (first.read(), second.read(), spool.n_bytes) == (b"x" * 60, b"", 60)
    first.close()
    first.close()
    forgotten = Spooled(spool)
    forgotten.write(b"x" * 100)
    second.close()
    del forgotten
    assert (spool.n_bytes, spool.n_files) == (0, 0)
    spool = Spool(100, most_files=2)
    some = [Spooled(spool) for _ in range(2)]
    with pytest.raises(HttpError, match="2 files wait"):
        Spooled(spool)
    some.pop().close()
    Spooled(spool)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([(b'name="note"', b"x" * 8193)], "the field 'note' has more than 8192 bytes"),
        ([(b'name="%b"' % (b"n" * 3000), b"x")], "a header of the form has more than 2048 bytes"),
        ([(b'name="f%d"' % number, b"x") for number in range(41)], "more than 40 fields"),
        ([(b'name="file"; filename="a"', b"x")] * 65, "more than 64 files"),
    ],
)
def test_a_form_that_holds_too_much_is_refused_with_its_limit(clients, parts, reason):
    kind, body = multipart((b'name="text"', b"words"), *parts)
    answer = clients["screen"].ask("POST", "/v1/screenings", body, Content_Type=kind)
    assert answer.status == 413 and reason in answer.json["error"], answer.text


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([], "no text"),
        ([(b'name="text"', b" \r\n\t"), (b'name="file"; filename=""', b"")], "no text"),
        ([(b'title="text"', b"words")], "no name"),
    ],
)
def test_a_form_without_a_text_is_refused(clients, parts, reason):
    kind, body = multipart(*parts)
    answer = clients["screen"].ask("POST", "/v1/screenings", body, Content_Type=kind)
    assert answer.status == 400 and reason in answer.json["error"], answer.text


def test_a_form_that_ends_early_is_refused(clients):
    kind, body = multipart((b'name="text"', b"words"))
    for cut in (body[:-4], body[:30], b"words"):
        assert clients["screen"].ask("POST", "/v1/screenings", cut, Content_Type=kind).status == 400


def test_a_pasted_text_is_screened_as_it_came_under_the_name_of_its_field(clients):
    kind, body = multipart((b'name="text"', b"\r\n" + ESSAY.encode()), (b'name="name"', "Äpfel.txt".encode()))
    [job] = clients["screen"].ask("POST", "/v1/screenings", body, Content_Type=kind).json["jobs"]
    number = clients["screen"].over(job["id"])["screening"]
    found = clients["screen"].ask("GET", f"/v1/screenings/{number}").json["screening"]
    assert (found["name"], found["n_chars"], found["n_sources"]) == ("Äpfel.txt", len(ESSAY), 1)


def peak_kib(process):
    """Return the most memory that a process has had so far."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="there is no /proc")
def test_unfinished_uploads_are_on_disk_and_not_in_memory(own):
    """Four requests of 48 MB that never end: fields, pasted text, files of less than a megabyte."""
    made, client, _ = own
    token = client.ask("POST", "/v1/tokens", b'{"name": "greedy", "role": "screen"}').json["token"]
    before, held = peak_kib(made.process), []
    large, small = b"a" * (24 << 20), b"a" * (750 << 10)
    _, whole = multipart((b'name="text"', large), *[(b'name="f"; filename="f"', small)] * 32)
    _, fields = multipart(*[(b'name="f%d"' % number, large) for number in range(2)])
    for body in (whole, whole, fields, fields):
        held.append(socket.create_connection(("127.0.0.1", made.port), timeout=60))
        head = f"Host: 127.0.0.1:{made.port}\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body) + 9}\r\n"
        kind = "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
        with suppress(ConnectionError):  # the fields are refused as soon as they are too long
            held[-1].sendall(f"POST /v1/screenings HTTP/1.1\r\n{head}{kind}".encode() + body)
    assert client.ask("GET", "/healthz").status == 200
    grown = (peak_kib(made.process) - before) >> 10
    for one in held:
        one.close()
    assert grown < 24, f"{grown} MiB"


def test_refused_uploads_give_their_room_back(library, tmp_path):
    made = Running(library, tmp_path / "state", "--max-upload", "2000000")
    client, text = made.entered(), b"a word " * 100_000
    kind, body = multipart((b'name="file"; filename="a.txt"', text), (b'name="nonsense"', b"1"))
    for _ in range(3):
        assert client.ask("POST", "/v1/screenings", body, Content_Type=kind).status == 400
        assert client.ask("POST", "/v1/screenings?nonsense=1", text).status == 400
    assert len(os.listdir(f"/proc/{made.process.pid}/fd")) < 40
    assert made.stop()[0] == 0
