"""Text as the kernels see it: folded and cut into tokens, with offsets in code points of the original `str`."""

from __future__ import annotations

import re

from pmbf import kernels
from pmbf.kernels import Folded, Tokens

__all__ = ["SINGLE_CHARS", "Folded", "Tokens", "clean", "fold", "tokenise", "utf8"]

SINGLE_CHARS = 3
"""Letters of an alphabet that one letter of Han, Kana, Thai and so on counts for. A word has some 6 of the former and 2
of the latter."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Return a text with each lone surrogate replaced by U+FFFD, so that offsets stay and it can be encoded.

    >>> ascii(clean("a\udc80b"))
    "'a\\ufffdb'"
    """
    try:
        text.encode()  # thirty times as fast as looking for them
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def utf8(text: str) -> bytes:
    """Return the bytes the kernels take for a text; lone surrogates become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return clean(text).encode()


def fold(text: str) -> Folded:
    """Return a text folded: what is equal to a reader becomes equal, and the way back to the original is kept.

    >>> fold("Exposé, Nr. ½").text
    'expose  nr   1 2'
    """
    return kernels.fold(utf8(text))


def tokenise(text: str) -> Tokens:
    """Return the tokens of a text: words and numbers, or letters where words are written without spaces.

    >>> tokenise("Two words").stops.tolist()
    [3, 9]
    """
    return kernels.tokenise(utf8(text))
