"""Who gets in: names of the host, sessions, requests from other sites, tickets, what answers may do."""

import sqlite3
import stat
from contextlib import closing

import pytest

from pmbf import Collection
from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.serving.web import database, sums
from pmbf.serving.web.access import CONTENT_SECURITY
from pmbf.serving.web.tokens import AccessTokens
from tests.web.conftest import ESSAY, SHARED, Client, Running


def test_a_host_of_another_name_is_refused(owner):
    for host in ("evil.example", f"evil.example:{owner.port}", "127.0.0.1:1", f"[::1]:{owner.port}"):
        assert owner.ask("GET", "/", Host=host).status == 421
    assert owner.ask("GET", "/", Host=f"localhost:{owner.port}").status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": None},
        {"Sec_Fetch_Site": None, "Origin": "http://evil.example"},
        {"Sec_Fetch_Site": None, "Origin": "null"},
    ],
)
def test_a_page_of_another_site_changes_nothing(owner, headers):
    answer = owner.ask("POST", "/v1/tokens", b'{"name": "forged", "role": "admin"}', **headers)
    assert answer.status == 403
    assert "forged" not in owner.ask("GET", "/v1/tokens").text


def test_an_own_page_without_sec_fetch_is_known_by_its_origin(owner):
    origin = f"http://127.0.0.1:{owner.port}"
    answer = owner.ask(
        "POST", "/v1/tokens", b'{"name": "by origin", "role": "screen"}', Sec_Fetch_Site=None, Origin=origin
    )
    assert answer.status == 201


def test_a_ticket_opens_one_session_once(running, library, tmp_path):
    made = Running(library, tmp_path / "state")
    client = made.entered()
    assert client.ask("GET", "/").status == 200
    again = Client(made.port)
    assert again.form("/enter", token=made.link.partition("ticket=")[2]).status == 401
    assert again.ask("GET", "/").headers["location"] == "/enter"
    assert client.form("/leave").status == 303
    assert client.ask("GET", "/").status == 303
    assert made.stop()[0] == 0


def test_a_session_is_a_cookie_that_scripts_and_other_sites_do_not_get(running, owner):
    ticket = Client(running.port).ask("GET", "/enter").headers
    assert ticket["content-security-policy"] == CONTENT_SECURITY
    assert (ticket["cache-control"], ticket["referrer-policy"]) == ("no-store", "no-referrer")
    secret = owner.ask("POST", "/v1/tokens", b'{"name": "cookie", "role": "screen"}').json["token"]
    cookie = Client(running.port).form("/enter", token=secret).headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie


def test_a_wrong_token_is_refused_even_beside_a_session(owner):
    assert owner.ask("GET", "/v1/screenings", Authorization="Bearer wrong").status == 401
    assert owner.ask("GET", "/v1/screenings", Authorization="Basic eDp5").status == 401
    assert Client(owner.port).form("/enter", token="wrong").status == 401


def test_hostile_names_are_shown_as_text(owner):
    page = owner.ask("GET", "/collection?search=%3Cb%3E").text
    assert "&lt;b&gt;hostile&lt;/b&gt;" in page and "<b>hostile" not in page
    assert "<script>alert" not in owner.ask("GET", "/collection/3").text
    name = "%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE%0A.txt"
    [job] = owner.ask("POST", f"/v1/screenings?name={name}", b"a text").json["jobs"]
    number = owner.over(job["id"])["screening"]
    for target in ("/screenings", f"/screenings/{number}", f"/jobs/{job['id']}", f"/screenings/{number}/evidence"):
        page = owner.ask("GET", target).text
        assert "<script>alert(1)" not in page and "\u202e" not in page, target


def test_labels_stand_beside_paths_as_text(owner, clients):
    shown = "[author=&lt;i&gt;Ann\\u202e]</bdi>"
    number = clients["admin"].screened(ESSAY)["screening"]["id"]
    listed, screened = (owner.ask("GET", target).text for target in ("/collection", f"/screenings/{number}"))
    assert shown in listed.partition(">ports<")[2][:200]
    assert shown in screened.partition("identical: <bdi>ports<")[2][:200]
    first = clients["screen"].ask("GET", "/v1/documents?search=ports").json["documents"][0]
    assert (["harbours", "ports"], [{}, {"author": "<i>Ann\u202e"}]) == (first["paths"], first["labels"])


def test_the_paths_of_the_server_are_for_admins(tmp_path):
    """Files are called by their place in the folder that all of them lie in, on each page and in REST."""
    for name in ("2019/one.txt", "2020/two.txt"):
        (tmp_path / "archive" / name).parent.mkdir(parents=True)
        (tmp_path / "archive" / name).write_text(SHARED if "one" in name else "another text", encoding="utf-8")
    with Collection(tmp_path / "theses.pmbf", create=True) as collection:
        collection.load([tmp_path / "archive"])
        collection.add("added by name", name="letters/one.txt")
        collection.build_sentences()
    made = Running(tmp_path / "theses.pmbf", tmp_path / "state")
    owner = made.entered()
    token = owner.ask("POST", "/v1/tokens", b'{"name": "reviewer", "role": "review"}').json["token"]
    reviewer = Client(owner.port, token)
    number = reviewer.screened(ESSAY, "&keep_text=1")["screening"]["id"]
    by_sentences = reviewer.screened(f"{SHARED}. {SHARED}.", "&sentences=1")["screening"]["id"]
    source = reviewer.ask("GET", f"/v1/screenings/{number}").json["report"]["matches"][0]["document"]["path"]
    assert source == "2019/one.txt"
    assert reviewer.form(f"/screenings/{number}/decide", source=source, verdict="open").status == 303
    seen = ["/", "/collection", "/v1/documents"]
    for one in (number, by_sentences):
        seen += [f"/screenings/{one}", f"/v1/screenings/{one}", f"/screenings/{one}/evidence"]
    assert [target for target in seen if str(tmp_path) in reviewer.ask("GET", target).text] == []
    assert reviewer.ask("GET", f"/v1/documents?search={tmp_path.name}").json["documents"] == []
    assert f"{tmp_path}/archive/" in owner.ask("GET", "/collection").text
    assert f"{tmp_path}/theses.pmbf" in owner.ask("GET", "/").text
    assert made.stop()[0] == 0


def test_errors_are_pages_to_browsers_and_json_to_programs(owner):
    assert owner.ask("GET", "/nowhere").headers["content-type"].startswith("text/html")
    assert "error" in owner.ask("GET", "/v1/nowhere").json
    assert owner.ask("DELETE", "/v1/documents").status == 405
    assert owner.ask("GET", "/static/..%2Fapp.py").status == 404


def test_the_state_is_the_users_own_and_holds_no_secret(owner, tmp_path):
    db = database.opened(tmp_path / "state")
    tokens = AccessTokens(db)
    secret, made = tokens.add("one", "screen", days=1)
    session = tokens.open_session(made)
    db.close()
    path = tmp_path / "state" / "history.db"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    content = b"".join(one.read_bytes() for one in path.parent.iterdir())
    assert secret.encode() not in content and session.encode() not in content


def test_tokens_and_sessions_expire(tmp_path, monkeypatch):
    tokens = AccessTokens(database.opened(tmp_path / "state"))
    secret, made = tokens.add("one", "screen", days=1)
    session, ticket = tokens.open_session(made), tokens.ticket(made)
    import pmbf.serving.web.tokens as module

    now = module.time.time()
    monkeypatch.setattr(module.time, "time", lambda: now + 13 * 3600)
    assert tokens.of(secret) and not tokens.of_session(session) and not tokens.of_ticket(ticket)
    monkeypatch.setattr(module.time, "time", lambda: now + 25 * 3600)
    assert not tokens.of(secret)
    with pytest.raises(ParameterError, match="role"):
        tokens.add("two", "root")


@pytest.mark.parametrize(
    ("version", "way_out"),
    [
        (database.VERSION - 1, "move it away: then history and tokens begin anew"),
        (database.VERSION + 1, "upgrade pmbf"),
    ],
)
def test_a_state_of_another_version_is_refused_with_the_way_out_and_left_alone(tmp_path, version, way_out):
    database.opened(tmp_path / "state").close()
    path = tmp_path / "state" / "history.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    told = f"has version {version}, this pmbf reads {database.VERSION}; {way_out}"
    with pytest.raises(UnsupportedError, match=told):
        database.opened(tmp_path / "state")
    assert before == path.read_bytes()


def test_a_state_whose_making_was_interrupted_is_made_whole(tmp_path, monkeypatch):
    def interrupted(db):
        made(db)
        raise KeyboardInterrupt

    made = sums.create
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(sums, "create", interrupted)
        database.opened(tmp_path / "state")
    with closing(database.opened(tmp_path / "state")) as db:
        AccessTokens(db).add("one", "screen")
        assert [name for (name,) in db.execute("SELECT name FROM row_sums")] == ["tokens"]


def test_behind_a_proxy_only_its_host_counts_and_cookies_are_secure(library, tmp_path):
    made = Running(library, tmp_path / "state", "--behind-proxy", "texts.example.org")
    assert made.link.startswith("https://texts.example.org/enter?ticket=")
    assert made.stop()[0] == 0


def test_others_cannot_write_to_the_state(library, tmp_path):
    folder = tmp_path / "open"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    with pytest.raises(AssertionError, match="others could"):
        Running(library, folder)


def test_a_second_application_ends_no_session_of_the_first(running, owner, library, tmp_path):
    second = Running(library, tmp_path / "state")
    session = second.entered()
    both = Client(owner.port, cookies=owner.cookies | session.cookies)  # a browser sends both: ports share cookies
    assert both.ask("GET", "/").status == 200
    assert Client(second.port, cookies=both.cookies).ask("GET", "/").status == 200
    assert second.stop()[0] == 0
