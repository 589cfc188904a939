"""A Python process that runs a module of pmbf: its start, its requests, its end and the cause of its death."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from pathlib import Path

from pmbf.base.errors import IncompleteError
from pmbf.jobs import frames
from pmbf.jobs.frames import Frame


class Child:
    """A process that runs `main` of a module of pmbf.

    It takes frames from its standard input and answers on its standard output, unless it is given other streams.
    Messages call it by its name. `IncompleteError`: it does not start.
    """

    def __init__(self, name: str, module: str, *arguments: str, stderr: int | None = None) -> None:
        try:
            self._process = subprocess.Popen(
                program(module, *arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,  # a forked child would flush a buffer a second time
                start_new_session=True,  # the parent alone gets Ctrl-C
            )
        except OSError as error:
            raise IncompleteError(f"{name} does not start: {error}") from None

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Frame | None) -> Frame | None:
        """Send a frame, if given, and return the next one that comes; None if the process ended."""
        assert self._process.stdin
        assert self._process.stdout
        with contextlib.suppress(OSError, ValueError):  # a broken pipe; one that was closed
            if request:
                frames.send(self._process.stdin, *request)
            return frames.receive(self._process.stdout)
        return None

    def cause_of_death(self, wait_s: float | None = None) -> str:
        """Wait for the end of the process and return its cause: the signal's name, or the exit status."""
        try:
            status = self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            return "no answer"
        return _signal_name(-status) if status < 0 else f"exit status {status}"

    def wait(self) -> None:
        """Wait for the end of the process. It ends once its input or its socket has ended."""
        self._process.wait()

    def kill(self) -> None:
        """Kill the process, if it runs; `wait` waits for its end."""
        self._process.kill()

    def forget(self) -> None:
        """Close the streams to a process that has ended, or that belongs to the parent of this forked process."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
        if self._process.returncode is None:
            self._process.returncode = 0  # not our child: there is nothing to wait for


def program(module: str, *arguments: str) -> list[str]:
    """Return the command that calls `main` of a module of pmbf in a new Python, with arguments.

    The new Python has this one's `sys.path` without the current folder, and the folder of pmbf. `-I` keeps it from
    importing modules of the current folder, or of PYTHONPATH.
    """
    where = [*filter(None, sys.path), str(Path(__file__).parents[2])]
    boot = f"import sys; sys.path[:] = sys.argv[{len(arguments) + 1}:]; from {module} import main; main()"
    return [sys.executable, "-I", "-c", boot, *arguments, *where]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
