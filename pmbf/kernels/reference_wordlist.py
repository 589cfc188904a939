"""The word list of a text: the reference of `native/text/wordlist.c`. The rules are docs/text.md, section 6."""

from __future__ import annotations

import struct
from bisect import bisect_left
from itertools import pairwise

from pmbf.kernels.reference_hash import LENGTH, MASK, fmix

WORD_LETTERS = 4
"""Folded letters that a word of the list has, at least."""

_NUMBERS_PER_WORD = 32
_MOST_RANGE = 1 << 32
_FULL_GAP = 255


def word_list(tokens: list[tuple[int, bool, int]], begins: list[int], edges: list[int]) -> bytes:
    """Return the word list of a text.

    Args:
        tokens: The hash of each token, whether it is a single letter, and its number of folded letters.
        begins: Where each begins in the text, ascending.
        edges: Where the parts begin and the last ends.
    """
    cuts = [bisect_left(begins, edge) for edge in edges]
    return b"".join(_list_of(_keys(tokens, start, stop)) for start, stop in pairwise(cuts))


def _keys(tokens: list[tuple[int, bool, int]], start: int, stop: int) -> list[int]:
    """Return the keys of the words that begin among some tokens: long words, and pairs of single letters."""
    keys = [fmix(value) >> 32 for value, single, n in tokens[start:stop] if n >= WORD_LETTERS and not single]
    for (one, is_one, _), (other, is_other, _) in pairwise(tokens[start : stop + 1]):
        if is_one and is_other:
            keys.append((fmix(one) * LENGTH + fmix(other) & MASK) >> 32)
    return keys


def _list_of(keys: list[int]) -> bytes:
    """Return the list of a part, whose words have these keys."""
    numbers_range = min(_NUMBERS_PER_WORD * len(keys), _MOST_RANGE)
    numbers = sorted({key * numbers_range >> 32 for key in keys})
    gaps = (number - before for before, number in pairwise([0, *numbers]))
    coded = b"".join(b"\xff" * (gap // _FULL_GAP) + bytes([gap % _FULL_GAP]) for gap in gaps)
    return struct.pack("<II", len(keys), len(numbers)) + coded
