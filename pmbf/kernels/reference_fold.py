r"""Folding a text and finding its tokens, block by block, in NumPy.

    original   C  a  f  e  ◌́  -  \n b  a  r  ?
    codes      c  a  f  e           b  a  r  ␠
    origin     0  1  2  3           7  8  9 10  11      a hyphen at a line end joins the word
    token      └────────────────────────────┘ [0, 10)

A block ends before a separator that no line-end hyphen can join over. So nothing reaches from block to block: memory
stays small, and the result is the same as if the text were one block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.fold_table import (
    CLASS_SHIFT,
    CODE,
    EXPANSION,
    FIELD,
    HYPHEN,
    INVISIBLE,
    LETTER,
    LOWER,
    MARK,
    SCRIPT_SHIFT,
    SEPARATOR,
    SINGLE,
    WORD,
    FoldTable,
    fold_table,
)
from pmbf.kernels.lookalikes import repair_mixed

Codes = NDArray[np.uint32]
Index = NDArray[np.intp]

BLOCK_CHARS = 1 << 17
"""Fewest characters of a block, unless the text ends before. Calls cost next to nothing at this length, and a block's
arrays stay in the cache."""

_CUT = re.compile("[^- \t\r\n\x02\xad\u2010\ufffe][ \n.,;:!?\u3001\u3002\uff0c]")
_LINE_END = re.compile(r"[ \t]*(?:\r\n|[\r\n])[ \t]*")
_SCRIPTS = FIELD << SCRIPT_SHIFT


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A part of a text, folded, and its tokens.

    Args:
        codes: `(n,) uint32`, folded code points, 32 for a separator.
        origin: `(n + 1,) uint32`, where each code point begins in the whole text. The last number is the block's end.
        starts: `(n_tokens,) intp`, first folded character of each token.
        stops: `(n_tokens,) intp`, one past the last folded character of each token.
        singles: `(n_tokens,) bool`, whether each token is a letter of a script written without spaces.
        n_mixed: Tokens repaired.
        n_invisible: Invisible characters after a letter of Latin, Cyrillic, Greek or Armenian.
    """

    codes: Codes
    origin: Codes
    starts: Index
    stops: Index
    singles: NDArray[np.bool_]
    n_mixed: int
    n_invisible: int

    def origin_stops(self) -> Codes:
        """Return where each token ends in the whole text: where the next code point begins that folds to something."""
        stops = self.origin[self.stops]
        inside = np.flatnonzero(stops == self.origin[self.stops - 1])
        if len(inside):
            stops[inside] = self.origin[np.searchsorted(self.origin, stops[inside], side="right")]
        return stops


def blocks(text: str) -> Iterator[Block]:
    """Yield the folded blocks of a text, in order. An empty text has none."""
    first = 0
    while first < len(text):
        stop = _block_stop(text, first)
        yield _block(text[first:stop], first)
        first = stop


def _block_stop(text: str, first: int) -> int:
    if len(text) - first <= BLOCK_CHARS:
        return len(text)
    cut = _CUT.search(text, first + BLOCK_CHARS - 1)
    return cut.end() - 1 if cut else len(text)


def _block(text: str, first: int) -> Block:
    """Return a block: some characters of a text, the first of them at `first`, folded, and their tokens."""
    table = fold_table()
    # Step 1: look up each code point. Some fold to nothing because of their neighbours.
    looked_up = _entries(text, table)
    # Step 2: drop the code points that fold to nothing.
    kept = np.flatnonzero(_field(looked_up, CLASS_SHIFT))
    n_invisible = _invisible_in_words(looked_up, kept)
    entries = looked_up if len(kept) == len(looked_up) else looked_up[kept]
    # Step 3: replace each code point that folds to several.
    if int(np.bitwise_or.reduce(entries, initial=0)) & EXPANSION:
        entries, kept = _expanded(entries, kept, table)
    # Step 4: find tokens: runs of word characters, and single letters of scripts written without spaces.
    starts, stops, singles = _tokens(_field(entries, CLASS_SHIFT))
    # Step 5: in tokens that mix scripts, turn look-alikes into letters of one script, in place.
    codes = entries & np.uint32(CODE)
    n_mixed = repair_mixed(codes, entries, starts, stops)
    origin = np.append(kept, len(looked_up)).astype(np.uint32) + np.uint32(first)
    return Block(codes, origin, starts, stops, singles, n_mixed, n_invisible)


def _entries(text: str, table: FoldTable) -> Codes:
    """Return the table entry of each code point; 0 for code points that fold to nothing because of their neighbours."""
    if text.isascii():
        entries = table.entries[np.frombuffer(text.encode(), np.uint8)]
    else:
        codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
        entries = _with_whole_syllables(codes, table)
    _join_lines(text, entries)
    return entries


def _with_whole_syllables(codes: Codes, table: FoldTable) -> Codes:
    """Return the table entry of each code point, with Hangul in conjoining jamo put together to syllables.

    Source:
        The Unicode Standard, section 3.12, Hangul syllable composition.
    """
    vowels, tails = codes - 0x1161 < 21, codes - 0x11A8 < 27
    if not (vowels.any() or tails.any()):
        return table.entries[codes]
    composed = codes.copy()
    at = np.flatnonzero((codes[:-1] - 0x1100 < 19) & vowels[1:])
    composed[at] = 0xAC00 + ((codes[at] - 0x1100) * 21 + (codes[at + 1] - 0x1161)) * 28
    used = np.zeros(len(codes) + 1, np.bool_)
    used[at + 1] = True
    tail = np.flatnonzero(tails[1:]) + 1
    head = np.maximum(tail - 1 - used[tail - 1], 0)
    fits = (composed[head] - 0xAC00 < 11172) & ((composed[head] - 0xAC00) % 28 == 0)
    composed[head[fits]] += codes[tail[fits]] - 0x11A7
    used[tail[fits]] = True
    entries = table.entries[composed]
    entries[used[:-1]] &= np.uint32(LETTER)  # class nothing; LETTER stays, as a line-end hyphen after it breaks a word
    return entries


def _join_lines(text: str, entries: Codes) -> None:
    """Set the entries of each hyphen that breaks a word at a line end to 0, with the line end and the blanks around."""
    hyphens = np.flatnonzero(entries[1:] >= HYPHEN) + 1
    hyphens = hyphens[(entries[hyphens - 1] & LETTER) != 0]
    for hyphen in hyphens.tolist():
        line_end = _LINE_END.match(text, hyphen + 1)
        if line_end and line_end.end() < len(text) and entries[line_end.end()] & LOWER:
            entries[hyphen : line_end.end()] = 0


def _invisible_in_words(entries: Codes, kept: Index) -> int:
    """Return the number of invisible characters after a letter of a script that has no use for them."""
    if not int(np.bitwise_or.reduce(entries)) & INVISIBLE or not len(kept):
        return 0
    invisible = np.flatnonzero(entries & INVISIBLE)
    before = np.searchsorted(kept, invisible) - 1
    return int(np.count_nonzero((before >= 0) & ((entries[kept[before]] & _SCRIPTS) != 0)))


def _expanded(entries: Codes, kept: Index, table: FoldTable) -> tuple[Codes, Index]:
    """Return entries and origins, with each code point that folds to several replaced by those."""
    several = (entries & EXPANSION) != 0
    lengths = np.where(several, (entries >> 16) & 31, 1).astype(np.intp)
    firsts = np.cumsum(lengths) - lengths
    repeated = np.repeat(entries, lengths)
    inside = np.flatnonzero(np.repeat(several, lengths))
    offset = inside - np.repeat(firsts, lengths)[inside]
    repeated[inside] = table.entries[table.expansions[(repeated[inside] & 0xFFFF) + offset]]
    return repeated, np.repeat(kept, lengths)


def _tokens(classes: NDArray[np.uint8]) -> tuple[Index, Index, NDArray[np.bool_]]:
    """Return the first folded character of each token, one past its last, and whether it is a single letter."""
    kinds = np.full(len(classes) + 2, SEPARATOR, np.uint8)
    kinds[1:-1] = classes
    if (classes == MARK).any():
        kinds = _with_marks_resolved(kinds)
    begins = (kinds[1:-1] == WORD) & (kinds[:-2] != WORD)
    if (classes == SINGLE).any():
        begins |= classes == SINGLE
    inside = kinds != SEPARATOR
    ends = inside[1:-1] & np.append(begins[1:] | ~inside[2:-1], True)
    starts = np.flatnonzero(begins)
    return starts, np.flatnonzero(ends) + 1, classes[starts] == SINGLE


def _with_marks_resolved(kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the classes, each mark with the class of the character it stands on. After a separator it is a word."""
    at = np.maximum.accumulate(np.where(kinds == MARK, 0, np.arange(len(kinds))))
    resolved = kinds[at]
    resolved[(kinds == MARK) & (resolved == SEPARATOR)] = WORD
    return resolved


def _field(entries: Codes, shift: int) -> NDArray[np.uint8]:
    return ((entries >> shift) & FIELD).astype(np.uint8)
