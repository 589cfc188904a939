"""What is looked up of a text under a site key: a winnowed sample of its shingles, with their places.

A shingle is eight tokens; where words are written without spaces, sixteen letters. Of every four shingles in a row the
one with the least keyed hash is kept. So 31 equal words in a row give two texts at least `RUN` equal hashes in a row,
whatever stands around them: 31 words have 24 shingles, those have 21 windows of four, and a hash is the least of at
most four of these.

Shingles that say little are left out on both sides: those of digits and short words, which many texts have by chance
and which are quickly guessed.

Source:
    Schleimer, Wilkerson & Aiken 2003, Winnowing: Local Algorithms for Document Fingerprinting, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.endpoint.sitekey import SiteKey
from pmbf.kernels import Tokens
from pmbf.params import FOLD_VERSION
from pmbf.report import Span
from pmbf.text import utf8

SHINGLE_TOKENS = 8
WINDOW = 4
RUN = 6
"""Distinct hashes in a row that a text must share with a row of the filter."""

WEAK_RUN, NEAR = 3, 24
"""Beside such a run, so many hashes away at most, so many in a row are enough: by chance, once in 20,000 runs."""

MOST_BEYOND = SHINGLE_TOKENS

LEAST_LETTERS = 20
"""Of a shingle, in words of at least `WORD_LETTERS`; running English has some 36, and two bits each (Shannon 1951)."""
WORD_LETTERS = 3

RULES = f"{FOLD_VERSION} {SHINGLE_TOKENS} {WINDOW} {LEAST_LETTERS} {WORD_LETTERS}"
"""What makes samples comparable; part of an endpoint filter's header."""

_NEVER = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True, eq=False)
class KeyedSample:
    """The sampled shingles of a text, in text order.

    Args:
        hashes: `(n,) uint32`, keyed.
        first: `(n,) intp`, the first token of each shingle.
        last: `(n,) intp`, its last token.
        tokens: Of the text.
        silent: `(n_tokens,) bool`, whether the shingle that begins at a token says too little to be sampled.
    """

    hashes: NDArray[np.uint32]
    first: NDArray[np.intp]
    last: NDArray[np.intp]
    tokens: Tokens
    silent: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.hashes)

    def span(self, start: int, stop: int) -> Span:
        """Return the characters of the shingles `[start, stop)`."""
        return self._characters(int(self.first[start]), int(self.last[stop - 1]))

    def span_around(self, start: int, stop: int) -> Span:
        """Return the most that two texts can share around a run `[start, stop)` of equal hashes.

        Shared words may go on beyond a run, not for `WINDOW` shingles: one of these would have been sampled in both,
        but for those that are never sampled. Of such ones up to `MOST_BEYOND` in a row are taken for shared.
        """
        first, last, begin = int(self.first[start]), int(self.last[stop - 1]), int(self.first[stop - 1]) + 1
        before = _n_first(self.silent[max(0, first - MOST_BEYOND) : first][::-1])
        after = _n_first(self.silent[begin : begin + MOST_BEYOND])
        return self._characters(
            max(0, first - max(WINDOW - 1, before)), min(len(self.tokens) - 1, last + max(WINDOW - 1, after))
        )

    def _characters(self, first: int, last: int) -> Span:
        return Span(int(self.tokens.starts[first]), int(self.tokens.stops[last]))


def keyed_sample(text: str, key: SiteKey) -> KeyedSample:
    """Return the sample of a text; lone surrogates count as U+FFFD.

    >>> words = "The quick brown fox jumps over the lazy dog while seven wizards watch from a distant hill."
    >>> sample = keyed_sample(words, SiteKey(bytes(16)))
    >>> words[sample.span(0, 1).start : sample.span(0, 1).stop]
    'brown fox jumps over the lazy dog while'
    >>> len(keyed_sample("On 12. 3. 2021 or 14. 5. 2022, at 10:30 or at 11:45 or so.", SiteKey(bytes(16))))
    0
    """
    encoded = utf8(text)
    tokens = kernels.tokenise(encoded)
    lengths = np.where(tokens.singles, 2 * SHINGLE_TOKENS, SHINGLE_TOKENS)
    first = np.flatnonzero(np.arange(len(tokens)) + lengths <= len(tokens))
    last = first + lengths[first] - 1
    hashes = _shingle_hashes(tokens, key)[first]
    letters = np.append(0, np.cumsum(_weights(encoded, tokens)))
    silent = np.zeros(len(tokens), np.bool_)
    silent[first] = letters[last + 1] - letters[first] < LEAST_LETTERS
    hashes[silent[first]] = _NEVER
    kept = winnowed(hashes, WINDOW)
    kept = kept[hashes[kept] != _NEVER]
    return KeyedSample((hashes[kept] >> np.uint64(32)).astype(np.uint32), first[kept], last[kept], tokens, silent)


def _n_first(flags: NDArray[np.bool_]) -> int:
    """Return how many of the first are set, in a row."""
    return len(flags) if flags.all() else int(np.argmin(flags))


def _shingle_hashes(tokens: Tokens, key: SiteKey) -> NDArray[np.uint64]:
    """Return the hash of the shingle that begins at each token, 0 where the text ends before it does."""
    hashes = np.zeros(len(tokens), np.uint64)
    short = kernels.siphash_windows(tokens.hashes, width=SHINGLE_TOKENS, key=key.words)
    hashes[: len(short)] = short
    if tokens.singles.any():
        long = kernels.siphash_windows(tokens.hashes, width=2 * SHINGLE_TOKENS, key=key.words)
        np.copyto(hashes[: len(long)], long, where=tokens.singles[: len(long)])
    return hashes


def _weights(encoded: bytes, tokens: Tokens) -> NDArray[np.int64]:
    """Return the folded letters of each token, 0 for short ones; a token that is one letter is as good as three."""
    folded = kernels.fold(encoded)
    codes = np.frombuffer(folded.text.encode("utf-32-le"), "<u4")
    kinds, which = np.unique(codes, return_inverse=True)
    is_letter = np.array([chr(code).isalpha() for code in kinds.tolist()], np.bool_)[which]
    before = np.append(0, np.cumsum(is_letter))
    bounds = np.searchsorted(folded.origin[:-1], np.stack([tokens.starts, tokens.stops]))
    letters: NDArray[np.int64] = before[bounds[1]] - before[bounds[0]]
    letters[letters < WORD_LETTERS] = 0
    letters[tokens.singles] = WORD_LETTERS
    return letters


def winnowed(hashes: NDArray[np.uint64], window: int) -> NDArray[np.intp]:
    """Return where the least of so many hashes in a row is, the last of equal ones, ascending, each place once.

    Args:
        hashes: `(n,) uint64`.
        window: How many, at least 1; fewer where there are fewer.
    """
    width = max(1, min(window, len(hashes)))
    best = np.arange(len(hashes) - width + 1)
    for ahead in range(1, width):
        rival = np.arange(ahead, ahead + len(best))
        best = np.where(hashes[rival] <= hashes[best], rival, best)
    is_new = np.append(True, best[1:] != best[:-1])[: len(best)]
    kept: NDArray[np.intp] = best[is_new]
    return kept
