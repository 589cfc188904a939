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
from pmbf.store.tables import Document, FileEntry, PathEntry


class NewDocument(NamedTuple):
    """A document about to be stored; a tuple, for a load makes one for each file.

    Args:
        kind: Of file.
        sha256: Of the bytes it came from, hexadecimal.
        utf8: The original text.
        hashes, bounds, n_chars, n_tokens: As in `Fingerprint`.
        record: What `Fingerprint.record` returns.
        problems: What was not read of the file, one per line.
    """

    kind: str
    sha256: str
    utf8: bytes
    hashes: NDArray[np.uint32]
    bounds: NDArray[np.uint32]
    n_chars: int
    n_tokens: int
    record: bytes
    problems: str = ""

    @classmethod
    def of(cls, kind: str, sha256: str, utf8: bytes, taken: Fingerprint, problems: str = "") -> NewDocument:
        """Return the document with this text, of which a fingerprint was taken."""
        return cls(
            kind, sha256, utf8, taken.hashes, taken.bounds, taken.n_chars, taken.n_tokens, taken.record(), problems
        )


class PendingDocument(NamedTuple):
    """A document not yet committed: what its row says, and what goes into the rows of the filter."""

    kind: str
    sha256: str
    hashes: NDArray[np.uint32]
    bounds: NDArray[np.uint32]
    n_chars: int
    n_tokens: int
    record_offset: int
    record_bytes: int
    text: TextPlace | None
    problems: str


@dataclass(slots=True)
class Pending:
    """Changes not yet committed; its two files have their serial numbers already.

    `looked_up` holds what the catalog said of the contents asked about last; what it says changes with a commit alone.
    """

    fingerprint_file: int
    text_file: int
    documents: dict[int, PendingDocument] = field(default_factory=dict)
    ids: dict[tuple[str, bool], int] = field(default_factory=dict)
    paths: dict[str, PathEntry] = field(default_factory=dict)
    n_paths: Counter[int] = field(default_factory=Counter)
    lost_paths: set[str] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    looked_up: dict[str, int | None] = field(default_factory=dict)
    records: RecordPacker = field(default_factory=RecordPacker)
    texts: TextPacker = field(default_factory=TextPacker)

    def __bool__(self) -> bool:
        return bool(self.documents or self.paths or self.lost_paths or self.removed)

    def rows(self, block_offsets: Sequence[int]) -> list[Document]:
        """Return the rows of the new documents.

        Args:
            block_offsets: Where each block of the text file begins.
        """
        return [self._row(number, new, block_offsets) for number, new in self.documents.items()]

    def _row(self, number: int, new: PendingDocument, block_offsets: Sequence[int]) -> Document:
        file, offset, skip, n_bytes = 0, 0, 0, 0
        if new.text is not None:
            block, skip, n_bytes = new.text
            file, offset = self.text_file, block_offsets[block]
        return Document(
            number, new.sha256, new.kind, new.n_chars, new.n_tokens, len(new.hashes), len(new.bounds) - 1,
            self.fingerprint_file, new.record_offset, new.record_bytes, file, offset, skip, n_bytes, 0, new.problems,
        )  # fmt: skip


@dataclass(slots=True)
class Change:
    """What one transaction writes.

    Args:
        new_documents: Rows to insert.
        documents: Rows to replace.
        paths: Rows to insert or replace.
        new_files: Files written for this commit.
        writing: Files that are being written for it, in threads.
        lost_documents, lost_paths, lost_files: Keys of rows to delete.
    """

    new_documents: Sequence[Document] = ()
    documents: Sequence[Document] = ()
    paths: Sequence[PathEntry] = ()
    new_files: list[FileEntry] = field(default_factory=list)
    writing: list[Future[FileEntry]] = field(default_factory=list)
    lost_documents: Iterable[int] = ()
    lost_paths: Iterable[str] = ()
    lost_files: set[int] = field(default_factory=set)
