"""The text of the experiments' documents: stretches of real texts, each used once, or single words.

A text is a list of pieces. A piece is a word with the characters up to the next word. So `"".join(pieces)` is the text,
a slice of the list is a passage, and its length is the number of words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np

from measure.overlap import WORD, Hashes, grams, read_words, word_hashes
from pmbf.base.errors import ParameterError

LIBRARY = Path(__file__).parents[2] / "examples" / "library"
EDITED_WORDS = 0.08
"""Share of the words of an edited passage that are replaced, dropped or followed by a new word."""

PAN_SPREAD = 1.0475
"""Deviation of the logarithm of a length: with a mean of 38,000 words, 95 % of a log-normal lie below 123,000."""

_PIECE = re.compile(r"\w+\W*")
_LEAST_WORDS, _MOST_WORDS, _LONGEST_MEAN_WORD = 24, 200, 12
_TABLE_BITS = 26


class Texts(Protocol):
    """A source of texts."""

    def take(self, n_words: int) -> list[str]:
        """Return a text of `n_words` words, in pieces. Each call returns another text."""


def texts(corpus: Path | None, seed: int) -> Texts:
    """Return the texts of a folder; without a folder, made-up texts."""
    return MadeUp(seed) if corpus is None else Stretches(corpus, seed)


class MadeUp:
    """English words, drawn at random from the texts of `examples/`.

    >>> len(MadeUp(1).take(50))
    50
    """

    def __init__(self, seed: int) -> None:
        self._chosen = random.Random(seed)

    def take(self, n_words: int) -> list[str]:
        """Return `n_words` words, in pieces."""
        return self._chosen.choices(_words_of_examples(), k=n_words)


class Stretches:
    """Stretches of a folder's `.txt` files, in random order. No six words in a row stand in two stretches.

    A stretch is a paragraph, or 200 words of a paragraph. If six words in a row stood in an earlier stretch, then the
    stretch is left out, because it may be an edited copy. Texts written without spaces are left out, too. The table
    holds 2^26 runs. In very large corpora it may forget a run; it hardly forgets all runs of a paragraph.

    Args:
        folder: The folder, searched recursively.
        seed: Seed of the order.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._paths = sorted(folder.rglob("*.txt"))
        random.Random(seed).shuffle(self._paths)
        self._seen = np.zeros(1 << _TABLE_BITS, np.uint32)
        self._stretches = self._all()
        self._rest: list[str] = []
        self._n_taken = 0

    def take(self, n_words: int) -> list[str]:
        """Return a text of `n_words` words, in pieces: one stretch after another.

        Raises:
            ParameterError: The folder has too few words left.
        """
        pieces: list[str] = []
        while len(pieces) < n_words:
            stretch = self._rest or next(self._stretches, [])
            if not stretch:
                raise ParameterError(
                    f"{self._folder}: has {self._n_taken + len(pieces)} words that do not repeat, and more are needed; "
                    "take a larger corpus; with --full the most are needed"
                )
            wanted = n_words - len(pieces)
            pieces += stretch[:wanted]
            self._rest = stretch[wanted:]
        self._n_taken += n_words
        return pieces

    def _all(self) -> Iterator[list[str]]:
        for path in self._paths:
            for part in re.split(r"\n\s*\n", read_words(path)):
                yield from self._fresh(part)

    def _fresh(self, part: str) -> Iterator[list[str]]:
        """Yield the stretches of a paragraph that share no run with an earlier stretch."""
        pieces = _PIECE.findall(part)
        hashes = word_hashes(part)
        written_together = len(part) > (_LONGEST_MEAN_WORD + 2) * len(pieces)
        if len(pieces) != len(hashes) or written_together:
            return
        for start in range(0, len(pieces), _MOST_WORDS):
            stretch = pieces[start : start + _MOST_WORDS]
            if len(stretch) >= _LEAST_WORDS and self._is_new(grams(hashes[start : start + _MOST_WORDS])):
                yield [*stretch[:-1], stretch[-1].rstrip() + "\n\n"]

    def _is_new(self, runs: Hashes) -> bool:
        """Return whether all runs are new, and remember them."""
        slots, tags = runs & np.uint64(len(self._seen) - 1), (runs >> np.uint64(32)).astype(np.uint32)
        known = bool((self._seen[slots] == tags).any())
        self._seen[slots] = tags
        return not known


def edited(passage: list[str], chosen: random.Random) -> list[str]:
    """Return a passage with some words dropped, replaced by other words of the passage, or followed by one."""
    made: list[str] = []
    for piece in passage:
        if chosen.random() < EDITED_WORDS:
            other = chosen.choice(passage)
            made += chosen.choice([[other], [], [other, piece]])
        else:
            made.append(piece)
    return made


def lengths(n: int, mean: float, seed: int) -> list[int]:
    """Return lengths distributed as in the PAN 2009 corpus: log-normal, of the wanted mean, at least 200 words.

    >>> drawn = lengths(20_000, 38_000, seed=1)
    >>> 37_000 < sum(drawn) / 20_000 < 39_000, 116_000 < sorted(drawn)[19_000] < 130_000
    (True, True)
    """
    drawn = np.random.default_rng(seed).lognormal(np.log(mean) - PAN_SPREAD**2 / 2, PAN_SPREAD, n)
    return [max(200, round(length)) for length in drawn.tolist()]


@cache
def _words_of_examples() -> list[str]:
    found = [WORD.findall(path.read_text(encoding="utf-8")) for path in sorted(LIBRARY.glob("*.txt"))]
    return [f"{word} " for words in found for word in words if word.isascii()]
