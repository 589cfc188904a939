"""Threads that make the calls that somebody waits for, and only then the calls made ahead of need."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import Any

from pmbf.jobs import Result, Runner


class Threads(Executor):
    """Threads for calls that release the interpreter's lock; to be used as a context."""

    def __init__(self, n_threads: int) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._calls_ahead: deque[Callable[[], None]] = deque()
        self._turns: SimpleQueue[None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work) for _ in range(n_threads)]
        for thread in self._threads:
            thread.start()

    def submit(self, call: Callable[..., Result], /, *arguments: Any, **more: Any) -> Future[Result]:
        """Make a call in a thread, after those submitted before."""
        return self._enqueue(self._calls, call, *arguments, **more)

    @property
    def ahead(self) -> Runner:
        """Runs calls in these threads, each after all waiting calls of `submit` and the earlier calls ahead."""
        return _Ahead(self)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads when all calls are made. To make fewer, cancel their futures before."""
        for _ in self._threads:
            self._turns.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _enqueue(
        self, calls: deque[Callable[[], None]], call: Callable[..., Result], *arguments: Any, **more: Any
    ) -> Future[Result]:
        future: Future[Result] = Future()

        def made() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*arguments, **more))
                except BaseException as error:
                    future.set_exception(error)

        calls.append(made)
        self._turns.put(None)
        return future

    def _work(self) -> None:
        """Make one call for each turn. Each submitted call brings one turn; the end brings one more for each thread."""
        while made := self._next():
            made()
            del made  # and its result, while the thread waits

    def _next(self) -> Callable[[], None] | None:
        self._turns.get()
        for calls in (self._calls, self._calls_ahead):
            try:
                return calls.popleft()
            except IndexError:
                continue
        return None


def in_order(calls: Iterable[Callable[[], Result]], n_threads: int) -> Generator[Result, None, None]:
    """Yield the result of each call, in order, while the next calls are made in threads.

    The calls are taken in this thread: with one thread each is taken and made when its result is asked for; with more,
    at most `n_threads` + 1 are ahead. If nobody asks any more, then the calls that wait are not made.
    """
    if n_threads == 1:
        for call in calls:
            yield call()
        return
    waiting: deque[Future[Result]] = deque()
    with Threads(n_threads) as threads:
        try:
            for call in calls:
                waiting.append(threads.submit(call))
                if len(waiting) > n_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


class _Ahead:
    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        return self._threads._enqueue(self._threads._calls_ahead, call, *arguments)
