"""The words of a text as alignment sees them: the NumPy reference. The rules are docs/alignment.md, section 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Words
from pmbf.kernels.types import Folded, Tokens

KEY_LETTERS = 5
_LETTER_STEP, _TOKEN_STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SYLLABIC = 0x2E80

PLAIN, SENTENCE, SENTENCE_AND_LINE, PARAGRAPH, LINE = range(5)

_SPACES = np.array(
    [*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
)
_ENDS = np.array([ord(mark) for mark in ".!?։؟۔।။។…。！？"])

Codes = NDArray[np.uint32]
Keys = NDArray[np.uint64]


def words(utf8: bytes, folded: Folded, tokens: Tokens) -> Words:
    """Return the words of a text.

    Args:
        utf8: The original text, valid UTF-8.
        folded: The same folded.
        tokens: Its tokens.
    """
    keys, types = np.unique(_keys(folded, tokens), return_inverse=True)
    return Words(keys, types.astype(np.int32), _borders(_codes(utf8.decode()), tokens))


def classes(query: NDArray[np.uint64], source: NDArray[np.uint64]) -> tuple[NDArray[np.int32], int]:
    """Return the class of each of the source's keys, and how many classes there are.

    A key that the query has, too, has the class of its place there; others are numbered from `len(query)` on.

    Args:
        query: `(n_query,) uint64`, ascending and distinct.
        source: `(n_source,) uint64`, ascending and distinct.
    """
    place = np.searchsorted(query, source)
    is_new = np.append(query, np.uint64(0))[place] != source
    is_new |= place == len(query)
    found = np.where(is_new, len(query) + np.cumsum(is_new) - 1, place).astype(np.int32)
    return found, len(query) + int(is_new.sum())


def _keys(folded: Folded, tokens: Tokens) -> NDArray[np.uint64]:
    codes = np.append(_codes(folded.text), np.uint32(ord(" "))).astype(np.uint64)
    origin = folded.origin.astype(np.int64)
    at = np.searchsorted(folded.origin[:-1], tokens.starts)
    keys = np.zeros(len(tokens), np.uint64)
    inside = np.ones(len(tokens), np.bool_)
    last = len(codes) - 1
    for letter in range(KEY_LETTERS):
        place = np.minimum(at + letter, last)
        inside &= (codes[place] != ord(" ")) & (origin[place] < tokens.stops)
        keys = np.where(inside, (keys + codes[place]) * _LETTER_STEP, keys)
    return _mixed(_joined(keys, codes[np.minimum(at, last)], tokens.singles))


def _joined(keys: NDArray[np.uint64], first: Keys, singles: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Join the keys of single letters with those of the next ones: two for a word, of letters of an alphabet three."""
    joined, together = keys.copy(), singles.copy()
    for step in (1, 2):
        together[: len(keys) - step] &= singles[step:]
        together[max(0, len(keys) - step) :] = False
        if step == 2:
            together &= first < _SYLLABIC
        following = np.append(keys[step:], np.zeros(min(step, len(keys)), np.uint64))
        joined = np.where(together, joined * _TOKEN_STEP + following, joined)
    return joined


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of MurmurHash3."""
    keys = (keys ^ (keys >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    keys = (keys ^ (keys >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return keys ^ (keys >> np.uint64(33))


def _borders(codes: Codes, tokens: Tokens) -> NDArray[np.uint8]:
    """Return what stands in the gap before each token."""
    starts = tokens.starts.astype(np.intp)
    before = np.minimum(np.append(0, tokens.stops[:-1]), starts) if len(tokens) else starts
    marks = np.isin(codes, _ENDS)

    def held(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
        sums = np.append(0, np.cumsum(mask))
        counts: NDArray[np.intp] = sums[starts] - sums[before]
        return counts

    lines = held(codes == ord("\n"))
    sentence = (held(marks) > 0) & ((held(np.isin(codes, _SPACES)) > 0) | (held(marks & (codes > 0x3000)) > 0))
    borders = np.full(len(tokens) + 1, PARAGRAPH, np.uint8)
    borders[:-1] = np.where(sentence, SENTENCE, PLAIN)
    borders[:-1][lines > 0] = np.where(sentence, SENTENCE_AND_LINE, LINE)[lines > 0]
    borders[:-1][lines > 1] = PARAGRAPH
    borders[:1] = PARAGRAPH
    return borders


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)
