"""Holders here and in processes: the same answers; a shard that is gone is named, and never asked again."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pmbf import CorruptError, IncompleteError, ParameterError
from pmbf.jobs.executor import Inline, Local, ShardFailed, complete, local
from pmbf.jobs.processes import DiedError

pytestmark = pytest.mark.slow


class Summing:
    """A holder with a state: numbers from a range are summed, others are not its own."""

    def __init__(self, first, last):
        self.range, self.sum = range(first, last), 0

    def add(self, numbers):
        self.sum += int(sum(number for number in numbers if number in self.range))
        return self.sum

    def process(self):
        return os.getpid()

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def sleep(self, seconds):
        time.sleep(seconds)

    def fail(self, error):
        raise error


@pytest.fixture(params=[Inline, Local])
def executor(request):
    executor = request.param()
    executor.start(Summing, [(0, 10), (10, 20), (20, 30)])
    yield executor
    executor.close()


@pytest.fixture
def processes():
    executor = Local()
    executor.start(Summing, [(0, 10), (10, 20)])
    yield executor
    executor.close()


def test_each_shard_keeps_its_own_state_between_calls(executor):
    assert {0: 3, 1: 12, 2: 0} == executor.call("add", dict.fromkeys(range(3), ([1, 2, 12],)))
    assert {1: 12 + 11, 2: 25} == executor.call("add", {1: ([11],), 2: ([25],)})


def test_arrays_go_there_and_back(executor):
    numbers = np.arange(30, dtype=np.uint32)
    assert [45, 145, 245] == complete(executor.call("add", dict.fromkeys(range(3), (numbers,))))


def test_an_error_of_a_holder_is_raised_and_its_state_stays(executor):
    executor.call("add", {0: ([1],)})
    for error in (CorruptError("page 3"), TimeoutError("of the holder")):
        with pytest.raises(type(error), match=str(error)):
            executor.call("fail", {0: (error,)}, timeout_s=60)
    assert {0: 3} == executor.call("add", {0: ([2],)})


def test_a_new_start_begins_with_new_holders(executor):
    executor.call("add", {0: ([1],)})
    executor.start(Summing, [(0, 10)])
    assert {0: 2} == executor.call("add", {0: ([2],)})


def test_calls_from_several_threads_are_all_answered(executor):
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: executor.call("add", {0: ([number],)}), [1] * 40))
    assert {0: 40} == executor.call("add", {0: ([],)})


def test_processes_hold_apart_from_this_one(processes):
    assert 3 == len({os.getpid(), *complete(processes.call("process", {0: (), 1: ()}))})


def test_a_shard_that_dies_is_named_and_the_others_answer(processes):
    answers = processes.call("kill", {1: ()})
    assert isinstance(answers[1], ShardFailed)
    assert "SIGKILL" in answers[1].reason
    answers = processes.call("add", {0: ([4],), 1: ([14],)})
    assert 4 == answers[0]
    assert ShardFailed(1, answers[1].reason) == answers[1]
    with pytest.raises(IncompleteError, match=r"shard 1: a working process died \(SIGKILL\)"):
        complete(answers)


def test_a_late_shard_is_ended_and_its_late_answer_never_taken(processes):
    answers = processes.call("sleep", {1: (60,)}, timeout_s=0.05)
    assert {1: ShardFailed(1, "no answer in time")} == answers
    assert {0: 1, 1: answers[1]} == processes.call("add", {0: ([1],), 1: ([11],)})


def test_who_waits_behind_a_late_call_learns_that_the_shard_is_gone(processes):
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(processes.call, "sleep", {1: (60,)})
        late = processes.call("add", {1: ([11],)}, timeout_s=0.2)
        assert ShardFailed(1, "no answer in time") == late[1]
        assert isinstance(waiting.result()[1], ShardFailed)


def test_a_holder_that_cannot_be_made_fails_the_start():
    with pytest.raises(DiedError, match="exit status 7"):
        Local().start(os._exit, [(7,)])
    for executor in (Inline(), Local()):
        with pytest.raises(TypeError):
            executor.start(Summing, [(1,)])


def test_one_shard_needs_no_process():
    assert isinstance(local(1), Inline)
    assert isinstance(local(2), Local)
    with pytest.raises(ParameterError, match="n_shards is 0"):
        local(0)


def test_a_holder_that_failed_is_made_anew_when_asked_for(processes):
    processes.call("add", {0: ([1],), 1: ([11],)})
    processes.call("kill", {0: ()}, timeout_s=60)
    assert isinstance(processes.call("add", {0: ([2],)})[0], ShardFailed)
    processes.restart(0)
    processes.restart(1)  # it did not fail, and stays
    assert {0: 2, 1: 23} == processes.call("add", {0: ([2],), 1: ([12],)})
