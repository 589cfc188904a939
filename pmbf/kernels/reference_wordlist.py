"""The word list of a text, written and read: the reference of `native/text/wordlist.c` and `native/postings/words.c`.

The rules are docs/text.md, section 6.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from pmbf.kernels.evident_rules import damaged_words
from pmbf.kernels.reference_hash import LENGTH, MASK, fmix

WORD_LETTERS = 4
"""Folded letters that a word of the list has, at least."""

_NUMBERS_PER_WORD = 32
_MOST_RANGE = 1 << 32
_FULL_GAP = 255
_HEAD = struct.Struct("<II")
_MOST_WORDS = 1 << 24


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
    keys = [word_key(value) for value, single, n in tokens[start:stop] if n >= WORD_LETTERS and not single]
    for (one, is_one, _), (other, is_other, _) in pairwise(tokens[start : stop + 1]):
        if is_one and is_other:
            keys.append(pair_key(one, other))
    return keys


def word_key(value: int) -> int:
    """Return the key of a word by its token's hash."""
    return fmix(value) >> 32


def pair_key(one: int, other: int) -> int:
    """Return the key of a pair of single letters by their hashes."""
    return (fmix(one) * LENGTH + fmix(other) & MASK) >> 32


def _list_of(keys: list[int]) -> bytes:
    """Return the list of a part, whose words have these keys."""
    numbers = sorted({number_in(key, len(keys)) for key in keys})
    gaps = (number - before for before, number in pairwise([0, *numbers]))
    coded = b"".join(b"\xff" * (gap // _FULL_GAP) + bytes([gap % _FULL_GAP]) for gap in gaps)
    return _HEAD.pack(len(keys), len(numbers)) + coded


def number_in(key: int, n_words: int) -> int:
    """Return the number of a word in the list of a part with so many words."""
    return key * min(_NUMBERS_PER_WORD * n_words, _MOST_RANGE) >> 32


def numbers_of_list(content: bytes) -> Iterator[tuple[int, set[int]]]:
    """Yield of each part of a word list its words, and the numbers that it has."""
    at = 0
    while at < len(content):
        if len(content) - at < _HEAD.size:
            raise damaged_words()
        n_words, n_distinct = _HEAD.unpack_from(content, at)
        if n_words > _MOST_WORDS or n_distinct > n_words:
            raise damaged_words()
        at, number, numbers = at + _HEAD.size, 0, set()
        for _ in range(n_distinct):
            while at < len(content) and content[at] == _FULL_GAP:
                at, number = at + 1, number + _FULL_GAP
            if at == len(content) or number + content[at] >= _NUMBERS_PER_WORD * n_words:
                raise damaged_words()
            at, number = at + 1, number + content[at]
            numbers.add(number)
        yield n_words, numbers
