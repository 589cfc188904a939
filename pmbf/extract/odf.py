"""ODT, ODP and ODS: every XML part of the package, walked for its paragraphs."""

from __future__ import annotations

import re

from pmbf.base.errors import IncompleteError
from pmbf.extract.archive import Archive
from pmbf.extract.package import FlowWalker, hidden_text, member_text, part_text
from pmbf.extract.reading import Reading

ORDER = ("content.xml", "styles.xml")
"""The body, then the headers and footers; embedded objects follow, by name."""
PARAGRAPH = frozenset({"p", "h"})
UNREAD = frozenset(
    {"note-citation", "creator", "date", "date-string", "sender-initials", "title", "desc", "binary-data"}
)
"""Numbers of notes, authors and dates of comments, descriptions of pictures: no text of the paragraph around them."""
MAX_SPACES = 1000
"""Most spaces of one element: `<text:s text:c="1000000000"/>` is a bomb."""

_NO_TEXT = re.compile(
    r"(?:^|/)(?:META-INF|Thumbnails|Configurations2)/|^(?:meta|settings)\.xml$|(?:mimetype|\.rdf|-cache)$"
)
_BLANKS = re.compile(r"[ \t\r\n]+")


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the text of all parts, the body first."""
    archive = Archive(raw, reading)
    names = sorted(archive.names(), key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    if "content.xml" not in names:
        raise IncompleteError(f"no {kind} document inside: content.xml is missing")
    if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise IncompleteError("encrypted: remove its password first")
    text = "".join(_text_of(archive, name, reading) for name in names if not _NO_TEXT.search(name))
    if reading.unseen:
        text += hidden_text(archive, [name for name in names if name == "meta.xml"], ["content.xml"], reading)
        text += archive.beside()
    return text


def _text_of(archive: Archive, name: str, reading: Reading) -> str:
    if not name.lower().endswith(".xml"):
        return member_text(archive, name, reading)
    return part_text(archive, name, _PartWalker(), reading)


class _PartWalker(FlowWalker):
    """Writes the paragraphs of a part into a flow. A paragraph inside another (a note, a text box) follows it."""

    def __init__(self) -> None:
        super().__init__()
        self._n_open = 0
        self._n_skipped = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._n_skipped or name in UNREAD:
            self._n_skipped += 1
        elif name in PARAGRAPH:
            if self._n_open:
                self.flow.open_aside()
            self._n_open += 1
        elif name == "tab":
            self.flow.write("\t")
        elif name == "line-break":
            self.flow.write("\n")
        elif name == "s":
            self.flow.write(" " * _n_spaces(attributes.get("c", "1")))

    def end(self, name: str) -> None:
        if self._n_skipped:
            self._n_skipped -= 1
        elif name in PARAGRAPH:
            self._n_open -= 1
            self.flow.end_line()
            if self._n_open:
                self.flow.close_aside()

    def text(self, text: str) -> None:
        if self._n_open and not self._n_skipped:
            self.flow.write(_BLANKS.sub(" ", text))  # as the format says
        else:
            self.unread.append(text)


def _n_spaces(count: str) -> int:
    return min(int(count), MAX_SPACES) if count.isdecimal() and len(count) < 10 else 1
