"""What a leak check is given and what it answers: plain, frozen data.

Payload      something that wants to leave: a file, a blob of git, standard input
Finding      a payload and a protected document that share text, and what the policy makes of it
 └ Snippet   one passage of the finding: its span in the payload's text, its length, its fingerprint
Judged       a payload that was looked at, with its findings
Verdict      of all payloads together
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from pmbf.exit_codes import BLOCKED, DONE, FAILED
from pmbf.guard.policy import Shows
from pmbf.span import Span

Where = Literal["path", "stdin", "index", "commit", "names"]
Action = Literal["block", "warn", "allowed", "trace"]


@dataclass(frozen=True, slots=True)
class Payload:
    """Something that wants to leave.

    Args:
        name: What messages call it.
        paths: Where it stands, as the user or git names it; several where git stores equal contents once.
        content: Its bytes; None where there are none to look at, for the reason that `problem` gives.
        where: What kind of place it comes from.
        blob: Its object's name in git, or empty.
        commit: The name of the first commit that brings it, or empty.
        problem: Why it cannot be looked at, or empty.
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
        """Whether it is no file but the message of a commit or a tag, or names."""
        return not self.paths

    def bare(self) -> Payload:
        """Return the payload without its content, which may be large."""
        return replace(self, content=None)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage that stands in a protected document.

    Args:
        span: Where in the payload's extracted text, in code points.
        lines: First and last line of that text, from 1; of a document inside the payload, of its own text.
        n_chars: Letters and digits of it, after folding.
        fingerprint: Its content under the key of the baseline or the collection; says nothing about place or layout.
        text: The passage.
        allowed_by: `baseline` or `inline` where it is allowed, or empty.
        part: The document inside the payload that it stands in, such as `report.zip!/inner.docx`, or empty.
    """

    span: Span
    lines: tuple[int, int]
    n_chars: int
    fingerprint: str
    text: str
    allowed_by: str = ""
    part: str = ""

    def to_dict(self, *, redact: bool) -> dict[str, Any]:
        """Return the snippet as JSON-ready values, without the text where that is asked for."""
        values = asdict(self) | {"span": [self.span.start, self.span.stop], "lines": list(self.lines)}
        if redact:
            del values["text"]
        return values

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Snippet:
        """Return the snippet that `to_dict` made JSON-ready, with its text."""
        first, last = values["lines"]
        return Snippet(**values | {"span": Span(*values["span"]), "lines": (first, last)})


@dataclass(frozen=True, slots=True)
class Finding:
    """A payload and a protected document that share text.

    Args:
        payload: Which payload; its content is left out.
        is_plain: Whether the payload is its own text, so that lines and spans are the file's own.
        document_id: Of the protected document, in its collection; 0 where the checker does not have it.
        document_path: The path it is listed under, or its opaque id; empty where the policy keeps it back.
        snippets: The passages, in the payload's order.
        n_chars: Letters and digits of the payload, after folding, in passages that are not allowed.
        share_of_document: Of the protected document's characters, those that these passages show, 0 to 1; None where
            the checker does not have the document.
        share_of_payload: Of the payload's letters and digits, 0 to 1.
        action: What the policy says: `block`, `warn`, or `allowed` where it would be one of these otherwise; until all
            payloads are known also `trace`: too little by itself.
        allowed_by: Who allows what would count otherwise: `baseline`, `inline`, or both with a comma; or empty.
        n_chars_in_all: Where the action follows from all payloads together: what they have of the document, equal
            passages once; else 0.
    """

    payload: Payload
    is_plain: bool
    document_id: int
    document_path: str
    snippets: tuple[Snippet, ...]
    n_chars: int
    share_of_document: float | None
    share_of_payload: float
    action: Action
    allowed_by: str = ""
    n_chars_in_all: int = 0

    def to_dict(self, *, redact: bool = False) -> dict[str, Any]:
        """Return the finding as JSON-ready values, without any text where that is asked for."""
        payload = self.payload
        return {
            "name": payload.name,
            "paths": list(payload.paths),
            "where": payload.where,
            "blob": payload.blob,
            "commit": payload.commit,
            "document_id": self.document_id,
            "document_path": self.document_path,
            "action": self.action,
            "allowed_by": self.allowed_by,
            "n_chars": self.n_chars,
            "n_chars_in_all": self.n_chars_in_all,
            "share_of_document": self.share_of_document,
            "share_of_payload": self.share_of_payload,
            "is_plain": self.is_plain,
            "evidence": [one.to_dict(redact=redact) for one in self.snippets],
        }

    @property
    def source(self) -> str:
        """What names the protected document, as far as it may be named."""
        if self.document_path:
            return self.document_path
        return f"document {self.document_id}" if self.document_id else "a protected document"

    def withheld(self, shows: Shows) -> Finding:
        """Return the finding with the protected document named as far as that is allowed."""
        if shows == "never":
            return replace(self, document_id=0, document_path="")
        # A checker that has no ids calls its documents by opaque ones.
        return replace(self, document_path="") if shows == "resolve" and self.document_id else self

    @staticmethod
    def from_dict(values: dict[str, Any], payload: Payload) -> Finding:
        """Return the finding that `to_dict` made JSON-ready, with its texts, of a payload."""
        snippets = tuple(map(Snippet.from_dict, values["evidence"]))
        own = {name: value for name, value in values.items() if name not in _NOT_OF_A_FINDING}
        return Finding(payload=payload, snippets=snippets, **own)


_NOT_OF_A_FINDING = frozenset({"name", "paths", "where", "blob", "commit", "evidence"})
"""Keys of `Finding.to_dict` that are fields of its payload, and the key of its snippets."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A payload that was looked at.

    Args:
        payload: Without its content.
        n_bytes: Of the content that was looked at.
        is_text: Whether it holds text at all.
        problems: What was not read, or not compared.
        uncompared: Protected documents that it could not be compared with, and why.
        findings: What a policy makes of what it holds, the worst first; traces last.
    """

    payload: Payload
    n_bytes: int
    is_text: bool = True
    problems: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready values, texts included, without the payload."""
        return {
            "n_bytes": self.n_bytes,
            "is_text": self.is_text,
            "problems": list(self.problems),
            "uncompared": list(self.uncompared),
            "findings": [finding.to_dict() for finding in self.findings],
        }

    @staticmethod
    def from_dict(values: dict[str, Any], payload: Payload) -> Judged:
        """Return what `to_dict` made JSON-ready, of a payload without content."""
        return Judged(
            payload,
            values["n_bytes"],
            values["is_text"],
            tuple(values["problems"]),
            tuple(values["uncompared"]),
            tuple(Finding.from_dict(one, payload) for one in values["findings"]),
        )


@dataclass(frozen=True, slots=True)
class Unread:
    """A payload that was not, or not wholly, looked at.

    Args:
        name: What messages call it.
        reason: Why.
        withheld_reason: The same without naming protected documents, if `reason` names some.
    """

    name: str
    reason: str
    withheld_reason: str = ""

    def withheld(self) -> Unread:
        """Return it with a reason that names no protected document."""
        return Unread(self.name, self.withheld_reason or self.reason)


@dataclass(frozen=True, slots=True)
class Counts:
    """What a check looked at.

    Args:
        n_files: Files whose bytes were looked at; equal contents in git count once.
        n_messages: Messages of commits and tags that were; names of paths, branches and tags do not count.
        n_bytes: The bytes of both.
        n_not_text: Those of them that hold no text: pictures, programs and other binary files.
        n_empty: Those of the files that have 0 bytes.
        n_excluded: Paths that the policy leaves out.
        n_submodules: Submodules: their contents are another repository's.
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
        action: `block` where a finding blocks, or something incomplete does; else `warn` or `clean`.
        findings: In the order of the payloads, for each the worst first.
        counts: What was looked at.
        not_text: Names of the payloads that hold no text.
        incomplete: What was not, or not wholly, looked at.
        incomplete_blocks: Whether that blocks.
        policy: The policy's name and digest.
        message: What the policy says to who is blocked; empty where nobody is.
    """

    action: Literal["clean", "warn", "block"]
    findings: tuple[Finding, ...]
    counts: Counts
    not_text: tuple[str, ...]
    incomplete: tuple[Unread, ...]
    incomplete_blocks: bool
    policy: str
    message: str = ""

    @property
    def exit_code(self) -> int:
        """0 where it may leave, 1 where a finding blocks it, 3 where only something incomplete does."""
        if any(finding.action == "block" for finding in self.findings):
            return BLOCKED
        return FAILED if self.action == "block" else DONE

    def withheld(self, shows: Shows) -> Verdict:
        """Return the verdict with protected documents named as far as that is allowed."""
        if shows == "always":
            return self
        findings = tuple(finding.withheld(shows) for finding in self.findings)
        return replace(self, findings=findings, incomplete=tuple(one.withheld() for one in self.incomplete))

    def to_dict(self, *, redact: bool = False) -> dict[str, Any]:
        """Return the verdict as JSON-ready values, without any text where that is asked for."""
        return {
            "action": self.action,
            "exit_code": self.exit_code,
            **asdict(self.counts),
            "not_text": list(self.not_text),
            "incomplete": [{"name": one.name, "reason": one.reason} for one in self.incomplete],
            "policy": self.policy,
            "message": self.message,
            "findings": [finding.to_dict(redact=redact) for finding in self.findings],
        }
