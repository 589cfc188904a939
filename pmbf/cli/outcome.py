"""How a command ends: results on stdout, notes on stderr, an exit code. The only module that prints."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pmbf.errors import ParameterError, PmbfError
from pmbf.exit_codes import FAILED, PIPE_CLOSED, STOPPED, USAGE


@contextmanager
def ending(leave: Callable[[int], BaseException]) -> Iterator[None]:
    """The one place where an error becomes a line on stderr and an exit code.

    Args:
        leave: Makes, of an exit code, what is raised then.
    """
    try:
        try:
            yield
        finally:
            flush_stdout()
    except BrokenPipeError:
        send_nowhere(sys.stdout)
        raise leave(PIPE_CLOSED) from None
    except KeyboardInterrupt:
        note_if_possible("stopped")
        raise leave(STOPPED) from None
    except ParameterError as error:
        note_if_possible(str(error))
        raise leave(USAGE) from None
    except (PmbfError, OSError) as error:
        note_if_possible(reason(error))
        raise leave(FAILED) from None
    except MemoryError:
        note_if_possible("out of memory")
        raise leave(FAILED) from None


def flush_stdout() -> None:
    """Write out what stdout holds back; where it cannot be written, drop it, so that it fails once only."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:  # a full disk
        send_nowhere(sys.stdout)
        raise


def prepare_streams() -> None:
    """Let stdout and stderr take any character, and anything at all where they were closed (`>&-`)."""
    sys.stdout = sys.stdout or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.TextIOWrapper(io.BytesIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def send_nowhere(stream: Any) -> None:
    """Send what is still in a stream's buffer nowhere: Python flushes it once more at its end."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, stream.fileno())


def reason(error: Exception) -> str:
    """Return what went wrong, with the file the system names."""
    if isinstance(error, OSError) and error.strerror:
        told = f"{os.fsdecode(error.filename)}: {error.strerror}" if error.filename else error.strerror
        return f"{told}; make room, then try again" if error.errno == errno.ENOSPC else told
    return str(error)


def note(message: str) -> None:
    """Print a line on stderr."""
    from pmbf.terminal.safe import one_line

    print(f"pmbf: {one_line(message)}", file=sys.stderr, flush=True)


def note_if_possible(message: str) -> None:
    """Print a line on stderr; where that cannot be written, the exit code alone tells."""
    try:
        note(message)
    except OSError:
        send_nowhere(sys.stderr)


def note_kernels() -> None:
    """Say that NumPy does the work of the native kernels, where nobody asked for it."""
    from pmbf import kernels

    if kernels.NATIVE_MISSING:
        note(f"running on NumPy, many times slower: {kernels.NATIVE_MISSING}")


def print_text(text: str) -> None:
    """Print a result; its foreign parts have been made harmless."""
    sys.stdout.write(text)


def print_json(values: Any) -> None:
    """Print a result as one line of JSON, in UTF-8 whatever the encoding of the terminal."""
    from pmbf.terminal.safe import json_line

    sys.stdout.flush()
    sys.stdout.buffer.write(json_line(values))
