"""From a payload's bytes to the text that is checked, with what the text hides; or why there is none.

    bytes ─ guess_kind ─► text ─► Cover ─ seen ─► the text, and behind it what it holds in a form no reader sees

Only what is plain to tell is looked for: blocks of base64 from `LEAST_LINE` characters in a row, uuencode, runs of
`LEAST_APART` characters with one space between each two and more between words, and what `pmbf.guard.escaped` knows.
What is encrypted is told.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import NamedTuple

from pmbf import kernels
from pmbf.base.errors import IncompleteError, UnsupportedError, unexamined
from pmbf.extract import TEXT_KINDS, Limits, Part, extract, guess_kind, is_container, is_encrypted, refusal, runs
from pmbf.guard.escaped import LEAVES, Cover, bites, read_anew
from pmbf.guard.types import Payload
from pmbf.intake.texts import Text, checksum
from pmbf.text import clean

AT_ONCE_BYTES = 1 << 20
"""Of plain text that is decoded here. A longer one takes a process that is ended when its time is over."""

LEAST_LINE, LEAST_BLOCK = 60, 120
"""Characters of base64 in a row, and in a block: a signature or a hash is shorter, a mail's line has 76."""
LEAST_APART = 40

BLANK_LINE = b"\n\n"

MOST_DEPTH = 3
"""Ways of hiding inside each other, such as base64 in escapes in base64. What is hidden deeper is told."""

_OF_BASE64 = "[A-Za-z0-9+/_-]"
# Between two lines: the end of a string, the line's end, the beginning of a comment, a quotation or a string.
_JOIN = (
    r"(?:(?:\\[nr])*[\"'][ \t]*[-+,;.&)]?)?[ \t\r]*\\?\n"
    r"(?:[ \t>#*;%|]|//(?=[ \t])|--(?=[ \t])){0,40}(?:[+.&(]?[ \t]*[\"'])?"
)
_BLOCK = re.compile(
    rf"{_OF_BASE64}{{{LEAST_LINE},}}+(?:{_JOIN}{_OF_BASE64}{{{LEAST_LINE},}}+)*+(?:{_JOIN}{_OF_BASE64}++(?==*[\s\"']|=*\Z))?"
)
_JOINS = re.compile(_JOIN)
_USUAL = bytes.maketrans(b"-_", b"+/")
_UUENCODED = re.compile(r"^begin [0-7]{3,4} [^\n]+\n((?:[ -`]{1,90}\r?\n)+)", re.M)
_ARMOUR = re.compile(
    r"-----BEGIN (PGP MESSAGE|AGE ENCRYPTED FILE)-----[^\n]{0,9}\n(?:[^\n]{0,200}\n){0,8}?[ >#*|]{0,9}[A-Za-z0-9+/]{40}"
)
_LINES = re.compile(r"[^\n]+")
_FIRST_BYTES = bytes(byte for byte in range(256) if not 0x80 <= byte < 0xC0)
"""Of a character in UTF-8."""
_APART = re.compile(rf"(?<!\S)(?:\S\s{{1,6}}){{{LEAST_APART},}}+(?:\S(?!\S))?")
_IN_WORDS = re.compile(r"(?<=\S)\s(?=\S)")
_BETWEEN_WORDS = re.compile(r"\s{2,}")


@dataclass(frozen=True, slots=True)
class ReadPayload:
    """A payload as it was read."""

    payload: Payload
    """Without its content."""
    text: Text
    """What is checked, and the file's checksum if it is no plain text; empty where there is nothing."""
    n_bytes: int
    is_plain: bool = False
    """Whether the content is its own text."""
    is_text: bool = True
    """Whether it holds text at all."""
    problems: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    """Where the texts of documents inside it stand."""

    @staticmethod
    def without_text(payload: Payload, problem: str) -> ReadPayload:
        """Return a payload that could not be read."""
        return ReadPayload(payload.bare(), Text(payload.name, ""), len(payload.content or b""), problems=(problem,))


def read(payload: Payload, limits: Limits) -> ReadPayload:
    """Return a payload's text. Pictures and programs hold none; an archive that cannot be read is a problem."""
    raw = payload.content
    if raw is None:
        return ReadPayload.without_text(payload, payload.problem)
    looks = kernels.looks(raw)
    kind = guess_kind(raw, payload.name, is_clean=looks.is_clean)
    if kind is None and len(raw) <= limits.max_bytes:
        return _no_document(payload, limits)
    if looks.is_clean and kind in TEXT_KINDS and len(raw) <= min(limits.max_bytes, limits.max_text_bytes):
        whole = seen(Cover(raw, looks), limits)
        text = Text(payload.name, whole.content)
        return ReadPayload(payload.bare(), text, len(raw), True, problems=whole.problems, parts=whole.parts)
    return _extracted(payload, raw, kind, limits)


def _extracted(payload: Payload, raw: bytes, kind: str | None, limits: Limits) -> ReadPayload:
    """Return the text of what is no plain text, or not at first sight."""
    name = payload.name
    try:
        extracted = extract(raw, name, limits, apart=len(raw) > AT_ONCE_BYTES, unseen=True, kind=kind)
    except (UnsupportedError, IncompleteError) as error:
        return ReadPayload.without_text(payload, str(error).removeprefix(f"{name}: "))
    cover = Cover(clean(extracted.text).encode())
    extracted = replace(extracted, text="")
    whole, is_plain = seen(cover, limits), kind in TEXT_KINDS
    problems, parts = extracted.problems + whole.problems, extracted.parts + whole.parts
    # A scan has no text but its properties, which a screening does not read: here it has text, there it has none.
    text = Text(name, whole.content, sha256="" if is_plain else checksum(raw))
    return ReadPayload(payload.bare(), text, len(raw), is_plain, problems=problems, parts=parts)


def _no_document(payload: Payload, limits: Limits) -> ReadPayload:
    """Return the runs of text in a picture, a program or unknown bytes; of an archive they are not all there is."""
    raw, name = payload.content or b"", payload.name
    found, damage = runs(raw)
    cover = Cover(found.encode())
    del found
    whole = seen(cover, limits)
    holds_more = is_container(raw, name)
    reason = (refusal(raw, name).removeprefix(f"{name}: "),) if holds_more else ()
    text = Text(name, whole.content, sha256=checksum(raw))
    problems = reason + damage + whole.problems
    return ReadPayload(payload.bare(), text, len(raw), is_text=holds_more, problems=problems, parts=whole.parts)


# ---------------------------------------------------------------------- what is hidden


class Seen(NamedTuple):
    """A text in UTF-8, then what it hides; where this stands, and what of it could not be read."""

    content: bytes
    parts: tuple[Part, ...]
    problems: tuple[str, ...]


def seen(cover: Cover, limits: Limits) -> Seen:
    r"""Return a text with what it hides behind it, looked for until `limits.timeout_s` is over.

    >>> hidden = "Look: " + base64.b64encode(b"The quick brown fox jumps over the lazy dog. " * 3).decode()
    >>> found = seen(Cover.of(hidden), Limits())
    >>> found.parts[0].path, found.content[found.parts[0].start :][:19]
    ('base64', b'The quick brown fox')
    """
    pieces, parts, problems, n_chars = [cover.encoded], list[Part](), list[str](), 0
    end = monotonic() + limits.timeout_s
    found = _found(cover, limits, end)
    for name, hidden, told in found:
        if hidden:
            start = (n_chars or _n_chars(cover.encoded)) + len(BLANK_LINE)
            n_chars = start + len(hidden.text)
            pieces += [BLANK_LINE, hidden.encoded]
            parts.append(Part(start, n_chars, name))
        problems += [f"{name}: {what}" for what in told]
        if monotonic() > end:
            break
    if monotonic() > end:
        problems.append(f"looking for what it hides took longer than {limits.timeout_s:g} s (timeout_s)")
    found.close()  # it holds the text
    return Seen(b"".join(pieces), tuple(parts), tuple(dict.fromkeys(problems)))


def _n_chars(encoded: bytes) -> int:
    return len(encoded) - len(encoded.translate(None, _FIRST_BYTES))


Found = tuple[str, str, tuple[str, ...]]
"""A name for how it was hidden, the text, and what could not be read."""


def _found(
    cover: Cover, limits: Limits, end: float, depth: int = MOST_DEPTH
) -> Generator[tuple[str, Cover | None, tuple[str, ...]], None, None]:
    """Yield what a text hides, and what that hides, until a time."""
    for name, hidden, told in _hidden(cover, limits, end):
        inner = Cover.of(hidden) if hidden else None
        yield name, inner, told
        if inner is None or name in LEAVES:
            continue
        if depth > 1:
            yield from _found(inner, limits, end, depth - 1)
        elif any((hidden or told) and way not in LEAVES for way, hidden, told in _hidden(inner, limits, end)):
            yield name, None, (f"hides text more than {MOST_DEPTH} times inside each other: not read",)


def _hidden(cover: Cover, limits: Limits, end: float) -> Iterator[Found]:
    """Yield what a text hides, one way of hiding after another; none is begun behind a time."""
    ways: list[Callable[[], Iterator[Found]]] = [lambda: ((way, told, ()) for way, told in read_anew(cover))]
    if cover.looks.longest >= LEAST_LINE:
        ways.append(lambda: _of_all(_unpacked(cover.text), "base64", limits, end))
    if cover.looks.n_apart >= LEAST_APART - 2:
        ways.append(lambda: _together(cover.text))
    if b"begin " in cover.encoded:
        ways.append(lambda: _of_all(map(_uudecoded, _UUENCODED.finditer(cover.text)), "uuencode", limits, end))
    if b"-----BEGIN " in cover.encoded:
        ways.append(lambda: ((one[1], "", ("encrypted or compressed",)) for one in _ARMOUR.finditer(cover.text)))
    for way in ways:
        if monotonic() > end:
            return
        try:
            yield from way()
        except Exception as error:  # the other ways, and the text as it stands, are looked at all the same
            yield "hidden text", "", (unexamined(error),)


def _of_all(contents: Iterable[bytes], name: str, limits: Limits, end: float) -> Iterator[Found]:
    for raw in contents:
        yield from _of_bytes(raw, name, limits, end)


def _unpacked(text: str) -> Iterator[bytes]:
    """Yield what blocks of base64 hold."""
    for block in _BLOCK.finditer(text):
        packed = io.BytesIO()
        # A long line is looked through for nothing.
        for bite in bites(block[0], _JOINS) if "\n" in block[0] else [block[0]]:
            packed.write((_JOINS.sub("", bite) if "\n" in bite else bite).encode().translate(_USUAL))
        if (n_chars := packed.tell()) < LEAST_BLOCK:
            continue
        packed.write(b"=" * (-n_chars % 4))
        packed.truncate(n_chars - 1 if n_chars % 4 == 1 else packed.tell())
        yield base64.b64decode(packed.getbuffer())


def _uudecoded(block: re.Match[str]) -> bytes:
    raw = bytearray()
    for line in _LINES.finditer(block[1]):
        try:
            raw += binascii.a2b_uu(line[0].removesuffix("\r"))
        except binascii.Error:  # the line that says `end`, or none of them
            break
    return bytes(raw)


def _of_bytes(raw: bytes, name: str, limits: Limits, end: float) -> Iterator[Found]:
    """Yield the text that bytes hold; keys, hashes and pictures hold none, and are no text in another encoding.

    All of a payload's blocks together take no longer than one file may: until `end`.
    """
    kind = guess_kind(raw, "")
    if kind in TEXT_KINDS:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
        if text.count("\ufffd") * 20 <= len(text):  # a word behind the block may have been taken for its last line
            yield name, text, ()
    elif kind:
        try:
            left_s = max(0.001, end - monotonic())
            found = extract(raw, name, replace(limits, timeout_s=left_s), unseen=True)
        except (UnsupportedError, IncompleteError) as error:
            yield name, "", (str(error).removeprefix(f"{name}: "),)
        else:
            yield name, found.text, found.problems
    elif is_encrypted(raw):
        yield name, "", ("encrypted",)
    else:
        yield name, *runs(raw)


def _together(text: str) -> Iterator[Found]:
    """Yield what stands with its letters set apart, put together."""
    for run in _APART.finditer(text):
        put = "".join(_IN_WORDS.sub("", bite) for bite in bites(run[0], _BETWEEN_WORDS))
        if not _APART.search(put):  # else a list of letters, with more than a space between two
            yield "letters set apart", put, ()
