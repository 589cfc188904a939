"""Rebuilds what is damaged: fingerprints from texts, the index from fingerprints, texts from their files.

If nothing else is left, then a fingerprint is made anew from the postings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import among
from pmbf.base.errors import PmbfError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.fingerprint import Fingerprint, fingerprint
from pmbf.store.catalog_tables import Document
from pmbf.store.check import CheckReport, check, file_problems, filter_problems
from pmbf.store.compact import FilePacker
from pmbf.store.files import require_versions
from pmbf.store.folder import Store, read_generation
from pmbf.store.originals import read_again
from pmbf.store.pending import Change, ended
from pmbf.store.postings import distinct_pairs, listed, ranges_of
from pmbf.store.stretches import is_by_stretches, is_long, postings_of
from pmbf.store.writer import Writer

Result = TypeVar("Result")


def repair(store: Store) -> CheckReport:
    """Rebuild the index, and every damaged fingerprint and text, in one commit.

    If rows of the filter alone are damaged or wrong, then these are made anew from the postings, and nothing else is
    written.

    Removed documents are dropped for good on the way. A document whose fingerprint, text and file are all
    damaged or gone is taken out, and named. Of commits that the catalog has lost the numbers are told.

    Raises:
        CorruptError: The catalog itself is damaged.
        UnsupportedError: Another pmbf wrote a file of the folder; the collection is as before.
        OSError: The disk is full; the collection is as before.
    """
    require_versions(store.folder)
    shown, noted = store.commit_number, _attempt(lambda: read_generation(store.folder)) or 0
    report = _repaired(store)
    if noted > shown:
        report.problems.insert(0, f"{store.catalog.location}: shows commit {shown}, but commit {noted} was made")
        lost = f"commit {noted}" if noted == shown + 1 else f"the commits {shown + 1} to {noted}"
        report.lost.append(f"what {lost} changed")
    return report


def _repaired(store: Store) -> CheckReport:
    report = check(store)
    bad_files = set(file_problems(store))
    if report.problems and _repair_rows(store, bad_files, report):
        return report
    writer = Writer(store, rebuild=True)
    packer, documents = FilePacker(writer), list(store.catalog.all_documents())
    dead = {document.id for document in documents if document.removed}
    wanted = [document.id for document in documents if bad_files.intersection(_serials(document))]
    posted = _Posted(store, np.array(wanted, np.uint32))
    paths = store.paths_by_document()
    for document in documents:
        if document.removed:
            continue
        named = paths.pop(document.id, [])
        taken = _rescued(store, document, bad_files, packer, posted, report) if named else None
        if taken is None:
            dead.add(document.id)
            report.lost += named or [f"document {document.id}, which has no path"]
        else:
            writer.index.place(document.id, taken.hashes, taken.bounds.tolist())
    packer.close()
    report.lost += [path for orphans in paths.values() for path in orphans]
    writer.apply(_rebuilt(writer, packer, dead, report))
    n_rebuilt = len(store.generation.tile_files()) or len(store.generation.posted.files)
    report.repaired.append(f"{'tiles' if store.params.index == 'rows' else 'segments'} rebuilt: {n_rebuilt}")
    report.remaining = check(store).problems
    return report


def _repair_rows(store: Store, bad_files: set[int], report: CheckReport) -> bool:
    """Make wrong rows of the filter anew from their postings. Return whether nothing else was wrong."""
    row_files = store.generation.posted.row_files.keys()
    if bad_files - row_files:
        return False
    wrong = bad_files | filter_problems(store, bad_files).keys()
    if not wrong:
        return False
    writer = Writer(store)
    writer.apply(Change(lost_files=set(wrong)))
    writer.lay_rows()
    report.remaining = check(store).problems
    if report.remaining:
        return False
    report.repaired.append(f"files of rows of the filter made anew: {len(wrong)}")
    return True


def _rebuilt(writer: Writer, packer: FilePacker, dead: set[int], report: CheckReport) -> Change:
    store = writer.store
    moved = {document.id: document for document in packer.documents}
    used = {
        serial
        for document in store.catalog.live_documents()
        if document.id not in dead
        for serial in _serials(moved.get(document.id, document))
    }
    change = Change(changed_documents=packer.documents, new_files=packer.files)
    with ended(change.writing):
        writer.start_settling(change)
        writer.index.start_files(change.writing)
    change.lost_files = {file.serial for file in store.catalog.files() if file.serial not in used}
    change.lost_documents, change.lost_paths = dead, report.lost
    return change


def _serials(document: Document) -> tuple[int, int]:
    return document.fingerprint_file, document.text_file


def _rescued(
    store: Store, document: Document, bad_files: set[int], packer: FilePacker, posted: _Posted, report: CheckReport
) -> Fingerprint | None:
    """Return a document's fingerprint, its parts in bad files copied into new ones; None when nothing is left."""
    if not bad_files.intersection(_serials(document)) and not is_by_stretches(document):
        stored = store.generation.fingerprint(document)
        if document.text_file and store.generation.has_words and _words(store, document) != stored.words:
            packer.keep(packer.put_fingerprint(document, stored))
            report.repaired.append(f"word list of document {document.id} made anew from its text")
        return stored
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
    taken = replace(taken, words=taken.words or _words(store, document) or b"")
    if document.text_file in bad_files:
        if text is None:
            report.repaired.append(f"text of document {document.id} given up: its fingerprint still finds it")
        document = _without_text(document) if text is None else packer.put_text(document, text)
    is_told = text is not None and document.text_file and is_long(document.n_chars)
    stretches = postings_of((text or "").encode("utf-8"), store.params) if is_told else b""
    packer.keep(packer.put_fingerprint(document, taken, stretches))
    return taken


def _words(store: Store, document: Document) -> bytes | None:
    return _attempt(lambda: store.generation.words(document, rescuing=True))


class _Posted:
    """The hashes of documents as the postings have them.

    Args:
        store: The collection.
        wanted: `(n,) uint32`, the ids of the documents that may be asked for.
    """

    def __init__(self, store: Store, wanted: NDArray[np.uint32]) -> None:
        self._store, self._wanted = store, wanted
        self._by_document: tuple[NDArray[np.uint32], Hashes] | None = None

    def fingerprint(self, document: Document) -> Fingerprint | None:
        """Return a document's fingerprint in parts of other bounds than before; None if no postings have it."""
        if self._by_document is None:
            self._by_document = self._all_listed()
        owners, listed_hashes = self._by_document
        first, last = np.searchsorted(owners, document.id, "left"), np.searchsorted(owners, document.id, "right")
        if first == last:
            return None
        params = self._store.params
        hashes = listed_hashes[first:last]
        n_parts = max(1, -(-len(hashes) // max(1, int(params.density * params.segment_chars))))
        parts = [np.sort(part) for part in np.array_split(hashes, n_parts)]
        bounds = np.cumsum([0, *map(len, parts)], dtype=np.uint32)
        return Fingerprint(np.concatenate(parts), bounds, document.n_chars, document.n_tokens)

    def _all_listed(self) -> tuple[NDArray[np.uint32], Hashes]:
        """Return the postings of the wanted documents by document, each once: the id of each, and its hash."""
        none = np.empty(0, hash_dtype(self._store.params.hash_bits)), np.empty(0, np.uint32)
        columns = zip(none, *self._listed(), strict=True)
        hashes, ids = distinct_pairs(*(np.concatenate(column) for column in columns))
        order = np.argsort(ids, kind="stable")
        return ids[order], hashes[order]

    def _listed(self) -> Iterator[tuple[Hashes, NDArray[np.uint32]]]:
        """Yield the postings of the wanted documents: the hash of each, and the id. What is damaged is left out."""
        posted = self._store.generation.posted
        openings = [partial(posted.of_file, serial) for serial in posted.files]
        for source in [one for opened in openings if (one := _attempt(opened))]:
            for start, stop in _attempt(partial(ranges_of, [source])) or ():
                found = _attempt(partial(listed, source, start, stop))
                if found is not None:
                    hashes, ids = found
                    is_wanted = among(ids, self._wanted)
                    yield hashes[is_wanted], ids[is_wanted]


def _text_again(store: Store, document: Document) -> str | None:
    paths = store.catalog.paths_of([document.id]).get(document.id, [])
    stored = _attempt(lambda: store.generation.text(document, rescuing=True))
    return stored if stored is not None else _attempt(lambda: read_again(document, paths))


def _without_text(document: Document) -> Document:
    return document._replace(text_file=0, text_offset=0, text_skip=0, text_bytes=0)


def _attempt(action: Callable[[], Result]) -> Result | None:
    try:
        return action()
    except PmbfError:
        return None
