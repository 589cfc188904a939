"""What a file is: by its bytes first, by its name second."""

import os
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.extract import (
    SUPPORTED,
    extract,
    guess_kind,
    looks_supported,
)
from pmbf.extract.encoding import is_probably_text
from pmbf.extract.formats import FORMATS
from tests.extract import builders as make

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(50)
ELF = b"\x7fELF\x02\x01\x01" + bytes(100)


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("pdf", make.pdf(["x"])),
        ("docx", make.docx(make.paragraph("x"))),
        ("odt", make.odt("<text:p>x</text:p>")),
        ("rtf", make.rtf("x")),
        ("html", make.html("x")),
        ("html", b"\xef\xbb\xbf<!-- a --> <HTML><p>x"),
        ("html", "<html><p>x".encode("utf-16")),
        ("eml", b"Received: from a\r\n by b\r\nSubject: x\r\n\r\nbody"),
        ("mbox", b"From a@b Mon Jan  1 00:00:00 2024\nReceived: x\n\nbody"),
    ],
)
def test_bytes_tell_the_kind_whatever_the_name_says(kind, raw):
    assert [kind] * 3 == [guess_kind(raw, name) for name in ("a", "a.txt", "a.text")]


@pytest.mark.parametrize(
    ("kind", "name"), [("md", "a.md"), ("txt", "a.py"), ("txt", "a.php"), ("txt", "a.csv"), ("html", "a.html")]
)
def test_source_code_and_markdown_that_quote_html_stay_what_their_name_says(kind, name):
    assert kind == guess_kind(b"<!doctype html><html>", name)


def test_an_office_document_with_another_inside_is_of_the_outer_kind():
    inner = make.zipped({"[Content_Types].xml": "", "ppt/presentation.xml": ""}, method=0)
    outer = make.zipped({"[Content_Types].xml": "", "xl/workbook.xml": "", "xl/embeddings/a.pptx": inner}, method=0)
    assert guess_kind(outer, "a") == "xlsx"


@pytest.mark.parametrize("name", ["a", "a.txt", "a.bin", "request"])
@pytest.mark.parametrize(
    "before", ["\n", "hello\n", "POST /a HTTP/1.1\r\nContent-Type: application/pdf\r\n\r\n", "x" * 900]
)
def test_a_pdf_behind_other_text_is_a_pdf_under_any_name(name, before):
    """Programs look for its mark in the first KB. A PDF may be ASCII from its beginning to its end."""
    raw = before.encode() + make.pdf(["x"])
    assert raw.isascii()
    assert guess_kind(raw, name) == guess_kind(raw, name, is_clean=True) == "pdf"


def test_a_text_that_quotes_a_pdf_is_text_and_a_pdf_far_behind_is_a_problem():
    quoted = b"A PDF begins with %PDF-1.7 and ends with\nstartxref\n99\n%%EOF\nThat is all.\n"
    assert [guess_kind(quoted, name) for name in ("a", "a.txt", "a.py")] == ["txt"] * 3
    assert extract(quoted, "a").problems == ()
    assert extract(b"x " * 600 + make.pdf(["y"]), "a").problems == ("a PDF follows it: skipped",)


MAIL = b"Received: from a by b\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nHello.\r\n"


@pytest.mark.parametrize("name", ["1700000000.M1P2.host,S=90:2,S", "mail.tmp", "message.1", "a.bin"])
def test_a_mail_has_the_name_that_its_server_gave_it(name):
    assert guess_kind(MAIL, name) == guess_kind(MAIL + make.docx(make.paragraph("x")), name) == "eml"


def test_settings_that_begin_as_headers_do_are_text():
    assert guess_kind(b"content-type: text/html\nname: a\n\nHello.\n", "a.yaml") == "txt"
    assert guess_kind(MAIL, "a.md") == "md"


@pytest.mark.parametrize("name", ["a", "a.txt", "a.docx", "a.eml", "a.pdf"])
@pytest.mark.parametrize(
    "raw",
    [PNG, ELF, b"7z\xbc\xaf\x27\x1c" + bytes(90), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)],
    ids=["png", "elf", "7z", "doc"],
)
def test_unknown_archives_pictures_programs_and_old_office_files_are_no_text(raw, name):
    assert guess_kind(raw, name) is None


def test_text_in_any_encoding_looks_like_text_and_compressed_bytes_do_not():
    for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-32-be", "koi8-r", "cp1251", "iso2022_jp"):
        assert is_probably_text((make.TEXT["cyrillic"] * 20).encode(encoding))
    assert not is_probably_text(make.deflated_stream(os.urandom(4000))[60:])


def test_a_text_with_one_zero_byte_among_many_is_text_and_is_not_taken_for_utf_16():
    raw = b"An English sentence, repeated. " * 40 + b"\0" + b"An English sentence, repeated." * 40
    assert is_probably_text(raw)
    assert guess_kind(raw, "a") == "txt"


def test_hostile_markup_before_html_is_sniffed_in_linear_time():
    assert guess_kind(b"<!---->" * 1170 + b"<", "a") == "txt"
    assert guess_kind(b"A-b: c\n" * 1170, "a") == "txt"


def test_a_walk_takes_known_extensions_unopened_and_others_by_their_bytes(tmp_path):
    for name, content in {"a.weird": b"words and words", "b.weird": ELF, "c": make.pdf(["x"]), "d": b""}.items():
        (tmp_path / name).write_bytes(content)
    os.mkfifo(tmp_path / "pipe")
    found = [looks_supported(tmp_path / name) for name in ("a.weird", "b.weird", "c", "d", "pipe", "missing", "x.DOCX")]
    assert found == [True, False, True, False, False, False, True]


def test_a_text_file_littered_with_control_characters_is_read():
    littered = b"He said it\x19s \x14 well \x02 a \x00 draft. " * 50
    assert guess_kind(littered, "draft.txt") == "txt"
    assert guess_kind(littered, "draft.bin") is None
    assert guess_kind(bytes(range(256)) * 20, "draft.txt") is None


BEGINNINGS = [
    "<html>",
    "<!-- x --> <html>",
    "<p>",
    "%PDF-1",
    "{\\rtf",
    "{",
    "From a\n",
    "From: a\n",
    "Mime-Version: 1\n",
    "A: b",
]


@given(
    st.builds(
        "".join, st.lists(st.sampled_from(["", " ", "\n", "\r\n", "\t", *BEGINNINGS]) | st.text("a<b:", max_size=9))
    ),
    st.sampled_from(["a", "a.unknown", *(f"a{extension}" for extension in SUPPORTED)]),
)
def test_clean_text_is_of_the_kind_that_all_bytes_would_have(text, name):
    assert guess_kind(text.encode(), name) == guess_kind(text.encode(), name, is_clean=True)


def test_every_kind_of_a_table_is_read_by_a_module_that_is_there():
    for kind, one in FORMATS.items():
        assert kind == one.kind
        assert find_spec(f"pmbf.extract.{one.reader}")
        assert {kind} == {SUPPORTED[extension] for extension in one.extensions} | {kind}
