"""Changes that wait for a commit: documents on their way in, paths, removals; and what one transaction writes."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import among
from pmbf.base.params import Params
from pmbf.kernels import Samples
from pmbf.store import codec
from pmbf.store.catalog_tables import NUMBERS, Document, DocumentRows, JournalEntry, ListedPath
from pmbf.store.codec import BLOCK_RAW_BYTES, RecordPacker, TextPacker
from pmbf.store.files import StoredFile
from pmbf.store.incoming import Contents, NewDocuments, joined_samples, some_samples
from pmbf.store.journal import MOST_BYTES, MOST_ENTRIES, MOST_TEXT_BYTES, NO_JOURNAL, Journal
from pmbf.store.stretches import is_long, postings_of
from pmbf.store.writing import Written

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PendingDocuments:
    """Documents not yet committed, as columns.

    Args:
        ids: `(n,) int64`.
        kinds, sha256, problems: As in `DocumentRows`.
        samples: Their fingerprints.
        record_offsets, record_bytes: `(n,) int64`, places of the records in the fingerprint file; 0 bytes if no record
            is stored.
        text_offsets, text_bytes: `(n,) int64`, places of the texts among all texts of the text file; 0 bytes if no
            text is stored.
    """

    ids: Numbers
    kinds: list[str]
    sha256: list[str]
    problems: list[str]
    samples: Samples
    record_offsets: Numbers
    record_bytes: Numbers
    text_offsets: Numbers
    text_bytes: Numbers

    @classmethod
    def joined(cls, some: Sequence[PendingDocuments]) -> PendingDocuments:
        """Return the documents of at least one, one after another."""
        return cls(
            np.concatenate([one.ids for one in some]),
            [*itertools.chain.from_iterable(one.kinds for one in some)],
            [*itertools.chain.from_iterable(one.sha256 for one in some)],
            [*itertools.chain.from_iterable(one.problems for one in some)],
            joined_samples([one.samples for one in some]),
            *(
                np.concatenate([getattr(one, column) for one in some])
                for column in ("record_offsets", "record_bytes", "text_offsets", "text_bytes")
            ),
        )

    def without(self, dropped: set[int]) -> PendingDocuments:
        """Return the documents but for some."""
        if not dropped:
            return self
        staying = np.flatnonzero(~among(self.ids, np.array(list(dropped), np.int64)))
        places = staying.tolist()
        return PendingDocuments(
            self.ids[staying],
            [self.kinds[place] for place in places],
            [self.sha256[place] for place in places],
            [self.problems[place] for place in places],
            some_samples(self.samples, staying),
            self.record_offsets[staying],
            self.record_bytes[staying],
            self.text_offsets[staying],
            self.text_bytes[staying],
        )


@dataclass(slots=True)
class Pending:
    """Changes not yet committed; its two files have their serial numbers already.

    `numbers` are the ids of `documents`, `ids` those by contents; both also of the `dropped` ones. `lost_paths` are
    those whose rows go; a row in `paths` may take the place of one of them. `left` are documents that lost a path.
    """

    fingerprint_file: int
    text_file: int
    documents: list[PendingDocuments] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    ids: dict[Contents, int] = field(default_factory=dict)
    paths: dict[str, ListedPath] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    lost_paths: set[str] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    records: RecordPacker = field(default_factory=RecordPacker)
    texts: TextPacker = field(default_factory=TextPacker)

    def __bool__(self) -> bool:
        return bool(self.has_documents or self.paths or self.lost_paths or self.removed)

    @property
    def has_documents(self) -> bool:
        """Whether there is a document that was not dropped."""
        return len(self.numbers) > len(self.dropped)

    def add(self, ids: Sequence[int], new: NewDocuments, params: Params) -> None:
        """Take documents in. A fingerprint follows from its text, so it is stored only if the text is not."""
        none, keeps_text = np.zeros(len(new), np.int64), params.store_text
        long_texts = _of_stretches(new, params) if keeps_text else {}
        records = codec.records_of(new.samples, params, have_texts=keeps_text, stretches=long_texts)
        offsets, sizes = self.records.add_all(*records)
        texts = self.texts.add_all(new.content, new.starts, new.stops) if keeps_text else none
        self.documents.append(
            PendingDocuments(
                np.array(ids, np.int64),
                list(new.kinds),
                list(new.sha256),
                [new.problems.get(at, "") for at in range(len(new))] if new.problems else [""] * len(new),
                new.samples,
                offsets,
                sizes,
                texts,
                new.n_bytes if keeps_text else none,
            )
        )
        self.numbers.update(ids)
        self.ids.update(zip(new.contents, ids, strict=True))

    def known(self, contents: Contents) -> int | None:
        """Return the id of the pending document with some contents, or None."""
        id_ = self.ids.get(contents)
        return None if id_ in self.dropped else id_

    def staying(self) -> PendingDocuments:
        """Return the documents that were not dropped; there must be some."""
        return PendingDocuments.joined(self.documents).without(self.dropped)

    def fits(self, journal: Journal) -> bool:
        """Return whether a journal has room for all of it: one text at most, and removals."""
        n_entries = len(journal.entries) + len(self.numbers) + len(self.removed)
        return (
            len(self.numbers) <= 1
            and not self.dropped
            and n_entries <= MOST_ENTRIES
            and max(self.texts.n_raw_bytes, self.records.n_bytes) <= MOST_TEXT_BYTES
            and journal.n_bytes <= MOST_BYTES
        )

    def entered(self, journal: Journal, params: Params) -> tuple[DocumentRows, JournalEntry]:
        """Return the row of the one document, its text and its record behind those of the journal, and its entry."""
        documents, (blocks, _) = self.staying(), self.texts.finished()
        begun = {kind: (serial, len(payload)) for (kind, serial), payload in journal.payloads.items()}
        self.text_file, text_offset = begun.get("TEXT", (self.text_file, 0))
        self.fingerprint_file, record_offset = begun.get("FPRT", (self.fingerprint_file, 0))
        rows = self.rows(documents, [text_offset])
        rows.numbers.fingerprint_offset += record_offset * (rows.numbers.fingerprint_file > 0)
        record, _ = codec.records_of(documents.samples, params, have_texts=False)
        return rows, JournalEntry(int(documents.ids[0]), record, b"".join(blocks))

    def rows(self, some: PendingDocuments, block_offsets: Sequence[int]) -> DocumentRows:
        """Return the rows of documents.

        Args:
            some: What `staying` returned.
            block_offsets: Where each block of the text file begins.
        """
        samples, has_text = some.samples, some.text_bytes > 0
        rows = np.zeros(len(some.ids), NUMBERS).view(np.recarray)
        rows.id, rows.n_chars, rows.n_tokens = some.ids, samples.n_chars, samples.n_tokens
        rows.n_hashes, rows.n_parts = np.diff(samples.bounds[samples.firsts]), np.diff(samples.firsts)
        rows.fingerprint_file = np.where(some.record_bytes > 0, self.fingerprint_file, 0)
        rows.fingerprint_offset, rows.fingerprint_bytes = some.record_offsets, some.record_bytes
        rows.text_file = np.where(has_text, self.text_file, 0)
        blocks = np.array(block_offsets, np.int64)[some.text_offsets // BLOCK_RAW_BYTES * has_text]
        rows.text_offset, rows.text_skip = blocks * has_text, some.text_offsets % BLOCK_RAW_BYTES * has_text
        rows.text_bytes = some.text_bytes
        return DocumentRows(rows, some.sha256, some.kinds, some.problems)


def _of_stretches(new: NewDocuments, params: Params) -> dict[int, bytes]:
    """Return the postings of the stretches of the texts that are long, by their places."""
    places = np.flatnonzero(is_long(new.samples.n_chars)).tolist()
    return {at: postings_of(new.content[new.starts[at] : new.stops[at]], params) for at in places}


@dataclass(slots=True)
class Change:
    """What one transaction writes.

    Args:
        new_documents: Rows to insert.
        changed_documents: Rows to replace.
        paths: Rows to insert.
        new_files: Files written for this commit.
        writing: Files that are being written for it, in threads.
        lost_documents, lost_paths, lost_files: Keys of rows to delete, before rows are inserted.
        entries: Rows of the journal to insert; None: files are written.
        settled: Rows of the journal to delete, since files have these documents now.
    """

    new_documents: DocumentRows = field(default_factory=DocumentRows.none)
    changed_documents: Sequence[Document] = ()
    paths: Sequence[ListedPath] = ()
    new_files: list[StoredFile] = field(default_factory=list)
    writing: list[Written] = field(default_factory=list)
    lost_documents: Iterable[int] = ()
    lost_paths: Iterable[str] = ()
    lost_files: set[int] = field(default_factory=set)
    entries: list[JournalEntry] | None = None
    settled: Journal = NO_JOURNAL


@contextlib.contextmanager
def ended(writing: Sequence[Written]) -> Iterator[None]:
    """Wait for files that are being written if an error comes: the clean-up must not meet one of them."""
    try:
        yield
    except BaseException:
        wait(writing)
        raise
