"""The REST interface: what each role gets, and what becomes of wrong requests."""

import json

import pytest
from openapi_spec_validator import validate

from pmbf import Collection
from pmbf.report import Report
from pmbf.serving.web.openapi import OPERATIONS, description
from tests.conftest import words
from tests.web.conftest import ESSAY, SHARED, Running


def test_a_text_is_screened_and_its_report_is_kept(clients):
    found = clients["screen"].screened(ESSAY)
    report = Report.from_json(json.dumps(found["report"]))
    [match] = report.matches
    assert (match.document.path, found["screening"]["name"], found["screening"]["user"]) == (
        "harbours", "essay.txt", "screen",
    )  # fmt: skip
    start = match.passages[0].query.start
    assert abs(start - ESSAY.index(SHARED)) < 20
    assert found["screening"]["share"] == report.coverage > 0.3
    assert not found["screening"]["has_text"]


def test_options_of_a_screening_count_and_wrong_ones_are_refused(clients):
    client = clients["screen"]
    assert client.screened(ESSAY, "&min_chars=2000")["report"]["matches"] == []
    for query, reason in (("min_char=3", "no field"), ("min_chars=x", "cannot be read")):
        answer = client.ask("POST", f"/v1/screenings?{query}", b"text")
        assert (answer.status, reason in answer.json["error"]) == (400, True)
    [job] = client.ask("POST", "/v1/screenings?sensitivity=deep", ESSAY.encode()).json["jobs"]
    assert "sensitivity" in client.over(job["id"])["reason"]


def test_a_file_that_cannot_be_read_fails_with_its_reason(clients):
    [job] = clients["screen"].ask("POST", "/v1/screenings?name=a.docx", b"PK\x03\x04 cut").json["jobs"]
    over = clients["screen"].over(job["id"])
    assert over["state"] == "failed" and over["reason"] and not over["screening"]


def test_a_copy_of_a_picture_is_screened_and_shown(tmp_path):
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    (tmp_path / "logo.png").write_bytes(picture)
    with Collection(tmp_path / "l.pmbf", create=True) as collection:
        collection.load([tmp_path / "logo.png"])
    running = Running(tmp_path / "l.pmbf", tmp_path / "state")
    try:
        client = running.entered()
        [job] = client.ask("POST", "/v1/screenings?name=sent.png", picture).json["jobs"]
        number = client.over(job["id"])["screening"]
        [match] = client.ask("GET", f"/v1/screenings/{number}").json["report"]["matches"]
        assert (match["same_file"], match["coverage"], match["passages"]) == (True, 1.0, [])
        assert "compared with 0 documents with text" in client.ask("GET", "/").text
        assert "the same file, by checksum" in client.ask("GET", f"/screenings/{number}").text
        assert "logo.png" in client.ask("GET", f"/screenings/{number}/evidence").text
        for page in ("/", "/screenings", "/collection", f"/collection/{match['document']['id']}"):
            assert client.ask("GET", page).status == 200
        [job] = client.ask("POST", "/v1/screenings?name=other.png", picture + b"0").json["jobs"]
        assert "picture" in client.over(job["id"])["reason"]
    finally:
        assert running.stop()[0] == 0


def test_an_empty_body_is_refused(clients):
    assert clients["screen"].ask("POST", "/v1/screenings", b"").status == 400


def test_the_events_of_a_job_end_with_its_end(clients):
    [job] = clients["screen"].ask("POST", "/v1/screenings", ESSAY.encode()).json["jobs"]
    answer = clients["screen"].ask("GET", f"/v1/jobs/{job['id']}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    states = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    assert states[-1]["state"] == "done"
    last = f"{states[-1]['changes'] - 1}"
    again = clients["screen"].ask("GET", f"/v1/jobs/{job['id']}/events", Last_Event_ID=last)
    assert again.text.count("data: ") == 1


def test_each_role_may_do_what_those_before_it_may(clients):
    number = clients["screen"].screened(ESSAY)["screening"]["id"]
    other = clients["admin"].screened(ESSAY)["screening"]["id"]
    decision = json.dumps({"source": "harbours", "verdict": "confirmed"})
    wanted = {
        ("GET", "/v1/screenings", None): (200, 200, 200),
        ("GET", f"/v1/screenings/{number}", None): (200, 200, 200),
        ("GET", f"/v1/screenings/{other}", None): (404, 200, 200),
        ("POST", f"/v1/screenings/{number}/decisions", decision): (403, 200, 200),
        ("GET", "/v1/documents", None): (200, 200, 200),
        ("POST", "/v1/documents?name=new", words(9)): (403, 403, 201),
        ("GET", "/v1/tokens", None): (403, 403, 200),
        ("DELETE", f"/v1/screenings/{other}", None): (404, 204, 404),
    }
    for (method, target, body), expected in wanted.items():
        found = tuple(clients[role].ask(method, target, body).status for role in ("screen", "review", "admin"))
        assert found == expected, (method, target)


def test_nobody_gets_nothing(owner):
    stranger = type(owner)(owner.port)
    for one in OPERATIONS:
        if one.path != "/healthz":
            target = one.path.replace("{id}", "1").replace("{number}", "0")
            assert stranger.ask(one.method, target, b"{}" if one.method == "POST" else None).status == 401, one.path
    assert stranger.ask("GET", "/healthz").json == {"status": "ok"}


def test_a_decision_is_kept_with_its_author(clients):
    number = clients["screen"].screened(ESSAY)["screening"]["id"]
    target = f"/v1/screenings/{number}/decisions"
    for verdict in ("confirmed", "dismissed"):
        body = json.dumps({"source": "harbours", "verdict": verdict, "note": "seen"})
        assert clients["review"].ask("POST", target, body).json["who"] == "review"
    assert (
        clients["screen"].ask("GET", f"/v1/screenings/{number}").json["decisions"]["harbours"]["verdict"] == "dismissed"
    )
    wrong = (
        b"",
        b"[]",
        b'{"source": "harbours"}',
        b'{"source": "harbours", "verdict": ""}',
        b'{"source": "harbours", "verdict": "guilty"}',
        b'{"source": "harbours", "verdict": "open", "x": 1}',
        b'{"source": 3, "verdict": "open"}',
    )
    for body in wrong:
        assert clients["review"].ask("POST", target, body).status == 400
    body = json.dumps({"source": "nobody", "verdict": "open"})
    assert clients["review"].ask("POST", target, body).status == 404


def test_a_form_without_a_verdict_decides_nothing(clients):
    number = clients["screen"].screened(ESSAY)["screening"]["id"]
    for fields in ({}, {"verdict": ""}, {"note": "seen"}):
        answer = clients["review"].form(f"/screenings/{number}/decide", source="harbours", **fields)
        assert answer.status == 400 and "verdict" in answer.text
    assert clients["review"].ask("GET", f"/v1/screenings/{number}").json["decisions"] == {}


def test_a_switch_that_cannot_be_read_is_refused_and_not_taken_for_off(clients):
    for name in ("keep_text", "exclude_quotations", "sentences"):
        answer = clients["screen"].ask("POST", f"/v1/screenings?{name}=true", b"text")
        assert (answer.status, answer.json["error"]) == (400, f"{name} is 'true', which cannot be read")
    body = b'{"name": "for a day", "role": "screen", "days": true}'
    assert clients["admin"].ask("POST", "/v1/tokens", body).status == 400


def test_a_deleted_screening_is_gone(clients):
    number = clients["screen"].screened(ESSAY, "&keep_text=1")["screening"]["id"]
    assert clients["screen"].ask("GET", f"/screenings/{number}/evidence").status == 200
    assert clients["screen"].ask("DELETE", f"/v1/screenings/{number}").status == 204
    for target in (f"/v1/screenings/{number}", f"/screenings/{number}/evidence"):
        assert clients["screen"].ask("GET", target).status == 404


def test_the_history_is_searched_by_the_beginnings_of_words(clients):
    [job] = clients["review"].ask("POST", "/v1/screenings?name=Zw%C3%B6lf%20Essays.txt", ESSAY.encode()).json["jobs"]
    clients["review"].over(job["id"])
    for search, n_found in (("zwol", 1), ("essay+zw%C3%B6", 1), ("nothing", 0), ("%22*+OR", 0)):
        found = clients["review"].ask("GET", f"/v1/screenings?search={search}").json["screenings"]
        assert len([one for one in found if one["name"].startswith("Zw")]) == n_found, search


def test_documents_are_added_found_screened_against_and_removed(clients):
    admin, text = clients["admin"], words(33, 150)
    [added] = admin.ask("POST", "/v1/documents?name=letters/one.txt", text.encode()).json["documents"]
    assert [one["paths"] for one in admin.ask("GET", "/v1/documents?search=LETTERS").json["documents"]] == [
        ["letters/one.txt"]
    ]
    assert admin.screened(text)["report"]["matches"][0]["document"]["id"] == added["id"]
    assert admin.ask("DELETE", f"/v1/documents/{added['id']}").status == 204
    assert admin.ask("DELETE", f"/v1/documents/{added['id']}").status == 404
    assert admin.screened(text)["report"]["matches"] == []


def test_a_removed_token_opens_nothing(clients, owner):
    made = clients["admin"].ask("POST", "/v1/tokens", json.dumps({"name": "guest", "role": "screen"})).json
    guest = type(owner)(owner.port, made["token"])
    assert guest.ask("GET", "/v1/screenings").status == 200
    assert clients["admin"].ask("DELETE", f"/v1/tokens/{made['entry']['id']}").status == 204
    assert guest.ask("GET", "/v1/screenings").status == 401
    listed = clients["admin"].ask("GET", "/v1/tokens").text
    assert made["token"] not in listed and "hash" not in listed
    for body in ({"name": "", "role": "screen"}, {"name": "x", "role": "root"}, {"name": "screen", "role": "screen"}):
        assert clients["admin"].ask("POST", "/v1/tokens", json.dumps(body)).status == 400


def test_the_description_is_valid_and_is_what_is_served(clients, owner):
    validate(description())
    assert owner.ask("GET", "/openapi.json").json == description()


def test_each_operation_answers_as_described(clients):
    """Each operation that the description names is asked, its answer compared with its schema."""
    from jsonschema import Draft202012Validator

    admin = clients["admin"]
    number = admin.screened(ESSAY)["screening"]["id"]
    job = admin.ask("POST", "/v1/screenings", ESSAY.encode()).json["jobs"][0]["id"]
    schemas = description()["components"]
    for one in OPERATIONS:
        if one.method == "DELETE" or one.answer in (None, {"type": "string"}):
            continue
        target = one.path.replace("{number}", job if "jobs" in one.path else number)
        body = ESSAY.encode() if one.file else None
        if one.body is not None:
            body = json.dumps({**one.body, **({"source": "harbours"} if "source" in one.body else {})})
        answer = admin.ask(one.method, target, body)
        assert answer.status == one.status, (one.path, answer.text)
        Draft202012Validator({**one.answer, "components": schemas}).validate(answer.json)
    with pytest.raises(Exception, match="required"):
        Draft202012Validator({**OPERATIONS[1].answer, "components": schemas}).validate({})
