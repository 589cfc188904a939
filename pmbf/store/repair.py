"""Rebuilds what is damaged: fingerprints from texts, tiles from fingerprints, texts from the files they came from.

If nothing else is left, then a fingerprint is made anew from the postings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.errors import PmbfError
from pmbf.fingerprint import Fingerprint, fingerprint
from pmbf.store.check import CheckReport, check, file_problems
from pmbf.store.compact import FilePacker
from pmbf.store.folder import Store
from pmbf.store.originals import read_again
from pmbf.store.pending import Change
from pmbf.store.tables import Document
from pmbf.store.writer import Writer

Result = TypeVar("Result")


def repair(store: Store) -> CheckReport:
    """Rebuild every tile, and every damaged fingerprint and text, in one commit.

    Removed documents are dropped for good on the way. A document whose fingerprint, text and file are all
    damaged or gone is taken out, and named.

    Raises:
        CorruptError: The catalog itself is damaged.
        OSError: The disk is full; the collection is as before.
    """
    report = check(store)
    bad_files = set(file_problems(store))
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
