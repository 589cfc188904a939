"""Working processes for calls that hold the interpreter's lock: a thread of this one waits for each.

    submit(call, arguments) ─► a thread ─► frame ─► process: call(*arguments) ─► frame ─► future
                                   └◄─ frame: a question of the call; `answering` answers it ─►┘

They do not import the calling script. `multiprocessing` imports it, and fails if the script is typed in, comes from
standard input or lacks the guard `if __name__ == "__main__":`. The processes end when their input ends.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import Future as Future
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, cast

from pmbf.base.errors import IncompleteError, ParameterError
from pmbf.jobs import Result, frames
from pmbf.jobs.child import Child

Call = tuple[Callable[..., Any], tuple[Any, ...]]


class DiedError(IncompleteError):
    """A working process died before it answered."""


class Processes:
    """Processes, each started when it is first needed. Each makes one call at a time. One thread per object.

    Args:
        n_processes: The most processes, at least 1.
        prepare: Called in each process before its first call, with `arguments`.
        arguments: Of `prepare`; picklable.
        answering: Answers what a call asks with `asked_back`, in a thread of this process.
    """

    def __init__(
        self,
        n_processes: int,
        prepare: Callable[..., object] = bool,
        arguments: tuple[Any, ...] = (),
        answering: Callable[..., Any] | None = None,
    ) -> None:
        self._first = pickle.dumps((prepare, arguments))
        self._answering = answering
        self._threads = ThreadPoolExecutor(n_processes)
        self._idle: list[Child] = []
        self._all: set[Child] = set()
        self._closed = False

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        """Return the future result of a call in one of the processes.

        The future raises an error of the call. It raises `DiedError` if the process dies, and `ParameterError` if
        the process cannot find the call: a function that is defined in the calling script, not in a module.
        """
        return self._threads.submit(self._run, call, arguments)

    def close(self) -> None:
        """End the processes at once; calls that are not done have no result."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self._all):
            process.kill()
        self._threads.shutdown()
        for process in self._all:
            process.wait()

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _run(self, call: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        pickled = pickle.dumps((call, arguments))
        process = self._idle.pop() if self._idle else self._started()
        answered = self._asked(process, pickled)
        self._idle.append(process)
        return cast(Result, result_of(answered))

    def _started(self) -> Child:
        process = Child("a working process", "pmbf.jobs.processes")
        self._all.add(process)
        if self._closed:  # closed meanwhile: nobody else would end it
            process.kill()
        try:
            result_of(self._asked(process, self._first))
        except BaseException:
            process.kill()
            raise
        return process

    def _asked(self, child: Child, pickled: bytes) -> bytes:
        """Return the pickled result of a pickled call. What the call asks meanwhile is answered."""
        answered = child.ask(({}, pickled))
        while answered and answered[0].get("asks"):
            assert self._answering
            answered = child.ask(({}, _result_of_call(self._answering, pickle.loads(answered[1]))))
        if answered is None:
            cause = child.cause_of_death()
            raise DiedError(f"a working process died ({cause}); with one job less memory is needed")
        return answered[1]


class _Raised:
    """An error in place of a result."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def result_of(pickled: bytes) -> Any:
    """Return the result that `answer` has pickled, or raise the error."""
    result = pickle.loads(pickled)
    if isinstance(result, _Raised):
        raise result.error
    return result


# ---------------------------------------------------------------------- in the other process

_streams: list[IO[bytes]] = []
"""Where frames come from, and where they go."""


def asked_back(*question: Any) -> Any:
    """Return what `answering` of the process that made this call returns for a question, or raise its error."""
    source, sink = _streams
    frames.send(sink, {"asks": True}, pickle.dumps(question))
    answered = frames.receive(source)
    if answered is None:  # nobody waits for this call any more
        raise BrokenPipeError("the process that made this call has ended")
    return result_of(answered[1])


def main() -> None:
    """Answer calls until standard input ends."""
    source, sink = _streams[:] = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # prints of a call must not stand among the answers
    sys.stdout = sys.stderr
    with contextlib.suppress(BrokenPipeError):  # nobody waits any more
        while request := frames.receive(source):
            frames.send(sink, {}, answer(request[1]))


def answer(pickled: bytes) -> bytes:
    """Return the pickled result of a pickled call, or the error that the call raised; see `result_of`."""
    try:
        call, arguments = _loaded(pickled)
    except Exception as error:
        return _pickled(error)
    return _result_of_call(call, arguments)


def _result_of_call(call: Callable[..., Any], arguments: tuple[Any, ...]) -> bytes:
    try:
        return pickle.dumps(call(*arguments))
    except Exception as error:
        return _pickled(error)


def _loaded(pickled: bytes) -> Call:
    try:
        call: Call = pickle.loads(pickled)
    except (AttributeError, ImportError) as error:
        raise ParameterError(
            f"a working process cannot find what it is to call ({error}): define it in a module, not in the script, "
            "or use one job"
        ) from error
    return call


def _pickled(error: Exception) -> bytes:
    try:
        return pickle.dumps(_Raised(error))
    except Exception:  # the error holds an object that cannot be pickled
        return pickle.dumps(_Raised(RuntimeError(f"{type(error).__name__}: {error}")))
