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
    """Return a UTF-8 text as it is: line ends untranslated, since annotations count them."""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def pan13_pairs(folder: Path) -> list[tuple[str, str]]:
    """Return the pairs of one kind: names of a suspicious document and of a source."""
    lines = (folder / "pairs").read_text(encoding="utf-8").splitlines()
    return [(line.split()[0], line.split()[1]) for line in lines if line.strip()]
