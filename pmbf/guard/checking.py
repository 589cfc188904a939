"""One check: payloads in, a verdict out.

payloads ─► read ─► texts ─► checker ─► reports ─► findings under the policy ─► Verdict
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from pmbf.errors import IncompleteError
from pmbf.extract import Limits
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import Checker
from pmbf.guard.judging import findings
from pmbf.guard.policy import Policy
from pmbf.guard.reading import ReadPayload, read
from pmbf.guard.sources import Planned
from pmbf.guard.types import Counts, Finding, Unread, Verdict
from pmbf.report import Report
from pmbf.screen import Text


@dataclass(slots=True)
class _Tally:
    """What was met so far."""

    counts: Counts
    not_text: list[str] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)

    def note(self, payload: ReadPayload) -> None:
        counts = self.counts
        looked_at = not (payload.problems and not payload.n_bytes)
        self.counts = replace(
            counts,
            n_files=counts.n_files + (looked_at and not payload.payload.is_message),
            n_messages=counts.n_messages + (looked_at and payload.payload.is_message),
            n_bytes=counts.n_bytes + payload.n_bytes,
            n_not_text=counts.n_not_text + (not payload.is_text),
        )
        self.unread += [Unread(payload.payload.name, problem) for problem in payload.problems]
        if not payload.is_text:
            self.not_text.append(payload.payload.name)


def check(
    planned: Planned,
    policy: Policy,
    checker: Checker,
    allowances: Allowances,
    *,
    on_progress: Callable[[], None] = lambda: None,
) -> Verdict:
    """Return whether payloads may leave.

    Args:
        planned: What wants to.
        policy: What blocks.
        checker: Who knows the protected documents.
        allowances: What may leave all the same.
        on_progress: Called when a payload was read.

    Raises:
        IncompleteError: Files were named and not one could be looked at.
        PmbfError: Whatever kept the checker from answering.
    """
    tally = _Tally(Counts(n_excluded=planned.n_excluded, n_submodules=planned.n_submodules), unread=[*planned.unread])
    waiting: deque[ReadPayload] = deque()
    found: list[Finding] = []
    for report in checker.check(_texts(planned, policy, tally, waiting, on_progress)):
        payload = waiting.popleft()
        found += findings(payload, report, policy, allowances)
        tally.unread += [Unread(payload.payload.name, problem) for problem in _problems(report)]
    if planned.asked and not tally.counts.n_files:
        raise IncompleteError(_nothing(planned, tally))
    return _verdict(policy, tally, found)


def _texts(
    planned: Planned, policy: Policy, tally: _Tally, waiting: deque[ReadPayload], on_progress: Callable[[], None]
) -> Iterator[Text]:
    """Yield what is to be compared; what was read for it waits for the answer."""
    limits = Limits(max_bytes=policy.max_bytes, timeout_s=policy.timeout_s)
    for payload in planned.payloads:
        one = read(payload, limits)
        tally.note(one)
        on_progress()
        if one.text.text:
            waiting.append(one)
            yield one.text


def _problems(report: Report) -> Iterator[str]:
    """Yield what kept an answer from being complete."""
    yield from report.problems
    for match in report.matches:
        if match.problem:
            yield f"not compared with {match.document.path}: {match.problem}"


def _nothing(planned: Planned, tally: _Tally) -> str:
    why = [f"{one.name}: {one.reason.removeprefix(one.name + ': ')}" for one in tally.unread[:3]]
    if planned.n_excluded:
        why.append(f"{planned.n_excluded} excluded by the policy")
    return f"nothing was checked: {'; '.join(why) or 'there are no files'}"


def _verdict(policy: Policy, tally: _Tally, found: list[Finding]) -> Verdict:
    actions: set[str] = {one.action for one in found}
    blocks = bool(tally.unread) and policy.on_incomplete == "block"
    if tally.not_text and policy.on_not_text != "pass":
        actions.add(policy.on_not_text)
    if tally.unread:
        actions.add(policy.on_incomplete)
    return Verdict(
        action="block" if "block" in actions else "warn" if "warn" in actions else "clean",
        findings=tuple(found),
        counts=tally.counts,
        not_text=tuple(tally.not_text),
        incomplete=tuple(tally.unread),
        incomplete_blocks=blocks,
        policy=f"{policy.name} {policy.digest()}",
    )
