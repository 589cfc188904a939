r"""Words that stand one a line, in a field of their own: rows of a table, strings of a program or of a translation.

    7,the           msgid "the"         x7 = "the"
    8,sea           msgid "sea"         x8 = "sea"

Lines that differ in their letters, digits and spaces alone have one *shape*: the same signs, in whatever order. Where
many short lines of one shape stand close together, each column of them is read downwards. Numbers are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

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

_CHUNK_BYTES = 1 << 20
_SIGNS = b'\t"#$%&()*+,/:;<=>@[\\]^`{|'
_LINE_ENDS = bytes.maketrans(b"}", b"\n")
_FIELD_ENDS = bytes.maketrans(_SIGNS + b"}", b"\t" * len(_SIGNS) + b"\n")
_NUMBER = re.compile(r"[\W\d_]+\Z")


def _weights() -> bytes:
    """Return what each byte adds to a shape: of two signs another sum than of any one."""
    weights = bytearray(256)
    for number, sign in enumerate(_SIGNS):
        weights[sign] = 101 + 5 * number
    return bytes(weights)


_WEIGHTS = _weights()
_IS_SIGN = bytes(byte in _SIGNS for byte in range(256))


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
    return [(int(numbers[first]), int(numbers[last - 1]) + 1) for first, last in _crowds(is_row)]


def _sums(text: bytes, values: bytes, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """Return what the bytes of each line are worth together: `(n_lines,) uint32`."""
    return np.add.reduceat(np.frombuffer(text.translate(values), np.uint8), starts, dtype=np.uint32)


def _crowds(is_row: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the ranges of lines in which, of `2 * LEAST_ROWS` in a row, half are rows."""
    n_before = np.concatenate([[0], np.cumsum(is_row)])
    width = min(2 * LEAST_ROWS, len(is_row))
    is_crowd = n_before[width:] - n_before[:-width] >= min(LEAST_ROWS, width - 1)
    turns = np.flatnonzero(np.diff(is_crowd, prepend=False, append=False))
    return [(first, last + width - 1) for first, last in turns.reshape(-1, 2).tolist()]
