"""The log of a registry: a line of JSON for each question and answer, of us and by us. No text, no fingerprint, no name
of a document.

Each line has the SHA-256 of the line before. So nobody can change or delete a line in between without changing all
later lines. Who can write the file can still cut its end: keep the last line elsewhere if that matters.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pmbf.base.errors import CorruptError

_TAIL_BYTES = 1 << 16
NOTHING_BEFORE = "0" * 64
_TEXTS = ("time", "side", "partner", "event", "before")
"""What each line has, as texts."""


def write(path: Path, side: str, partner: str, event: str, **values: Any) -> None:
    """Add a line about another site: `site` if we were asked, `asker` if we asked.

    Numbers and words of the program alone.

    `OSError`: the disk is full; what was written of the line is taken back.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "r+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL_BYTES))
        last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
        told = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "side": side, "partner": partner}
        line = json.dumps(told | {"event": event} | values | {"before": _digest(last)}, ensure_ascii=False)
        encoded = line.encode() + b"\n"
        if file.write(encoded) != len(encoded):
            os.ftruncate(descriptor, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        os.fsync(descriptor)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines, oldest first; nothing if there is no log.

    `CorruptError`: a line was changed, or one is missing.
    """
    if not path.exists():
        return
    last = b""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            values = _read(line)
            if values is None or values["before"] != _digest(last):
                raise CorruptError(f"{path}: line {number} does not follow the line before: the log was changed")
            yield values
            last = line.rstrip(b"\n")


def units_today(path: Path) -> dict[str, int]:
    """Return how many units each partner has asked us for today (UTC), of a log that may be damaged."""
    today, found = time.strftime("%Y-%m-%d", time.gmtime()), dict[str, int]()
    try:
        for line in lines(path):
            if line["side"] == "site" and line["time"].startswith(today):
                found[line["partner"]] = found.get(line["partner"], 0) + line.get("n_units", 0)
    except CorruptError:
        pass  # `pmbf site log` says so
    return found


def _read(line: bytes) -> dict[str, Any] | None:
    """Return the values of a line, None if it is no line of a log."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or not all(isinstance(values.get(name), str) for name in _TEXTS):
        return None
    n_units = values.get("n_units", 0)
    return values if isinstance(n_units, int) and not isinstance(n_units, bool) and n_units >= 0 else None


def _digest(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest() if line else NOTHING_BEFORE
