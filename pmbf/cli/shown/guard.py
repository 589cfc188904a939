"""The output of a leak check: findings with their snippets, incomplete payloads, one line of totals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pmbf.cli.shown.figures import counted, percent, shown_path, size
from pmbf.cli.shown.safe import one_line, one_message
from pmbf.guard.baseline import Audited
from pmbf.guard.types import Finding, Snippet, Verdict

SHOWN_CHARS = 480
"""Characters of a passage that are shown."""
N_LISTED = 20
"""The most incomplete payloads that are listed."""
HEADS = {"block": "BLOCKED", "warn": "Warning"}


def findings_text(verdict: Verdict, *, redact: bool) -> str:
    """Return the findings that block or warn, worst first in each payload."""
    shown = [one for one in verdict.findings if one.action != "allowed"]
    return "".join(line + "\n" for finding in shown for line in _finding_lines(finding, redact))


def _finding_lines(finding: Finding, redact: bool) -> Iterator[str]:
    payload = finding.payload
    if finding.same_file:
        [one] = finding.snippets
        yield f"{HEADS[finding.action]}: {_places(finding)} is the same file as {shown_path(finding.source)}"
        yield f"  by checksum: neither holds text, fingerprint {one.fingerprint}{_allowed(one)}"
        return
    holds = "hold" if payload.where == "names" else "holds"
    yield f"{HEADS[finding.action]}: {_places(finding)} {holds} text of {shown_path(finding.source)}"
    share = finding.share_of_document
    of_document = "" if share is None else f"{percent(share)} of the document's, "
    yield (
        f"  {counted(finding.n_chars, 'letter')} and digits: {of_document}"
        f"{percent(finding.share_of_payload)} of the {'message' if payload.is_message else 'file'}'s"
    )
    if finding.n_chars_in_all:
        yield f"  all that is checked has {counted(finding.n_chars_in_all, 'letter')} and digits of this document"
    for one in finding.snippets:
        yield f"  {_heading(one, finding.is_plain)}"
        if not redact:
            yield f"    | {_shortened(one_line(one.text))}"


def _places(finding: Finding) -> str:
    payload = finding.payload
    shown = shown_path(payload.paths[0]) if payload.paths else one_message(payload.name)
    if len(payload.paths) > 1:
        shown += f" (also {', '.join(map(shown_path, payload.paths[1:4]))}{'…' if len(payload.paths) > 4 else ''})"
    return f"{shown} in commit {payload.commit[:12]}" if payload.commit and payload.paths else shown


def _heading(one: Snippet, is_plain: bool) -> str:
    first, last = one.lines
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    where = lines if is_plain and not one.part else f"{lines} of its text"
    if one.part:
        where = f"{shown_path(one.part)}, {where}"
    return f"{where}: {counted(one.n_chars, 'letter')} and digits, fingerprint {one.fingerprint}{_allowed(one)}"


def _allowed(one: Snippet) -> str:
    return f", allowed by {one.allowed_by}" if one.allowed_by else ""


def _shortened(text: str) -> str:
    if len(text) <= SHOWN_CHARS:
        return text
    half = SHOWN_CHARS // 2
    return f"{text[:half]} … {text[-half:]}"


def audit_text(entries: Sequence[Audited], *, redact: bool) -> str:
    """Return every entry of a baseline with its places and its note, then found passages that are not allowed."""
    return "".join(line + "\n" for entry in entries for line in _audit_lines(entry, redact))


def _audit_lines(entry: Audited, redact: bool) -> Iterator[str]:
    state = "allowed" if entry.is_allowed else "NOT ALLOWED"
    note = f": {one_line(entry.note)}" if entry.note else ", no note yet" if entry.is_allowed else ""
    yield f"{entry.fingerprint}  {state}{note}"
    if not entry.places:
        yield "  found no more: `pmbf guard baseline update` forgets it"
    for name, first, last, document in entry.places:
        yield f"  {shown_path(name)}, lines {first}-{last}, of {shown_path(document)}"
    if entry.text and not redact:
        yield f"    | {_shortened(one_line(entry.text))}"


def note_lines(verdict: Verdict) -> Iterator[str]:
    """Yield incomplete payloads, then what a blocked user can do, last the totals."""
    for warning in verdict.warnings[:N_LISTED]:
        yield f"warning: this check did not need a damaged file: {one_message(warning)}"
    for one in verdict.incomplete[:N_LISTED]:
        yield f"incomplete: {shown_path(one.name)}: {one_message(one.reason.removeprefix(one.name + ': '))}"
    if len(verdict.incomplete) > N_LISTED:
        yield f"… and {counted(len(verdict.incomplete) - N_LISTED, 'more problem')}; --json lists them all"
    if verdict.message:
        yield f"guard: {one_line(verdict.message)}"
    if verdict.hint:
        yield f"guard: {verdict.hint}"
    yield summary_line(verdict)


def summary_line(verdict: Verdict) -> str:
    """Return the totals in one line: checked, left out, and the verdict."""
    counts = verdict.counts
    messages = f" and {counted(counts.n_messages, 'message')}" if counts.n_messages else ""
    looked_at = f"{counted(counts.n_files, 'file')}{messages}, {size(counts.n_bytes)} checked"
    besides = [
        (counts.n_not_text, "not text"),
        (counts.n_empty, "empty"),
        (counts.n_excluded, "excluded"),
        (counts.n_submodules, "submodules not entered" if counts.n_submodules > 1 else "submodule not entered"),
        (len(verdict.incomplete), "incomplete"),
    ]
    left = "".join(f", {n:,} {what}" for n, what in besides if n)
    return f"guard: {looked_at}{left}: {_outcome(verdict)}"


def _outcome(verdict: Verdict) -> str:
    n_blocking = sum(one.action == "block" for one in verdict.findings)
    n_warning = sum(one.action == "warn" for one in verdict.findings)
    n_allowed = sum(one.action == "allowed" for one in verdict.findings)
    parts = []
    if n_blocking:
        parts.append(f"BLOCKED, {counted(n_blocking, 'finding')}")
    elif verdict.action == "block":
        parts.append("BLOCKED, since not everything could be checked")
    if n_warning:
        parts.append(counted(n_warning, "warning"))
    if n_allowed:
        parts.append(f"{n_allowed:,} allowed")
    if verdict.action == "warn" and not n_warning:
        parts.append("not everything could be checked")
    return ", ".join(parts) or "clean"
