"""Where a text comes from when documents hold documents: each stretch is told with the names of those around it."""

import gzip
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.extract import Limits, extract, part_at
from pmbf.extract.reading import MOST_PATH_CHARS, PartMarks
from tests.extract import builders as make


def mail(name, content):
    made = EmailMessage()
    made["Subject"], made["Message-ID"] = "subject", "<1@example.org>"
    made.set_content("body")
    made.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return made


def forwarded():
    outer = mail("note.txt", b"a note")
    outer.add_attachment(mail("report.zip", make.zipped({"x/inner.docx": make.docx(make.paragraph("the words"))})))
    return outer.as_bytes()


WORDS = make.docx(make.paragraph("the words"))
NESTED = {
    "a.zip": (make.zipped({"one.txt": "one", "x/inner.docx": WORDS}), "x/inner.docx"),
    "a.tar": (make.tarred({"inner.zip": make.zipped({"y.docx": WORDS})}), "inner.zip!/y.docx"),
    "a.tar.gz": (gzip.compress(make.tarred({"y.docx": WORDS})), "content!/y.docx"),
    "a.eml": (mail("report.docx", WORDS).as_bytes(), "report.docx"),
    "text.eml": (mail("notes.txt", b"the words").as_bytes(), "notes.txt"),
    "page.eml": (mail("page.html", b"<html><p>the words").as_bytes(), "page.html"),
    "b.eml": (forwarded(), "attached message!/report.zip!/x/inner.docx"),
    "a.mbox": (b"From a\n" + mail("r.txt", b"the words").as_bytes(), "message 1!/r.txt"),
}


@pytest.mark.parametrize("name", NESTED)
def test_a_stretch_knows_the_document_inside_that_it_comes_from(name):
    raw, path = NESTED[name]
    found = extract(raw, name)
    assert found.complete
    start = found.text.index("the words")
    part = part_at(found.parts, start, start + 9)
    assert part.path == path
    assert found.text[part.start : part.stop].strip() == "the words"
    assert "\ufdd0" not in found.text


def test_text_of_the_document_itself_has_no_other_name():
    found = extract(mail("a.txt", b"inside").as_bytes(), "a.eml")
    start = found.text.index("body")
    assert part_at(found.parts, start, start + 4) is None
    assert extract(WORDS, "a.docx").parts == ()


def test_a_document_cannot_forge_marks():
    forged = PartMarks().around("words", "elsewhere.txt")
    found = extract(make.zipped({"a.txt": forged, "b.txt": "\ufdd0-\ufdd1" * 9}), "a.zip")
    assert [part.path for part in found.parts] == ["a.txt", "b.txt"]
    assert forged in found.text


def test_names_are_bounded_and_the_text_is_not():
    members = {f"{n:04}{'x' * 190}": f"text {n}" for n in range(400)}
    found = extract(make.zipped(members), "a.zip")
    assert sum(len(part.path) for part in found.parts) <= MOST_PATH_CHARS
    assert len(found.parts) == MOST_PATH_CHARS // 194
    assert found.text.split() == " ".join(members.values()).split()


def test_ten_thousand_members_are_answered():
    found = extract(make.zipped({f"{n}.txt": f"text {n}" for n in range(9_000)}), "a.zip", Limits())
    assert found.complete
    assert found.text.count("text") == 9_000


@given(st.recursive(st.text("ab \n\ufdd0\ufdd1", max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=12))
def test_marks_leave_the_text_as_it_is_and_enclose_what_they_were_put_around(tree):
    marks, expected = PartMarks(), []

    def put(node, path):
        if isinstance(node, str):
            return node, node
        pairs = [put(child, f"{path}/{n}") for n, child in enumerate(node)]
        marked, plain = "".join(one for one, _ in pairs), "".join(one for _, one in pairs)
        if plain.strip():
            expected.append((path, plain))
        return marks.around(marked, path), plain

    marked, plain = put(tree, "")
    text, parts = marks.taken_out(marked)
    assert text == plain
    assert sorted((part.path, text[part.start : part.stop]) for part in parts) == sorted(expected)
