"""Words that are written so that a reader, or a program, puts them together, and a comparison of words does not.

Escapes (`\\u0041`, `&#65;`, `%41`), blanks that are letters by their class, a word in each element of XML or on a line.
Only where such marks stand close together is a text read anew. What is found as it stands and anew counts once.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from functools import partial

from pmbf.guard.between import FILLERS, SIGNS, between, may_have_between
from pmbf.guard.bites import bites
from pmbf.guard.columns import columns, may_be_columns
from pmbf.guard.drawn import COLOURS, INVISIBLE, OVERSTRIKE, PIECES, drawn, may_be_drawn

ESCAPES, BLANKS, ELEMENTS, COLUMNS = "escapes", "letters that look like spaces", "elements", "columns"
LEAVES = frozenset({SIGNS, FILLERS})
"""What was left out of text that programs and tables have, too: such stretches hide nothing further."""
ANEW = frozenset({ESCAPES, BLANKS, ELEMENTS, COLUMNS, OVERSTRIKE, COLOURS, INVISIBLE, PIECES}) | LEAVES
"""What was done to read a stretch anew."""

MOST_BETWEEN = 40
"""Characters between two marks of one stretch: a long word, or some short ones."""
LEAST_MARKS, LEAST_TAGS = 8, 20
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
_TAGS = re.compile(r"<[^<>\s][^<>]*+>(?:\s{0,9}<[^<>\s][^<>]*+>)*+")


def may_be_escaped(encoded: bytes) -> bool:
    """Return whether `read_anew` may find anything in a text, by its UTF-8."""
    n_marks = encoded.count(b"\\") + encoded.count(b"&") + encoded.count(b"%")
    blank = any(one[:1] in encoded and one in encoded for one in _BLANKS_ENCODED)  # a byte is found 30 times as fast
    is_marked = n_marks >= LEAST_MARKS or encoded.count(b"<") >= LEAST_TAGS or blank
    return is_marked or may_be_drawn(encoded) or may_be_columns(encoded) or may_have_between(encoded)


def read_anew(text: str, encoded: bytes) -> Iterator[tuple[str, str]]:
    r"""Yield stretches of a text as they are meant, each with a name for what was done.

    Args:
        text: The text.
        encoded: The same in UTF-8.

    >>> hidden = "".join(f"\\u{ord(char):04x}" for char in "the sea comes in")
    >>> list(read_anew(f"Look: {hidden}", f"Look: {hidden}".encode()))
    [('escapes', 'Look: the sea comes in')]
    """
    if text.count("\\") + text.count("&") + text.count("%") >= LEAST_MARKS:
        yield from _read(ESCAPES, text, _ESCAPE, LEAST_MARKS, _unescaped)
    if not text.isascii() and _BLANK.search(text):
        yield from _read(BLANKS, text, _BLANK, LEAST_MARKS, partial(_BLANK.sub, " "))
    if text.count("<") >= LEAST_TAGS:
        yield from _read(ELEMENTS, text, _TAGS, LEAST_TAGS, partial(_TAGS.sub, " "))
    yield from drawn(text)
    for column in columns(encoded):
        yield COLUMNS, column
    yield from between(encoded)


def _read(
    name: str, text: str, mark: re.Pattern[str], least: int, read: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    for start, stop in _stretches(text, mark, least):
        yield name, "".join(map(read, bites(text[start:stop], mark)))


def _stretches(text: str, mark: re.Pattern[str], least: int) -> Iterator[tuple[int, int]]:
    """Yield where so many marks and more stand close together, with what is between them and around."""
    start = stop = n_marks = 0
    for found in mark.finditer(text):
        if n_marks and found.start() - stop > MOST_BETWEEN:
            if n_marks >= least:
                yield max(0, start - MOST_BETWEEN), stop + MOST_BETWEEN
            n_marks = 0
        if not n_marks:
            start = found.start()
        stop = found.end()
        n_marks += -(-len(found[0]) // _MARK_CHARS)
    if n_marks >= least:
        yield max(0, start - MOST_BETWEEN), stop + MOST_BETWEEN


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
