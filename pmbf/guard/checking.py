"""Payloads in, judged payloads out; `Session.verdict` adds them up.

payloads ─► read ─► texts ─► checker ─► reports ─► findings under the policy ─► Judged
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pmbf.base.errors import PmbfError, unexamined
from pmbf.extract import Limits
from pmbf.guard.allowing import Allowances
from pmbf.guard.checker import Checker
from pmbf.guard.judging import findings
from pmbf.guard.pieces import compared
from pmbf.guard.policy import Policy
from pmbf.guard.reading import ReadPayload, read
from pmbf.guard.types import Finding, Judged, Payload
from pmbf.intake.texts import Text
from pmbf.report import Report
from pmbf.screen.answering import not_compared


def judged(payloads: Iterable[Payload], policy: Policy, checker: Checker, allowances: Allowances) -> Iterator[Judged]:
    """Yield each payload with its findings, in order.

    An error of pmbf at one payload is that payload's problem: the others are judged all the same.

    Raises:
        PmbfError: The checker could not answer.
    """
    reading = _Reading(payloads, policy)
    while not reading.is_over:
        try:
            for report in compared(checker, reading.texts()):
                yield from reading.without_text()
                yield _found(reading.waiting.popleft(), report, policy, allowances)
        except (PmbfError, OSError):
            raise
        except Exception:
            if reading.failed:
                raise
            yield from _one_by_one(reading, policy, checker, allowances)
        yield from reading.without_text()


class _Reading:
    """Reads payloads; each waits for its report.

    Attributes:
        waiting: The payloads that were read and have no report yet, in order.
        is_over: Whether all payloads were read.
        failed: Whether the next payload could not be had at all.
    """

    def __init__(self, payloads: Iterable[Payload], policy: Policy) -> None:
        self._payloads = iter(payloads)
        self._limits = Limits(max_bytes=policy.max_bytes, timeout_s=policy.timeout_s)
        self.waiting: deque[ReadPayload] = deque()
        self.is_over = self.failed = False

    def texts(self) -> Iterator[Text]:
        """Yield the texts to compare."""
        self.failed = True
        for payload in self._payloads:
            self.failed = False
            one = _read(payload, self._limits)
            del payload  # its bytes: the text is another
            self.waiting.append(one)
            if _is_compared(one.text):
                yield one.text
            self.failed = True
        self.failed, self.is_over = False, True

    def without_text(self) -> Iterator[Judged]:
        """Yield the payloads at the head of the queue that are not compared, and so wait for no report."""
        while self.waiting and not _is_compared(self.waiting[0].text):
            yield _judged(self.waiting.popleft())


def _read(payload: Payload, limits: Limits) -> ReadPayload:
    """Return a payload as it was read; what goes wrong is its problem."""
    try:
        return read(payload, limits)
    except Exception as error:
        return ReadPayload.without_text(payload, unexamined(error))


def _one_by_one(reading: _Reading, policy: Policy, checker: Checker, allowances: Allowances) -> Iterator[Judged]:
    """Yield the payloads that wait, each compared alone: one of them ended the comparison of several together."""
    while reading.waiting:
        one = reading.waiting.popleft()
        if not _is_compared(one.text):
            yield _judged(one)
            continue
        try:
            [report] = compared(checker, [one.text])
        except (PmbfError, OSError):
            raise
        except Exception as error:
            yield _judged(one, [unexamined(error)])
        else:
            yield _found(one, report, policy, allowances)


def _found(read: ReadPayload, report: Report, policy: Policy, allowances: Allowances) -> Judged:
    """Return a payload with the findings of its report."""
    uncompared = tuple(not_compared(report.matches))
    problems = [one for one in report.problems if one not in uncompared]
    try:
        found = findings(read, report, policy, allowances)
        return replace(_judged(read, problems, uncompared, found), warnings=report.warnings)
    except PmbfError:
        raise
    except Exception as error:
        return _judged(read, [*problems, unexamined(error)], uncompared)


def _is_compared(text: Text) -> bool:
    """Return whether there is something to compare: text, or the checksum of a file without text."""
    return bool(text.content or text.sha256)


def _judged(
    read: ReadPayload, problems: Iterable[str] = (), uncompared: tuple[str, ...] = (), found: Iterable[Finding] = ()
) -> Judged:
    return Judged(
        n_bytes=read.n_bytes,
        is_text=read.is_text,
        problems=(*read.problems, *problems),
        uncompared=uncompared,
        findings=tuple(found),
        payload=read.payload,
    )
