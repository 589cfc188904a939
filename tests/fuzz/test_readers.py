"""Every reader of our own, on documents that are nearly right: text, or an error that somebody foresaw."""

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import IncompleteError, UnsupportedError
from pmbf.extract import Limits, guess_kind, looks_supported
from pmbf.extract.encoding import decode, decode_as
from pmbf.extract.formats import FORMATS
from pmbf.extract.kinds import SUPPORTED
from pmbf.extract.reading import Reading, read
from pmbf.jobs import frames
from tests.extract import builders as make
from tests.fuzz.damage import damaged, fuzzing

LIMITS = Limits(max_text_bytes=1 << 20, max_expanded_bytes=1 << 22, max_entries=200, max_depth=3)
TYPES = {"[Content_Types].xml": "<Types/>"}
MAIL = (
    b"MIME-Version: 1.0\nSubject: =?utf-8?b?w6k=?= =?koi8-r?q?=F0?=\nContent-Type: multipart/mixed; boundary=b\n\npre\n"
    b"--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n"
    b"--b\nContent-Type: text/html; charset*=us-ascii'en'koi8-r\nContent-Transfer-Encoding: quoted-printable\n\n=C1\n"
    b"--b\nContent-Type: message/rfc822\n\nSubject: x\n\ny\n"
    b'--b\nContent-Type: application/zip; name="a.zip"\nContent-Transfer-Encoding: base64\n\nUEsDBA==\n--b--\nend'
)
FORM = (
    b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nwords\r\n'
    b"--b\r\nContent-Disposition: form-data; name=\"f\"; filename*=utf-8''%c3%a9.zip\r\n\r\nPK\x03\x04\r\n"
    b"--b\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\nContent-Type: text/plain\r\n\r\nx\r\n--i--\r\n"
    b"--b\r\nContent-Disposition: form-data; name=c\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--b--\r\n"
)
RTF = (
    rb"{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\fcharset204 A;}{\f1\fcharset128 B;}}\f0 some \'e9\u1080? text\par"
    rb"{\footnote note}{\*\shppict{\pict\bin3 abc}}\f1\'82\'a0{\deleted gone}\uc2\u-10180ab\u-8704cd{\object\objdata}}"
)
HTML = (
    b"<!doctype html><html><head><meta charset=utf-8><title>t</title><script>x</script></head><body><p>some <b>te</b>xt"
    b"&amp;&#65;<template><p>more</template><pre>a\n b</pre><svg><text>s</svg><table><tr><td>c</table><!-- x --></html>"
)
DOCX = {
    "word/document.xml": f"<w:document {make.W}>{make.paragraph('text')}<w:tab/></w:document>",
    "word/footnotes.xml": f"<w:f {make.W}>{make.paragraph('note')}<w:txbxContent/></w:f>",
    "word/embeddings/a.html": make.html("inner"),
}
XLSX = {
    "xl/workbook.xml": "<w/>",
    "xl/sharedStrings.xml": "<sst><si><t>text</t><rPh><t>x</t></rPh></si></sst>",
    "xl/worksheets/sheet1.xml": '<s><c t="str"><v>value</v></c><c><v>5</v></c></s>',
}
PPTX = {"ppt/slides/slide1.xml": "<s><p><r><t>text</t></r><br/></p><Choice/><Fallback/></s>"}
ODT = {
    "mimetype": "application/vnd.oasis.opendocument.text",
    "content.xml": '<c xmlns:t="t"><t:p>some<t:s t:c="3"/>text<t:note><t:p>note</t:p></t:note></t:p></c>',
    "META-INF/manifest.xml": "<manifest/>",
}
PARTS = {"docx": TYPES | DOCX, "xlsx": TYPES | XLSX, "pptx": TYPES | PPTX, "odt": ODT}
TAR_MEMBERS = {"a.txt": b"text", "b.html": make.html("x"), "l": make.special("l", b"2", "a.txt"), "c" * 120: b"long"}
TAR = make.tarred(TAR_MEMBERS)
ZIP = make.zipped({"a.txt": "text", "b.rtf": make.rtf("x"), "c.gz": gzip.compress(b"packed")})


def pack(*objects):
    """Return a pack of (type and what stands before its content, content)."""
    body = b"".join(head + zlib.compress(content) for head, content in objects)
    return b"PACK" + struct.pack(">II", 2, len(objects)) + body + bytes(20)


BLOB = b"some text of a file in a pack"
DELTA = b"\x1d\x1c\x90\x0a\x05other\x91\x0c\x0d"
PACK = pack(
    (b"\xbd\x01", BLOB), (b"\x6f\x27", DELTA), (b"\x7f" + bytes(20), DELTA), (b"\x2e", b"100644 a.txt\0" + b"x" * 20)
)
SEEDS = {
    "rtf": [RTF],
    "html": [HTML],
    "eml": [MAIL],
    "form": [FORM],
    "mbox": [b"From a Mon\n" + MAIL, b"From a\nSubject: x\n\nFrom b\nSubject: y\n\ny\n"],
    "tar": [TAR, make.tarred({"a": b"x"})],
    "zip": [ZIP],
    "gz": [gzip.compress(TAR), gzip.compress(b"a") + gzip.compress(b"b")],
    "bz2": [bz2.compress(b"some text")],
    "xz": [lzma.compress(b"some text")],
    "zlib": [zlib.compress(b"some text " * 9), zlib.compress(b"blob 9\0some text")],
    "deflate": [zlib.compress(bytes(range(32, 127)) * 2, wbits=-15), zlib.compress(TAR, wbits=-9)],
    "epub": [make.epub("<p>one</p>", "<p>two</p>", spine=[1, 0])],
    "pack": [PACK, b"# v2 git bundle\n-abc\ndef refs/heads/main\n\n" + PACK],
    **{kind: [make.zipped(parts), make.zipped(parts, method=zipfile.ZIP_STORED)] for kind, parts in PARTS.items()},
}
XML_WORDS = (b"<t>", b"</t>", b"<p>", b"<p/>", b"]]>", b"<![CDATA[", b"<?xml version='1.0' encoding='utf-7'?>", b"&#0;")
ZIP_WORDS = (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06")
MAIL_WORDS = (b"--b\n", b"\n\n", b"; charset=rot13", b"=?x?q?=", b"; boundary*0=b", b"Content-Type: multipart/digest\n")
WORDS = {
    "rtf": (
        rb"{",
        rb"}",
        rb"\bin9 ",
        rb"\u65536 ",
        rb"\'",
        rb"\uc-1 ",
        rb"\ansicpg65001 ",
        rb"\*",
        rb"\f9 ",
        rb"\cell",
    ),
    "html": (b"<template>", b"</p>", b"<plaintext>", b"&#x110000;", b"<math><mi>", b"<meta charset=utf-7>", b"<svg>"),
    "eml": MAIL_WORDS,
    "form": (b"--b\r\n", b"--b--", b"\r\n\r\n", b"; filename*0*=rot13'", b"boundary=", *MAIL_WORDS),
    "mbox": (b"\nFrom a\n", b"\n>From ", *MAIL_WORDS),
    "tar": (bytes(512), b"x", b"L", b"S", b"g", b"ustar  \0"),
    "gz": (bytes(8), b"\x1f\x8b\x08\x1f"),
    "bz2": (b"BZh9",),
    "xz": (b"\xfd7zXZ\0",),
    "zlib": (b"x\x9c", b"tree 9\0"),
    "deflate": (b"\0\0\xff\xff", b"\3\0"),
    "pack": (b"PACK", b"x\x9c", b"\x6f\x01", b"\x90", b"\xff\xff\xff\xff"),
}


def foreseen(message):
    return "broken: " not in message


def ends_well(raw, kind):
    reading = Reading(LIMITS)
    try:
        assert isinstance(read(raw, kind, reading), str)
    except (UnsupportedError, IncompleteError) as error:
        assert foreseen(str(error)), error
    assert all(map(foreseen, reading.problems)), reading.problems


def test_every_reader_of_our_own_is_tried():
    assert {*SEEDS, "txt", "md", "pdf", "odp", "ods"} == FORMATS.keys()


@pytest.mark.parametrize("kind", SEEDS)
@given(data=st.data())
@fuzzing
def test_a_reader_ends_in_text_or_in_an_error_it_foresaw(kind, data):
    ends_well(data.draw(damaged(SEEDS[kind], WORDS.get(kind, ZIP_WORDS))), kind)


@pytest.mark.parametrize("kind", PARTS)
@given(data=st.data())
@fuzzing
def test_a_sound_package_with_a_damaged_part_ends_well(kind, data):
    parts = {name: content if isinstance(content, bytes) else content.encode() for name, content in PARTS[kind].items()}
    name = data.draw(st.sampled_from(sorted(parts)))
    ends_well(make.zipped(parts | {name: data.draw(damaged([parts[name]], XML_WORDS))}), kind)


TEXTS = [text.encode(code) for text in make.TEXT.values() for code in ("utf-8", "utf-16", "utf-16-be", "utf-32-le")]
MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1b$B", b"\x1b$)C", b"\0", b"\xed\xa0\x80", b"\xc0\x80")
NAMES = [*(f"a{extension}" for extension in SUPPORTED), "a", ".", "", "a.b/c", "\udcff.txt"]


@given(damaged(TEXTS, MARKS), st.sampled_from([None, "utf-8", "utf-7", "rot13", "idna", "x\0", "gbk", "utf-16", "hz"]))
@fuzzing
def test_every_text_decodes_and_damage_is_told(raw, declared):
    for found in (decode(raw), decode_as(raw, declared)):
        assert found.text.encode("utf-8", "surrogatepass") is not None
        assert (
            found.problems
            or "\ufffd" not in found.text
            or b"\xbf\xbd" in raw
            or b"\xfd\xff" in raw
            or b"\xff\xfd" in raw
        )


@given(damaged([*TEXTS, RTF, HTML, MAIL, TAR, ZIP], MARKS), st.sampled_from(NAMES))
@fuzzing
def test_every_kind_has_a_reader(raw, name):
    assert guess_kind(raw, name) in {None, *FORMATS}
    if raw.isascii():
        assert guess_kind(raw, name, is_clean=True) in {None, *FORMATS}


@given(damaged([RTF, HTML, ZIP, TAR, b"\0"], MARKS))
@fuzzing
def test_a_file_of_a_folder_is_taken_or_not(tmp_path_factory, raw):
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(raw)
    assert looks_supported(path) in (True, False)


def frame(header, body):
    stream = io.BytesIO()
    frames.send(stream, header, body)
    return stream.getvalue()


@given(damaged([frame({"problems": [], "notes": []}, b"text"), frame({}, b"")], (b"\xff\xff\x0f\0", b"[1e999]")))
@fuzzing
def test_a_frame_is_read_whole_or_not_at_all(raw):
    try:
        found = frames.receive(io.BytesIO(raw))
    except (json.JSONDecodeError, UnicodeDecodeError):  # the pool's word for it is: the reading process died
        return
    assert found is None or isinstance(found[1], bytes)
