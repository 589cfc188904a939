"""Workers: threads for the first calls, and processes when more come.

Threads begin at once and share the files of one generation. They wait for each other: Python holds the interpreter's
lock, and of a screening only the native calls do not. Processes do not wait, but to start one takes 0.35 s. So a few
texts are screened without a process. If NumPy answers for the kernels, then there are no threads: NumPy holds the lock.

Threads and processes open the files once more. So the files stay open until the last call is made, whoever closes the
collection or commits to it meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pmbf import kernels
from pmbf.jobs import Result, Runner
from pmbf.jobs.threads import Threads
from pmbf.screen.options import Options
from pmbf.store.generation import Generation
from pmbf.verify import Statistics

if TYPE_CHECKING:
    from concurrent.futures import Future

FEW_CALLS = 12
"""Calls that threads make: those of the first 63 short texts."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a worker looks queries up and compares them with; picklable if `options` are."""

    generation: Generation
    options: Options
    statistics: Statistics | None


class Workers:
    """Make calls with tools as their first argument.

    Args:
        threads: Make the first `FEW_CALLS` calls; None: processes make all calls.
        processes: Make the others.
        tools: What threads make calls with. Processes have tools of their own.
    """

    def __init__(self, threads: Threads | None, processes: Runner, tools: Tools) -> None:
        self._threads, self._processes, self._tools = threads, processes, tools
        self._n_calls = 0

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Return the future result of a call."""
        return self._submitted(self._threads, call, *arguments)

    def ahead(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """As `submit`. A thread makes the call after all calls that `submit` was given."""
        return self._submitted(self._threads and self._threads.ahead, call, *arguments)

    def _submitted(self, threads: Runner | None, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        self._n_calls += 1
        if threads and self._n_calls <= FEW_CALLS:
            return threads.submit(call, self._tools, *arguments)
        return self._processes.submit(_made_here, call, *arguments)


@contextmanager
def workers(tools: Tools, jobs: int) -> Iterator[Workers]:
    """Yield workers. At the end the calls that threads have begun are waited for; the others must be cancelled.

    Args:
        tools: What the calls are made with.
        jobs: Calls made at the same time, at least 1.
    """
    from pmbf.jobs.processes import Processes  # imported only if workers are asked for

    plain = replace(tools, options=replace(tools.options, labels_of=None))  # not every function can be sent there
    with ExitStack() as stack:
        processes = stack.enter_context(Processes(jobs, _keep, (plain,)))
        if kernels.NAME != "native":
            yield Workers(None, processes, tools)
            return
        again = stack.enter_context(closing(tools.generation.again()))
        yield Workers(stack.enter_context(Threads(jobs)), processes, replace(tools, generation=again))


_kept: list[Tools] = []


def _keep(tools: Tools) -> None:
    """Keep the tools of this process."""
    _kept[:] = [tools]


def _made_here(call: Callable[..., Result], /, *arguments: Any) -> Result:
    return call(_kept[0], *arguments)
