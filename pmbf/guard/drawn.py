r"""Text that a program draws or joins: letters struck over, terminal colours, invisible letters, pieces of strings.

    c\bch\bha\ba      ESC[31mchair ESC[0m      U+E0063 U+E0068 ...      "cha" + "irs"

Each look has a trigger that costs next to nothing, and reads only where its marks are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

OVERSTRIKE, COLOURS, INVISIBLE, PIECES = (
    "overstrike",
    "terminal codes",
    "invisible letters",
    "pieces of strings",
)
LEAST_JOINED, LEAST_INVISIBLE = 20, 40

_STRUCK = re.compile(r"[^\n\b]\x08")
_CODE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\))")
_TAG_LETTERS = re.compile("[\U000e0020-\U000e007e]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_JOINED = ('" + "', "' + '", '"+"', "'+'", '"."', "'.'", '" . "', "' . '")
_JOINT = re.compile("|".join(map(re.escape, _JOINED)))


def may_be_drawn(encoded: bytes) -> bool:
    """Return whether `drawn` may find anything in a text, by its UTF-8."""
    marked = b"\x08" in encoded or b"\x1b" in encoded or b"\xf3\xa0" in encoded
    return marked or any(encoded.count(one.encode()) >= LEAST_JOINED for one in _JOINED)


def drawn(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield a text as it is drawn or joined, with a name for what was done.

    >>> [(name, read) for name, read in drawn("t\bth\bhe\be _\bs_\be_\ba")]
    [('overstrike', 'the sea')]
    """
    if "\b" in text and _STRUCK.search(text):
        yield OVERSTRIKE, _STRUCK.sub("", text)
    if "\x1b" in text and _CODE.search(text):
        yield COLOURS, _CODE.sub("", text)
    if not text.isascii():
        yield from _invisible(text)
    if sum(map(text.count, _JOINED)) >= LEAST_JOINED:
        yield PIECES, _JOINT.sub("", text)


def _invisible(text: str) -> Iterator[tuple[str, str]]:
    letters = _TAG_LETTERS.findall(text)
    if len(letters) >= LEAST_INVISIBLE:
        yield INVISIBLE, "".join(chr(ord(one) - 0xE0000) for one in letters)
    numbers = [ord(one) - 0xFE00 if ord(one) < 0xFF00 else ord(one) - 0xE00F0 for one in _SELECTORS.findall(text)]
    if len(numbers) >= LEAST_INVISIBLE:
        yield INVISIBLE, bytes(numbers).decode("utf-8", "replace")
