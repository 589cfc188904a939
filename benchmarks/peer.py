"""What a program compared on real text is asked for, and the shingles of those that take hashes.

A peer takes files and answers a text with `(key, score)` pairs, best first; `number` says which file a key stands for.
Peers that take hashed shingles get shingles of five words, hashed with NumPy, which is faster than the loops of their
own examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from measure.overlap import grams, word_hashes

Answer = list[tuple[int, float]]
SHINGLE_WORDS = 5
CHUNK_WORDS, CHUNK_STEP = 100, 50


class Peer(Protocol):
    """A method that finds the documents a text shares passages with.

    Args:
        folder: Where the peer may keep files.
    """

    def __init__(self, folder: Path) -> None: ...

    def load(self, paths: Sequence[Path]) -> None:
        """Read the files and make them searchable."""

    def saved_bytes(self) -> int:
        """Return the bytes that it needs on disk for searching; 0 if it cannot be saved."""

    def ask(self, text: str) -> Answer:
        """Return keys of documents with their scores, best first."""

    def number(self, key: int) -> int:
        """Return which of the loaded paths a key stands for."""


class Numbered:
    """A peer whose keys are the numbers of the paths."""

    def number(self, key: int) -> int:
        """Return the key."""
        return key


def shingles(text: str) -> NDArray[np.uint64]:
    """Return the hashes of a text's shingles, ascending, each once. A text of few words is one shingle."""
    words = word_hashes(text)
    return np.unique(grams(words, min(SHINGLE_WORDS, max(1, len(words)))))


def chunks(text: str) -> Iterator[NDArray[np.uint64]]:
    """Yield the hashes of the shingles of each chunk of a text. The last chunk may be half as long."""
    words = word_hashes(text)
    all_shingles = grams(words, min(SHINGLE_WORDS, max(1, len(words))))
    for start in range(0, max(1, len(words) - CHUNK_WORDS + CHUNK_STEP), CHUNK_STEP):
        yield np.unique(all_shingles[start : start + CHUNK_WORDS - SHINGLE_WORDS + 1])


def ranked(scores: dict[int, float]) -> Answer:
    """Return the keys with their scores, best first."""
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))
