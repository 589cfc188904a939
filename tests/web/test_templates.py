"""The application cuts uploaded texts by a template that its user chooses by name."""

import pytest

from tests.web.conftest import Running, words

OWN = 'name = "<i>form</i>"\n[[section]]\nname = "<b>aim\\u202e</b>"\nrule = "skip"\nstart = ["Aim"]\n'


@pytest.fixture(scope="module")
def client(library, tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "form.toml").write_text(OWN)
    made = Running(library, folder / "state", "--template", str(folder / "form.toml"))
    yield made.entered()
    code, said = made.stop()
    assert code == 0 and "Traceback" not in said, said


def test_the_first_page_offers_the_templates(client):
    page = client.ask("GET", "/").text
    assert '<select name="template">' in page and '<option value="thesis">thesis</option>' in page
    assert "&lt;i&gt;form&lt;/i&gt;" in page and "<i>form" not in page


def test_a_skipped_section_does_not_count_and_the_pages_say_so(client):
    shared = words(5, 120)
    text = f"Aim\n{shared}"
    assert client.screened(text)["report"]["matches"]
    found = client.screened(f"Title\n{words(90, 40)}\n{text}", "&template=%3Ci%3Eform%3C/i%3E")
    [match] = found["report"]["matches"]
    assert match["coverage"] == 0 and match["n_not_counted"] == found["report"]["not_counted"]["skipped"] > 500
    assert found["report"]["sections"][0]["rule"] == "skip"
    number = found["screening"]["id"]
    page = client.ask("GET", f"/screenings/{number}").text
    assert "Found, but not counted, of the whole text:" in page and "in skipped sections" in page
    assert "&lt;b&gt;aim" in page and "<b>aim" not in page
    evidence = client.ask("GET", f"/screenings/{number}/evidence").text
    assert "Found, but not counted:" in evidence and '<mark class="off">' in evidence
    assert "&lt;b&gt;aim" in evidence and "<b>aim" not in evidence and "\u202e" not in evidence


def test_a_text_that_is_skipped_as_a_whole_is_incomplete(client):
    found = client.screened(f"References\n{words(5, 120)}\n", "&template=thesis")
    assert "skips the whole text" in found["report"]["problems"][0]
    assert "skips the whole text" in client.ask("GET", f"/screenings/{found['screening']['id']}").text


def test_what_a_user_names_is_no_path(client):
    for name in ("/etc/passwd", "form.toml", "../thesis"):
        answer = client.ask("POST", f"/v1/screenings?template={name}", b"words")
        assert answer.status == 400 and "there is no template" in answer.json["error"]
    form = "--x\r\nContent-Disposition: form-data; name=text\r\n\r\nwords\r\n--x\r\n"
    form += "Content-Disposition: form-data; name=template\r\n\r\n/etc/passwd\r\n--x--\r\n"
    answer = client.ask("POST", "/", form.encode(), Content_Type="multipart/form-data; boundary=x")
    assert answer.status == 400 and "there is no template" in answer.text
