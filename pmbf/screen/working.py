"""Workers: threads for the first calls, and processes when more come.

Threads begin at once and share the files of one generation. They wait for each other: Python holds the interpreter's
lock, and of a screening only the native calls do not. Processes do not wait, but to start one takes 0.35 s. So a few
texts are screened without a process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pmbf.jobs import Result, Runner

if TYPE_CHECKING:
    from concurrent.futures import Future

FEW_CALLS = 6
"""Calls that threads make: those of the first 63 short texts."""


class Workers:
    """Make calls with tools as their first arguments.

    Args:
        jobs: Calls that are made at the same time.
        threads: Make the first `FEW_CALLS` calls, or all if there are no processes; None: processes make all calls.
        tools: What threads make calls with.
        processes: Make the others, each with the tools that `keep` kept there; None: threads make all.
    """

    def __init__(
        self, jobs: int, threads: Runner | None, tools: tuple[Any, ...], processes: Runner | None = None
    ) -> None:
        self._jobs, self._threads, self._tools, self._processes = jobs, threads, tools, processes
        self._n_calls = 0

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Return the future result of a call."""
        self._n_calls += 1
        if self._threads and (self._n_calls <= FEW_CALLS or not self._processes):
            return self._threads.submit(call, *self._tools, *arguments)
        assert self._processes is not None
        return self._processes.submit(_made_here, call, *arguments)

    def in_order(self, call: Callable[..., list[Result]], batches: Iterable[Any], *arguments: Any) -> Iterator[Result]:
        """Yield the results of a call with each batch, in order; at most three batches a worker are under way."""
        waiting: deque[Future[list[Result]]] = deque()
        try:
            for batch in batches:
                waiting.append(self.submit(call, batch, *arguments))
                if len(waiting) > 2 * self._jobs:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


_kept: list[Any] = []


def keep(*tools: Any) -> None:
    """Keep the tools of this process."""
    _kept[:] = tools


def _made_here(call: Callable[..., Result], /, *arguments: Any) -> Result:
    return call(*_kept, *arguments)
