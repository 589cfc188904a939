"""Hostile bytes end in text, in text with problems, or in one of two errors that say what and why. Never otherwise."""

import base64
import io
import random
import struct
import zipfile
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pmbf.base.errors import IncompleteError, UnsupportedError
from pmbf.extract import Extracted, Limits, extract, is_container
from tests.extract import builders as make

pytestmark = pytest.mark.slow

PARTS = {"[Content_Types].xml": "<Types/>"}


def refused(raw, name, limits=None):
    with pytest.raises(IncompleteError) as caught:
        extract(raw, name, limits)
    assert str(caught.value).startswith(f"{name}: ")
    return str(caught.value)


class TestZip:
    def test_a_member_that_expands_a_thousand_times_is_not_expanded(self):
        bomb = make.zipped(PARTS | {"word/document.xml": b" " * (20 << 20)})
        assert "expands 1" in refused(bomb, "a.docx")
        assert "limit 200" in refused(bomb, "a.docx")

    def test_members_that_expand_to_more_than_allowed_together_are_not_expanded(self):
        raw = make.zipped(PARTS | {f"word/document{n}.xml": b"<a>" + b" " * 500_000 + b"</a>" for n in range(5)})
        assert "(max_expanded_bytes)" in refused(raw, "a.docx", Limits(max_expanded_bytes=2_000_000))

    def test_a_picture_may_be_as_dense_as_it_likes(self):
        white = b"BM" + bytes(4) + b"\0" * 4 + b"\xff" * (5 << 20)
        members = PARTS | {"word/document.xml": "<w><t>x</t></w>", "word/media/a.bmp": white}
        assert extract(make.zipped(members), "a.docx").complete

    def test_a_forged_size_is_not_believed(self):
        raw = bytearray(make.docx(make.paragraph("hidden " * 1000)))
        size = zipfile.ZipFile(io.BytesIO(raw)).getinfo("word/document.xml").file_size
        for position in (i for i in range(len(raw) - 4) if raw[i : i + 4] == struct.pack("<I", size)):
            raw[position : position + 4] = struct.pack("<I", 40)
        found = extract(bytes(raw), "a.docx")
        assert any("word/document.xml: damaged" in problem for problem in found.problems)

    def test_more_than_ten_thousand_members_are_refused(self):
        raw = make.zipped(PARTS | {f"word/{n}.xml": "" for n in range(10_000)}, method=zipfile.ZIP_STORED)
        assert "10001 parts, limit 10000" in refused(raw, "a.docx")

    def test_two_members_of_one_name_are_refused(self):
        raw = make.zipped(PARTS | {"word/document1.xml": "<a/>", "word/document2.xml": "<b/>"})
        raw = raw.replace(b"document2", b"document1")
        assert "two members have one name" in refused(raw, "a.docx")

    def test_members_that_share_their_bytes_are_refused(self):
        raw = bytearray(make.zipped(PARTS | {"word/a.xml": "<a/>", "word/b.xml": "<b/>"}))
        first, second = (raw.rindex(name) for name in (b"word/a.xml", b"word/b.xml"))
        raw[second - 4 : second] = raw[first - 4 : first]
        assert "overlaps" in refused(bytes(raw), "a.docx")

    def test_documents_nested_deeper_than_the_limit_are_reported(self):
        raw = make.docx(make.paragraph("core"))
        for _ in range(8):
            raw = make.zipped(PARTS | {"word/document.xml": "<a/>", "word/embeddings/a.docx": raw})
        found = extract(raw, "a.docx")
        assert "core" not in found.text
        assert "more than 5 documents inside each other" in found.problems[0]

    def test_a_document_cut_short_is_not_clean(self):
        raw = make.docx(make.paragraph("x" * 5000))
        for n_bytes in (40, len(raw) // 2, len(raw) - 5):
            refused(raw[:n_bytes], "a.docx")

    def test_a_password_is_named(self):
        raw = bytearray(make.docx(make.paragraph("x")))
        for position in (i for i in range(len(raw) - 4) if raw[i : i + 4] == b"PK\x01\x02"):
            raw[position + 8] |= 1
        assert "encrypted" in refused(bytes(raw), "a.docx")


class TestXml:
    @pytest.mark.parametrize(
        "definitions",
        [
            '<!ENTITY a "ha"><!ENTITY b "' + "&a;" * 1000 + '"><!ENTITY c "' + "&b;" * 1000 + '">',
            '<!ENTITY c SYSTEM "file:///etc/passwd">',
            '<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;',
        ],
    )
    def test_entities_are_not_defined_expanded_or_fetched(self, definitions):
        xml = f"<!DOCTYPE x [{definitions}]><w><t>before &c; after</t></w>"
        found = extract(make.zipped(PARTS | {"word/document.xml": xml}), "a.docx")
        assert found.text == ""
        assert "entity bombs" in found.problems[0]

    def test_broken_xml_gives_what_comes_before_the_break(self):
        found = extract(make.zipped(PARTS | {"word/document.xml": "<w><p><t>before</t></p><p><t>after</w>"}), "a.docx")
        assert found.text.split() == ["before", "after"]
        assert "word/document.xml: broken XML: mismatched tag" in found.problems[0]

    def test_a_million_elements_inside_each_other_end_well(self):
        found = extract(
            make.zipped(PARTS | {"word/document.xml": b"<w>" + b"<p>" * 1_000_000}), "a.docx", Limits(max_ratio=5000)
        )
        assert "broken XML" in found.problems[0]

    def test_a_run_of_a_billion_spaces_is_not_written_out(self):
        assert len(extract(make.odt('<text:p><text:s text:c="1000000000"/></text:p>'), "a.odt").text) < 2000


class TestPdf:
    @pytest.fixture(autouse=True)
    def _library(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")

    def test_a_cut_file_is_broken_or_gives_its_text(self):
        raw = make.pdf(["some text"])
        for n_bytes in range(8, len(raw), 97):
            try:
                found = extract(raw[:n_bytes], "a.pdf")
            except IncompleteError:
                continue
            assert isinstance(found, Extracted)

    def test_more_pages_than_the_limit_are_not_read(self):
        assert "12 pages, limit 10 (max_pages)" in refused(make.pdf(["x"] * 12), "a.pdf", Limits(max_pages=10))
        claimed = make.pdf_of(
            ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>"]
        )
        refused(claimed, "a.pdf")

    def test_a_stream_that_expands_a_thousand_times_over_runs_into_a_limit(self):
        content = b"BT /F 12 Tf (xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx) Tj ET " * 2_000_000
        page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R "
        page += "/Resources << /Font << /F 5 0 R >> >> >>"
        raw = make.pdf_of(
            [
                "<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                page,
                make.deflated_stream(content),
                "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            ]
        )
        message = refused(raw, "a.pdf", Limits(max_ratio=5000, memory_bytes=200 << 20, timeout_s=10))
        assert any(reason in message for reason in ("memory_bytes", "timeout_s", "died", "unreadable"))


class TestOthers:
    def test_groups_a_million_deep_are_refused(self):
        assert "groups inside each other" in refused(b"{\\rtf1" + b"{" * 1_000_000, "a.rtf")

    def test_ten_megabytes_of_nested_html_end_within_the_time_limit(self):
        assert "timeout_s" in refused(b"<div>" * 2_000_000, "a.html", Limits(timeout_s=1))

    def test_a_mail_of_ten_thousand_and_one_parts_is_refused(self):
        raw = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 10_001 + b"--b--\n"
        assert "limit 10000 (max_entries)" in refused(raw, "a.eml")

    def test_multiparts_a_thousand_deep_are_refused_or_reported(self):
        raw = b"MIME-Version: 1.0\n" + b"".join(
            b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(2000)
        )
        assert "nested too deep" in refused(raw, "a.eml")

    def test_more_text_than_the_limit_is_refused_in_every_kind(self):
        text = "word " * 1000
        limits = Limits(max_text_bytes=1000)
        documents = {"a.txt": text.encode(), "a.html": make.html(text), "a.rtf": make.rtf(text)}
        documents["a.docx"] = make.docx(make.paragraph(text))
        for name, raw in documents.items():
            assert "more than 1000 bytes of text; split it or raise max_bytes" in refused(raw, name, limits)

    def test_a_file_over_the_limit_is_not_read_at_all(self):
        assert "5 bytes, limit 4; split it or raise max_bytes" in refused(b"12345", "a.txt", Limits(max_bytes=4))


SEEDS = {
    "a.pdf": make.pdf(["some text", "more text"]),
    "a.docx": make.docx(make.paragraph("some text"), footnotes=f"<f {make.W}>{make.paragraph('note')}</f>"),
    "a.odt": make.odt("<text:p>some text</text:p>"),
    "a.pptx": make.zipped(PARTS | {"ppt/slides/slide1.xml": "<s><p><t>text</t></p></s>"}),
    "a.rtf": make.rtf("some text é") + b"{\\footnote x}\\bin3 abc",
    "a.html": make.html("some <b>text</b> &amp; <template>more</template>"),
    "a.eml": b"MIME-Version: 1.0\nSubject: =?utf-8?b?w6k=?=\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
    b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n--b\n"
    b"Content-Type: message/rfc822\n\nSubject: x\n\ny\n--b--\n",
    "a.mbox": b"From a Mon\nSubject: x\n\ny\n",
    "a.txt": "some text, немного текста".encode("utf-16"),
    "a": b"",
}


def ends_well(raw, name):
    try:
        extract(raw, name, Limits(timeout_s=20)).text.encode()
    except (UnsupportedError, IncompleteError) as error:
        message = str(error)
    else:
        return
    assert message.startswith(f"{name}: ")
    assert "Error: " not in message  # a library's own word for it: a case that no reader foresaw


@given(st.binary(max_size=300), st.sampled_from(sorted(SEEDS)))
@example(b"PK\x03\x04", "a.docx")
@example(b"%PDF-", "a.pdf")
@example(b"{\\rtf", "a.rtf")
@example(b"\xff\xfe\x00", "a.txt")
@example(b"\x00\xd8" * 8, "a.txt")
@settings(max_examples=300)
def test_random_bytes_end_well(raw, name):
    ends_well(raw, name)


@given(st.sampled_from(sorted(SEEDS)), st.data())
@settings(max_examples=600)
def test_mutated_documents_end_well(name, data):
    raw = bytearray(SEEDS[name])
    for _ in range(data.draw(st.integers(1, 8)) if raw else 0):
        position = data.draw(st.integers(0, max(0, len(raw) - 1)))
        length = data.draw(st.integers(0, 12))
        raw[position : position + length] = data.draw(st.binary(max_size=12))
    ends_well(bytes(raw), name)


class TestDamagedPdf:
    def test_a_packed_stream_that_breaks_off_or_does_not_unpack_is_a_problem(self):
        whole = make.pdf([("some words of a page " * 3 + "\n") * 20])
        packed = zlib.compress(whole[whole.index(b"BT /F") : whole.index(b" ET") + 3])
        for content in (packed[:-30], packed[:40] + b"\xff" * 20 + packed[60:], packed[:-1] + b"\0"):
            stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(content), content)
            start = whole.rindex(b"<< /Length", 0, whole.index(b"BT /F"))
            damaged = whole[:start] + stream + whole[whole.index(b"endstream", start) + 9 :]
            assert any("a stream is" in one for one in extract(damaged, "a.pdf").problems)

    def test_a_packed_stream_with_a_damaged_dictionary_is_a_problem(self):
        packed = zlib.compress(b"BT (some words of a page) Tj ET" * 20)
        for dictionary, content in (
            (b"/Filter /F\0\xff\xffecode", packed),
            (b"/Filter [/ASCII85Decode /Fl\xe9teDecode]", b"<~" + base64.a85encode(packed) + b"~>"),
            (b"/F\0lter /FlateDecode", packed[:-1] + b"\0"),
            (b"/Filter /Fl#61teDecode", packed[:-1] + b"\0"),
        ):
            stream = b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), dictionary, content)
            page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"
            tree = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
            raw = make.pdf_of(["<< /Type /Catalog /Pages 2 0 R >>", tree, page, stream])
            assert any("a stream is damaged" in one for one in extract(raw, "a.pdf").problems)

    def test_a_stream_of_which_an_end_is_lost_is_a_problem(self):
        whole = make.pdf(["x"])
        for lost in (b"endstream", b">>\nstream"):
            at = whole.rindex(lost)
            damaged = whole[:at] + b"#" * len(lost) + whole[at + len(lost) :]
            assert extract(damaged, "a.pdf").problems


def test_a_pdf_or_a_zip_with_a_damaged_beginning_is_a_container():
    noise = random.Random(1).randbytes(200)
    for raw in (make.pdf(["x"]), make.zipped({"a.txt": "x" * 400})):
        assert is_container(noise + raw[9:])
    assert not is_container(noise + b"PK\5\6" + noise)


def test_a_limit_on_bytes_that_is_raised_is_raised_for_text():
    assert Limits().max_text_bytes == Limits(max_bytes=1).max_text_bytes == 256 << 20
    assert Limits(max_bytes=1 << 30).max_text_bytes == 1 << 30
    assert Limits(max_bytes=1 << 30, max_text_bytes=5).max_text_bytes == 5


def test_members_of_a_zip_without_its_directory_are_a_container():
    whole = make.zipped({"a.txt": "x", "b.txt": "words " * 99})
    damaged = b"PK\3\3" + whole[4 : whole.index(b"PK\1\2")]
    assert is_container(damaged)
    assert is_container(b"\x7fELF" + bytes(60) + damaged)
    assert not is_container(b"\x7fELF" + bytes(60) + b"PK\3\4PK\1\2PK\5\6" + bytes(60))
