"""The service cuts texts by templates that it knows by name: those of pmbf, and those that its operator gives it."""

import pytest

from pmbf import Collection
from pmbf.serving.service import routes
from tests.commands.conftest import run
from tests.sentences.texts import text as prose
from tests.service.conftest import serve

METHOD, REST = prose(5, 6, 7, 8), prose(20, 21)
OWN = '[[section]]\nname = "findings"\nrule = "skip"\nstart = ["Findings"]\n'


@pytest.fixture(scope="module")
def service(place, tmp_path_factory):
    folder = tmp_path_factory.mktemp("forms")
    with Collection(folder / "forms.pmbf", create=True) as collection:
        collection.add(f"Findings\n{METHOD}\n", name="earlier")
    (folder / "inspection.toml").write_text(OWN)
    path = place / "templates.sock"
    made = serve(path, "-c", folder / "forms.pmbf", "--log", "--template", folder / "inspection.toml")
    made.folder = folder
    yield made
    assert made.stop() == 0 and "Traceback" not in made.said


def screened(service, text, query=""):
    status, told = service.json("POST", f"/v1/screen?name=a.txt{query}", text.encode())
    assert status == 200, told
    return told


def test_a_template_of_the_operator_skips_a_section_as_for_the_command(service):
    text = f"Findings\n{METHOD}\n\n"
    assert screened(service, text)["matches"]
    told = screened(service, f"{REST}\n\n{text}", "&template=inspection")
    assert [one["not_counted"] for one in told["matches"][0]["passages"]] == ["skipped"] and not told["problems"]
    assert told["coverage"] == 0 < told["not_counted"]["skipped"]
    assert [(one["name"], one["rule"]) for one in told["sections"]] == [("findings", "skip")]
    with Collection(service.folder / "forms.pmbf") as collection:
        template = service.folder / "inspection.toml"
        expected = collection.screen(f"{REST}\n\n{text}".encode(), name="a.txt", template=template).to_dict()
    assert told["query"]["excluded"] == expected["query"]["excluded"] and told["sections"] == expected["sections"]


@pytest.mark.parametrize(
    ("text", "outcome"), [(METHOD, "found"), ("Nobody wrote this line of words before", "incomplete")]
)
def test_a_text_that_is_skipped_as_a_whole_is_found_or_incomplete(service, text, outcome):
    told = screened(service, f"References\n{text}\n", "&template=thesis")
    assert "the template thesis skips the whole text" in told["problems"][0]
    logged = routes._outcome_of(told, found=bool(told["matches"]), n_tokens=told["query"]["n_tokens"])
    assert logged == outcome


@pytest.mark.parametrize("name", ["/etc/passwd", "inspection.toml", "..%2Fthesis", "%00", "Thesis"])
def test_what_a_client_names_is_no_path(service, name):
    status, told = service.json("POST", f"/v1/screen?template={name}", b"words")
    assert status == 400 and "there are contract, proposal, thesis, inspection" in told["error"]


@pytest.mark.parametrize(
    ("text", "said"),
    [(OWN.replace("[[section]]", 'name = "thesis"\n[[section]]'), "'thesis' already"), ("x = 1", "no key 'x'")],
)
@pytest.mark.parametrize("command", ["serve", "web"])
def test_a_wrong_template_is_told_before_the_service_begins(service, tmp_path, command, text, said):
    (tmp_path / "form.toml").write_text(text)
    told = run(command, "-c", service.folder / "forms.pmbf", "--template", tmp_path / "form.toml")
    assert told.exit_code == 2 and said in told.stderr
