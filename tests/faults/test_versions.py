"""A collection of format version 3 or 5 is read, and becomes one of version 7 with the next change.

`version3.tar.xz` holds one that Python 3.11 wrote: among its names are a character that Python 3.12 learned, bytes that
are no UTF-8, quotes and a line feed; three documents were removed, two of them compacted. `version5.tar.xz` holds one
with some of these names; one document was removed.
"""

import shutil
import sqlite3
import subprocess
import tarfile
import zlib
from pathlib import Path

import pytest
from conftest import ROOT, words

from pmbf import Collection, CorruptError, repair
from pmbf.store import version3
from pmbf.store.folder import Store

ARCHIVE = Path(__file__).with_name("version3.tar.xz")
FOLDER = "/tmp/tides/"
NAMES = {
    FOLDER + "plain.txt": words(0),
    FOLDER + "shaken \U0001fae8 and \U0001f600.txt": words(1),
    FOLDER + "caf\udce9.txt": words(2),
    FOLDER + "it's \"so\\\n.txt": words(3),
    FOLDER + "twice.txt": words(4),
    FOLDER + "again.txt": words(4),
    "name \U0001fae8": "short",
    "empty": "",
}


@pytest.fixture
def path(tmp_path):
    return extracted(ARCHIVE, tmp_path)


@pytest.fixture
def path5(tmp_path):
    return extracted(ARCHIVE.with_name("version5.tar.xz"), tmp_path)


def extracted(file, folder):
    with tarfile.open(file) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python has it from 3.11.4 on
        archive.extractall(folder)
    return folder / "tides.pmbf"


def query(path, statement):
    connection = sqlite3.connect(path / "catalog.sqlite")
    found = connection.execute(statement).fetchall()
    connection.commit()
    connection.close()
    return found


def assert_whole(collection, names=NAMES):
    texts = {name: collection.text(listed.id) for listed in collection.documents() for name in listed.paths}
    assert texts == names
    for name, text in names.items():
        if len(text) > 100:
            assert name in [path for match in collection.screen(text).matches for path in match.document.paths]
    assert collection.check().problems == []


def test_version_3_is_read_and_left_as_it_is(path):
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    with Collection(path) as collection:
        assert_whole(collection)
        assert collection.stats().n_removed == 1
    assert before == {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_the_next_change_makes_version_7_of_it(path):
    with Collection(path) as collection:
        collection.add("gone again", name="more")
        collection.remove("more")
        assert_whole(collection)
    assert query(path, "SELECT value FROM meta WHERE key = 'format'") == [("7",)]
    assert query(path, "SELECT name FROM sqlite_master WHERE name = 'free_id'") == []


NAMES_5 = {name: text for name, text in NAMES.items() if "shaken" not in name and name != "empty"}


def test_version_5_is_read_and_left_as_it_is(path5):
    before = {file: file.read_bytes() for file in path5.rglob("*") if file.is_file()}
    with Collection(path5) as collection:
        assert_whole(collection, NAMES_5)
        assert {listed.labels for listed in collection.documents()} == {()}
    assert before == {file: file.read_bytes() for file in path5.rglob("*") if file.is_file()}


def test_a_label_makes_version_7_of_version_5_and_keeps_every_path(path5):
    twice = FOLDER + "twice.txt"
    with Collection(path5) as collection:
        assert collection.label([twice], {"author": "M\u00fcller"}) == 1
        assert_whole(collection, NAMES_5)
        labels = {
            path: labels
            for one in collection.documents()
            if one.labels
            for path, labels in zip(one.paths, one.labels, strict=True)
        }
        assert labels == {twice: {"author": "M\u00fcller"}, FOLDER + "again.txt": {}}
    assert query(path5, "SELECT value FROM meta WHERE key = 'format'") == [("7",)]
    with Collection(path5) as collection:
        assert_whole(collection, NAMES_5)


CHANGES = {"add": lambda one: one.add(words(70), name="new"), "compact": lambda one: one.compact()}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("old", ["path", "path5"])
def test_postings_get_a_file_of_their_own_when_an_old_tile_is_written_or_compacted(request, old, change):
    path, names = request.getfixturevalue(old), NAMES if old == "path" else NAMES_5
    with Store(path) as store:
        assert (len(store.generation.posted.files), store.generation.posted.unposted_tiles()) == (0, [0])
    with Collection(path) as collection:
        CHANGES[change](collection)
        assert_whole(collection, names | ({"new": words(70)} if change == "add" else {}))
    with Store(path) as store:
        assert (len(store.generation.posted.files), store.generation.posted.unposted_tiles()) == (1, [])


def test_a_changed_row_of_version_5_is_noticed(path5):
    query(path5, "UPDATE path SET size = size + 1 WHERE path LIKE '%plain.txt'")
    with pytest.raises(CorruptError, match="a row of path of document"), Collection(path5) as collection:
        collection.add("x", name="x")
    assert query(path5, "SELECT value FROM meta WHERE key = 'format'") == [("5",)]


def test_ids_that_compaction_freed_in_version_3_are_given_out_again(path):
    with Collection(path) as collection:
        assert collection.add_many([(f"new-{number}", words(90 + number)) for number in range(3)]) == [1, 2, 11]


def test_version_3_is_repaired(path):
    [tile] = (path / "tiles").glob("*.tile")
    content = bytearray(tile.read_bytes())
    content[300] ^= 1
    tile.write_bytes(content)
    assert repair(path).ok
    with Collection(path) as collection:
        assert_whole(collection)


def test_a_changed_row_of_version_3_is_noticed(path):
    query(path, "UPDATE document SET n_chars = n_chars + 1 WHERE id = 7")
    for use in (lambda collection: list(collection.documents()), lambda collection: collection.add("x", name="x")):
        with pytest.raises(CorruptError, match="the row of document 7 fails its checksum"), Collection(path) as opened:
            use(opened)
    assert query(path, "SELECT value FROM meta WHERE key = 'format'") == [("3",)]


@pytest.mark.parametrize("escaped", ["", "\U0001fae8", "\U0001f600", "\U0001fae8\U0001f600"])
def test_a_row_is_right_in_the_spelling_of_a_python_that_knew_fewer_or_more_characters(escaped):
    name = "shaken \U0001fae8 and \U0001f600 and caf\u00e9.txt"
    spelled = "".join(f"\\U{ord(c):08x}" if c in escaped else c for c in name)
    assert version3.fits((name, 7), zlib.crc32(f"('{spelled}', 7)".encode()))
    assert not version3.fits((name, 8), zlib.crc32(f"('{spelled}', 7)".encode()))


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_what_python_3_11_wrote_is_read_by_a_later_one(path, version):
    """The module of version 3 needs no package: any later Python at hand reads the rows with it."""
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "-c", ""], capture_output=True).returncode:
        pytest.skip(f"no python{version} on PATH that runs")
    program = """
import importlib.util, sqlite3, sys
spec = importlib.util.spec_from_file_location("version3", sys.argv[1])
version3 = importlib.util.module_from_spec(spec)
spec.loader.exec_module(version3)
connection = sqlite3.connect(sys.argv[2])
rows = [row for table in ("document", "path", "file") for row in connection.execute(f"SELECT * FROM {table}")]
assert len(rows) > 15 and repr(chr(0x1FAE8)) == "'" + chr(0x1FAE8) + "'"
assert all(version3.fits(columns, crc) for *columns, crc in rows)
meta = dict(connection.execute("SELECT key, value FROM meta"))
assert version3.meta_checksum(meta) == int(meta["crc"])
"""
    module = ROOT / "pmbf" / "store" / "version3.py"
    subprocess.run([python, "-c", program, module, path / "catalog.sqlite"], check=True)
