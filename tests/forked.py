"""Runs `pmbf` in processes that are forked from one that has imported it.

`python -m pmbf guard FILE` takes 0.2 s, of which Python and the imports take all but 0.02 s. A forked process is one of
its own all the same: it has its folder, environment, streams, memory and exit code, and ends as Python ends. What
Python reads at its start is the origin's: `PYTHON…`, `LANG` and `LC_…`, and `PMBF_KERNELS`. A test that is about these,
about imports, or about how a shell opens the streams starts a Python.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import gc
import os
import pickle
import pkgutil
import runpy
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
SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux: whose parent has ended becomes a child of this process."""


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
    with _standard_input(given) as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = started(*arguments, cwd=cwd, env=environment, stdin=stdin, stdout=stdout, stderr=stderr)
        try:
            code = process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        said = [_content(file) for file in (stdout, stderr)]
    if not isinstance(given, bytes):
        said = [content.decode() for content in said]
    return subprocess.CompletedProcess(["pmbf", *process.args[1:]], code, *said)


def started(*arguments: object, module: str = "pmbf", **options: Any) -> subprocess.Popen[Any]:
    """Start `pmbf`: in a forked process on Linux, elsewhere by a Python of its own.

    Args:
        arguments: The words of the command line.
        module: Another module to run, as `python -m` would.
        options: Of `subprocess.Popen`: the streams, `cwd`, `env`, `text`.
    """
    words = [str(argument) for argument in arguments]
    if sys.platform != "linux":
        return subprocess.Popen([sys.executable, "-m", module, *words], **options)
    return _Forked([module, *words], **options)


class _Forked(subprocess.Popen[Any]):
    """A process that the origin forks, and that is a child of this process all the same."""

    def _execute_child(self, args: list[str], executable: None, preexec_fn: None, close_fds: bool, pass_fds: tuple[int],
                       cwd: str | None, env: Mapping[str, str] | None, startupinfo: None, creationflags: int,
                       shell: bool, *streams: Any) -> None:  # fmt: skip
        pipes = streams[:6]  # of the standard streams, the end that the process has and the other end; -1: as here
        ends = [number if end == -1 else end for number, end in enumerate((pipes[0], pipes[3], pipes[5]))]
        environment = dict(os.environ if env is None else env)
        try:
            self.pid = _origin().start((args, os.path.abspath(cwd or "."), environment), ends)
            self._child_created = True
        finally:
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


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

    def start(self, asked: tuple[list[str], str, dict[str, str]], streams: list[int]) -> int:
        """Fork a process that runs a module with its words, its folder and its environment; return its number."""
        packed = pickle.dumps(asked)
        _adopt(True)
        socket.send_fds(self._connection, [len(packed).to_bytes(8)], streams)
        self._connection.sendall(packed)
        process = int(self._answers.readline())
        _adopt(False)
        return process


def _adopt(yes: bool) -> None:
    ctypes.CDLL(None).prctl(SUBREAPER, int(yes), 0, 0, 0)


@functools.cache
def _origin() -> Origin:
    return Origin()


# ---------------------------------------------------------------------- in the origin


def _serve(connection: socket.socket) -> str:
    """Answer until nobody asks; return the module that this process has to run, if it is a forked one."""
    requests = connection.makefile("rb")
    while True:
        size, streams, _, _ = socket.recv_fds(connection, 8, 3)
        if not size:
            return ""
        asked = pickle.loads(requests.read(int.from_bytes(size)))
        reading, writing = os.pipe()
        between = os.fork()  # ends at once, so that the process that asked takes over what it has forked
        if not between:
            if process := os.fork():
                os.write(writing, b"%d\n" % process)
                os._exit(0)
            for end in (reading, writing):
                os.close(end)
            connection.close()
            requests.close()
            _become(*asked, streams)
            return asked[0][0]
        os.waitpid(between, 0)
        connection.sendall(os.read(reading, 20))
        for end in (reading, writing, *streams):
            os.close(end)


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
    sys.argv[:] = words
    sys.path[0] = folder


def _import_all() -> None:
    gc.disable()
    import pmbf
    from pmbf.base.errors import UnsupportedError

    for module in pkgutil.walk_packages(pmbf.__path__, "pmbf."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(UnsupportedError):  # kernels that are not built
                import_module(module.name)
    gc.freeze()
    gc.enable()


if __name__ == "__main__":
    _import_all()
    if module := _serve(socket.socket(fileno=int(sys.argv[1]))):
        runpy.run_module(module, run_name="__main__", alter_sys=True)
