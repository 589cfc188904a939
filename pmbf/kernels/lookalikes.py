"""Tokens that mix scripts: their look-alike letters are put back into one script.

A word typed with look-alike letters of Latin, Cyrillic, Greek or Armenian (`раyment`) reads as one word and matches
none. Only tokens that mix these scripts are changed, never a text in one script. The table is our own, after the
principle of Unicode Technical Standard #39 (confusables). Lower and upper case have tables of their own: Cyrillic В
looks like Latin B, but в does not look like b.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.fold_table import FIELD, LOWER, SCRIPT_SHIFT

LATIN, CYRILLIC, GREEK, ARMENIAN = range(1, 5)

# Each group is one shape: its letter in Latin, Cyrillic, Greek, Armenian; "-" if the script has no such letter.
_LOWER_SHAPES = (
    *("aаα-", "cс--", "dԁ--", "eе--", "g--ց", "hһ-հ", "iіι-", "jјϳ-", "kк--", "lӏ--", "n-ηո", "oоοօ", "pрρ-", "qԛ-զ"),
    *("rг--", "sѕ--", "u-υս", "vѵν-", "wԝ--", "xхχ-", "yуγ-", "-ф-փ"),
)
_UPPER_SHAPES = (
    *("AАΑ-", "BВΒ-", "CС--", "EЕΕ-", "GԌ--", "HНΗ-", "IІΙ-", "JЈͿ-", "KКΚ-", "MМΜ-", "N-Ν-", "OОΟՕ", "PРΡ-", "QԚ--"),
    *("SЅ-Տ", "TТΤ-", "U--Ս", "VѴ--", "WԜ--", "XХΧ-", "YУΥ-", "Z-Ζ-", "-ГΓ-", "-ПΠ-", "-ФΦ-", "-Л-Լ"),
)
_LETTERS_END = 0x590
_ANY = 0b11110
_SCRIPT_BIT = np.array([0, 2, 4, 8, 16, 0, 0, 0], np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Look-up tables: the number of a letter's group, and for each group its letter in each script and its scripts.

    Args:
        number: `(2, letters) uint8`, by lower case and folded letter; 0 for a letter that looks like no other.
        letter: `(groups, 5) uint32`, the letter of a group in a script; 0 for none.
        scripts: `(groups,) uint8`, bit s says whether the group has a letter of script s.
    """

    number: NDArray[np.uint8]
    letter: NDArray[np.uint32]
    scripts: NDArray[np.uint8]


def repair_mixed(
    codes: NDArray[np.uint32], entries: NDArray[np.uint32], starts: NDArray[np.intp], stops: NDArray[np.intp]
) -> int:
    """Fold the look-alike letters of tokens that mix scripts, in place, and return how many tokens changed.

    A token goes into the first of Latin, Cyrillic, Greek, Armenian that it holds and that has a look-alike of each of
    its letters. If there is none, then it goes into the script of most of its letters, the first on a tie. If 30 % of
    the letters that have look-alikes are replaced, then 98.6 % of the words of English texts come out right, and 96.8 %
    of Russian ones. Taking the script of most letters always gives 96.6 and 98.0 %, and falls behind if more letters
    are replaced.

    Args:
        codes: `(n,) uint32`, folded code points, which are changed.
        entries: `(n,) uint32`, the table entry of each code point.
        starts: `(n_tokens,)`, first character of each token.
        stops: `(n_tokens,)`, one past the last character of each token.
    """
    mixed = _mixed(entries, starts)
    if not len(mixed):
        return 0
    sizes = stops[mixed] - starts[mixed]
    firsts = np.cumsum(sizes) - sizes
    at = np.repeat(starts[mixed] - firsts, sizes) + np.arange(sizes.sum())
    repaired = _repaired(codes[at], entries[at], firsts, sizes)
    changed = np.logical_or.reduceat(repaired != codes[at], firsts)
    codes[at] = repaired
    return int(np.count_nonzero(changed))


def _mixed(entries: NDArray[np.uint32], starts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the numbers of the tokens with letters of more than one script."""
    seen = int(np.bitwise_or.reduce(entries)) >> SCRIPT_SHIFT & FIELD if len(starts) else 0
    if seen in (0, LATIN, CYRILLIC, ARMENIAN):
        return np.zeros(0, np.intp)
    sets = np.bitwise_or.reduceat(_script_sets(entries), starts)
    return np.flatnonzero(sets & (sets - 1))


def _script_sets(entries: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return for each character a byte with the bit of its script; 0 for other scripts."""
    sets: NDArray[np.uint8] = _SCRIPT_BIT[(entries >> SCRIPT_SHIFT) & FIELD]
    return sets


def _repaired(
    codes: NDArray[np.uint32], entries: NDArray[np.uint32], firsts: NDArray[np.intp], sizes: NDArray[np.intp]
) -> NDArray[np.uint32]:
    """Return the letters of mixed tokens, end to end, after repair."""
    tables = shapes()
    held = _script_sets(entries)
    lower = (entries & LOWER) != 0
    number = np.where(held != 0, tables.number[lower.astype(np.intp), np.minimum(codes, _LETTERS_END)], 0)
    reach = np.where(held != 0, held | tables.scripts[number], _ANY).astype(np.uint8)
    target = np.repeat(_targets(held, reach, firsts), sizes)
    letter = tables.letter[number, target]
    return np.where(letter != 0, letter, codes)


def _targets(held: NDArray[np.uint8], reach: NDArray[np.uint8], firsts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the script that each token goes into, 1 to 4."""
    scripts = np.arange(LATIN, ARMENIAN + 1)
    counts = np.add.reduceat((held[:, None] >> scripts) & 1, firsts, axis=0, dtype=np.int64)
    whole = (counts > 0) & ((np.bitwise_and.reduceat(reach, firsts)[:, None] >> scripts) & 1 != 0)
    targets: NDArray[np.intp] = np.where(whole.any(axis=1), np.argmax(whole, axis=1), np.argmax(counts, axis=1))
    return targets + LATIN


def alike() -> list[str]:
    """Return groups of folded letters that look alike in lower or in upper case. Each letter comes once.

    >>> alike()[0]
    'a\u0430\u03b1'
    """
    groups, seen = list[str](), set[str]()
    for shape in (*_LOWER_SHAPES, *_UPPER_SHAPES):
        letters = "".join(dict.fromkeys(char.casefold() for char in shape if char != "-"))
        known = [number for number, group in enumerate(groups) if set(group) & set(letters)]
        new = "".join(char for char in letters if char not in seen)
        seen |= set(new)
        if known:
            groups[known[0]] += new
        else:
            groups.append(new)
    return groups


@cache
def shapes() -> Shapes:
    """Return the look-up tables, built at the first call."""
    groups = ["----", *_LOWER_SHAPES, *_UPPER_SHAPES]
    number = np.zeros((2, _LETTERS_END + 1), np.uint8)
    letter = np.zeros((len(groups), ARMENIAN + 1), np.uint32)
    for group, shape in enumerate(groups):
        for script, char in enumerate(shape, LATIN):
            if char != "-":
                letter[group, script] = ord(char.casefold())
                number[int(char.islower()), ord(char.casefold())] = group
    scripts = ((letter != 0) << np.arange(ARMENIAN + 1)).sum(axis=1).astype(np.uint8)
    return Shapes(number, letter, scripts)
