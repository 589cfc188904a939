"""Rows of the filter as a file: a row holds all hashes of one segment, and rows lie side by side.

`kernels.SegmentRows` draws the lines, and `docs/format.md` lays out a file, kind `ROWS`. All of it follows from the
postings, and can be made anew.
"""

from __future__ import annotations

import itertools
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.params import Params
from pmbf.filter import SEGMENT_BITS, laid, row_bits
from pmbf.kernels import BLOCK_LINES, PADDING_BYTES, Postings, Row, RowsPages, SegmentRows
from pmbf.store.files import (
    FILE_KINDS,
    HEADER,
    HEADER_BYTES,
    PAGE_BYTES,
    Identity,
    MappedFile,
    StoredFile,
    damaged,
    opened,
)

_NUMBERS = struct.Struct("<2IQ")
_OF_A_ROW = np.dtype([("serial", "<u8"), ("n_hashes", "<u8")])

_MADE_BYTES = 256 << 20
"""Bytes of rows that are made at once; of wider rows one part after another."""


class StoredRows:
    """Rows in a file. Each page of the lines is checked before its first use."""

    def __init__(self, file: MappedFile) -> None:
        self.file = file
        try:
            numbers_at = len(file.payload) - _NUMBERS.size
            file.check(numbers_at, len(file.payload))
            n_rows, n_hashes, n_lines = _NUMBERS.unpack_from(file.payload, numbers_at)
            rows_at = numbers_at - _OF_A_ROW.itemsize * n_rows
            is_possible = 1 <= n_rows <= 512 and 1 <= n_hashes <= 3 and n_lines and not n_lines % BLOCK_LINES
            if not is_possible or rows_at != _lines_bytes(n_rows, n_lines):
                raise ValueError(f"{n_rows} rows of {n_lines} bits, {n_hashes} a hash")
            file.check(rows_at, numbers_at)
            self._of_rows = np.frombuffer(file.payload, _OF_A_ROW, n_rows, rows_at)
            bits = np.frombuffer(file.payload, np.uint8, rows_at)
        except (struct.error, ValueError) as error:
            raise damaged(file.path, f"the numbers of the rows do not fit its length ({error})") from error
        pages = RowsPages(np.frombuffer(file.payload, np.uint8), file.sums, file.checked, PAGE_BYTES, 0)
        self.rows = SegmentRows(bits, n_rows, n_lines, n_hashes, pages)

    @property
    def serials(self) -> list[int]:
        """The serial of the file of postings of each row."""
        serials: list[int] = self._of_rows["serial"].tolist()
        return serials

    @property
    def n_hashes(self) -> list[int]:
        """The distinct hashes that each row holds."""
        n_hashes: list[int] = self._of_rows["n_hashes"].tolist()
        return n_hashes

    def by_serial(self) -> dict[int, Row]:
        """Return the row of each segment by the serial of its postings."""
        return {serial: (self.rows, number) for number, serial in enumerate(self.serials)}

    def bits_of(self, number: int) -> NDArray[np.uint64]:
        """Return the bits of a row, `(m / 64,) uint64`."""
        self.file.verify()
        lines = self.rows.bits[: self.rows.n_lines * self.rows.line_bits // 8]
        if self.rows.n_rows == 1:
            return lines.view("<u8")
        octets = lines.reshape(self.rows.n_lines, -1)[:, number // 8]
        return np.packbits(octets >> np.uint8(number % 8) & 1, bitorder="little").view("<u8")


def rows_at(path: Path, params: Params) -> StoredRows:
    """Return the rows in a file of `tiles/` that no catalog names here: its header says which one it is."""
    try:
        with opened(path) as file:
            fields = HEADER.unpack(file.read(HEADER_BYTES))
    except (FileNotFoundError, struct.error) as error:
        raise damaged(path, f"has no header ({error})") from error
    _, kind, _, _, collection_id, _, serial, size, crc, _ = fields
    stored = StoredFile(serial, "ROWS", size, crc)
    if kind != b"ROWS" or stored.name != f"{path.parent.name}/{path.name}":
        raise damaged(path, f"is file {serial} of the kind {kind!r}, expected rows of that number")
    return StoredRows(MappedFile(path.parents[1], stored, Identity(collection_id, params.digest())))


def segments_among(names: Iterable[str]) -> list[int]:
    """Return the serials of the files of postings among some files of a collection, ascending.

    >>> segments_among(["catalog.sqlite", "postings/000012.post", "tiles/000007.rows"])
    [12]
    """
    folder, suffix = FILE_KINDS["POST"]
    found = (re.fullmatch(rf"{folder}/([0-9]+)\.{suffix}", name) for name in names)
    return sorted(int(one[1]) for one in found if one)


def payload(segments: Sequence[tuple[int, Postings]]) -> Iterator[bytes | memoryview]:
    """Yield the parts of a file with the rows of segments, made from their postings.

    Args:
        segments: Of each the serial of its file of postings, and the postings, checked.

    Raises:
        ParameterError: The postings contradict themselves.
    """
    postings = [one for _, one in segments]
    n_lines = row_bits(max(one.n_hashes for one in postings), len(postings))
    n_parts = 1 + len(segments) * n_lines // 8 // _MADE_BYTES
    n_blocks = n_lines // BLOCK_LINES
    cuts = [BLOCK_LINES * (n_blocks * part // n_parts) for part in range(n_parts + 1)]
    for first, stop in itertools.pairwise(cuts):
        rows = np.empty((len(postings), (stop - first) // 64), np.uint64)
        for row, one in zip(rows, postings, strict=True):
            row[:] = kernels.row_of(one, n_lines, SEGMENT_BITS, first, stop)
        for lines in laid(rows):
            yield lines.data.cast("B")
    yield bytes(_lines_bytes(len(segments), n_lines) - kernels.line_bits(len(segments)) * n_lines // 8)
    of_rows = [(serial, one.n_hashes) for serial, one in segments]
    yield np.array(of_rows, _OF_A_ROW).tobytes()
    yield _NUMBERS.pack(len(segments), SEGMENT_BITS, n_lines)


def _lines_bytes(n_rows: int, n_lines: int) -> int:
    """Return the bytes of the lines with what is behind them."""
    return n_lines * kernels.line_bits(n_rows) // 8 + PADDING_BYTES
