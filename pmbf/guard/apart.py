r"""Words set apart: one a line, in a field of their own, or with something between them.

    7,the           msgid "the"         x7 = "the"           th-e se-a com-es in           the um sea um comes um in um
    8,sea           msgid "sea"         x8 = "sea"           [the](u) [sea](u) [comes](u) [in](u)

Fields are rows of a table, strings of a program or of a translation. Lines that differ in their letters, digits and
spaces alone have one *shape*: the same signs, in whatever order. Where many short lines of one shape stand close
together, each column of them is read downwards. Numbers are left out.

Between words stand signs inside them, or a filler after each. Where most words of a stretch are so, the stretch is read
once more without the signs, or without the fillers. A filler after each word is a number, or a word that stands near at
an even distance once more, or a short word. One of two words is left out at most, so that of `the the` one is kept. A
filler after every second word is the same each time. All this is one pass over the places where words begin and end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

LEAST_ROWS = 20
"""Of one shape in twice as many lines."""
MOST_COLUMNS = 30
FIELD_BYTES = 7
"""Of a sign and what follows, without spaces, on average: in longer fields words stand beside each other anyway."""
MORE_FIELDS = 3
MOST_SAME = LEAST_ROWS // 2
"""Different fields of a column that says the same again and again."""
LEAST_SHARE = 0.05
"""Of the fields of a column, that differ: a book of 100,000 words has more words."""
LONG_FIELD = 24
"""Bytes of a field that holds several words: it is left out."""
LEAST_LINE = 3
"""Bytes of a line that says anything."""

_FIELD_SIGNS = b'\t"#$%&()*+,/:;<=>@[\\]^`{|'
_LINE_ENDS = bytes.maketrans(b"}", b"\n")
_FIELD_ENDS = bytes.maketrans(_FIELD_SIGNS + b"}", b"\t" * len(_FIELD_SIGNS) + b"\n")
_NUMBER = re.compile(r"[\W\d_]+\Z")

SIGNS, FILLERS = "signs inside words", "words between words"

WINDOW = 48
"""Words looked at together, fillers and parts of words included: of 300 letters there are 50 and more."""
LEAST_LEFT_OUT = 0.47
"""Share of fillers: one after each word, but for some words that are written as two."""
LEAST_SAME = 0.3
"""Share of one and the same filler after every second word."""
LEAST_OTHERS = 0.25
"""Share of words that are no filler by themselves, nor a letter: a table of numbers has none."""
LEAST_JOINED = 0.35
"""Share of words with a sign before them that stands inside a word. Of words of two letters none is inside."""
MOST_SIGNS = 4
LOOKED_BACK = 32
"""Words before and after a filler among which it may stand once more."""
SHORT = 3
"""Bytes of a short word."""

_CHUNK_BYTES = 1 << 20
_OTHER, _SIGN, _SPACE, _WORD = range(4)
_SIGNS = "*~{}\\'/|^+`-"
_LONG_SIGNS = {one.encode(): b"-" for one in ("·", "’", "\u2010", "\u2011", "\\_")}
_INSIDE = re.compile(rf"(?<=\w)[{re.escape(_SIGNS)}]{{1,{MOST_SIGNS}}}(?=\w)")
_DIGITS = bytes(byte in b"0123456789" for byte in range(256))

Marks = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]


def _weights() -> bytes:
    """Return what each byte adds to a shape: of two signs another sum than of any one."""
    weights = bytearray(256)
    for number, sign in enumerate(_FIELD_SIGNS):
        weights[sign] = 101 + 5 * number
    return bytes(weights)


_WEIGHTS = _weights()
_IS_SIGN = bytes(byte in _FIELD_SIGNS for byte in range(256))


def columns(encoded: bytes) -> Iterator[str]:
    r"""Yield the columns of each table in a text, given in UTF-8, a blank line between.

    >>> words = "now the sea comes in and covers all the stones that lay so dry in the sun this long morning".split()
    >>> [table] = columns("".join(f'x{n} = "{word}"\n' for n, word in enumerate(words)).encode())
    >>> [column[:18] for column in table.split("\n\n")]
    ['x0 x1 x2 x3 x4 x5 ', 'now the sea comes ']
    """
    for chunk in _chunks(encoded):
        tables = _tables(chunk)
        lines = _fielded(chunk).split(b"\n") if tables else []
        for first, last in tables:
            rows = [list(filter(None, line.split(b"\t"))) for line in lines[first:last]]
            rows = [row for row in rows if row]
            if joined := "\n\n".join(dict.fromkeys(filter(None, _read_downwards(rows)))):
                yield joined


def _fielded(chunk: bytes) -> bytes:
    """Return lines with tabulators between their fields, and no space beside those."""
    return chunk.replace(b"  ", b"\t").translate(_FIELD_ENDS, b"\r").replace(b" \t", b"\t").replace(b"\t ", b"\t")


def _read_downwards(rows: Sequence[list[bytes]]) -> Iterator[str]:
    """Yield the columns of rows, and of the rows that begin alike: `msgid` and `msgstr` follow one another."""
    yield from _columns(rows)
    begun: dict[bytes, list[list[bytes]]] = {}
    for row in rows:
        begun.setdefault(row[0], []).append(row)
    if 1 < len(begun) <= MOST_SAME:
        for some in begun.values():
            yield from _columns(some)


def _columns(rows: Sequence[list[bytes]]) -> Iterator[str]:
    is_table = max(map(len, rows), default=0) > 1  # else the words stand beside each other as it is
    least = max(MOST_SAME, LEAST_SHARE * len(rows))
    for column in islice(zip_longest(*rows, fillvalue=b""), MOST_COLUMNS):
        short = [field for field in column if len(field) < LONG_FIELD]
        if len(set(short)) > least:
            written = b" ".join(short).decode("utf-8", "replace").split()
            words = [word for word in written if not _NUMBER.match(word)]
            if len(words) < len(written) or is_table:
                yield " ".join(words)


def _chunks(encoded: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(encoded):
        stop = start + _CHUNK_BYTES
        if stop < len(encoded):
            stop = encoded.rfind(b"\n", start, stop) + 1 or stop
        yield encoded[start:stop]
        start = stop


def _tables(chunk: bytes) -> list[tuple[int, int]]:
    """Return the ranges of lines of which many have one shape."""
    dense = chunk.translate(_LINE_ENDS, b" \r")
    starts = np.flatnonzero(np.frombuffer(b"\n" + dense, np.uint8) == ord("\n"))
    lengths = np.diff(starts, append=len(dense) + 1) - 1
    numbers = np.flatnonzero(lengths >= LEAST_LINE)
    if len(numbers) < LEAST_ROWS:
        return []
    starts, lengths = starts[numbers], lengths[numbers]
    shapes, n_signs = _sums(dense, _WEIGHTS, starts), _sums(dense, _IS_SIGN, starts)
    is_short = lengths <= FIELD_BYTES * (n_signs + MORE_FIELDS)
    is_row = np.zeros(len(starts), bool)
    for step in (1, 2, 3):
        is_row[step:] |= (shapes[step:] == shapes[:-step]) & is_short[step:]
    width = min(2 * LEAST_ROWS, len(is_row))
    crowds = _crowds(is_row, width, min(LEAST_ROWS, width - 1))
    return [(int(numbers[first]), int(numbers[last - 1]) + 1) for first, last in crowds]


def _sums(text: bytes, values: bytes, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Return what the bytes of each line are worth together: `(n_lines,) uint32`."""
    return np.add.reduceat(np.frombuffer(text.translate(values), np.uint8), starts, dtype=np.uint32)


# ---------------------------------------------------------------------- between words


def _kinds() -> bytes:
    kinds = bytearray(256)
    for byte in range(256):
        char = chr(byte)
        is_word = byte >= 0x80 or char.isalnum()
        kinds[byte] = _WORD if is_word else _SPACE if char.isspace() else _SIGN if char in _SIGNS else _OTHER
    return bytes(kinds)


_KINDS = _kinds()


class _Words(NamedTuple):
    """Where the words of a chunk of UTF-8 begin and end, and what its bytes are."""

    raw: npt.NDArray[np.uint8]
    kinds: npt.NDArray[np.uint8]
    starts: Places
    stops: Places


def between(encoded: bytes) -> Iterator[tuple[str, str]]:
    """Yield stretches of a text without what stands between its words, each with a name for what was left out.

    Args:
        encoded: The text in UTF-8.

    >>> words = "now the sea comes in and covers all those stones that lay so dry in the sun this long morning".split()
    >>> [(name, read[:15]) for name, read in between(" ".join(f"{word} um" for word in words * 2).encode())]
    [('words between words', 'now the sea com')]
    >>> [(name, read[:15]) for name, read in between(" ".join(f"{word[:1]}-{word[1:]}" for word in words * 2).encode())]
    [('signs inside words', 'now the sea com')]
    """
    for start in range(0, len(encoded), _CHUNK_BYTES):
        chunk = encoded[start : start + _CHUNK_BYTES]
        for written, sign in _LONG_SIGNS.items():
            chunk = chunk.replace(written, sign)
        words = _words(chunk)
        if len(words.starts) < WINDOW:
            continue
        for first, last in _crowds(_joined(words), WINDOW, LEAST_JOINED * WINDOW):
            yield SIGNS, _INSIDE.sub("", _text(words, first, last))
        yield from ((FILLERS, one) for one in _without_fillers(words))


def _words(chunk: bytes) -> _Words:
    kinds = np.frombuffer(chunk.translate(_KINDS), np.uint8)
    is_word = kinds == _WORD
    turns = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
    edges = ([0] if is_word[0] else [], turns, [len(chunk)] if is_word[-1] else [])
    turns = np.concatenate(edges).astype(np.int64)
    return _Words(np.frombuffer(chunk, np.uint8), kinds, turns[::2], turns[1::2])


def _joined(words: _Words) -> Marks:
    """Return before which words some signs stand and nothing else, up to the word before: `(n_words,) bool`."""
    before, after = words.stops[:-1], words.starts[1:]
    joined = (words.kinds[before] == _SIGN) & (words.kinds[after - 1] == _SIGN) & (after - before <= MOST_SIGNS)
    return np.append(False, joined)


def _without_fillers(words: _Words) -> Iterator[str]:
    """Yield each stretch once, by the first measure that finds fillers in it."""
    known, is_word = np.zeros(len(words.starts), np.bool_), words.stops - words.starts > 1
    for fillers, left_out, least in _fillers(words):
        for first, last in _crowds(left_out & ~known, WINDOW, least * WINDOW, ~fillers & is_word):
            known[first:last] = True
            yield _without(words, left_out, first, last)


def _fillers(words: _Words) -> Iterator[tuple[Marks, Marks, float]]:
    """Yield which words may be fillers, which of these are left out, and at which share of these, by three measures."""
    raw, starts, stops = words.raw, words.starts, words.stops
    lengths = stops - starts
    digits = np.frombuffer(raw.tobytes().translate(_DIGITS), np.bool_)
    numbers = digits[starts] & digits[stops - 1]
    # A word is told by its ends and its length: this is a trigger, no comparison.
    told = raw[starts].astype(np.uint32) << 16 | raw[stops - 1].astype(np.uint32) << 8 | np.minimum(lengths, 255)
    again = numbers.copy()
    for back in range(2, LOOKED_BACK + 1, 2):
        equal = told[back:] == told[:-back]
        again[back:] |= equal
        again[:-back] |= equal
    yield again, _every_other(again), LEAST_LEFT_OUT
    short = numbers | (lengths <= SHORT)
    yield short, _every_other(short), LEAST_LEFT_OUT
    equal = told[3:] == told[:-3]
    same = np.append([False] * 3, equal) | np.append(equal, [False] * 3)
    yield same, same, LEAST_SAME


def _every_other(marks: Marks) -> Marks:
    """Return the first, the third, the fifth of each run of marks; if the text begins with it, the last, and so on."""
    at = np.arange(len(marks))
    begins = np.maximum.accumulate(np.where(marks & ~np.append(False, marks[:-1]), at, 0))
    n_first = int(np.argmin(marks)) if marks[0] else 0
    begins[:n_first] = (n_first + 1) % 2
    left_out: Marks = marks & ((at - begins) % 2 == 0)
    return left_out


def _crowds(marks: Marks, width: int, least: float, others: Marks | None = None) -> Iterator[tuple[int, int]]:
    """Yield the ranges in which, of `width` in a row, at least `least` are marked, and some are others."""
    if np.count_nonzero(marks) < least:
        return
    is_crowd = _n_of(marks, width) >= least
    if others is not None:
        is_crowd &= _n_of(others, width) >= LEAST_OTHERS * width
    turns = np.flatnonzero(np.diff(is_crowd, prepend=False, append=False))
    for first, last in turns.reshape(-1, 2).tolist():
        yield first, last + width - 1


def _n_of(marks: Marks, width: int) -> Places:
    n_before = np.append(0, np.cumsum(marks))
    n_in_window: Places = n_before[width:] - n_before[:-width]
    return n_in_window


def _text(words: _Words, first: int, last: int) -> str:
    return words.raw[words.starts[first] : words.stops[last - 1]].tobytes().decode("utf-8", "replace")


def _without(words: _Words, left_out: Marks, first: int, last: int) -> str:
    """Return the words of a range that are not left out."""
    pieces = []
    for at in (first + np.flatnonzero(~left_out[first:last])).tolist():
        pieces.append(words.raw[words.starts[at] : words.stops[at]].tobytes().decode("utf-8", "replace"))
    return " ".join(pieces)
