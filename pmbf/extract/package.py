"""The common part of the office formats: a zip of XML parts, walked for their text, and of documents inside.

XML by a stranger is a stream of elements: no tree, no entities, no DTD, no network. Office formats define no entities.
So a document type with definitions is refused: every entity attack needs one. A mere mention of a DTD, as in old
OpenOffice formulas, is read over; the DTD is not fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.parsers import expat

from pmbf.base.errors import IncompleteError
from pmbf.extract.archive import Archive
from pmbf.extract.flow import Flow
from pmbf.extract.reading import OverLimitError, Reading
from pmbf.extract.unread import is_media

_ASCII = "".join(map(chr, range(32, 127)))
_WORD = re.compile(r"[^\W\d_]{2,}[.,;:!?)]*")
_BLANK_LINES = re.compile(r"\n{3,}")


class Walker:
    """Receives elements, and drops them. Names of elements and attributes come without namespace."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Characters, entities of XML itself already resolved."""


class Attributes(Walker):
    """Collects the attributes of the elements of one name. The `r:id` of a slide follows its `id`, and replaces it."""

    def __init__(self, element: str) -> None:
        self.found: list[dict[str, str]] = []
        self._element = element

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._element:
            self.found.append(attributes)


class FlowWalker(Walker):
    """Keeps all text: the text that a reader sees in a flow, the rest beside it."""

    def __init__(self) -> None:
        self.flow = Flow()
        self.unread: list[str] = []


def part_text(archive: Archive, name: str, walker: FlowWalker, reading: Reading, *, is_told: bool = False) -> str:
    """Return the text of one XML part. Of a broken part: the text before the break, with a problem unless `is_told`."""
    try:
        walk(archive.chunks(name), walker)
    except OverLimitError:
        raise
    except IncompleteError as error:
        if not is_told:
            reading.problem(f"{name}: {error}")
    reading.spend_text(walker.flow.n_chars)
    text = walker.flow.text()
    unread = reading.part(_unread(walker.unread, text), "properties") if reading.unseen else ""
    return (_BLANK_LINES.sub("\n\n", text) if text.strip() else "") + unread


def _unread(pieces: Iterable[str], shown: str) -> str:
    """Return the words of elements that no page shows: field codes, descriptions, unknown elements; no numbers."""
    flat = " ".join(shown.split())
    lines = (" ".join(piece.split()) for piece in pieces)
    return "".join(f"{line}\n" for line in lines if _WORD.fullmatch(line) or (" " in line and line not in flat))


def hidden_text(archive: Archive, properties: Iterable[str], others: Iterable[str], reading: Reading) -> str:
    """Return the text in the markup of an office document: attributes and comments; of a property all text."""
    texts = [part_text(archive, name, _HiddenWalker(is_property=True), reading) for name in properties]
    # Their damage was told when they were read for the text that they show.
    texts += [part_text(archive, name, _HiddenWalker(is_property=False), reading, is_told=True) for name in others]
    return reading.part("\n" + "".join(texts), "properties")


class _HiddenWalker(FlowWalker):
    """Writes attributes that hold several words, comments and instructions; of a property all text."""

    def __init__(self, *, is_property: bool) -> None:
        super().__init__()
        self._is_property = is_property

    def start(self, name: str, attributes: dict[str, str]) -> None:
        for value in attributes.values():
            if " " in value:
                self.flow.write(value)
                self.flow.end_line()

    def end(self, name: str) -> None:
        if self._is_property:
            self.flow.end_line()

    def comment(self, text: str) -> None:
        self.flow.write(text)
        self.flow.end_line()

    def text(self, text: str) -> None:
        if self._is_property:
            self.flow.write(text)


def member_text(archive: Archive, name: str, reading: Reading) -> str:
    """Return the text of a member that is a document of its own; pictures, sound, films and fonts have none."""
    try:
        head = archive.head(name)
        if not head or (is_media(head) and not (reading.unseen and archive.is_within_ratio(name))):
            return ""
        return reading.embedded(archive.read(name), name)
    except OverLimitError:
        raise
    except IncompleteError as error:
        reading.problem(str(error))
        return ""


def walk(chunks: Iterable[bytes], walker: Walker) -> None:
    """Send the elements of an XML document to a walker, in order; if it is broken, then those before the break."""
    names = _LocalNames()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: walker.start(
        names[name], {names[key]: value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: walker.end(names[name])
    parser.CharacterDataHandler = walker.text
    if comment := getattr(walker, "comment", None):
        parser.CommentHandler = comment
        parser.ProcessingInstructionHandler = lambda target, text: comment(f"{target} {text}")
    parser.XmlDeclHandler = _refuse_encoding
    parser.StartDoctypeDeclHandler = _refuse_definitions
    parser.SkippedEntityHandler = _refuse_entity
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: an encoding that Python or expat lacks
        parser.buffer_text = False  # lets out the characters before the break
        raise IncompleteError(f"broken XML: {error}") from None


class _LocalNames(dict[str, str]):
    def __missing__(self, name: str) -> str:
        local = name.rpartition("}")[2]
        if len(self) < 10_000:
            self[name] = local
        return local


def _refuse_encoding(_: str, encoding: str | None, __: int) -> None:
    """Refuse encodings that make other letters of ASCII: office programs read UTF-8 and UTF-16."""
    if encoding and not encoding.lower().startswith("utf-16") and _ASCII.encode().decode(encoding) != _ASCII:
        raise IncompleteError(f"encoding {encoding}, expected UTF-8 or UTF-16")


def _refuse_definitions(name: str, system_id: str | None, public_id: str | None, has_definitions: int) -> None:
    if has_definitions:
        raise IncompleteError(f"document type {name} with definitions: no office document needs them, entity bombs do")


def _refuse_entity(name: str, _: bool) -> None:
    raise IncompleteError(f"entity {name}, defined elsewhere")
