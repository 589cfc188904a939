"""Giving back the room of removed documents: in rows, in files, and among the ids.

Bits of a removed document may belong to its neighbours too, so a row is rebuilt from the fingerprints of those that
stay. A tile that has lost a quarter of its entries is dissolved and its survivors are placed anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pmbf.fingerprint import Fingerprint
from pmbf.store import codec
from pmbf.store.codec import RecordPacker, TextPacker
from pmbf.store.files import StoredFile
from pmbf.store.folder import Store
from pmbf.store.pending import Change
from pmbf.store.placing import Hashes
from pmbf.store.tables import Document
from pmbf.store.tilefile import StoredTile
from pmbf.store.writer import Writer

DISSOLVE_SHARE = 0.25
"""Share of dead entries at which placing a tile's survivors anew is cheaper than rebuilding its rows."""
REOPEN_SHARE = 0.1
"""Share of dead entries at which a sealed tile is opened again, so that its room can be used."""
DEAD_BYTES_SHARE = 0.25
SMALL_FILE_BYTES = 1 << 20
FILE_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class CompactReport:
    """What a compaction did.

    Args:
        n_documents: Removed documents whose room was given back.
        n_tiles: Tiles rewritten or dissolved.
        n_files: Files of fingerprints and texts rewritten.
        bytes_before, bytes_after: Size of all live files.
    """

    n_documents: int
    n_tiles: int
    n_files: int
    bytes_before: int
    bytes_after: int

    def to_dict(self) -> dict[str, Any]:
        """Return the report as a JSON-ready dict."""
        return asdict(self)


def compact(writer: Writer) -> CompactReport:
    """Give back the room of every removed document, in one commit.

    Raises:
        CorruptError: A file that must be read is damaged; the collection is as before.
        OSError: The disk is full; the collection is as before.
    """
    store = writer.store
    dead = {document.id for document in store.catalog.all_documents() if document.removed}
    bytes_before = _live_bytes(store)
    n_tiles = _compact_tiles(writer, dead)
    packer = FilePacker(writer)
    lost_files = _rewritten_files(store)
    for document in store.catalog.live_documents():
        if document.fingerprint_file in lost_files or document.text_file in lost_files:
            packer.move(document, lost_files)
    change = Change(lost_documents=dead, lost_files=set(lost_files))
    if dead or lost_files or n_tiles:
        _finish(writer, packer, change)
    return CompactReport(len(dead), n_tiles, len(lost_files), bytes_before, _live_bytes(store))


def _finish(writer: Writer, packer: FilePacker, change: Change) -> None:
    placer, tiles = writer.placer, writer.store.generation.tile_files()
    packer.close()
    placer.fill_rows()
    change.changed_documents = packer.documents
    change.new_files = packer.files + [
        writer.write_tile(number) for number in sorted(placer.changed & placer.tiles.keys())
    ]
    change.lost_files |= {file.serial for number, file in tiles.items() if number in placer.changed}
    writer.apply(change)


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
            document = self.put_fingerprint(document, store.generation.fingerprint(document))
        if document.text_file in files:
            document = self.put_text(document, store.generation.text(document) or "")
        self.keep(document)

    def keep(self, document: Document) -> None:
        """Note a document's new row; start new files when these have grown large."""
        self._documents[document.id] = document
        if self._records.n_bytes + self._texts.n_raw_bytes > FILE_BYTES:
            self.close()
            self._begin()

    def put_fingerprint(self, document: Document, taken: Fingerprint) -> Document:
        """Store a fingerprint and return the document's row naming it."""
        offset, n_bytes = self._records.add(taken.record())
        return document._replace(
            fingerprint_file=self._serials[0],
            fingerprint_offset=offset,
            fingerprint_bytes=n_bytes,
            n_hashes=len(taken),
            n_parts=len(taken.bounds) - 1,
        )

    def put_text(self, document: Document, text: str) -> Document:
        """Store a text and return the document's row naming it."""
        block, skip, n_bytes = self._texts.add(text.encode("utf-8"))
        self._blocks[document.id] = block
        return document._replace(text_file=self._serials[1], text_skip=skip, text_bytes=n_bytes)

    def close(self) -> None:
        """Write what is waiting."""
        if self._records.n_bytes:
            self.files.append(self._writer.write_file("FPRT", [self._records.payload()], serial=self._serials[0]))
        blocks, offsets = self._texts.finished()
        if blocks:
            self.files.append(self._writer.write_file("TEXT", blocks, serial=self._serials[1]))
        for number, block in self._blocks.items():
            self._documents[number] = self._documents[number]._replace(text_offset=offsets[block])
        self._records, self._texts, self._blocks = RecordPacker(), TextPacker(), {}

    def _begin(self) -> None:
        self._serials = self._writer.reserve_serial(), self._writer.reserve_serial()


def _compact_tiles(writer: Writer, dead: set[int]) -> int:
    """Change the tiles with dead entries in the writer's placer; return how many."""
    store, n_tiles = writer.store, 0
    dissolved: list[StoredTile] = []
    for number in sorted(store.generation.tile_files()):
        stored = store.generation.tile(number)
        is_dead = np.isin(stored.entries[:, 1], list(dead))
        if not is_dead.any():
            continue
        n_tiles += 1
        if is_dead.mean() >= DISSOLVE_SHARE:
            writer.placer.drop(number)
            dissolved.append(stored)
        else:
            _rebuild_rows(writer, number, stored, dead, reopen=is_dead.mean() >= REOPEN_SHARE)
    for stored in dissolved:
        for document, start, stop, parts in _survivors(store, stored, dead):
            writer.placer.put(document, np.concatenate(parts), start, stop)
    return n_tiles


def _rebuild_rows(writer: Writer, number: int, stored: StoredTile, dead: set[int], *, reopen: bool) -> None:
    tile = stored.tile.writable()
    is_dead = np.isin(stored.entries[:, 1], list(dead))
    survivors: dict[int, list[Hashes]] = {row: [] for row in stored.entries[is_dead, 0].tolist()}
    for row, document, start, stop in stored.entries[~is_dead].tolist():
        if row in survivors:
            survivors[row] += _parts(writer.store, document)[start:stop]
    for row, parts in survivors.items():
        tile.rebuild(row, parts)
    writer.placer.adopt(number, tile, stored.entries[~is_dead], seal=not (stored.growing or reopen))


def _survivors(store: Store, stored: StoredTile, dead: set[int]) -> Iterator[tuple[int, int, int, list[Hashes]]]:
    for _, document, start, stop in stored.entries.tolist():
        if document not in dead:
            yield document, start, stop, _parts(store, document)[start:stop]


def _parts(store: Store, document: int) -> list[Hashes]:
    return store.generation.fingerprint(store.documents([document])[document]).parts()


def _rewritten_files(store: Store) -> set[int]:
    """Return the serials of files with too many dead bytes, and of the small ones when there are several."""
    live: dict[int, int] = {}
    for document in store.catalog.live_documents():
        live[document.fingerprint_file] = live.get(document.fingerprint_file, 0) + document.fingerprint_bytes
        live[document.text_file] = live.get(document.text_file, 0) + document.text_bytes
    wanted: set[int] = set()
    for kind in ("FPRT", "TEXT"):
        files = store.catalog.files(kind)
        small = {file.serial for file in files if file.payload_bytes < SMALL_FILE_BYTES}
        wanted |= small if len(small) > 1 else set()
        wanted |= {
            file.serial for file in files if _dead_share(file, live.get(file.serial, 0), store) >= DEAD_BYTES_SHARE
        }
    return wanted


def _dead_share(file: StoredFile, live_bytes: int, store: Store) -> float:
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
