"""Killed before a durable step (fsync, rename, unlink, mkdir, statement of SQL), a collection is as before or as after.

Each verb runs once to count its steps. Then, for each chosen step, a child starts the verb on a copy of the collection
and kills itself before that step. `PMBF_KILLS` sets how many steps of each verb are chosen; 1000 are all.
"""

import os
import shutil
import signal
import sqlite3

import pytest
from conftest import words

from pmbf import Collection, repair
from pmbf.store import pending

MOST = int(os.environ.get("PMBF_KILLS", "12"))
KEPT = ["kept-0", "kept-1", "kept-2"]


class Steps:
    """Counts durable steps, and kills this process before one of them."""

    def __init__(self, fatal=None):
        self.n_steps, self.fatal = 0, fatal

    def count(self, *_):
        self.n_steps += 1
        if self.n_steps == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(self, patch):
        connect = sqlite3.connect

        def connected(*arguments, **more):
            connection = connect(*arguments, **more)
            connection.set_trace_callback(self.count)
            return connection

        patch.setattr(sqlite3, "connect", connected)
        for name in ("fsync", "replace", "unlink", "mkdir"):
            patch.setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, call):
        def counted(*arguments, **more):
            self.count()
            return call(*arguments, **more)

        return counted


def load(path):
    with Collection(path) as collection:
        collection.load([path.parent / "texts"])


def remove(path):
    with Collection(path) as collection:
        present = {name for listed in collection.documents() for name in listed.paths}
        if gone := sorted(present & {"gone-0", "gone-1"}):
            collection.remove(*gone)


def remove_when_full(path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pending, "MOST_ENTRIES", 2)  # the journal has one
        remove(path)


def prune(path):
    with Collection(path) as collection:
        collection.load([path.parent / "pruned"], prune=True)


def label(path):
    with Collection(path) as collection:
        collection.label(None, lambda name: {"author": name[:4], "number": name[-1]})


def enter(path):
    with Collection(path) as collection:
        collection.add(words(70), name="entered")
        collection.add(words(71), name="gone-1")  # another text: that of before is removed


def compact(path):
    with Collection(path) as collection:
        collection.compact()


def mend(path):
    assert repair(path).ok


def add(path):
    with Collection(path) as collection:
        collection.add(words(77), name="added")


def remove_added(path):
    with Collection(path) as collection:
        collection.add(words(78), name="added")
        collection.remove("added")


def make(base):
    """Make a folder with a collection in which every verb finds something to do, and what there is to load."""
    for name, first in (("texts", 30), ("pruned", 40)):
        (base / name).mkdir(parents=True)
        for number in range(3):
            (base / name / f"{number}.txt").write_text(words(first + number), encoding="utf-8")
        (base / name / "1.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(80) + name.encode())
    with Collection(base / "c.pmbf", create=True) as collection:
        collection.add_many([(name, words(seed)) for seed, name in enumerate(KEPT)])
        collection.add_many([(f"gone-{seed}", words(10 + seed)) for seed in range(2)])
        collection.add_many([(f"dead-{seed}", words(20 + seed)) for seed in range(2)])
        collection.load([base / "pruned"])
        collection.remove("dead-0", "dead-1")
        collection.add(words(68), name="in the journal")
        for number in range(2):  # so that the next commit joins the postings of four
            collection.add_many([(f"more-{number}", words(60 + number))])
        collection.add(words(69), name="still in the journal")
    for number in range(2):
        (base / "pruned" / f"{number}.txt").unlink()


def damaged(path):
    file = next((path / "postings").glob("*.post"))
    content = bytearray(file.read_bytes())
    content[200] ^= 4
    file.write_bytes(content)


def test_the_first_kill_meets_a_commit_that_joins_postings(tmp_path):
    make(tmp_path)
    before = set((tmp_path / "c.pmbf" / "postings").iterdir())
    load(tmp_path / "c.pmbf")
    after = set((tmp_path / "c.pmbf" / "postings").iterdir())
    assert (len(before), len(after), before & after) == (3, 1, set())


def names(path):
    with Collection(path) as collection:
        return {name for listed in collection.documents() for name in listed.paths}


def state(path):
    """Return the names with the labels of each."""
    with Collection(path) as collection:
        return {
            name: labels
            for listed in collection.documents()
            for name, labels in zip(listed.paths, listed.labels or ({},) * len(listed.paths), strict=True)
        }


def assert_finds(path, wanted):
    with Collection(path) as collection:
        for name, text in wanted.items():
            found = {path for match in collection.screen(text).matches for path in match.document.paths}
            assert name in found


def killed(verb, path, step):
    """Run a verb in a child that is killed before a step."""
    child = os.fork()
    if child == 0:
        try:
            patch = pytest.MonkeyPatch()
            Steps(step).watch(patch)
            verb(path)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def n_steps_of(verb, path):
    with pytest.MonkeyPatch.context() as patch:
        steps = Steps()
        steps.watch(patch)
        verb(path)
    return steps.n_steps


def chosen(n_steps, label):
    """Return the numbers of steps, from 1, in equal distances."""
    n_chosen = min(n_steps, MOST)
    print(f"{label}: {n_chosen} of {n_steps} steps")
    return sorted({1 + number * n_steps // n_chosen for number in range(n_chosen)})


@pytest.mark.parametrize(
    "verb", [load, remove, remove_when_full, prune, label, enter, compact, mend], ids=lambda verb: verb.__name__
)
def test_killed_before_any_step_a_collection_is_as_before_or_as_after(tmp_path, verb):
    texts, path = {name: words(seed) for seed, name in enumerate(KEPT)}, tmp_path / "run" / "c.pmbf"
    make(tmp_path / "run")
    if verb is mend:
        damaged(path)
    before = state(path)
    shutil.copytree(tmp_path / "run", tmp_path / "base")
    n_steps, after = n_steps_of(verb, path), state(path)
    assert (before == after) == (verb in (compact, mend))
    for step in chosen(n_steps, verb.__name__):
        shutil.rmtree(tmp_path / "run")
        shutil.copytree(tmp_path / "base", tmp_path / "run")
        killed(verb, path, step)
        assert state(path) in (before, after), step
        if verb is not mend:
            with Collection(path) as collection:
                assert collection.check().problems == [], step
            assert_finds(path, texts)
        verb(path)
        assert state(path) == after
        assert_finds(path, texts)
        with Collection(path) as collection:
            assert collection.check().problems == [], step


def test_killed_in_its_first_commits_a_collection_opens(tmp_path):
    """Killed twice in a row, too: then the note of a commit is missing while the next one is made."""
    base, path = tmp_path / "base.pmbf", tmp_path / "c.pmbf"
    Collection(base, create=True).close()
    shutil.copytree(base, path)
    n_steps, made = n_steps_of(add, path), set()
    for step in chosen(n_steps, "first commit"):
        shutil.rmtree(path)
        shutil.copytree(base, path)
        killed(add, path, step)
        made.add((len(names(path)), (path / "generation").exists()))
        killed(remove_added, path, step)
        assert names(path) in (set(), {"added"}), step
        add(path)
        assert names(path) == {"added"}
        with Collection(path) as collection:
            assert collection.check().problems == [], step
    assert made >= {(0, False), (1, False)}
