"""What stands in the bytes of a document, and in nothing that its format gives a name to, is checked all the same."""

import base64
import html
import textwrap

import pytest

from tests.extract import builders as make
from tests.guard.test_evasions import COVER, ENGLISH, ONE_LINE

PLAIN = html.escape(ONE_LINE.replace('"', ""))
WORDS = PLAIN.split()
PAGE = f"<html><body><p>{COVER * 3}</p>{{}}<p>{COVER}</p></body></html>"


def page(inside):
    return PAGE.format(inside)


HTML = {
    "end tag": page(f"<b>x</b {PLAIN}>"),
    "second attribute of a name": page(f"<p title=x title='{PLAIN.replace(chr(39), '')}'>y"),
    "names of attributes": page(f"<p {PLAIN}>x"),
    "a word an attribute": page("".join(f"<i a{n}='{word}'>" for n, word in enumerate(WORDS))),
    "many one-word attributes of a tag": page(f"<p {' '.join(f'a{n}={word}' for n, word in enumerate(WORDS))}>"),
    "classes": page("".join(f"<i class='{word}'></i>" for word in WORDS)),
    "elements": page("".join(f"<{word}>" for word in WORDS)),
    "ends of elements": page("".join(f"</{word}>" for word in WORDS)),
    "a tag that never ends": f"<html><body><p>{COVER}<p {PLAIN}",
    "a comment that never ends": f"<html><body><p>{COVER}<!-- {PLAIN}",
    "a bogus comment": page(f"<?{PLAIN}>"),
    "a bogus comment of another kind": page(f"<!{PLAIN}>"),
    "an end tag of nothing": page(f"</ {PLAIN}>"),
    "a declaration of XML": f"<?xml version='1.0' note=\"{PLAIN}\"?>{page('')}",
    "CDATA": page(f"<![CDATA[ {PLAIN} ]]>"),
    "behind a frame set": f"<html><frameset><frame src=x></frameset><p>{PLAIN}</p></html>",
    "a script in a script": page(f"<script>x = '<style>'; y = '</style>{PLAIN}'</script>"),
    "an attribute with a tag's end": page(f"<p title='a > b {PLAIN.replace(chr(39), '')}'>x"),
    "options of nothing": page(f"<select><p><table>{PLAIN}</table></select>"),
    "a head's head": f"<html><head><head><title>x</title></head a {PLAIN}><body>{COVER}",
}


@pytest.mark.parametrize("place", HTML)
def test_no_place_of_a_page_hides_a_passage(judge, place):
    assert judge(HTML[place].encode(), "a.html").exit_code == 1


@pytest.mark.parametrize("place", HTML)
def test_a_passage_of_a_page_counts_once_but_for_its_own_twins(judge, place):
    found = judge(HTML[place].encode(), "a.html")
    assert sum(one.n_chars for one in found.findings) < 450  # the passage has some 340 letters


def rtf(inside):
    return (r"{\rtf1\ansi\deff0{\fonttbl{\f0 Times;}}" + COVER + inside + COVER + r"\par}").encode()


HEXED = ONE_LINE.encode().hex()
RTF = {
    "a destination that nobody knows": rtf(rf"{{\*\unknowndest {ONE_LINE}}}"),
    "the title": rtf(rf"{{\info{{\title {ONE_LINE}}}}}"),
    "the name of a font": rtf(rf"{{\fonttbl{{\f1 {ONE_LINE};}}}}"),
    "binary data": rtf(r"{\*\blob\bin" + str(len(ONE_LINE)) + f" {ONE_LINE}}}"),
    "binary data of the text itself": rtf(r"\bin" + str(len(ONE_LINE)) + f" {ONE_LINE}"),
    "a picture": rtf(rf"{{\pict\pngblip {HEXED}}}"),
    "a picture in short lines": rtf("{\\pict\\pngblip\n" + "\n".join(textwrap.wrap(HEXED, 64)) + "}"),
    "a packed picture": rtf(r"{\pict " + make.zipped({"a.txt": ENGLISH}).hex() + "}"),
    "characters by number": rtf(r"{\*\unknowndest " + "".join(rf"\u{ord(c)}?" for c in ONE_LINE) + "}"),
    "what old programs show": rtf(rf"{{\uc900\u8203 {ONE_LINE}}}"),
    "a field": rtf(rf"{{\field{{\*\fldinst QUOTE {ONE_LINE}}}}}"),
}


@pytest.mark.parametrize("place", RTF)
def test_no_group_of_rtf_hides_a_passage(judge, place):
    found = judge(RTF[place], "a.rtf")
    assert (found.exit_code, found.incomplete) == (1, ())
    assert sum(one.n_chars for one in found.findings) < 450


@pytest.mark.parametrize("place", RTF)
def test_screening_shows_of_rtf_what_a_reader_sees(library, place):
    assert library.screen(RTF[place], name="a.rtf").matches == ()


def mail(kind, body, *, of_part=""):
    return (
        "Message-ID: <1@example.org>\nMIME-Version: 1.0\nContent-Type: multipart/report; boundary=b\n\n"
        f"--b\n\n{COVER}\n"
        f"--b\nContent-Type: {kind}\n{of_part}\n{body}\n--b--\n"
    ).encode()


STATUS = (
    f"Reporting-MTA: dns; example.org\n\nFinal-Recipient: rfc822; a@example.org\nDiagnostic-Code: smtp; {ONE_LINE}\n"
)
PACKED = base64.b64encode(b"x" * 99).decode()
AS_BASE64 = "Content-Transfer-Encoding: base64\n"
MAIL = {
    "the status of a delivery": mail("message/delivery-status", STATUS),
    "a header of a part": mail("text/plain", COVER, of_part=f"Content-Description: {ONE_LINE}\n"),
    "an unknown header of a part": mail("image/png", "", of_part=f"X-Note: {ONE_LINE}\n"),
    "words that call themselves base64": mail("text/plain", ENGLISH, of_part=AS_BASE64),
    "words behind base64": mail(
        "text/plain",
        f"{PACKED}\n\n{ENGLISH}",
        of_part=AS_BASE64,
    ),
    "a name of a file": mail(f'image/png; name="{ONE_LINE}"', "x"),
    "the boundary's line": mail("text/plain", COVER).replace(b"--b--", f"--b--{ONE_LINE}".encode()),
}


@pytest.mark.parametrize("place", MAIL)
def test_no_place_of_a_mail_hides_a_passage(judge, place):
    assert judge(MAIL[place], "a.eml").exit_code == 1


def test_the_status_of_a_delivery_is_read_as_a_reader_sees_it(library):
    assert len(library.screen(MAIL["the status of a delivery"], name="a.eml").matches) == 1


BODY = make.paragraph(COVER)
XML = html.escape(ONE_LINE, quote=False)
SHEET = {"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<w/>"}
OFFICE = {
    "an unknown element.docx": make.docx(f"{BODY}<w:p><w:unknown>{XML}</w:unknown></w:p>"),
    "unknown elements of a word.docx": make.docx(BODY + "".join(f"<x>{word}</x>" for word in ENGLISH.split())),
    "an instruction.docx": make.docx(f"{BODY}<?x {XML}?>"),
    "what old programs show.docx": make.docx(
        f"<mc:AlternateContent xmlns:mc='x'><mc:Choice>{BODY}</mc:Choice><mc:Fallback>{make.paragraph(XML)}"
        "</mc:Fallback></mc:AlternateContent>"
    ),
    "outside of paragraphs.odt": make.odt(f"<text:p>{COVER}</text:p><text:section>{XML}</text:section>"),
    "a formula.xlsx": make.zipped(SHEET | {"xl/worksheets/sheet1.xml": f"<s><c><f>T({XML})</f><v>5</v></c></s>"}),
}


@pytest.mark.parametrize("name", OFFICE)
def test_no_place_of_an_office_document_hides_a_passage(judge, name):
    found = judge(OFFICE[name], name)
    assert (found.exit_code, found.incomplete) == (1, ())
    assert {one.part for finding in found.findings for one in finding.snippets} == {"properties"}


def test_what_stands_in_a_document_twice_counts_once(judge):
    half = make.paragraph(XML[: len(XML) // 2])
    both = f"<mc:Choice>{half}</mc:Choice><mc:Fallback>{half}</mc:Fallback></mc:AlternateContent>"
    body = f"{BODY * 9}<mc:AlternateContent xmlns:mc='x'>{both}"
    assert judge(make.docx(body), "a.docx").action != "block"
    broken = f"<p>{COVER * 9}<p>{PLAIN[: len(PLAIN) // 2]}</i></i> and tables"
    assert judge(broken.encode(), "a.html").action != "block"
