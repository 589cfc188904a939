"""Giving back the room of removed documents: in segments or rows, in files, and among the ids.

A segment that names a removed document is written anew, with its row of the filter; the others stay as they are. In a
collection of the kind `rows`, bits of a removed document may belong to its neighbours too, so a row is rebuilt from the
fingerprints of those that stay. A tile that has lost a quarter of its entries is dissolved and its survivors are placed
anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import among, distinct
from pmbf.base.hashes import Hashes, first_bits
from pmbf.fingerprint import Fingerprint
from pmbf.report.as_json import AsJson
from pmbf.store import codec, fingerprints
from pmbf.store.catalog_tables import Document, Documents
from pmbf.store.codec import RecordPacker, TextPacker
from pmbf.store.files import StoredFile
from pmbf.store.folder import Store
from pmbf.store.pending import Change, ended
from pmbf.store.placing import Placer
from pmbf.store.tilefile import StoredTile
from pmbf.store.writer import Writer

DISSOLVE_SHARE = 0.25
"""Share of dead entries at which placing a tile's survivors anew is cheaper than rebuilding its rows."""
REOPEN_SHARE = 0.1
"""Share of dead entries at which a sealed tile is opened again, so that its room can be used."""
DEAD_BYTES_SHARE = 0.25
SMALL_FILE_BYTES = 1 << 20
FILE_BYTES = 64 << 20
_MOVED_TOGETHER = 1000
"""Documents whose rows are read at once when they move to other files."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CompactReport(AsJson):
    """What a compaction did.

    Args:
        n_documents: Removed documents whose room was given back.
        n_tiles: Segments rewritten; in a collection of the kind `rows`, tiles rewritten or dissolved.
        n_files: Files of fingerprints and texts rewritten.
        bytes_before, bytes_after: Size of all live files.
    """

    n_documents: int
    n_tiles: int
    n_files: int
    bytes_before: int
    bytes_after: int


def compact(writer: Writer) -> CompactReport:
    """Give back the room of every removed document, in one commit.

    Raises:
        CorruptError: A file that must be read is damaged; the collection is as before.
        OSError: The disk is full; the collection is as before.
    """
    store = writer.store
    bytes_before = _live_bytes(store)
    writer.settle()
    documents, _ = store.catalog.document_columns()
    live, dead = documents[documents.removed == 0], documents.id[documents.removed == 1]
    segments = _with_dead_postings(store, dead)
    n_tiles = _compact_tiles(writer, writer.index.placer, live, dead) if writer.index.placer else len(segments)
    packer = FilePacker(writer)
    lost_files = _rewritten_files(store, live)
    lost = np.array(sorted(lost_files), np.int64)
    moving = live.id[among(live.fingerprint_file, lost) | among(live.text_file, lost)]
    for some in np.split(moving, range(_MOVED_TOGETHER, len(moving), _MOVED_TOGETHER)):
        for _, document in sorted(store.documents(some.tolist()).items()):
            packer.move(document, lost_files)
    change = Change(lost_documents=dead.tolist(), lost_files=set(lost_files))
    if len(dead) or lost_files or n_tiles:
        _finish(writer, packer, change, segments)
    return CompactReport(len(dead), n_tiles, len(lost_files), bytes_before, _live_bytes(store))


def _finish(writer: Writer, packer: FilePacker, change: Change, rewritten: set[int]) -> None:
    packer.close()
    change.changed_documents = packer.documents
    change.new_files += packer.files
    with ended(change.writing):
        change.lost_files |= writer.index.start_files(change.writing, rewritten)
    writer.apply(change)


def _with_dead_postings(store: Store, dead: Numbers) -> set[int]:
    """Return the serials of the files of postings that name dead documents."""
    posted = store.generation.posted
    return {serial for serial in posted.files if among(posted.of_file(serial).documents.astype(np.int64), dead).any()}


class FilePacker:
    """Copies documents' fingerprints and texts into new files."""

    def __init__(self, writer: Writer) -> None:
        self.files: list[StoredFile] = []
        self._writer = writer
        self._documents: dict[int, Document] = {}
        self._serials = (0, 0)
        self._records, self._texts = RecordPacker(), TextPacker()
        self._blocks: dict[int, int] = {}
        self._begin()

    @property
    def documents(self) -> list[Document]:
        """The rows of all documents moved, naming their new places."""
        return list(self._documents.values())

    def move(self, document: Document, files: Iterable[int]) -> None:
        """Copy what a document has in some files."""
        store = self._writer.store
        if document.fingerprint_file in files:
            document = self.put_record(document, store.generation.record(document))
        if document.text_file in files:
            document = self.put_text(document, store.generation.text(document, recent=True) or "")
        self.keep(document)

    def keep(self, document: Document) -> None:
        """Note a document's new row; start new files when these have grown large."""
        self._documents[document.id] = document
        if self._records.n_bytes + self._texts.n_raw_bytes > FILE_BYTES:
            self.close()
            self._begin()

    def put_fingerprint(self, document: Document, taken: Fingerprint, stretches: bytes = b"") -> Document:
        """Store what does not follow from a stored text and what is looked up beside it; return the document's new row.

        Args:
            document: Its row.
            taken: Its fingerprint.
            stretches: The postings of its stretches, if its text is long and stored.
        """
        has_text = document.text_file > 0
        record = codec.record_of(taken, self._writer.store.params, has_text=has_text, stretches=stretches)
        document = document._replace(n_hashes=len(taken), n_parts=len(taken.bounds) - 1)
        if not record:
            return document._replace(fingerprint_file=0, fingerprint_offset=0, fingerprint_bytes=0)
        return self.put_record(document, record)

    def put_record(self, document: Document, record: bytes) -> Document:
        """Store a record and return the document's row naming it."""
        offset, n_bytes = self._records.add(record)
        return document._replace(
            fingerprint_file=self._serials[0], fingerprint_offset=offset, fingerprint_bytes=n_bytes
        )

    def put_text(self, document: Document, text: str) -> Document:
        """Store a text and return the document's row naming it."""
        block, skip, n_bytes = self._texts.add(text.encode("utf-8"))
        self._blocks[document.id] = block
        return document._replace(text_file=self._serials[1], text_skip=skip, text_bytes=n_bytes)

    def close(self) -> None:
        """Write what is waiting."""
        if self._records.n_bytes:
            self.files.append(self._writer.files.write("FPRT", [self._records.payload()], serial=self._serials[0]))
        blocks, offsets = self._texts.finished()
        if blocks:
            self.files.append(self._writer.files.write("TEXT", blocks, serial=self._serials[1]))
        for number, block in self._blocks.items():
            self._documents[number] = self._documents[number]._replace(text_offset=offsets[block])
        self._records, self._texts, self._blocks = RecordPacker(), TextPacker(), {}

    def _begin(self) -> None:
        self._serials = self._writer.files.reserve_serial(), self._writer.files.reserve_serial()


def _compact_tiles(writer: Writer, placer: Placer, live: Documents, dead: Numbers) -> int:
    """Change the tiles with dead entries in the writer's placer; return how many."""
    store, n_tiles = writer.store, 0
    dissolved: list[StoredTile] = []
    for number in sorted(store.generation.tile_files()):
        stored = store.generation.tile(number)
        is_dead = among(stored.entries[:, 1].astype(np.int64), dead)
        if not is_dead.any():
            continue
        n_tiles += 1
        if is_dead.mean() >= DISSOLVE_SHARE:
            placer.drop(number)
            dissolved.append(replace(stored, entries=stored.entries[~is_dead]))
        else:
            _rebuild_rows(store, placer, number, stored, is_dead, live)
    for stored in dissolved:
        entries = stored.entries.astype(np.int64)
        for (_, document, start, stop), hashes in zip(entries.tolist(), _hashes(store, entries, live), strict=True):
            placer.put(document, hashes, start, stop)
    return n_tiles


def _rebuild_rows(
    store: Store, placer: Placer, number: int, stored: StoredTile, is_dead: NDArray[np.bool_], live: Documents
) -> None:
    tile, entries = stored.tile.writable(), stored.entries.astype(np.int64)
    rows = distinct(entries[is_dead, 0])
    staying = entries[~is_dead & among(entries[:, 0], rows)]
    survivors: dict[int, list[Hashes]] = {row: [] for row in rows.tolist()}
    for row, hashes in zip(staying[:, 0].tolist(), _hashes(store, staying, live), strict=True):
        survivors[row].append(hashes)
    for row, parts in survivors.items():
        tile.rebuild(row, map(first_bits, parts))
    seal = not (stored.growing or is_dead.mean() >= REOPEN_SHARE)
    placer.adopt(number, tile, stored.entries[~is_dead], seal=seal)


def _hashes(store: Store, entries: Numbers, live: Documents) -> list[Hashes]:
    """Return the hashes of each entry of a tile."""
    ids = distinct(entries[:, 1])
    if len(missing := ids[~among(ids, live.id)]):
        raise store.generation.contradiction(f"document {missing[0]} is missing")
    taken = fingerprints.taken(store, live[np.searchsorted(live.id, ids)])
    hashes, counts = taken.of_parts(taken.places(entries[:, 1]), entries[:, 2], entries[:, 3])
    return np.split(hashes, np.cumsum(counts)[:-1]) if len(counts) else []


def _rewritten_files(store: Store, live: Documents) -> set[int]:
    """Return the serials of files with too many dead bytes, and of the small ones when there are several."""
    wanted: set[int] = set()
    kinds = (("FPRT", live.fingerprint_file, live.fingerprint_bytes), ("TEXT", live.text_file, live.text_bytes))
    for kind, serials, n_bytes in kinds:
        files = store.catalog.files(kind)
        small = {file.serial for file in files if file.payload_bytes < SMALL_FILE_BYTES}
        wanted |= small if len(small) > 1 else set()
        known = np.array([file.serial for file in files], np.int64)
        is_here = among(serials, known)
        held = np.bincount(np.searchsorted(known, serials[is_here]), n_bytes[is_here], len(known))
        wanted |= {
            file.serial
            for file, live_bytes in zip(files, held.tolist(), strict=True)
            if _dead_share(file, live_bytes, store) >= DEAD_BYTES_SHARE
        }
    return wanted


def _dead_share(file: StoredFile, live_bytes: float, store: Store) -> float:
    all_bytes = file.payload_bytes if file.kind == "FPRT" else _raw_bytes(store, file)
    return 1 - live_bytes / max(1, all_bytes)


def _raw_bytes(store: Store, file: StoredFile) -> int:
    mapped, offset, n_bytes = store.generation.file(file.serial), 0, 0
    while offset < len(mapped.payload):
        mapped.check(offset, offset + codec.BLOCK.size)
        n_bytes += codec.raw_bytes(mapped.payload, offset)
        offset += codec.block_bytes(mapped.payload, offset)
    return n_bytes


def _live_bytes(store: Store) -> int:
    return sum(file.payload_bytes for file in store.catalog.files())
