"""Killed, without room, damaged, run twice at once: the table is that of the last run, or a full one's."""

import os
import random
import resource
import shutil
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from pmbf import BusyError, Collection, CorruptError, repair
from pmbf.alike.similar import Similarities, update
from pmbf.alike.similar.schema import FILE_NAME
from pmbf.store import locks
from tests.similar.tables import RULES, anew, made, ranged, table, text_of

ROUNDS = int(os.environ.get("PMBF_KILLS", "12"))


def texts(n, first=0):
    return {f"text-{number}": text_of(number, 40) for number in range(first, first + n)}


def changed(folder, round_number):
    """Change a third of a collection, as the number of the round says."""
    chosen = random.Random(round_number)
    with Collection(folder) as collection:
        names = [document.paths[0] for document in collection]
        collection.remove(*chosen.sample(names, len(names) // 6))
        collection.compact()
        collection.add_many([(f"text-{chosen.randrange(90)}", text_of(chosen.randrange(900), 40)) for _ in range(12)])


def killed(seconds, folder):
    """Update a collection in a process of its own, and kill it; return whether it was at work."""
    child = os.fork()
    if child == 0:
        try:
            ranged(folder, 3)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_a_killed_run_has_changed_nothing_and_the_next_one_takes_the_same_documents(tmp_path):
    folder, chosen, n_killed = made(tmp_path / "c.pmbf", texts(60)), random.Random(7), 0
    ranged(folder, 3, **RULES)
    for round_number in range(ROUNDS):
        changed(folder, round_number)
        before, begun = table(folder), time.monotonic()
        shutil.copytree(folder, tmp_path / "timed.pmbf")
        ranged(tmp_path / "timed.pmbf", 3)
        seconds, after = time.monotonic() - begun, table(tmp_path / "timed.pmbf")
        shutil.rmtree(tmp_path / "timed.pmbf")
        n_killed += killed(chosen.uniform(0, seconds), folder)
        assert table(folder) in (before, after)
        with Collection(folder) as collection:
            assert collection.check().problems == []
        ranged(folder, 3)
        assert after == table(folder)
        named = {"similarities.sqlite", "update.lock", *lists_of(folder)}
        assert {path.name for path in (folder / "similar").iterdir()} - {
            f"{FILE_NAME}-wal",
            f"{FILE_NAME}-shm",
        } == named
    assert after == anew(folder, tmp_path / "copy.pmbf")
    assert n_killed > 0


def lists_of(folder):
    with closing(sqlite3.connect(folder / "similar" / FILE_NAME)) as connection:
        return {f"{serial:06d}.chunks" for (serial,) in connection.execute("SELECT serial FROM segment")}


@pytest.mark.parametrize("n_bytes", [0, 100, 5_000, 20_000])
def test_a_full_disk_leaves_the_table_as_it_was(tmp_path, n_bytes):
    folder = made(tmp_path / "c.pmbf", texts(60))
    ranged(folder, **RULES)
    before = table(folder)
    changed(folder, 1)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
        code = 1
        try:
            ranged(folder)
        except OSError as error:
            code = 0 if "similar" in str(error) or "disk" in str(error) else 2
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0 and before == table(folder)
    assert lists_of(folder) == {path.name for path in (folder / "similar").glob("*.chunks*")}
    ranged(folder)
    assert table(folder) == anew(folder, tmp_path / "copy.pmbf")


def test_a_second_run_at_the_same_time_is_told_so(tmp_path):
    folder = made(tmp_path / "c.pmbf", texts(3))
    ranged(folder, **RULES)
    with locks.held(folder / "similar" / "update.lock", "ours"), pytest.raises(BusyError, match="another process"):
        ranged(folder)


def test_a_reader_sees_the_run_it_began_with(tmp_path):
    folder = made(tmp_path / "c.pmbf", texts(40))
    ranged(folder, **RULES)
    with Similarities(folder) as before:
        rows = list(before.rows())
        changed(folder, 3)
        ranged(folder)
        assert rows == list(before.rows()) and rows
    with Similarities(folder) as after:
        assert rows != list(after.rows())


def flipped(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def test_damaged_lists_are_found_and_made_anew(tmp_path):
    folder = made(tmp_path / "c.pmbf", texts(40))
    ranged(folder, **RULES)
    expected = table(folder)
    flipped(next((folder / "similar").glob("*.chunks")), 100)
    changed(folder, 5)
    with pytest.raises(CorruptError, match="check --repair"):
        ranged(folder)
    with Collection(folder) as collection:
        assert "checksum of page 0" in " ".join(collection.check().problems)
    found = repair(folder)
    assert found.ok and "pmbf similar update" in found.repaired[-1]
    with Collection(folder) as collection:
        assert collection.check().problems == []
    ranged(folder, **RULES)
    assert expected != table(folder) == anew(folder, tmp_path / "copy.pmbf")


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE similarity SET shared = shared + 1 WHERE rowid_of", "fail their checksum"),
        ("DELETE FROM similarity WHERE rowid_of", "fail their checksum"),
        ("UPDATE similarity SET similarity = 0.5 WHERE rowid_of", "not shared chunks"),
        ("UPDATE document SET n_counted = n_counted + 1 WHERE id = 3", "row of document 3 fails"),
        ("DELETE FROM document WHERE id = 3", "are not those that were committed"),
        ("DELETE FROM segment", "is not named"),
        ("UPDATE common SET chunks = x'01020304'", "common chunks fails"),
        ("UPDATE meta SET value = '9' WHERE key = 'runs'", "checksum of the table `meta`"),
    ],
)
def test_a_check_finds_every_changed_value_of_the_table(tmp_path, statement, told):
    folder = made(tmp_path / "c.pmbf", texts(40))
    ranged(folder, **RULES)
    with closing(sqlite3.connect(folder / "similar" / FILE_NAME)) as connection:
        [(one, other)] = connection.execute("SELECT document, other FROM similarity LIMIT 1").fetchall()
        connection.execute(statement.replace("rowid_of", f"document = {one} AND other = {other}"))
        connection.commit()
    with Collection(folder) as collection:
        assert told in " ".join(collection.check().problems)
    assert update(folder, renew=True, **RULES).kind == "full"
    with Collection(folder) as collection:
        assert collection.check().problems == []


@pytest.mark.parametrize("change", ["added", "removed"])
@pytest.mark.parametrize("is_touched", [True, False])
def test_a_run_compares_the_rows_that_it_changes_and_one_without_a_change_all(tmp_path, is_touched, change):
    pairs = {f"text-{n}": f"ax{n // 2} by{n // 2} cz{n // 2} dw{n // 2} ev{n}" for n in range(12)}
    folder = made(tmp_path / "c.pmbf", pairs)
    ranged(folder, **RULES)
    with closing(sqlite3.connect(folder / "similar" / FILE_NAME)) as connection:
        connection.execute("UPDATE similarity SET shared = shared + 1 WHERE document = (SELECT min(id) FROM document)")
        connection.commit()
    with Collection(folder) as collection:
        if change == "removed":
            collection.remove("text-1" if is_touched else "text-9")
        else:
            collection.add("ax0 by0 cz0 dw0 and more" if is_touched else "what is shared by none", name="new")
    if not is_touched:
        assert ranged(folder).number == 2
    with pytest.raises(CorruptError, match="fail their checksum"):
        ranged(folder)


def test_a_table_that_is_no_database_is_renewed(tmp_path):
    folder = made(tmp_path / "c.pmbf", texts(10))
    ranged(folder, **RULES)
    for left in (folder / "similar").glob(f"{FILE_NAME}*"):
        left.unlink()
    (folder / "similar" / FILE_NAME).write_bytes(b"no database " * 500)
    with pytest.raises(CorruptError, match="--renew"):
        ranged(folder)
    assert ranged(folder, renew=True, **RULES).n_documents == 10


def test_the_similarities_of_another_collection_are_refused(tmp_path):
    one, other = made(tmp_path / "one.pmbf", texts(5)), made(tmp_path / "other.pmbf", texts(5))
    ranged(one)
    shutil.copytree(one / "similar", other / "similar")
    with pytest.raises(CorruptError, match="belong to another collection"):
        ranged(other)
