"""Reading the corpora of the experiments. No corpus is part of the project."""

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
"""PAN's suspicious documents in two halves: even numbers, by which settings are chosen, and odd numbers."""


def half_of(name: str) -> str:
    """Return the half of a suspicious document of PAN, by the number in its name; the first half without a number.

    >>> half_of("suspicious-document00003.txt"), half_of("suspicious-document00012.txt")
    ('second', 'first')
    """
    number = int(re.sub(r"\D", "", name) or 0)
    return next(half for half, rest in HALVES.items() if number % 2 == rest)


def described(folder: Path, texts: str = "**/*.txt") -> dict[str, Any]:
    """Return the name of a corpus, and the number and bytes of its texts, to be kept with its figures."""
    sizes = [path.stat().st_size for path in folder.glob(texts) if path.is_file()]
    return {"name": folder.resolve().name, "documents": len(sizes), "bytes": sum(sizes)}


def read(path: Path) -> str:
    """Return a text with its line ends untranslated, since annotations count them.

    Bytes that are not UTF-8 are read as Windows-1252, or else as Latin-1: one code point per byte.
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
