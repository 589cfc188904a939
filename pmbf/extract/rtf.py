"""RTF, token by token: groups, control words, and bytes in the code page of the font they are set in.

The library striprtf leaves out headers, footers, notes, comments and text boxes.

Source:
    Rich Text Format (RTF) Specification, version 1.9.1, Microsoft 2008.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from pmbf.base.errors import IncompleteError
from pmbf.extract.flow import Flow
from pmbf.extract.kinds import TEXT_KINDS, guess_kind
from pmbf.extract.reading import Reading
from pmbf.extract.strings import runs

MAX_GROUPS = 10_000
"""The most groups inside each other; Word nests some tens."""
USUAL_FALLBACK_CHARS = 8
"""Characters that old programs show in place of one that they do not know. Programs write a few; more can hide text."""
LEAST_BYTES = 64
"""Least length of data in a group that is left out; shorter data are a number or a hash."""
CHARACTERS = {
    **dict.fromkeys(("tab", "cell", "nestcell"), "\t"),
    **dict.fromkeys(("emspace", "enspace", "qmspace"), "\u2002"),
    "emdash": "\u2014",
    "endash": "\u2013",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "~": "\xa0",
    "-": "\xad",
    "_": "\u2011",
}
ESCAPED = frozenset("\\{}")
LINE = frozenset({"par", "line", "sect", "page", "column", "row", "nestrow", "\n", "\r"})
ASIDE = frozenset(
    {"footnote", "annotation", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"}
    | {"shptxt", "dptxbxtext", "deleted"}
)
"""Groups whose text follows the line they hang on: notes, comments, headers, text boxes, deleted text."""
UNREAD = frozenset(
    {"colortbl", "stylesheet", "info", "pict", "fldinst", "listtext", "pntext", "sn", "sv", "nonesttables", "objdata"}
    | {"objclass", "objname", "themedata", "datastore", "xe", "tc", "bkmkstart", "bkmkend", "template", "filetbl"}
    | {"listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "latentstyles"}
    | {"ftnsep", "ftnsepc", "aftnsep", "aftnsepc"}
)
STARRED_BUT_READ = ASIDE | {"shpinst", "do", "ud", "fldrslt", "field", "result", "nestrow"}
"""`\\*` means: skip an unknown group. These groups are known."""
# fmt: off
CODE_PAGES = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}
# fmt: on
"""`\\fcharset` -> codec."""

_HEX = re.compile(rb"[0-9A-Fa-f\s]+")
_TOKEN = re.compile(
    rb"(?P<text>[^\\{}\r\n]+)|\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|(?P<brace>[{}])|\\(?P<symbol>[^A-Za-z])|[\r\n]+|\\",
    re.S,
)


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the text of an RTF document."""
    reader = _Reader(reading)
    reader.run(raw)
    return reader.flow.text() + (reader.unread.text() if reading.unseen else "")


@dataclass(frozen=True, slots=True)
class _Group:
    codec: str = "cp1252"
    fallback_chars: int = 1
    is_read: bool = True
    is_font_table: bool = False
    is_aside: bool = False


class _Reader:
    def __init__(self, reading: Reading) -> None:
        self.flow = Flow()
        self.unread = _Unread(reading)
        self._reading = reading
        self._group = _Group()
        self._outer: list[_Group] = []
        self._codecs: dict[int, str] = {}
        self._font = self._default_font = 0
        self._default_codec = "cp1252"
        self._bytes = bytearray()
        self._n_to_skip = 0
        self._is_starred = False

    def run(self, raw: bytes) -> None:
        """Read all tokens, those after the end, too: not every program stops there."""
        position, end = 0, 0
        while token := _TOKEN.match(raw, position):
            n_data = self._take(token)
            position = token.end() + n_data
            if n_data and self._reading.unseen:
                self.unread.data(raw[token.end() : position])
            if token["brace"] and not self._outer:
                end = end or position
        self._flush()
        self.unread.end(self._group.codec)
        if self._outer:
            self._reading.problem(f"ends inside {len(self._outer)} open groups: cut short")
        elif raw[end:].strip(b"\0 \r\n\t"):
            self._reading.problem(f"{len(raw) - end} bytes after its end")
        self._reading.spend_text(self.flow.n_chars)

    def _take(self, token: re.Match[bytes]) -> int:
        """Act on a token; return the number of raw bytes after it that are no tokens."""
        if token.lastgroup == "text":
            self._characters(token["text"])
        elif token.lastgroup == "hex":
            self._characters(bytes([int(token["hex"], 16)]))
        elif token["brace"]:
            self._brace(token["brace"])
        elif token["word"]:
            number = int(token["number"]) if token["number"] else None
            return self._word(token["word"].decode("ascii"), number)
        elif token["symbol"]:
            self._symbol(token["symbol"].decode("latin-1"))
        return 0

    def _characters(self, text: bytes) -> None:
        n_skipped = min(self._n_to_skip, len(text))
        self._n_to_skip -= n_skipped
        if n_skipped and self._group.fallback_chars > USUAL_FALLBACK_CHARS:
            self.unread.take(text[:n_skipped])
        if self._group.is_read and not self._group.is_font_table:
            self._bytes += text[n_skipped:]
        else:
            self.unread.take(text[n_skipped:])

    def _write(self, text: str) -> None:
        self._flush()
        if self._group.is_read:
            self.flow.write(text)
        else:
            self.unread.write(text)

    def _flush(self) -> None:
        """Decode the bytes collected so far: a character of two bytes may come as two tokens."""
        if self._bytes:
            text = self._bytes.decode(self._group.codec, "replace")
            if "\ufffd" in text:
                self._reading.problem(f"{text.count(chr(0xFFFD))} characters are not valid {self._group.codec}")
            self.flow.write(text)
            self._bytes.clear()

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self.unread.end(self._group.codec)
        self._n_to_skip = 0
        self._is_starred = False
        if brace == b"{":
            if len(self._outer) >= MAX_GROUPS:
                raise IncompleteError(f"more than {MAX_GROUPS} groups inside each other")
            self._outer.append(self._group)
            self._group = replace(self._group, is_aside=False)
        elif self._outer:
            if self._group.is_aside:
                self.flow.close_aside()
            self._group = self._outer.pop()

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._is_starred = True
        elif symbol in ESCAPED:
            self._characters(symbol.encode())
        elif self._n_to_skip:
            self._n_to_skip -= 1
        elif symbol in LINE:
            self._end_line()
        elif symbol in CHARACTERS:
            self._write(CHARACTERS[symbol])
        elif symbol == "'":
            self._reading.problem("a broken \\' escape")

    def _end_line(self) -> None:
        self._flush()
        if self._group.is_read:
            self.flow.end_line()

    def _word(self, word: str, number: int | None) -> int:
        if word == "bin":
            return max(0, number or 0)
        starred, self._is_starred = self._is_starred, False
        if word in UNREAD or (starred and word not in STARRED_BUT_READ):
            self._leave_out(word)
        elif word in ASIDE and self._group.is_read:
            self._set_aside(word, number)
        elif word == "u" and number is not None:
            self._write(chr(number & 0xFFFF))
            self._n_to_skip = self._group.fallback_chars
        elif self._n_to_skip:
            self._n_to_skip -= 1
        elif word in LINE:
            self._end_line()
        elif word in CHARACTERS:
            self._write(CHARACTERS[word])
        else:
            self._property(word, number)
        return 0

    def _leave_out(self, word: str) -> None:
        self._flush()
        if word == "objdata" and self._group.is_read:
            self._reading.problem("an embedded object: skipped")
        self._group = replace(self._group, is_read=False)

    def _set_aside(self, word: str, number: int | None) -> None:
        self._flush()
        if number != 0 and not self._group.is_aside:  # \deleted0 switches off
            self.flow.open_aside()
            self._group = replace(self._group, is_aside=True)

    def _property(self, word: str, number: int | None) -> None:
        if word == "fonttbl":
            self._group = replace(self._group, is_font_table=True)
        elif number is None:
            if word in ("plain", "mac", "pc", "pca"):
                self._code_page(word)
        elif word == "uc":
            self._group = replace(self._group, fallback_chars=min(max(number, 0), 1000))
        elif word == "ansicpg":
            self._default_codec = _known(f"cp{number}") or self._default_codec
            self._use(self._default_codec)
        elif word == "deff":
            self._default_font = number
        elif word == "f":
            self._font = number
            if not self._group.is_font_table:
                self._use(self._codecs.get(number, self._default_codec))
        elif word == "fcharset" and self._group.is_font_table and len(self._codecs) < MAX_GROUPS:
            self._codecs[self._font] = CODE_PAGES.get(number, self._default_codec)

    def _code_page(self, word: str) -> None:
        if word == "plain":
            self._use(self._codecs.get(self._default_font, self._default_codec))
        else:
            self._default_codec = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
            self._use(self._default_codec)

    def _use(self, codec: str) -> None:
        self._flush()
        self._group = replace(self._group, codec=codec)


def _known(codec: str) -> str | None:
    if codec in ("cp65001", "cp1200"):
        return "utf-8"
    try:
        return codecs.lookup(codec).name
    except LookupError:
        return None


class _Unread:
    """Collects the text of groups that no program shows: properties, names of fonts, pictures, unknown groups."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._open = bytearray()
        self._lines: list[str] = []
        self._found: list[str] = []

    def write(self, text: str) -> None:
        """Take a character that is written as a control word."""
        self._open += text.encode(errors="replace")

    def take(self, raw: bytes) -> None:
        """Take bytes as they stand between control words."""
        self._open += raw

    def end(self, codec: str) -> None:
        """End a group: the taken bytes are text in some code page, or data in hexadecimal."""
        raw = bytes(self._open)
        self._open.clear()
        if len(raw) >= 2 * LEAST_BYTES and _HEX.fullmatch(raw):
            digits = b"".join(raw.split())
            self.data(bytes.fromhex(digits[: len(digits) & ~1].decode()))
        elif raw.strip():
            self._lines.append(raw.decode(codec, "replace"))

    def data(self, raw: bytes) -> None:
        """Take bytes that are no RTF: a picture, an object, or others."""
        if len(raw) < LEAST_BYTES:
            return
        kind = guess_kind(raw, "")
        if kind and kind not in TEXT_KINDS:
            self._found.append(self._reading.embedded(raw, "data"))
        else:
            text = runs(raw)
            self._reading.spend_text(len(text))
            self._found.append(self._reading.part(f"\n{text}\n", "data"))

    def text(self) -> str:
        """Return all that was found."""
        text = " ".join(self._lines)
        self._reading.spend_text(len(text))
        return self._reading.part(f"\n{text}\n", "groups") + "".join(self._found)
