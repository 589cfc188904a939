"""Documents that pmbf does not read are named, with what to do; books in EPUB are read."""

import random
import struct

import pytest

from pmbf import IncompleteError, UnsupportedError
from pmbf.extract import extract, guess_kind, is_archive, is_container
from pmbf.extract.unread import gap
from tests.extract import builders as make

NAMED = {
    "locked.docx": (make.ole("EncryptionInfo", "EncryptedPackage"), "encrypted: remove its password first"),
    "old.doc": (
        make.ole("\x01CompObj", "1Table", "WordDocument"),
        "an old Word file: convert it with `soffice --convert-to docx`",
    ),
    "old.xls": (make.ole("Workbook"), "an old Excel file: convert it with `soffice --convert-to xlsx`"),
    "older.xls": (make.ole("Book"), "an old Excel file: convert it with `soffice --convert-to xlsx`"),
    "old.ppt": (make.ole("Pictures", "PowerPoint Document"), "an old PowerPoint file: convert it with `soffice"),
    "mail.msg": (make.ole("__nameid_version1.0", "__properties_version1.0"), "an Outlook message: save it as .eml"),
    "odd.doc": (make.ole("Something"), "an old binary Office file of an unknown kind: convert it"),
    "cut.doc": (make.ole("WordDocument")[:512], "an old binary Office file of an unknown kind: convert it"),
    "paper.djvu": (b"AT&TFORM" + bytes(90), "a DjVu document: convert it with `ddjvu"),
    "paper.ps": (b"%!PS-Adobe-3.0\n(Dear) show\n", "a PostScript document: convert it with `ps2pdf`"),
    "data.7z": (b"7z\xbc\xaf\x27\x1c" + bytes(90), "an archive: unpack it"),
    "data.rar": (b"Rar!\x1a\x07" + bytes(90), "an archive: unpack it"),
    "paper.wpd": (b"\xffWPC" + bytes(90), "a WordPerfect document: convert it"),
    "paper.dvi": (b"\xf7\x02\x01\x83\x92\xc0\x1c\x3b" + bytes(90), "a DVI document: convert it"),
    "book.mobi": (bytes(60) + b"BOOKMOBI" + bytes(90), "an e-book (.mobi, .azw): convert it to EPUB"),
    "notes.sqlite": (b"SQLite format 3\0" + bytes(90), "a database: export what it holds as text"),
}
"""What a file holds, and how it is told."""


@pytest.mark.parametrize("name", NAMED)
def test_a_document_of_another_program_is_named_with_what_to_do(name):
    raw, told = NAMED[name]
    assert guess_kind(raw, name) is None
    assert is_container(raw)
    assert not is_archive(raw, name)
    with pytest.raises(UnsupportedError, match="^" + name) as caught:
        extract(raw, name)
    assert f"{name}: {told}" in str(caught.value)


def test_documents_that_are_zip_files_and_not_read_are_no_archives():
    pages = make.zipped({"Index/Document.iwa": b"\0\1\2", "preview.jpg": b"\xff\xd8\xff"})
    binary = make.zipped({"[Content_Types].xml": "", "xl/workbook.bin": b"\0\1\2"})
    for raw in (pages, binary):
        assert is_container(raw)
        assert not is_archive(raw, "a.pages")
        assert extract(raw, "a.pages").problems  # named, it is read as far as it goes, and is incomplete


def test_a_zip_at_the_end_of_an_old_word_file_makes_it_no_archive():
    raw = make.ole("WordDocument") + make.zipped({"theme/theme1.xml": "<a/>"})
    assert guess_kind(raw, "a.doc") is None
    assert not is_archive(raw, "a.doc")


def test_thumbnails_of_a_folder_and_pictures_in_postscript_are_no_gap():
    assert not is_container(make.ole("Catalog", "1", "21", "256_4f0a"))
    assert guess_kind(b"%!PS-Adobe-3.0 EPSF-3.0\nshow\n", "figure.eps") == "txt"


def test_a_directory_in_any_sector_is_found_by_the_whole_table():
    """Word writes the directory behind the text: in a file of 9 MB the header does not name its part of the table."""
    small = make.ole("\x01CompObj", "1Table", "Data", "WordDocument")
    directory, size, at = small[1024:], 512, 17_900
    raw = bytearray((at + 4) * size)
    raw[:1024] = small[:1024]
    raw[at * size + size : (at + 1) * size + len(directory)] = directory
    struct.pack_into("<I", raw, 48, at)
    struct.pack_into("<I", raw, 68, 2)  # further parts of the table stand in sector 2, as the 110th and so on
    struct.pack_into("<I", raw, 3 * size + 4 * (at // 128 - 109), 3)
    for sector in range(at, at + len(directory) // size):
        struct.pack_into("<I", raw, 4 * size + 4 * (sector % 128), sector + 1)
    assert gap(bytes(raw)).what == "an old Word file"


def test_damaged_containers_are_told_and_end():
    draw = random.Random(7)
    whole = make.ole(*(f"stream {n}" for n in range(30)), "WordDocument")
    for _ in range(2000):
        raw = bytearray(whole)
        for _ in range(draw.randrange(1, 40)):
            raw[draw.randrange(8, len(raw))] = draw.choice((0, 1, 255, draw.randrange(256)))
        assert gap(bytes(raw[: draw.randrange(8, len(raw))])) is not None


# ---------------------------------------------------------------------- EPUB


def test_a_book_is_read_chapter_by_chapter_without_styles_and_lists():
    styles = {"OEBPS/a.css": "p { color: red }", "OEBPS/toc.ncx": "<ncx><text>one</text></ncx>", "a.ttf": bytes(99)}
    raw = make.epub("<p>second</p>", "<p>first</p>", "<p>tenth</p>", spine=[2, 1], **styles)
    for name in ("a.epub", "a.zip", "a"):
        found = extract(raw, name)
        assert (found.kind, found.problems) == ("epub", ())
        assert found.text.split() == ["first", "second", "tenth"]
    assert "color: red" in extract(raw, "a.epub", unseen=True).text


def test_a_book_without_an_order_is_read_by_name():
    raw = make.epub("<p>one</p>", "<p>two</p>", **{"OEBPS/book.opf": "<package"})
    assert extract(raw, "a.epub").text.split() == ["one", "two"]


def test_a_protected_book_and_one_without_chapters_are_incomplete():
    locked = "<encryption><CipherReference URI='OEBPS/c1.xhtml'/></encryption>"
    with pytest.raises(IncompleteError, match="encrypted: remove its copy protection first"):
        extract(make.epub("<p>one</p>", **{"META-INF/encryption.xml": locked}), "a.epub")
    font = locked.replace("c1.xhtml", "a.ttf")
    assert extract(make.epub("<p>one</p>", **{"META-INF/encryption.xml": font, "a.ttf": b"x"}), "a.epub").text
    with pytest.raises(IncompleteError, match="it has no chapter"):
        extract(make.epub(), "a.epub")
