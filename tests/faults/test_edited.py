"""A catalog that somebody changed by SQL, with every checksum made right: an error in words, never a traceback."""

import shutil
import sqlite3

import numpy as np
import pytest
from conftest import words

from pmbf import Collection, CorruptError, Params, PmbfError, repair
from pmbf.store import directory, files
from pmbf.store.catalog import Catalog
from pmbf.store.catalog_tables import Document, ListedPath, meta_checksum
from pmbf.store.directory import LOCATION
from pmbf.store.files import StoredFile
from pmbf.store.folder import Store
from tests.forked import pmbf

NAMES = [f"text-{number}" for number in range(6)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    made = tmp_path_factory.mktemp("edited") / "c.pmbf"
    with Collection(made, create=True) as collection:
        collection.add_many([(name, words(seed)) for seed, name in enumerate(NAMES)])
    return made


@pytest.fixture
def path(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "c.pmbf")
    return tmp_path / "c.pmbf"


def set_meta(path, key, value):
    """Change an entry of `meta`, or take it out, and make its checksum right."""
    connection = sqlite3.connect(path / "catalog.sqlite")
    connection.execute("DELETE FROM meta WHERE key = ?", [key])
    connection.executemany("INSERT INTO meta VALUES (?, ?)", [] if value is None else [(key, value)])
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    connection.execute("UPDATE meta SET value = ? WHERE key = 'crc'", [str(meta_checksum(meta))])
    connection.commit()
    connection.close()


def change_row(path, row_type, key, **changes):
    """Change a row, and make its checksum and the table's right."""
    writer = Catalog(path, writable=True)
    [row] = [row for row in writer._all(row_type) if row[0] == key or (row_type is StoredFile and row.kind == key)]
    with writer.transaction():
        writer.delete(row_type, [row[0]])
        writer.insert([row._replace(**changes)])
    writer.close()


def assert_in_words(path):
    """Whatever is asked: answers, or errors of pmbf that name the folder."""
    uses = (
        lambda c: c.check(),
        lambda c: list(c.documents()),
        lambda c: c.screen(words(3)),
        lambda c: c.stats(),
        lambda c: c.compact(),
        lambda c: c.add(words(77), name="new"),
        lambda c: c.remove("text-1"),
    )
    for use in (*uses, None):
        try:
            if use is None:
                repair(path)
            else:
                with Collection(path) as collection:
                    use(collection)
        except PmbfError as error:
            assert str(path) in str(error)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("params", "7"),
        ("params", "[]"),
        ("params", "{"),
        ("params", ""),
        ("params", '{"density": 0.05}'),
        *(("params", Params().to_json().replace("0.05", density)) for density in ('"much"', "7", "null")),
        ("collection_id", "not hexadecimal"),
        ("collection_id", "ab"),
        ("collection_id", ""),
        *((name, value) for name in ("generation", "next_serial", "next_tile") for value in ("", "x", "-1", "1.5")),
        *((name, value) for name in ("document_rows", "file_rows") for value in ("", "x", "1", "9 9", "1 2 3")),
        ("next_serial", str(2**70)),
    ],
)
def test_an_entry_of_meta_that_no_writer_puts_there_is_told(path, key, value):
    set_meta(path, key, value)
    asked = pmbf("check", "-c", path)
    assert asked.returncode in (1, 3) and "Traceback" not in asked.stderr, asked
    assert_in_words(path)


@pytest.mark.parametrize("key", ["generation", "next_serial", "next_tile", "document_rows", "params", "collection_id"])
def test_an_entry_of_meta_that_is_gone_is_told(path, key):
    set_meta(path, key, None)
    with pytest.raises(PmbfError, match=str(path)), Collection(path) as collection:
        list(collection.documents())
    assert_in_words(path)


@pytest.mark.parametrize(
    ("row_type", "key", "changes"),
    [
        (StoredFile, "DOCS", {"kind": "x"}),
        (StoredFile, "DOCS", {"tile": 2**32}),
        (StoredFile, "DOCS", {"tile": -1}),
        (StoredFile, "TEXT", {"tile": 0}),
        (StoredFile, "DOCS", {"serial": -1}),
        (StoredFile, "TEXT", {"payload_bytes": 2**62}),
        (StoredFile, "DOCS", {"tile": 70_000}),
        *((Document, 4, {column: value}) for column in Document._fields[7:14] for value in (-1, 2**40, 2**62)),
        *((Document, 4, {"id": value}) for value in (0, -1, 2**32 - 1, 2**32, 2**40, 77)),
        *((ListedPath, "text-3", {"document": value}) for value in (-1, 2**32 - 1, 2**62, 77)),
        (Document, 4, {"n_chars": 0, "text_file": 0}),
        (Document, 4, {"n_parts": 0}),
    ],
)
def test_a_row_that_no_writer_puts_there_is_told(path, row_type, key, changes):
    change_row(path, row_type, key, **changes)
    try:
        with Collection(path) as collection:
            assert collection.check().problems
    except PmbfError as error:
        assert str(path) in str(error)
    assert_in_words(path)


@pytest.mark.parametrize("column", ["file", "n_hashes", "offset", "n_bytes", "state"])
def test_a_directory_of_the_largest_numbers_is_told(path, column):
    """Its file and the catalog have the right checksums; what it says of documents is impossible."""
    with Store(path, writable=True) as store:
        [old] = store.catalog.files("DOCS")
        entries = np.array(store.generation.directory.chunk(0), LOCATION)
        entries[column][1:] = np.iinfo(LOCATION[column]).max
        written = files.write_file(path, "DOCS", store.generation.identity, 900, directory.payload(entries))
        with store.catalog.transaction():
            store.catalog.delete(StoredFile, [old.serial])
            store.catalog.insert([StoredFile(900, "DOCS", written.payload_bytes, written.payload_crc, 0)])
            store.catalog.set_meta(next_serial="901")
    with Collection(path) as collection:
        assert collection.check().problems
        if column == "state":  # a screening asks for nothing else
            with pytest.raises(CorruptError, match=str(path)):
                collection.screen(words(3))
        else:
            assert collection.screen(words(3)).found
    assert repair(path).ok
    with Collection(path) as collection:
        assert collection.screen(words(3)).found
        assert collection.check().problems == []


def test_an_id_in_use_is_never_given_out(path):
    """Were the directory wrong with a right checksum, the row of another document would stop the commit."""
    with Store(path, writable=True) as store:
        [old] = store.catalog.files("DOCS")
        entries = np.array(store.generation.directory.chunk(0), LOCATION)
        entries[3] = 0
        written = files.write_file(path, "DOCS", store.generation.identity, 900, directory.payload(entries))
        with store.catalog.transaction():
            store.catalog.delete(StoredFile, [old.serial])
            store.catalog.insert([StoredFile(900, "DOCS", written.payload_bytes, written.payload_crc, 0)])
            store.catalog.set_meta(next_serial="901")
    with Collection(path) as collection:
        with pytest.raises(CorruptError, match="UNIQUE constraint failed"):
            collection.add(words(77), name="new")
        assert any("document 3 is" in problem for problem in collection.check().problems)
    assert repair(path).ok
    with Collection(path) as collection:
        assert collection.add(words(77), name="new") == 7
        assert [match.document.path for match in collection.screen(words(2)).matches] == ["text-2"]


@pytest.mark.parametrize("name", ["next_serial", "next_tile"])
def test_a_number_in_use_is_never_given_out(tmp_path, name):
    path = tmp_path / "rows.pmbf"
    with Collection(path, create=True, params=Params(index="rows")) as collection:
        collection.add("one text", name="one")
    set_meta(path, name, "0")
    with Collection(path) as collection:
        assert any(f"`{name}` is 0" in problem for problem in collection.check().problems)
        collection.add(words(77), name="new")
        assert collection.check().problems == []


def test_an_index_that_leaves_out_a_path_takes_no_document_away(path):
    """Its other path stands in the table alone: a look into the index says that there is none."""
    with Collection(path) as collection:
        collection.add(words(3), name="other name")
    connection = sqlite3.connect(path / "catalog.sqlite")
    connection.execute("PRAGMA writable_schema = 1")
    connection.execute(
        "UPDATE sqlite_master SET sql = sql || ' WHERE path != ''other name''' WHERE name = 'idx_path_document'"
    )
    connection.commit()
    connection.close()
    connection = sqlite3.connect(path / "catalog.sqlite")
    connection.execute("REINDEX idx_path_document")
    connection.execute("PRAGMA writable_schema = 1")
    connection.execute(
        "UPDATE sqlite_master SET sql = replace(sql, ' WHERE path != ''other name''', '') WHERE name LIKE 'idx_path%'"
    )
    connection.commit()
    connection.close()
    with Collection(path) as collection:
        with pytest.raises(CorruptError, match="the index of the paths by document"):
            collection.remove("text-3")
        assert any("idx_path_document" in problem for problem in collection.check().problems)
    assert repair(path).ok
    with Collection(path) as collection:
        collection.remove("text-3")
        assert [match.document.paths for match in collection.screen(words(3)).matches] == [("other name",)]
        assert collection.check().problems == []
