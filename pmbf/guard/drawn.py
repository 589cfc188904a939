r"""Text that a program draws or joins: letters struck over, terminal colours, invisible letters, pieces of strings.

    c\bch\bha\ba      ESC[31mchair ESC[0m      U+E0063 U+E0068 ...      "cha" + "irs"

Each look has a trigger that costs next to nothing, and reads only where its marks are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pmbf.guard.bites import bites

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
_LETTERS = {0xE0000 + code: code for code in range(0x20, 0x7F)}
_NUMBERS = {(0xFE00 if number < 16 else 0xE00F0) + number: number for number in range(256)}
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
        yield OVERSTRIKE, _without(_STRUCK, text)
    if "\x1b" in text and _CODE.search(text):
        yield COLOURS, _without(_CODE, text)
    if not text.isascii():
        yield from _invisible(text)
    if sum(map(text.count, _JOINED)) >= LEAST_JOINED:
        yield PIECES, _without(_JOINT, text)


def _invisible(text: str) -> Iterator[tuple[str, str]]:
    letters = "".join("".join(_TAG_LETTERS.findall(bite)).translate(_LETTERS) for bite in bites(text))
    if len(letters) >= LEAST_INVISIBLE:
        yield INVISIBLE, letters
    numbers = b"".join("".join(_SELECTORS.findall(bite)).translate(_NUMBERS).encode("latin-1") for bite in bites(text))
    if len(numbers) >= LEAST_INVISIBLE:
        yield INVISIBLE, numbers.decode("utf-8", "replace")


def _without(mark: re.Pattern[str], text: str) -> str:
    return "".join(mark.sub("", bite) for bite in bites(text, mark))
