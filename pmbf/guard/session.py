"""One leak check for every front end: a policy with the files that it names, from payloads to a verdict.

    Session.of(policy) ─► judged(payloads)   looked at in this process
                       ─► verdict(plan)   looked at here, or by another judge such as the service

The command line, the service and its working processes make sessions. Only a session knows which checker a policy needs
and which passages the policy allows. Heavy imports wait until a text is looked at, since a hook may leave that to the
service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pmbf.base.contents import MAX_BYTES_HINT, read_bounded
from pmbf.base.errors import IncompleteError
from pmbf.guard.baseline import Baseline, read_baseline
from pmbf.guard.policy import Policy
from pmbf.guard.types import Extent, Finding, Judged, NotChecked, Payload, Verdict

if TYPE_CHECKING:
    from pmbf.guard.allowing import Allowances
    from pmbf.guard.checker import Checker
    from pmbf.guard.sources import Plan

Named = tuple[str, bytes]
"""A file's name and its content."""
Judge = Callable[["Session", Iterable[Payload]], Iterator[Judged]]
"""Looks at payloads under a session, in order."""


UNCOMPARED = "not compared with some protected documents, whose texts cannot be read"


@dataclass(frozen=True, slots=True)
class Session:
    """A policy, and the contents of the files that it names."""

    policy: Policy
    baseline: Baseline | None = None
    ignored: tuple[Named, ...] = ()
    to_others: bool = False
    """Whether the verdict goes to others than the user who checks on this machine."""

    @staticmethod
    def of(policy: Policy, *, to_others: bool = False) -> Session:
        """Return the session of a policy, whose files are read now."""
        baseline = read_baseline(policy.baseline) if policy.baseline else None
        ignored = tuple((name, read_bounded(name, policy.max_bytes, hint=MAX_BYTES_HINT)) for name in policy.ignore)
        return Session(policy, baseline, ignored, to_others)

    def under(self, baseline: Baseline | None) -> Session:
        """Return the session with another baseline, or with none."""
        return replace(self, baseline=baseline)

    def key(self) -> bytes:
        """Return the key of fingerprints: the baseline's key, else the key of the protected documents."""
        if self.baseline:
            return self.baseline.key
        with self.checker() as checker:
            return checker.key

    @contextmanager
    def checker(self) -> Iterator[Checker]:
        """Give the checker of the protected documents; PmbfError if they cannot be opened, or there are none."""
        policy = self.policy
        if policy.endpoint:
            from pmbf.guard.endpoint import EndpointChecker, open_endpoint
            from pmbf.store.sitekey import read_key

            key = read_key(policy.key_file)
            yield EndpointChecker(open_endpoint(policy.endpoint, key), key, min_chars=policy.min_chars)
            return
        from pmbf.guard.checker import CollectionChecker, open_named

        with open_named(policy) as collection:
            yield CollectionChecker.under(policy, collection)

    def allowances(self, key: bytes) -> Allowances:
        """Return which passages may leave, and which texts are public; PmbfError if one of these cannot be read whole.

        Args:
            key: The key of the protected documents; a baseline brings its own key.
        """
        from pmbf.extract import Limits
        from pmbf.guard.allowing import Allowances, PublicText
        from pmbf.intake.texts import Origin, read_whole

        policy, baseline = self.policy, self.baseline or Baseline(key)
        limits = Limits(max_bytes=policy.max_bytes, timeout_s=policy.timeout_s)
        texts = tuple(read_whole(Origin(name, content), limits) for name, content in self.ignored)
        public = PublicText(texts, policy.allow_licences)
        return Allowances(baseline.key, frozenset(baseline.notes), policy.allow_inline, public)

    def judged(self, payloads: Iterable[Payload], checker: Checker | None = None) -> Iterator[Judged]:
        """Yield payloads with their findings, in order, looked at in this process.

        Args:
            payloads: Payloads with their contents.
            checker: The checker, if the protected documents are open already.
        """
        from pmbf.guard.checking import judged

        if checker is None:
            with self.checker() as opened:
                yield from self.judged(payloads, opened)
        else:
            yield from judged(payloads, self.policy, checker, self.allowances(checker.key))

    def verdict(
        self, plan: Plan, judge: Judge | None = None, on_progress: Callable[[], None] = lambda: None
    ) -> Verdict:
        """Return whether payloads may leave; protected documents are named as far as the policy allows.

        Args:
            judge: Looks at the payloads; None: this process does.
            on_progress: Called after each payload.
        """
        looked_at = (judge or Session.judged)(self, plan.payloads)
        made = verdict(plan, self.policy, looked_at, on_progress)
        return made.withheld(self.policy.shows(to_others=self.to_others))


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
