"""Is the collection what its catalog says? And if not: rebuild what can be rebuilt.

Truth is the catalog and the texts, or the fingerprints where no texts are stored; fingerprints follow from texts, tiles
from fingerprints, texts from the files they came from. `check` compares every layer with the one below;
`store.repair` rebuilds each from one that is whole, the fingerprints from the postings if nothing else is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from pmbf import kernels
from pmbf.errors import CorruptError, PmbfError
from pmbf.filter import Tile
from pmbf.fingerprint import Fingerprint
from pmbf.kernels import Postings
from pmbf.store.directory import CHUNK_DOCUMENTS, LOCATION, Directory
from pmbf.store.folder import Store
from pmbf.store.postings import merged
from pmbf.store.tables import Document
from pmbf.store.tilefile import StoredTile


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
    report.problems += file_problems(store).values()
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


def file_problems(store: Store) -> dict[int, str]:
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
