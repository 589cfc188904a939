"""Words of a passage are edited; the passage is put into another text."""

from __future__ import annotations

import random
from collections.abc import Sequence

HOST_CHARS = 1500
"""Characters of the other text before and behind a passage."""


THAI_LETTERS = 4
"""Letters of a word: `swath`, a program that finds the words of Thai, cuts 40,520 words of 4.16 letters each from the
messages of LibreOffice."""


def edited(text: str, share: float, words: Sequence[str], chance: random.Random) -> str:
    """Return a text with a share of its words edited: of these half replaced, a fifth dropped, the rest joined by
    another word or moved by up to three places.

    Args:
        text: The passage.
        share: Chance that a word is edited, 0 to 1.
        words: Of other texts.
        chance: Where draws come from.

    >>> edited("one two three", 0.0, ["four"], random.Random(1))
    'one two three'
    """
    made: list[str] = []
    moved: list[str] = []
    between = "" if is_unspaced(text) else " "
    for word in pieces(text):
        drawn = chance.random() / share if share else 1.0  # below 1: this word is edited
        if drawn >= 1:
            made.append(word)
        elif drawn < 0.5:
            made.append(chance.choice(words))
        elif 0.7 <= drawn < 0.85:
            made += [word, chance.choice(words)]
        elif drawn >= 0.85:
            moved.append(word)
        if moved and chance.random() < 0.5:
            made.append(moved.pop(0))
    return between.join(made + moved)


def pieces(text: str) -> list[str]:
    """Return the words of a text; of a script without spaces two letters each, of Thai four.

    >>> pieces("the sea"), pieces("潮水来来去去又来来去去"), pieces("น้ำทะเลขึ้นวันละสองครั้ง")
    (['the', 'sea'], ['潮水', '来来', '去去', '又来', '来去', '去'], ['น้ำท', 'ะเลข', 'ึ้นว', 'ันละ', 'สองค', 'รั้ง'])
    """
    if not is_unspaced(text):
        return text.split()
    letters = "".join(text.split())
    n = THAI_LETTERS if any("\u0e00" <= letter < "\u0e80" for letter in letters) else 2
    return [letters[at : at + n] for at in range(0, len(letters), n)]


def is_unspaced(text: str) -> bool:
    """Return whether a text is in a script without spaces: a space stands after fewer than one letter in ten."""
    return 10 * len(text.split()) < len(text)


def inside(passage: str, host: str) -> tuple[str, int, int]:
    """Return a text that has a passage between two of its sentences, and where the passage stands.

    >>> inside("It rains.", "A day. A night. A week.")
    ('A day. It rains. A night. A week.', 7, 16)
    """
    ends = [at + 2 for at in range(len(host) - 2) if host[at] in ".!?" and host[at + 1] == " "]
    start = min(ends, key=lambda end: (abs(end - len(host) // 2), end), default=0)
    return f"{host[:start]}{passage} {host[start:]}", start, start + len(passage)
