"""A Python of ours in a process of its own: how it is started, asked and ended, and why it died."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pmbf.errors import IncompleteError
from pmbf.jobs import frames
from pmbf.jobs.frames import Frame


class Child:
    """One process that runs `main` of a module of ours.

    It takes frames from its standard input and answers on its standard output, unless it is given other streams.

    Args:
        name: What messages call it.
        module: Whose `main` it runs.
        arguments: What it finds in `sys.argv`.
        stdin, stdout, stderr, pass_fds: As for `subprocess.Popen`.

    Raises:
        IncompleteError: It does not start.
    """

    def __init__(
        self,
        name: str,
        module: str,
        *arguments: str,
        stdin: int = subprocess.PIPE,
        stdout: int = subprocess.PIPE,
        stderr: int | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        try:
            self._process = subprocess.Popen(
                program(module, *arguments),
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=pass_fds,
                bufsize=0,  # no bytes wait in a buffer that a forked child would flush a second time
                start_new_session=True,  # Ctrl-C is for the parent to act on
            )
        except OSError as error:
            raise IncompleteError(f"{name} does not start: {error}") from None

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def ask(self, request: Frame | None) -> Frame | None:
        """Send a frame, if there is one, and return the next that comes; None where the process ends instead."""
        assert self._process.stdin
        assert self._process.stdout
        with contextlib.suppress(OSError, ValueError):  # a broken pipe; one that was closed
            if request:
                frames.send(self._process.stdin, *request)
            return frames.receive(self._process.stdout)
        return None

    def cause_of_death(self, wait_s: float | None = None) -> str:
        """Wait for the end of the process and return why it ended: the signal's name, or its exit status."""
        try:
            status = self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            return "no answer"
        return _signal_name(-status) if status < 0 else f"exit status {status}"

    def wait(self) -> None:
        """Wait for the end of the process, as it comes once its input or its socket has ended."""
        self._process.wait()

    def kill(self) -> None:
        """End the process, if it runs; `wait` waits for its end."""
        self._process.kill()

    def forget(self) -> None:
        """Close the streams to a process that has ended, or, after a fork, that is another's to end."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
        if self._process.returncode is None:
            self._process.returncode = 0  # not our child: nothing to wait for


def program(module: str, *arguments: str) -> list[str]:
    """Return the command that calls `main` of a module of ours in a Python of its own, with arguments.

    It finds its modules where this process does, but for the current folder, and pmbf itself; `-I`: what lies in that
    folder, or in PYTHONPATH, is not imported by accident.
    """
    where = [*filter(None, sys.path), str(Path(__file__).parents[2])]
    boot = f"import sys; sys.path[:] = sys.argv[{len(arguments) + 1}:]; from {module} import main; main()"
    return [sys.executable, "-I", "-c", boot, *arguments, *where]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
