"""Damage among thousands of documents, which are compared in batches: `check` tells it as if it looked at each."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from conftest import words

from pmbf import Collection, Params, repair
from pmbf.store import fingerprints, postings, rowsfile, tilefile
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.files import StoredFile, write_file
from pmbf.store.folder import Store
from tests.faults.test_edited import change_row

N_DOCUMENTS = 2400
LONG, EMPTY, REMOVED = 2401, 2402, 1234
"""A document of three segments, one without words, and one that is removed."""


def made_of_many(folder, params):
    made = folder / "c.pmbf"
    with Collection(made, create=True, params=params) as collection:
        collection.add_many([(f"text-{seed}", words(seed, 12)) for seed in range(1, N_DOCUMENTS + 1)])
        collection.add_many([("long", words(9999, 30_000))])
        collection.add_many([("empty", "")])
        collection.remove(REMOVED)
    return made


@pytest.fixture(scope="module", params=["texts", "fingerprints"])
def whole(request, tmp_path_factory):
    return made_of_many(tmp_path_factory.mktemp("many"), Params(store_text=request.param == "texts"))


@pytest.fixture(scope="module")
def whole_of_rows(tmp_path_factory):
    return made_of_many(tmp_path_factory.mktemp("rows"), Params(index="rows"))


@pytest.fixture
def path(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "c.pmbf")
    return tmp_path / "c.pmbf"


@pytest.fixture
def rows_path(whole_of_rows, tmp_path):
    shutil.copytree(whole_of_rows, tmp_path / "rows.pmbf")
    return tmp_path / "rows.pmbf"


def problems(path, monkeypatch):
    """Return what `check` tells, and see that it tells the same if it looks at each document alone."""
    with Collection(path) as collection:
        found = collection.check()
        with monkeypatch.context() as alone:
            alone.setattr(fingerprints, "read", lambda generation, documents: None)
            assert collection.check() == found
        assert found.n_documents in (0, len(collection))
        return found.problems


def test_a_whole_collection_has_no_problem(path, monkeypatch):
    assert problems(path, monkeypatch) == []


@pytest.mark.parametrize("document", [1000, 1001, LONG, EMPTY, REMOVED])
@pytest.mark.parametrize("column", ["n_chars", "n_hashes", "n_parts", "text_skip", "text_bytes", "fingerprint_bytes"])
def test_a_row_that_contradicts_its_text_is_told(path, monkeypatch, document, column):
    with Store(path) as store:
        row = store.documents([document])[document]
    if getattr(row, column) == 0 and column not in ("n_chars", "n_parts"):
        pytest.skip("no record, no text, or the beginning of a block")
    change_row(path, Document, document, **{column: getattr(row, column) + 1})
    has_no_text_to_count = column == "n_chars" and not row.text_file
    assert bool(problems(path, monkeypatch)) != has_no_text_to_count


def test_a_text_of_another_document_is_told(path, monkeypatch):
    with Store(path) as store:
        other = store.documents([1701])[1701]
    change_row(path, Document, 1700, **other._replace(sha256="0" * 64)._asdict() | {"id": 1700})
    assert "the postings are not those of the hashes of document 1700" in problems(path, monkeypatch)


def test_missing_and_orphaned_paths_are_told(path, monkeypatch):
    change_row(path, ListedPath, "text-1700", document=1800)
    change_row(path, ListedPath, "text-1701", document=REMOVED)
    assert problems(path, monkeypatch) == [
        f"path 'text-1701' names the missing document {REMOVED}",
        "document 1700 has no path",
        "document 1701 has no path",
    ]


@pytest.mark.parametrize("kind", ["texts", "fingerprints"])
def test_damaged_blocks_and_records_are_told_document_by_document(path, monkeypatch, kind):
    for file in sorted((path / kind).glob("*"))[:1]:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        found = problems(path, monkeypatch)
        told = {problem.split(":")[0] for problem in found if problem.startswith("document")}
        assert 1 <= len(told) < 1500
        assert any(file.name in problem for problem in found)
        assert repair(path).ok
        assert problems(path, monkeypatch) == []


def rewrite_tile(path, changed):
    """Change tile 0, with every checksum right."""
    with Store(path, writable=True) as store:
        replace_file(store, "TILE", tilefile.payload(changed(store.generation.tile(0))), tile=0)


def rewrite_postings(path, added):
    """Put the postings of other documents, or of other hashes, in the place of the postings."""
    with Store(path, writable=True) as store:
        made = postings.made(postings.Added.of(added))
        replace_file(store, "POST", postings.payload([made], np.empty(0, np.uint32)))
        replace_file(store, "ROWS", rowsfile.payload([(900, made)]))


def replace_file(store, kind, content, tile=-1):
    lost, serial = [file.serial for file in store.catalog.files(kind)], 901 if kind == "ROWS" else 900
    written = write_file(store.folder, kind, store.generation.identity, serial, content)
    with store.catalog.transaction():
        store.catalog.delete(StoredFile, lost)
        store.catalog.insert([written._replace(tile=tile)])
        store.catalog.set_meta(next_serial="902")


def hashes_by_document(path):
    """Return the hashes of each live document."""
    with Store(path) as store:
        documents = list(store.catalog.live_documents())
        return [(one.id, store.generation.fingerprint(one).hashes) for one in documents if one.n_hashes]


def put(row, column, value):
    def change(entries):
        entries[row, column] = value
        return entries

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda entries: np.delete(entries, 1700, 0), "0 of its 1 parts are in the tiles"),
        (put(1700, 1, 77_777), "names document 77777, which is missing or damaged"),
        (put(1700, 0, 500), "an entry names row 500, the tile has"),
        (put(1700, 3, 0), "0 of its 1 parts are in the tiles"),
        (lambda entries: np.sort(entries, 0)[np.r_[0 : len(entries), 5]], "2 of its 1 parts are in the tiles"),
    ],
)
def test_entries_of_other_documents_are_told(rows_path, monkeypatch, change, told):
    rewrite_tile(rows_path, lambda stored: replace(stored, entries=change(np.array(stored.entries))))
    assert any(told in problem for problem in problems(rows_path, monkeypatch))


def test_bits_of_other_documents_are_told(rows_path, monkeypatch):
    with Store(rows_path) as store:
        other = store.documents([1701])[1701]
    change_row(rows_path, Document, 1700, **other._replace(sha256="0" * 64)._asdict() | {"id": 1700})
    assert any("tile 0: the bits of row" in problem for problem in problems(rows_path, monkeypatch))


def test_a_row_of_the_filter_that_is_not_its_segments_is_told_and_made_anew(path, monkeypatch):
    with Store(path, writable=True) as store:
        segments = sorted(store.generation.posted.files)
        other = postings.made(postings.Added.of([(1, np.arange(5000, dtype=np.uint32))]))
        replace_file(store, "ROWS", rowsfile.payload([(segment, other) for segment in segments]))
    told = problems(path, monkeypatch)
    assert len(told) == len(segments) == sum("of the filter is not that of its segment" in one for one in told)
    assert repair(path).ok
    assert problems(path, monkeypatch) == []


def test_postings_of_another_document_are_told(path, monkeypatch):
    *others, (last, hashes) = hashes_by_document(path)
    rewrite_postings(path, [*others, (last + 1000, hashes)])
    assert problems(path, monkeypatch) == [
        f"the postings name document {last + 1000}, which is missing",
        f"the postings are not those of the hashes of document {last}",
    ]


def test_a_posting_too_many_and_one_too_few_are_told(path, monkeypatch):
    (first, some), (second, more), *others = hashes_by_document(path)
    rewrite_postings(path, [(first, some[:-1]), (second, np.append(more, np.uint32(7))), *others])
    assert problems(path, monkeypatch) == [f"the postings are not those of the hashes of document {first} and 1 others"]


def test_postings_of_removed_documents_may_be_there_or_not(path, monkeypatch):
    rewrite_postings(path, hashes_by_document(path))
    assert problems(path, monkeypatch) == []
