import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import CorruptError, NotFoundError, UnsupportedError
from pmbf.store import schema
from pmbf.store.catalog import Catalog
from pmbf.store.catalog_tables import Document, ListedPath, row_checksum
from pmbf.store.files import FORMAT_VERSION, StoredFile

OTHER_VERSIONS = [
    *((version, "load the documents into a new collection$") for version in range(FORMAT_VERSION)),
    (FORMAT_VERSION + 1, "upgrade pmbf$"),
]
DOCUMENT = Document(1, "ab" * 32, "txt", 10, 2, 1, 1, 4, 0, 17, 5, 0, 0, 10)


@pytest.fixture
def folder(tmp_path):
    schema.create(tmp_path, {"generation": "0", "next_serial": "1", "next_tile": "0"})
    return tmp_path


def put(folder, *rows, **meta):
    writer = Catalog(folder, writable=True)
    with writer.transaction():
        for row in rows:
            writer.replace([row])
        writer.set_meta(**meta)
    writer.close()


def change(folder, sql):
    connection = sqlite3.connect(folder / "catalog.sqlite")
    connection.execute(sql)
    connection.commit()
    connection.close()


def test_rows_come_back_as_they_were_put(folder):
    put(folder, DOCUMENT, ListedPath("a.txt", 1, 10, 99), StoredFile(4, "FPRT", 17, 123))
    reader = Catalog(folder)
    assert reader.documents([1, 2]) == {1: DOCUMENT}
    assert reader.path("a.txt") == ListedPath("a.txt", 1, 10, 99)
    assert reader.files() == [StoredFile(4, "FPRT", 17, 123)]
    assert reader.paths_of([1]) == {1: ["a.txt"]}
    assert reader.by_sha256(["ab" * 32]) == [DOCUMENT]


def test_a_path_that_is_not_unicode_is_kept(folder):
    put(folder, DOCUMENT, ListedPath("caf\udce9.txt", 1, 10, 99))
    assert [entry.path for entry in Catalog(folder).paths()] == ["caf\udce9.txt"]


def test_a_problem_that_names_what_is_not_unicode_is_kept(folder):
    document = DOCUMENT._replace(problems="caf\udce9.txt: cut")
    put(folder, document)
    assert list(Catalog(folder).all_documents()) == [document]


def test_a_removed_document_is_not_found_by_its_contents(folder):
    put(folder, DOCUMENT._replace(removed=1))
    reader = Catalog(folder)
    assert reader.by_sha256(["ab" * 32]) == []
    assert (list(reader.live_documents()), len(list(reader.all_documents()))) == ([], 1)


def test_a_reader_keeps_the_state_it_opened(folder):
    reader = Catalog(folder)
    put(folder, DOCUMENT, generation="1")
    assert (list(reader.all_documents()), reader.meta["generation"]) == ([], "0")
    assert (list(Catalog(folder).all_documents()), Catalog(folder).meta["generation"]) == ([DOCUMENT], "1")


def test_a_failed_transaction_changes_nothing(folder):
    writer = Catalog(folder, writable=True)
    with pytest.raises(ZeroDivisionError), writer.transaction():
        writer.insert([DOCUMENT])
        raise ZeroDivisionError
    assert list(Catalog(folder).all_documents()) == []


def test_a_failed_transaction_leaves_the_old_parameters_known(folder):
    writer = Catalog(folder, writable=True)
    with pytest.raises(KeyboardInterrupt), writer.transaction():
        writer.set_meta(generation="1")
        raise KeyboardInterrupt
    assert writer.meta["generation"] == "0"


def test_a_new_row_never_takes_the_place_of_another(folder):
    put(folder, DOCUMENT)
    writer = Catalog(folder, writable=True)
    with pytest.raises(CorruptError, match=r"UNIQUE constraint failed: document\.id"), writer.transaction():
        writer.insert([DOCUMENT._replace(sha256="cd" * 32)])
    assert Catalog(folder).documents([1]) == {1: DOCUMENT}


@pytest.mark.parametrize("table", ["document", "path", "file"])
def test_a_row_that_is_gone_is_noticed_by_who_reads_the_table(folder, table):
    put(folder, DOCUMENT, ListedPath("a.txt", 1, 10, 99), StoredFile(4, "FPRT", 17, 123))
    change(folder, f"DELETE FROM {table}")
    reader = Catalog(folder)
    read = {"document": reader.all_documents, "path": reader.paths, "file": reader.files}[table]
    with pytest.raises(CorruptError, match=f"the 0 rows of the table `{table}` are not the 1 that were committed"):
        list(read())
    assert any(f"the 0 rows of the table `{table}`" in problem for problem in reader.problems())


@pytest.mark.parametrize(
    "row",
    [
        DOCUMENT._replace(id=0),
        DOCUMENT._replace(id=2**32),
        DOCUMENT._replace(id=-5),
        DOCUMENT._replace(fingerprint_file=0, text_file=0),
        DOCUMENT._replace(fingerprint_file=-1),
        DOCUMENT._replace(fingerprint_offset=-1),
        DOCUMENT._replace(fingerprint_bytes=2**62),
        DOCUMENT._replace(text_offset=-(2**62)),
        DOCUMENT._replace(n_parts=2**40),
        DOCUMENT._replace(removed=2),
        ListedPath("a.txt", 2**40, 10, 99),
        ListedPath("a.txt", 1, -2, 99),
        StoredFile(0, "TILE", 17, 123),
        StoredFile(2**40, "TILE", 17, 123),
        StoredFile(4, "TIDE", 17, 123),
        StoredFile(4, "TILE", -1, 123),
        StoredFile(4, "TILE", 17, 123, -2),
    ],
)
def test_a_row_that_no_writer_puts_there_is_damage_though_its_checksum_is_right(folder, row):
    put(folder, row)
    reader = Catalog(folder)
    read = {Document: reader.all_documents, ListedPath: reader.paths, StoredFile: reader.files}[type(row)]
    with pytest.raises(CorruptError, match="holds values that no writer puts there"):
        list(read())


SHORT = ["n_hashes", "n_parts", "fingerprint_file", "fingerprint_bytes", "text_file", "text_skip"]
LONG = ["n_chars", "n_tokens", "fingerprint_offset", "text_offset", "text_bytes"]


@pytest.mark.parametrize(
    "change",
    [{name: -1} for name in [*SHORT, *LONG, "removed"]]
    + [{name: 2**32} for name in [*SHORT, "id"]]
    + [{"removed": 2}, {"n_chars": 0}, {"fingerprint_file": 0, "text_file": 0}],
)
def test_an_impossible_document_is_found_among_many(folder, change):
    rows = [DOCUMENT._replace(id=number) for number in range(1, 40)]
    put(folder, *rows, DOCUMENT._replace(**{"id": 40} | change))
    with pytest.raises(CorruptError, match="holds values that no writer puts there"):
        list(Catalog(folder).all_documents())


def test_the_greatest_numbers_are_possible(folder):
    greatest = dict.fromkeys(SHORT, 2**32 - 1) | dict.fromkeys(LONG, 2**63 - 1) | {"removed": 1}
    rows = [DOCUMENT._replace(**greatest, id=2**32 - number) for number in range(40, 0, -1)]
    put(folder, *rows)
    assert rows == list(Catalog(folder).all_documents())


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE document SET n_chars = 'many'",
        "UPDATE document SET sha256 = x'00'",
        "UPDATE document SET crc = NULL, n_chars = 'many'",
        "UPDATE document SET crc = 'none'",
    ],
)
def test_a_column_of_another_type_is_damage(folder, sql):
    put(folder, DOCUMENT)
    change(folder, sql)
    with pytest.raises(CorruptError, match="fails its checksum"):
        list(Catalog(folder).all_documents())


def test_numbers_that_are_in_use_already_are_told(folder):
    put(folder, StoredFile(4, "TILE", 17, 123, 6), generation="1", next_serial="3", next_tile="5")
    assert Catalog(folder).problems() == [
        "`next_serial` is 3 in the table `meta`, but 4 is in use",
        "`next_tile` is 5 in the table `meta`, but 6 is in use",
    ]


@given(st.text(), st.integers(-(2**63), 2**63 - 1), st.text())
def test_no_two_rows_have_the_same_bytes_under_their_checksum(path, number, other):
    """Lengths keep neighbours apart: what moves from one text to the next changes the checksum."""
    clean, moved = path.replace("\ud800", ""), other.replace("\ud800", "")
    row = DOCUMENT._replace(sha256=clean, kind=moved, n_chars=number)
    if clean:
        assert row_checksum(Document, row) != row_checksum(
            Document, row._replace(sha256=clean[:-1], kind=clean[-1] + moved)
        )


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


@pytest.mark.parametrize("how", [{}, {"writable": True}, {"writable": True, "trusting": True}])
@pytest.mark.parametrize(("version", "way_out"), OTHER_VERSIONS)
def test_a_catalog_of_another_version_is_refused_with_the_way_out_and_left_as_it_is(folder, version, way_out, how):
    put(folder, format=str(version))
    before = (folder / "catalog.sqlite").read_bytes()
    with pytest.raises(
        UnsupportedError, match=f"sqlite: format version is {version}, this pmbf reads {FORMAT_VERSION}; {way_out}"
    ):
        Catalog(folder, **how)
    assert before == (folder / "catalog.sqlite").read_bytes()


def test_a_catalog_whose_tables_are_those_of_an_older_version_is_refused_by_its_version(folder):
    change(folder, "ALTER TABLE path DROP COLUMN labels")
    change(folder, "DELETE FROM meta WHERE key IN ('document_rows', 'path_rows', 'file_rows', 'path_sums')")
    change(folder, "UPDATE meta SET value = '3' WHERE key = 'format'")  # its checksum was another, too
    with pytest.raises(UnsupportedError, match=r"version is 3, .* load the documents into a new collection"):
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


def path_sums(folder):
    connection = sqlite3.connect(folder / "catalog.sqlite")
    noted = dict(connection.execute("SELECT key, value FROM meta"))["path_sums"]
    counted = connection.execute("SELECT count(*), sum(document), sum(rowid) FROM path NOT INDEXED").fetchone()
    connection.close()
    return noted, "{} {} {}".format(*counted)


def test_the_sums_of_the_paths_follow_each_change(folder):
    put(folder, *(ListedPath(f"{number}.txt", number, 10, 99) for number in range(2000, 3000)))
    put(folder, ListedPath("2001.txt", 7, 10, 99), ListedPath("new.txt", 8, 10, 99))
    writer = Catalog(folder, writable=True)
    with writer.transaction():
        writer.delete(ListedPath, [f"{number}.txt" for number in range(2500, 2600)])
    writer.close()
    noted, counted = path_sums(folder)
    assert noted == counted != ""


@pytest.mark.parametrize("sums", ["5 5 5", "0 0 0", "-7 1 1"])
def test_sums_that_do_not_fit_are_made_anew_from_the_table(folder, sums):
    put(folder, ListedPath("a.txt", 1, 10, 99), ListedPath("b.txt", 1, 10, 99))
    put(folder, path_sums=sums)
    writer = Catalog(folder, writable=True)
    with writer.transaction():
        writer.require_paths_by_document()
        writer.insert([ListedPath("c.txt", 2, 10, 99)])
    writer.close()
    noted, counted = path_sums(folder)
    assert noted == counted == "3 4 6"


@pytest.mark.parametrize("sums", ["", "x", "1 1", f"{'9' * 5000} 1 1"])
def test_sums_that_are_none_are_damage(folder, sums):
    put(folder, ListedPath("a.txt", 1, 10, 99), path_sums=sums)
    with pytest.raises(CorruptError, match="does not say what the paths add up to"):
        Catalog(folder).require_paths_by_document()


def test_new_row_numbers_are_no_damage(folder):
    """SQLite may give them out anew when somebody lets it pack the catalog."""
    put(folder, *(ListedPath(f"{number}.txt", number, 10, 99) for number in range(9)))
    change(folder, "UPDATE path SET rowid = rowid + 100")
    noted, counted = path_sums(folder)
    assert noted != counted
    Catalog(folder).require_paths_by_document()
