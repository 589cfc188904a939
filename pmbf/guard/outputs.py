"""A verdict for others, never with any text: as SARIF 2.1.0, which code hosts show beside the lines; as lines of a log.

In SARIF each passage is one result with the passage's fingerprint, so that the alert stays the same if the passage
moves. In the log each finding is a line of JSON.

Source:
    OASIS SARIF 2.1.0; docs.github.com, "SARIF support for code scanning": 25,000 results a run, of which the gravest
    5,000 are shown, 1,000 locations each, 10 MB packed; what a rule must say.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any
from urllib.parse import quote_from_bytes

from pmbf.base.errors import UnsupportedError
from pmbf.guard.types import Finding, NotChecked, Payload, Snippet, Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS, MOST_LOCATIONS = 25_000, 1_000
MOST_LOCATIONS_IN_ALL = 100_000
"""Locations of one run: some 20 MB."""
LEAK, INCOMPLETE = "pmbf-guard/protected-text", "pmbf-guard/incomplete"
_LEVELS = {"block": "error", "warn": "warning", "allowed": "note"}  # a verdict has no traces
_GRAVEST_FIRST = ("error", "warning", "note")
_RULES = {
    LEAK: (
        "Text of a protected document",
        "A passage of a protected document is in something that is about to leave, or has left.",
        "Take the passage out. If it may leave, add its fingerprint to the baseline of `pmbf guard`, with a note why.",
    ),
    INCOMPLETE: (
        "Something could not be checked whole",
        "A payload that was not read whole may hold protected text: it is damaged, encrypted, too large, or absent.",
        "Send it in a form that can be read, or exclude it in the policy of `pmbf guard`.",
    ),
}
"""The short description of each rule, its full description, and what to do."""


def to_sarif(verdict: Verdict, version: str) -> dict[str, Any]:
    """Return a verdict as a SARIF log of a version of pmbf."""
    n_results = sum(len(finding.snippets) for finding in verdict.findings) + len(verdict.incomplete)
    n_locations = max(1, min(MOST_LOCATIONS, MOST_LOCATIONS_IN_ALL // max(1, n_results)))
    passages = (_passage(finding, one, n_locations) for finding in verdict.findings for one in finding.snippets)
    incomplete = (_incomplete(one, verdict.incomplete_blocks) for one in verdict.incomplete)
    results = sorted(chain(passages, incomplete), key=lambda result: _GRAVEST_FIRST.index(result["level"]))
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "pmbf guard", "version": version, "rules": _rules(verdict.message)}},
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The top of the repository"}}},
        "columnKind": "unicodeCodePoints",
        "results": results[:MOST_RESULTS],
        "invocations": [
            {
                "executionSuccessful": not verdict.incomplete,
                "exitCode": verdict.exit_code,
                "toolExecutionNotifications": _notifications(n_results),
            }
        ],
        "properties": {"policy": verdict.policy, "action": verdict.action},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(message: str) -> list[dict[str, Any]]:
    return [
        {
            "id": name,
            "shortDescription": {"text": short},
            "fullDescription": {"text": full},
            "help": {"text": f"{remedy} {message}".rstrip()},
            "defaultConfiguration": {"level": "error"},
        }
        for name, (short, full, remedy) in _RULES.items()
    ]


def _passage(finding: Finding, one: Snippet, n_locations: int) -> dict[str, Any]:
    action, name = "allowed" if one.allowed_by else finding.action, finding.document_id or finding.document_path
    source = _document(finding) + (f" in {one.part}" if one.part else "")
    shared = "the same file as" if finding.same_file else f"{one.n_chars} letters and digits of"
    result: dict[str, Any] = {
        "ruleId": LEAK,
        "level": _LEVELS[action],
        "message": {"text": f"{shared} {source}; fingerprint {one.fingerprint}"},
        "locations": _locations(finding.payload, one.lines if finding.is_plain and not one.part else None, n_locations),
        "partialFingerprints": {
            "pmbfPassage/v1": one.fingerprint,
            "primaryLocationLineHash": f"{one.fingerprint}:{name}" if name else one.fingerprint,
        },
        "properties": {
            "action": action,
            "shareOfDocument": finding.share_of_document,
            "shareOfPayload": finding.share_of_payload,
            "charsInAll": finding.n_chars_in_all,
        }
        | ({"commit": finding.payload.commit} if finding.payload.commit else {}),
    }
    if one.part:
        for location in result["locations"]:
            location["logicalLocations"] = [{"fullyQualifiedName": one.part, "kind": "resource"}]
    if one.allowed_by:
        kind = "inSource" if one.allowed_by == "inline" else "external"
        result["suppressions"] = [{"kind": kind, "justification": f"allowed by {one.allowed_by}"}]
    return result


def _document(finding: Finding) -> str:
    """Return the name of the protected document as far as the policy names it; an opaque id has no number beside it."""
    return finding.source + (
        f" (document {finding.document_id})" if finding.document_path and finding.document_id else ""
    )


def _locations(payload: Payload, lines: tuple[int, int] | None, n_locations: int) -> list[dict[str, Any]]:
    """Return a location for each of the first paths; a message has no path, and is located by its commit."""
    region = {"region": {"startLine": lines[0], "endLine": lines[1]}} if lines else {}
    paths = payload.paths[:n_locations] or (f"commit/{payload.commit}",)
    return [{"physicalLocation": {"artifactLocation": _artifact(path), **region}} for path in paths]


def _artifact(path: str) -> dict[str, str]:
    uri = quote_from_bytes(path.removeprefix("./").encode("utf-8", "surrogateescape"))
    return {"uri": f"file://{uri}"} if path.startswith("/") else {"uri": uri, "uriBaseId": "%SRCROOT%"}


def _incomplete(one: NotChecked, blocks: bool) -> dict[str, Any]:
    return {
        "ruleId": INCOMPLETE,
        "level": "error" if blocks else "warning",
        "message": {"text": one.reason},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(one.name)}}],
    }


def _notifications(n_results: int) -> list[dict[str, Any]]:
    if n_results <= MOST_RESULTS:
        return []
    text = f"{n_results} results, the first {MOST_RESULTS} are listed; --json lists all"
    return [{"level": "warning", "message": {"text": text}}]


# ---------------------------------------------------------------------- incidents


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
