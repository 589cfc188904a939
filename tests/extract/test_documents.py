"""Every kind gives back the text that was put in, in every script, and all of it."""

import os
import subprocess
import sys
import tracemalloc

import pytest
from selectolax.lexbor import LexborHTMLParser

from pmbf.base.errors import IncompleteError, UnsupportedError
from pmbf.extract import extract, html
from pmbf.jobs.child import program
from tests.conftest import ROOT
from tests.extract import builders as make


def text_of(raw, name):
    found = extract(raw, name)
    assert found.problems == ()
    return found.text


def lines_of(raw, name):
    return [line.strip() for line in text_of(raw, name).splitlines() if line.strip()]


@pytest.mark.parametrize("script", make.TEXT)
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.docx", lambda text: make.written_docx([text])),
        ("a.odt", lambda text: make.written_odt([text])),
        ("a.rtf", make.rtf),
        ("a.html", make.html),
        ("a.pdf", lambda text: make.pdf([text])),
    ],
)
def test_a_text_comes_back_from_every_kind(script, name, write):
    if name == "a.pdf":
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        if script in ("arabic", "astral"):
            pytest.skip("PDFium orders right-to-left text by position, and our handmade font has no astral characters")
    assert make.TEXT[script] in text_of(write(make.TEXT[script]), name)


class TestDocx:
    def test_tables_headers_footnotes_comments_and_text_boxes_are_read(self):
        box = f"<w:r><w:pict><w:txbxContent>{make.paragraph('box')}</w:txbxContent></w:pict></w:r>"
        raw = make.docx(
            f"<w:p><w:r><w:t>be</w:t></w:r>{box}<w:r><w:t>fore</w:t></w:r></w:p>"
            f"<w:tbl><w:tr><w:tc>{make.paragraph('cell')}</w:tc><w:tc>{make.paragraph('other')}</w:tc></w:tr></w:tbl>",
            header1=f"<w:hdr {make.W}>{make.paragraph('header')}</w:hdr>",
            footnotes=f"<w:footnotes {make.W}><w:footnote>{make.paragraph('note')}</w:footnote></w:footnotes>",
            comments=f"<w:comments {make.W}><w:comment>{make.paragraph('comment')}</w:comment></w:comments>",
        )
        assert lines_of(raw, "a.docx") == ["before", "box", "cell", "other", "note", "header", "comment"]

    def test_deleted_text_follows_its_paragraph(self):
        raw = make.docx(
            "<w:p><w:r><w:t>a </w:t></w:r><w:del><w:r><w:delText>quick</w:delText></w:r></w:del>"
            "<w:ins><w:r><w:t>slow</w:t></w:r></w:ins><w:r><w:t> fox</w:t></w:r></w:p>"
        )
        assert lines_of(raw, "a.docx") == ["a slow fox", "quick"]

    def test_a_text_box_written_twice_for_old_programs_is_read_once(self):
        raw = make.docx(
            '<w:p><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:txbxContent>'
            + make.paragraph("box")
            + "</w:txbxContent>"
            "</mc:Choice><mc:Fallback><w:txbxContent>" + make.paragraph("box") + "</w:txbxContent></mc:Fallback>"
            "</mc:AlternateContent></w:p>"
        )
        assert lines_of(raw, "a.docx") == ["box"]

    def test_tabs_breaks_and_special_hyphens_are_characters_but_tab_stops_are_not(self):
        raw = make.docx(
            "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t>"
            '<w:noBreakHyphen/><w:t>d</w:t><w:sym w:font="Symbol" w:char="F061"/></w:r></w:p>'
        )
        assert text_of(raw, "a.docx") == "a\tb\nc-da\n"

    def test_the_strict_dialect_and_macro_documents_are_read(self):
        assert lines_of(make.docx(make.paragraph("x"), vbaProject="<x/>"), "a.docm") == ["x"]
        strict = make.zipped(
            {
                "[Content_Types].xml": "",
                "word/document2.xml": '<document xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main">'
                "<p><t>y</t></p></document>",
            }
        )
        assert lines_of(strict, "a.docx") == ["y"]

    def test_a_document_inside_is_read_and_an_unreadable_one_is_reported(self):
        members = {"[Content_Types].xml": "", "word/document.xml": f"<w:p {make.W}><w:t>outer</w:t></w:p>"}
        members["word/embeddings/a.docx"] = make.docx(make.paragraph("inner"))
        members["word/embeddings/b.bin"] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99)
        members["word/media/c.png"] = b"\x89PNG\r\n\x1a\n" + bytes(99)
        found = extract(make.zipped(members), "a.docx")
        assert found.text.split() == ["outer", "inner"]
        assert found.problems == ("word/embeddings/b.bin: skipped: an old binary Office file of an unknown kind",)


class TestPptx:
    def test_slides_tables_groups_and_notes_are_read_in_order(self):
        library = pytest.importorskip("pptx", reason="python-pptx writes the test's document")
        from pptx.util import Inches

        presentation = library.Presentation()
        for number in range(11):
            slide = presentation.slides.add_slide(presentation.slide_layouts[5])
            slide.shapes.title.text = f"slide{number}"
        table = slide.shapes.add_table(1, 2, 0, 0, Inches(2), Inches(1)).table
        table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
        group = slide.shapes.add_group_shape()
        group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "grouped"
        slide.notes_slide.notes_text_frame.text = "notes"
        found = text_of(make.saved(presentation), "a.pptx").split()
        assert [*(f"slide{number}" for number in range(11)), "left", "right", "grouped", "notes"] == found[:15]

    def test_the_prompts_of_a_master_are_not_text_but_its_footer_is(self):
        shape = "<p:sp><p:nvSpPr>{}</p:nvSpPr><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sp>"
        master = shape.format("<p:ph/>", "Click to edit") + shape.format("", "Confidential")
        raw = make.zipped(
            {"[Content_Types].xml": "", "ppt/slideMasters/slideMaster1.xml": f'<m xmlns:p="p" xmlns:a="a">{master}</m>'}
        )
        assert lines_of(raw, "a.pptx") == ["Confidential"]


def test_a_spreadsheet_gives_its_texts():
    raw = make.zipped(
        {
            "[Content_Types].xml": "",
            "xl/workbook.xml": "<workbook/>",
            "xl/sharedStrings.xml": "<sst><si><t>shared</t><rPh><t>kana</t></rPh></si></sst>",
            "xl/worksheets/sheet1.xml": '<s><c t="str"><v>computed</v></c><c><v>17</v></c>'
            "<c><is><t>inline</t></is></c></s>",
        }
    )
    assert lines_of(raw, "a.xlsx") == ["shared", "computed", "inline"]


class TestOdt:
    def test_notes_comments_and_cells_are_read_beside_the_sentence_they_stand_in(self):
        raw = make.odt(
            "<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body>"
            "<text:p>note</text:p></text:note-body></text:note>"
            " long<text:s text:c='3'/>line<text:line-break/>end</text:p>"
            "<table:table-cell><text:p>cell</text:p></table:table-cell>"
        )
        assert lines_of(raw, "a.odt") == ["a long   line", "end", "note", "cell"]

    def test_headers_and_footers_are_read(self):
        raw = make.odt("<text:p>body</text:p>")
        styles = '<s xmlns:text="t"><text:p>header</text:p></s>'
        members = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<c/>", "styles.xml": styles}
        assert lines_of(raw, "a.odt") == ["body"]
        assert lines_of(make.zipped(members), "a.odt") == ["header"]


class TestRtf:
    def test_notes_headers_and_text_boxes_are_read_and_pictures_and_styles_are_not(self):
        raw = (
            rb"{\rtf1\ansi{\stylesheet Normal;}{\info{\title T}}{\header head\par}one{\footnote note\par} line\par"
            rb"{\shp{\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt box\par}}}{\pict 00ff}{\*\unknown skip}"
            rb"{\field{\*\fldinst X}{\fldrslt link}}}"
        )
        assert lines_of(raw, "a.rtf") == ["one line", "head", "note", "link", "box"]

    def test_bytes_are_read_in_the_code_page_of_their_font(self):
        fonts = rb"{\rtf1\ansicpg1252{\fonttbl{\f0\fcharset204 A;}{\f1\fcharset128 B;}}"
        raw = fonts + rb"\f0\'cf\'f0 \f1\'83A\'83\'41 {\f0\'e0}\'83A}"
        assert text_of(raw, "a.rtf").strip() == "Пр アア аア"

    def test_unicode_escapes_replace_as_many_characters_as_uc_says(self):
        assert text_of(rb"{\rtf1\uc2\u233\'65\'65\uc1\u-10179?\u-8704?e\uc0\u769 x}", "a.rtf") == "é😀e\u0301x"

    def test_binary_data_is_stepped_over(self):
        assert text_of(b"{\\rtf1 a{\\pict\\bin3 }}}}b}", "a.rtf") == "ab"

    def test_a_cut_document_gives_what_is_there_and_says_so(self):
        found = extract(rb"{\rtf1 first {\b second", "a.rtf")
        assert (found.text, len(found.problems)) == ("first second", 1)


class TestHtml:
    def test_inline_elements_do_not_split_words_and_blocks_do(self):
        raw = b"<body><p>wo<b>rd</b>s<br>next<table><td>x</td></table><div>outer<div>inner</div>rest</div>"
        assert lines_of(raw, "a.html") == ["words", "next", "x", "outer", "inner", "rest"]

    def test_scripts_and_styles_are_not_read_and_templates_and_preformatted_lines_are(self):
        raw = b"<title>T</title><style>s</style><script>j</script><template><p>t</p></template>"
        raw += b"<pre>a\n  b</pre><!-- c -->"
        assert lines_of(raw, "a.html") == ["T", "a", "b", "t"]

    def test_a_page_is_read_without_a_note_for_each_of_its_elements(self):
        root = LexborHTMLParser("<div><p>a <b>c</b></p></div>" * 20_000).root
        tracemalloc.start()
        try:
            n_chars = sum(map(len, html._text_below(root)))
            assert tracemalloc.get_traced_memory()[1] < 1 << 20
        finally:
            tracemalloc.stop()
        assert n_chars == 20_000 * len("\na c")

    @pytest.mark.parametrize(
        "head", ['<meta charset="koi8-r">', "<meta http-equiv=X content='text/html; charset=KOI8-R'>", ""]
    )
    def test_the_declared_encoding_counts_and_without_one_it_is_detected(self, head):
        text = make.TEXT["cyrillic"] + ", да выпей чаю. В чащах юга жил бы цитрус? Да, но фальшивый экземпляр!"
        assert text in text_of(f"{head}<p>{text}</p>".encode("koi8-r"), "a.html")

    def test_a_false_declaration_does_not_hide_utf_8(self):
        assert "Съешь ещё" in text_of('<meta charset="us-ascii-nonsense"><p>Съешь ещё'.encode(), "a.html")


class TestPdf:
    def test_all_pages_are_read_in_order(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        assert [f"page{n}" for n in range(12)] == text_of(make.pdf([f"page{n}" for n in range(12)]), "a.pdf").split()

    def test_a_word_divided_at_a_line_end_keeps_its_hyphen_and_line_end(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        found = text_of(make.pdf(["an exam-\nple of it"]), "a.pdf")
        assert "an exam-\r\nple of it" in found

    def test_a_page_that_shows_pictures_only_is_not_clean(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        drawing = make.pdf_of(
            [
                "<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R >>",
                make.stream("0 0 50 50 re f"),
            ]
        )
        assert extract(drawing, "a.pdf").problems == ("no text on any page: drawn letters need text recognition first",)

    def test_pages_that_are_pictures_are_named_beside_pages_with_text(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        pages = ["one", 1, "three", 1, 0.7, 1, "", 0.2, "nine", 1]
        found = extract(make.pdf_with_pictures(pages), "a.pdf")
        assert found.text.split() == ["one", "three", "nine"]
        assert found.problems == (
            "pages 2, 4-6, 10: pictures without text, scans perhaps; "
            "`pmbf load` and `pmbf screen` read scans with --ocr eng, if tesseract is installed",
        )

    def test_of_many_scanned_pages_the_first_are_named_and_the_sentence_stays_whole(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        [problem] = extract(make.pdf_with_pictures([1, "text"] * 300), "a.pdf").problems
        assert problem.startswith("pages 1, 3, 5, 7,")
        assert "39, …: pictures without text" in problem
        assert problem.endswith("if tesseract is installed")

    def test_one_scanned_page_is_named_and_a_whole_scan_too(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        for pages, told in (([1, "two"], "page 1: a picture without text"), ([1, 1], "pages 1-2: pictures without")):
            [problem] = extract(make.pdf_with_pictures(pages), "a.pdf").problems
            assert problem.startswith(told)

    def test_a_blank_page_and_a_small_picture_are_no_problem(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        assert extract(make.pdf_with_pictures(["one", "", 0.2]), "a.pdf").problems == ()

    def test_comments_are_read(self):
        pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
        noted = make.pdf_of(
            [
                "<< /Type /Catalog /Pages 2 0 R >>",
                "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Annots [4 0 R] >>",
                "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (a remark) >>",
            ]
        )
        assert lines_of(noted, "a.pdf") == ["a remark"]


def test_a_missing_extra_is_named_with_the_command_that_installs_it(monkeypatch):
    from pmbf.extract import pool

    python, _, _, boot, *path = program("pmbf.extract.worker")
    lacking = [python, "-I", "-c", "import sys; sys.modules['pypdfium2'] = None\n" + boot, *path]
    pool.close()
    monkeypatch.setattr("pmbf.jobs.child.program", lambda module: lacking)
    with pytest.raises(UnsupportedError) as caught:
        extract(make.pdf(["x"]), "report.pdf")
    pool.close()
    assert str(caught.value) == "report.pdf: reading pdf needs the extra 'pdf'; run: pip install 'pmbf[pdf]'"


def test_encrypted_documents_say_so():
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    lock = (
        "/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <" + "00" * 32 + "> /U <" + "00" * 32 + "> >>"
    )
    manifest = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "x"}
    manifest["META-INF/manifest.xml"] = "<manifest:encryption-data/>"
    for raw, name in ((make.pdf(["x"], trailer=lock), "a.pdf"), (make.zipped(manifest), "a.odt")):
        with pytest.raises(IncompleteError, match=f"{name}: encrypted"):
            extract(raw, name)


def test_what_a_document_hides_comes_in_one_order_whatever_the_process():
    parts = {f"word/footer{n}.xml": f'<w:ftr {make.W} note="a b {n}"/>' for n in range(40)}
    raw = make.zipped({"[Content_Types].xml": "<a/>", "word/document.xml": f"<w:document {make.W}/>"} | parts)
    code = "import sys; from pmbf.extract.worker import answer; from pmbf.extract import Limits; "
    code += "sys.stdout.buffer.write(answer(sys.stdin.buffer.read(), 'docx', Limits(), True)[1])"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=raw,
            capture_output=True,
            check=True,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
    assert texts.pop().decode().split()[2::3] == [str(n) for n in range(40)]
