import sqlite3

import pytest

from pmbf.errors import CorruptError, NotFoundError, UnsupportedError
from pmbf.store import catalog
from pmbf.store.catalog import Catalog
from pmbf.store.tables import Document, FileEntry, PathEntry

DOCUMENT = Document(1, "ab" * 32, "txt", 10, 2, 1, 1, 4, 0, 17, 5, 0, 0, 10)


@pytest.fixture
def folder(tmp_path):
    catalog.create(tmp_path, {"generation": "0"})
    return tmp_path


def put(folder, *rows, **meta):
    writer = Catalog(folder, writable=True)
    with writer.transaction():
        for row in rows:
            writer.put([row])
        writer.set_meta(**meta)
    writer.close()


def change(folder, sql):
    connection = sqlite3.connect(folder / "catalog.sqlite")
    connection.execute(sql)
    connection.commit()
    connection.close()


def test_rows_come_back_as_they_were_put(folder):
    put(folder, DOCUMENT, PathEntry("a.txt", 1, 10, 99), FileEntry(4, "FPRT", 17, 123))
    reader = Catalog(folder)
    assert reader.documents([1, 2]) == {1: DOCUMENT}
    assert reader.path("a.txt") == PathEntry("a.txt", 1, 10, 99)
    assert reader.files() == [FileEntry(4, "FPRT", 17, 123)]
    assert reader.paths_of([1]) == {1: ["a.txt"]}
    assert reader.by_sha256("ab" * 32, from_file=True) == DOCUMENT


def test_a_path_that_is_not_unicode_is_kept(folder):
    put(folder, DOCUMENT, PathEntry("caf\udce9.txt", 1, 10, 99))
    assert [entry.path for entry in Catalog(folder).paths()] == ["caf\udce9.txt"]


def test_a_removed_document_is_not_found_by_its_contents(folder):
    put(folder, DOCUMENT._replace(removed=1))
    reader = Catalog(folder)
    assert reader.by_sha256("ab" * 32, from_file=True) is None
    assert reader.count_documents() == (0, 1)


def test_a_reader_keeps_the_state_it_opened(folder):
    reader = Catalog(folder)
    put(folder, DOCUMENT, generation="1")
    assert (reader.live_ids(), reader.meta["generation"]) == ([], "0")
    assert (Catalog(folder).live_ids(), Catalog(folder).meta["generation"]) == ([1], "1")


def test_a_failed_transaction_changes_nothing(folder):
    writer = Catalog(folder, writable=True)
    with pytest.raises(ZeroDivisionError), writer.transaction():
        writer.put([DOCUMENT])
        raise ZeroDivisionError
    assert Catalog(folder).live_ids() == []


def test_a_failed_transaction_leaves_the_old_parameters_known(folder):
    writer = Catalog(folder, writable=True)
    with pytest.raises(KeyboardInterrupt), writer.transaction():
        writer.set_meta(generation="1")
        raise KeyboardInterrupt
    assert writer.meta["generation"] == "0"


def test_freed_ids_are_offered_lowest_first_until_they_are_used(folder):
    writer = Catalog(folder, writable=True)
    with writer.transaction():
        writer.change_free_ids([9, 3, 5])
    assert writer.free_ids(10) == [3, 5, 9]
    with writer.transaction():
        writer.put([DOCUMENT._replace(id=3)])
        writer.change_free_ids([])
    assert writer.free_ids(10) == [5, 9]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE document SET n_chars = 11",
        "UPDATE document SET removed = 1 WHERE id = 1",
        "UPDATE document SET sha256 = 'xx'",
        "UPDATE document SET id = 2",
    ],
)
def test_a_changed_row_is_noticed(folder, sql):
    put(folder, DOCUMENT)
    change(folder, sql)
    with pytest.raises(CorruptError, match="fails its checksum"):
        list(Catalog(folder).all_documents())


def test_changed_parameters_are_noticed(folder):
    change(folder, "UPDATE meta SET value = '7' WHERE key = 'generation'")
    with pytest.raises(CorruptError, match="checksum of the table `meta`"):
        Catalog(folder)


def test_a_newer_catalog_asks_for_an_upgrade(folder):
    put(folder, format="4")
    with pytest.raises(UnsupportedError, match="format version is 4, this pmbf reads up to 3; upgrade pmbf"):
        Catalog(folder)


def test_a_foreign_file_in_place_of_the_catalog_is_refused(folder):
    (folder / "catalog.sqlite").write_bytes(b"\x89PNG" * 1000)
    with pytest.raises(CorruptError, match="put back a copy of the folder"):
        Catalog(folder)


def test_a_foreign_database_in_place_of_the_catalog_is_refused(folder):
    (folder / "catalog.sqlite").unlink()
    change(folder, "CREATE TABLE meta (key, value)")
    with pytest.raises(CorruptError, match="not that of a collection"):
        Catalog(folder)


def test_no_collection_says_how_to_make_one(tmp_path):
    with pytest.raises(NotFoundError, match="make one with `pmbf load"):
        Catalog(tmp_path)


def test_contradictions_are_listed(folder):
    put(folder, DOCUMENT, PathEntry("b.txt", 2, 1, 1))
    assert Catalog(folder).problems() == ["path 'b.txt' names the missing document 2", "document 1 has no path"]
