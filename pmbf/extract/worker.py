"""The reading process: takes documents from standard input, writes texts to standard output, until its input ends.

`pool` starts it. Before it parses a document it limits itself: memory, processor time, no file may grow, few files may
be open, no core dumps. If hostile bytes break a parser, then only this process ends.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pmbf.base.errors import IncompleteError, PmbfError, UnsupportedError
from pmbf.extract.limits import Limits, over_text
from pmbf.extract.reading import Reading, read
from pmbf.jobs import frames

try:
    import resource
except ImportError:  # Windows has none: the clock is the only limit there
    resource = None  # type: ignore[assignment]

MAX_OPEN_FILES = 64
CPU_GRACE_S = 2


def main() -> None:
    """Answer requests until standard input ends."""
    source, sink = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):  # prints of a library must not stand among the answers
        os.dup2(nowhere, fd)
    sys.dont_write_bytecode = True
    _limit_for_good()
    frames.send(sink, {"ready": True})
    while request := frames.receive(source):
        header, raw = request
        limits = Limits(**header["limits"])
        _limit_for(limits)
        frames.send(sink, *answer(raw, header["kind"], limits, header["unseen"]))
        del request, raw  # the process may wait for long


def answer(raw: bytes, kind: str, limits: Limits, unseen: bool = False) -> frames.Frame:
    """Return the frame that answers one request: the text with its problems, or an error. Never raises."""
    reading = Reading(limits, unseen=unseen)
    try:
        whole, parts = reading.finished(well_formed(read(raw, kind, reading)))
        text = whole.encode()
        if len(text) > limits.max_text_bytes:
            raise IncompleteError(over_text(limits))
        told = [[one.start, one.stop, one.path] for one in parts]
        return {"problems": reading.problems, "notes": reading.notes, "parts": told}, text
    except UnsupportedError as error:
        return {"unsupported": str(error), "missing_extra": error.missing_extra}, b""
    except PmbfError as error:
        return {"incomplete": str(error)}, b""
    except MemoryError:
        message = f"needs more than {limits.memory_bytes} bytes of memory (memory_bytes)"
        return {"incomplete": message, "is_worn": True}, b""


def well_formed(text: str) -> str:
    """Return text whose surrogate pairs are characters; surrogates alone become U+FFFD, one for one.

    >>> well_formed("\\ud83d\\ude00 \\ud83d")
    '😀 \\ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _limit_for_good() -> None:
    if resource:
        _lower(resource.RLIMIT_CORE, 0)
        _lower(resource.RLIMIT_FSIZE, 0)
        _lower(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)


def _limit_for(limits: Limits) -> None:
    """Limit the memory and time of one document, on top of those that this process has used."""
    if resource:
        used = resource.getrusage(resource.RUSAGE_SELF)
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + limits.timeout_s) + CPU_GRACE_S, soft=True)
        _lower(resource.RLIMIT_AS, _address_space_bytes() + limits.memory_bytes, soft=True)


def _lower(which: int, limit: int, *, soft: bool = False) -> None:
    """Set a soft limit, never above the inherited one. It can be set anew for the next document."""
    hard = resource.getrlimit(which)[1]
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    try:
        resource.setrlimit(which, (limit, hard if soft else limit))
    except (OSError, ValueError):  # macOS knows RLIMIT_AS but does not keep it
        return


def _address_space_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 30
