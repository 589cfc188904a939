"""The words of a text as alignment sees them: the NumPy reference. The rules are docs/alignment.md, section 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_SLIPS, Words
from pmbf.kernels.types import Folded, Tokens

__all__ = ["spell", "words"]

KEY_LETTERS, NUMBER_LETTERS, LEAST_SLIPPED = 5, 12, 6
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
        folded: The text, folded.
        tokens: The tokens of the text.
    """
    keys, firsts, types = np.unique(_keys(folded, tokens), return_index=True, return_inverse=True)
    slips = _slips(folded, tokens, firsts)
    return Words(keys, types.astype(np.int32), slips, borders(utf8.decode(), tokens))


def classes(query: Words, source: Words) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Return the class of each type of the query, of each type of the source, and the number of classes.

    Each type of the query has a class of its own. A type of the source has the class of the equal type of the query, or
    else a new class. A type without an equal takes the class of the first type of the other text that it shares a slip
    with. The types of the query do so before those of the source.
    """
    n_query = len(query.keys)
    place = np.searchsorted(query.keys, source.keys)
    is_new = np.append(query.keys, np.uint64(0))[place] != source.keys
    is_new |= place == n_query
    theirs = np.where(is_new, n_query + np.cumsum(is_new) - 1, place).astype(np.int32)
    n_classes = n_query + int(is_new.sum())
    ours = np.arange(n_query, dtype=np.int32)
    held = _first_holders(source)
    for kind in np.setdiff1d(ours, theirs).tolist():
        other = _similar(query, kind, held)
        if other is not None:
            ours[kind] = theirs[other]
    held = _first_holders(query)
    for kind in np.flatnonzero(is_new).tolist():
        other = _similar(source, kind, held)
        if other is not None and ours[other] < n_query:
            theirs[kind] = ours[other]
    return ours, theirs, n_classes


def spell(folded: Folded, tokens: Tokens) -> tuple[str, NDArray[np.int64]]:
    """Return the folded text with one space between two words and no other separator, and where its tokens begin.

    Args:
        folded: A text, folded.
        tokens: The tokens of the text.

    Returns:
        The spelling, and `(n + 1,) int64`: where each of the n tokens begins, and the end of the spelling.
    """
    points = _codes(folded.text)
    starts = np.searchsorted(folded.origin[:-1], tokens.starts)
    keep = points != ord(" ")
    is_first = ~keep
    is_first[1:] &= keep[:-1]
    firsts = np.flatnonzero(is_first)
    after = np.searchsorted(starts, firsts, side="right")
    is_word = np.zeros(len(starts) + 2, np.bool_)  # False before and after the tokens: a separator there joins no words
    np.logical_not(tokens.singles, out=is_word[1:-1])
    keep[firsts] = is_word[after] & is_word[after + 1]
    n_kept = np.append(0, np.cumsum(keep)).astype(np.int64)
    return points[keep].tobytes().decode("utf-32-le"), np.append(n_kept[starts], n_kept[-1])


def _first_holders(words: Words) -> dict[int, int]:
    """Return for each slip the first type that has it."""
    held: dict[int, int] = {}
    for place, slip in enumerate(words.slips.ravel().tolist()):
        if slip:
            held.setdefault(slip, place // N_SLIPS)
    return held


def _similar(words: Words, kind: int, held: dict[int, int]) -> int | None:
    return next((held[slip] for slip in words.slips[kind].tolist() if slip in held), None)


def _keys(folded: Folded, tokens: Tokens) -> NDArray[np.uint64]:
    codes = np.append(_codes(folded.text), np.uint32(ord(" "))).astype(np.uint64)
    origin = folded.origin.astype(np.int64)
    at = np.searchsorted(folded.origin[:-1], tokens.starts)
    keys = np.zeros(len(tokens), np.uint64)
    inside = np.ones(len(tokens), np.bool_)
    last = len(codes) - 1
    is_number = np.zeros(len(tokens), np.bool_)
    for letter in range(NUMBER_LETTERS):
        place = np.minimum(at + letter, last)
        inside &= is_number | (letter < KEY_LETTERS)
        inside &= (codes[place] != ord(" ")) & (origin[place] < tokens.stops)
        keys = np.where(inside, (keys + codes[place]) * _LETTER_STEP, keys)
        is_number |= inside & (codes[place] >= ord("0")) & (codes[place] <= ord("9"))
    return _mixed(_joined(keys, codes[np.minimum(at, last)], tokens.singles))


def _slips(folded: Folded, tokens: Tokens, firsts: NDArray[np.intp]) -> Keys:
    """Return the slips of some tokens, `(n, N_SLIPS)`: slip i is the token's first letters without letter i."""
    codes = np.append(_codes(folded.text), np.uint32(ord(" "))).astype(np.uint64)
    at = np.searchsorted(folded.origin[:-1], tokens.starts[firsts])
    letters = codes[np.minimum(at[:, None] + np.arange(N_SLIPS), len(codes) - 1)]
    digits = (letters >= ord("0")) & (letters <= ord("9"))
    lengths = np.cumprod((letters != ord(" ")) & ~digits, axis=1).sum(axis=1)
    stopped = np.append(digits, np.zeros((len(firsts), 1), np.bool_), axis=1)[np.arange(len(firsts)), lengths]
    long = (lengths >= LEAST_SLIPPED) & ~stopped & ~tokens.singles[firsts]
    slips = np.zeros((len(firsts), N_SLIPS), np.uint64)
    for left_out in range(N_SLIPS):
        slip = np.zeros(len(firsts), np.uint64)
        for letter in range(N_SLIPS):
            if letter != left_out:
                slip = np.where(letter < lengths, (slip + letters[:, letter]) * _LETTER_STEP, slip)
        slips[:, left_out] = np.where(long & (left_out < lengths), _mixed(slip), 0)
    return slips


def _joined(keys: NDArray[np.uint64], first: Keys, singles: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Join the key of each single letter with the next single letters' keys: two letters, or three of an alphabet."""
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
    """Return the keys mixed: the finaliser of MurmurHash3."""
    keys = (keys ^ (keys >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    keys = (keys ^ (keys >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return keys ^ (keys >> np.uint64(33))


def borders(text: str, tokens: Tokens) -> NDArray[np.uint8]:
    """Return the border before each token, and the border at the end."""
    codes = _codes(text)
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


def sentence_starts(borders: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return the first token of each sentence, given the border before each token and that at the end.

    A line alone ends no sentence.
    """
    return np.flatnonzero((borders[:-1] != PLAIN) & (borders[:-1] != LINE))


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)
