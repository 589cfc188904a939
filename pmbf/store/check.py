"""Is the collection what its catalog says? And if not: rebuild what can be rebuilt.

Truth is the catalog and the texts, or the fingerprints where no texts are stored; fingerprints follow from texts, tiles
from fingerprints, texts from the files they came from. `check` compares every layer with the one below; `repair`
rebuilds each from one that is whole, the fingerprints from the postings if nothing else is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.errors import CorruptError, PmbfError
from pmbf.filter import Tile
from pmbf.fingerprint import Fingerprint, fingerprint
from pmbf.kernels import Postings
from pmbf.store.compact import FilePacker
from pmbf.store.directory import CHUNK_DOCUMENTS, LOCATION, Directory
from pmbf.store.folder import Store
from pmbf.store.originals import read_again
from pmbf.store.pending import Change
from pmbf.store.postings import merged
from pmbf.store.tables import Document
from pmbf.store.tilefile import StoredTile
from pmbf.store.writer import Writer

Result = TypeVar("Result")


@dataclass(slots=True)
class CheckReport:
    """What a check found, and what a repair did.

    Args:
        n_documents: Live documents looked at.
        n_files: Files whose checksums were compared.
        problems: Each with the file or document it concerns; empty when all is well.
        repaired: What was rebuilt.
        lost: Paths of documents that could not be saved: load them again.
        remaining: Problems a repair has left.
    """

    n_documents: int = 0
    n_files: int = 0
    problems: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    remaining: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the collection is sound now, and nothing was lost."""
        return not self.lost and not self.remaining and (not self.problems or bool(self.repaired))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready dicts and lists."""
        return asdict(self) | {"ok": self.ok}


def check(store: Store) -> CheckReport:
    """Compare every file, row and bit of a collection with what it follows from.

    Reads everything: seconds per 100 MB.
    """
    store.generation.forget_files()  # so that every page is compared, those found right before too
    report = CheckReport()
    report.problems += store.catalog.problems()
    try:
        report.problems += _contradictions(store)
    except CorruptError:
        return report  # a row was reported above; without it nothing else can be compared
    report.n_files = len(store.catalog.files())
    report.problems += _file_problems(store).values()
    fingerprints: dict[int, Fingerprint] = {}
    for document in store.catalog.all_documents():
        report.n_documents += not document.removed
        report.problems += _document_problems(store, document, fingerprints)
    placed: dict[int, int] = {}
    for number in sorted(store.generation.tile_files()):
        report.problems += _tile_problems(store, number, fingerprints, placed)
    report.problems += _unplaced(store, fingerprints, placed)
    report.problems += _directory_problems(store)
    return report


def repair(store: Store) -> CheckReport:
    """Rebuild every tile, and every damaged fingerprint and text, in one commit.

    Removed documents are dropped for good on the way. A document whose fingerprint, text and file are all
    damaged or gone is taken out, and named.

    Raises:
        CorruptError: The catalog itself is damaged.
        OSError: The disk is full; the collection is as before.
    """
    report = check(store)
    bad_files = set(_file_problems(store))
    writer = Writer(store, rebuild=True)
    packer, posted = FilePacker(writer), _Posted(store)
    dead = {document.id for document in store.catalog.all_documents() if document.removed}
    paths = store.paths_by_document()
    for document in list(store.catalog.live_documents()):
        named = paths.pop(document.id, [])
        taken = _rescued(store, document, bad_files, packer, posted, report) if named else None
        if taken is None:
            dead.add(document.id)
            report.lost += named or [f"document {document.id}, which has no path"]
        else:
            writer.placer.place(document.id, taken.hashes, taken.bounds.tolist())
    packer.close()
    writer.placer.fill_rows()
    report.lost += [path for orphans in paths.values() for path in orphans]
    writer.apply(_rebuilt(writer, packer, dead, report))
    report.repaired.append(f"tiles rebuilt: {len(store.generation.tile_files())}")
    report.remaining = check(store).problems
    return report


def _rebuilt(writer: Writer, packer: FilePacker, dead: set[int], report: CheckReport) -> Change:
    store = writer.store
    moved = {document.id: document for document in packer.documents}
    used = {
        serial
        for document in store.catalog.live_documents()
        if document.id not in dead
        for serial in _serials(moved.get(document.id, document))
    }
    tiles = [writer.write_tile(number) for number in sorted(writer.placer.tiles)]
    return Change(
        changed_documents=packer.documents,
        new_files=packer.files + tiles,
        lost_files={file.serial for file in store.catalog.files() if file.serial not in used},
        lost_documents=dead,
        lost_paths=report.lost,
    )


def _serials(document: Document) -> tuple[int, int]:
    return document.fingerprint_file, document.text_file


def _rescued(
    store: Store, document: Document, bad_files: set[int], packer: FilePacker, posted: _Posted, report: CheckReport
) -> Fingerprint | None:
    """Return a document's fingerprint, its parts in bad files copied into new ones; None when nothing is left."""
    if not bad_files.intersection(_serials(document)):
        return store.generation.fingerprint(document)
    taken = _attempt(lambda: store.generation.fingerprint(document, rescuing=True))
    text = _text_again(store, document)
    if taken is None and text is not None:
        taken = fingerprint(text, store.params)
        report.repaired.append(f"fingerprint of document {document.id} made anew from its text")
    if taken is None:
        taken = posted.fingerprint(document)
        if taken is None:
            return None
        report.repaired.append(f"fingerprint of document {document.id} made anew from the postings")
    if document.text_file in bad_files:
        if text is None:
            report.repaired.append(f"text of document {document.id} given up: its fingerprint still finds it")
        document = _without_text(document) if text is None else packer.put_text(document, text)
    is_told = text is not None and document.text_file > 0
    packer.keep(_without_record(document, taken) if is_told else packer.put_fingerprint(document, taken))
    return taken


class _Posted:
    """The hashes of documents as the postings of the tiles have them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_document: list[tuple[NDArray[np.uint32], NDArray[np.uint64]]] | None = None

    def fingerprint(self, document: Document) -> Fingerprint | None:
        """Return a document's fingerprint in parts of other bounds than before; None if no tile has it."""
        if self._by_document is None:
            self._by_document = [*self._listed()]
        found = []
        for documents, keys in self._by_document:
            number = int(np.searchsorted(documents, document.id))
            if number < len(documents) and documents[number] == document.id:
                first, last = np.searchsorted(keys, np.array([number << 32, (number + 1) << 32], np.uint64))
                found.append(keys[first:last].astype(np.uint32))
        if not found:
            return None
        params = self._store.params
        hashes = np.concatenate(found)
        n_parts = max(1, -(-len(hashes) // max(1, int(params.density * params.segment_chars))))
        parts = [np.sort(part) for part in np.array_split(hashes, n_parts)]
        bounds = np.cumsum([0, *map(len, parts)], dtype=np.uint32)
        return Fingerprint(np.concatenate(parts), bounds, document.n_chars, document.n_tokens)

    def _listed(self) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint64]]]:
        """Yield the documents of each sound tile, and its postings by document: number << 32 | hash."""
        for number in sorted(self._store.generation.tile_files()):
            posted = _attempt(partial(self._store.generation.postings, number))
            if posted is not None:
                keys = kernels.list_postings(posted)
                yield posted.documents, np.sort(keys << np.uint64(32) | keys >> np.uint64(32))


def _text_again(store: Store, document: Document) -> str | None:
    paths = store.catalog.paths_of([document.id]).get(document.id, [])
    stored = _attempt(lambda: store.generation.text(document, rescuing=True))
    return stored if stored is not None else _attempt(lambda: read_again(document, paths))


def _without_record(document: Document, taken: Fingerprint) -> Document:
    return document._replace(
        fingerprint_file=0,
        fingerprint_offset=0,
        fingerprint_bytes=0,
        n_hashes=len(taken),
        n_parts=len(taken.bounds) - 1,
    )


def _without_text(document: Document) -> Document:
    return document._replace(text_file=0, text_offset=0, text_skip=0, text_bytes=0)


def _attempt(action: Callable[[], Result]) -> Result | None:
    try:
        return action()
    except (PmbfError, OSError):
        return None


def _contradictions(store: Store) -> list[str]:
    """Return which paths have no document, and which documents no path.

    Raises:
        CorruptError: A row of the catalog is damaged.
    """
    live, paths = {document.id for document in store.catalog.live_documents()}, store.paths_by_document()
    orphans = [
        f"path {path!r} names the missing document {id_}" for id_ in sorted(paths.keys() - live) for path in paths[id_]
    ]
    return orphans + [f"document {id_} has no path" for id_ in sorted(live - paths.keys())]


def _file_problems(store: Store) -> dict[int, str]:
    """Return what is wrong with each damaged file, by serial."""
    problems = {}
    for file in store.catalog.files():
        try:
            store.generation.file(file.serial).verify()
        except (PmbfError, OSError) as error:
            problems[file.serial] = str(error)
    return problems


def _document_problems(store: Store, document: Document, fingerprints: dict[int, Fingerprint]) -> list[str]:
    problems = []
    try:
        fingerprints[document.id] = store.generation.fingerprint(document)
        store.generation.text(document)
    except (PmbfError, OSError) as error:
        problems.append(str(error))
    return [f"document {document.id}: {problem}" for problem in problems]


def _tile_problems(
    store: Store, number: int, fingerprints: dict[int, Fingerprint], placed: dict[int, int]
) -> list[str]:
    try:
        return list(_row_problems(store.generation.tile(number), f"tile {number}", fingerprints, placed))
    except PmbfError:  # of its head, or of the page of a row
        return []  # its file's own checksum was reported above


def _row_problems(
    stored: StoredTile, where: str, fingerprints: dict[int, Fingerprint], placed: dict[int, int]
) -> Iterator[str]:
    tile = stored.tile.writable()
    expected = Tile.new(tile.row_words, n_hashes=tile.n_hashes, fpr=tile.fpr)
    for _ in range(tile.n_rows):
        expected.add_row()
    for row, document, start, stop in stored.entries.tolist():
        if document not in fingerprints:
            yield f"{where}: row {row} names document {document}, which is missing or damaged"
            continue
        placed[document] = placed.get(document, 0) + stop - start
        for part in fingerprints[document].parts()[start:stop]:
            expected.insert(row, part)
    for row in np.flatnonzero((tile.bits != expected.bits).any(axis=1)).tolist():
        yield f"{where}: the bits of row {row} are not those of its documents"
    if not np.array_equal(tile.popcounts, expected.popcounts):
        yield f"{where}: the popcounts are not those of its rows"
    if stored.postings is not None and not _have_same(stored, stored.postings.all(), fingerprints):
        yield f"{where}: the postings are not those of its documents"


def _have_same(stored: StoredTile, postings: Postings, fingerprints: dict[int, Fingerprint]) -> bool:
    """Return whether the postings of a tile are those of its documents."""
    added = [
        (document, part)
        for _, document, start, stop in stored.entries.tolist()
        if document in fingerprints
        for part in fingerprints[document].parts()[start:stop]
    ]
    expected = merged(Postings.none(), stored.documents, added)
    if not np.array_equal(postings.documents, expected.documents):
        return False
    # Postings that grew from commit to commit are laid out otherwise.
    return np.array_equal(kernels.list_postings(postings), kernels.list_postings(expected))


def _unplaced(store: Store, fingerprints: dict[int, Fingerprint], placed: dict[int, int]) -> Iterator[str]:
    for document in store.catalog.live_documents():
        n_placed = placed.get(document.id, 0)
        if fingerprints.get(document.id) and n_placed != document.n_parts:
            yield f"document {document.id}: {n_placed} of its {document.n_parts} parts are in the tiles"


def _directory_problems(store: Store) -> Iterator[str]:
    expected = Directory({}, store.generation.file).changed(store.catalog.all_documents(), ())
    for number in sorted(expected.keys() | store.generation.directory.chunks.keys()):
        wanted = expected.get(number, np.empty(0, LOCATION))
        try:
            found = store.generation.directory.chunk(number)
        except PmbfError:
            continue  # its file's own checksum was reported above
        if len(found) != len(wanted):
            yield f"chunk {number} of the directory has {len(found)} locations, expected {len(wanted)}"
        both = min(len(found), len(wanted))
        for place in np.flatnonzero(found[:both] != wanted[:both]).tolist():
            document = number * CHUNK_DOCUMENTS + place
            yield f"document {document} is {found[place]} in the directory, expected {wanted[place]}"
