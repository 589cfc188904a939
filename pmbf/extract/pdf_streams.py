"""The streams of a PDF, from its bytes: whether they are whole, and their words that no page shows.

If a stream breaks off, then PDFium shows the part before the break and says nothing. So zlib unpacks each stream that
may hold text once more: zlib knows where the stream should end.

PDFium also unpacks a stream to any size. So `contents` is read to its end before PDFium sees the file. Only pictures
may be denser than `max_ratio`, because a white page is.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Iterator

from pmbf.extract.limits import MIB
from pmbf.extract.reading import OverLimitError, Reading
from pmbf.extract.streams import Stream
from pmbf.extract.strings import words_of

LEAST_LETTERS = 8
"""Least letters of a string that is looked for in the shown text; any text holds shorter strings somewhere."""
MOST_LOOKED_THROUGH = 1 << 30
"""Characters that are looked through for all strings together; the strings after that are kept."""
LINE_BYTES = 40
"""Bytes of strings that are looked for together: a program writes a line, a word or a letter as a string."""
DICTIONARY_BYTES = 1 << 16
"""The most bytes before a stream that its dictionary takes."""

_EDGE = re.compile(rb">>[\s\0]*stream(?:\r\n|\n|\r)|endstream")
"""Where a stream begins or ends."""
_END = b"endstream"
_PICTURE = re.compile(rb"/Subtype\s*/Image\b")
_NO_TEXT = re.compile(rb"/Subtype\s*/(?:Image|Type1C|CIDFontType0C|OpenType)\b|/Length[123]\b|/N\s+[134]\s*/Alternate")
_NAME = rb"/([^\s\0/<>\[\](){}%]+)"
_FILTERS = re.compile(rb"/(?:Filter|F)\s*(\[[^\]]*\]|%b)" % _NAME)
_FILTER, _CODE = re.compile(_NAME), re.compile(rb"#([0-9A-Fa-f]{2})")
_FLATE, _ASCII85, _ASCII_HEX = (b"FlateDecode", b"Fl"), (b"ASCII85Decode", b"A85"), (b"ASCIIHexDecode", b"AHx")
_KNOWN = frozenset(
    b"LZWDecode LZW RunLengthDecode RL CCITTFaxDecode CCF JBIG2Decode DCTDecode DCT JPXDecode Crypt".split()
)
"""Filters that are left to PDFium."""
_EXPANDING = (*_FLATE, b"LZWDecode", b"LZW", b"RunLengthDecode", b"RL")
_SHOWS_TEXT = (b"Tj", b"TJ", b"BT", b"Td")
# A string, or one without an end, which is passed over; a gap as wide as a blank between two strings of one line; an
# operator that ends a line.
_STRING = rb"\(((?:[^()\\]|\\.)*+)\)|\((?:[^()\\]|\\.)*+"
_TOKEN = re.compile(_STRING + rb"|(-(?:1[5-9]\d|[2-9]\d\d|\d{4,}))|(\bT[dDmjJ*]|['\"])", re.S)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.S)
_MEANT = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"", b"f": b"\n", b"\n": b"", b"\r": b""}
_ZLIB = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
_BLANKS = b" \t\n\r\v\f\0"
_PLAIN = re.compile(r"[A-Za-z0-9 \n]+")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9]+")


def contents(raw: bytes, reading: Reading) -> Iterator[bytes]:
    """Yield the content of each stream that may hold text, up to its damage, which is a problem."""
    for head, packed in _streams(raw, reading):
        filters = _filters(head)
        n_expanding = sum(name in _EXPANDING for name in filters)
        if n_expanding > 1 and any(name in _KNOWN for name in filters):
            reading.problem("a stream is packed several times: its size is not known")
        if not _NO_TEXT.search(head):
            yield _unpacked(packed, filters, reading)
        elif n_expanding > 1 or not _PICTURE.search(head):
            reading.spend_expanded(len(_unpacked(packed, filters, Reading(reading.limits))))


def _streams(raw: bytes, reading: Reading) -> Iterator[tuple[bytes, bytes]]:
    """Yield the dictionary and the packed bytes of each stream. No byte is in two streams, so that time is linear.

    A stream may hold a whole PDF, unpacked. It ends here where the first stream of that PDF begins.
    """
    begun: re.Match[bytes] | None = None
    n_open = at = 0
    head = b""
    for edge in _EDGE.finditer(raw):
        if begun:
            yield head, raw[begun.end() : edge.start()]
        is_end = edge[0] == _END
        n_open += -1 if is_end else 1
        begun = None if is_end else edge
        head = raw[max(at, edge.start() - DICTIONARY_BYTES) : edge.start()]
        if begun and edge.start() - at > len(head) and b"obj" not in head:
            reading.problem(f"a stream with a dictionary of more than {DICTIONARY_BYTES} bytes: not read")
        head, at = head[head.rfind(b" obj") + 1 :], edge.end()
    if begun:
        reading.problem("a stream without an end: cut short")
        yield head, raw[begun.end() :]
    if n_open < 0:
        reading.problem("a stream without a beginning: damaged")


def _filters(head: bytes) -> list[bytes]:
    found = _FILTERS.search(head)
    return _FILTER.findall(_CODE.sub(lambda code: bytes([int(code[1], 16)]), found[1])) if found else []


def _unpacked(packed: bytes, filters: list[bytes], reading: Reading) -> bytes:
    """Return a stream's content; packed, if only PDFium knows its filter. A filter unknown to PDF is a problem."""
    most_bytes = max(MIB, reading.limits.max_ratio * len(packed))
    if not filters:  # another object may name them
        for _ in range(reading.limits.max_depth):
            if not packed.startswith(_ZLIB):
                break
            packed = _inflated(packed, most_bytes, reading)
        if packed.startswith(_ZLIB):
            reading.problem(f"a stream is packed more than {reading.limits.max_depth} times")
    for name in filters:
        try:
            if name in _ASCII85:
                packed = base64.a85decode(packed.strip().removeprefix(b"<~").removesuffix(b"~>"), ignorechars=_BLANKS)
            elif name in _ASCII_HEX:
                digits = b"".join(packed.partition(b">")[0].split())
                packed = bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii", "replace"))
            elif name in _FLATE:
                packed = _inflated(packed, most_bytes, reading)
            else:
                if name not in _KNOWN:
                    reading.problem("a stream is damaged: packed in a way that PDF does not have")
                return packed
        except ValueError as error:
            reading.problem(f"a stream is damaged: {error}")
            return packed
    return packed


def _inflated(packed: bytes, most_bytes: int, reading: Reading) -> bytes:
    stream, pieces, n_bytes = Stream(packed, 0, reading), list[bytes](), 0
    what = "cut short"
    try:
        for piece in stream:
            n_bytes += len(piece)
            if n_bytes > most_bytes:
                raise OverLimitError(f"a stream expands over {reading.limits.max_ratio} times (max_ratio)")
            pieces.append(piece)
    except zlib.error as error:
        what = f"damaged: {error}"
    if not stream.is_whole:
        reading.problem(f"a stream is {what}")
    return b"".join(pieces)


def unshown(streams: Iterable[bytes], shown: str) -> str:
    r"""Return the words in strings of streams that no page shows, if the strings are of plain letters.

    >>> shown = "The sea comes in and it goes out again"
    >>> unshown([b"BT (The sea comes in) Tj 0 -14 Td [(and it) -250 (goes o) 20 (ut again) ] TJ ET"], shown)
    ''
    >>> unshown([b"BT (And none of it was ever seen on) Tj [(any) -250 (p) 20 (age)] TJ ET"], shown)
    'And none of it was ever seen on any page '
    """
    flat = _NOT_PLAIN.sub("", shown)
    n_left = MOST_LOOKED_THROUGH
    kept: list[str] = []
    for stream in streams:
        if not any(operator in stream for operator in _SHOWS_TEXT):
            continue
        lines = []
        for line in filter(_is_text, _lines(stream)):
            n_left -= len(flat)
            if n_left < 0 or not _is_shown(line, flat):
                lines.append(line)
        kept.append(words_of(" ".join([*lines, ""])))
    return "".join(kept)


def _is_text(line: str) -> bool:
    return 3 * sum(map(len, _PLAIN.findall(line))) >= 2 * len(line)


def _is_shown(line: str, flat: str) -> bool:
    """Tell a line whose long runs of letters are all shown: fonts map ligatures, dashes and quotes elsewhere."""
    runs = ["".join(run.split()) for run in _PLAIN.findall(line)]
    return all(run in flat for run in runs if len(run) >= LEAST_LETTERS)


def _lines(stream: bytes) -> Iterator[str]:
    """Yield the strings of a stream, several joined."""
    line = bytearray()
    for string, gap, operator in _TOKEN.findall(stream):
        if operator and len(line) >= LINE_BYTES:
            yield line.decode("cp1252", "replace")
            line.clear()
        elif operator:
            line += b" "
        else:
            line += b" " if gap else _ESCAPE.sub(_meant, string).replace(b"\0", b"")
    yield line.decode("cp1252", "replace")


def _meant(escape: re.Match[bytes]) -> bytes:
    written = escape[1]
    return bytes([int(written, 8) & 0xFF]) if written.isdigit() and written < b"8" else _MEANT.get(written, written)
