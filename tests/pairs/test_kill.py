"""A run that is killed at any moment loses nothing: the same command goes on, and finds the same.

Each round forks a child that runs `pmbf pairs` with a work folder; the parent kills it with SIGKILL after a random
time, and runs the same command again. PMBF_KILLS sets the rounds of each plan.
"""

import json
import os
import random
import signal
import time

import pytest
from conftest import words

from pmbf.alike.pairs import by_features, by_texts
from pmbf.alike.pairs.features import Features
from pmbf.alike.pairs.finding import Wanted, found_in
from pmbf.alike.pairs.plans import Joining
from pmbf.alike.pairs.texts import texts_of_files
from pmbf.alike.pairs.work import work_folder
from pmbf.extract import Limits

ROUNDS = int(os.environ.get("PMBF_KILLS", "4"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Texts of which many are nearly the same."""
    folder = tmp_path_factory.mktemp("texts")
    for number in range(60):
        own = words(1000 + number, 20 + number % 30)
        (folder / f"{number:03d}.txt").write_text(f"{words(number % 20, 90)} {own}", encoding="utf-8")
    return folder


def run(folder, work, plan, jobs):
    """Return what is found, with small blocks: a moment falls between two of them, or into one."""
    by_texts.PROBING_FEATURES = by_features.PROBING_FEATURES = 600
    how = Joining(0.3, plan, jobs)
    with work_folder(work) as kept, texts_of_files([str(folder)], Limits(), how, kept) as source:
        return found_in(source, how, Wanted(Features("spotsigs")), kept).to_dict()


def killed_after(seconds, *arguments):
    """Run in a child that is killed after some time, and return whether it was still at work."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run(*arguments)
            code = 0
        finally:
            os._exit(code)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    was_killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    time.sleep(0.05 if was_killed else 0)  # a holder that was being started has the lock until it is
    return was_killed


@pytest.mark.parametrize(("plan", "jobs"), [("doc", 1), ("term", 1), ("doc", 2), ("term", 2)])
def test_a_run_that_was_killed_finds_the_same_when_it_is_run_again(texts, tmp_path, plan, jobs):
    start = time.monotonic()
    expected = run(texts, tmp_path / "whole", plan, jobs)
    taken = time.monotonic() - start
    drawn = random.Random(ROUNDS)
    assert expected["pairs"] != []
    n_killed, number = 0, 0
    while n_killed < ROUNDS // 4 + 1:
        work = tmp_path / f"work-{number}"
        while killed_after(drawn.uniform(0, taken), texts, work, plan, jobs):
            n_killed += 1
            if drawn.random() < 0.5:
                break
        assert json.dumps(expected) == json.dumps(run(texts, work, plan, jobs))
        number += 1
