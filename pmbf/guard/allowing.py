"""Text that does not count: ignored texts, licences, letters and numbers counted up; and passages that may leave.

A passage that may leave is known by a keyed fingerprint of its content, not by its place: a keyed BLAKE2b of its folded
words. Moving, wrapping, indenting, capitals, accents and invisible letters do not change it. Without the key a list of
fingerprints tells nothing. If a passage grows, or has letters of another script, then its fingerprint is another.

Ignored texts are aligned with the checked text. Licences are known by hashes alone: the SipHash of eight words in a
row, under a key of zeros. Of a licence the least of every six hashes in a row is kept; of a notice all are. If a text
has two such hashes, with at most eight words between their words, then it quotes a licence from the first word of one
hash to the last word of the other. So the name of the licensor belongs to the quotation.

    licences.bin, little-endian
        0  8 bytes    magic "PMBFPUBL"
        8  16 bytes   version of the fold table, ASCII, padded with NUL
       24  2 uint32   number of hashes, CRC-32 of them
       32  uint32 …   lower halves of the hashes, ascending

`tools/make_licences.py` writes the file; docs/licences.md lists the licences.

Letters and numbers are counted up in `A B C D E F`, `[1], [2], [3]`, `alpha, beta`, line numbers, code pages. They
stand in very many texts, and nobody copied them from one.
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.errors import CorruptError
from pmbf.base.params import FOLD_VERSION
from pmbf.base.span import merged
from pmbf.guard.filter.sampling import winnowed
from pmbf.guard.pieces import Sliced
from pmbf.report import Span
from pmbf.screen import spans_in
from pmbf.text import fold, utf8

LICENCES_FILE = Path(__file__).with_name("licences.bin")
SHINGLE_TOKENS = 8
MOST_BETWEEN = 8
WINDOW = 6
"""Of thirteen words in a row one hash is kept; two in seven of all hashes are."""

LEAST_COUNTED = 6
"""Letters or numbers in the shortest run: a short table of numbers hardly ever has six that ascend so slowly."""
MOST_STEP = 16
"""From one to the next: an index leaves out letters without an entry, and a table counts in tens."""

FINGERPRINT_BYTES = 10
INLINE = re.compile(r"pmbf:allow\s+([0-9a-f]{20})\b")

_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"
_PLACES = {name: place for place, name in enumerate(f"{_GREEK} upsilon phi chi psi omega".split())}

_TOKEN = re.compile(r"[^\W_]+")
_HEXADECIMAL = re.compile(r"(?:0?x|u)?([0-9a-f]{2,6})", re.I)

_HEADER = struct.Struct("<8s16s2I")
_MAGIC = b"PMBFPUBL"
_NO_KEY = np.zeros(2, np.uint64)

Hashes = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class PublicText:
    """Text that does not count, wherever it stands: ignored texts, and licences if these are public, too."""

    texts: tuple[str, ...] = ()
    licences: bool = True

    def spans(self, text: str, min_chars: int) -> list[Span]:
        """Return the spans of a text that quote public text, ascending and disjoint.

        Args:
            text: The checked text.
            min_chars: Of the shortest quotation of an ignored text, in characters.
        """
        quoted = spans_in(text, self.texts, min_chars=min_chars)
        return merged([*quoted, *(licence_spans(text) if self.licences else ())])


def licence_spans(text: str) -> list[Span]:
    """Return the spans of a text that quote a licence, ascending and disjoint.

    >>> quoted = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and "
    >>> [found] = licence_spans(f"Dear all, {quoted}thank you.")
    >>> len(found) > len(quoted) // 2, licence_spans("The software is late, and nobody knows why, least of all we.")
    (True, [])
    """
    tokens = kernels.tokenise(utf8(text))
    known = np.flatnonzero(are_in(windows(tokens), licences()))
    far = np.diff(known) > SHINGLE_TOKENS + MOST_BETWEEN
    begins, ends = known[np.append(True, far)[: len(known)]], known[np.append(far, True)[: len(known)]]
    several = begins < ends
    starts, stops = tokens.starts[begins[several]], tokens.stops[ends[several] + SHINGLE_TOKENS - 1]
    return [Span(start, stop) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]


def are_in(hashes: Hashes, ascending: Hashes) -> NDArray[np.bool_]:
    """Return which hashes a list has, as `np.isin` does, which would sort the whole list for some hashes."""
    places = np.searchsorted(ascending, hashes)
    places[places == len(ascending)] = 0
    return ascending[places] == hashes if len(ascending) else np.zeros(len(hashes), bool)


def sampled(tokens: kernels.Tokens) -> tuple[Hashes, NDArray[np.intp]]:
    """Return the sampled hashes of a text as licences have them, in text order, and the first token of each."""
    first = winnowed(kernels.siphash_windows(tokens.hashes, width=SHINGLE_TOKENS, key=_NO_KEY), WINDOW)
    return windows(tokens)[first], first


def windows(tokens: kernels.Tokens) -> Hashes:
    """Return the hash of every eight words in a row."""
    return kernels.siphash_windows(tokens.hashes, width=SHINGLE_TOKENS, key=_NO_KEY).astype(np.uint32)


@cache
def licences() -> Hashes:
    """Return the hashes of the licences, ascending, read at the first call; CorruptError as for `parse`."""
    return parse(LICENCES_FILE.read_bytes(), name=str(LICENCES_FILE))


def parse(raw: bytes, *, name: str) -> Hashes:
    """Return the hashes in the bytes of a file of licences; CorruptError if it is damaged or of another version."""
    if len(raw) < _HEADER.size:
        raise CorruptError(f"{name}: {len(raw)} bytes, expected at least {_HEADER.size}; install pmbf again")
    magic, version, n_hashes, crc = _HEADER.unpack_from(raw)
    found = version.rstrip(b"\0").decode("ascii", "replace")
    if magic != _MAGIC or found != FOLD_VERSION:
        raise CorruptError(f"{name}: made for fold table {found!r}, expected {FOLD_VERSION!r}; install pmbf again")
    content = raw[_HEADER.size :]
    if (len(content), zlib.crc32(content)) != (4 * n_hashes, crc):
        raise CorruptError(f"{name}: checksum does not fit the contents; install pmbf again")
    return np.frombuffer(content, "<u4").astype(np.uint32)


def packed(hashes: Hashes) -> bytes:
    """Return the file that `parse` reads."""
    content = hashes.astype("<u4").tobytes()
    return _HEADER.pack(_MAGIC, FOLD_VERSION.encode(), len(hashes), zlib.crc32(content)) + content


def counted_up(text: Sliced, within: Sequence[Span]) -> list[Span]:
    """Return where some spans of a text only count letters or numbers up, ascending and disjoint.

    >>> counted_up("Jump to: A B C D E G | and 1 or 2 or 3", [Span(0, 38)])
    [Span(start=9, stop=20)]
    """
    return [one for span in merged(within) for one in _runs(text, span)]


def _runs(text: Sliced, span: Span) -> Iterator[Span]:
    tokens = list(_TOKEN.finditer(text[span.start : span.stop]))
    stop = 0
    # Of the tokens of a run one is a sixth: others are looked at beside it only.
    for at in range(LEAST_COUNTED - 1, len(tokens), LEAST_COUNTED):
        if at < stop:
            continue
        first = last = _value(tokens[at][0])
        start, stop = at, at + 1
        while start and _goes_on(before := _value(tokens[start - 1][0]), first):
            start, first = start - 1, before
        while stop < len(tokens) and _goes_on(last, after := _value(tokens[stop][0])):
            stop, last = stop + 1, after
        if stop - start >= LEAST_COUNTED:
            yield Span(span.start + tokens[start].start(), span.start + tokens[stop - 1].end())


_Value = tuple[str, int]
"""How a token is counted, and what it is then."""


def _value(token: str) -> _Value | None:
    if token.isdecimal():
        return "decimal", int(token[:18])
    if len(token) == 1:
        return "letter", ord(token)
    if (name := token.lower()) in _PLACES:
        return "Greek", _PLACES[name]
    written = _HEXADECIMAL.fullmatch(token)
    return ("hexadecimal", int(written[1], 16)) if written else None


def _goes_on(one: _Value | None, other: _Value | None) -> bool:
    return one is not None and other is not None and one[0] == other[0] and 0 < other[1] - one[1] <= MOST_STEP


def passage_fingerprint(text: str, key: bytes) -> str:
    """Return the fingerprint of a passage, 20 hexadecimal digits.

    >>> passage_fingerprint("No\\n  one SHALL\\u200b pass", b"key") == passage_fingerprint("no one shall pass.", b"key")
    True
    """
    words = " ".join(fold(text).text.split())
    hashed = hashlib.blake2b(key, digest_size=32, person=b"pmbf-allow-key").digest()
    return hashlib.blake2b(words.encode(), key=hashed, digest_size=FINGERPRINT_BYTES).hexdigest()


@dataclass(frozen=True, slots=True)
class Allowances:
    """The passages that a check allows."""

    key: bytes
    """That of the fingerprints."""
    listed: frozenset[str] = frozenset()
    """Fingerprints of the baseline."""
    inline: bool = True
    """Whether a note in a payload may allow passages of this payload."""
    public: PublicText = PublicText()

    def allowed_by(self, fingerprint: str, inline: frozenset[str]) -> str:
        """Return what allows a passage, `baseline` or `inline` (what its payload allows), or an empty text."""
        if fingerprint in self.listed:
            return "baseline"
        return "inline" if fingerprint in inline else ""

    def inline_in(self, text: str) -> frozenset[str]:
        """Return the fingerprints that a payload's text allows."""
        return frozenset(INLINE.findall(text)) if self.inline and "pmbf:allow" in text else frozenset()
