"""The baseline: a file with the fingerprints of passages that may leave, sorted, one a line, so that changes merge.

    {
     "pmbf_baseline": 1,
     "key": "…",
     "allowed": {
      "0a6f8c08724bcee7a2cc": "quoted in the press release of May",
      …

The file has no text, place or time. Its key is the key of the collection from which the file was made. So the
fingerprints stay valid if the collection is made anew.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pmbf.base.contents import read_bounded
from pmbf.base.errors import CorruptError, NotFoundError, UnsupportedError
from pmbf.guard.types import Verdict
from pmbf.report.as_json import AsJson, plain

VERSION = 1
MOST_BYTES = 64 << 20
_FINGERPRINT = re.compile(r"[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class Baseline:
    """Passages that may leave.

    Args:
        key: The key of the fingerprints.
        notes: Why each passage may leave, by fingerprint; empty until somebody writes it.
    """

    key: bytes
    notes: Mapping[str, str] = field(default_factory=dict)

    def renewed(self, found: set[str]) -> Baseline:
        """Return the baseline of the fingerprints found now: notes stay, new fingerprints have none."""
        return Baseline(self.key, {one: self.notes.get(one, "") for one in sorted(found)})


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """Return the baseline that a file holds; CorruptError if it holds none, UnsupportedError if a newer one."""
    try:
        content = json.loads(read_bounded(path, MOST_BYTES, hint="no baseline is as large as that"))
    except NotFoundError:
        raise NotFoundError(f"{path}: no such baseline; `pmbf guard baseline update` makes one") from None
    except (ValueError, RecursionError) as error:
        raise CorruptError(f"{path}: is no baseline: {error}; take it from version control") from None
    version = content.get("pmbf_baseline") if isinstance(content, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise UnsupportedError(f"{path}: has version {version}, this pmbf reads up to {VERSION}; upgrade pmbf")
    if version != VERSION or not _is_whole(content):
        raise CorruptError(f"{path}: is no baseline, expected what `pmbf guard baseline update` writes")
    return Baseline(bytes.fromhex(content["key"]), content["allowed"])


def write_baseline(path: str | os.PathLike[str], baseline: Baseline) -> None:
    """Write a baseline; readers see the old file or the new file, never a part."""
    values = {"pmbf_baseline": VERSION, "key": baseline.key.hex(), "allowed": dict(sorted(baseline.notes.items()))}
    temporary = Path(path).with_name(f".{secrets.token_hex(8)}.tmp")  # beside files of the user
    try:
        with temporary.open("x", encoding="utf-8") as file:
            file.write(json.dumps(values, indent=1, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Audited(AsJson):
    """A passage that the baseline allows or that a check found, with every place where it is found.

    Args:
        fingerprint: Of the passage.
        note: Why it may leave, as written in the baseline.
        is_allowed: Whether the baseline has it.
        places: Payload's name, first and last line, and the protected document's path; empty if no check finds it now.
        text: The passage at the first of these places, or empty.
    """

    fingerprint: str
    note: str
    is_allowed: bool
    places: tuple[tuple[str, int, int, str], ...]
    text: str

    def to_dict(self, *, redact: bool = False) -> dict[str, Any]:
        """Return the entry as JSON-ready values, without the text if `redact` is true."""
        values: dict[str, Any] = plain(self)
        if redact:
            del values["text"]
        return values


def audited(baseline: Baseline, verdict: Verdict) -> list[Audited]:
    """Return every passage of a baseline and of a verdict under its key, allowed ones first, by fingerprint."""
    places: dict[str, list[tuple[str, int, int, str]]] = {one: [] for one in baseline.notes}
    texts: dict[str, str] = {}
    for finding in verdict.findings:
        for one in finding.snippets:
            place = (finding.payload.name, *one.lines, finding.source)
            places.setdefault(one.fingerprint, []).append(place)
            texts.setdefault(one.fingerprint, one.text)
    entries = [
        Audited(one, baseline.notes.get(one, ""), one in baseline.notes, tuple(found), texts.get(one, ""))
        for one, found in places.items()
    ]
    return sorted(entries, key=lambda entry: (not entry.is_allowed, entry.fingerprint))


def _is_whole(content: dict[str, Any]) -> bool:
    key, allowed = content.get("key"), content.get("allowed")
    return (
        isinstance(key, str)
        and bool(re.fullmatch(r"(?:[0-9a-f]{2}){16,64}", key))
        and isinstance(allowed, dict)
        and all(_FINGERPRINT.fullmatch(one) and isinstance(note, str) for one, note in allowed.items())
    )
