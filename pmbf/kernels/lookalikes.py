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


@cache
def faces(code: int, *, lower: bool) -> dict[int, int]:
    """Return the letters that look like a folded letter, by script; none if no other letter looks like it.

    >>> faces(ord("a"), lower=True) == {LATIN: ord("a"), CYRILLIC: 0x430, GREEK: 0x3B1}
    True
    """
    tables = shapes()
    group = tables.number[int(lower), min(code, _LETTERS_END)]
    return {script: letter for script, letter in enumerate(tables.letter[group].tolist()) if letter}


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
