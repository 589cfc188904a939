"""Changes that wait for a commit: documents on their way in, paths, removals; and what one transaction writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.fingerprint import Fingerprint
from pmbf.store.codec import RecordPacker, TextPacker, TextPlace
from pmbf.store.files import StoredFile
from pmbf.store.tables import Document, ListedPath


class NewDocument(NamedTuple):
    """A document about to be stored; a tuple, for a load makes one for each file.

    Args:
        kind: Of file.
        sha256: Of the bytes it came from, hexadecimal.
        utf8: The original text.
        hashes, bounds, n_chars, n_tokens: As in `Fingerprint`.
        record: What `Fingerprint.record` returns; empty if the record is not made yet.
        problems: What was not read of the file, one per line.
    """

    kind: str
    sha256: str
    utf8: bytes
    hashes: NDArray[np.uint32]
    bounds: NDArray[np.uint32]
    n_chars: int
    n_tokens: int
    record: bytes = b""
    problems: str = ""

    @classmethod
    def of(cls, kind: str, sha256: str, utf8: bytes, taken: Fingerprint, problems: str = "") -> NewDocument:
        """Return the document with this text, of which a fingerprint was taken."""
        columns = kind, sha256, utf8, taken.hashes, taken.bounds, taken.n_chars, taken.n_tokens
        return cls(*columns, problems=problems)

    def without_bytes(self) -> NewDocument:
        """Return the document without text and record, whose bytes others keep; three times as fast as `_replace`."""
        return NewDocument._make((*self[:2], b"", *self[3:7], b"", self.problems))


class PendingDocument(NamedTuple):
    """A document not yet committed.

    Args:
        new: The document; its text and record are with the packers, and empty here.
        record_offset, record_bytes: Place of the record in the fingerprint file; 0 bytes when it is not stored.
        text: Place of the text in the text file, None when no text is stored or there is none.
    """

    new: NewDocument
    record_offset: int
    record_bytes: int
    text: TextPlace | None


@dataclass(slots=True)
class Pending:
    """Changes not yet committed; its two files have their serial numbers already.

    `ids` are those of `documents` by their contents and by `made_from`. `looked_up` holds what the catalog said of the
    contents asked about last, ids by `made_from`; what the catalog says changes with a commit alone.
    """

    fingerprint_file: int
    text_file: int
    documents: dict[int, PendingDocument] = field(default_factory=dict)
    ids: dict[tuple[str, str], int] = field(default_factory=dict)
    paths: dict[str, ListedPath] = field(default_factory=dict)
    n_paths: Counter[int] = field(default_factory=Counter)
    lost_paths: set[str] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    looked_up: dict[str, dict[str, int]] = field(default_factory=dict)
    records: RecordPacker = field(default_factory=RecordPacker)
    texts: TextPacker = field(default_factory=TextPacker)

    def __bool__(self) -> bool:
        return bool(self.documents or self.paths or self.lost_paths or self.removed)

    def rows(self, block_offsets: Sequence[int]) -> list[Document]:
        """Return the rows of the new documents.

        Args:
            block_offsets: Where each block of the text file begins.
        """
        return [self._row(number, pending, block_offsets) for number, pending in self.documents.items()]

    def _row(self, number: int, pending: PendingDocument, block_offsets: Sequence[int]) -> Document:
        new, place = pending.new, pending.text
        return Document(
            id=number,
            sha256=new.sha256,
            kind=new.kind,
            n_chars=new.n_chars,
            n_tokens=new.n_tokens,
            n_hashes=len(new.hashes),
            n_parts=len(new.bounds) - 1,
            fingerprint_file=self.fingerprint_file if pending.record_bytes else 0,
            fingerprint_offset=pending.record_offset,
            fingerprint_bytes=pending.record_bytes,
            text_file=self.text_file if place else 0,
            text_offset=block_offsets[place.block] if place else 0,
            text_skip=place.skip if place else 0,
            text_bytes=place.n_bytes if place else 0,
            problems=new.problems,
        )


@dataclass(slots=True)
class Change:
    """What one transaction writes.

    Args:
        new_documents: Rows to insert.
        changed_documents: Rows to replace.
        paths: Rows to insert or replace.
        new_files: Files written for this commit.
        writing: Files that are being written for it, in threads.
        lost_documents, lost_paths, lost_files: Keys of rows to delete.
    """

    new_documents: Sequence[Document] = ()
    changed_documents: Sequence[Document] = ()
    paths: Sequence[ListedPath] = ()
    new_files: list[StoredFile] = field(default_factory=list)
    writing: list[Future[StoredFile]] = field(default_factory=list)
    lost_documents: Iterable[int] = ()
    lost_paths: Iterable[str] = ()
    lost_files: set[int] = field(default_factory=set)
