"""Runs `pmbf` in processes that are forked from one that has imported it.

`python -m pmbf guard FILE` takes 0.2 s, of which Python and the imports take all but 0.02 s. A forked process is one of
its own all the same: it has its folder, environment, streams, memory and exit code, and ends as Python ends. What
Python reads at its start is the origin's: `PYTHON…`, `LANG` and `LC_…`, and `PMBF_KERNELS`. A test that is about these,
about imports, or about how a shell opens the streams starts a Python.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import os
import pickle
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import IO, Any

TIMEOUT_S = 120
"""After them a process is killed; its exit code is then -9."""


def pmbf(
    *arguments: object,
    cwd: str | os.PathLike[str] = ".",
    given: str | bytes | None = None,
    environment: Mapping[str, str] = os.environ,
) -> subprocess.CompletedProcess[Any]:
    """Run `pmbf` and return what it said.

    Args:
        arguments: The words of the command line.
        cwd: Its folder.
        given: Its standard input. If this is bytes, then what it said is bytes.
        environment: All of its environment.
    """
    words = [str(argument) for argument in arguments]
    with _standard_input(given) as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        streams = (stdin, stdout, stderr)
        code = _origin().run((words, os.path.abspath(cwd), dict(environment)), [file.fileno() for file in streams])
        said = [_content(file) for file in (stdout, stderr)]
    if not isinstance(given, bytes):
        said = [content.decode() for content in said]
    return subprocess.CompletedProcess(["pmbf", *words], code, *said)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _standard_input(given: str | bytes | None) -> IO[bytes]:
    """Return an empty file, or the end of a pipe into which a thread writes."""
    if given is None:
        return open(os.devnull, "rb")
    reading, writing = os.pipe()
    threading.Thread(target=_write, args=(writing, given.encode() if isinstance(given, str) else given)).start()
    return open(reading, "rb")


def _write(pipe: int, content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as file:  # `pmbf` may leave some unread
        file.write(content)


class Origin:
    """The process that has imported `pmbf`. It ends with the process that started it."""

    def __init__(self) -> None:
        self._connection, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "tests.forked", str(theirs.fileno())]
            self._process = subprocess.Popen(
                command, cwd=Path(__file__).parents[1], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
            )
        self._answers = self._connection.makefile("rb")
        atexit.register(self.close)

    def close(self) -> None:
        """End the process."""
        self._connection.shutdown(socket.SHUT_RDWR)
        self._answers.close()
        self._connection.close()
        self._process.wait()

    def run(self, asked: tuple[list[str], str, dict[str, str]], streams: list[int]) -> int:
        """Run `pmbf` with its words, its folder and its environment, and return its exit code."""
        packed = pickle.dumps(asked)
        socket.send_fds(self._connection, [len(packed).to_bytes(8)], streams)
        self._connection.sendall(packed)
        process = int(self._answers.readline())
        timer = threading.Timer(TIMEOUT_S, os.kill, (process, signal.SIGKILL))
        timer.start()
        code = int(self._answers.readline())
        timer.cancel()
        return code


@functools.cache
def _origin() -> Origin:
    return Origin()


# ---------------------------------------------------------------------- in the origin


def _serve(connection: socket.socket) -> bool:
    """Answer until nobody asks; return whether this is a forked process, which has `pmbf` to run."""
    requests = connection.makefile("rb")
    while True:
        size, streams, _, _ = socket.recv_fds(connection, 8, 3)
        if not size:
            return False
        asked = pickle.loads(requests.read(int.from_bytes(size)))
        process = os.fork()
        if not process:
            connection.close()
            requests.close()
            _become(*asked, streams)
            return True
        for stream in streams:
            os.close(stream)
        connection.sendall(b"%d\n" % process)
        connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))


def _become(words: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for number, name, mode, buffering in ((0, "stdin", "r", -1), (1, "stdout", "w", -1), (2, "stderr", "w", 1)):
        old = getattr(sys, name)
        setattr(sys, name, os.fdopen(number, mode, buffering, old.encoding, old.errors, closefd=False))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = ["pmbf", *words]
    sys.path[0] = folder


def _import_all() -> None:
    import pmbf
    from pmbf.base.errors import UnsupportedError

    for module in pkgutil.walk_packages(pmbf.__path__, "pmbf."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(UnsupportedError):  # kernels that are not built
                import_module(module.name)
    gc.freeze()


if __name__ == "__main__":
    _import_all()
    if _serve(socket.socket(fileno=int(sys.argv[1]))):
        from pmbf.__main__ import main

        main()
