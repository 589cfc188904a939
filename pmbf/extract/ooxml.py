"""DOCX, PPTX and XLSX: every XML part of the package, walked for its text.

All parts are read, whatever their names. So text boxes, notes, comments, headers, charts, diagrams and deleted text are
found, in documents with and without macros, of either dialect. Formatting parts hold no text elements and add nothing.
"""

from __future__ import annotations

import posixpath
import re

from pmbf.base.errors import IncompleteError
from pmbf.base.places import PAGE_END, without_page_ends
from pmbf.extract.archive import Archive
from pmbf.extract.package import Attributes, FlowWalker, hidden_text, member_text, part_text, walk
from pmbf.extract.reading import OverLimitError, Reading

ORDER = (
    *(r"word/document\d*\.xml", r"word/(?:foot|end)notes", r"word/(?:header|footer)", r"word/comments"),
    *(r"ppt/slides/", r"ppt/notesSlides/", r"ppt/comments/"),
    *(r"xl/sharedStrings\.xml", r"xl/worksheets/", r"xl/comments"),
)
"""Reading order of the parts; all others follow, by name."""

TEXT = frozenset({"t", "delText", "text"})
LINE = frozenset({"p", "br", "cr", "si", "is", "text", "v"})
ASIDE = frozenset({"txbxContent", "del", "moveFrom", "rt"})
"""Text boxes, text deleted or moved away under change tracking, furigana: they follow the sentence around them."""
CHARACTERS = {"noBreakHyphen": "-", "softHyphen": "\xad", "ptab": "\t"}

_NO_TEXT = re.compile(
    r"\.(?:rels|odttf|fntdata|vml)$|printerSettings\d*\.bin$|^(?:\[content_types\]|docProps/|customXml/)", re.I
)
_PRESENTATION, _RELATIONS = "ppt/presentation.xml", "ppt/_rels/presentation.xml.rels"
_PROPERTY = re.compile(r"(?:docProps|customXml)/", re.I)
_SLIDE = re.compile(r"ppt/slides/slide\d+\.xml")
_TEMPLATE = re.compile(r"ppt/(?:slideMasters|slideLayouts|notesMasters|handoutMasters)/")


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the text of all parts, main text first."""
    archive = Archive(raw, reading)
    slides = _slide_order(archive)
    ranked = sorted(archive.names(), key=lambda name: (_rank(name), slides.get(name, len(slides))))
    names = [name for name in ranked if not _NO_TEXT.search(name)]
    if not any(map(_is_xml, names)):
        raise IncompleteError(f"no {kind} document inside")
    text = "".join(_text_of(archive, name, reading) for name in names)
    if reading.unseen:
        properties = [name for name in archive.names() if _PROPERTY.match(name) and _is_xml(name)]
        text += hidden_text(archive, properties, filter(_is_xml, names), reading) + archive.beside()
    return text


def _slide_order(archive: Archive) -> dict[str, int]:
    """Return the place of each slide's part by its name, as a PPTX shows it; empty if the package does not tell it."""
    if not {_PRESENTATION, _RELATIONS} <= set(archive.names()):
        return {}
    order, targets = Attributes("sldId"), Attributes("Relationship")
    try:
        walk(archive.chunks(_PRESENTATION), order)
        walk(archive.chunks(_RELATIONS), targets)
    except OverLimitError:
        raise
    except IncompleteError:  # told when the part is read for its text
        return {}
    files = {one.get("Id"): posixpath.join("/ppt", one.get("Target", ""))[1:] for one in targets.found}
    return {files[one.get("id")]: number for number, one in enumerate(order.found) if one.get("id") in files}


def _is_xml(name: str) -> bool:
    return name.lower().endswith(".xml")


def _rank(name: str) -> int:
    return next((rank for rank, pattern in enumerate(ORDER) if re.match(pattern, name)), len(ORDER))


def _text_of(archive: Archive, name: str, reading: Reading) -> str:
    if not _is_xml(name):
        return without_page_ends(member_text(archive, name, reading))
    text = part_text(archive, name, _PartWalker(is_template=bool(_TEMPLATE.match(name))), reading)
    return text + PAGE_END if _SLIDE.fullmatch(name) else text


class _PartWalker(FlowWalker):
    """Writes the text elements of a part into a flow, but for the prompts of a template ("Click to edit ...")."""

    def __init__(self, *, is_template: bool) -> None:
        super().__init__()
        self._is_template = is_template
        self._is_text = False
        self._is_placeholder = False
        self._is_text_cell = False
        self._in_tab_stops = False
        self._n_skipped = 0
        self._before_choice: list[int] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._n_skipped or name == "rPh" or (name == "Fallback" and self._choice_had_text()):
            self._n_skipped += 1
            return
        self._is_text = name in TEXT or (name == "v" and self._is_text_cell)
        if name in ASIDE:
            self.flow.open_aside()
        elif name in CHARACTERS:
            self.flow.write(CHARACTERS[name])
        elif name == "tab" and not self._in_tab_stops:
            self.flow.write("\t")
        else:
            self._note(name, attributes)

    def end(self, name: str) -> None:
        if self._n_skipped:
            self._n_skipped -= 1
            return
        self._is_text = False
        if name in LINE and (name != "v" or self._is_text_cell):
            self.flow.end_line()
        elif name in ASIDE:
            self.flow.close_aside()
        elif name in ("tabs", "tabLst"):
            self._in_tab_stops = False
        elif name == "AlternateContent" and self._before_choice:
            self._before_choice.pop()

    def text(self, text: str) -> None:
        if self._is_text and not self._n_skipped and not (self._is_template and self._is_placeholder):
            self.flow.write(text)
        else:
            self.unread.append(text)

    def _note(self, name: str, attributes: dict[str, str]) -> None:
        if name == "AlternateContent":
            self._before_choice.append(self.flow.n_chars)
        elif name in ("tabs", "tabLst"):
            self._in_tab_stops = True
        elif name in ("sp", "ph"):
            self._is_placeholder = name == "ph"
        elif name == "c":
            self._is_text_cell = attributes.get("t") == "str"
        elif name == "sym":
            self.flow.write(_symbol(attributes.get("char", "")))

    def _choice_had_text(self) -> bool:
        """Tell whether a fallback for old programs repeats text that its newer twin had."""
        return bool(self._before_choice) and self.flow.n_chars > self._before_choice[-1]


def _symbol(code: str) -> str:
    """Return the character of a `w:sym`; symbol fonts keep theirs from U+F000 on."""
    number = int(code, 16) if re.fullmatch("[0-9A-Fa-f]{2,4}", code) else 0
    return chr(number & 0xFF if number >> 8 == 0xF0 else number) if number >= 32 else ""
