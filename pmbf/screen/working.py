"""Workers: threads that share the files of one generation, or processes where threads would wait for each other.

The files are opened for the threads alone. They stay open until the last call is made, whoever closes the collection or
commits to it meanwhile. NumPy holds the interpreter's lock: if it answers for the kernels, then processes work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@dataclass(frozen=True, slots=True)
class Tools:
    """What a worker looks queries up and compares them with; picklable if `options` are."""

    generation: Generation
    options: Options
    statistics: Statistics | None


@dataclass(frozen=True, slots=True)
class Workers:
    """Make calls with tools as their first argument; `ahead` makes those that nobody waits for yet."""

    _now: Runner
    _later: Runner
    _tools: Tools | None

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Return the future result of a call."""
        return self._submitted(self._now, call, *arguments)

    def ahead(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """As `submit`. In threads the call is made after all calls that `submit` was given."""
        return self._submitted(self._later, call, *arguments)

    def _submitted(self, runner: Runner, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        if self._tools:
            return runner.submit(call, self._tools, *arguments)
        return runner.submit(_made_here, call, *arguments)


@contextmanager
def workers(tools: Tools, jobs: int) -> Iterator[Workers]:
    """Yield `jobs` workers. At the end those calls are waited for that were begun, and the others must be cancelled.

    Args:
        tools: What the calls are made with. Threads get the files of the generation opened once more.
        jobs: Workers, at least 1.
    """
    if kernels.NAME == "native":
        with tools.generation.again() as generation, Threads(jobs) as threads:
            yield Workers(threads, threads.ahead, replace(tools, generation=generation))
        return
    from pmbf.jobs.processes import Processes  # imported only if processes are asked for

    plain = replace(tools, options=replace(tools.options, labels_of=None))  # not every function can be sent there
    with Processes(jobs, _keep, (plain,)) as processes:
        yield Workers(processes, processes, None)


_kept: list[Tools] = []


def _keep(tools: Tools) -> None:
    """Keep the tools of this process."""
    _kept[:] = [tools]


def _made_here(call: Callable[..., Result], /, *arguments: Any) -> Result:
    return call(_kept[0], *arguments)
