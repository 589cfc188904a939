"""XML by a stranger as a stream of elements: no tree, no entities, no DTD, no network.

Office formats define no entities. So a document type with definitions is refused: every entity attack needs one. A mere
mention of a DTD, as in old OpenOffice formulas, is read over; the DTD is not fetched.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol
from xml.parsers import expat

from pmbf.base.errors import IncompleteError

_ASCII = "".join(map(chr, range(32, 127)))


class Walker(Protocol):
    """Receives the elements, by their names without namespace."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; its attributes, by their names without namespace."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Characters, entities of XML itself already resolved."""


def walk(chunks: Iterable[bytes], walker: Walker) -> None:
    """Send the elements of an XML document to a walker, in order.

    Raises:
        IncompleteError: It is not well-formed, or has a document type. The elements before were sent.
    """
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


class Attributes:
    """Collects the attributes of the elements of one name. The `r:id` of a slide follows its `id`, and replaces it."""

    def __init__(self, element: str) -> None:
        self.found: list[dict[str, str]] = []
        self._element = element

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Keep the attributes of the element."""
        if name == self._element:
            self.found.append(attributes)

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, text: str) -> None:
        """No text is kept."""
