"""Text in bytes that are no text document: in a program, in a picture, behind a damaged head.

The program `strings` finds ASCII; here any script is found. A run is 3 or more blocks in a row of 16 bytes that are
UTF-8 but for a byte in four. In UTF-16 every other byte is the high half of a letter, most often zero. This is one pass
over the bytes, some blocks at a time. Of PNG the packed comments are read, too: the chunks `zTXt` and `iTXt`.

Source:
    W3C, Portable Network Graphics (PNG) Specification, third edition, section 11.3.3.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from pmbf.extract.limits import MIB

BLOCK = 16
LEAST_BLOCKS = 3
"""Least blocks in a row: some 60 bytes with the blocks at both ends that are partly text."""
LEAST_WORDS = 6
BETWEEN = "\n\n"
MOST_BYTES = 16 * MIB
"""The most bytes of one picture's comments, unpacked."""

_PNG = b"\x89PNG\r\n\x1a\n"
_CHUNK_BYTES = 1 << 18
"""Bytes looked at together: they stay in the processor's cache. A multiple of `BLOCK`."""
_MOST_CHARS = 1 << 16
"""Characters of a run that are judged together: whether they are words."""
_NO_TEXT, _HIGH_HALF, _ASCII, _TRAIL, _LEAD = range(5)
_LATIN = "pmbf.latin"
_WIDE = ((0, "utf-16-le"), (0, "utf-16-be"), (1, "utf-16-le"), (1, "utf-16-be"))
_WORD = re.compile(
    "(?<![^\\W_])[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\uabff]{2,20}+(?=[\\s.,;:!?)'\"\\x00-\\x1f-])"
    "|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\uabff]{2}"
)
"""A word with the mark or blank after it, or two letters of a script without spaces."""

_ALPHABETIC = re.compile("[ A-Za-z\u00c0-\u052f]")


def _classes() -> npt.NDArray[np.uint8]:
    table = np.full(256, _NO_TEXT, np.uint8)
    table[[9, 10, 13, *range(32, 127)]] = _ASCII
    table[0xC2:0xF5], table[0x80:0xC0] = _LEAD, _TRAIL
    table[[0, 3, 4]] = _HIGH_HALF  # of Latin, Greek and Cyrillic letters
    return table


_CLASSES = _classes().tobytes()
_POPCOUNT = np.array([number.bit_count() for number in range(1 << BLOCK)], np.uint8)


def text_of(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text in bytes that are no document, and its problems."""
    packed, problems = _packed_comments(raw)
    return BETWEEN.join(filter(None, (runs(raw), packed))), problems


def runs(raw: bytes) -> str:
    r"""Return the runs of text in bytes, with a blank line between; empty if there are none.

    >>> text = "The quick brown fox jumps over the lazy dog, and the dog sleeps on beside the gate."
    >>> runs(bytes(99) + text.encode() + b"\x01\x02" * 99 + text.encode("utf-16-le") + bytes(99)).count(text)
    2
    >>> runs(bytes(range(256)) * 99)
    ''
    """
    found: list[tuple[int, str]] = []
    narrow, wide = _Stretches(), _Stretches()
    for at in range(0, len(raw), _CHUNK_BYTES):
        kinds = np.frombuffer(raw[at : at + _CHUNK_BYTES].translate(_CLASSES), np.uint8)
        found += [(start, _narrow(raw[start:stop])) for start, stop in narrow.ended(_dense_narrow(kinds))]
        found += [(start, _wide(raw[start:stop])) for start, stop in wide.ended(_dense_wide(kinds))]
    found += [(start, _narrow(raw[start:])) for start in narrow.open()]
    found += [(start, _wide(raw[start:])) for start in wide.open()]
    return BETWEEN.join(filter(None, (words_of(text) for _, text in sorted(found))))


class _Stretches:
    """The spans of dense blocks in a row, with the block before and the block after."""

    def __init__(self) -> None:
        self._n_blocks, self._start, self._was_dense = 0, 0, False

    def ended(self, dense: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
        """Yield the spans that end in these blocks; the blocks follow the blocks given before."""
        for turn in np.flatnonzero(np.diff(dense, prepend=self._was_dense)).tolist():
            at = self._n_blocks + turn
            if dense[turn]:
                self._start = at
            elif at - self._start >= LEAST_BLOCKS:
                yield max(0, self._start - 1) * BLOCK, (at + 1) * BLOCK
        self._n_blocks += len(dense)
        self._was_dense = bool(dense[-1])

    def open(self) -> Iterator[int]:
        """Yield the start of the span that goes on to the end of all blocks, if there is one."""
        if self._was_dense and self._n_blocks - self._start >= LEAST_BLOCKS:
            yield max(0, self._start - 1) * BLOCK


def _dense_narrow(kinds: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Return which blocks are mostly UTF-8: `(n_blocks,) bool`."""
    is_text = _padded(kinds == _ASCII)
    goes_on = kinds[1:] == _TRAIL
    goes_on &= kinds[:-1] >= _TRAIL
    is_text[: len(goes_on)] |= goes_on
    is_text[1 : len(kinds)] |= goes_on
    return _n_of_each_block(is_text) >= BLOCK * 3 // 4


def _dense_wide(kinds: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Return which blocks are mostly UTF-16, either byte first: `(n_blocks,) bool`."""
    is_letter = _padded(kinds >= _ASCII)
    is_letter[: len(kinds) - 1] &= kinds[1:] == _HIGH_HALF
    return _n_of_each_block(is_letter) >= BLOCK // 2 * 3 // 4


def _padded(marks: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    n_more = -len(marks) % BLOCK
    return np.append(marks, np.zeros(n_more, bool)) if n_more else marks


def _n_of_each_block(marks: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    return _POPCOUNT[np.packbits(marks).view(np.uint16)]


def _narrow(raw: bytes) -> str:
    return raw.decode("utf-8", _LATIN)


def _wide(raw: bytes) -> str:
    """Return the text of UTF-16, in the byte order and from the byte that give most letters of alphabets."""
    texts = [raw[first : len(raw) - (len(raw) - first) % 2].decode(order, "replace") for first, order in _WIDE]
    return max(texts, key=lambda text: len(_ALPHABETIC.findall(text, 0, _MOST_CHARS)))


def words_of(text: str) -> str:
    """Return the parts of a text that are words."""
    pieces = (text[at : at + _MOST_CHARS] for at in range(0, len(text), _MOST_CHARS))
    return "".join(
        piece for piece in pieces if sum(1 for _ in islice(_WORD.finditer(piece), LEAST_WORDS)) == LEAST_WORDS
    )


def _as_latin(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are no UTF-8 as the letters that Western programs write as single bytes."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


def _packed_comments(raw: bytes) -> tuple[str, tuple[str, ...]]:
    if not raw.startswith(_PNG) or (b"zTXt" not in raw and b"iTXt" not in raw):
        return "", ()
    at, texts, problems, n_left = len(_PNG), list[str](), list[str](), MOST_BYTES
    while at + 8 <= len(raw):
        length, kind = int.from_bytes(raw[at : at + 4], "big"), raw[at + 4 : at + 8]
        packed = _packed(kind, raw[at + 8 : at + 8 + length])
        at += 12 + length
        if not packed:
            continue
        decoder = zlib.decompressobj()
        try:
            content = decoder.decompress(packed, max(1, n_left))
        except zlib.error as error:
            problems.append(f"a packed comment: damaged: {error}")
            continue
        n_left -= len(content)
        texts.append(content.decode("utf-8", "replace"))
        if not decoder.eof:
            problems.append("a packed comment: cut short" if n_left > 0 else f"comments of over {MOST_BYTES} bytes")
    return "\n".join(texts), tuple(problems)


def _packed(kind: bytes, content: bytes) -> bytes:
    """Return the packed part of a chunk, empty if it has none."""
    rest = content.partition(b"\0")[2]
    if kind == b"zTXt":
        return rest[1:]
    if kind == b"iTXt" and rest[:1] == b"\1":
        return rest[2:].partition(b"\0")[2].partition(b"\0")[2]
    return b""


codecs.register_error(_LATIN, _as_latin)
