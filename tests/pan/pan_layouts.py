"""A little corpus of made-up texts, written in every layout PAN used.

Two suspicious documents and three sources. The first copies a passage from the first source, the second one from each
of the two others; sources have a byte order mark, Windows' line ends, or neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from conftest import words

from experiments.pan.annotations import Pair, file_name
from experiments.pan.plagdet import Annotation

SUSPICIOUS = tuple(f"suspicious-document{number:05}.txt" for number in (1, 2))
SOURCES = tuple(f"source-document{number:05}.txt" for number in (1, 2, 3))
COPIES = ((SUSPICIOUS[0], SOURCES[0]), (SUSPICIOUS[1], SOURCES[1]), (SUSPICIOUS[1], SOURCES[2]))
WITHOUT = (SUSPICIOUS[0], SOURCES[2])
"""A listed pair without a copy."""

PASSAGES = tuple(words(seed, 60) + ". " for seed in (101, 102, 103))
EDGES = ("\ufeff", "\r\n\r\n", "\n\n")


def documents() -> dict[str, str]:
    """Return all texts by name."""
    sources = {
        name: edge + words(200 + number, 150) + ".\r\n\r\n" + PASSAGES[number] + "\r\n" + words(300 + number, 90)
        for number, (name, edge) in enumerate(zip(SOURCES, EDGES, strict=True))
    }
    first = "\ufeff" + words(401) + ".\r\n\r\n" + PASSAGES[0] + "\r\n" + words(402)
    second = words(403) + ".\n\n" + PASSAGES[1] + "\n\n" + words(404) + ".\n\n" + PASSAGES[2] + "\n" + words(405)
    return sources | {SUSPICIOUS[0]: first, SUSPICIOUS[1]: second}


def cases() -> list[Annotation]:
    """Return the copies, their last space and full stop left out."""
    texts = documents()
    return [
        Annotation(
            pair[0], texts[pair[0]].index(copied), len(copied), pair[1], texts[pair[1]].index(copied), len(copied)
        )
        for pair, copied in zip(COPIES, (passage.rstrip() for passage in PASSAGES), strict=True)
    ]


def annotated(reference: str, some: list[Annotation], name: str = "plagiarism", more: str = "") -> str:
    """Return a truth file."""
    features = [
        f'<feature name="{name}" {more} this_offset="{one.start}" this_length="{one.length}" '
        f'source_reference="{one.source}" source_offset="{one.source_start}" source_length="{one.source_length}" />'
        for one in some
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>\r\n'
    about = '<feature name="about" authors="nobody" /><feature name="md5Hash" value="0" />'
    return f'{head}<document reference="{reference}">\r\n{about}{"".join(features)}\r\n</document>'


def listed(*pairs: Pair) -> str:
    """Return a file of pairs."""
    return "".join(f"{one} {other}\n" for one, other in pairs)


def text_alignment(mark: str = "-", susp: str = "susp", src: str = "src", *, pairs: bool = True) -> dict[str, str]:
    """Return the files of a corpus of 2012 to 2014, by path."""
    none, copied = f"01{mark}no{mark}plagiarism", f"02{mark}no{mark}obfuscation"
    files = {f"{susp if name in SUSPICIOUS else src}/{name}": text for name, text in documents().items()}
    files |= {
        f"{copied}/{file_name(pair)}": annotated(pair[0], [one]) for pair, one in zip(COPIES, cases(), strict=True)
    }
    files[f"{none}/{file_name(WITHOUT)}"] = annotated(WITHOUT[0], [])
    if pairs:
        files |= {f"{none}/pairs": listed(WITHOUT), f"{copied}/pairs": listed(*COPIES)}
        files["pairs"] = listed(WITHOUT, *COPIES)
    return files


def external(susp: str, src: str, above: str = "", name: str = "plagiarism", more: str = "") -> dict[str, str]:
    """Return the files of a corpus of 2009 to 2011: parts, and annotations beside the texts."""
    files = {}
    for number, (document, text) in enumerate(documents().items()):
        folder = f"{above}{susp if document in SUSPICIOUS else src}/part{number % 2 + 1}"
        own = [one for one in cases() if one.suspicious == document]
        files[f"{folder}/{document}"] = text
        files[f"{folder}/{document.removesuffix('.txt')}.xml"] = annotated(document, own, name, more)
    return files


def apart() -> dict[str, str]:
    """Return the files of a corpus with its annotations in a folder of their own, a file a document."""
    files, susp = external(*LONG), LONG[0]
    moved = {
        path: f"plagiarism-annotation/{Path(path).name}" for path in files if path.endswith(".xml") and susp in path
    }
    return {moved.get(path, path): text for path, text in files.items()}


LONG = "suspicious-documents", "source-documents"
LAYOUTS: Mapping[str, Callable[[], dict[str, str]]] = {
    "2013": text_alignment,
    "2012": lambda: text_alignment("_"),
    "2014, long names": lambda: text_alignment("-", "suspicious-document", "source-document"),
    "without pairs": lambda: text_alignment(pairs=False),
    "a folder above": lambda: {f"test-corpus/{path}": text for path, text in text_alignment().items()},
    "2009": lambda: external(*LONG, "external-analysis-corpus/", "artificial-plagiarism"),
    "2010": lambda: external(*LONG, more='type="artificial" obfuscation="low"'),
    "2011": lambda: external("suspicious-document", "source-document", "a/external-detection-corpus/"),
    "annotations apart": apart,
}
OF_PAIRS = ("2013", "2012", "2014, long names", "without pairs", "a folder above")


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder
