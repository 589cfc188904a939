"""PAN's annotation files: cases of the truth, and detections.

    <document reference="suspicious-document00001.txt">
    <feature name="plagiarism" type="artificial" obfuscation="low" this_offset="5" this_length="300"
             source_reference="source-document00002.txt" source_offset="0" source_length="310" />
    </document>

Offsets count code points, line ends untranslated and a byte order mark as one. Truth is named `plagiarism`, or with a
word before it (`artificial-plagiarism`); detections are named `detected-plagiarism`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from experiments.pan.plagdet import Annotation
from pmbf.errors import ParameterError

Pair = tuple[str, str]
"""The names of a suspicious document and of a source."""

DETECTED = "detected-plagiarism"
_PLAGIARISM = "plagiarism"


class Feature(NamedTuple):
    """An annotation with what the file says of its kind: `artificial low`, `translation`, …; empty of a detection."""

    annotation: Annotation
    label: str


def document_name(name: str) -> str:
    r"""Return the name a document goes by, however a file spells it.

    >>> document_name("part1/suspicious-document00001"), document_name("src\\source-document00002.txt")
    ('suspicious-document00001.txt', 'source-document00002.txt')
    """
    last = name.strip().replace("\\", "/").rsplit("/", 1)[-1]
    return last if not last or last.lower().endswith(".txt") else f"{last}.txt"


def file_name(pair: Pair) -> str:
    """Return the name of a pair's file.

    >>> file_name(("suspicious-document00001.txt", "source-document00002.txt"))
    'suspicious-document00001-source-document00002.xml'
    """
    return "-".join(name.removesuffix(".txt") for name in pair) + ".xml"


def cases_in(path: Path) -> Iterator[Feature]:
    """Yield the cases of a file, detections left out; nothing if the file is empty.

    Raises:
        ParameterError: The file is not XML, or an offset is not a number.
    """
    return (feature for name, feature in _features(path) if not name.endswith(DETECTED))


def detections_in(path: Path) -> Iterator[Annotation]:
    """Yield the detections of a file; nothing if the file is empty.

    Raises:
        ParameterError: The file is not XML, or an offset is not a number.
    """
    return (feature.annotation for name, feature in _features(path) if name.endswith(DETECTED))


def write_detections(path: Path, suspicious: str, detections: Iterable[Annotation]) -> None:
    """Write the detections in one document; the file is there whole or not at all."""
    lines = [
        f'<feature name="{DETECTED}" this_offset="{one.start}" this_length="{one.length}" '
        f"source_reference={quoteattr(one.source)} "
        f'source_offset="{one.source_start}" source_length="{one.source_length}" />'
        for one in detections
    ]
    head = ['<?xml version="1.0" encoding="UTF-8"?>', f"<document reference={quoteattr(suspicious)}>"]
    write_whole(path, "\n".join([*head, *lines, "</document>", ""]))


def write_whole(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", newline="")
    part.replace(path)


def _features(path: Path) -> Iterator[tuple[str, Feature]]:
    """Yield what a file annotates, with the feature's name."""
    try:
        text = path.read_bytes()
        if not text.strip():
            return
        root = ElementTree.fromstring(text)  # the corpora's own files; expat does not fetch what is outside them
        reference = document_name(root.get("reference", path.stem))
        for one in root.iter("feature"):
            name = one.get("name", "")
            if name.endswith(_PLAGIARISM) and one.get("this_offset") and one.get("this_length"):
                label = "" if name.endswith(DETECTED) else _label(name, one)
                yield name, Feature(_annotation(reference, one), label)
    except (ElementTree.ParseError, ValueError) as error:
        raise ParameterError(f"{path}: is not an annotation file ({error})") from None


def _annotation(reference: str, feature: ElementTree.Element) -> Annotation:
    here = int(feature.get("this_offset", "")), int(feature.get("this_length", ""))
    there = [feature.get(name) for name in ("source_reference", "source_offset", "source_length")]
    if None in there:
        return Annotation(reference, *here)
    return Annotation(reference, *here, document_name(there[0] or ""), int(there[1] or ""), int(there[2] or ""))


def _label(name: str, feature: ElementTree.Element) -> str:
    """Return the kind of a case: its type, and how much it is obfuscated, as far as the file says so."""
    if feature.get("source_reference") is None:
        return "intrinsic"
    prefix = name.removesuffix(_PLAGIARISM).rstrip("-")
    translated = "translation" if feature.get("translation", "").lower() == "true" else ""
    words = (translated or feature.get("type", "") or prefix, feature.get("obfuscation", ""))
    return " ".join(dict.fromkeys(word for word in words if word)) or _PLAGIARISM
