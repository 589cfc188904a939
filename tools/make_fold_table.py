"""Write `pmbf/kernels/fold_table.bin`: what each Unicode code point folds to.

    python tools/make_fold_table.py [--check]

Run it with a Python whose `unicodedata` is version 14.0.0 (CPython 3.11), so that the table does not change.
docs/text.md has the rules; pmbf/kernels/fold_table.py draws the layout of the file.
"""

from __future__ import annotations

import re
import struct
import sys
import unicodedata
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

UNICODE_VERSION = "14.0.0"
REVISION = 2
TARGET = Path(__file__).resolve().parents[1] / "pmbf" / "kernels" / "fold_table.bin"

MAGIC = b"PMBFFOLD"
PAGE = 256
NOTHING, SEPARATOR, WORD, SINGLE, MARK = range(5)
SCRIPTS = ("LATIN ", "CYRILLIC ", "GREEK ", "ARMENIAN ")
EXPANSION, LOWER, LETTER, INVISIBLE, HYPHEN = (1 << bit for bit in (27, 28, 29, 30, 31))

# Default_Ignorable_Code_Point of Unicode 14 (DerivedCoreProperties.txt), and U+2800, a blank that is drawn as nothing.
_IGNORABLE = """00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 2800 3164
    FE00-FE0F FEFF FFA0 FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"""
# Ignorables that are common in honest texts: soft hyphens and variation selectors.
_HARMLESS = "00AD 180B-180D 180F FE00-FE0F E0100-E01EF"
# Blocks whose combining marks (Mn, Mc, Me) are dropped: Latin, Greek, Cyrillic, inherited ones, Hebrew, Arabic,
# Syriac, kana voicing, ideographic tones, musical and sign notation.
_DROPPED_MARKS = """0300-036F 0483-0489 0590-05FF 0610-06FF 0711-074A 0870-08FF 1AB0-1AFF 1DC0-1DFF 20D0-20FF
    2DE0-2DFF 302A-302F 3099-309A A66F-A67D A69E-A69F FB1E FE20-FE2F 1D165-1D1AD 1D242-1D244 1DA00-1DAAF"""
# Scripts whose letters are tokens of their own, by the start of the character's name ...
_SINGLE_NAMES = (
    *("CJK ", "HIRAGANA ", "KATAKANA ", "KATAKANA-HIRAGANA ", "HENTAIGANA ", "IDEOGRAPHIC ", "HANGZHOU "),
    *("VERTICAL ", "MASU ", "BOPOMOFO ", "YI ", "NUSHU ", "THAI ", "LAO ", "KHMER ", "MYANMAR "),
    *("TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ", "AHOM "),
)
# ... or, where Python 3.11 knows no name, by range: Tangut and its components, Khitan small script.
_SINGLE_RANGES = "17000-18CFF 18D00-18D8F"
# Radicals are symbols to Unicode, but PDF files write them where an ideograph is meant.
_RADICALS = "2E80-2EF3"
# Signs that Unicode calls letters and keyboards replace by an apostrophe or an accent.
_SPACING_MODIFIERS = "02B0-02FF"
_TRADE_MARKS = "2120 2122"
_LINE_HYPHENS = "002D 00AD 2010 0002 FFFE"
_OWN_LETTERS = dict(zip("øłđħŧðæœþ\u0131", ("o", "l", "d", "h", "t", "d", "ae", "oe", "th", "i"), strict=True))
# Kaf, yeh, heh and teh marbuta as Persian and Urdu keyboards write them, and yeh without dots as Egyptian ones do.
_OWN_LETTERS |= dict(zip("\u06a9\u06cc\u0649\u06c1\u06d5\u06c3", "\u0643\u064a\u064a\u0647\u0647\u0629", strict=True))
# Planes 4 to 13, in which Unicode has no character: one entry for all of them.
_EMPTY_PLANES = range(0x40000, 0xE0000)

_NEGATIVE_LETTER = re.compile(r"NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER ([A-Z])")
_CONJOINING = re.compile("[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?")


def main() -> None:
    """Write the table. With `--check`, compare it with the existing table instead."""
    if unicodedata.unidata_version != UNICODE_VERSION:
        sys.exit(f"unicodedata is {unicodedata.unidata_version}, expected {UNICODE_VERSION}: run with CPython 3.11")
    table = packed()
    if "--check" in sys.argv[1:]:
        sys.exit(0 if TARGET.read_bytes() == table else f"{TARGET.name} is stale: run {Path(__file__).name}")
    TARGET.write_bytes(table)


def packed() -> bytes:
    """Return the bytes of the table file."""
    expansions: list[int] = []
    empty = entry(chr(_EMPTY_PLANES.start), expansions)
    codes = range(sys.maxunicode + 1)
    entries = [empty if code in _EMPTY_PLANES else entry(chr(code), expansions) for code in codes]
    index, pages = _pages(entries)
    body = struct.pack(f"<{len(index)}H{len(pages)}I{len(expansions)}I", *index, *pages, *expansions)
    version = f"{UNICODE_VERSION}+{REVISION}".encode().ljust(16, b"\0")
    return MAGIC + version + struct.pack("<4I", len(index), len(pages), len(expansions), zlib.crc32(body)) + body


def entry(char: str, expansions: list[int]) -> int:
    """Return the table entry of a character. If it folds to several, then these are appended to `expansions`."""
    becomes = folded(char)
    bits = _flags(char)
    if len(becomes) > 1:
        return bits | EXPANSION | WORD << 21 | _script(becomes[-1]) << 24 | _expansion(becomes, expansions)
    return bits | (_class(becomes) << 21) | (_script(becomes) << 24) | _low_bits(char, becomes)


@cache
def folded(char: str) -> str:
    """Return what a character folds to: nothing, a space for a separator, or one or more folded characters.

    >>> folded("É"), folded("ﬁ"), folded("½"), folded("?")
    ('e', 'fi', ' 1 2', ' ')
    """
    if _vanishes(char):
        return ""
    if _separates(char):
        return " "
    if unicodedata.category(char) == "Nd":
        return str(unicodedata.decimal(char))
    parts = _parts(char)
    return char if parts == char else "".join(map(folded, parts))


def _parts(char: str) -> str:
    """Return the next step of folding one character; the character itself if no step is left."""
    if _is_hangul(char):
        return char
    if "\uffa1" <= char <= "\uffdc":
        return chr(int(unicodedata.decomposition(char).split()[1], 16))
    if spelled := _spelled_out(char):
        return spelled
    parts = unicodedata.normalize("NFKD", char)
    if parts != char:
        fraction = unicodedata.decomposition(char).startswith("<fraction>")
        return " " * fraction + _CONJOINING.sub(lambda jamo: unicodedata.normalize("NFC", jamo[0]), parts)
    return _OWN_LETTERS.get(char) or char.casefold()


def _spelled_out(char: str) -> str:
    """Return the letter or number in a circled sign that has no decomposition, else an empty string."""
    name = unicodedata.name(char, "")
    if letter := _NEGATIVE_LETTER.fullmatch(name):
        return letter[1]
    if "CIRCLED" in name and not unicodedata.decomposition(char) and unicodedata.category(char) == "No":
        return str(int(unicodedata.numeric(char)))
    return ""


def _vanishes(char: str) -> bool:
    category = unicodedata.category(char)
    if _in(char, _IGNORABLE) or char == "\u0640":
        return True
    if category[0] == "M":
        return _in(char, _DROPPED_MARKS)
    # Isolated Arabic points and the Greek iota subscript: a space that carries a mark, to Unicode a letter.
    parts = unicodedata.normalize("NFKD", char)
    return category[0] == "L" and len(parts) > 1 and parts[0] == " " and all(map(_vanishes, parts[1:]))


def _separates(char: str) -> bool:
    category = unicodedata.category(char)
    if _in(char, _TRADE_MARKS):
        return True
    if category[0] in "PSZC" and not _in(char, _RADICALS):
        parts = unicodedata.normalize("NFKD", char)
        return not (_spelled_out(char) or any(unicodedata.category(part)[0] in "LN" for part in parts))
    return category in ("Lm", "Sk") and _in(char, _SPACING_MODIFIERS) and unicodedata.normalize("NFKD", char) == char


def _is_hangul(char: str) -> bool:
    """Return whether a character is a syllable or compatibility jamo. These stay whole, though Unicode splits them."""
    return "\uac00" <= char <= "\ud7a3" or "\u3131" <= char <= "\u318e"


def _class(becomes: str) -> int:
    if not becomes:
        return NOTHING
    if becomes == " ":
        return SEPARATOR
    if unicodedata.category(becomes)[0] == "M":
        return MARK
    by_name = unicodedata.name(becomes, "").startswith(_SINGLE_NAMES)
    return SINGLE if by_name or _in(becomes, _SINGLE_RANGES) else WORD


def _low_bits(char: str, becomes: str) -> int:
    """Return the folded code point, or for a letter the distance mod 2^21: pages of unchanged letters are equal."""
    if becomes in ("", " "):
        return ord(becomes or "\0")
    return (ord(becomes) - ord(char)) & 0x1FFFFF


def _script(becomes: str) -> int:
    """Return 1 to 4 for a letter of `SCRIPTS`, 0 for other characters."""
    if not becomes or unicodedata.category(becomes)[0] != "L":
        return 0
    name = unicodedata.name(becomes, "")
    return next((number for number, script in enumerate(SCRIPTS, 1) if name.startswith(script)), 0)


def _flags(char: str) -> int:
    category = unicodedata.category(char)
    invisible = _in(char, _IGNORABLE) and not _in(char, _HARMLESS)
    return (
        LOWER * (category == "Ll")
        | LETTER * (category[0] in "LM")
        | INVISIBLE * invisible
        | HYPHEN * _in(char, _LINE_HYPHENS)
    )


def _expansion(becomes: str, expansions: list[int]) -> int:
    """Return start (16 bits) and length (5 bits) of the characters in `expansions`. New ones are appended."""
    codes = [ord(char) for char in becomes]
    starts = range(len(expansions) - len(codes) + 1)
    start = next((start for start in starts if expansions[start : start + len(codes)] == codes), len(expansions))
    if start == len(expansions):
        expansions.extend(codes)
    assert start < 1 << 16
    assert len(codes) < 1 << 5
    return start | len(codes) << 16


def _pages(entries: list[int]) -> tuple[list[int], list[int]]:
    """Return the page number of each 256 code points, and the distinct pages end to end."""
    numbers: dict[tuple[int, ...], int] = {}
    cut = (tuple(entries[start : start + PAGE]) for start in range(0, len(entries), PAGE))
    index = [numbers.setdefault(page, len(numbers)) for page in cut]
    return index, [value for page in numbers for value in page]


def _in(char: str, ranges: str) -> bool:
    return ord(char) in _members(ranges)


@cache
def _members(ranges: str) -> frozenset[int]:
    return frozenset(code for span in ranges.split() for code in _span(span))


def _span(span: str) -> Iterator[int]:
    first, _, last = span.partition("-")
    yield from range(int(first, 16), int(last or first, 16) + 1)


if __name__ == "__main__":
    main()
