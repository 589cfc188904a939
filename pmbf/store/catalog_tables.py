"""The rows of the catalog, and how they become columns: documents, paths, files, each with its checksum."""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.store.files import FILE_KINDS, MAX_ID, NUMBERED_KINDS, StoredFile, are_possible, damaged

TEXT_KIND = "text"
"""Kind of a document made from a text that was never a file."""
BINARY_KIND = "binary"
"""Kind of a document made from a file that holds no text: it is known by its checksum alone."""


def made_from(kind: str) -> str:
    """Return what a document of this kind was made from: `TEXT_KIND`, `BINARY_KIND`, or nothing for a file with text.

    Equal contents are one document only if they were made from the same: a file that one reader finds no text in may
    have text under another name.
    """
    return kind if kind in (TEXT_KIND, BINARY_KIND) else ""


class Document(NamedTuple):
    """A document's row.

    Args:
        id: Number of the document; freed by removal and compaction, then used again.
        sha256: Of the bytes it was loaded from, hexadecimal.
        kind: Of file: `txt`, `html`, `pdf`, …; `TEXT_KIND`; `BINARY_KIND`.
        n_chars: Code points of its text.
        n_tokens: Tokens of its text.
        n_hashes: Sampled hashes, over all parts.
        n_parts: Parts of its fingerprint, one per segment.
        fingerprint_file: Serial of the file its record is in, 0 if it has none; see `codec.has_stored_fingerprint`.
        fingerprint_offset: Of the record in the payload.
        fingerprint_bytes: Length of the record.
        text_file: Serial of the file its text is in, 0 when no text is stored or there is none.
        text_offset: Of the first block in the payload.
        text_skip: Raw bytes of that block before the text begins.
        text_bytes: Length of the text in UTF-8.
        removed: 1 once it is removed and waits for compaction.
        problems: What was not read of it, one per line; empty when it was read whole.
    """

    id: int
    sha256: str
    kind: str
    n_chars: int
    n_tokens: int
    n_hashes: int
    n_parts: int
    fingerprint_file: int
    fingerprint_offset: int
    fingerprint_bytes: int
    text_file: int
    text_offset: int
    text_skip: int
    text_bytes: int
    removed: int = 0
    problems: str = ""

    def is_possible(self) -> bool:
        """Return whether a writer can have made this row."""
        return bool(_are_possible(self))


def contents_key(document: Document) -> int:
    """Return 64 bits, signed, that follow from a document's contents: ids are used again, keys are not."""
    contents = (
        document.sha256,
        document.kind,
        document.n_chars,
        document.n_tokens,
        document.n_hashes,
        document.problems,
    )
    content = "\0".join(map(str, contents)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little", signed=True)


NUMBERS = np.dtype([(name, "<i8") for name, kind in get_type_hints(Document).items() if kind is int])
"""The integers of a document's row, by name."""

N_NUMBERS = len(NUMBERS.names or ())
"""Integers of a document's row."""

Documents = Any
"""`(n,)` of `NUMBERS`, a record array: the integers of documents' rows as columns, each an attribute."""


def as_documents(numbers: NDArray[np.int64]) -> Documents:
    """Return the integers of documents' rows, `(n, n_integers)`, as columns."""
    return numbers.view(NUMBERS)[:, 0].view(np.recarray)


class DocumentRows(NamedTuple):
    """Rows of documents, as columns.

    Args:
        numbers: The integers.
        sha256, kinds, problems: The texts, each a list as long.
    """

    numbers: Documents
    sha256: Sequence[str]
    kinds: Sequence[str]
    problems: Sequence[str]

    @classmethod
    def none(cls) -> DocumentRows:
        """Return no rows."""
        return cls(np.empty(0, NUMBERS).view(np.recarray), (), (), ())

    @classmethod
    def of(cls, rows: Sequence[Document]) -> DocumentRows:
        """Return some rows as columns."""
        numbers = np.array([row[:1] + row[3:15] for row in rows], np.int64).reshape(-1, N_NUMBERS)
        texts = [row.sha256 for row in rows], [row.kind for row in rows], [row.problems for row in rows]
        return cls(as_documents(numbers), *texts)

    def is_binary(self) -> NDArray[np.bool_]:
        """Return of each whether it is a file without text, `(n,) bool`."""
        return np.array([kind == BINARY_KIND for kind in self.kinds], np.bool_)

    def tuples(self) -> list[tuple[Any, ...]]:
        """Return the columns of each row in the order of `Document`."""
        ids, *numbers = (self.numbers[name].tolist() for name in NUMBERS.names or ())
        return list(zip(ids, self.sha256, self.kinds, *numbers, self.problems, strict=True))


def _are_possible(rows: Any) -> Any:
    """Return whether a writer can have made a document's row; of columns of `Documents`, whether each row.

    Numbers joined by `|` are below 0 if one of them is, and have more than 32 bits if one of them has.
    """
    # Tiles and directory have 32 bits for these.
    short = rows.id | rows.n_hashes | rows.n_parts | rows.fingerprint_file | rows.fingerprint_bytes
    short |= rows.text_file | rows.text_skip
    long = rows.n_chars | rows.n_tokens | rows.fingerprint_offset | rows.text_offset | rows.text_bytes
    is_told = (rows.n_chars > 0) | (rows.n_hashes == 0)
    is_kept = (rows.fingerprint_file > 0) | (rows.text_file > 0) | (rows.n_chars == 0)
    is_removed_or_not = (rows.removed | 1) == 1
    return (rows.id > 0) & (short >= 0) & (short <= MAX_ID) & (long >= 0) & is_removed_or_not & is_told & is_kept


class ListedPath(NamedTuple):
    """A path (or name) a document is listed under; `size` and `mtime_ns` are -1 for a text without a file.

    `labels` are those of the path, as `pmbf.base.labels.encoded` writes them.
    """

    path: str
    document: int
    size: int
    mtime_ns: int
    labels: str = ""

    def is_possible(self) -> bool:
        """Return whether a writer can have made this row."""
        return _are_possible_paths(self.document, self.size) and self.labels[:1] in ("", "{")


def _are_possible_paths(documents: Any, sizes: Any) -> Any:
    """Return whether a writer can have made a path's row, its labels aside; of columns, whether each row."""
    return (documents > 0) & (documents <= MAX_ID) & (sizes >= -1)


class JournalEntry(NamedTuple):
    """A document that was added or removed since the last files were written, see `pmbf.store.journal`.

    Args:
        document: Its id; its row tells where its text and its fingerprint will be.
        record: Of its fingerprint; empty for a document that lies in files, and was removed.
        blocks: Of its text.
    """

    document: int
    record: bytes
    blocks: bytes

    def is_possible(self) -> bool:
        """Return whether a writer can have made this row."""
        return 0 < self.document <= MAX_ID and isinstance(self.record, bytes) and isinstance(self.blocks, bytes)


Row = TypeVar("Row", Document, ListedPath, StoredFile, JournalEntry)
TABLES: dict[type, tuple[str, str]] = {
    Document: ("document", "id"),
    ListedPath: ("path", "path"),
    StoredFile: ("file", "serial"),
    JournalEntry: ("journal", "document"),
}
"""The table of each kind of row, and the column that is its key."""


class _Layout:
    """How the rows of a table become the bytes under their checksum.

    One byte for each column says what it holds, `i` for an integer, `s` for a text, `b` for bytes; then come the
    integers, 8 bytes each; the lengths of the texts, 8 bytes each; the texts in UTF-8, and the bytes.
    """

    def __init__(self, row_type: type) -> None:
        kinds = ["i" if kind is int else "s" for kind in get_type_hints(row_type).values()]
        self.kinds = "".join(kinds)
        numbers = [place for place, kind in enumerate(kinds) if kind == "i"]
        self._numbers = itemgetter(*numbers) if len(numbers) > 1 else itemgetter(slice(numbers[0], numbers[0] + 1))
        self._texts = [place for place, kind in enumerate(kinds) if kind == "s"]
        self._kinds = kinds
        self._begun = zlib.crc32("".join(kinds).encode())
        self._pack = struct.Struct(f"<{len(kinds)}q").pack

    def checksum(self, columns: Sequence[Any]) -> int:
        texts = [columns[place] for place in self._texts]
        try:
            joined = "".join(texts)
        except TypeError:
            return self._of_bytes(columns, texts)
        lengths = map(len, texts) if joined.isascii() else [len(text.encode()) for text in texts]
        return zlib.crc32(self._pack(*self._numbers(columns), *lengths) + joined.encode(), self._begun)

    def _of_bytes(self, columns: Sequence[Any], texts: Sequence[Any]) -> int:
        """Return the checksum of a row with bytes where others have a text."""
        kinds = ["b" if isinstance(column, bytes) else kind for column, kind in zip(columns, self._kinds, strict=True)]
        raw = [text if isinstance(text, bytes) else text.encode() for text in texts]
        content = self._pack(*self._numbers(columns), *map(len, raw)) + b"".join(raw)
        return zlib.crc32(content, zlib.crc32("".join(kinds).encode()))


_LAYOUTS: dict[type, _Layout] = {row_type: _Layout(row_type) for row_type in TABLES}


def row_checksum(row_type: type, columns: Sequence[Any]) -> int | None:
    """Return the checksum over a row's columns as SQLite has them, None for columns that its table cannot have.

    >>> hex(row_checksum(ListedPath, ("tide.txt", 7, 120, -1, "")))
    '0x48c53805'
    """
    try:
        return _LAYOUTS[row_type].checksum(columns)
    except (struct.error, AttributeError, UnicodeEncodeError):
        return None


def tally_key(table: str) -> str:
    """Return the key of `meta` that holds a table's number of rows and the sum of their checksums."""
    return f"{table}_rows"


PATH_SUMS = "path_sums"
"""The key of `meta` that holds what the index of the paths by document adds up to: the number of paths, the sum of
their documents, and that of their row numbers."""


def meta_checksum(meta: Mapping[str, str]) -> int:
    """Return the checksum over the table `meta`, its own row left out.

    It goes over each key and its value, in the order of the keys: the length in 8 bytes, then the text in UTF-8.
    """
    texts = [text.encode() for pair in sorted(meta.items()) if pair[0] != "crc" for text in pair]
    return zlib.crc32(b"".join(struct.pack("<q", len(text)) + text for text in texts))


def as_columns(row_type: type, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the columns of rows of one table as SQLite takes them, and their checksums."""
    sums = kernels.sum_rows(list(rows), _LAYOUTS[row_type].kinds)[1]
    pairs = list(zip(rows, sums.tolist(), strict=True))
    if sums.min(initial=0) >= 0:
        return [(*row, crc) for row, crc in pairs]
    return [with_checksum(row_type, row, crc) for row, crc in pairs]


def with_checksum(row_type: type, row: tuple[Any, ...], crc: int) -> tuple[Any, ...]:
    """Return a row's columns as SQLite takes them, and the checksum; -1 if the path is no valid Unicode."""
    if crc >= 0:
        return (*row, crc)
    columns: tuple[Any, ...] = tuple(map(to_sql, row))
    return (*columns, row_checksum(row_type, columns))


def to_sql(value: Any) -> Any:
    """Return a path that is not valid Unicode as bytes: SQLite's text cannot hold it."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return os.fsencode(value)
    return value


def sound_numbers(row_type: type[Row], rows: list[Any]) -> NDArray[np.int64] | None:
    """Return the integers of rows of SQLite, `(n, n_integers)`; None if a row needs a closer look, see `row_checksum`.

    Args:
        row_type: Of the table.
        rows: The columns of each row, and then its checksum.
    """
    numbers, sums = kernels.sum_rows(rows, _LAYOUTS[row_type].kinds)
    if sums.min(initial=0) < 0 or sums.tolist() != [row[-1] for row in rows]:
        return None
    if row_type is Document:
        columns = SimpleNamespace(**dict(zip(NUMBERS.names or (), numbers.T, strict=True)))
        is_possible = _are_possible(columns).all()
    elif row_type is ListedPath:
        is_possible = _are_possible_paths(numbers[:, 0], numbers[:, 1]).all()
        is_possible &= all(row[4][:1] in ("", "{") for row in rows)
    else:
        serials, *sizes = numbers.T
        is_possible = are_possible(serials, [row[1] in NUMBERED_KINDS for row in rows], *sizes).all()
        is_possible &= {row[1] for row in rows} <= FILE_KINDS.keys()
    return numbers if is_possible else None


def as_row(row_type: type[Row], columns: Sequence[Any]) -> Row | None:
    """Return the row with these columns of SQLite, None if a value is one that no writer stores."""
    if row_type is not JournalEntry and bytes in map(type, columns):
        columns = [os.fsdecode(column) if isinstance(column, bytes) else column for column in columns]
    row = row_type(*columns)
    try:
        return row if row.is_possible() else None
    except (TypeError, ValueError):  # a text where a number belongs
        return None


def called(table: str, columns: Sequence[Any]) -> str:
    """Return what messages call a row; one of a path goes by its document, since the path itself may be a secret."""
    return f"a row of path of document {columns[1]!r}" if table == "path" else f"the row of {table} {columns[0]!r}"


def require_size(document: Document, n_parts: int, n_hashes: int, where: Path) -> None:
    """Refuse a fingerprint that has another size than the catalog says."""
    if (n_parts, n_hashes) != (document.n_parts, document.n_hashes):
        what = f"document {document.id} has {n_hashes} hashes in {n_parts} parts there, expected {document.n_hashes}"
        raise damaged(where, f"{what} in {document.n_parts}")
