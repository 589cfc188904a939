import threading

import pytest

from pmbf.jobs.threads import Workers


def held(workers):
    """Keep the only thread busy until the event returned is set."""
    begun, go_on = threading.Event(), threading.Event()
    workers.submit(lambda: begun.set() or go_on.wait(60))
    assert begun.wait(60)
    return go_on


def test_what_is_wanted_comes_before_what_is_done_ahead():
    done = []
    with Workers(1) as workers:
        go_on = held(workers)
        for number in range(3):
            workers.submit_ahead(done.append, f"ahead {number}")
            workers.submit(done.append, f"wanted {number}")
        go_on.set()
    assert done == ["wanted 0", "wanted 1", "wanted 2", "ahead 0", "ahead 1", "ahead 2"]


def test_all_is_done_when_the_context_ends():
    with Workers(3) as workers:
        made = [workers.submit(pow, number, 2) for number in range(50)]
        ahead = [workers.submit_ahead(pow, number, 3) for number in range(50)]
    assert [one.result(0) for one in made] == [number**2 for number in range(50)]
    assert [one.result(0) for one in ahead] == [number**3 for number in range(50)]


def test_what_is_cancelled_is_not_done_and_what_fails_stops_no_other():
    done = []
    with Workers(1) as workers:
        go_on = held(workers)
        cancelled = workers.submit_ahead(done.append, "cancelled")
        failing = workers.submit(int, "no number")
        kept = workers.submit_ahead(done.append, "kept")
        assert cancelled.cancel()
        go_on.set()
        with pytest.raises(ValueError, match="no number"):
            failing.result(60)
        kept.result(60)
    assert done == ["kept"]
