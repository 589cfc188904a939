"""Runs of words and rare words that a folder's documents share with some texts, counted without pmbf."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

WORD = re.compile(r"\w+")
GRAM_WORDS = 6
STRETCH_WORDS = 8
"""A document with 8 words in a row of a passage counts as a source, whether the passage was copied from it or not."""

RARE_DOCUMENTS = 20
"""A word is rare if it stands in at most 20 documents, and in at most one document in a hundred."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_TABLE_BITS = 24


class Overlap:
    """The runs of six words and the rare words that texts share with documents. Each document is read once.

    Args:
        paths: The documents.
        texts: All texts that will be asked about.
    """

    def __init__(self, paths: Iterable[Path], texts: Sequence[str]) -> None:
        words = [word_hashes(text) for text in texts]
        runs, known = Wanted(grams(some) for some in words), Wanted(words)
        run_counts = np.zeros(len(runs.hashes), np.int64)
        pairs, number = [np.empty((0, 2), np.uint32)], -1
        for number, path in enumerate(paths):
            document = word_hashes(read_words(path))
            run_counts[runs.places(grams(document))] += 1
            places = known.places(document)
            pairs.append(np.column_stack([places, np.full(len(places), number)]).astype(np.uint32))
        self._runs, self._run_counts, self._known = runs, run_counts, known
        stands = np.concatenate(pairs)
        stands = stands[
            np.bincount(stands[:, 0], minlength=1)[stands[:, 0]] <= min(RARE_DOCUMENTS, (number + 1) // 100)
        ]
        order = np.argsort(stands[:, 0], kind="stable")
        self._documents = stands[order, 1]
        self._bounds = np.searchsorted(stands[order, 0], np.arange(len(known.hashes) + 1))

    def n_documents(self, text: str) -> NDArray[np.int64]:
        """Return the number of documents with each run of six words of a text, `(max(0, n_words - 5),) int64`."""
        return self._run_counts[np.searchsorted(self._runs.hashes, grams(word_hashes(text)))]

    def closest(self, text: str, *, but: int = -1) -> tuple[int, int]:
        """Return the most rare words of a text that one document has, and how many stand in any document.

        Args:
            text: One of the texts, or part of one.
            but: Number of a document that is left out.
        """
        places = self._known.places(word_hashes(text))
        spans = [self._documents[self._bounds[place] : self._bounds[place + 1]] for place in places.tolist()]
        spans = [span for span in spans if len(span)]
        documents = np.concatenate([np.empty(0, np.uint32), *spans])
        documents = documents[documents != but]
        return (int(np.unique(documents, return_counts=True)[1].max()) if len(documents) else 0), len(spans)


class Wanted:
    """Hashes that are looked for, ascending and distinct, and a table that rules out most other hashes."""

    def __init__(self, parts: Iterable[Hashes]) -> None:
        self.hashes = np.unique(np.concatenate([np.empty(0, np.uint64), *parts]))
        self._table = np.zeros(1 << _TABLE_BITS, np.bool_)
        self._mask = np.uint64(len(self._table) - 1)
        self._table[self.hashes & self._mask] = True

    def places(self, some: Hashes) -> NDArray[np.intp]:
        """Return the places of wanted hashes: numbers in the ascending list, ascending, each once."""
        some = np.unique(some[self._table[some & self._mask]])
        places = np.searchsorted(self.hashes, some)
        known = self.hashes[np.minimum(places, len(self.hashes) - 1)] == some
        return np.asarray(places[known])


def holds_stretch(path: Path, text: str) -> bool:
    """Return whether a document has `STRETCH_WORDS` words of a text in a row."""
    stretches = grams(word_hashes(text), STRETCH_WORDS)
    return bool(np.isin(stretches, grams(word_hashes(read_words(path)), STRETCH_WORDS)).any())


def read_words(path: Path) -> str:
    """Return the text of a file. Bytes that are not UTF-8 become U+FFFD."""
    return path.read_bytes().decode("utf-8", errors="replace")


def word_hashes(text: str) -> Hashes:
    """Return a hash of each word of a text, lower-cased, `(n_words,) uint64`.

    >>> len(word_hashes("No man is an island"))
    5
    """
    words = WORD.findall(text.lower())
    return np.fromiter(map(crc32, map(str.encode, words)), np.uint64, len(words))


def grams(hashes: Hashes, n_words: int = GRAM_WORDS) -> Hashes:
    """Return a hash of each run of `n_words` words, `(max(0, n - n_words + 1),) uint64`.

    >>> len(grams(word_hashes("No man is an island"), 4))
    2
    """
    n = max(0, len(hashes) - n_words + 1)
    sums = np.zeros(n, np.uint64)
    for place in range(n_words):
        sums = sums * _MULTIPLIER + hashes[place : place + n]
    # The low bits of a product do not depend on the high bits of its factors.
    sums ^= sums >> np.uint64(32)
    sums *= np.uint64(0xD6E8FEB86659FD93)
    return sums ^ (sums >> np.uint64(32))
