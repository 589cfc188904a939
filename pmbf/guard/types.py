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
    """Something that wants to leave."""

    name: str
    paths: tuple[str, ...]
    """As the user or git names them; several if git stores equal contents once; none of a message or of names."""
    content: bytes | None
    """None if it cannot be looked at, for the reason in `problem`."""
    where: Where
    blob: str = ""
    """The name of its object in git."""
    commit: str = ""
    """The first one that brings it."""
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
    """A passage of a finding."""

    span: Span
    """In the payload's extracted text, in code points."""
    lines: tuple[int, int]
    """The first and the last, from 1, in this text, or in that of `part`."""
    n_chars: int
    """Letters and digits, after folding."""
    fingerprint: str
    """Under the key of the baseline or the collection; independent of place and layout."""
    text: str
    allowed_by: str = ""
    """`baseline`, `inline`, or empty."""
    part: str = ""
    """The document inside the payload that holds the passage, such as `report.zip!/inner.docx`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(AsJson):
    """A payload and a protected document that share text."""

    document_id: int
    """0 if the checker has no ids."""
    document_path: str
    """Or its opaque id; empty if the policy withholds it."""
    action: Action
    """`allowed`: it would be `block` or `warn` without the allowed passages.
    `trace`, only until all payloads are known: too little by itself."""
    allowed_by: str = ""
    """`baseline`, `inline`, or both with a comma."""
    n_chars: int
    """Letters and digits of the payload, after folding, in passages that are not allowed."""
    n_chars_in_all: int = 0
    """If the action follows from all payloads together: their letters and digits of the document, each passage once."""
    share_of_document: float | None
    """Of the protected document's characters, in these passages, 0 to 1; None if the checker does not have it."""
    share_of_payload: float
    """Of the payload's letters and digits."""
    is_plain: bool
    """Whether the payload is plain text, so that lines and spans are those of the file."""
    same_file: bool = False
    """Whether the payload is the protected document itself, byte for byte, and neither holds text. Then it has one
    snippet, without text; its fingerprint is that of the checksum."""
    snippets: tuple[Snippet, ...]
    """In the payload's order."""
    payload: Payload = field(default=_NOTHING, compare=False)
    """Without its content."""

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
    """A payload that was looked at. Its JSON, which a service sends to who asks, names no payload and has all texts."""

    n_bytes: int
    is_text: bool
    """Whether the content holds text at all."""
    problems: tuple[str, ...] = ()
    """Parts of the content that were not read or not compared, each with the reason."""
    uncompared: tuple[str, ...] = ()
    """Protected documents that the payload could not be compared with, each with the reason."""
    findings: tuple[Finding, ...] = ()
    """The worst first; traces last."""
    warnings: tuple[str, ...] = ()
    """Which files of the collection are damaged that the answer did not need, each with the way out."""
    payload: Payload = field(default=_NOTHING, compare=False)
    """Without its content."""

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
    """A payload that was not, or not wholly, looked at."""

    name: str
    reason: str
    withheld_reason: str = field(default="", compare=False)
    """The reason without names of protected documents, if `reason` names some; not in JSON."""

    def withheld(self) -> NotChecked:
        """Return the payload with a reason that names no protected document."""
        return NotChecked(self.name, self.withheld_reason or self.reason)


@dataclass(frozen=True, slots=True)
class Extent(AsJson):
    """How much a check looked at."""

    n_files: int = 0
    """Equal contents in git count once."""
    n_messages: int = 0
    """Of commits and tags; names of paths, branches and tags do not count."""
    n_bytes: int = 0
    n_not_text: int = 0
    n_empty: int = 0
    n_excluded: int = 0
    n_submodules: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of one check."""

    action: Literal["clean", "warn", "block"]
    """`block` if a finding or an incomplete payload blocks."""
    findings: tuple[Finding, ...]
    """In the order of the payloads, of each payload the worst first."""
    counts: Extent
    not_text: tuple[str, ...]
    """Names of the payloads that hold no text: pictures, programs and other binary files."""
    incomplete: tuple[NotChecked, ...]
    incomplete_blocks: bool
    policy: str
    """Its name and digest."""
    message: str = ""
    """The policy's, if the action is `block`."""
    hint: str = ""
    """What to do about a finding that blocks."""
    warnings: tuple[str, ...] = ()
    """As in `Judged`."""

    @property
    def exit_code(self) -> int:
        """0 if the payloads may leave, 1 if a finding blocks, 3 if only incomplete payloads block."""
        if any(finding.action == "block" for finding in self.findings):
            return BLOCKED
        return FAILED if self.action == "block" else DONE

    def hinted(self, ways: Iterable[str]) -> Verdict:
        """Return the verdict with what to do about a finding that blocks; how it is allowed is read only then."""
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
