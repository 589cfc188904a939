"""What stands where no reader of documents looks is checked all the same: in programs, pictures and unknown bytes."""

import random

import pytest

from pmbf.errors import UnsupportedError
from tests.extract import builders as make
from tests.guard.test_evasions import COVER, ENGLISH

NOISE = random.Random(3).randbytes(9000)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + NOISE[:99]
IN_BINARY = {
    "controls behind.c": ENGLISH.encode() + b"\2" * 40,
    "zeros behind.txt": ENGLISH.encode() + bytes(300_000),
    "a picture's head.txt": b"GIF89a\0\0\0" + bytes(200) + ENGLISH.encode(),
    "noise before": NOISE + ENGLISH.encode(),
    "comment.png": PNG + b"tEXtComment\0" + ENGLISH.encode() + NOISE,
    "program": b"\x7fELF\2\1\1" + NOISE + ENGLISH.encode() + bytes(99),
    "wide in a program": b"\x7fELF\2\1\1" + NOISE + ENGLISH.encode("utf-16-le") + bytes(99),
    "zeros for spaces": ENGLISH.replace(" ", "\0").encode(),
    "picture.zip": make.zipped({"a.png": PNG + ENGLISH.encode(), "b.txt": COVER}),
    "picture.docx": make.zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": f"<w:document {make.W}><w:body>{make.paragraph(COVER)}</w:body></w:document>",
            "word/media/image1.png": PNG + ENGLISH.encode(),
        }
    ),
}


@pytest.mark.parametrize("name", IN_BINARY)
def test_runs_of_text_in_what_is_no_document_are_blocked(judge, name):
    assert judge(IN_BINARY[name], name).exit_code == 1


@pytest.mark.parametrize("name", ["program", "comment.png", "picture.docx"])
def test_screening_leaves_runs_of_text_in_binary_bytes_alone(library, name):
    raw = IN_BINARY[name]
    if name.endswith(".docx"):
        assert library.screen(raw, name=name).matches == ()
    else:
        with pytest.raises(UnsupportedError):
            library.screen(raw, name=name)


def test_bytes_without_text_are_clean_and_counted(judge):
    for raw in (NOISE, PNG, bytes(9000)):
        found = judge(raw, "a.bin")
        assert (found.action, found.counts.n_not_text, found.incomplete) == ("clean", 1, ())


def as_mail(charset, kind="plain", extra=""):
    head = f"MIME-Version: 1.0\nContent-Type: text/{kind}; charset={charset}\nContent-Transfer-Encoding: 8bit\n\n"
    return f"{head}{ENGLISH}{extra}\n".encode()


DECLARED = {
    "utf-16.html": f"<html><meta charset='utf-16'><p>{ENGLISH}".encode(),
    "cp037.html": f"<html><meta charset='cp037'><p>{ENGLISH}".encode(),
    "cp037 and a byte.html": f"<html><meta charset='cp037'><p>{ENGLISH}".encode() + b"\xff",
    "xml.xhtml": f"<?xml version='1.0' encoding='cp037'?><html><p>{ENGLISH}".encode(),
    "utf-16.eml": as_mail("utf-16"),
    "utf-16le.eml": as_mail("utf-16le", extra="."),
    "cp037.eml": as_mail("cp037"),
    "cp500.eml": as_mail("cp500", "html"),
    "rot13.eml": as_mail("rot13"),
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_declared_encoding_hides_nothing(judge, name):
    assert judge(DECLARED[name], name).exit_code == 1


@pytest.mark.parametrize("name", [name for name in DECLARED if name.endswith("html")])
def test_a_page_is_screened_in_the_encoding_that_browsers_take(library, name):
    assert len(library.screen(DECLARED[name], name=name).matches) == 1


def test_an_office_document_in_an_encoding_without_ascii_is_incomplete(judge):
    part = f"<?xml version='1.0' encoding='cp037'?><w:document {make.W}/>".encode()
    found = judge(make.zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": part}), "a.docx")
    assert found.exit_code == 3
    assert "cp037" in found.incomplete[0].reason
