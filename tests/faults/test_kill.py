"""A collection killed at any moment reopens with everything it had acknowledged.

Each round forks a child that loads, adds, removes and compacts, telling its parent after each verb returned; the
parent kills it with SIGKILL after a random time, then holds the collection to every word. PMBF_KILLS sets the rounds.
"""

import os
import random
import signal
import time

import pytest
from conftest import words

from pmbf import Collection, repair
from pmbf.intake import batches, loader
from pmbf.store import schema

ROUNDS = int(os.environ.get("PMBF_KILLS", "12"))
NAMES = [f"text-{number}" for number in range(24)]


def work(path, seed, pipe):
    """Change the collection for ever, telling `+name`, `-name` before and `!` after each verb."""
    chosen = random.Random(seed)
    with Collection(path, create=True) as collection:
        present = {path for listed in collection.documents() for path in listed.paths}
        while True:
            verb = chosen.choice(["add", "add alone", "remove", "compact"])
            some = chosen.sample(NAMES, 5)
            if verb == "add alone":
                for name in some:
                    tell(pipe, ["+" + name])
                    collection.add(words(hash_of(name)), name=name)
                    tell(pipe, ["!"])
                present |= set(some)
            elif verb == "add":
                tell(pipe, ["+" + name for name in some])
                collection.add_many([(name, words(hash_of(name))) for name in some])
                present |= set(some)
            elif verb == "remove" and present & set(some):
                gone = sorted(present & set(some))
                tell(pipe, ["-" + name for name in gone])
                collection.remove(*gone)
                present -= set(gone)
            elif verb == "compact":
                collection.compact()
            tell(pipe, ["!"])


def hash_of(name):
    return NAMES.index(name)


def tell(pipe, what):
    os.write(pipe, ("".join(one + "\n" for one in what)).encode())


def killed_after(seconds, work, *arguments):
    """Return what a child told before it was killed at its work."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read_end)
            work(*arguments, write_end)
        finally:
            os._exit(1)
    os.close(write_end)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    with os.fdopen(read_end) as told:
        lines = told.read().split("\n")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    return lines


def follow(lines, known):
    """Return the names surely there, and those whose verb was cut off, of which either is right."""
    doubtful = []
    for line in filter(None, lines):
        if line == "!":
            for change in doubtful:
                known.add(change[1:]) if change[0] == "+" else known.discard(change[1:])
            doubtful = []
        else:
            doubtful.append(line)
    return known, {change[1:] for change in doubtful}


@pytest.mark.parametrize("mode", ["often", "late"])
def test_nothing_acknowledged_is_lost(tmp_path, mode):
    path, known = tmp_path / "c.pmbf", set()
    Collection(path, create=True).close()
    chosen = random.Random(mode)
    for round_number in range(ROUNDS):
        seconds = chosen.uniform(0.0, 0.15 if mode == "often" else 0.6)
        known, doubtful = follow(killed_after(seconds, work, path, f"{mode} {round_number}"), known)
        with Collection(path) as collection:
            problems = collection.check().problems
            assert problems == [] or repair(path).ok
        with Collection(path) as collection:
            present = {path for listed in collection.documents() for path in listed.paths}
            assert known - doubtful <= present <= known | doubtful
            for name in sorted(present):
                found = [match.document.paths for match in collection.screen(words(hash_of(name))).matches]
                assert any(name in paths for paths in found)
        known = present


def test_a_load_by_several_threads_goes_on_where_it_was_killed(tmp_path):
    path, folder, chosen = tmp_path / "c.pmbf", tmp_path / "texts", random.Random("threads")
    folder.mkdir()
    for number in range(300):
        (folder / f"{number}.txt").write_text(words(number), encoding="utf-8")
    Collection(path, create=True).close()
    n_before = 0
    for _ in range(ROUNDS):
        killed_after(chosen.uniform(0.0, 0.25), load, path, folder)
        with Collection(path) as collection:
            assert collection.check().problems == []
            n_documents = sum(1 for _ in collection.documents())
            assert n_before <= n_documents <= 300
            n_before = n_documents
    with Collection(path) as collection:
        assert collection.load([folder], jobs=2).n_added == 300 - n_before
        assert collection.check().problems == []
        assert collection.stats().n_documents == 300


def test_a_collection_is_made_where_another_making_of_it_was_killed(tmp_path):
    for n_statements in (1, 4, 12, 30):
        path = tmp_path / f"{n_statements}.pmbf"
        killed_after(0.5, make, path, n_statements)
        assert not (path / "catalog.sqlite").exists()
        assert any(file.name.startswith("catalog.sqlite.tmp") for file in path.iterdir())
        with Collection(path, create=True) as collection:
            collection.add(words(1), name="a")
            assert collection.check().problems == []
        assert not [file.name for file in path.iterdir() if file.name.startswith("catalog.sqlite.tmp")]


def make(path, n_statements, pipe):
    """Make a collection as far as so many statements of its catalog's first transaction, then wait to be killed."""
    create_tables = schema.create_tables

    def stopped(connection, meta):
        seen = []
        connection.set_trace_callback(lambda statement: seen.append(statement) or len(seen) < n_statements or stop())
        create_tables(connection, meta)

    def stop():
        while True:
            signal.pause()

    schema.create_tables = stopped
    Collection(path, create=True)


def load(path, folder, pipe):
    """Load a folder with two threads, a commit for every few files, and then wait to be killed."""
    loader.COMMIT_BYTES, batches.BATCH_FILES = 5000, 7
    with Collection(path) as collection:
        collection.load([folder], jobs=2)
    signal.pause()


def test_files_of_a_killed_commit_are_cleaned_away(tmp_path):
    path = tmp_path / "c.pmbf"
    with Collection(path, create=True) as collection:
        collection.add_many([("a", words(1))])
    (path / "texts" / "000099.text.tmp").write_bytes(b"half")
    (path / "tiles" / "000098.tile").write_bytes(b"whole, but never named")
    with Collection(path) as collection:
        collection.add_many([("b", words(2))])
        assert collection.check().problems == []
    assert not list(path.rglob("00009*"))
