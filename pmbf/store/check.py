"""Is the collection what its catalog says? Each layer is compared with the one below.

Truth is the catalog and the texts, or the fingerprints where no texts are stored. Fingerprints follow from texts; tiles
and postings follow from fingerprints. Documents are compared in batches, as columns. If something in a batch is wrong,
then each of its documents is looked at alone, and told. `store.repair` rebuilds each layer from one that is whole.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import among, distinct
from pmbf.base.errors import CorruptError, PmbfError
from pmbf.base.hashes import first_bits
from pmbf.fingerprint import Fingerprint
from pmbf.report.as_json import AsJson
from pmbf.store import codec, fingerprints, wordlists
from pmbf.store.catalog_tables import Document, Documents
from pmbf.store.directory import CHUNK_DOCUMENTS, LOCATION, located
from pmbf.store.fingerprints import Fingerprints
from pmbf.store.folder import Store
from pmbf.store.postings import Pairs, distinct_pairs, listed, ranges_of
from pmbf.store.stretches import begin_of, is_long, postings_of
from pmbf.store.tilefile import StoredTile


@dataclass(slots=True)
class CheckReport(AsJson):
    """What a check found, and what a repair did.

    Args:
        n_documents: Live documents looked at.
        n_files: Files whose checksums were compared.
        problems: Each with the file or document it concerns; empty when all is well.
        repaired: What was rebuilt.
        lost: Paths of documents that could not be saved: load them again.
        remaining: Problems a repair has left.
    """

    ALSO: ClassVar[tuple[str, ...]] = ("ok",)

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


def check(store: Store) -> CheckReport:
    """Compare every file, row and bit of a collection with what it follows from.

    Reads everything: seconds per 100 MB.
    """
    store.generation.forget_files()  # so that every page is compared, those found right before too
    report = CheckReport()
    report.problems += store.catalog.problems()
    try:
        documents, is_binary = store.catalog.document_columns()
        report.problems += _contradictions(store, documents)
    except CorruptError:
        return report  # a row was reported above; without it nothing else can be compared
    report.n_documents = int(np.count_nonzero(documents.removed == 0))
    report.n_files = len(store.catalog.files())
    bad_files = file_problems(store)
    report.problems += bad_files.values()
    taken = _taken(store, documents, report.problems)
    if store.params.index == "rows":
        placed = np.zeros(len(taken.ids), np.int64)
        for number in sorted(store.generation.tile_files()):
            report.problems += _tile_problems(store, number, taken, placed)
        report.problems += _unplaced(documents, taken, placed)
    else:
        report.problems += _postings_problems(store, documents, taken, bad_files)
        report.problems += itertools.chain.from_iterable(filter_problems(store, bad_files).values())
    report.problems += _directory_problems(store, documents, is_binary)
    report.problems += _stretches_problems(store, documents)
    return report


def _contradictions(store: Store, documents: Documents) -> list[str]:
    """Return which paths have no document, and which documents no path."""
    live, listed = documents.id[documents.removed == 0], distinct(store.catalog.documents_of_paths())
    orphaned = set(np.setdiff1d(listed, live, assume_unique=True).tolist())
    orphans = sorted((one.document, one.path) for one in store.catalog.paths() if one.document in orphaned)
    told = [f"path {path!r} names the missing document {document}" for document, path in orphans]
    return told + [f"document {id_} has no path" for id_ in np.setdiff1d(live, listed, assume_unique=True).tolist()]


def file_problems(store: Store) -> dict[int, str]:
    """Return what is wrong with each damaged file, by serial.

    Raises:
        OSError: A file cannot be opened, for another reason than damage: a repair would give up what is whole.
    """
    problems = {}
    for file in store.catalog.files():
        try:
            store.generation.file(file.serial).verify()
        except PmbfError as error:
            problems[file.serial] = str(error)
    return problems


def _taken(store: Store, documents: Documents, problems: list[str]) -> Fingerprints:
    """Return the fingerprints that can be read; add what is wrong with documents and their texts to the problems."""
    found = []
    for some in fingerprints.some_together(documents):
        taken = fingerprints.read(store.generation, some)
        if taken is None or not _are_listed(store, some, taken):
            by_id: dict[int, Fingerprint] = {}
            for _, document in sorted(store.catalog.documents(some.id.tolist()).items()):
                problems += _document_problems(store, document, by_id)
            taken = Fingerprints.of(by_id)
        found.append(taken)
    return Fingerprints.joined(found)


def _are_listed(store: Store, documents: Documents, taken: Fingerprints) -> bool:
    """Return whether the stored word lists of documents are those of their texts."""
    if not store.generation.has_words:
        return True
    columns = documents.fingerprint_file, documents.fingerprint_offset, documents.fingerprint_bytes
    try:
        words, bounds = wordlists.read(store.generation, *columns)
    except PmbfError:
        return False
    are_alone = (documents.fingerprint_file > 0) & ~codec.has_stored_fingerprint(documents)
    are_alone &= ~is_long(documents.n_chars)
    n_bytes = -(-(np.diff(bounds) + codec.LEAST_WORDED) // 4) * 4
    if (n_bytes != documents.fingerprint_bytes)[are_alone].any():
        return False
    return np.array_equal(bounds, taken.word_bounds) and np.array_equal(words, taken.words)


def _is_recorded(store: Store, document: Document, taken: Fingerprint) -> bool:
    """Return whether a document's record has the word list that was taken of its text, and nothing unknown behind."""
    if not store.generation.has_words or codec.has_stored_fingerprint(document):
        return True
    if not document.fingerprint_file:
        return not taken.words
    record, wanted = store.generation.record(document), codec.record_of(taken, store.params, has_text=True)
    return record.startswith(wanted) and (len(record) == len(wanted) or bool(is_long(document.n_chars)))


def _document_problems(store: Store, document: Document, by_id: dict[int, Fingerprint]) -> list[str]:
    problems = []
    try:
        by_id[document.id] = taken = store.generation.fingerprint(document)
        store.generation.text(document)
        if not _is_recorded(store, document, taken):
            problems.append("its word list is not that of its text")
    except PmbfError as error:
        problems.append(str(error))
    return [f"document {document.id}: {problem}" for problem in problems]


def _stretches_problems(store: Store, documents: Documents) -> Iterator[str]:
    """Yield which long texts have other stretches than their records say. What cannot be read was told before."""
    is_live = (documents.removed == 0) & (documents.fingerprint_file > 0) & (documents.text_file > 0)
    is_live &= is_long(documents.n_chars)
    for id_, document in sorted(store.catalog.documents(documents.id[is_live].tolist()).items()):
        with contextlib.suppress(PmbfError):
            text, record = store.generation.text(document) or "", store.generation.record(document)
            begin = begin_of(store.generation, document) - document.fingerprint_offset
            if record[begin:] != postings_of(text.encode("utf-8"), store.params):
                yield f"document {id_}: its record is not that of the stretches of its text"


def _tile_problems(store: Store, number: int, taken: Fingerprints, placed: NDArray[np.int64]) -> list[str]:
    try:
        return list(_row_problems(store.generation.tile(number), f"tile {number}", taken, placed))
    except PmbfError:  # of its head, or of the page of a row
        return []  # its file's own checksum was reported above


def _row_problems(stored: StoredTile, where: str, taken: Fingerprints, placed: NDArray[np.int64]) -> Iterator[str]:
    """Yield what is wrong with a tile; add the parts of each document in it to `placed`."""
    tile, entries = stored.tile.writable(), stored.entries.astype(np.int64)
    places = taken.places(entries[:, 1])
    for row, document in entries[places < 0, :2].tolist():
        yield f"{where}: row {row} names document {document}, which is missing or damaged"
    for row in entries[entries[:, 0] >= tile.n_rows, 0].tolist():
        yield f"{where}: an entry names row {row}, the tile has {tile.n_rows} rows"
    is_known = (places >= 0) & (entries[:, 0] < tile.n_rows)
    entries, places = entries[is_known], places[is_known]
    np.add.at(placed, places, entries[:, 3] - entries[:, 2])
    hashes, counts = taken.of_parts(places, entries[:, 2], entries[:, 3])
    expected = np.zeros_like(tile.bits)
    rows, begins = entries[:, 0], np.cumsum(counts) - counts
    for some in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(rows)) + 1) if len(rows) else ():
        start, stop = begins[some[0]], begins[some[-1]] + counts[some[-1]]
        kernels.fill(expected[rows[some[0]]], first_bits(hashes[start:stop]), n_hashes=tile.n_hashes)
    for row in np.flatnonzero((tile.bits != expected).any(axis=1)).tolist():
        yield f"{where}: the bits of row {row} are not those of its documents"
    if not np.array_equal(tile.popcounts, kernels.popcounts(expected)):
        yield f"{where}: the popcounts are not those of its rows"


def _postings_problems(
    store: Store, documents: Documents, taken: Fingerprints, bad_files: Container[int]
) -> Iterator[str]:
    """Yield what is wrong with the postings: each live document must have those of its hashes, and no others.

    Not compared if one of them cannot be read. Of a damaged file that was told before.
    """
    is_live = np.append(among(taken.ids, documents.id[documents.removed == 0]), False)
    wrong: list[NDArray[np.int64]] = []
    numbers = kernels.numbers_of(taken.hashes, store.params.hash_bits)
    try:
        sources = store.generation.posted.sources()
        named = distinct(np.concatenate([np.empty(0, np.uint32), *(one.documents for one in sources)])).astype(np.int64)
        for start, stop in ranges_of(sources):
            expected = _expected(taken, is_live, numbers, start, stop)
            found = [(expected[0][:0], expected[1][:0]), *(listed(one, start, stop) for one in sources)]
            hashes, ids = (np.concatenate(column) for column in zip(*found, strict=True))
            is_read = is_live[taken.places(ids.astype(np.int64))]
            wrong.append(_owners_of_differences(distinct_pairs(hashes[is_read], ids[is_read]), expected))
    except PmbfError as error:
        if not any(serial in bad_files for serial in store.generation.posted.files):
            yield f"{store.folder}: {error}"
        return
    for document in named[~among(named, documents.id)].tolist():
        yield f"the postings name document {document}, which is missing"
    if len(ids := distinct(np.concatenate([np.empty(0, np.int64), *wrong]))):
        what = f"document {ids[0]}" + (f" and {len(ids) - 1} others" if len(ids) > 1 else "")
        yield f"the postings are not those of the hashes of {what}"


def filter_problems(store: Store, bad_files: Container[int]) -> dict[int, list[str]]:
    """Return what is wrong with rows of the filter, by the serial of their file.

    Args:
        store: The collection.
        bad_files: Serials of files that are damaged: these, and rows that follow from them, are not compared.
    """
    whole = [serial for serial in sorted(store.generation.posted.row_files) if serial not in bad_files]
    found = {serial: list(_rows_problems(store, serial, bad_files)) for serial in whole}
    return {serial: problems for serial, problems in found.items() if problems}


def _rows_problems(store: Store, serial: int, bad_files: Container[int]) -> Iterator[str]:
    """Yield what is wrong with a file of rows: each must have the bits of its segment's hashes."""
    posted = store.generation.posted
    try:
        stored = posted.rows_in(serial)
    except PmbfError as error:
        yield str(error)
        return
    for number, segment in enumerate(stored.serials):
        if segment not in posted.files or segment in bad_files:
            continue
        try:
            whole = posted.of_file(segment).whole()
            expected = kernels.row_of(whole, stored.rows.n_lines, stored.rows.n_hashes)
        except PmbfError:
            continue  # the postings were compared above
        if not np.array_equal(expected, stored.bits_of(number)):
            yield f"{stored.file.path}: row {number} of the filter is not that of its segment {segment}"


def _expected(
    taken: Fingerprints, is_live: NDArray[np.bool_], numbers: NDArray[np.uint64], start: int, stop: int
) -> Pairs:
    """Return the postings that the live documents must have of the hashes `[start, stop)`, ascending.

    Args:
        taken: The fingerprints of documents.
        is_live: Which of the documents are live.
        numbers: The hashes, as postings number them.
        start, stop: The range.
    """
    at = np.flatnonzero((numbers >= np.uint64(start)) & (numbers <= np.uint64(max(start, stop - 1))))
    owners = np.searchsorted(taken.bounds[taken.firsts], at, side="right") - 1
    at, owners = at[is_live[owners]], owners[is_live[owners]]
    return distinct_pairs(taken.hashes[at], taken.ids[owners].astype(np.uint32))


def _owners_of_differences(found: Pairs, expected: Pairs) -> NDArray[np.int64]:
    """Return the documents of the postings that only one of both has, each ascending and distinct."""
    hashes, ids = np.append(found[0], expected[0]), np.append(found[1], expected[1])
    if len(found[0]) == len(expected[0]) and all(map(np.array_equal, found, expected)):
        return np.empty(0, np.int64)
    order = np.lexsort((ids, hashes))
    hashes, ids = hashes[order], ids[order]
    is_next = (hashes[1:] == hashes[:-1]) & (ids[1:] == ids[:-1])
    is_lone = ~(np.append(is_next, False) | np.append(False, is_next))[: len(ids)]
    return np.asarray(ids[is_lone], np.int64)


def _unplaced(documents: Documents, taken: Fingerprints, placed: NDArray[np.int64]) -> Iterator[str]:
    live = documents[documents.removed == 0]
    places = taken.places(live.id)
    n_placed, has_hashes = np.append(placed, 0)[places], np.append(taken.n_hashes, 0)[places] > 0
    for place in np.flatnonzero(has_hashes & (n_placed != live.n_parts)).tolist():
        document = live[place]
        yield f"document {document.id}: {n_placed[place]} of its {document.n_parts} parts are in the tiles"


def _directory_problems(store: Store, documents: Documents, is_binary: NDArray[np.bool_]) -> Iterator[str]:
    names_texts = store.generation.directory.names_texts
    numbers, locations = documents.id // CHUNK_DOCUMENTS, located(documents, is_binary, names_texts=names_texts)
    for number in sorted({*distinct(numbers).tolist(), *store.generation.directory.numbers()}):
        places = documents.id[numbers == number] % CHUNK_DOCUMENTS
        wanted = np.zeros(int(places.max(initial=-1)) + 1, LOCATION)
        wanted[places] = locations[numbers == number]
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
