"""A Python of ours in a process of its own."""

import signal
import subprocess
import sys

import pytest
from conftest import ROOT

from pmbf.base.errors import IncompleteError
from pmbf.jobs import child
from pmbf.jobs.child import Child


def test_it_finds_pmbf_where_only_the_current_folder_had_it(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [""])
    assert child.program("pmbf.extract.worker")[-1] == str(ROOT)


def test_why_it_died_is_told_by_the_name_of_the_signal_or_by_its_status(monkeypatch):
    for code, told in (
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 1)", f"signal {signal.SIGRTMIN + 1}"),
        ("raise SystemExit(7)", "exit status 7"),
    ):
        monkeypatch.setattr(child, "program", lambda module, code=code: [sys.executable, "-c", code])
        dying = Child("a process", "any")
        assert dying.ask(({}, b"x" * (1 << 20))) is None
        assert dying.cause_of_death() == told
        assert not dying.is_alive
        dying.forget()


def test_a_process_that_runs_on_has_no_cause_of_death(monkeypatch):
    monkeypatch.setattr(child, "program", lambda module: [sys.executable, "-c", "input()"])
    running = Child("a process", "any", stderr=subprocess.DEVNULL)
    assert running.is_alive
    assert running.cause_of_death(0.01) == "no answer"
    running.kill()
    running.wait()
    running.forget()


def test_one_that_does_not_start_says_so(monkeypatch):
    monkeypatch.setattr(child, "program", lambda module: ["/nowhere/python"])
    with pytest.raises(IncompleteError, match=r"a process does not start: .*No such file"):
        Child("a process", "any")
