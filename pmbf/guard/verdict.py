"""From judged payloads to one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from pmbf.base.errors import IncompleteError
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Plan
from pmbf.guard.types import Extent, Finding, Judged, NotChecked, Payload, Verdict

UNCOMPARED = "not compared with some protected documents, whose texts cannot be read"


@dataclass(slots=True)
class _Tally:
    """Counts and findings of the payloads so far."""

    counts: Extent
    not_text: list[str] = field(default_factory=list)
    unread: list[NotChecked] = field(default_factory=list)
    found: list[Finding] = field(default_factory=list)
    warnings: dict[str, None] = field(default_factory=dict)

    def note(self, judged: Judged) -> None:
        counts, name = self.counts, judged.payload.name
        looked_at = judged.payload.where != "names" and not (judged.problems and not judged.n_bytes)
        self.counts = replace(
            counts,
            n_files=counts.n_files + (looked_at and not judged.payload.is_message),
            n_messages=counts.n_messages + (looked_at and judged.payload.is_message),
            n_bytes=counts.n_bytes + looked_at * judged.n_bytes,
            n_not_text=counts.n_not_text + (not judged.is_text),
            n_empty=counts.n_empty + (looked_at and not judged.payload.is_message and not judged.n_bytes),
        )
        self.unread += [NotChecked(name, problem) for problem in judged.problems]
        self.unread += [NotChecked(name, problem, UNCOMPARED) for problem in judged.uncompared]
        self.found += judged.findings
        self.warnings |= dict.fromkeys(judged.warnings)
        if not judged.is_text:
            self.not_text.append(name)


def verdict(
    plan: Plan,
    policy: Policy,
    judged: Iterable[Judged],
    on_progress: Callable[[], None] = lambda: None,
) -> Verdict:
    """Return whether payloads may leave.

    Args:
        plan: The payloads, and what was left out.
        policy: What blocks.
        judged: The judged payloads of the plan, in order.
        on_progress: Called after each payload.

    Raises:
        IncompleteError: Files were named, and none of them could be looked at.
    """
    tally = _Tally(Extent(n_excluded=plan.n_excluded, n_submodules=plan.n_submodules), unread=[*plan.unread])
    for one in judged:
        tally.note(one)
        on_progress()
    if plan.is_named and not tally.counts.n_files:
        raise IncompleteError(_nothing(plan, tally))
    return _verdict(policy, tally)


def _nothing(plan: Plan, tally: _Tally) -> str:
    why = [f"{one.name}: {one.reason.removeprefix(one.name + ': ')}" for one in tally.unread[:3]]
    if plan.n_excluded:
        why.append(f"{plan.n_excluded} excluded by the policy")
    return f"nothing was checked: {'; '.join(why) or 'there are no files'}"


def together(found: Sequence[Finding], policy: Policy) -> list[Finding]:
    """Return findings without traces; traces and warnings of one document that are too much together are raised.

    A finding that blocks by itself does not count together with others; equal passages count once. The level for all
    payloads is at least the level for one payload, and off if that level is off.

    Args:
        found: The findings of all payloads, in order.
        policy: The levels.
    """
    spread: dict[tuple[int, str], _Spread] = {}
    for one in found:
        if one.action in ("warn", "trace"):
            spread.setdefault((one.document_id, one.document_path), _Spread()).note(one)
    raised = [_raised(one, spread.get((one.document_id, one.document_path)), policy) for one in found]
    return [one for one in raised if one.action != "trace"]


@dataclass(slots=True)
class _Spread:
    """The passages that several payloads have of one document; none of the payloads blocks by itself."""

    payloads: set[Payload] = field(default_factory=set)
    passages: dict[str, int] = field(default_factory=dict)

    def note(self, finding: Finding) -> None:
        own = {one.fingerprint: one.n_chars for one in finding.snippets if not one.allowed_by}
        if own:
            self.payloads.add(finding.payload)
            self.passages.update(own)

    @property
    def n_chars(self) -> int:
        return sum(self.passages.values()) if len(self.payloads) > 1 else 0


def _raised(finding: Finding, spread: _Spread | None, policy: Policy) -> Finding:
    """Return a finding with the action that it has together with the other findings of its document."""
    if spread is None or finding.payload not in spread.payloads:
        return finding
    if _reached(spread.n_chars, policy.block_total_chars, policy.block_chars):
        return replace(finding, action="block", n_chars_in_all=spread.n_chars)
    if finding.action == "trace" and _reached(spread.n_chars, policy.warn_total_chars, policy.warn_chars):
        return replace(finding, action="warn", n_chars_in_all=spread.n_chars)
    return finding


def _reached(n_chars: int, total: int | None, alone: int | None) -> bool:
    return total is not None and alone is not None and n_chars >= max(total, alone)


def _verdict(policy: Policy, tally: _Tally) -> Verdict:
    found = together(tally.found, policy)
    actions: set[str] = {one.action for one in found}
    if tally.not_text and policy.on_not_text != "pass":
        actions.add(policy.on_not_text)
    if tally.unread:
        actions.add(policy.on_incomplete)
    blocks = "block" in actions
    return Verdict(
        action="block" if blocks else "warn" if "warn" in actions else "clean",
        findings=tuple(found),
        counts=tally.counts,
        not_text=tuple(tally.not_text),
        incomplete=tuple(tally.unread),
        incomplete_blocks=bool(tally.unread) and policy.on_incomplete == "block",
        policy=f"{policy.name} {policy.digest()}",
        message=policy.message if blocks else "",
        warnings=tuple(tally.warnings),
    )
