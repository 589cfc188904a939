"""The units of a text and their keys: the reference of `native/sentences`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import sentence_rules as rules
from pmbf.kernels.reference_hash import MASK, fmix, shingle_hash
from pmbf.kernels.reference_text import decoded, tokenise
from pmbf.kernels.reference_words import PARAGRAPH, PLAIN, SENTENCE, borders, sentence_starts
from pmbf.kernels.sentence_rules import CODES, Units
from pmbf.kernels.types import Tokens

__all__ = ["units"]

_WIDE = (
    *((first, end, rules.HAN_COLUMNS) for first, end in ((0x3400, 0xA000), (0xF900, 0xFB00), (0x20000, 0x40000))),
    (0xAC00, 0xD7A4, rules.HANGUL_COLUMNS),
)
_THAI = range(0x0E00, 0x0F00)
"""The letters of Thai and Lao."""
_GOING_ON = (0x0E2F, 0x0E46, 0x0EAF, 0x0EC6)
"""Marks with blanks around them inside a sentence: two repeat a word, two leave a part of it out."""
_STEPS = [fmix(number) | 1 for number in range(1, rules.N_MINIMA + 1)]

Piece = tuple[int, int]
"""The first token of a part of a text, and the token behind its last."""


def units(utf8: bytes, *, code: str = "words", from_each: bool = False) -> Units:
    """Return the sentences of a text, and its units with their keys.

    Threads may call it side by side: the native twin works without the interpreter's lock.

    Args:
        utf8: The text.
        code: One of `CODES`.
        from_each: Whether a unit begins at each sentence. Otherwise each begins where the one before ends.

    Source:
        Jiang, section 2.1: paragraphs are cut into "sentences" of some 150 characters; short ones are passed over.

    >>> found = units(b"Nobody knows. " * 20 + b"\\n\\nThe end.")
    >>> len(found.sentences), found.spans.tolist(), found.keys.shape
    (21, [[0, 110], [112, 222], [224, 278]], (3, 10))
    """
    rules.require_code(code)
    text, tokens = decoded(utf8), tokenise(utf8)
    before = _with_clauses(borders(text, tokens), text, tokens)
    layout = _UnitLayout(text, tokens, [*sentence_starts(before), len(tokens)])
    paragraphs = [at for at, border in enumerate(before) if border == PARAGRAPH]
    pieces = [piece for first, end in pairwise(paragraphs) for piece in layout.units(first, end, from_each)]
    hashes, keys_of = tokens.hashes.tolist(), _paper_keys if code == "paper" else _word_keys
    keys = [keys_of(hashes, tokens.singles.tolist(), *piece) for piece in pieces]
    return Units(
        _spans(tokens, list(pairwise(layout.sentences))),
        _spans(tokens, pieces),
        np.array(keys, np.uint64).reshape(-1, CODES[code]),
        len(text),
    )


def _with_clauses(before: list[int], text: str, tokens: Tokens) -> list[int]:
    """Return the borders of a text in which blanks between letters of Thai or Lao end a sentence, too."""
    found, starts, stops = list(before), tokens.starts.tolist(), tokens.stops.tolist()
    for at in range(1, len(tokens)):
        blanks = text[stops[at - 1] : starts[at]]
        around = ord(text[stops[at - 1] - 1]), ord(text[starts[at]])
        is_thai = all(code in _THAI and code not in _GOING_ON for code in around)
        if blanks and not blanks.strip(" \t") and is_thai and before[at] == PLAIN:
            found[at] = SENTENCE
    return found


class _UnitLayout:
    """Where the sentences of a text end, and how wide its tokens are. `sentences` are the first tokens, and the end."""

    def __init__(self, text: str, tokens: Tokens, sentences: list[int]) -> None:
        self.sentences = sentences
        self._starts: list[int] = tokens.starts.tolist()
        self._stops: list[int] = tokens.stops.tolist()
        self._sentence_ends = [end for first, end in pairwise(sentences) for _ in range(first, end)]
        spelled = (text[start:stop] for start, stop in zip(self._starts, self._stops, strict=True))
        self._more = [0, *accumulate(sum(map(_more_columns, letters)) for letters in spelled)]

    def units(self, first: int, end: int, from_each: bool) -> Iterator[Piece]:
        """Yield the units of a paragraph, `[first, end)`."""
        if not from_each:
            yield from self._chain(first, end, whole=True)
            return
        while first < end:
            yield from self._chain(first, end, whole=False)
            first = self._sentence_ends[first]

    def _chain(self, first: int, end: int, *, whole: bool) -> Iterator[Piece]:
        """Yield units one behind the other, up to the end of the paragraph, or else of a sentence."""
        while first < end and self._width(first, end) >= rules.SHORT_COLUMNS:
            stop = self._stop(first, end)
            yield first, stop
            if not whole and stop == self._sentence_ends[stop - 1]:
                return
            first = stop

    def _stop(self, first: int, end: int) -> int:
        stop = first
        while stop < end and self._width(first, stop) < rules.LEAST_COLUMNS:
            following = self._sentence_ends[stop]
            if self._width(first, following) > rules.MOST_COLUMNS:
                stop = self._cut(first, stop, following)
                break
            stop = following
        return end if self._width(stop, end) < rules.SHORT_COLUMNS else stop

    def _cut(self, first: int, at: int, stop: int) -> int:
        last, gap = max(at, first + 1), 0
        for token in range(last, stop):
            width = self._width(first, token)
            if width > rules.HIGH_COLUMNS:
                break
            last = token
            if self._starts[token] > self._stops[token - 1] and width >= rules.LEAST_COLUMNS:
                gap = token
        return gap or last

    def _width(self, first: int, stop: int) -> int:
        if stop <= first:
            return 0
        return self._stops[stop - 1] - self._starts[first] + self._more[stop] - self._more[first]


def _more_columns(letter: str) -> int:
    """Return the columns of a letter beyond one."""
    return next((columns - 1 for first, end, columns in _WIDE if first <= ord(letter) < end), 0)


def _spans(tokens: Tokens, pieces: list[Piece]) -> NDArray[np.uint32]:
    places = [(tokens.starts[first], tokens.stops[stop - 1]) for first, stop in pieces]
    return np.array(places, np.uint32).reshape(-1, 2)


def _word_keys(hashes: list[int], singles: list[bool], first: int, stop: int) -> list[int]:
    """Return the smallest hashes of the shingles of a unit, mixed. A unit that is too short is one shingle."""
    shingles = []
    for at in range(first, stop):
        behind = at + rules.UNIT_SHINGLE * (2 if singles[at] else 1)
        if behind <= stop:
            shingles.append(shingle_hash(hashes[at:behind], ordered=False))
    shingles = shingles or [shingle_hash(hashes[first:stop], ordered=False)]
    return [fmix(_least(shingles, step)) for step in _STEPS[: CODES["words"]]]


def _paper_keys(hashes: list[int], singles: list[bool], first: int, stop: int) -> list[int]:
    """Return a bit of each smallest hash of the words of a unit, 20 bits in a key behind the number of the key."""
    words = list(map(fmix, hashes[first:stop]))
    bits = [fmix(_least(words, step)) & 1 for step in _STEPS]
    keys = []
    for number in range(CODES["paper"]):
        first = number * rules.GROUP_BITS
        group = sum(bit << at for at, bit in enumerate(bits[first : first + rules.GROUP_BITS]))
        keys.append((number << rules.GROUP_BITS | group) << 64 - rules.GROUP_BITS - 3)
    return keys


def _least(hashes: list[int], step: int) -> int:
    return min(value * step & MASK for value in hashes)
