"""Forms and mails with binary parts: each file inside is read by its bytes, and named where a passage is found."""

import base64
import gzip
import io
import tarfile
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from pmbf import Collection
from pmbf.extract import Limits, extract, guess_kind
from pmbf.guard.policy import Policy
from pmbf.guard.sources import of_content
from tests.conftest import words
from tests.extract import builders as make
from tests.guard.conftest import CLEAN, LEAK

BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW"


def docx(text):
    return make.docx(make.paragraph(text))


def tarred(text):
    return make.tarred({"a.txt": text.encode()})


FILES = {
    "a.docx": docx,
    "a.txt": str.encode,
    "a.zip": lambda text: make.zipped({"inner.txt": text}),
    "a.txt.gz": lambda text: gzip.compress(text.encode()),
    "a.tar": tarred,
    "a.pdf": lambda text: make.pdf([text]),
    "a.rtf": lambda text: make.rtf(text),
}


def part(name, content, filename="", more=""):
    content = content.encode() if isinstance(content, str) else content
    named = f'; filename="{filename}"' if filename else ""
    head = f'Content-Disposition: form-data; name="{name}"{named}\r\n{more}\r\n'
    return head.encode() + content


def form(*parts, boundary=BOUNDARY, last="--", newline=b"\r\n"):
    line = f"--{boundary}".encode()
    return b"".join(line + newline + one + newline for one in parts) + line + last.encode() + newline


def mail(*files):
    """Return a mail with files as they are, without base64."""
    line = b"--b1\r\n"
    head = b'From: a@b\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b1"\r\n\r\n'
    text = line + b"Content-Type: text/plain\r\n\r\n" + CLEAN.encode() + b"\r\n"
    parts = [
        line
        + f'Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="{name}"\r\n'.encode()
        + b"Content-Transfer-Encoding: binary\r\n\r\n"
        + raw
        + b"\r\n"
        for name, raw in files
    ]
    return head + text + b"".join(parts) + b"--b1--\r\n"


def in_form(*files):
    return form(part("title", "An upload"), *(part("file", raw, name) for name, raw in files))


def parts_of(verdict):
    return {one.part for finding in verdict.findings for one in finding.snippets}


@pytest.fixture
def checked(verdict_on):
    return lambda raw, name="request": verdict_on(of_content(name, raw, "service", Policy()))


@pytest.mark.parametrize("wrapped", [in_form, mail])
@pytest.mark.parametrize("name", FILES)
def test_a_clean_file_in_a_form_or_a_mail_is_clean(checked, wrapped, name):
    if name.endswith("pdf"):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    found = checked(wrapped((name, FILES[name](CLEAN))))
    assert (found.action, found.incomplete, found.not_text) == ("clean", (), ())


@pytest.mark.parametrize("wrapped", [in_form, mail])
@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("name", ["a.docx", "a.zip", "a.txt"])
def test_a_leak_in_one_of_three_files_is_found_and_named(checked, wrapped, at, name):
    files = [(f"{n}-{name}", FILES[name](LEAK if n == at else words(50 + n))) for n in range(3)]
    found = checked(wrapped(*files))
    assert (found.exit_code, found.incomplete) == (1, ())
    assert {one.partition("!/")[0] for one in parts_of(found)} == {f"{at}-{name}"}


def test_a_leak_in_a_field_of_a_form_is_found_and_named(checked):
    assert parts_of(checked(form(part("title", CLEAN), part("message", LEAK)))) == {"message"}


def test_a_name_in_utf_8_names_the_part(checked):
    assert parts_of(checked(form(part("f", LEAK, "Übersicht.txt")))) == {"Übersicht.txt"}


@pytest.mark.parametrize("newline", [b"\r\n", b"\n"])
@pytest.mark.parametrize("boundary", ["x", "a b'()+_,-./:=?c", BOUNDARY])
def test_a_form_is_known_by_its_first_lines(checked, boundary, newline):
    raw = form(part("f", docx(LEAK), "a.docx"), boundary=boundary, newline=newline)
    assert guess_kind(raw, "request") == guess_kind(raw, "a.bin") == guess_kind(raw, "a.txt") == "form"
    assert parts_of(checked(raw)) == {"a.docx"}


def test_what_begins_with_two_hyphens_is_no_form():
    for text in ("--verbose\n\nContent-Disposition: form-data\n", "---\ntitle: a\n---\n", "-- a\nContent-Type: b\n"):
        assert guess_kind(text.encode(), "a.txt", is_clean=True) == "txt"


NESTED = part(
    "files",
    b"before\r\n"
    + form(
        b'Content-Disposition: file; filename="1.docx"\r\n\r\n' + docx(CLEAN),
        b'Content-Disposition: file; filename="2.docx"\r\n\r\n' + docx(LEAK),
        boundary="inner",
    ),
    more="Content-Type: multipart/mixed; boundary=inner\r\n",
)
HOSTILE = {
    "no last boundary": form(part("f", docx(LEAK), "a.docx"), last=""),
    "cut short": form(part("f", docx(LEAK), "a.docx"))[:-30],
    "nested": form(NESTED),
    "nested without a word": form(part("f", form(part("g", docx(LEAK), "b.docx"), boundary="i"), "")),
    "ten thousand parts": form(*[part("f", "x")] * 10_001, part("f", LEAK)),
    "lying lengths": form(part("f", docx(LEAK), "a.docx", "Content-Length: 3\r\n"), part("g", CLEAN)),
    "boundary in data": form(part("f", docx(CLEAN) + f"\r\n--{BOUNDARY}\r\n".encode() + LEAK.encode(), "a.docx")),
    "a header of a megabyte": form(part("f", LEAK, "a.txt", f"X-Long: {'x; ' * 400_000}\r\n")),
    "a header that hides it": form(
        part("f", CLEAN, "a.txt", f"X-Long: {LEAK}\r\n".replace("\n", " ").rstrip() + "\r\n")
    ),
    "headers without an end": form(part("f", CLEAN), f"Content-Disposition: form-data\r\nX: {LEAK!r}".encode()),
    "behind the end": form(part("f", CLEAN)) + docx(LEAK),
    "text behind the end": form(part("f", CLEAN)) + LEAK.encode(),
    "a part behind the end": form(part("f", CLEAN)) + form(part("g", docx(LEAK), "a.docx")),
    "another header first": form(b"X-A: b\r\n" + part("f", docx(LEAK), "a.docx")),
    "base64": form(part("f", base64.b64encode(LEAK.encode()), "", "Content-Transfer-Encoding: base64\r\n")),
    "no headers": form(part("f", CLEAN), b"\r\n" + docx(LEAK)),
    "a form in a zip": make.zipped({"a.bin": form(part("f", docx(LEAK), "a.docx"))}),
    "a mail with a docx behind its end": mail(("a.txt", CLEAN.encode())) + docx(LEAK),
    "a mail with text and a docx behind": mail(("a.txt", CLEAN.encode())) + (CLEAN * 9).encode() + docx(LEAK),
    "a mail of long headers": b"X-A: " + b"x" * 20_000 + b"\r\n" + mail(("a.docx", docx(LEAK))),
    "a mail of many headers": b"".join(b"X-%d: y\r\n" % n for n in range(5000)) + mail(("a.docx", docx(LEAK))),
    "a text mail with a zip behind": b"From: a\r\nMIME-Version: 1.0\r\n\r\n" + (CLEAN * 40).encode() + docx(LEAK),
    "a page with a long comment": b"<!-- "
    + b"x " * 9000
    + b"--><html>"
    + "".join(f"{word[:2]}<b>{word[2:]}</b> " for word in LEAK.split()).encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_form_or_mail_is_read_or_incomplete(checked, name):
    found = checked(HOSTILE[name])
    assert found.action == "block"
    told = ("no last boundary", "cut short", "ten thousand parts", "a header of a megabyte", "headers without an end")
    assert (
        bool(found.findings) or name.startswith("a mail with text") or name in (*told, "a text mail with a zip behind")
    )
    assert bool(found.incomplete) >= (name in told)


@pytest.mark.parametrize("wrapped", [in_form, mail])
def test_forms_and_binary_mails_are_screened_and_loaded_by_their_files(tmp_path, wrapped):
    raw = wrapped(("1.docx", docx(words(3, 200))), ("2.docx", docx(words(4, 200))))
    with Collection(tmp_path / "c", create=True) as collection:
        collection.add(words(3, 200), name="third")
        collection.add(words(4, 200), name="fourth")
        assert len(collection.screen(raw, name="request").matches) == 2
        (tmp_path / "body.bin").write_bytes(raw)
        (tmp_path / "body.eml").write_bytes(raw)
        file = "body.eml" if wrapped is mail else "body.bin"
        assert collection.load([tmp_path / file]).problems == []
        assert len(collection.screen(words(3, 200)).matches) == 2


def test_a_mail_of_the_standard_library_with_binary_parts_is_read():
    made = EmailMessage(policy=SMTP.clone(cte_type="8bit"))
    made["Subject"], made["Message-ID"] = "report", "<1@example.org>"
    made.set_content(words(77))
    made.add_attachment(docx(LEAK), "application", "octet-stream", cte="base64", filename="a.docx")
    assert LEAK.split()[5] in extract(made.as_bytes(), "a.eml", Limits()).text


def test_bytes_of_any_kind_come_out_of_a_form_as_they_went_in():
    raw = bytes(range(256)) * 9
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo("a.bin")
        info.size = len(raw)
        archive.addfile(info, io.BytesIO(raw))
    found = extract(form(part("f", packed.getvalue(), "a.tar")), "request")
    assert found.problems == ("a.tar: a.bin: skipped: binary data of an unknown kind",)
