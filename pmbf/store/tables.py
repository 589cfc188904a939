"""The rows of the catalog, and how they become columns: documents, paths, files, each with its checksum."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from pmbf import kernels
from pmbf.store.files import FileRecord

TEXT_KIND = "text"
"""Kind of a document made from a text that was never a file."""


class Document(NamedTuple):
    """A document's row.

    Args:
        id: Number of the document; freed by removal and compaction, then used again.
        sha256: Of the bytes it was loaded from, hexadecimal.
        kind: Of file: `txt`, `html`, `pdf`, …
        n_chars: Code points of its text.
        n_tokens: Tokens of its text.
        n_hashes: Sampled hashes, over all parts.
        n_parts: Parts of its fingerprint, one per segment.
        fingerprint_file: Serial of the file its fingerprint is in.
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


class PathEntry(NamedTuple):
    """A path (or name) a document is listed under; `size` and `mtime_ns` are -1 for a text without a file."""

    path: str
    document: int
    size: int
    mtime_ns: int


class FileEntry(NamedTuple):
    """A live file of the collection; `tile` numbers the tile or the chunk of the directory it holds, otherwise -1."""

    serial: int
    kind: str
    payload_bytes: int
    payload_crc: int
    tile: int = -1

    @property
    def record(self) -> FileRecord:
        return FileRecord(self.serial, self.kind, self.payload_bytes, self.payload_crc)


def row_crc(columns: Sequence[Any]) -> int:
    """Return the checksum over a row's columns, in the order of the dataclass."""
    return zlib.crc32(repr(tuple(columns)).encode())


def as_columns(rows: Sequence[Document] | Sequence[PathEntry] | Sequence[FileEntry]) -> list[tuple[Any, ...]]:
    """Return the columns of rows as SQLite takes them, and their checksums."""
    try:
        return kernels.checked_rows(rows)
    except UnicodeEncodeError:  # among them is a path that is no valid Unicode
        return kernels.checked_rows([tuple(map(to_sql, row)) for row in rows])


def to_sql(value: Any) -> Any:
    """Return a path that is not valid Unicode as bytes: SQLite's text cannot hold it."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return os.fsencode(value)
    return value


def from_sql(value: Any) -> Any:
    """Return what `to_sql` was given."""
    return os.fsdecode(value) if isinstance(value, bytes) else value
