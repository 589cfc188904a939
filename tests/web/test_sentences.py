"""The application screens a text sentence by sentence, if its collection has sentences."""

import pytest

from pmbf import Collection
from tests.sentences.texts import text as prose
from tests.web.conftest import Running

COPIED, OWN = prose(5, 6, 7, 8), prose(20, 21, 22)
ASKED = f"{OWN} {COPIED}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sentences") / "c.pmbf"
    with Collection(folder, create=True) as collection:
        collection.add(f"{prose(1, 2)} {COPIED}", name="earlier")
        collection.build_sentences()
    return folder


@pytest.fixture(scope="module")
def client(folder, tmp_path_factory):
    made = Running(folder, tmp_path_factory.mktemp("state"))
    yield made.entered()
    code, said = made.stop()
    assert code == 0 and "Traceback" not in said, said


def test_the_report_of_sentences_is_that_of_the_collection(client, folder):
    found = client.screened(ASKED, "&sentences=1")
    with Collection(folder) as collection:
        expected = collection.screen_sentences(ASKED.encode(), name="essay.txt")
    told = expected.to_dict() | {"collection": folder.name}  # its folders are for admins
    assert found["sentences"] == told and expected.n_found >= 3
    assert [one["document"]["path"] for one in found["report"]["matches"]] == ["earlier"]
    assert client.screened(ASKED)["sentences"] is None


def test_the_pages_count_sentences_and_the_evidence_page_is_drawn_again(client):
    found = client.screened(ASKED, "&sentences=1&keep_text=1")
    number, n, n_found = found["screening"]["id"], found["sentences"]["n_compared"], found["sentences"]["n_found"]
    page = client.ask("GET", f"/screenings/{number}").text
    assert f"{n_found} of {n} sentences are found in the collection." in page
    drawn = client.ask("GET", f"/screenings/{number}/evidence").text
    assert f"{n_found} of {n} sentences" in drawn


def test_a_kept_text_is_drawn_again_after_a_restart(folder, tmp_path):
    first = Running(folder, tmp_path / "state")
    client = first.entered()
    number = client.screened(ASKED, "&sentences=1&keep_text=1")["screening"]["id"]
    drawn = client.ask("GET", f"/screenings/{number}/evidence").text
    assert first.stop()[0] == 0
    second = Running(folder, tmp_path / "state")
    client = second.entered()
    again = client.ask("GET", f"/screenings/{number}/evidence").text
    assert client.ask("DELETE", f"/v1/screenings/{number}").status == 204
    assert client.ask("GET", f"/v1/screenings/{number}").status == 404
    assert second.stop()[0] == 0
    assert [line for line in again.splitlines() if "<p" in line] == [
        line for line in drawn.splitlines() if "<p" in line
    ]


def test_the_first_page_offers_sentences_only_where_there_are_some(client, library, tmp_path):
    assert 'name="sentences"' in client.ask("GET", "/").text
    made = Running(library, tmp_path / "state")
    other = made.entered()
    assert 'name="sentences"' not in other.ask("GET", "/").text
    [job] = other.ask("POST", "/v1/screenings?sentences=1", ASKED.encode()).json["jobs"]
    over = other.over(job["id"])
    assert over["state"] == "failed" and "has no sentences; make them with `pmbf sentences build" in over["reason"]
    assert made.stop()[0] == 0


def test_an_option_of_passages_is_refused_and_what_the_form_leaves_empty_is_none(client):
    answer = client.ask("POST", "/v1/screenings?sentences=1&min_chars=40", ASKED.encode())
    assert answer.status == 400 and answer.json["error"] == "min_chars is given with sentences, where it means nothing"
    fields = {"text": ASKED, "sentences": "1", "sensitivity": "", "template": "", "min_chars": ""}
    parts = [f"--x\r\nContent-Disposition: form-data; name={name}\r\n\r\n{value}\r\n" for name, value in fields.items()]
    sent = client.ask(
        "POST", "/", ("".join(parts) + "--x--\r\n").encode(), Content_Type="multipart/form-data; boundary=x"
    )
    assert sent.status == 303 and "/jobs/" in sent.headers["location"]
    assert client.over(sent.headers["location"].rsplit("/", 1)[1])["state"] == "done"
