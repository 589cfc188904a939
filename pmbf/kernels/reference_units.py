"""The units of a text and their keys: the NumPy reference of the C kernel."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.reference_hash import fmix64
from pmbf.kernels.reference_text import decoded, tokenise
from pmbf.kernels.reference_words import PARAGRAPH, PLAIN, SENTENCE, borders, sentence_starts
from pmbf.kernels.types import Tokens
from pmbf.kernels.unit_rules import (
    CODES,
    GROUP_BITS,
    HAN_COLUMNS,
    HANGUL_COLUMNS,
    HIGH_COLUMNS,
    LEAST_COLUMNS,
    MOST_COLUMNS,
    N_MINIMA,
    SHORT_COLUMNS,
    UNIT_SHINGLE,
    Units,
    require_code,
)

__all__ = ["units"]

_HAN = ((0x3400, 0xA000), (0xF900, 0xFB00), (0x20000, 0x40000))
_HANGUL = ((0xAC00, 0xD7A4),)
_THAI = 0x0E
"""Upper byte of the letters of Thai and Lao, U+0E00 to U+0EFF."""
_GOING_ON = np.array([0x0E2F, 0x0E46, 0x0EAF, 0x0EC6], np.uint32)
"""Marks with blanks around them inside a sentence: two repeat a word, two leave a part of it out."""
_LENGTH = np.uint64(0x9E3779B97F4A7C15)
_STEPS = fmix64(np.arange(1, N_MINIMA + 1, dtype=np.uint64)) | np.uint64(1)

Keys = NDArray[np.uint64]


def units(utf8: bytes, *, code: str = "words", from_each: bool = False) -> Units:
    """Return the sentences of a text, and its units with their keys.

    Threads may call it side by side: the native twin works without the interpreter's lock.

    Args:
        utf8: The text.
        code: One of `CODES`.
        from_each: Whether a unit begins at each sentence. Otherwise each begins where the one before ends.

    Raises:
        ParameterError: The bytes are not valid UTF-8, or there is no such code.

    Source:
        Jiang, section 2.1: paragraphs are cut into "sentences" of some 150 characters; short ones are passed over.

    >>> found = units(b"Nobody knows. " * 20 + b"\\n\\nThe end.")
    >>> len(found.sentences), found.spans.tolist(), found.keys.shape
    (21, [[0, 110], [112, 222], [224, 278]], (3, 10))
    """
    require_code(code)
    text, tokens = decoded(utf8), tokenise(utf8)
    before = _with_clauses(borders(text, tokens), text, tokens)
    layout = _Layout(text, tokens, np.append(sentence_starts(before), len(tokens)).tolist())
    paragraphs = np.append(np.flatnonzero(before[:-1] == PARAGRAPH), len(tokens)).tolist()
    pieces = [piece for first, end in pairwise(paragraphs) for piece in layout.units(first, end, from_each)]
    sentences = list(pairwise(layout.sentences))
    keys = _paper_keys(tokens, pieces) if code == "paper" else _word_keys(tokens, pieces)
    return Units(_spans(tokens, sentences), _spans(tokens, pieces), keys.reshape(-1, CODES[code]), len(text))


def _with_clauses(before: NDArray[np.uint8], text: str, tokens: Tokens) -> NDArray[np.uint8]:
    """Return the borders of a text in which blanks between letters of Thai or Lao end a sentence, too."""
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    starts, stops = tokens.starts[1:].astype(np.intp), tokens.stops[:-1].astype(np.intp)
    blanks = np.append(0, np.cumsum((codes == ord(" ")) | (codes == ord("\t"))))
    last, first = codes[np.maximum(stops, 1) - 1], codes[starts]
    ends = (starts > stops) & (blanks[starts] - blanks[stops] == starts - stops) & (before[1:-1] == PLAIN)
    ends &= (last >> 8 == _THAI) & (first >> 8 == _THAI) & ~np.isin(last, _GOING_ON) & ~np.isin(first, _GOING_ON)
    found = before.copy()
    found[1:-1][ends] = SENTENCE
    return found


class _Layout:
    """Where the sentences of a text end, and how wide its tokens are.

    Args:
        text: The text.
        tokens: Its tokens.
        sentences: The first token of each sentence, ascending, and the number of tokens.
    """

    def __init__(self, text: str, tokens: Tokens, sentences: list[int]) -> None:
        self.sentences = sentences
        self._heads = frozenset(sentences)
        self._sentence = np.repeat(sentences[1:], np.diff(sentences)).tolist()
        self._starts, self._stops = tokens.starts.tolist(), tokens.stops.tolist()
        self._more = _more_columns(text, tokens)

    def units(self, first: int, end: int, from_each: bool) -> Iterator[tuple[int, int]]:
        """Yield the units of a paragraph, `[first, end)`, each as its first token and the token behind its last."""
        if not from_each:
            yield from self._chain(first, end, whole=True)
            return
        while first < end:
            yield from self._chain(first, end, whole=False)
            first = self._sentence[first]

    def _chain(self, first: int, end: int, *, whole: bool) -> Iterator[tuple[int, int]]:
        """Yield units one behind the other, up to the end of the paragraph, or else of a sentence."""
        while first < end and self._width(first, end) >= SHORT_COLUMNS:
            stop = self._stop(first, end)
            yield first, stop
            if not whole and stop in self._heads:
                return
            first = stop

    def _stop(self, first: int, end: int) -> int:
        stop = first
        while stop < end and self._width(first, stop) < LEAST_COLUMNS:
            following = self._sentence[stop]
            if self._width(first, following) > MOST_COLUMNS:
                stop = self._cut(first, stop, following)
                break
            stop = following
        return end if self._width(stop, end) < SHORT_COLUMNS else stop

    def _cut(self, first: int, at: int, stop: int) -> int:
        last, gap = max(at, first + 1), 0
        for token in range(last, stop):
            width = self._width(first, token)
            if width > HIGH_COLUMNS:
                break
            last = token
            if self._starts[token] > self._stops[token - 1] and width >= LEAST_COLUMNS:
                gap = token
        return gap or last

    def _width(self, first: int, stop: int) -> int:
        if stop <= first:
            return 0
        return int(self._stops[stop - 1] - self._starts[first] + self._more[stop] - self._more[first])


def _more_columns(text: str, tokens: Tokens) -> list[int]:
    """Return the columns of all tokens before each that are beyond one a letter."""
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    more = np.zeros(len(codes) + 1, np.int64)
    for ranges, columns in ((_HAN, HAN_COLUMNS), (_HANGUL, HANGUL_COLUMNS)):
        for low, high in ranges:
            more[1:][(codes >= low) & (codes < high)] = columns - 1
    sums = np.cumsum(more)
    return [0, *np.cumsum(sums[tokens.stops] - sums[tokens.starts]).tolist()]


def _spans(tokens: Tokens, pieces: list[tuple[int, int]]) -> NDArray[np.uint32]:
    places = np.array(pieces, np.int64).reshape(-1, 2)
    return np.stack([tokens.starts[places[:, 0]], tokens.stops[places[:, 1] - 1]], axis=1)


def _word_keys(tokens: Tokens, pieces: list[tuple[int, int]]) -> Keys:
    """Return the smallest hashes of the shingles of each unit, mixed."""
    mixed = fmix64(tokens.hashes)
    sums = np.append(np.uint64(0), np.cumsum(mixed, dtype=np.uint64))
    lengths = np.where(tokens.singles, 2 * UNIT_SHINGLE, UNIT_SHINGLE)
    behind = np.arange(len(mixed)) + lengths
    values = fmix64(sums[np.minimum(behind, len(mixed))] - sums[:-1] + lengths.astype(np.uint64) * _LENGTH)
    keys = []
    for first, stop in pieces:
        whole = values[first:stop][behind[first:stop] <= stop]
        if not len(whole):  # too short: one shingle
            whole = fmix64(
                sums[stop : stop + 1] - sums[first : first + 1] + np.array([stop - first], np.uint64) * _LENGTH
            )
        keys.append(fmix64(_minima(whole, _STEPS[: CODES["words"]])))
    return np.array(keys, np.uint64)


def _paper_keys(tokens: Tokens, pieces: list[tuple[int, int]]) -> Keys:
    """Return one bit of each smallest hash of the words of each unit, 20 bits in a key behind the number of the key."""
    mixed, n_keys = fmix64(tokens.hashes), CODES["paper"]
    minima = [_minima(mixed[first:stop], _STEPS) for first, stop in pieces]
    bits = fmix64(np.array(minima, np.uint64).reshape(-1, n_keys, GROUP_BITS)) & np.uint64(1)
    groups = np.sum(bits << np.arange(GROUP_BITS, dtype=np.uint64), axis=2, dtype=np.uint64)
    numbers = np.arange(n_keys, dtype=np.uint64) << np.uint64(GROUP_BITS)
    return (numbers | groups) << np.uint64(64 - GROUP_BITS - 3)


def _minima(hashes: Keys, steps: Keys) -> Keys:
    return np.asarray((hashes[:, None] * steps).min(axis=0))
