import threading

import pytest

from pmbf.jobs.threads import Threads


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
