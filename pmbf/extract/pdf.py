"""PDF: the text of every page, its notes and form fields, and the attached files. Parsed by PDFium."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import unescape
from itertools import islice
from typing import Any

import pypdfium2 as pdfium  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from pmbf.base.errors import IncompleteError
from pmbf.base.places import PAGE_END, without_page_ends
from pmbf.extract import recognition
from pmbf.extract.pdf_streams import contents, unshown
from pmbf.extract.reading import OverLimitError, Reading
from pmbf.extract.strings import runs

EVERYWHERE = {"left": -1e6, "bottom": -1e6, "right": 1e6, "top": 1e6}
"""Larger than any page: text outside the visible part is read, too."""
ANNOTATION_TEXTS = (b"Contents", b"V")
"""A comment's words, a form field's value."""
MAX_ANNOTATIONS, MAX_BOOKMARK_DEPTH = 10_000, 50
SCAN_SHARE = 0.5
"""Share of a page without text from which its pictures may be a scan of the page; a logo or a stamp covers less."""
SCAN_SCALE, MOST_PIXELS = 300 / 72, 30_000_000
"""Pixels of a recognised page: 300 for each inch, as tesseract wants; in all, twice as many as an A3 page has."""
MAX_PICTURES, MAX_FORM_DEPTH = 10_000, 5
LEAST_COVERED = 1e-9
MOST_RANGES = 20

_XMP_BEGINS, _XMP_END = re.compile(rb"<x:xmpmeta[ >]"), b"</x:xmpmeta>"
_TAG = re.compile("<[^<>]*>")
_LINE_END_HYPHEN = re.compile("(?<=\\w)[\x02\ufffe](?=\\w)")
_HYPHEN = re.compile("[\x02\ufffe]")


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the text of all pages, in order."""
    streams = Reading(reading.limits)
    for _ in contents(raw, streams):  # for the limits, and for the problems
        pass
    reading.spend_expanded(streams.expanded_bytes)
    try:
        document = pdfium.PdfDocument(raw)
    except pdfium.PdfiumError as error:
        is_locked = "password" in str(error).lower()
        raise IncompleteError("encrypted: remove its password first" if is_locked else f"broken: {error}") from None
    n_pages = len(document)
    if n_pages > reading.limits.max_pages:
        raise OverLimitError(f"{n_pages} pages, limit {reading.limits.max_pages} (max_pages)")
    if n_pages == 0:
        raise IncompleteError("broken: it has no pages")
    texts = [_page(document, index, reading) for index in range(n_pages)]
    if document.get_formtype() in (pdfium_c.FORMTYPE_XFA_FULL, pdfium_c.FORMTYPE_XFA_FOREGROUND):
        reading.problem("an XFA form: its fields are not read")
    _read_pictures(document, texts, reading)
    shown = "".join(texts)
    openings = (partial(document.get_attachment, number) for number in range(document.count_attachments()))
    attachments = [_attachment(open_it, reading) for open_it in openings]
    text = shown + without_page_ends("".join(attachments))
    if not _is_encrypted(document):
        for what in streams.problems:
            reading.problem(what)
    if not reading.unseen:
        return text
    beneath = "" if _is_encrypted(document) else unshown(contents(raw, Reading(reading.limits)), shown)
    beneath += _around(raw)
    reading.spend_text(len(beneath))
    hidden = _properties(raw, document, reading) + reading.part(beneath, "streams")
    return text + without_page_ends(hidden)


def _around(raw: bytes) -> str:
    """Return what stands before the PDF's mark and behind its end: programs skip it, and an editor shows it."""
    last = raw.rfind(b"%%EOF")
    before, behind = raw[: max(0, raw.find(b"%PDF-"))], raw[last + 5 :] if last >= 0 else b""
    return "".join(f"{runs(one)}\n" for one in (before, behind) if one.strip())


def _is_encrypted(document: Any) -> bool:
    """Tell a document that needs no password and has encrypted streams."""
    return bool(pdfium_c.FPDF_GetSecurityHandlerRevision(document) >= 0)


def _page(document: Any, index: int, reading: Reading) -> str:
    try:
        page = document[index]
        text = page.get_textpage().get_text_bounded(**EVERYWHERE)
    except pdfium.PdfiumError:
        reading.problem(f"page {index + 1}: unreadable")
        return PAGE_END
    lines = "\n".join([with_hyphens(text), *_annotations(page, document, reading)])
    text = f"{without_page_ends(lines)}\n{PAGE_END}"
    reading.spend_text(len(text))
    page.close()
    return text


def _properties(raw: bytes, document: Any, reading: Reading) -> str:
    """Return the text beside the pages: properties such as the title, bookmarks, and unpacked XMP packets."""
    lines = list(document.get_metadata_dict(skip_empty=True).values())
    try:
        for mark in document.get_toc(MAX_BOOKMARK_DEPTH):
            lines.append(mark.get_title())
            if len(lines) > MAX_ANNOTATIONS:
                raise OverLimitError(f"more than {MAX_ANNOTATIONS} bookmarks")
            if mark.level == MAX_BOOKMARK_DEPTH - 1 and mark.get_count():
                reading.problem(f"bookmarks more than {MAX_BOOKMARK_DEPTH} levels deep: not read")
    except pdfium.PdfiumError:
        reading.problem("bookmarks: unreadable")
    lines += [unescape(_TAG.sub(" ", one.decode("utf-8", "replace"))) for one in _xmp(raw)]
    text = "".join(f"{line}\n" for line in lines)
    reading.spend_text(len(text))
    return reading.part(text, "properties")


def _xmp(raw: bytes) -> Iterator[bytes]:
    """Yield the packets of XMP. An end is looked for once: where there is none, there is none further on."""
    stop = 0
    while (begins := _XMP_BEGINS.search(raw, stop)) and (end := raw.find(_XMP_END, begins.end())) >= 0:
        stop = end + len(_XMP_END)
        yield raw[begins.start() : stop]


def _read_pictures(document: Any, texts: list[str], reading: Reading) -> None:
    """Put the text of scanned pages in its place, if it is asked for; or keep a problem that names these pages."""
    without_text = [index for index, text in enumerate(texts) if not text.strip()]
    scans = [index for index in without_text if _covered(document, index) >= SCAN_SHARE]
    if scans and not reading.limits.ocr:
        one = len(scans) == 1
        told = f"{'a picture' if one else 'pictures'} without text, {'a scan' if one else 'scans'} perhaps"
        pages = f"{'page' if one else 'pages'} {_ranges([index + 1 for index in scans])}"
        reading.problem(f"{pages}: {told}; {recognition.WOULD_HELP}")
    elif scans:
        for index in scans:
            texts[index] = _recognised(document, index, reading)
    elif len(without_text) == len(texts) and any(_covered(document, index) for index in without_text):
        reading.problem("no text on any page: drawn letters need text recognition first")


def _recognised(document: Any, index: int, reading: Reading) -> str:
    page = document[index]
    area = max(1.0, page.get_width() * page.get_height())
    grey = page.render(scale=min(SCAN_SCALE, math.sqrt(MOST_PIXELS / area)), grayscale=True)
    try:
        rows = grey.to_numpy().reshape(grey.height, -1)[:, : grey.width]
        read = recognition.text_of(rows.tobytes(), grey.width, grey.height, reading.limits.ocr)
        text = f"{without_page_ends(read)}\n{PAGE_END}"
    except IncompleteError as error:
        reading.problem(f"page {index + 1}: {error}")
        return PAGE_END
    reading.spend_text(len(text))
    return text


def _covered(document: Any, index: int) -> float:
    """Return how much of a page its pictures cover: 0 for a blank page; a little if there are only other objects."""
    try:
        page = document[index]
        if not pdfium_c.FPDFPage_CountObjects(page):
            return 0.0
        pictures = page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=MAX_FORM_DEPTH)
        boxes = [one.get_bounds() for one in islice(pictures, MAX_PICTURES)]
        area = sum((right - left) * (top - bottom) for left, bottom, right, top in boxes)
        return float(max(area / max(1.0, page.get_width() * page.get_height()), LEAST_COVERED))
    except pdfium.PdfiumError:  # no page, or a damaged one, which has a problem already
        return 0.0


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers with each run of them as a range; of many runs the first 20.

    >>> _ranges([2, 4, 5, 6, 10])
    '2, 4-6, 10'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs[:MOST_RANGES]]
    return ", ".join([*shown, "…"] if len(runs) > MOST_RANGES else shown)


def with_hyphens(text: str) -> str:
    """Return a page's text with its hyphens at line ends as printed.

    PDFium joins a word that a hyphen divides at a line end, and leaves U+0002 or U+FFFE at the seam. Hyphen and line
    end are put back. The fold joins the word.

    >>> with_hyphens("exam\\x02ple")
    'exam-\\r\\nple'
    """
    return _HYPHEN.sub("-", _LINE_END_HYPHEN.sub("-\r\n", text))


def _annotations(page: Any, document: Any, reading: Reading) -> Iterator[str]:
    n_annotations = pdfium_c.FPDFPage_GetAnnotCount(page)
    if n_annotations > MAX_ANNOTATIONS:
        raise OverLimitError(f"{n_annotations} annotations on a page, limit {MAX_ANNOTATIONS}")
    for index in range(n_annotations):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        yield from filter(None, (_string(annotation, key) for key in ANNOTATION_TEXTS))
        if attached := pdfium_c.FPDFAnnot_GetFileAttachment(annotation):
            yield _attachment(partial(pdfium.PdfAttachment, attached, document), reading)
        pdfium_c.FPDFPage_CloseAnnot(annotation)


def _string(annotation: Any, key: bytes) -> str:
    n_bytes = pdfium_c.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if n_bytes <= 2:  # the terminating zero alone
        return ""
    buffer = ctypes.create_string_buffer(n_bytes)
    pointer = ctypes.cast(buffer, ctypes.POINTER(pdfium_c.FPDF_WCHAR))
    pdfium_c.FPDFAnnot_GetStringValue(annotation, key, pointer, n_bytes)
    return buffer.raw[: n_bytes - 2].decode("utf-16-le", "replace")


def _attachment(open_it: Callable[[], Any], reading: Reading) -> str:
    reading.spend_entries(1)
    try:
        attachment = open_it()
        name, raw = attachment.get_name() or "attachment", bytes(attachment.get_data())
    except pdfium.PdfiumError as error:
        reading.problem(f"an attachment: unreadable: {error}")
        return ""
    return reading.embedded(raw, name) + "\n"
