"""Words that are written so that a reader, or a program, puts them together, and a comparison of words does not.

Escapes (`\\u0041`, `&#65;`, `%41`), blanks that are letters by their class, a word in each element of XML or on a line,
letters struck over (`c\\bch\\bh`), terminal colours (`ESC[31mchair`), invisible letters (U+E0063), pieces of strings
(`"cha" + "irs"`). Only where such marks stand is a text read anew; whether it has any costs next to nothing. What is
found as it stands and anew counts once.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from functools import cached_property, partial

from pmbf import kernels
from pmbf.guard.apart import FILLERS, SIGNS, between, columns
from pmbf.kernels import Looks
from pmbf.text import clean

ESCAPES, BLANKS, ELEMENTS, COLUMNS = "escapes", "letters that look like spaces", "elements", "columns"
OVERSTRIKE, COLOURS, INVISIBLE, PIECES = "overstrike", "terminal codes", "invisible letters", "pieces of strings"
LEAVES = frozenset({SIGNS, FILLERS})
"""What was left out of text that programs and tables have, too: such stretches hide nothing further."""
ANEW = frozenset({ESCAPES, BLANKS, ELEMENTS, COLUMNS, OVERSTRIKE, COLOURS, INVISIBLE, PIECES}) | LEAVES
"""What was done to read a stretch anew."""

MOST_BETWEEN = 40
"""Characters between two marks of one stretch: a long word, or some short ones."""
AROUND = 1 << 12
"""Characters that are read anew on either side of a mark that is seldom met: of a short text all."""
LEAST_MARKS, LEAST_TAGS, LEAST_JOINED, LEAST_INVISIBLE = 8, 20, 20, 40
AT_ONCE = 1 << 20
"""Characters of a text that are read together."""
_MARK_CHARS = 6
"""Of the shortest Unicode escape: a run of escaped bytes is as many marks as it is long."""

_BYTES = r"(?:\\x[0-9A-Fa-f]{2}|\\[0-3][0-7]{2}|%[0-9A-Fa-f]{2}){1,65536}"
_ESCAPE = re.compile(
    rf"(?<!\\)\\++u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}}|\\u\{{[0-9A-Fa-f]{{1,6}}\}}|&#?[0-9A-Za-z]{{2,8}};|{_BYTES}"
)
_OF_LINES = re.compile(r"\\[nrt]")
_BLANKS = "\u3164\u2800\uffa0\u115f\u1160"
_BLANKS_ENCODED = tuple(one.encode() for one in _BLANKS)
_BLANK = re.compile(f"[{_BLANKS}]+")
_TAGS = re.compile(r"<[^<>\s][^<>]*+>(?:\s{0,9}<[^<>\s][^<>]*+>)*")
_STRUCK = re.compile(r"[^\n\b]\x08")
_CODE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\))")
_JOINED = ('" + "', "' + '", '"+"', "'+'", '"."', "'.'", '" . "', "' . '")
_JOINT = re.compile("|".join(map(re.escape, _JOINED)))
_TAG_LETTERS = re.compile("[\U000e0020-\U000e007e]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_INVISIBLE = "\U000e0020".encode()[:2]
"""The bytes with which all of these begin, but for 16 selectors that hide nothing alone."""
_LETTERS = {0xE0000 + code: code for code in range(0x20, 0x7F)}
_NUMBERS = {(0xFE00 if number < 16 else 0xE00F0) + number: number for number in range(256)}


class Cover:
    """A text in UTF-8 in which others may be hidden. It is decoded if its characters are asked for: most hide none.

    Args:
        encoded: The text in UTF-8.
        looks: What these bytes look like; None: it is told when it is asked for.
    """

    def __init__(self, encoded: bytes, looks: Looks | None = None) -> None:
        self.encoded = encoded
        if looks:
            self.looks = looks

    @staticmethod
    def of(text: str) -> Cover:
        """Return the cover of a text."""
        made = Cover((text := clean(text)).encode())
        made.text = text
        return made

    @cached_property
    def looks(self) -> Looks:
        """What the bytes look like."""
        return kernels.looks(self.encoded)

    @cached_property
    def text(self) -> str:
        """The characters. A `str` can take four times the memory of its UTF-8."""
        return self.encoded.decode()

    def count(self, *marks: bytes) -> int:
        """Return how often marks stand in the text."""
        return sum(map(self.encoded.count, marks))


def bites(text: str, mark: re.Pattern[str] | None = None) -> Iterator[str]:
    """Yield a text in bites of some `AT_ONCE` characters, cut behind marks if there are any.

    It is for what takes many bytes for each character.
    """
    start = 0
    while len(text) - start > AT_ONCE:
        found = mark.search(text, start + AT_ONCE) if mark else None
        if mark and not found:
            break
        stop = found.end() if found else start + AT_ONCE
        yield text[start:stop]
        start = stop
    yield text[start:]


def read_anew(cover: Cover) -> Iterator[tuple[str, str]]:
    r"""Yield stretches of a text as they are meant, each with a name for what was done.

    >>> hidden = "".join(f"\\u{ord(char):04x}" for char in "the sea comes in")
    >>> list(read_anew(Cover.of(f"Look: {hidden}")))
    [('escapes', 'Look: the sea comes in')]
    >>> list(read_anew(Cover.of("t\bth\bhe\be _\bs_\be_\ba")))
    [('overstrike', 'the sea')]
    """
    encoded = cover.encoded
    if cover.count(b"\\", b"&", b"%") >= LEAST_MARKS:
        yield from _read(ESCAPES, cover, _ESCAPE, _unescaped)
    if any(one[:1] in encoded and one in encoded for one in _BLANKS_ENCODED):  # a byte is found 30 times as fast
        yield from _read(BLANKS, cover, _BLANK, partial(_BLANK.sub, " "))
    if cover.count(b"<") >= LEAST_TAGS:
        yield from _read(ELEMENTS, cover, _TAGS, partial(_TAGS.sub, " "), LEAST_TAGS)
    if b"\b" in encoded:
        yield from _read(OVERSTRIKE, cover, _STRUCK, partial(_STRUCK.sub, ""), 1, AROUND)
    if b"\x1b" in encoded:
        yield from _read(COLOURS, cover, _CODE, partial(_CODE.sub, ""), 1, AROUND)
    if _INVISIBLE in encoded:
        yield from _invisible(cover.text)
    if cover.count(*map(str.encode, _JOINED)) >= LEAST_JOINED:
        yield from _read(PIECES, cover, _JOINT, partial(_JOINT.sub, ""), 1, AROUND)
    for column in columns(encoded):
        yield COLUMNS, column
    yield from between(encoded)


def _read(
    name: str,
    cover: Cover,
    mark: re.Pattern[str],
    read: Callable[[str], str],
    least: int = LEAST_MARKS,
    most_between: int = MOST_BETWEEN,
) -> Iterator[tuple[str, str]]:
    """Yield the stretches in which so many marks and more stand close together, each read anew."""
    for start, stop in _stretches(cover.text, mark, least, most_between):
        yield name, "".join(map(read, bites(cover.text[start:stop], mark)))


def _stretches(text: str, mark: re.Pattern[str], least: int, most_between: int) -> Iterator[tuple[int, int]]:
    """Yield where these stretches are, with what is between the marks and around."""
    start = stop = n_marks = 0
    for found in mark.finditer(text):
        if n_marks and found.start() - stop > most_between:
            if n_marks >= least:
                yield max(0, start - most_between), stop + most_between
            n_marks = 0
        if not n_marks:
            start = found.start()
        stop = found.end()
        n_marks += -(-len(found[0]) // _MARK_CHARS)
    if n_marks >= least:
        yield max(0, start - most_between), stop + most_between


def _invisible(text: str) -> Iterator[tuple[str, str]]:
    letters = "".join("".join(_TAG_LETTERS.findall(bite)).translate(_LETTERS) for bite in bites(text))
    if len(letters) >= LEAST_INVISIBLE:
        yield INVISIBLE, letters
    numbers = b"".join("".join(_SELECTORS.findall(bite)).translate(_NUMBERS).encode("latin-1") for bite in bites(text))
    if len(numbers) >= LEAST_INVISIBLE:
        yield INVISIBLE, numbers.decode("utf-8", "replace")


def _unescaped(stretch: str) -> str:
    text = _ESCAPE.sub(_meant, _OF_LINES.sub(" ", stretch))
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _meant(escape: re.Match[str]) -> str:
    written = escape[0]
    if written.startswith("\\\\"):  # JSON in JSON
        written = "\\" + written.lstrip("\\")
    if written[0] == "\\" and written[1] in "uU":
        number = int(written[2:].strip("{}"), 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    if written.startswith("&"):
        return html.unescape(written)
    raw = bytes(_byte(one) for one in re.findall(r"\\x..|%..|\\...", written))
    text = raw.decode("utf-8", "replace")
    return text if 20 * text.count("\ufffd") <= len(text) else raw.decode("latin-1")


def _byte(written: str) -> int:
    return int(written[1:], 8) if written[1:2].isdigit() and written.startswith("\\") else int(written[-2:], 16)
