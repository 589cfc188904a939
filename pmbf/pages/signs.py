"""Signs of manipulation, with their places: words of two alphabets that look alike, and invisible characters.

The report counts them (`query.n_mixed_tokens`, `query.n_invisible`); where they are is looked for here, for the page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from pmbf.base.span import Span
from pmbf.report import Query

_LETTERS = {
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff",
    "Greek": "\u0370-\u0373\u0376-\u037d\u037f\u0386\u0388-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u0481\u048a-\u052f",
    "Armenian": "\u0531-\u0556\u0561-\u0587",
}
_OF = {script: re.compile(f"[{letters}]") for script, letters in _LETTERS.items()}
_WORD = re.compile(rf"[{''.join(_LETTERS.values())}]{{2,}}")
_HIDDEN = "\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_INVISIBLE = re.compile(rf"(?<=[{''.join(_LETTERS.values())}])[{_HIDDEN}]+")


class Sign(NamedTuple):
    """A place that looks altered: where, its kind (`mixed` or `invisible`), and what it is."""

    span: Span
    kind: str
    told: str


def signs(text: str, query: Query) -> list[Sign]:
    """Return the signs of manipulation of a query, ascending; a text whose report counts none is not searched.

    >>> [(sign.kind, sign.told) for sign in signs("the p\u0430yment", Query("", 11, 2, 0, n_mixed_tokens=1))]
    [('mixed', 'Latin and Cyrillic letters: U+0430 CYRILLIC SMALL LETTER A')]
    """
    found = [*(_mixed(text) if query.n_mixed_tokens else ()), *(_invisible(text) if query.n_invisible else ())]
    return sorted(found)


def _mixed(text: str) -> Iterator[Sign]:
    for word in _WORD.finditer(text):
        if word[0].isascii():
            continue
        counts = {script: len(pattern.findall(word[0])) for script, pattern in _OF.items()}
        scripts = [script for script, n in counts.items() if n]
        if len(scripts) > 1:
            fewest = min(scripts, key=lambda script: (counts[script], script == "Latin"))
            odd = dict.fromkeys(_OF[fewest].findall(word[0]))
            yield Sign(Span(*word.span()), "mixed", f"{' and '.join(scripts)} letters: {', '.join(map(_told, odd))}")


def _invisible(text: str) -> Iterator[Sign]:
    for found in _INVISIBLE.finditer(text):
        yield Sign(Span(*found.span()), "invisible", ", ".join(map(_told, dict.fromkeys(found[0]))))


def _told(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()
