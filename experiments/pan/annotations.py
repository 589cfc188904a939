"""PAN's annotation files: cases of the truth, and detections.

    <document reference="suspicious-document00001.txt">
    <feature name="plagiarism" type="artificial" obfuscation="low" this_offset="5" this_length="300"
             source_reference="source-document00002.txt" source_offset="0" source_length="310" />
    </document>

Offsets count code points. Line ends are not translated. A byte order mark counts as one code point. A case is named
`plagiarism`, or has a word before that name (`artificial-plagiarism`). A detection is named `detected-plagiarism`.

An annotation that cannot be true is refused, and the other annotations of its file are kept. Such an annotation has an
offset below 0, a length below 1, a part of a source's three attributes, or another name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from experiments.pan.plagdet import Annotation

Pair = tuple[str, str]
"""The names of a suspicious document and of a source."""

DETECTED = "detected-plagiarism"
_PLAGIARISM = "plagiarism"


class Feature(NamedTuple):
    """An annotation, and the kind that its file gives: `artificial low`, `translation`, …; empty for a detection."""

    annotation: Annotation
    label: str


def document_name(name: str) -> str:
    r"""Return the name of a document from any spelling: with a folder, or without `.txt`.

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


def cases_in(path: Path, refused: list[str]) -> list[Feature]:
    """Return the cases of a file, without its detections.

    Args:
        path: The file.
        refused: Gets a sentence for each annotation that cannot be used; one sentence if the whole file cannot be used.
    """
    return [feature for name, feature in _features(path, refused) if not name.endswith(DETECTED)]


def detections_in(path: Path, refused: list[str]) -> list[Annotation]:
    """Return the detections of a file, without its cases. The arguments are those of `cases_in`."""
    return [feature.annotation for name, feature in _features(path, refused) if name.endswith(DETECTED)]


def write_detections(path: Path, suspicious: str, detections: Iterable[Annotation]) -> None:
    """Write the detections in one document. The file appears whole or not at all."""
    lines = [
        f'<feature name="{DETECTED}" this_offset="{one.start}" this_length="{one.length}" '
        f"source_reference={quoteattr(one.source)} "
        f'source_offset="{one.source_start}" source_length="{one.source_length}" />'
        for one in detections
    ]
    head = ['<?xml version="1.0" encoding="UTF-8"?>', f"<document reference={quoteattr(suspicious)}>"]
    write_whole(path, "\n".join([*head, *lines, "</document>", ""]))


def write_whole(path: Path, text: str) -> None:
    """Write a file. The file appears whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", newline="")
    part.replace(path)


def _features(path: Path, refused: list[str]) -> Iterator[tuple[str, Feature]]:
    """Yield each annotation of a file, with the name of its feature."""
    try:
        root = ElementTree.fromstring(path.read_bytes())  # the corpora's own files; expat fetches nothing from outside
    except (ElementTree.ParseError, ValueError, OSError) as error:
        refused.append(f"{path}: is not an annotation file ({error}); nothing of it counts")
        return
    if root.tag != "document":
        refused.append(f"{path}: is not an annotation file (it is a <{root.tag}>, no <document>); nothing of it counts")
        return
    reference = document_name(root.get("reference") or path.stem)
    for number, one in enumerate(root.iter("feature"), 1):
        name = one.get("name", "")
        if not name.endswith(_PLAGIARISM) and not any(key.startswith("this_") for key in one.attrib):
            continue  # it describes the document: its authors, its language
        try:
            feature = Feature(_annotation(reference, one), "" if name.endswith(DETECTED) else _label(name, one))
        except ValueError as error:
            refused.append(f"{path}, feature {number}: {error}; it does not count")
        else:
            yield name, feature


def _annotation(reference: str, feature: ElementTree.Element) -> Annotation:
    """Return the annotation of a feature.

    Raises:
        ValueError: The feature is no annotation, or the annotation cannot be true.
    """
    name = feature.get("name", "")
    if not name.endswith(_PLAGIARISM):
        raise ValueError(f"is named {name!r}, expected plagiarism or {DETECTED}")
    here = _number(feature, "this_offset", 0), _number(feature, "this_length", 1)
    there = [feature.get(f"source_{part}") for part in ("reference", "offset", "length")]
    if there == [None, None, None]:
        return Annotation(reference, *here)
    if not there[0] or not there[0].strip():
        raise ValueError("has a passage in a source and no source_reference")
    source = document_name(there[0])
    return Annotation(
        reference, *here, source, _number(feature, "source_offset", 0), _number(feature, "source_length", 1)
    )


def _number(feature: ElementTree.Element, name: str, least: int) -> int:
    words = feature.get(name)
    if words is None:
        raise ValueError(f"has no {name}")
    try:
        number = int(words)
    except ValueError:
        number = least - 1
    if number < least:
        raise ValueError(f"{name} is {words[:40]!r}, expected a number of characters, at least {least}")
    return number


def _label(name: str, feature: ElementTree.Element) -> str:
    """Return the kind of a case: its type and its degree of obfuscation, if the file has them."""
    if feature.get("source_reference") is None:
        return "intrinsic"
    prefix = name.removesuffix(_PLAGIARISM).rstrip("-")
    translated = "translation" if feature.get("translation", "").lower() == "true" else ""
    words = (translated or feature.get("type", "") or prefix, feature.get("obfuscation", ""))
    return " ".join(dict.fromkeys(word for word in words if word)) or _PLAGIARISM
