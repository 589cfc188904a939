"""From payloads that were looked at, wherever that was, to one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from pmbf.errors import IncompleteError
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Planned
from pmbf.guard.types import Counts, Finding, Judged, Unread, Verdict


@dataclass(slots=True)
class _Tally:
    """What was met so far."""

    counts: Counts
    not_text: list[str] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    found: list[Finding] = field(default_factory=list)

    def note(self, judged: Judged) -> None:
        counts, name = self.counts, judged.payload.name
        looked_at = not (judged.problems and not judged.n_bytes)
        self.counts = replace(
            counts,
            n_files=counts.n_files + (looked_at and not judged.payload.is_message),
            n_messages=counts.n_messages + (looked_at and judged.payload.is_message),
            n_bytes=counts.n_bytes + judged.n_bytes,
            n_not_text=counts.n_not_text + (not judged.is_text),
        )
        self.unread += [Unread(name, problem) for problem in judged.problems]
        self.found += judged.findings
        if not judged.is_text:
            self.not_text.append(name)


def verdict(
    planned: Planned,
    policy: Policy,
    judged: Iterable[Judged],
    on_progress: Callable[[], None] = lambda: None,
) -> Verdict:
    """Return whether payloads may leave.

    Args:
        planned: What wants to.
        policy: What blocks.
        judged: The plan's payloads as they were looked at, in order.
        on_progress: Called after each payload.

    Raises:
        IncompleteError: Files were named and not one could be looked at.
    """
    tally = _Tally(Counts(n_excluded=planned.n_excluded, n_submodules=planned.n_submodules), unread=[*planned.unread])
    for one in judged:
        tally.note(one)
        on_progress()
    if planned.asked and not tally.counts.n_files:
        raise IncompleteError(_nothing(planned, tally))
    return _verdict(policy, tally)


def _nothing(planned: Planned, tally: _Tally) -> str:
    why = [f"{one.name}: {one.reason.removeprefix(one.name + ': ')}" for one in tally.unread[:3]]
    if planned.n_excluded:
        why.append(f"{planned.n_excluded} excluded by the policy")
    return f"nothing was checked: {'; '.join(why) or 'there are no files'}"


def _verdict(policy: Policy, tally: _Tally) -> Verdict:
    actions: set[str] = {one.action for one in tally.found}
    if tally.not_text and policy.on_not_text != "pass":
        actions.add(policy.on_not_text)
    if tally.unread:
        actions.add(policy.on_incomplete)
    return Verdict(
        action="block" if "block" in actions else "warn" if "warn" in actions else "clean",
        findings=tuple(tally.found),
        counts=tally.counts,
        not_text=tuple(tally.not_text),
        incomplete=tuple(tally.unread),
        incomplete_blocks=bool(tally.unread) and policy.on_incomplete == "block",
        policy=f"{policy.name} {policy.digest()}",
    )
