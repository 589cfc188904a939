"""The keyed sample of a text under a site key: a winnowed sample of its grams, with their places.

A *gram* is 40 letters and digits in a row, folded, with any characters between them. So a text may be wrapped,
hyphenated or cut into words in any way: its grams stay the same. Letters of different scripts that look alike are one
letter. A letter of a script written without spaces counts as three, as everywhere in a leak check.

Of every 22 grams in a row the gram with the least keyed hash is kept: one in 11.5 of all grams. So 171 equal letters in
a row give two texts at least `RUN` equal hashes in a row, whatever the text around them: they have 132 grams, which is
six times 22.

Grams that say little are left out, in documents and in queries. Most letters of such a gram repeat one of the four
letters before, as in rows of zeros and flags. Many texts share them by chance, and they are quickly guessed.

Source:
    Schleimer, Wilkerson & Aiken 2003, Winnowing: Local Algorithms for Document Fingerprinting, section 3.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.params import FOLD_VERSION
from pmbf.base.span import Span
from pmbf.kernels import alike
from pmbf.store.sitekey import SiteKey
from pmbf.text import SINGLE_CHARS, utf8

GRAM_LETTERS = 40
WINDOW = 22
RUN = 6
"""Distinct hashes in a row that a text must share with a row of the filter."""

WEAK_RUN, NEAR = 3, 24
"""Beside a run, at most 24 hashes away, 3 hashes in a row are enough: by chance, once in 20,000 runs."""

LAG, MOST_REPEATED = 4, 28
"""A gram says little if more than 28 of its 36 letters, from the fifth on, are among the four letters before them. In
English a quarter are, in random digits a third, in zeros and ones nearly all."""

RULES = f"{FOLD_VERSION} {alike()} {GRAM_LETTERS} {SINGLE_CHARS} {WINDOW} {LAG} {MOST_REPEATED}"
"""The rules that make samples comparable; part of an endpoint filter's header."""

_NEVER = np.uint64(0xFFFFFFFFFFFFFFFF)
_BLOCK = 1 << 16
"""Grams that are hashed together, so that their arrays stay in the cache."""

Codes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class KeyedSample:
    """The sampled grams of a text, in text order.

    Args:
        hashes: `(n,) uint32`, keyed.
        first: `(n,) intp`, the first letter of each gram.
        letters: `(n_letters,) uint32`, of the text, folded.
        places: `(n_letters,) uint32`, the code point of the text that each letter comes from.

    A letter of a script without spaces stands in `letters` three times: the second and the third are numbers that no
    letter has, so that they are no repetition.
    """

    hashes: NDArray[np.uint32]
    first: NDArray[np.intp]
    letters: Codes
    places: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.hashes)

    def bounds(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return where the characters of each gram begin and end, `(n,) uint32` each."""
        return self.places[self.first], self.places[self.first + (GRAM_LETTERS - 1)] + np.uint32(1)

    def span_around(self, start: int, stop: int) -> Span:
        """Return the longest span that two texts can share around a run `[start, stop)` of equal hashes.

        Shared letters may continue beyond a run, but for less than `WINDOW` grams: one of these grams would have been
        sampled in both texts. Grams that say little are never sampled; up to 40 of them in a row are taken for shared.
        """
        first, last = int(self.first[start]), int(self.first[stop - 1])
        before = _n_first(says_little(self.letters[max(0, first - GRAM_LETTERS) : first + GRAM_LETTERS - 1])[::-1])
        after = _n_first(says_little(self.letters[last + 1 : last + 2 * GRAM_LETTERS]))
        begin = max(0, first - max(WINDOW - 1, before))
        end = last + GRAM_LETTERS - 1 + max(WINDOW - 1, after)
        return Span(int(self.places[begin]), int(self.places[min(len(self.letters) - 1, end)]) + 1)


def keyed_sample(text: str, key: SiteKey) -> KeyedSample:
    """Return the sample of a text; lone surrogates count as U+FFFD.

    >>> words = "The quick brown fox jumps over the lazy dog while seven wizards watch from a distant hill."
    >>> starts, stops = keyed_sample(words, SiteKey(bytes(16))).bounds()
    >>> words[starts[0] : stops[0]]
    's over the lazy dog while seven wizards watch fro'
    >>> len(keyed_sample("Flags: 0000 0000 0000 0001 1000 0000 0000 0000 0000 0000.", SiteKey(bytes(16))))
    0
    """
    letters, places = letters_of(text)
    hashes, first = [np.empty(0, np.uint32)], [np.empty(0, np.intp)]
    last = -1
    for start in range(0, max(1, len(letters) - GRAM_LETTERS - WINDOW + 2), _BLOCK):
        # Windows that begin in the block; its last ones reach beyond it.
        found = gram_hashes(letters[start : start + _BLOCK + GRAM_LETTERS + WINDOW - 2], key)
        kept = winnowed(found, WINDOW)
        kept = kept[(found[kept] != _NEVER) & (kept + start > last)]
        if len(kept):
            last = int(kept[-1]) + start
        hashes.append((found[kept] >> np.uint64(32)).astype(np.uint32))
        first.append(kept + start)
    return KeyedSample(np.concatenate(hashes), np.concatenate(first), letters, places)


def gram_hashes(letters: Codes, key: SiteKey) -> NDArray[np.uint64]:
    """Return the keyed hash of each gram, all ones if it says little: `(n_letters - GRAM_LETTERS + 1,) uint64`.

    The number of a gram is a polynomial of its letters in a secret odd number, modulo 2^64. This number is hashed.
    """
    n_grams = max(0, len(letters) - GRAM_LETTERS + 1)
    powers, inverse = _powers(int.from_bytes(key.derived("base", 8), "little") | 1, 1 << len(letters).bit_length())
    sums = np.append(np.uint64(0), np.cumsum(letters * powers[: len(letters)], dtype=np.uint64))
    numbers = (sums[GRAM_LETTERS:] - sums[:n_grams]) * inverse[:n_grams]
    hashes = kernels.siphash_windows(numbers, width=1, key=key.words)
    hashes[says_little(letters)] = _NEVER
    return hashes


def says_little(letters: Codes) -> NDArray[np.bool_]:
    """Return which grams say little, `(n_letters - GRAM_LETTERS + 1,) bool`.

    >>> says_little(np.array([5, 5, 7, 7] * 10)), says_little(np.arange(40))
    (array([ True]), array([False]))
    """
    repeats = np.zeros(len(letters), np.bool_)
    for lag in range(1, LAG + 1):
        repeats[lag:] |= letters[lag:] == letters[:-lag]
    n_before = np.append(0, np.cumsum(repeats, dtype=np.int64))
    little: NDArray[np.bool_] = n_before[GRAM_LETTERS:] - n_before[LAG : LAG - GRAM_LETTERS] > MOST_REPEATED
    return little


@lru_cache(maxsize=32)
def _powers(base: int, n: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the powers of an odd number and of its inverse, from exponent 0 on, modulo 2^64."""
    factors = [np.full(n, one, np.uint64) for one in (base, pow(base, -1, 1 << 64))]
    for one in factors:
        one[:1] = 1
    powers, inverse = (np.cumprod(one, dtype=np.uint64) for one in factors)
    return powers, inverse


def letters_of(text: str) -> tuple[Codes, NDArray[np.uint32]]:
    """Return the letters of a text and their places, as `KeyedSample` has them."""
    encoded = utf8(text)
    folded, tokens = kernels.fold(encoded), kernels.tokenise(encoded)
    codes, places = np.frombuffer(folded.text.encode("utf-32-le"), np.uint32), folded.origin[:-1]
    is_letter = codes != ord(" ")
    codes, places = _canonical()[codes[is_letter]], places[is_letter]
    singles = np.searchsorted(places, tokens.starts[tokens.singles])
    if not len(singles):
        return codes, places
    times = np.ones(len(codes), np.intp)
    times[singles] = SINGLE_CHARS
    number = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    return np.repeat(codes, times) | (number.astype(np.uint32) << 21), np.repeat(places, times)


@lru_cache(maxsize=1)
def _canonical() -> Codes:
    """Return the letter that each folded letter stands for: the first of its group of look-alikes."""
    codes = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    for group in alike():
        codes[[ord(one) for one in group]] = ord(group[0])
    return codes


def _n_first(flags: NDArray[np.bool_]) -> int:
    """Return how many flags at the beginning are set in a row."""
    return len(flags) if flags.all() else int(np.argmin(flags))


def winnowed(hashes: NDArray[np.uint64], window: int) -> NDArray[np.intp]:
    """Return where the least hash of each window is (the last of equal ones), ascending, each place once.

    Fewer hashes than a window has are one window.
    """
    best = least(hashes, max(1, min(window, len(hashes))))
    is_new = np.append(True, best[1:] != best[:-1])[: len(best)]
    kept: NDArray[np.intp] = best[is_new]
    return kept


def least(hashes: NDArray[np.uint64], window: int) -> NDArray[np.intp]:
    """Return where the least hash of each window is, the last of equal ones, `(n - window + 1,) intp`.

    >>> least(np.array([5, 3, 8, 3, 9], np.uint64), 3)
    array([1, 3, 3])
    """
    best, lowest, have = np.arange(len(hashes)), hashes, 1
    while have < window:
        step = min(have, window - have)
        is_later = lowest[step:] <= lowest[:-step]
        best = np.where(is_later, best[step:], best[:-step])
        lowest = np.minimum(lowest[step:], lowest[:-step])
        have += step
    return best
