"""Reading the corpora the experiments run on; none of them is part of the project."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAN13_KINDS = {
    "02-no-obfuscation": "verbatim",
    "03-random-obfuscation": "random",
    "04-translation-obfuscation": "translated",
    "05-summary-obfuscation": "summarised",
}


HALVES = {"first": 0, "second": 1}
"""Of PAN's suspicious documents: the even numbers, which settings are chosen by, and the odd ones."""


def half_of(name: str) -> str:
    """Return the half that a suspicious document of PAN belongs to, by the number in its name; the first without one.

    >>> half_of("suspicious-document00003.txt"), half_of("suspicious-document00012.txt")
    ('second', 'first')
    """
    number = int(re.sub(r"\D", "", name) or 0)
    return next(half for half, rest in HALVES.items() if number % 2 == rest)


def described(folder: Path, texts: str = "**/*.txt") -> dict[str, Any]:
    """Return a corpus' name, and the number and bytes of its texts, for the figures that are measured on it."""
    sizes = [path.stat().st_size for path in folder.glob(texts) if path.is_file()]
    return {"name": folder.resolve().name, "documents": len(sizes), "bytes": sum(sizes)}


def read(path: Path) -> str:
    """Return a text as it is: line ends untranslated, since annotations count them.

    What is not UTF-8 is read as Windows' Western letters, or else as Latin-1: one code point a byte.
    """
    raw = path.read_bytes()
    for encoding in ("utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def pan13_pairs(folder: Path) -> list[tuple[str, str]]:
    """Return the pairs of one kind: names of a suspicious document and of a source."""
    lines = (folder / "pairs").read_text(encoding="utf-8").splitlines()
    return [(line.split()[0], line.split()[1]) for line in lines if line.strip()]
