"""What hostile clients send: numbers, words and forms that no page of the application would send."""

import json

import pytest

from pmbf import Collection
from pmbf.web import state
from pmbf.web.history import History
from tests.conftest import words
from tests.web.conftest import ESSAY, SHARED, Client


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
    history = History(state.opened(tmp_path / "state"))
    gone, stays = (history.keep(report, user="ann", sha256="0" * 64, text=ESSAY) for report in reports)
    history.decide(gone.id, source="harbours", verdict="open", who="ann", note="wombat")
    history.delete(gone.id)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "state").iterdir())
    assert [word for word in (b"quaxolotl", b"zebrafish", b"wombat", gone.id.encode()) if word in kept] == []
    assert [one.id for one in history.screenings(search="oth")] == [stays.id]
