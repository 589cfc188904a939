"""Holders: objects that keep a shard each, here or in processes, and answer calls of their methods.

    executor.start(Range, [(0, 3), (1, 3), (2, 3)])          three holders are made, each where it will stay
    executor.call("count", {0: (batch,), 1: (batch,), 2: (batch,)})  ─►  {0: …, 1: …, 2: …}

A holder is an instance of a class that stands in a module, made from picklable arguments. It knows these arguments and
what its calls brought, and nothing else: no open collection, no global, not who runs it. So the same class serves in
this process, in local processes, and on other machines.

A shard that died or came late is named with its reason; the other shards have answered. Its state is lost: an executor
never makes it again by itself, for the sums of a run would be wrong. The run is given up and started anew. Who asks
holders without a state of their own makes the holder again with `restart`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as LateError
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple, Protocol, TypeVar

from pmbf.base.errors import IncompleteError, ParameterError
from pmbf.jobs.processes import DiedError, Processes

Answer = TypeVar("Answer")
Arguments = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ShardFailed:
    """In place of a shard's answer, with the reason: its process died, or it did not answer in time."""

    shard: int
    reason: str


class Begun(NamedTuple):
    """A call of a shard that was begun.

    Args:
        future: Done when there is an answer, or the shard has failed.
        answer: Returns the answer or the failure, given the time (of `monotonic`) up to which it waits; None: for ever.
            A shard that is late then is ended. Raises the error that the method raised.
    """

    future: Future[Any]
    answer: Callable[[float | None], Any | ShardFailed]


class Executor(Protocol):
    """Makes holders and calls them. Closing ends them."""

    def start(self, holder: Callable[..., object], arguments: Sequence[Arguments]) -> None:
        """Make one holder for each tuple of arguments; those of an earlier start end.

        `IncompleteError`: a holder cannot be made, for its process died.
        """

    def call(
        self, method: str, arguments: Mapping[int, Arguments], timeout_s: float | None = None
    ) -> dict[int, Any | ShardFailed]:
        """Call a method of some shards at the same time and return each shard's answer or its failure.

        Calls of one shard are answered in the order in which they were made. Any thread may call. A shard that has not
        answered after `timeout_s`, for all shards together, is ended. The first error that a method raised is raised.
        """

    def begin(self, shard: int, method: str, arguments: Arguments) -> Begun:
        """Begin a call of a shard. Any thread may do so."""

    def restart(self, shard: int) -> None:
        """Make the holder of a shard that failed anew, from the arguments of `start`; its calls had no effect.

        Only for holders whose state is elsewhere. The next call waits until the holder is made.
        """

    def close(self) -> None:
        """End all holders at once."""


def complete(answers: Mapping[int, Any | ShardFailed]) -> list[Any]:
    """Return the answers of all shards, ascending by shard.

    Raise `IncompleteError` if one failed: a sum would be wrong.
    """
    for answer in answers.values():
        if isinstance(answer, ShardFailed):
            raise IncompleteError(f"shard {answer.shard}: {answer.reason}; nothing was changed: run it again")
    return [answers[shard] for shard in sorted(answers)]


class Inline:
    """Holders in this process, called one after another.

    >>> from fractions import Fraction
    >>> inline = Inline()
    >>> inline.start(Fraction, [(1, 2), (7, 10)])
    >>> inline.call("limit_denominator", {0: (5,), 1: (5,)})
    {0: Fraction(1, 2), 1: Fraction(2, 3)}
    """

    def __init__(self) -> None:
        self._holders: list[object] = []
        self._lock = Lock()

    def start(self, holder: Callable[..., object], arguments: Sequence[Arguments]) -> None:
        self._holders = [holder(*one) for one in arguments]

    def call(
        self, method: str, arguments: Mapping[int, Arguments], timeout_s: float | None = None
    ) -> dict[int, Any | ShardFailed]:
        """Call the holders. No holder of this process is late: `timeout_s` has no effect."""
        with self._lock:
            return {shard: getattr(self._holders[shard], method)(*one) for shard, one in arguments.items()}

    def begin(self, shard: int, method: str, arguments: Arguments) -> Begun:
        """Make a call; it is done when this returns."""
        future: Future[Any] = Future()
        try:
            future.set_result(self.call(method, {shard: arguments})[shard])
        except Exception as error:
            future.set_exception(error)
        return Begun(future, lambda _: future.result())

    def restart(self, shard: int) -> None:
        """Do nothing: no holder of this process fails."""

    def close(self) -> None:
        self._holders = []


class Process(Protocol):
    """The process of a holder, which makes one call at a time."""

    def submit(self, call: Callable[..., Answer], /, *arguments: Any) -> Future[Answer]:
        """Return the future result of a call in the process. It raises `DiedError` if the process dies."""

    def close(self) -> None:
        """End the process."""


class Apart(ABC):
    """Holders in processes, one process each."""

    def __init__(self) -> None:
        self._processes: list[Process] = []
        self._made: list[tuple[Callable[..., object], Arguments]] = []
        self._failed: dict[int, ShardFailed] = {}
        self._lock = Lock()

    @abstractmethod
    def _process(self, shard: int) -> Process:
        """Begin to make a holder in a new process."""

    def start(self, holder: Callable[..., object], arguments: Sequence[Arguments]) -> None:
        self.close()
        self._made = [(holder, one) for one in arguments]
        try:
            self._processes = [self._process(shard) for shard in range(len(self._made))]
            for made in [process.submit(bool) for process in self._processes]:
                made.result()
        except BaseException:
            self.close()
            raise

    def call(
        self, method: str, arguments: Mapping[int, Arguments], timeout_s: float | None = None
    ) -> dict[int, Any | ShardFailed]:
        end = None if timeout_s is None else monotonic() + timeout_s
        begun = {shard: self.begin(shard, method, one) for shard, one in arguments.items()}
        return {shard: one.answer(end) for shard, one in begun.items()}

    def begin(self, shard: int, method: str, arguments: Arguments) -> Begun:
        with self._lock:
            if failed := self._failed.get(shard):
                return no_answer(failed)
            process = self._processes[shard]
            future = process.submit(called, method, arguments)
        return Begun(future, partial(self._answer, shard, process, future))

    def restart(self, shard: int) -> None:
        with self._lock:
            if self._failed.pop(shard, None):
                self._processes[shard] = self._process(shard)

    def close(self) -> None:
        for process in self._processes:
            process.close()
        self._processes, self._failed = [], {}

    def _answer(self, shard: int, process: Process, future: Future[Answer], end: float | None) -> Answer | ShardFailed:
        try:
            return future.result(None if end is None else max(0.0, end - monotonic()))
        except LateError:
            if future.done():  # the holder's own error
                raise
            return self._fail(shard, process, "no answer in time")
        except DiedError as error:
            return self._fail(shard, process, str(error))
        except CancelledError:  # another thread's call found the shard late
            return self._fail(shard, process, "no answer in time")

    def _fail(self, shard: int, process: Process, reason: str) -> ShardFailed:
        """Never ask the process again: a new one would answer without what the old one was given."""
        failed = ShardFailed(shard, reason)
        with self._lock:
            if self._processes and self._processes[shard] is process:
                failed = self._failed.setdefault(shard, failed)
        process.close()
        return failed


class Local(Apart):
    """Holders in processes of this machine.

    >>> from fractions import Fraction
    >>> local = Local()
    >>> local.start(Fraction, [(1, 2), (7, 10)])
    >>> local.call("limit_denominator", {0: (5,), 1: (5,)})
    {0: Fraction(1, 2), 1: Fraction(2, 3)}
    >>> local.close()
    """

    def _process(self, shard: int) -> Process:
        return Processes(1, hold, self._made[shard])


def no_answer(failed: ShardFailed) -> Begun:
    """Return the call of a shard that has failed before."""
    future: Future[Any] = Future()
    future.set_result(failed)
    return Begun(future, lambda _: failed)


def local(n_shards: int) -> Executor:
    """Return an executor for a number of shards, at least 1: processes, or this process for a single shard."""
    if n_shards < 1:
        raise ParameterError(f"n_shards is {n_shards}, must be at least 1")
    return Inline() if n_shards == 1 else Local()


# ---------------------------------------------------------------------- in the other process

_held: list[object] = []


def hold(holder: Callable[..., object], arguments: Arguments) -> None:
    """Make this process's holder."""
    _held[:] = [holder(*arguments)]


def called(method: str, arguments: Arguments) -> Any:
    """Call a method of this process's holder."""
    return getattr(_held[0], method)(*arguments)
