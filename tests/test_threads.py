import threading

import pytest

from pmbf.jobs.threads import Threads, in_order


def held(threads):
    """Keep the only thread busy until the event returned is set."""
    begun, go_on = threading.Event(), threading.Event()
    threads.submit(lambda: begun.set() or go_on.wait(60))
    assert begun.wait(60)
    return go_on


def test_what_is_wanted_comes_before_what_is_done_ahead():
    done = []
    with Threads(1) as threads:
        go_on = held(threads)
        for number in range(3):
            threads.ahead.submit(done.append, f"ahead {number}")
            threads.submit(done.append, f"wanted {number}")
        go_on.set()
    assert done == ["wanted 0", "wanted 1", "wanted 2", "ahead 0", "ahead 1", "ahead 2"]


def test_all_is_done_when_the_context_ends():
    with Threads(3) as threads:
        made = [threads.submit(pow, number, 2) for number in range(50)]
        ahead = [threads.ahead.submit(pow, number, 3) for number in range(50)]
    assert [one.result(0) for one in made] == [number**2 for number in range(50)]
    assert [one.result(0) for one in ahead] == [number**3 for number in range(50)]


def test_what_is_cancelled_is_not_done_and_what_fails_stops_no_other():
    done = []
    with Threads(1) as threads:
        go_on = held(threads)
        cancelled = threads.ahead.submit(done.append, "cancelled")
        failing = threads.submit(int, "no number")
        kept = threads.ahead.submit(done.append, "kept")
        assert cancelled.cancel()
        go_on.set()
        with pytest.raises(ValueError, match="no number"):
            failing.result(60)
        kept.result(60)
    assert done == ["kept"]


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_come_in_order_and_few_calls_are_taken_ahead(n_threads):
    taken = []

    def calls():
        for number in range(40):
            taken.append(number)
            yield lambda number=number: number**2

    for number, result in enumerate(in_order(calls(), n_threads)):
        assert result == number**2
        assert len(taken) - number <= (1 if n_threads == 1 else n_threads + 1)
    assert len(taken) == 40


def test_calls_that_nobody_asks_for_are_not_made():
    made = []
    results = in_order((lambda number=number: made.append(number) for number in range(1000)), 2)
    next(results)
    results.close()
    assert len(made) <= 4


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_call_that_fails_raises_in_its_turn(n_threads):
    results = in_order(iter([lambda: 1, lambda: int("no number"), lambda: 3]), n_threads)
    assert next(results) == 1
    with pytest.raises(ValueError, match="no number"):
        next(results)
