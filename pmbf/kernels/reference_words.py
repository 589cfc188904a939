"""The words of a text as alignment sees them, and how rare they are. docs/alignment.md, section 1.

The reference of `native/align/{words,weigh}.c`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_SLIPS, NAT, PRIOR_UNIT, PRIOR_WORDS
from pmbf.kernels.asked import GUESS_PAGE_WORDS, PAGE_WORDS, Counts, WordTypes, n_like, on_pages
from pmbf.kernels.reference_hash import fmix
from pmbf.kernels.types import Folded, Tokens

KEY_LETTERS, NUMBER_LETTERS, LEAST_SLIPPED = 5, 12, 6
_LETTER_STEP, _TOKEN_STEP, _MASK = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, (1 << 64) - 1
_SYLLABIC = "\u2e80"
"""First of Han and Kana, two letters of which make a word; of letters below it three do."""

PLAIN, SENTENCE, SENTENCE_AND_LINE, PARAGRAPH, LINE = range(5)

_DIGITS = frozenset("0123456789")
_SPACES = frozenset(
    map(chr, [*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000])
)
_ENDS = frozenset(".!?։؟۔।။។…。！？")
_WIDE = "\u3000"
"""Marks behind it are full-width: they end a sentence without white space."""


@dataclass(frozen=True, eq=False)
class KeyedWords:
    """The words of a text as alignment sees them.

    Args:
        keys: `(n_types,) uint64`, distinct, ascending. All forms of a word have the same key; a key is a type.
        types: `(n,) int32`, the place of each word's key among the keys.
        slips: `(n_types, 7) uint64`, for each type the slips with the first, second … letter left out; 0 for none. Two
            words with a common slip differ by one slip of the pen.
        borders: What stands before each word and at the end of the text: 0 nothing, 1 the end of a sentence, 2 the end
            of a sentence and a line, 3 the end of a paragraph or the text, 4 the end of a line.
    """

    keys: NDArray[np.uint64]
    types: NDArray[np.int32]
    slips: NDArray[np.uint64]
    borders: list[int]


def words(utf8: bytes, folded: Folded, tokens: Tokens) -> KeyedWords:
    """Return the words of a text, given the text folded and its tokens."""
    firsts = _firsts(folded, tokens)
    keys = _keys(folded, tokens)
    first_tokens: dict[int, int] = {}
    for token, key in enumerate(keys):
        first_tokens.setdefault(key, token)
    names = sorted(first_tokens)
    numbers = {name: number for number, name in enumerate(names)}
    slips = [
        _slips(folded.text, firsts[token], bool(tokens.singles[token])) for _, token in sorted(first_tokens.items())
    ]
    return KeyedWords(
        np.array(names, np.uint64),
        np.array([numbers[key] for key in keys], np.int32),
        np.array(slips, np.uint64).reshape(-1, N_SLIPS),
        borders(utf8.decode(), tokens),
    )


def classes(query: KeyedWords, source: KeyedWords) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Return the class of each type of the query, of each type of the source, and the number of classes.

    Each type of the query has a class of its own. A type of the source has the class of the equal type of the query, or
    else a new class. A type without an equal takes the class of the first type of the other text that it shares a slip
    with. The types of the query do so before those of the source.
    """
    # Step 1: equal types have one class.
    n_query = n_classes = len(query.keys)
    numbers = {key: number for number, key in enumerate(query.keys.tolist())}
    ours, theirs = list(range(n_query)), []
    for key in source.keys.tolist():
        theirs.append(numbers.get(key, n_classes))
        n_classes += key not in numbers
    # Step 2: types without an equal look for a slip.
    equal, held = set(theirs), _first_holders(source)
    for kind in range(n_query):
        other = None if kind in equal else _similar(query, kind, held)
        if other is not None:
            ours[kind] = theirs[other]
    held = _first_holders(query)
    for kind, number in enumerate(theirs):
        other = None if number < n_query else _similar(source, kind, held)
        if other is not None and ours[other] < n_query:
            theirs[kind] = ours[other]
    return np.array(ours, np.int32), np.array(theirs, np.int32), n_classes


def _first_holders(words: KeyedWords) -> dict[int, int]:
    """Return for each slip the first type that has it."""
    held: dict[int, int] = {}
    for place, slip in enumerate(words.slips.ravel().tolist()):
        if slip:
            held.setdefault(slip, place // N_SLIPS)
    return held


def _similar(words: KeyedWords, kind: int, held: dict[int, int]) -> int | None:
    return next((held[slip] for slip in words.slips[kind].tolist() if slip in held), None)


def spell(folded: Folded, tokens: Tokens) -> tuple[str, NDArray[np.int64]]:
    """Return the folded text with one space between two words and no other separator, and where its tokens begin.

    The places are `(n + 1,) int64`: the last one is the end of the spelling.
    """
    firsts, singles = _firsts(folded, tokens), tokens.singles.tolist()
    spelling, offsets = list[str](), list[int]()
    before = ""
    for place, letter in enumerate(folded.text):
        while len(offsets) < len(firsts) and firsts[len(offsets)] <= place:
            offsets.append(len(spelling))
        following = len(offsets)
        between_words = 0 < following < len(firsts) and not singles[following - 1] and not singles[following]
        if letter != " " or (between_words and before != " "):
            spelling.append(letter)
        before = letter
    offsets += [len(spelling)] * (len(firsts) + 1 - len(offsets))
    return "".join(spelling), np.array(offsets, np.int64)


def _firsts(folded: Folded, tokens: Tokens) -> list[int]:
    """Return where each token begins in the folded text."""
    origin = folded.origin[:-1].tolist()
    return [bisect_left(origin, start) for start in tokens.starts.tolist()]


def spelled_tokens(folded: Folded, tokens: Tokens) -> list[str]:
    """Return the folded letters of each token."""
    origin = folded.origin[:-1].tolist()
    stops = [bisect_left(origin, stop) for stop in tokens.stops.tolist()]
    return [folded.text[first:stop] for first, stop in zip(_firsts(folded, tokens), stops, strict=True)]


def _keys(folded: Folded, tokens: Tokens) -> list[int]:
    """Return the key of each token. That of a single letter is made of the next single letters, too."""
    spelled, singles = spelled_tokens(folded, tokens), tokens.singles.tolist()
    alone = [_letter_key(one) for one in spelled]
    keys = []
    for token, key in enumerate(alone):
        n_letters = 1 if not singles[token] else 3 if spelled[token] < _SYLLABIC else 2
        for other in range(token + 1, min(token + n_letters, len(alone))):
            if not singles[other]:
                break
            key = (key * _TOKEN_STEP + alone[other]) & _MASK
        keys.append(fmix(key))
    return keys


def _letter_key(letters: str) -> int:
    """Return the key of the first letters of a token: five, or twelve of a number."""
    key, most = 0, KEY_LETTERS
    for place, letter in enumerate(letters):
        if letter == " " or place >= most:
            break
        if letter in _DIGITS:
            most = NUMBER_LETTERS
        key = (key + ord(letter)) * _LETTER_STEP & _MASK
    return key


def _slips(text: str, first: int, is_single: bool) -> list[int]:
    """Return the slips of a word, N_SLIPS: slip i is its first letters without letter i; 0 for none."""
    letters = ""
    while len(letters) < N_SLIPS and (letter := text[first + len(letters) : first + len(letters) + 1]) not in ("", " "):
        if letter in _DIGITS:
            return [0] * N_SLIPS
        letters += letter
    if is_single or len(letters) < LEAST_SLIPPED:
        return [0] * N_SLIPS
    slips = []
    for left_out in range(len(letters)):
        slip = 0
        for letter in letters[:left_out] + letters[left_out + 1 :]:
            slip = (slip + ord(letter)) * _LETTER_STEP & _MASK
        slips.append(fmix(slip))
    return slips + [0] * (N_SLIPS - len(slips))


def borders(text: str, tokens: Tokens) -> list[int]:
    """Return the border before each token, and the border at the end."""
    found, before = list[int](), 0
    for start, stop in zip(tokens.starts.tolist(), tokens.stops.tolist(), strict=True):
        found.append(_border(text[before:start]) if found else PARAGRAPH)
        before = stop
    return [*found, PARAGRAPH]


def _border(gap: str) -> int:
    """Return the border that some characters between two tokens make."""
    n_lines, ends = gap.count("\n"), _ENDS.intersection(gap)
    is_end = bool(ends) and (not _SPACES.isdisjoint(gap) or max(ends) > _WIDE)
    if n_lines > 1:
        return PARAGRAPH
    if n_lines:
        return SENTENCE_AND_LINE if is_end else LINE
    return SENTENCE if is_end else PLAIN


def sentence_starts(borders: list[int]) -> list[int]:
    """Return the first token of each sentence, given the borders of a text. A line alone ends no sentence."""
    return [at for at, border in enumerate(borders[:-1]) if border not in (PLAIN, LINE)]


ONE_LANGUAGE = 0
"""In place of the number of words of which one counts as common: all pages are in the language of the text."""


class Weighed(NamedTuple):
    """The weights of a text's words, relative to the pages in its language.

    Args:
        n_like: Pages in the language of the text: those that hold the commonest of its words.
        rarities: `(n_types,) int32`, the rarity of each word, in 1/1024 nat, at least 0.
        priors: `(n_types,) int32`, how often each is expected in 500 words, in 1/65536.
    """

    n_like: int
    rarities: NDArray[np.int32]
    priors: NDArray[np.int32]


def weigh(counts: Counts, text: KeyedWords | WordTypes, commonest: int) -> Weighed:
    """Return the weights of a text's words, relative to the pages in its language.

    So Dutch words are not rare because few texts are Dutch. One word of the text in `commonest`, at least 2, is among
    the commonest of its language, which most pages in that language hold.
    """
    of_others, of_own = counts.of_others(text.keys), counts.of_own(text.keys)
    n_holding, n_times = (one + more for one, more in zip(of_others, of_own, strict=True))
    n_pages = counts.n_pages if commonest == ONE_LANGUAGE else n_like(n_holding[text.types], commonest)
    n_words = max(PAGE_WORDS, counts.n_words * n_pages / max(1, counts.n_pages))
    rarities = np.round(NAT * (math.log(n_pages + 0.5) - np.log(n_holding + 0.5)))
    priors = np.round(PRIOR_UNIT * PRIOR_WORDS * (n_times + 0.5) / (n_words + 1))
    return Weighed(n_pages, np.maximum(rarities, 0).astype(np.int32), priors.astype(np.int32))


def counted(words: KeyedWords, page_words: int) -> Counts:
    """Return the counts of a text alone, by pages of so many words."""
    n_holding, n_times, n_pages = on_pages(words.types, len(words.keys), page_words)
    return Counts(words.keys, n_holding, n_times, n_pages, len(words.types))


def guessed(query: KeyedWords, text: KeyedWords) -> list[Weighed]:
    """Return the weights of a query's words, and of a text's, guessed from the two alone, for want of other texts.

    All pages are in one language. A word that both have counts as on one page less: where one text is a copy of the
    other, one of them says nothing about how rare the word is.
    """
    own, alone = (counted(words, GUESS_PAGE_WORDS) for words in (query, text))
    shared = own.of_others(text.keys)[0] > 0
    both = Counts(text.keys, alone.n_holding - shared, alone.n_times, alone.n_pages, alone.n_words).with_own(own)
    return [weigh(both, words, ONE_LANGUAGE) for words in (query, text)]
