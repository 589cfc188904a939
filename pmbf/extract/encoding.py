"""Bytes -> characters, for plain text of unknown encoding.

The first that fits is taken: a byte order mark, UTF-16 and UTF-32 without mark, encodings with escape sequences
(ISO-2022), strict UTF-8, damaged UTF-8, a statistical guess by charset-normalizer over a bounded sample. Nothing is
normalised: if a character is added, dropped or replaced, then `problems` says so.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import NamedTuple

SAMPLE_BYTES = 256 * 1024
"""Bytes that the guess looks at, of lines with non-ASCII bytes: only these tell encodings apart."""

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
ISO_2022 = ("iso2022_jp_2", "iso2022_jp_ext", "iso2022_kr")
ISO_2022_SHIFT = re.compile(rb"\x1b(?:\$[@B(]|\([JI]|\$\)C)")
MULTIBYTE = ("gb18030", "big5", "big5hkscs", "cp950", "cp932", "shift_jis", "euc_jp", "cp949", "euc_kr")
COMMON = (
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"),
    *("cp866", "koi8_r", "koi8_u", "iso8859_5", "iso8859_7", "mac_cyrillic"),
    *MULTIBYTE,
)
"""Usual encodings of plain text: the legacy encodings of the WHATWG Encoding Standard."""
RARE = ("cp850", "cp852", "mac_roman", "cp1258", "iso8859_4")
"""Tried if no common encoding fits: on a line or two of German they look as good as cp1252, and are almost never
right."""
WIDE_SAMPLE_BYTES = 8192
HEAD_BYTES = 8192
"""The first bytes decide whether a file is text."""
CONTROLS = bytes({*range(32), 127} - set(b"\b\t\n\v\f\r\x1a\x1b"))
"""Control characters that text does not hold."""


class Decoded(NamedTuple):
    """Text, its encoding, and the problems of decoding it."""

    text: str
    encoding: str
    problems: tuple[str, ...] = ()


def is_probably_text(raw: bytes) -> bool:
    """Tell text in any encoding from binary bytes: its first 8 KB hold hardly any control characters."""
    head = raw[:HEAD_BYTES]
    if head.startswith(_MARKS) or wide_encoding(raw):
        return True
    return (len(head) - len(head.translate(None, CONTROLS))) * 100 <= len(head)


def decode(raw: bytes) -> Decoded:
    """Return the text of bytes in any encoding.

    >>> decode("naïve".encode("utf-16-le"))
    Decoded(text='naïve', encoding='utf-16-le', problems=())
    """
    marked = _marked(raw)
    wide = wide_encoding(raw) if marked is None else marked if marked != "utf-8" else None
    found = _lenient(raw, wide) if wide else _narrow(raw)
    foreign = _foreign(raw, found.text, wide)
    if foreign is None:
        return found
    if marked and foreign < _NEAR_THE_MARK:
        found = decode(raw[len(_MARK_OF[marked]) :])
        return found._replace(problems=(f"its byte order mark says {marked}, its bytes do not", *found.problems))
    return found._replace(problems=(*found.problems, "a stretch in another encoding"))


def _foreign(raw: bytes, text: str, wide: str | None) -> int | None:
    """Return where a stretch begins that is words in another encoding, and noise in this one; None if there is none."""
    if wide:
        found = _NARROW_IN_WIDE.search(raw) or _SWAPPED.search(text)
    else:
        found = _WIDE_IN_NARROW.search(text) if b"\0" in raw else None
    return found.start() if found else None


def _narrow(raw: bytes) -> Decoded:
    if raw.startswith(codecs.BOM_UTF8):
        return _lenient(raw, "utf-8")
    for encoding in ISO_2022 if b"\x1b" in raw and ISO_2022_SHIFT.search(raw) else ():
        if (text := _strict(raw, encoding)) is not None:
            return Decoded(text, encoding)
    if (text := _strict(raw, "utf-8")) is not None:
        return Decoded(text, "utf-8")
    return _lenient(raw, "utf-8" if _is_mostly(raw, "utf-8") else _guess(raw))


def decode_as(raw: bytes, encoding: str | None) -> Decoded:
    """Return the text of bytes in their declared encoding; if none is declared or it does not fit, the detected one."""
    if encoding and not _marked(raw) and not wide_encoding(raw):
        name = _as_browsers_read_it(encoding)
        if (text := _strict(raw, name)) is not None:
            return Decoded(text, name)
        if _is_mostly(raw, name):
            return _lenient(raw, name)
    return decode(raw)


def on_the_web(label: str) -> str | None:
    """Return the encoding that a page declares, as browsers take it: UTF-16 means UTF-8, unknown ones do not count.

    Source:
        WHATWG Encoding Standard, section 4.2; HTML Standard, section 13.2.3.2, prescan.

    >>> on_the_web("ISO-8859-1"), on_the_web("utf-16"), on_the_web("cp037")
    ('cp1252', 'utf-8', None)
    """
    name = _as_browsers_read_it(label)
    return "utf-8" if name.startswith("utf-16") else name if name in _OF_BROWSERS else None


def read_otherwise(raw: bytes, text: str) -> str | None:
    """Return the plain text of bytes of which a declared encoding makes another text; None if it does not.

    The bytes are UTF-8, or hold far more ASCII than that other text: a program that ignores the declaration shows it.

    >>> raw = b"Dear reader, the sea comes in."
    >>> read_otherwise(raw, raw.decode("cp037")), read_otherwise(raw, raw.decode("cp1252"))
    ('Dear reader, the sea comes in.', None)
    """
    plain = _strict(raw, "utf-8")
    if plain is None:
        plain = decode(raw).text
        if _n_ascii(plain) <= 2 * _n_ascii(text):
            return None
    return plain if plain != text else None


def _n_ascii(text: str) -> int:
    return len(text.encode("ascii", "ignore"))


def _marked(raw: bytes) -> str | None:
    """Return the encoding that a byte order mark names."""
    if raw[:1] not in _FIRST_OF_A_MARK:
        return None
    return next((encoding for mark, encoding in BOMS if raw.startswith(mark)), None)


def wide_encoding(raw: bytes) -> str | None:
    """Return UTF-16 or UTF-32 with its byte order, if these bytes are such text without a byte order mark."""
    if raw.find(0, 0, WIDE_SAMPLE_BYTES) < 0 or len(raw) < 4:
        return None
    head = raw[: min(WIDE_SAMPLE_BYTES, len(raw) - len(raw) % 4)]  # a byte too many hides no text
    n_zeros = head.count(0)
    n_ascii = len(head) - len(head.translate(None, _PRINTABLE_ASCII))
    # ASCII with a stray zero byte must not turn into "Chinese": UTF-16 has many zeros, or few bytes that look ASCII.
    if 5 * n_zeros < len(head) and 5 * n_ascii > 4 * len(head):
        return None
    is_ascii, share, _, encoding = max((*_shares_of_text(head, encoding), encoding) for encoding in _WIDE)
    return encoding if is_ascii or share >= 0.99 else None


_FIRST_OF_A_MARK = {mark[:1] for mark, _ in BOMS}
_MARKS = tuple(mark for mark, _ in BOMS)
_MARK_OF = {encoding: mark for mark, encoding in BOMS}
_NEAR_THE_MARK = 64
_NARROW_IN_WIDE = re.compile(rb"(?:[\t\n\r\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}){48}")
_WIDE_IN_NARROW = re.compile("(?:[\\x00-\\x08\\x0e-\\x1f][^\\x00-\\x08\\x0e-\\x1f]?){16}")
# Latin and Cyrillic with the two bytes of each letter swapped, and four bytes a letter read as two.
_LATIN_SWAPPED, _CYRILLIC_SWAPPED = ("".join(chr(high << 8 | low) for high in range(16, 127)) for low in (0, 4))
_SWAPPED = re.compile(rf"[{_LATIN_SWAPPED}{_CYRILLIC_SWAPPED}]{{16}}|(?:[^\0]\0){{16}}")
_CODEC_ERRORS = (UnicodeError, LookupError, ValueError, AssertionError)
"""Errors of a codec that a stranger names: unknown, no encoding of text ("rot13"), a zero byte in the name."""
_PRINTABLE_ASCII = bytes(range(32, 127))
_NO_PRINTABLE_ASCII = bytes(code for code in range(128) if code not in _PRINTABLE_ASCII)
_STRETCH_CHARS, _MOST_NOISE = 128, 0.015
"""Characters that are looked at before it is asked whether there is more noise than 1.5 % of the whole sample: then
less than 99 % of it is printable."""
_NO_TEXT = ("Cc", "Cn", "Co", "Cs")
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")


def _shares_of_text(head: bytes, encoding: str) -> tuple[bool, float, float]:
    """Return whether most of a sample is ASCII in one encoding, and how much is printable, how much ASCII, 0 to 1.

    English with the two bytes of each letter swapped is all printable, too: Chinese. If most is ASCII, then a few lone
    surrogates hide no text. The shares are 0 if it is no text: of a picture the beginning shows that.
    """
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    n_ascii = len(text.encode("ascii", "ignore").translate(None, _NO_PRINTABLE_ASCII))
    is_ascii = 2 * n_ascii > len(text)
    n_noise = 0
    for start in range(0, len(text), _STRETCH_CHARS):
        n_noise += _n_noise(text[start : start + _STRETCH_CHARS])
        if not is_ascii and n_noise > _MOST_NOISE * len(text) + 1:
            return False, 0.0, 0.0
    return is_ascii, round(1 - n_noise / max(1, len(text)), 2), n_ascii / max(1, len(text))


def _n_noise(text: str) -> int:
    n_bad = sum(char not in "\t\n\r\f" and unicodedata.category(char) in _NO_TEXT for char in text)
    return n_bad + text.count("\ufffd")


def _strict(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except _CODEC_ERRORS:
        return None


def _lenient(raw: bytes, encoding: str) -> Decoded:
    text = raw.decode(encoding, "replace")
    n_bad = text.count("\ufffd")
    if n_bad:  # a U+FFFD that the author wrote is no damage
        n_bad -= raw.decode(encoding, "ignore").count("\ufffd")
    return Decoded(text, encoding, (f"{n_bad} characters are not valid {encoding}",) if n_bad > 0 else ())


def _is_mostly(raw: bytes, encoding: str) -> bool:
    """Tell damaged text from text in another encoding: ten sound characters outside ASCII for each bad byte."""
    sample = _sample(raw)
    try:
        text = sample.decode(encoding, "replace")
    except _CODEC_ERRORS:
        return False
    n_bad = text.count("\ufffd")
    return bool(sample) and sum(char > "\x7f" for char in text) - n_bad >= 10 * n_bad


def _sample(raw: bytes) -> bytes:
    """Return the lines that hold non-ASCII bytes, up to `SAMPLE_BYTES` in all, cut where no character can be cut."""
    pieces: list[bytes] = []
    room, stop = SAMPLE_BYTES, 0
    while room > 0 and (hit := _HIGH.search(raw, stop)):
        start = max(raw.rfind(b"\n", stop, hit.start()) + 1, stop, hit.start() - 200)
        stop = _after_line(raw, hit.end(), hit.end() + room)
        if stop == len(raw) and pieces and raw[-1] >= 0x80:
            break  # the end of a file that was cut short may be half a character
        pieces.append(raw[start:stop])
        room -= stop - start
    return b"".join(pieces)


def _after_line(raw: bytes, start: int, latest: int) -> int:
    line_end = raw.find(b"\n", start, latest) + 1
    if line_end or latest >= len(raw):
        return line_end or len(raw)
    safe = _NEVER_A_TRAIL_BYTE.search(raw, latest, latest + 4096)
    return safe.end() if safe else latest


def _guess(raw: bytes) -> str:
    sample = _sample(raw)
    # The cut in a long line may have cut a character. Its encoding fits no more then: cut elsewhere.
    is_cut = len(sample) >= SAMPLE_BYTES and not _NEVER_A_TRAIL_BYTE.match(sample[-1:])
    guesses = [_guess_of(sample[: len(sample) - n_off]) for n_off in range(4 if is_cut else 1)]
    return next((guess for guess in guesses if guess in MULTIBYTE), guesses[0])


def _guess_of(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    if len(_HIGH.findall(sample)) <= 8 and not _HIGH_PAIR.search(sample):
        return "cp1252"  # a few quotation marks or accents: too little for statistics, so the most common encoding
    common = from_bytes(sample, cp_isolation=list(COMMON)).best()
    best = common if common and common.chaos < 0.05 else from_bytes(sample, cp_isolation=[*COMMON, *RARE]).best()
    return _sharpen(_as_browsers_read_it(best.encoding), sample) if best else "cp1252"


def _sharpen(encoding: str, sample: bytes) -> str:
    """Correct two errors that the library's guess was measured to make (docs/extraction.md)."""
    if encoding == "cp1250" and not _EAST_ONLY.search(sample):
        return "cp1252"  # every letter is the same in both, and the quotation marks are those of the more common one
    if encoding == "cp1250" and not _C1.search(sample):
        return "iso8859-2"  # Czech and Polish in cp1250 write š, ž, ś, ź below 0xA0
    if encoding == "cp1251" and _HEBREW.search(sample) and not _NOT_HEBREW.search(sample):
        return "cp1255"  # the 27 letters of Hebrew lie on а to ъ; Russian without capitals, ы, ь, э, ю, я is no text
    return encoding


_HIGH = re.compile(rb"[\x80-\xff]")
_NEVER_A_TRAIL_BYTE = re.compile(rb"[\x09-\x2f]")
_HIGH_PAIR = re.compile(rb"[\x80-\xff]{2}")
_EAST_ONLY = re.compile(
    b"[\x8d\x8f\x9d\x9f%b]"
    % bytes(i for i in range(0xC0, 0x100) if bytes([i]).decode("cp1250") != bytes([i]).decode("cp1252"))
)
_C1 = re.compile(rb"[\x80-\x9f]")
_HEBREW = re.compile(rb"(?<![\xe0-\xfa])(?:[\xe0-\xfa]{2,}[^\xe0-\xfa]+){4}")
_NOT_HEBREW = re.compile(rb"[\xfb-\xff]")


def _as_browsers_read_it(encoding: str) -> str:
    """Return the superset that a name of a smaller encoding means (WHATWG Encoding Standard, section 4.2)."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return encoding
    return _SUPERSETS.get(name, name)


_OF_BROWSERS = frozenset(
    {*COMMON, "utf-8", "cp1258", "iso2022_jp", "euc_jp", "gb18030", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"}
    | {f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)}
)
"""The encodings of the WHATWG Encoding Standard, but for UTF-16, by their names here."""

_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
    "iso8859-11": "cp874",
}
