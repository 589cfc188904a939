"""Payloads, findings and verdicts of a leak check: plain, frozen data.

Payload      something that wants to leave: a file, a blob of git, a message, standard input
Finding      a payload and a protected document that share text, and the policy's action
 └ Snippet   one passage of the finding: its span in the payload's text, its length, its fingerprint
Judged       a payload that was looked at, with its findings
Verdict      of all payloads together
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pmbf.base.errors import BLOCKED, DONE, FAILED
from pmbf.base.span import Span
from pmbf.guard.policy import Shows
from pmbf.report.as_json import AsJson, made, plain

Where = Literal["path", "stdin", "index", "commit", "names"]
Action = Literal["block", "warn", "allowed", "trace"]


@dataclass(frozen=True, slots=True)
class Payload:
    """Something that wants to leave.

    Args:
        name: Its name in messages.
        paths: Its paths, as the user or git names them; several if git stores equal contents once. The message of a
            commit or a tag has none, and a list of names has none.
        content: Its bytes; None if they cannot be looked at, for the reason in `problem`.
        where: The kind of place that it comes from.
        blob: The name of its object in git, or empty.
        commit: The name of the first commit that brings it, or empty.
        problem: Why its content cannot be looked at, or empty.
    """

    name: str
    paths: tuple[str, ...]
    content: bytes | None
    where: Where
    blob: str = ""
    commit: str = ""
    problem: str = ""

    @property
    def is_message(self) -> bool:
        """Whether the payload is no file but the message of a commit or a tag, or a list of names."""
        return not self.paths

    def bare(self) -> Payload:
        """Return the payload without its content, which may be large."""
        return replace(self, content=None)


_TOLD = ("name", "paths", "where", "blob", "commit")
"""What a finding says of its payload in JSON."""
_NOTHING = Payload("", (), None, "path")


@dataclass(frozen=True, slots=True)
class Snippet(AsJson):
    """A passage of a finding.

    Args:
        span: Its span in the payload's extracted text, in code points.
        lines: Its first and last line in that text, from 1; if it stands in a document inside the payload, in the text
            of this document.
        n_chars: Its letters and digits, after folding.
        fingerprint: Its fingerprint under the key of the baseline or the collection; independent of place and layout.
        text: The passage.
        allowed_by: `baseline` or `inline` if the passage is allowed, else empty.
        part: The document inside the payload that holds the passage, such as `report.zip!/inner.docx`, or empty.
    """

    span: Span
    lines: tuple[int, int]
    n_chars: int
    fingerprint: str
    text: str
    allowed_by: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(AsJson):
    """A payload and a protected document that share text.

    Args:
        document_id: The protected document's id in its collection; 0 if the checker has no ids.
        document_path: The protected document's path, or its opaque id; empty if the policy withholds it.
        action: The policy's action: `block`, `warn`, or `allowed` if it would be one of these without the allowed
            passages; until all payloads are known also `trace`: too little by itself.
        allowed_by: What allows the allowed passages: `baseline`, `inline`, or both with a comma; or empty.
        n_chars: Letters and digits of the payload, after folding, in passages that are not allowed.
        n_chars_in_all: If the action follows from all payloads together: their letters and digits of the document,
            equal passages counted once; else 0.
        share_of_document: Share of the protected document's characters in these passages, 0 to 1; None if the checker
            does not have the document.
        share_of_payload: Share of the payload's letters and digits in these passages, 0 to 1.
        is_plain: Whether the payload is plain text, so that lines and spans are those of the file.
        same_file: Whether the payload is the protected document itself, byte for byte, and neither holds text. Then it
            has one snippet, without text; its fingerprint is that of the checksum.
        snippets: The passages, in the payload's order.
        payload: The payload, without its content.
    """

    document_id: int
    document_path: str
    action: Action
    allowed_by: str = ""
    n_chars: int
    n_chars_in_all: int = 0
    share_of_document: float | None
    share_of_payload: float
    is_plain: bool
    same_file: bool = False
    snippets: tuple[Snippet, ...]
    payload: Payload = field(default=_NOTHING, compare=False)

    def to_dict(self, *, redact: bool = False) -> dict[str, Any]:
        """Return the finding as JSON-ready values, behind those of its payload; without any text if `redact` is true.

        The snippets are called `evidence`.
        """
        own: dict[str, Any] = plain(self)
        evidence = own.pop("snippets")
        for one in evidence if redact else ():
            del one["text"]
        return {name: plain(getattr(self.payload, name)) for name in _TOLD} | own | {"evidence": evidence}

    @property
    def source(self) -> str:
        """The name of the protected document, as far as the policy allows."""
        if self.document_path:
            return self.document_path
        return f"document {self.document_id}" if self.document_id else "a protected document"

    def withheld(self, shows: Shows) -> Finding:
        """Return the finding with the protected document named only as far as `shows` allows."""
        if shows == "never":
            return replace(self, document_id=0, document_path="")
        # A checker without ids names its documents by opaque ids, which may be shown.
        return replace(self, document_path="") if shows == "resolve" and self.document_id else self


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(AsJson):
    """A payload that was looked at. Its JSON, which the service sends to who asks, names no payload and has all texts.

    Args:
        n_bytes: Bytes of the content that was looked at.
        is_text: Whether the content holds text at all.
        problems: Parts of the content that were not read or not compared, each with the reason.
        uncompared: Protected documents that the payload could not be compared with, each with the reason.
        findings: The findings, the worst first; traces last.
        warnings: Which files of the collection are damaged that the answer did not need, each with the way out.
        payload: The payload, without its content.
    """

    n_bytes: int
    is_text: bool
    problems: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()
    payload: Payload = field(default=_NOTHING, compare=False)

    @staticmethod
    def from_dict(values: Any, payload: Payload) -> Judged:
        """Return a payload, without its content, with the judgement that `to_dict` made JSON-ready.

        Raises:
            TypeError, ValueError: The values are none that `to_dict` makes.
        """
        read: Judged = made(Judged, values)
        findings = tuple(replace(one, payload=payload) for one in read.findings)
        return replace(read, findings=findings, payload=payload)


@dataclass(frozen=True, slots=True)
class NotChecked(AsJson):
    """A payload that was not, or not wholly, looked at.

    Args:
        name: The payload's name in messages.
        reason: Why the payload was not looked at.
        withheld_reason: The reason without names of protected documents, if `reason` names some; not in JSON.
    """

    name: str
    reason: str
    withheld_reason: str = field(default="", compare=False)

    def withheld(self) -> NotChecked:
        """Return the payload with a reason that names no protected document."""
        return NotChecked(self.name, self.withheld_reason or self.reason)


@dataclass(frozen=True, slots=True)
class Extent(AsJson):
    """How much a check looked at.

    Args:
        n_files: Files whose bytes were looked at; equal contents in git count once.
        n_messages: Messages of commits and tags; names of paths, branches and tags do not count.
        n_bytes: Bytes of files and messages.
        n_not_text: Files that hold no text: pictures, programs and other binary files.
        n_empty: Files of 0 bytes.
        n_excluded: Paths that the policy leaves out.
        n_submodules: Submodules; their contents belong to other repositories.
    """

    n_files: int = 0
    n_messages: int = 0
    n_bytes: int = 0
    n_not_text: int = 0
    n_empty: int = 0
    n_excluded: int = 0
    n_submodules: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of one check.

    Args:
        action: `block` if a finding or an incomplete payload blocks; else `warn` or `clean`.
        findings: The findings in the order of the payloads, for each payload the worst first.
        counts: How much was looked at.
        not_text: Names of the payloads that hold no text.
        incomplete: Payloads that were not, or not wholly, looked at.
        incomplete_blocks: Whether these payloads block.
        policy: The policy's name and digest.
        message: The policy's message if the action is `block`; else empty.
        hint: What to do about a finding that blocks; else empty.
        warnings: Which files of the collection are damaged that the answer did not need, each with the way out.
    """

    action: Literal["clean", "warn", "block"]
    findings: tuple[Finding, ...]
    counts: Extent
    not_text: tuple[str, ...]
    incomplete: tuple[NotChecked, ...]
    incomplete_blocks: bool
    policy: str
    message: str = ""
    hint: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 if the payloads may leave, 1 if a finding blocks, 3 if only incomplete payloads block."""
        if any(finding.action == "block" for finding in self.findings):
            return BLOCKED
        return FAILED if self.action == "block" else DONE

    def hinted(self, ways: Iterable[str]) -> Verdict:
        """Return the verdict with what to do about a finding that blocks.

        Args:
            ways: How a passage is allowed; read only if a finding blocks.
        """
        if self.exit_code != BLOCKED:
            return self
        told = ", or ".join(ways) or ("" if self.message else "ask who keeps the policy")
        n_passages = sum(len(one.snippets) for one in self.findings if one.action == "block")
        remove, they = ("remove the passages", "they") if n_passages > 1 else ("remove the passage", "it")
        return replace(self, hint=f"{remove}." + (f" If {they} may be published: {told}" if told else ""))

    def withheld(self, shows: Shows) -> Verdict:
        """Return the verdict with protected documents named only as far as `shows` allows."""
        if shows == "always":
            return self
        findings = tuple(finding.withheld(shows) for finding in self.findings)
        return replace(self, findings=findings, incomplete=tuple(one.withheld() for one in self.incomplete))

    def to_dict(self, *, redact: bool = False) -> dict[str, Any]:
        """Return the verdict as JSON-ready values, without any text if `redact` is true."""
        return {
            "action": self.action,
            "exit_code": self.exit_code,
            **self.counts.to_dict(),
            "not_text": list(self.not_text),
            "incomplete": plain(self.incomplete),
            "policy": self.policy,
            "message": self.message,
            "hint": self.hint,
            "findings": [finding.to_dict(redact=redact) for finding in self.findings],
            "warnings": list(self.warnings),
        }
