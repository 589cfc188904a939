"""Rows of the filter that are damaged, forged or cannot be written stop no answer and no commit."""

import errno
import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import names, words

from pmbf import Collection, repair
from pmbf.store import laying, levels, mapping, rowsfile
from pmbf.store.files import StoredFile, write_file
from pmbf.store.folder import Store
from pmbf.store.indexing import Index
from pmbf.store.posted import Posted


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "c.pmbf"
    with Collection(made, create=True) as collection:
        for first in range(0, 6, 2):
            collection.add_many([(f"text-{seed}", words(seed)) for seed in range(first, first + 2)])
    return made


def damage(path, place=80):
    for file in path.glob("tiles/*.rows"):
        content = bytearray(file.read_bytes())
        content[place] ^= 255
        file.write_bytes(content)


def forge(path, *, n_hashes=3, n_lines=512):
    """Put a row of zeros in the place of all files of rows, behind right checksums."""
    with Store(path, writable=True) as store:
        posted = store.generation.posted
        of_row = np.array([(min(posted.files), 1)], rowsfile._OF_A_ROW).tobytes()
        content = [bytes(-(-n_lines // 8) + 8), of_row, rowsfile._NUMBERS.pack(1, n_hashes, n_lines)]
        written = write_file(path, "ROWS", store.generation.identity, 900, content)
        with store.catalog.transaction():
            store.catalog.delete(StoredFile, list(posted.row_files))
            store.catalog.insert([written])
            store.catalog.set_meta(next_serial="901")


def test_threads_that_meet_damaged_rows_together_all_get_their_answer(path, monkeypatch):
    with Collection(path) as collection:
        collection.add(words(9, 60_000), name="long")
    damage(path)
    both = threading.Barrier(2)
    give_up = Posted._has_given_up_rows

    def given_up_together(*given):
        both.wait(10)
        return give_up(*given)

    monkeypatch.setattr(Posted, "_has_given_up_rows", given_up_together)
    hashes = np.arange(500, dtype=np.uint32) * np.uint32(8_000_000)
    with Store(path) as store, ThreadPoolExecutor(2) as threads:
        posted = store.generation.posted
        posted._segments()
        n_told = len(posted.unread_rows)
        counts = list(threads.map(lambda _: posted.find(hashes, limit=9)[0].sum(), range(2)))
        assert counts[0] == counts[1] and len(posted.unread_rows) == n_told + 1


@pytest.mark.parametrize(
    "change",
    [{"n_hashes": 200}, {"n_hashes": 0}, {"n_lines": 511}, {"n_lines": 0}],
    ids=["200 bits a hash", "no bit a hash", "no whole blocks", "no bits"],
)
def test_forged_numbers_of_rows_behind_right_checksums_are_told_and_made_anew(path, change):
    forge(path, **change)
    with Collection(path) as collection:
        report = collection.screen(words(3))
        assert names(report) == ["text-3"] and any(".rows" in warning for warning in report.warnings)
        assert any(".rows" in problem for problem in collection.check().problems)
    assert repair(path).ok
    with Collection(path) as collection:
        assert collection.check().problems == [] and collection.screen(words(3)).warnings == ()


def test_a_repair_of_damaged_rows_mends_what_else_is_wrong(path):
    damage(path)
    connection = sqlite3.connect(path / "catalog.sqlite")
    connection.execute("DELETE FROM path WHERE path = 'text-1'")
    connection.commit()
    connection.close()
    report = repair(path)
    assert report.remaining == [] and len(report.lost) == 1
    with Collection(path) as collection:
        assert collection.check().problems == []


@pytest.mark.parametrize("place", [80, -1])
def test_documents_are_removed_though_rows_are_damaged(path, place):
    damage(path, place)
    with Collection(path) as collection:
        collection.remove("text-3")
        assert names(collection.screen(words(3))) == []
        assert names(collection.screen(words(4))) == ["text-4"]
    assert repair(path).ok


def test_a_disk_that_is_full_when_rows_are_laid_takes_no_commit_back(path, monkeypatch):
    def no_room(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full, Collection(path) as collection:
        full.setattr(rowsfile, "payload", no_room)
        full.setattr(Index, "_write_segment", only_postings)
        collection.add_many([("text-70", words(70))])
        assert names(collection.screen(words(70))) == ["text-70"]
        assert collection._store.generation.posted.without_row()
    with Collection(path) as collection:
        collection.add_many([("text-71", words(71))])  # the journal takes a removal and lays no rows
        assert collection._store.generation.posted.without_row() == set()
        assert collection.check().problems == []


def only_postings(index, content, serial, rows_serial):
    return [index._files.write("POST", content, serial=serial)]


def test_rows_that_lie_side_by_side_take_no_more_than_they_may(tmp_path, monkeypatch):
    monkeypatch.setattr(levels, "FULL_BYTES", 3000)
    monkeypatch.setattr(levels, "MOST_BYTES", 3000)
    monkeypatch.setattr(levels, "_SMALLEST_BYTES", 16)
    monkeypatch.setattr(laying, "_MOST_BYTES", 4000)
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        for first in range(0, 180, 6):
            collection.add_many([(f"text-{seed}", words(seed)) for seed in range(first, first + 6)])
        posted = collection._store.generation.posted
        laid = [rows for rows in map(posted.rows_in, posted.row_files) if rows.rows.n_rows > 4]
        assert laid
        assert all(rows.rows.n_rows * rows.rows.n_lines // 8 <= 4000 for rows in laid)


@pytest.mark.parametrize("content", [None, "0::/", "no such form\n"])
def test_memory_is_at_most_the_machines_whatever_is_known_of_control_groups(tmp_path, monkeypatch, content):
    groups = tmp_path / "cgroup"
    if content is not None:
        groups.write_text(content, encoding="ascii")
    monkeypatch.setattr(mapping, "_OWN_GROUPS", groups)
    assert mapping.memory_bytes() < 1 << 62


def test_wrong_rows_behind_right_checksums_are_made_anew_and_postings_stay(path):
    forge(path)
    before = {file: file.read_bytes() for file in path.glob("postings/*.post")}
    assert repair(path).ok
    assert before == {file: file.read_bytes() for file in path.glob("postings/*.post")}
    with Collection(path) as collection:
        assert names(collection.screen(words(1))) == ["text-1"]


def test_postings_that_contradict_themselves_behind_right_checksums_are_told(path):
    with Store(path, writable=True) as store:
        posted = store.generation.posted
        serial = min(posted.files)
        one = posted.of_file(serial)
        content = bytearray(one.file.payload)
        content[one._directory_at : one._directory_at + 4] = bytes([255] * 4)
        written = write_file(path, "POST", store.generation.identity, 900, [content])
        with store.catalog.transaction():
            store.catalog.delete(StoredFile, [serial])
            store.catalog.insert([written])
            store.catalog.set_meta(next_serial="901")
    with Collection(path) as collection:
        assert any("the postings are damaged" in problem for problem in collection.check().problems)
    assert repair(path).ok
    with Collection(path) as collection:
        assert collection.check().problems == [] and names(collection.screen(words(3))) == ["text-3"]
