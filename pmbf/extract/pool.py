"""The parent's side of the reading processes: they are started, asked, timed, killed and replaced here.

If a document needs a process and none is idle, then one is started. It is kept for the next document: there is one for
each thread that reads. Death or a timeout of a process is the failure of its document only. The processes end with this
one: on exit, and when their input ends.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
from dataclasses import asdict

from pmbf.base.errors import IncompleteError, UnsupportedError
from pmbf.extract.limits import Extracted, Limits, Part
from pmbf.jobs.child import Child
from pmbf.jobs.frames import Frame

START_S = 60.0
DOCUMENTS_PER_WORKER = 1000
"""A process is replaced after 1,000 documents, which frees memory that libraries leak."""


def read_apart(raw: bytes, kind: str, limits: Limits, *, unseen: bool = False) -> Extracted:
    """Return the text of a document, read in another process: as `extract`. Safe in any thread, and after a fork."""
    worker = _take()
    try:
        header, text = worker.ask(raw, kind, limits, unseen)
    except BaseException:  # KeyboardInterrupt, too: half an answer may be in the pipe
        _end(worker)
        raise
    if header.get("is_worn") or worker.n_documents >= DOCUMENTS_PER_WORKER or not worker.is_alive:
        _end(worker)
    else:
        _idle.append(worker)
    if "unsupported" in header:
        raise UnsupportedError(header["unsupported"], missing_extra=header["missing_extra"])
    if "incomplete" in header:
        raise IncompleteError(header["incomplete"])
    parts = tuple(Part(*one) for one in header["parts"])
    return Extracted(text.decode(), kind, None, tuple(header["problems"]), tuple(header["notes"]), parts)


class ReadingProcess:
    """One reading process; `IncompleteError` if it does not start."""

    def __init__(self) -> None:
        self.n_documents = 0
        self._is_late = False
        self._child = Child("the reading process", "pmbf.extract.worker", stderr=subprocess.DEVNULL)
        _all.add(self)
        if self._exchange(None, START_S) is None:
            _end(self)
            raise IncompleteError(f"the reading process does not start: {self._child.cause_of_death(5)}")

    @property
    def is_alive(self) -> bool:
        """Whether it can take a document: it runs, and it was not too late."""
        return not self._is_late and self._child.is_alive

    @property
    def pid(self) -> int:
        """Return the process's id."""
        return self._child.pid

    def ask(self, raw: bytes, kind: str, limits: Limits, unseen: bool = False) -> Frame:
        """Return the answer to one document; `IncompleteError` if none comes, or none in time."""
        self.n_documents += 1
        asked = {"kind": kind, "limits": asdict(limits), "unseen": unseen}
        answer = self._exchange((asked, raw), limits.timeout_s)
        if answer is None:
            limit = f"reading took longer than {limits.timeout_s:g} s (timeout_s)"
            raise IncompleteError(
                limit if self._is_late else f"the reading process died: {self._child.cause_of_death(5)}"
            )
        return answer

    def kill(self) -> None:
        """End the process, and wait for its end."""
        self._child.kill()
        self._child.wait()
        self._child.forget()

    def forget(self) -> None:
        """Let go of a process that belongs to the parent of this forked process."""
        self._child.forget()

    def _exchange(self, request: Frame | None, timeout_s: float) -> Frame | None:
        """Send a frame and return the next one that comes, or None if none comes in time."""
        watchdog = threading.Timer(timeout_s, self._expire)
        watchdog.daemon = True
        watchdog.start()
        try:
            return self._child.ask(request)
        finally:
            watchdog.cancel()

    def _expire(self) -> None:
        self._is_late = True
        self._child.kill()


_all: set[ReadingProcess] = set()
_idle: list[ReadingProcess] = []


def _take() -> ReadingProcess:
    while True:
        try:
            worker = _idle.pop()  # list.pop and list.append are atomic: no lock that a fork could freeze
        except IndexError:
            return ReadingProcess()
        if worker.is_alive:
            return worker
        _end(worker)


def _end(worker: ReadingProcess) -> None:
    worker.kill()
    _all.discard(worker)


def close() -> None:
    """End all reading processes. The next document starts a new one."""
    _idle.clear()
    for worker in list(_all):
        _end(worker)


def _after_fork() -> None:
    _idle.clear()
    for worker in list(_all):
        worker.forget()
    _all.clear()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
