"""Text that a payload holds in a form no reader sees: packed in base64, or with its letters set apart.

Only what is plain to tell is looked for: blocks of base64 from `LEAST_LINE` characters in a row, and runs of
`LEAST_APART` characters with one space between each two and more between words. What comes of it is checked beside the
text.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic

from pmbf.errors import IncompleteError, UnsupportedError
from pmbf.extract import TEXT_KINDS, Limits, Part, extract, guess_kind
from pmbf.kernels import Looks
from pmbf.text import clean

LEAST_LINE, LEAST_BLOCK = 60, 120
"""Characters of base64 in a row, and in a block: a signature or a hash is shorter, a mail's line has 76."""
LEAST_APART = 40

BLANK_LINE = "\n\n"

_OF_BASE64 = "[A-Za-z0-9+/_-]"
_BLOCK = re.compile(
    rf"{_OF_BASE64}{{{LEAST_LINE},}}+(?:[ \t\r]*\n[ \t>]*{_OF_BASE64}{{{LEAST_LINE},}}+)*+"
    rf"(?:[ \t\r]*\n[ \t>]*{_OF_BASE64}++(?==*\s|=*\Z))?"
)
_APART = re.compile(rf"(?<!\S)(?:\S\s{{1,6}}){{{LEAST_APART},}}+(?:\S(?!\S))?")
_IN_WORDS = re.compile(r"(?<=\S)\s(?=\S)")


@dataclass(frozen=True, slots=True)
class Seen:
    """A text with what was found hidden in it behind it.

    Args:
        text: The whole.
        parts: Where what was hidden stands.
        problems: What of it could not be read.
    """

    text: str
    parts: tuple[Part, ...] = ()
    problems: tuple[str, ...] = ()


def seen(text: str, looks: Looks, limits: Limits) -> Seen:
    r"""Return a text with what it hides.

    Args:
        text: Clean.
        looks: Of the same in UTF-8.
        limits: For what base64 holds.

    >>> from pmbf.kernels import looks
    >>> hidden = "Look: " + base64.b64encode(b"The quick brown fox jumps over the lazy dog. " * 3).decode()
    >>> found = seen(hidden, looks(hidden.encode()), Limits())
    >>> found.parts[0].path, found.text[found.parts[0].start :][:19]
    ('base64', 'The quick brown fox')
    """
    may_be_packed, may_be_apart = looks.longest >= LEAST_LINE, looks.n_apart >= LEAST_APART - 2
    if not (may_be_packed or may_be_apart):
        return Seen(text)
    pieces, parts, problems = [text], list[Part](), list[str]()
    n_chars = len(text)
    for name, hidden, told in [
        *(_unpacked(text, limits) if may_be_packed else ()),
        *(_together(text) if may_be_apart else ()),
    ]:
        pieces += [BLANK_LINE, clean(hidden)]
        n_chars += len(BLANK_LINE) + len(hidden)
        parts.append(Part(n_chars - len(hidden), n_chars, name))
        problems += [f"{name}: {what}" for what in told]
    return Seen("".join(pieces), tuple(parts), tuple(problems)) if parts or problems else Seen(text)


def _unpacked(text: str, limits: Limits) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield what blocks of base64 hold, each with a name and with what of it could not be read."""
    end = monotonic() + limits.timeout_s
    for block in _BLOCK.finditer(text):
        packed = re.sub(r"[\s>]", "", block[0]).replace("-", "+").replace("_", "/")
        if len(packed) < LEAST_BLOCK:
            continue
        packed = packed[: len(packed) - (len(packed) % 4 == 1)]
        yield from _of_bytes(base64.b64decode(packed + "=" * (-len(packed) % 4)), limits, end)


def _of_bytes(raw: bytes, limits: Limits, end: float) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the text that bytes hold; keys, hashes and pictures hold none, and are no text in another encoding.

    All of a payload's blocks together take no longer than one file may: until `end`.
    """
    kind = guess_kind(raw, "")
    if kind in TEXT_KINDS:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
        if text.count("\ufffd") * 20 <= len(text):  # a word behind the block may have been taken for its last line
            yield "base64", text, ()
    elif kind:
        try:
            left_s = max(0.001, end - monotonic())
            found = extract(raw, "base64", replace(limits, timeout_s=left_s), unseen=True)
        except (UnsupportedError, IncompleteError) as error:
            yield "base64", "", (str(error).removeprefix("base64: "),)
        else:
            yield "base64", found.text, found.problems


def _together(text: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield what stands with its letters set apart, put together."""
    for run in _APART.finditer(text):
        yield "letters set apart", _IN_WORDS.sub("", run[0]), ()
