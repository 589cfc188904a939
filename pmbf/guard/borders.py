"""Where a passage really ends: letter by letter, beyond the words by which it was found.

A comparison of words ends where a compound was broken at its hyphen (`dry-` and `rubbed` on two lines, which may be one
word or two), or where a whole short word was put into another script. Its letters go on all the same. A check that
counts letters goes on with them, as far as both texts are alike and a word ends in both.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from pmbf.kernels import alike
from pmbf.report import Match, Passage, Span
from pmbf.text import fold

LOOKED_AT = 200
"""Characters beyond a passage."""


def to_the_letter(match: Match, text: str, source: str) -> Match:
    """Return a match whose passages go on as far as the letters of both texts do.

    Args:
        match: Of a text and a source.
        text: The text.
        source: The source.
    """
    return replace(match, passages=tuple(_to_the_letter(one, text, source) for one in match.passages))


def _to_the_letter(passage: Passage, text: str, source: str) -> Passage:
    here, there = passage.query, passage.source
    before = _alike(_before(text, here.start), _before(source, there.start), -1)
    after = _alike(_after(text, here.stop), _after(source, there.stop), 1)
    return replace(
        passage,
        query=Span(here.start - before[0], here.stop + after[0]),
        source=Span(there.start - before[1], there.stop + after[1]),
    )


def _before(text: str, place: int) -> str:
    """Return what stands before a place, a space before it where the text begins: there a word ends, too."""
    return text[place - LOOKED_AT : place] if place > LOOKED_AT else " " + text[:place]


def _after(text: str, place: int) -> str:
    return text[place : place + LOOKED_AT] + (" " if place + LOOKED_AT >= len(text) else "")


def _alike(ours: str, theirs: str, step: int) -> tuple[int, int]:
    r"""Return how many characters of two texts have the same letters, up to the end of a word in both.

    >>> _alike(" dry-\nrubbed wall", " dry-rubbed walls", 1), _alike("the (\u0430) state", "or (a) state", -1)
    ((12, 11), (8, 8))
    """
    best = (0, 0)
    for here, there in zip(_letters(ours, step), _letters(theirs, step), strict=False):
        if here.char != there.char:
            break
        if here.ends and there.ends:
            best = (here.n_chars, there.n_chars)
    return best


class _Letter(NamedTuple):
    """A letter, whether a word ends with it, and how many characters there are up to it, itself included."""

    char: str
    ends: bool
    n_chars: int


def _letters(text: str, step: int) -> list[_Letter]:
    """Return the letters of a text from its beginning (step 1) or its end (step -1), those that look alike equal."""
    folded = fold(text)
    letters, origin = folded.text.translate(_skeletons()), folded.origin.tolist()
    if step > 0:
        n_chars = origin[1:]
    else:
        letters, n_chars = letters[::-1], [len(text) - at for at in origin[-2::-1]]
    return [
        _Letter(char, letters[number + 1 : number + 2] == " ", n_chars[number])
        for number, char in enumerate(letters)
        if char != " "
    ]


@cache
def _skeletons() -> dict[int, str]:
    return {ord(char): group[0] for group in alike() for char in group}
