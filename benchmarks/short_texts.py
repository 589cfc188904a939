"""Short texts: stretches of 200 words of the folder's documents, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

SHORT_WORDS = 200


def stretches(folder: Path, n: int) -> Iterator[list[str]]:
    """Yield the words of at most `n` texts."""
    left = n
    for text in texts_of(folder):
        words = text.decode().split()
        for start in range(0, len(words) - SHORT_WORDS + 1, SHORT_WORDS):
            if not left:
                return
            left -= 1
            yield words[start : start + SHORT_WORDS]


def texts_of(folder: Path) -> list[bytes]:
    """Return the .txt files below a folder."""
    return [path.read_bytes() for path in sorted(folder.rglob("*.txt"))]
