"""A text, folded and cut into tokens by the kernels. Offsets are code points of the original `str`."""

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
    r"""Return a text that can be encoded: each lone surrogate becomes U+FFFD. Offsets stay the same.

    >>> ascii(clean("a\udc80b"))
    "'a\\ufffdb'"
    """
    if text.isascii():
        return text
    try:
        text.encode()  # thirty times as fast as a search for surrogates
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def utf8(text: str | bytes) -> bytes:
    """Return a text in UTF-8, as the kernels take it. Lone surrogates become U+FFFD."""
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError:
        return clean(text).encode()


def fold(text: str) -> Folded:
    """Return a text folded: letters that are equal to a reader become equal. The result knows their original offsets.

    >>> fold("Exposé, Nr. ½").text
    'expose  nr   1 2'
    """
    return kernels.fold(utf8(text))


def tokenise(text: str) -> Tokens:
    """Return the tokens of a text: words and numbers, or single letters in scripts written without spaces.

    >>> tokenise("Two words").stops.tolist()
    [3, 9]
    """
    return kernels.tokenise(utf8(text))
