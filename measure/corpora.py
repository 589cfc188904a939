"""Reading the corpora the experiments run on; none of them is part of the project."""

from __future__ import annotations

from pathlib import Path

PAN13_KINDS = {
    "02-no-obfuscation": "verbatim",
    "03-random-obfuscation": "random",
    "04-translation-obfuscation": "translated",
    "05-summary-obfuscation": "summarised",
}


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
