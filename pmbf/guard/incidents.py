"""A log of incidents: one line of JSON for each finding, appended; never text of payload or document."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from pmbf.base.errors import UnsupportedError
from pmbf.guard.types import Finding, Verdict


def append_incidents(path: str | os.PathLike[str], verdict: Verdict, *, channel: str, collection: str) -> int:
    """Append the findings of a verdict to a log, and return their number.

    The lines of one check stay together, and are on disk when this returns. Only its owner may read a new log. The log
    is opened also without findings, so that a log that cannot be written is noticed before the first finding.

    Args:
        path: The log; a line of JSON for each incident.
        verdict: Of a check.
        channel: The way of the payloads, as in `Plan`.
        collection: Path of the protected documents.
    """
    lines = "".join(json.dumps(one) + "\n" for one in _incidents(verdict, channel, collection)).encode()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnsupportedError(f"{os.fspath(path)}: not a regular file, expected a log of incidents")
        if lines:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            _write(descriptor, lines)
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return lines.count(b"\n")


def _write(descriptor: int, lines: bytes) -> None:
    """Write all lines or none: if the disk is full, then the written part is removed."""
    start = os.fstat(descriptor).st_size
    remaining = memoryview(lines)
    try:
        while remaining:
            remaining = remaining[os.write(descriptor, remaining) :]
    except OSError:
        os.ftruncate(descriptor, start)
        raise


def _incidents(verdict: Verdict, channel: str, collection: str) -> Iterator[dict[str, Any]]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    for finding in verdict.findings:
        yield {"id": secrets.token_hex(8), "time": now, "channel": channel, "policy": verdict.policy} | _told(
            finding, collection
        )


def _told(finding: Finding, collection: str) -> dict[str, Any]:
    payload = finding.payload
    return {
        "action": finding.action,
        "allowed_by": finding.allowed_by,
        "collection": collection,
        "document_id": finding.document_id,
        "document_path": finding.document_path,
        "name": payload.name,
        "paths": list(payload.paths),
        "blob": payload.blob,
        "commit": payload.commit,
        "n_chars": finding.n_chars,
        "n_chars_in_all": finding.n_chars_in_all,
        "share_of_document": finding.share_of_document,
        "share_of_payload": finding.share_of_payload,
        "fingerprints": [one.fingerprint for one in finding.snippets],
        "parts": sorted({one.part for one in finding.snippets if one.part}),
    }
