"""What stands where no reader of documents looks is checked all the same: in programs, pictures and unknown bytes."""

import base64
import gzip
import html
import io
import random
import textwrap
import zipfile

import pytest

from pmbf.base.errors import UnsupportedError
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


def armoured(raw, of="PGP MESSAGE"):
    packed = textwrap.fill(base64.b64encode(raw).decode(), 64)
    return f"-----BEGIN {of}-----\n\n{packed}\n-----END {of}-----\n"


SEALED = b"\x8c\x0d\x04\x09\x03\x08" + NOISE[:400]
MAIL = "Message-ID: <1@example.org>\nMIME-Version: 1.0\nContent-Type: "
ENVELOPED = b"\x30\x82\x01\x90\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03" + NOISE[:400]
ENCRYPTED = {
    "openssl": b"Salted__" + NOISE[:400],
    "openssl in base64": base64.encodebytes(b"Salted__" + NOISE[:400]),
    "passphrase.gpg": SEALED,
    "for somebody.gpg": b"\x85\x01\x0c\x03" + bytes(8) + b"\x01" + NOISE[:400],
    "armour.txt": armoured(SEALED).encode(),
    "compressed.asc": armoured(b"\xa3\x01" + NOISE[:400]).encode(),
    "a.age": b"age-encryption.org/v1\n-> X25519 " + base64.b64encode(NOISE[:32]) + b"\n--- \n" + NOISE[:400],
    "armour.age": armoured(NOISE[:400], "AGE ENCRYPTED FILE").encode(),
    "smime.p7m": ENVELOPED,
    "smime.pem": armoured(ENVELOPED, "PKCS7").encode(),
    "encrypted.eml": (
        f"{MAIL}multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n"
        f"--b\nContent-Type: application/octet-stream\n\n{armoured(SEALED)}\n--b--\n"
    ).encode(),
    "smime.eml": (
        f"{MAIL}application/pkcs7-mime; smime-type=enveloped-data\nContent-Transfer-Encoding: base64\n\n"
        f"{base64.encodebytes(ENVELOPED).decode()}"
    ).encode(),
    "sealed.zip": make.zipped({"a.gpg": SEALED, "b.txt": COVER}),
}


@pytest.mark.parametrize("name", ENCRYPTED)
def test_what_is_encrypted_is_incomplete(judge, name):
    found = judge(ENCRYPTED[name], name)
    assert (found.exit_code, found.findings) == (3, ())
    assert "encrypted" in found.incomplete[0].reason


def test_keys_and_signatures_are_not_encrypted(judge):
    for of, first in (
        ("PUBLIC KEY BLOCK", b"\x99\x01\x0d\x04"),
        ("PRIVATE KEY BLOCK", b"\x95\x01"),
        ("SIGNATURE", b"\x89"),
    ):
        assert judge(armoured(first + NOISE[:600], f"PGP {of}").encode(), "a.asc").action == "clean"


def zip_with(comment=b"", comments=b"", extra=b""):
    """Return a zip with a comment, comments of its members, and extra fields of a kind that no program knows."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        member = zipfile.ZipInfo("a.txt")
        member.comment, member.extra = comments, (b"\xfe\xca" + len(extra).to_bytes(2, "little") + extra) * bool(extra)
        archive.writestr(member, COVER)
        archive.comment = comment
    return buffer.getvalue()


def gapped(archive):
    """Return a zip with text between its members and its directory."""
    end = archive.rindex(b"PK\5\6")
    start = int.from_bytes(archive[end + 16 : end + 20], "little")
    moved = (start + len(ENGLISH.encode())).to_bytes(4, "little")
    return archive[:start] + ENGLISH.encode() + archive[start : end + 16] + moved + archive[end + 20 :]


def commented(archive):
    """Return a zip with text as its comment."""
    return archive[:-2] + len(ENGLISH.encode()).to_bytes(2, "little") + ENGLISH.encode()


def commented_gzip():
    packed = gzip.compress(COVER.encode())
    return packed[:3] + b"\x18" + packed[4:10] + b"a.txt\0" + ENGLISH.encode("latin-1", "replace") + b"\0" + packed[10:]


DOCUMENT = f"<w:document {make.W}><!-- {html.escape(ENGLISH)} --><w:body>{make.paragraph(COVER)}</w:body></w:document>"
BESIDE = {
    "comment.zip": (zip_with(comment=ENGLISH.encode()), "comments"),
    "comments.zip": (zip_with(comments=ENGLISH.encode()), "comments"),
    "extra.zip": (zip_with(extra=ENGLISH.encode()), "comments"),
    "wide comment.zip": (zip_with(comment=ENGLISH.encode("utf-16-le")), "comments"),
    "behind.zip": (zip_with() + ENGLISH.encode(), "comments"),
    "gap.docx": (gapped(make.docx(make.paragraph(COVER))), "comments"),
    "behind.docx": (make.docx(make.paragraph(COVER)) + ENGLISH.encode(), "comments"),
    "comment.odt": (commented(make.odt(f"<text:p>{COVER}</text:p>")), "comments"),
    "comment.epub": (commented(make.epub(f"<p>{COVER}</p>")), "comments"),
    "comment.gz": (commented_gzip(), "comments"),
    "comment.docx": (make.zipped({"[Content_Types].xml": "<a/>", "word/document.xml": DOCUMENT}), "properties"),
    "doctype.html": (f'<!DOCTYPE html [<!ENTITY a "{ENGLISH}"]><p>{COVER}'.encode(), "comments"),
}


@pytest.mark.parametrize("name", BESIDE)
def test_what_stands_beside_the_text_is_blocked_and_told_where_it_was(judge, name):
    raw, part = BESIDE[name]
    found = judge(raw, name)
    assert found.exit_code == 1
    assert {one.part for finding in found.findings for one in finding.snippets} == {part}


@pytest.mark.parametrize("name", ["a.pdf", "a.txt", "a.bin", "a"])
@pytest.mark.parametrize("mark", [b"", b"%\xe2\xe3\xcf\xd3\n"])
def test_text_before_and_behind_a_pdf_is_read(judge, name, mark):
    """Programs skip what stands before the PDF's mark, and behind its end."""
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    raw = make.pdf([COVER]).replace(b"%PDF-1.7\n", b"%PDF-1.7\n" + mark)
    before = ENGLISH.encode()[:900].rpartition(b" ")[0]
    assert judge(before + b"\n" + raw, name).exit_code == 1
    assert judge(raw + ENGLISH.encode(), name).exit_code == 1
    assert judge(raw + b"\n", name).exit_code == 0


def test_title_and_xmp_of_a_pdf_are_read(judge):
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    packet = f"<x:xmpmeta xmlns:x='a'><d>{html.escape(ENGLISH)}</d></x:xmpmeta>"
    raw = make.pdf([COVER])
    assert judge(raw + f"\n% {packet}\n".encode(), "a.pdf").exit_code == 1
    assert judge(raw, "a.pdf").exit_code == 0
