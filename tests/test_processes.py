"""Calls in working processes: results and errors come back, nothing hangs, whatever the calling script looks like."""

import math
import operator
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import words

from pmbf import Collection, CorruptError, IncompleteError, ParameterError
from pmbf.jobs.processes import Processes, asked_back

pytestmark = pytest.mark.slow


def test_results_come_back_in_the_order_of_the_calls():
    with Processes(2) as processes:
        futures = [processes.submit(math.factorial, number) for number in range(50)]
        assert [future.result() for future in futures] == [math.factorial(number) for number in range(50)]


def test_an_error_of_a_call_is_raised_here_and_the_process_goes_on():
    with Processes(1) as processes:
        with pytest.raises(ZeroDivisionError):
            processes.submit(operator.truediv, 1, 0).result()
        with pytest.raises(CorruptError, match="page 3"):
            processes.submit(operator.call, raised, CorruptError("page 3")).result()
        assert processes.submit(os.getpid).result() == processes.submit(os.getpid).result()


def raised(error):
    raise error


def test_what_a_call_prints_does_not_disturb_the_answers(capfd):
    with Processes(1) as processes:
        assert processes.submit(print, "hello").result() is None
        assert processes.submit(os.write, 1, b"again\n").result() == 6
    assert capfd.readouterr().err.split() == ["hello", "again"]


def test_a_process_that_dies_fails_its_call_alone():
    with Processes(1) as processes:
        dying = processes.submit(os.kill, processes.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(IncompleteError, match=r"a working process died \(SIGKILL\)"):
            dying.result()
        assert processes.submit(abs, -1).result() == 1


def total(*names):
    """Return the sum of what the process that asked for this knows of some names."""
    return sum(asked_back(name) for name in names)


def test_a_call_asks_the_process_that_made_it():
    known = {"a": 1, "b": 20, "c": 300}
    with Processes(2, answering=known.__getitem__) as processes:
        futures = [processes.submit(total, *names) for names in ("abc", "ab", "", "cc")]
        assert [future.result() for future in futures] == [321, 21, 0, 600]
        with pytest.raises(KeyError, match="d"):
            processes.submit(total, "a", "d").result()
        assert processes.submit(total, "b").result() == 20


def test_a_process_whose_question_has_no_answer_ends_with_its_call():
    def nothing(seconds):
        time.sleep(seconds)
        raise CorruptError("page 4")

    with Processes(1, answering=nothing) as processes:
        with pytest.raises(CorruptError, match="page 4"):
            processes.submit(total, 0).result()
        waiting = processes.submit(total, 1)
        while not waiting.running():
            time.sleep(0.01)
    assert waiting.exception()


def test_processes_that_cannot_be_prepared_say_so_however_much_they_were_sent():
    with Processes(1, os._exit, (7,)) as processes, pytest.raises(IncompleteError, match="exit status 7"):
        processes.submit(abs, -1).result()
    with Processes(1, time.sleep, ("x" * (1 << 20),)) as processes, pytest.raises(TypeError):
        processes.submit(abs, -1).result()


def test_closing_gives_up_what_is_not_done():
    before = time.monotonic()
    with Processes(2) as processes:
        futures = [processes.submit(time.sleep, 600) for _ in range(8)]
        processes.submit(abs, 1)
    assert time.monotonic() - before < 300
    assert all(future.cancelled() or future.exception() for future in futures)


SCRIPT = """
import pmbf
from pmbf.jobs.processes import Processes

def mine():
    return 1

collection = pmbf.Collection({path!r})
print([len(report.matches) for report in collection.screen_many([{text!r}] * 9, jobs=2)])
try:
    with Processes(1) as processes:
        processes.submit(mine).result()
except pmbf.ParameterError as error:
    print(error)
"""


@pytest.mark.parametrize("how", ["a file without the usual guard", "standard input"])
def test_any_script_may_ask_for_several_processes(tmp_path, how):
    with Collection(tmp_path / "c.pmbf", create=True) as collection:
        collection.add_many([(f"text-{seed}", words(seed, 2000)) for seed in range(20)])
    script = SCRIPT.format(path=str(tmp_path / "c.pmbf"), text=words(1))
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    arguments, given = ([tmp_path / "script.py"], "") if how.startswith("a file") else (["-"], script)
    ended = subprocess.run([sys.executable, *arguments], input=given, capture_output=True, text=True, timeout=300)
    assert ended.stderr == ""
    first, second = ended.stdout.splitlines()
    assert first == str([1] * 9)
    assert second.startswith("a working process cannot find what it is to call (Can't get attribute 'mine'")


def test_what_cannot_be_found_is_refused():
    with Processes(1) as processes:
        raised.__module__, before = "nowhere", raised.__module__
        sys.modules["nowhere"] = sys.modules[__name__]
        try:
            with pytest.raises(ParameterError, match="No module named 'nowhere'"):
                processes.submit(raised, None).result()
        finally:
            raised.__module__ = before
            del sys.modules["nowhere"]
