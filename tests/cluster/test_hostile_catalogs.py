"""A depot whose catalogs compute, with right checksums: nothing of them is run."""

import shutil
import sqlite3

import pytest

from pmbf import CorruptError
from pmbf.base.errors import PmbfError
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.volumes import Shelf

from .hostile import VERBS, filled, last, listed, outcome, put, write_list

ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t WHERE n < 0"
COMPUTING = {
    "view": f"DROP TABLE meta; CREATE VIEW meta AS SELECT n AS key, n AS value FROM ({ENDLESS})",
    "trigger": f"CREATE TRIGGER computing AFTER INSERT ON path BEGIN DELETE FROM path WHERE size IN ({ENDLESS}); END",
    "generated column": "ALTER TABLE document ADD COLUMN more GENERATED ALWAYS AS (hex(zeroblob(400000000)))",
    "index of an expression": "CREATE INDEX computing ON path(hex(path))",
    "index of some rows": "CREATE INDEX computing ON path(path) WHERE length(hex(path)) > 0",
    "virtual table": "CREATE VIRTUAL TABLE more USING fts5(words)",
    "check": "CREATE TABLE more (words TEXT CHECK (length(hex(words)) > 0))",
    "default": "CREATE TABLE more (words TEXT DEFAULT (hex(zeroblob(400000000))))",
}
"""What a schema may hold that computes when it is read or written."""


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    """A depot without copies on nodes."""
    place = filled(tmp_path_factory.mktemp("pattern") / "depot")
    shutil.rmtree(place / "shelf")
    return place


@pytest.mark.parametrize("what", COMPUTING)
def test_a_catalog_with_anything_but_tables_and_indexes_is_refused(pattern, tmp_path, what):
    place, said = shutil.copytree(pattern, tmp_path / "depot"), listed(pattern)
    name = said["catalog.sqlite"]
    catalog = shutil.copy(place / "files" / name[:2] / name, tmp_path / "catalog.sqlite")
    db = sqlite3.connect(catalog)
    db.executescript(COMPUTING[what])
    db.close()
    write_list(place, said | {"catalog.sqlite": put(place, (tmp_path / "catalog.sqlite").read_bytes())})
    with pytest.raises(CorruptError, match="expected plain tables alone"):
        Shelf(tmp_path / "shelf", FolderDepot(place)).folder_of(last(place)[1]["volumes"][0]["name"])
    for verb in VERBS:
        assert isinstance(outcome(place, verb), PmbfError), verb


def test_a_catalog_that_is_no_database_is_refused(pattern, tmp_path):
    place = shutil.copytree(pattern, tmp_path / "depot")
    write_list(place, listed(place) | {"catalog.sqlite": put(place, b"SQLite format 3\0" + bytes(5000))})
    for verb in ("screen", "check", "list"):
        assert isinstance(outcome(place, verb), PmbfError), verb
