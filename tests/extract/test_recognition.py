"""Scanned pages: made of a rendered page, and read by the real tesseract if there is one."""

import os
import shutil
import zlib

import pytest

from pmbf import Collection, IncompleteError, ParameterError
from pmbf.extract import Limits, extract, recognition
from tests.commands.conftest import run
from tests.extract import builders as make

pdfium = pytest.importorskip("pypdfium2", reason="needs the extra 'pdf'")
needs_tesseract = pytest.mark.skipif(not shutil.which("tesseract"), reason="there is no tesseract")
SENTENCE = "The keeper of the harbour wrote the height of every tide into a book that was never lost."


def rendered(text, scale=3):
    """Return the grey pixels of a page that shows a text, their width and their height."""
    page = pdfium.PdfDocument(make.pdf_with_pictures([text]))[0]
    grey = page.render(scale=scale, grayscale=True)
    rows = grey.to_numpy().reshape(grey.height, -1)[:, : grey.width]
    return rows.tobytes(), grey.width, grey.height


def scanned(text):
    """Return a PDF of two pages: a text, and the picture of a page that shows another text."""
    grey, width, height = rendered(text)
    packed = zlib.compress(grey)
    picture = (
        f"<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray "
        f"/BitsPerComponent 8 /Filter /FlateDecode /Length {len(packed)} >>\nstream\n".encode()
    )
    return make.pdf_with_pictures(["first", 1], picture=picture + packed + b"\nendstream")


@needs_tesseract
def test_a_scanned_page_is_read_in_its_place():
    found = extract(scanned(SENTENCE), "a.pdf", Limits(ocr="eng"))
    assert found.problems == ()
    assert found.text.split() == ["first", *SENTENCE.split()]


@needs_tesseract
def test_a_scanned_copy_is_found_in_a_collection(tmp_path):
    (tmp_path / "scan.pdf").write_bytes(scanned(SENTENCE))
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add(SENTENCE, name="source")
        assert not collection.screen(tmp_path / "scan.pdf").found
        [match] = collection.screen(tmp_path / "scan.pdf", limits=Limits(ocr="eng")).matches
        assert match.document.path == "source"


@needs_tesseract
def test_a_scan_that_was_loaded_before_is_read_once_recognition_is_asked_for(tmp_path):
    folder = tmp_path / "scans"
    folder.mkdir()
    for name in ("a.pdf", "same.pdf"):
        (folder / name).write_bytes(scanned(SENTENCE))
    (folder / "note.txt").write_text("A note of a few words.")
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        [first] = collection.load([folder]).problems
        assert first.reason.startswith("incomplete: page 2: a picture without text, a scan perhaps; `pmbf load`")
        again = collection.load([folder], limits=Limits(ocr="eng"))
        assert (again.n_replaced, again.n_unchanged, again.problems) == (2, 1, [])
        assert sorted(len(one.paths) for one in collection) == [1, 2]
        assert collection.screen(SENTENCE).found
        assert collection.load([folder], limits=Limits(ocr="eng")).n_unchanged == 3
        assert collection.check().problems == []


@needs_tesseract
def test_the_command_line_reads_scans_and_refuses_to_keep_no_text_of_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scan.pdf").write_bytes(scanned(SENTENCE))
    (tmp_path / "essay.txt").write_text(SENTENCE)
    assert run("load", "scan.pdf", "-c", "c.pmbf", "--ocr", "eng").exit_code == 0
    assert run("screen", "essay.txt", "-c", "c.pmbf").exit_code == 1
    assert run("screen", "scan.pdf", "-c", "c.pmbf", "--ocr", "eng", "--json").exit_code == 1
    result = run("load", "scan.pdf", "-c", "d.pmbf", "--ocr", "eng", "--no-text")
    assert (result.exit_code, "--ocr is given with --no-text" in result.stderr) == (2, True)
    assert run("screen", "scan.pdf", "-c", "c.pmbf", "--ocr", "xx").exit_code == 2


@needs_tesseract
def test_a_language_that_tesseract_lacks_is_refused_before_a_file_is_read():
    recognition.require("eng")
    with pytest.raises(ParameterError, match=r"tesseract has no language 'xx' \(--ocr\), expected some of .*eng"):
        recognition.require("eng+xx")


@needs_tesseract
def test_what_tesseract_cannot_read_names_the_page():
    [problem] = extract(scanned(SENTENCE), "a.pdf", Limits(ocr="xx")).problems
    assert problem.startswith("page 2: text recognition failed: ")


def test_languages_of_limits_are_looked_at_before_a_file_is():
    with pytest.raises(ParameterError, match="ocr is '-l eng', expected languages as tesseract names them"):
        Limits(ocr="-l eng")


@pytest.mark.parametrize("languages", ["", "-l", "eng deu", "eng+", "../eng"])
def test_what_is_no_name_of_a_language_is_refused(languages):
    with pytest.raises(ParameterError, match="expected languages as tesseract names them"):
        recognition.require(languages)


def test_without_tesseract_the_words_say_so(monkeypatch, tmp_path):
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    with pytest.raises(ParameterError, match="--ocr needs the program tesseract, which is not in PATH"):
        recognition.require("eng")
    with pytest.raises(IncompleteError, match="tesseract is not installed"):
        recognition.text_of(bytes(4), 2, 2, "eng")
