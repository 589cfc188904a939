"""How a command ends: results on stdout, notes on stderr, an exit code. The only module that prints."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from pmbf.base.errors import DONE, FAILED, FOUND, PIPE_CLOSED, STOPPED, USAGE, ParameterError, PmbfError


@contextmanager
def ending(leave: Callable[[int], BaseException]) -> Iterator[None]:
    """The one place where an error becomes a line on stderr and an exit code.

    Args:
        leave: Returns the exception that ends the process with an exit code.
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
    except Exception as error:
        if type(error).__module__.partition(".")[0] in ("click", "typer"):  # how these end a command
            raise
        import traceback

        with suppress(OSError):
            traceback.print_exc()  # an error of pmbf; an exit code of 1 would say that something was found
        raise leave(FAILED) from None


def flush_stdout() -> None:
    """Flush stdout; if it cannot be written, then drop its buffer, so that the error is raised once only."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:  # a full disk
        send_nowhere(sys.stdout)
        raise


def prepare_streams() -> None:
    """Let stdout and stderr take any character; replace closed streams (`>&-`)."""
    sys.stdout = sys.stdout or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.TextIOWrapper(io.BytesIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def send_nowhere(stream: Any) -> None:
    """Drop a stream's buffer, which Python would flush once more at its end."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, stream.fileno())


def reason(error: Exception) -> str:
    """Return the message of an error, with the file that the system names."""
    if isinstance(error, OSError) and error.strerror:
        told = f"{os.fsdecode(error.filename)}: {error.strerror}" if error.filename else error.strerror
        return f"{told}; make room, then try again" if error.errno == errno.ENOSPC else told
    return str(error)


def note(message: str) -> None:
    """Print a line on stderr."""
    from pmbf.cli.shown.safe import one_message

    print(f"pmbf: {one_message(message)}", file=sys.stderr, flush=True)


def note_if_possible(message: str) -> None:
    """Print a line on stderr; if stderr cannot be written, then only the exit code remains."""
    try:
        note(message)
    except OSError:
        send_nowhere(sys.stderr)


def note_kernels() -> None:
    """Say that NumPy runs instead of the native kernels, unless the user chose NumPy."""
    from pmbf import kernels

    if kernels.NATIVE_MISSING:
        note(f"running on NumPy, some 3 times slower: {kernels.NATIVE_MISSING}")


def end_of_comparison(*, found: bool, problems: Sequence[str], n_compared: int, told: str) -> int:
    """Return the exit code of a comparison of texts; if there are fewer than two, then `told` says what it needs."""
    if found:
        return FOUND
    if n_compared < 2 and not problems:
        note(f"nothing was compared: {told}")
    return FAILED if problems or n_compared < 2 else DONE


def print_text(text: str) -> None:
    """Print a result whose foreign characters were already made harmless."""
    sys.stdout.write(text)


def print_json(values: Any) -> None:
    """Print a result as one line of JSON, in UTF-8 whatever the encoding of the terminal."""
    from pmbf.cli.shown.safe import json_line

    print_bytes(json_line(values))


def print_bytes(line: bytes) -> None:
    """Print a result that is UTF-8 whatever the encoding of the terminal, made harmless before."""
    sys.stdout.flush()
    sys.stdout.buffer.write(line)
