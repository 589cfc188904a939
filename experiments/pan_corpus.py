"""The text alignment corpora of PAN 2012 to 2014: where the documents, pairs and annotations are.

    CORPUS/src/source-document00001.txt        texts; annotations count their code points, line ends untranslated
    CORPUS/susp/suspicious-document00001.txt
    CORPUS/02-no-obfuscation/pairs             one pair of names a line (02_no_obfuscation in 2012)
    CORPUS/02-no-obfuscation/suspicious-document00001-source-document00002.xml

Detections are files like the last one, all in one folder, with features named `detected-plagiarism`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from experiments.corpora import pan13_pairs
from experiments.plagdet import Annotation
from pmbf.errors import NotFoundError, ParameterError

Pair = tuple[str, str]

TRUTH = "plagiarism"
DETECTED = "detected-plagiarism"
_SOURCES = ("src", "source-documents", "source-document")
_SUSPICIOUS = ("susp", "suspicious-documents", "suspicious-document")
_KIND = re.compile(r"\d\d[-_]")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus of pairs.

    Args:
        suspicious: Folder of the suspicious documents.
        sources: Folder of the sources.
        kinds: Folders with `pairs` and annotations, one per kind of obfuscation, in order of their names.
    """

    suspicious: Path
    sources: Path
    kinds: tuple[Path, ...]

    @classmethod
    def at(cls, folder: Path) -> Corpus:
        """Return the corpus in a folder.

        Raises:
            NotFoundError: It has no documents or no kinds with pairs.
        """
        kinds = sorted(path.parent for path in folder.glob("*/pairs") if _KIND.match(path.parent.name))
        if not kinds:
            raise NotFoundError(f"{folder}: has no folders like 02-no-obfuscation with a file `pairs`")
        return cls(_one_of(folder, _SUSPICIOUS), _one_of(folder, _SOURCES), tuple(kinds))

    def pairs(self) -> list[Pair]:
        """Return all pairs, each once, grouped by suspicious document."""
        return sorted({pair for kind in self.kinds for pair in pan13_pairs(kind)})

    def cases(self, kind: Path) -> set[Annotation]:
        """Return the annotated passages of one kind."""
        pairs = pan13_pairs(kind)
        return {case for pair in pairs for case in annotated(kind / file_name(pair), TRUTH)}


def file_name(pair: Pair) -> str:
    """Return the name of a pair's file.

    >>> file_name(("suspicious-document00001.txt", "source-document00002.txt"))
    'suspicious-document00001-source-document00002.xml'
    """
    suspicious, source = (name.removesuffix(".txt") for name in pair)
    return f"{suspicious}-{source}.xml"


def annotated(path: Path, name: str) -> Iterator[Annotation]:
    """Yield the annotations of a file whose features' names end as given; nothing where there is no file.

    `artificial-plagiarism` and its like end with `plagiarism`, as do detections: keep them in folders of their own.

    Raises:
        ParameterError: The file is not XML, or an offset is not a number.
    """
    if not path.exists():
        return
    try:
        root = ElementTree.parse(path).getroot()  # the corpora's own files; expat does not fetch what is outside them
        for feature in root.iter("feature"):
            if feature.get("name", "").endswith(name) and feature.get("this_offset") and feature.get("this_length"):
                yield _annotation(root.get("reference", ""), feature)
    except (ElementTree.ParseError, ValueError) as error:
        raise ParameterError(f"{path}: is not an annotation file ({error})") from None


def write_detections(path: Path, suspicious: str, detections: Iterable[Annotation]) -> None:
    """Write a pair's detections; the file is there whole or not at all."""
    lines = [
        f'<feature name="{DETECTED}" this_offset="{one.start}" this_length="{one.length}" '
        f"source_reference={quoteattr(one.source)} "
        f'source_offset="{one.source_start}" source_length="{one.source_length}" />'
        for one in detections
    ]
    part = path.with_suffix(".part")
    part.write_text("\n".join([f"<document reference={quoteattr(suspicious)}>", *lines, "</document>", ""]), "utf-8")
    part.replace(path)


def _annotation(reference: str, feature: ElementTree.Element) -> Annotation:
    here = int(feature.get("this_offset", "")), int(feature.get("this_length", ""))
    there = [feature.get(name) for name in ("source_reference", "source_offset", "source_length")]
    if None in there:
        return Annotation(reference, *here)
    return Annotation(reference, *here, there[0] or "", int(there[1] or ""), int(there[2] or ""))


def _one_of(folder: Path, names: Iterable[str]) -> Path:
    for name in names:
        if (folder / name).is_dir():
            return folder / name
    raise NotFoundError(f"{folder}: has none of the folders {', '.join(names)}")
