"""Where a passage begins, as a person counts: in texts of each format, written by the libraries of that format."""

import io
import re
import zipfile

import pytest
from conftest import words
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.places import NOWHERE, Place, Places
from pmbf.extract import extract
from tests.extract import builders as make


def place_of(needle, raw, name):
    read = extract(raw, name)
    return Places(read.text, read.kind).at(read.text.index(needle))


LINES = ["one", "two", "", "four  needle", "five"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_plain_text_has_lines(line_end, name):
    assert Place(line=4) == place_of("needle", line_end.join(LINES).encode(), name)


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (make.written_docx, "a.docx"),
        (make.written_odt, "a.odt"),
        (lambda lines: make.rtf(r"\par ".join(lines)), "a.rtf"),
        (lambda lines: "".join(f"<p>{line}</p>\n" for line in lines).encode(), "a.html"),
    ],
)
def test_office_texts_and_html_have_paragraphs_blank_ones_left_out(write, name):
    assert Place(paragraph=3) == place_of("needle", write(LINES), name)


def test_a_pdf_has_pages_and_their_lines():
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    raw = make.pdf(["first\nsecond", "third", "fourth\nneedle\nlast"])
    assert Place(page=3, line=2) == place_of("needle", raw, "a.pdf")
    assert Place(page=1, line=2) == place_of("second", raw, "a.pdf")
    assert Place(page=2, line=1) == place_of("third", raw, "a.pdf")


def test_an_unreadable_page_is_counted():
    pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    raw = make.pdf(["first", "lost", "needle"])
    broken = raw.replace(
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2000 800] /Contents 10 0 R ", b"<< /Type /None ", 1
    )
    assert broken != raw
    assert 3 == place_of("needle", broken, "a.pdf").page


def test_the_pages_of_an_attached_pdf_are_not_counted():
    pdfium = pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
    document = pdfium.PdfDocument(make.pdf(["first", "second"]))
    document.new_attachment("inner.pdf").set_data(make.pdf(["inner needle", "inner second"]))
    written = io.BytesIO()
    document.save(written)
    assert Place(page=2, line=1) == place_of("second", written.getvalue(), "a.pdf")
    assert NOWHERE == place_of("needle", written.getvalue(), "a.pdf")


def test_a_presentation_has_slides_as_pages_and_its_notes_are_on_none():
    library = pytest.importorskip("pptx", reason="python-pptx writes the test's document")
    presentation = library.Presentation()
    for number in range(11):
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = f"slide-{number}."
    slide.notes_slide.notes_text_frame.text = "a note"
    raw = make.saved(presentation)
    assert [Place(page=n + 1) for n in range(11)] == [place_of(f"slide-{n}.", raw, "a.pptx") for n in range(11)]
    assert NOWHERE == place_of("a note", raw, "a.pptx")


def test_slides_that_were_moved_are_counted_as_they_are_shown():
    """python-pptx numbers the files anew when it saves: so the list of slides is turned round in what it wrote."""
    library = pytest.importorskip("pptx", reason="python-pptx writes the test's document")
    presentation = library.Presentation()
    for number in range(3):
        presentation.slides.add_slide(presentation.slide_layouts[5]).shapes.title.text = f"slide-{number}."
    with zipfile.ZipFile(io.BytesIO(make.saved(presentation))) as written:
        members = {name: written.read(name) for name in written.namelist()}
    shown = re.search(rb"<p:sldIdLst>(.*)</p:sldIdLst>", members["ppt/presentation.xml"])[1]
    turned = b"".join(reversed(re.findall(rb"<p:sldId [^>]*>", shown)))
    assert turned != shown
    members["ppt/presentation.xml"] = members["ppt/presentation.xml"].replace(shown, turned)
    raw = make.zipped(members)
    assert [Place(page=3 - n) for n in range(3)] == [place_of(f"slide-{n}.", raw, "a.pptx") for n in range(3)]


def test_other_formats_have_no_places():
    assert NOWHERE == place_of("needle", b"Subject: x\nMime-Version: 1.0\n\nneedle\n", "a.eml")


@given(st.lists(st.text("ab \n\r\f", max_size=8), max_size=6), st.integers(0, 60))
def test_the_line_of_a_character_is_the_number_of_line_ends_before_it(pieces, offset):
    text = "".join(pieces)
    offset = min(offset, len(text))
    begins_inside = text[offset - 1 : offset + 1] == "\r\n"
    before = text[: offset - begins_inside].replace("\r\n", "\n").replace("\r", "\n")
    assert before.count("\n") + 1 == Places(text, "txt").at(offset).line


def test_a_report_tells_the_places_and_words_of_both_sides(collection, tmp_path):
    shared = words(1, 40)
    (tmp_path / "source.html").write_text(f"<p>Head.</p><p>{words(2, 30)}</p><p>{shared}</p>")
    collection.load([tmp_path / "source.html"])
    (tmp_path / "essay.txt").write_text(f"{words(3, 20)}\n\n{shared}\n")
    [match] = collection.screen(tmp_path / "essay.txt").with_words().matches
    [passage] = match.passages
    assert (shared, shared) == (passage.query_text, passage.source_text)
    assert (Place(line=3), Place(paragraph=3)) == (passage.query_place, passage.source_place)
