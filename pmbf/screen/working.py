"""Workers: threads for the first calls, and processes when more come.

Threads begin at once and share the files of one generation. They wait for each other: Python holds the interpreter's
lock, and of a screening only the native calls do not. Processes do not wait, but to start one takes 0.35 s. So a few
texts are screened without a process. If NumPy answers for the kernels, then there are no threads: NumPy holds the lock.

Threads and processes open the files once more. So the files stay open until the last call is made, whoever closes the
collection or commits to it meanwhile. The catalog is lent to them (`lending.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pmbf import kernels
from pmbf.jobs import Result, Runner
from pmbf.jobs.threads import Threads
from pmbf.screen.lending import Lent, answer
from pmbf.screen.options import Options
from pmbf.store.folder import Store
from pmbf.store.generation import Generation
from pmbf.verify import Statistics

if TYPE_CHECKING:
    from concurrent.futures import Future

FEW_CALLS = 6
"""Calls that threads make: those of the first 63 short texts."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What queries are looked up and compared with; picklable if `options` are, and the catalog is lent."""

    generation: Generation
    options: Options
    statistics: Statistics | None
    store: Store | Lent


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
        self._n_calls += 1
        if self._threads and self._n_calls <= FEW_CALLS:
            return self._threads.submit(call, self._tools, *arguments)
        return self._processes.submit(_made_here, call, *arguments)


@contextmanager
def workers(store: Store, options: Options, statistics: Statistics | None, jobs: int) -> Iterator[Workers]:
    """Yield workers. At the end the calls that threads have begun are waited for; the others must be cancelled.

    Args:
        store, options, statistics: What the calls are made with.
        jobs: Calls made at the same time, at least 1.
    """
    from pmbf.jobs.processes import Processes, asked_back  # imported only if workers are asked for

    answering = partial(answer, store)
    lent = Lent(store.folder, store.commit_number, answering)
    plain = replace(options, labels_of=None)  # not every function can be sent there
    far = Tools(store.generation, plain, statistics, replace(lent, ask=asked_back))
    with ExitStack() as stack:
        processes = stack.enter_context(Processes(jobs, _keep, (far,), answering))
        if kernels.NAME != "native":
            yield Workers(None, processes, far)
            return
        again = stack.enter_context(closing(store.generation.again()))
        near = Tools(again, options, statistics, lent)
        yield Workers(stack.enter_context(Threads(jobs)), processes, near)


_kept: list[Tools] = []


def _keep(tools: Tools) -> None:
    """Keep the tools of this process."""
    _kept[:] = [tools]


def _made_here(call: Callable[..., Result], /, *arguments: Any) -> Result:
    return call(_kept[0], *arguments)
