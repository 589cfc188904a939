"""A finding in an archive, a mail or an office document names the document inside that holds the passage."""

import json
from email.message import EmailMessage

from tests.conftest import words
from tests.extract import builders as make
from tests.guard.conftest import LEAK, guard

PATH = "report.zip!/x/inner.docx"


def leaking_mail():
    """Return a mail with a clean note, and a zip that holds a leaking document beside a clean one."""
    inner = make.docx(make.paragraph(words(5, 60)) + make.paragraph(LEAK))
    made = EmailMessage()
    made["Subject"], made["Message-ID"] = "report", "<1@example.org>"
    made.set_content(words(77))
    packed = make.zipped({"a.txt": words(6, 60), "x/inner.docx": inner})
    made.add_attachment(packed, maintype="application", subtype="zip", filename="report.zip")
    return made.as_bytes()


def test_every_output_names_the_document_inside(tmp_path, protected):
    (tmp_path / "mail.eml").write_bytes(leaking_mail())
    arguments = ["mail.eml", "-c", protected, "--sarif", "out.sarif", "--incidents", "log.jsonl"]
    shown = guard(*arguments, cwd=tmp_path)
    assert shown.returncode == 1
    assert f"  {PATH}, line 2 of its text: " in shown.stdout
    [finding] = json.loads(guard(*arguments, "--json", cwd=tmp_path).stdout)["findings"]
    assert [(one["part"], one["lines"]) for one in finding["evidence"]] == [(PATH, [2, 2])]
    [result] = json.loads((tmp_path / "out.sarif").read_text())["runs"][0]["results"]
    [location] = result["locations"]
    assert location["logicalLocations"][0]["fullyQualifiedName"] == PATH
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "mail.eml"
    assert json.loads((tmp_path / "log.jsonl").read_text().splitlines()[0])["parts"] == [PATH]


def test_a_name_inside_that_is_a_command_to_a_terminal_is_shown_harmless(tmp_path, protected):
    (tmp_path / "a.zip").write_bytes(make.zipped({"\x1b[2J\u202etxt.exe": LEAK}))
    shown = guard("a.zip", "-c", protected, cwd=tmp_path).stdout
    assert "\\x1b[2J\\u202etxt.exe, line 1 of its text" in shown
    assert "\x1b" not in shown and "\u202e" not in shown
