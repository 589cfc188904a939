"""Documents that lie in the catalog until some of them are written to files together.

    one document added or removed ─► a row of the table `journal`
    the 65th ─► one file of texts or fingerprints, one segment, a chunk of the directory; the rows go

A row has what the files will have of a document, and the document's own row says where: the file of texts is written
under the serial, and with the bytes, that its readers have seen before. Postings and locations follow from the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import CorruptError
from pmbf.store import codec, directory, postings
from pmbf.store.catalog_tables import Document, DocumentRows, JournalEntry
from pmbf.store.files import CATALOG_NAME
from pmbf.store.postings import Added

if TYPE_CHECKING:
    from pmbf.kernels import Postings
    from pmbf.store.catalog import Catalog

MOST_ENTRIES, MOST_TEXT_BYTES, MOST_BYTES = 64, 1 << 16, 1 << 18
"""Rows of the journal, bytes of a text that goes there, and bytes of the rows before: who opens the collection reads
all of them."""


@dataclass(frozen=True)
class Journal:
    """What the table `journal` has.

    Args:
        entries: Its rows by document, in the order in which their texts follow one another.
        rows: The documents' own rows.
    """

    entries: Mapping[int, JournalEntry]
    rows: Mapping[int, Document]

    @classmethod
    def of(cls, catalog: Catalog) -> Journal:
        """Return the journal of a catalog."""
        entries = {one.document: one for one in catalog.journal()}
        rows = sorted(catalog.documents(entries).values(), key=lambda one: (one.fingerprint_offset, one.text_offset))
        if missing := sorted(entries.keys() - {one.id for one in rows}):
            raise CorruptError(f"{catalog.location}: document {missing[0]} of the journal is missing")
        return cls({one.id: entries[one.id] for one in rows}, {one.id: one for one in rows})

    def followed_by(self, entries: Iterable[JournalEntry], rows: Iterable[Document]) -> Journal:
        """Return the journal with more entries, and with the rows of documents that are new or changed."""
        return Journal(
            {**self.entries, **{one.document: one for one in entries}}, {**self.rows, **{one.id: one for one in rows}}
        )

    @property
    def n_bytes(self) -> int:
        """Bytes of records and blocks."""
        return sum(len(one.record) + len(one.blocks) for one in self.entries.values())

    @cached_property
    def payloads(self) -> dict[tuple[str, int], bytes]:
        """The payload of each file that the entries will make, by its kind and serial."""
        new = [one for one in self.entries.values() if one.record]
        texts = max((self.rows[one.document].text_file for one in new), default=0)
        records = max((self.rows[one.document].fingerprint_file for one in new), default=0)
        made = {("FPRT", records): map(self._stored_record, new), ("TEXT", texts): (one.blocks for one in new)}
        return {key: b"".join(parts) for key, parts in made.items() if key[1]}

    def _stored_record(self, entry: JournalEntry) -> bytes:
        """Return the record that a file will have of a document: without its fingerprint if its text is stored."""
        has_text = self.rows[entry.document].text_file > 0
        return codec.worded(codec.words_in(entry.record, CATALOG_NAME)) if has_text else entry.record

    @cached_property
    def documents(self) -> DocumentRows:
        """The rows of the documents, as columns, by ascending id."""
        return DocumentRows.of([row for _, row in sorted(self.rows.items())])

    def locations(self) -> tuple[NDArray[np.uint32], directory.Locations]:
        """Return the ids of the documents, ascending, and where each is."""
        some = self.documents
        return some.numbers.id.astype(np.uint32), directory.located(some.numbers, some.is_binary())

    def added(self, hash_bits: int) -> Added:
        """Return the hashes of the documents that were added."""
        records = [(one.document, memoryview(one.record)) for one in self.entries.values() if one.record]
        parts = [
            (document, codec.parts_of(record, CATALOG_NAME, hash_bits, is_worded=True)) for document, record in records
        ]
        return Added.of([(document, np.concatenate(some)) for document, some in parts if some])

    def postings(self, hash_bits: int) -> Postings:
        """Return the postings of the documents that were added."""
        return postings.made(self.added(hash_bits), hash_bits)


NO_JOURNAL = Journal({}, {})
