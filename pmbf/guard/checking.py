"""One check: payloads in, a verdict out.

payloads ─► read ─► texts ─► checker ─► reports ─► findings under the policy ─► Judged ─► Verdict
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from pmbf.extract import Limits
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import Checker
from pmbf.guard.judging import findings
from pmbf.guard.policy import Policy
from pmbf.guard.reading import ReadPayload, read
from pmbf.guard.sources import Plan
from pmbf.guard.types import Finding, Judged, Payload, Verdict
from pmbf.guard.verdict import verdict
from pmbf.intake.texts import Text
from pmbf.screen.answering import not_compared


def check(
    plan: Plan,
    policy: Policy,
    checker: Checker,
    allowances: Allowances,
    *,
    on_progress: Callable[[], None] = lambda: None,
) -> Verdict:
    """Return whether payloads may leave.

    Args:
        plan: The payloads.
        policy: What blocks.
        checker: Compares them with the protected documents.
        allowances: Passages that may leave.
        on_progress: Called after each payload.

    Raises:
        IncompleteError: Files were named, and none of them could be looked at.
        PmbfError: The checker could not answer.
    """
    return verdict(plan, policy, judged(plan.payloads, policy, checker, allowances), on_progress)


def judged(payloads: Iterable[Payload], policy: Policy, checker: Checker, allowances: Allowances) -> Iterator[Judged]:
    """Yield each payload with its findings, in order; arguments and errors as for `check`."""
    waiting: deque[ReadPayload] = deque()
    for report in checker.check(_texts(payloads, policy, waiting)):
        yield from _without_text(waiting)
        payload = waiting.popleft()
        uncompared = tuple(not_compared(report.matches))
        problems = [one for one in report.problems if one not in uncompared]
        yield _judged(payload, problems, uncompared, findings(payload, report, policy, allowances))
    yield from _without_text(waiting)


def _texts(payloads: Iterable[Payload], policy: Policy, waiting: deque[ReadPayload]) -> Iterator[Text]:
    """Yield the texts to compare; each payload that was read waits for its report."""
    limits = Limits(max_bytes=policy.max_bytes, timeout_s=policy.timeout_s)
    for payload in payloads:
        one = read(payload, limits)
        waiting.append(one)
        if _is_compared(one.text):
            yield one.text


def _without_text(waiting: deque[ReadPayload]) -> Iterator[Judged]:
    """Yield the payloads at the head of a queue that are not compared, and so wait for no report."""
    while waiting and not _is_compared(waiting[0].text):
        yield _judged(waiting.popleft(), (), (), ())


def _is_compared(text: Text) -> bool:
    """Return whether there is something to compare: text, or the checksum of a file without text."""
    return bool(text.content or text.sha256)


def _judged(
    read: ReadPayload, problems: Iterable[str], uncompared: tuple[str, ...], found: Iterable[Finding]
) -> Judged:
    return Judged(read.payload, read.n_bytes, read.is_text, (*read.problems, *problems), uncompared, tuple(found))
