"""One leak check for every front end: a policy with the files that it names, from payloads to a verdict.

    Session.of(policy) ─► judged(payloads)   looked at in this process
                       ─► verdict(plan)   looked at here, or by another judge such as the service

The command line, the service and its working processes make sessions. Only a session knows which checker a policy needs
and which passages the policy allows. Heavy imports wait until a text is looked at, since a hook may leave that to the
service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pmbf.base.contents import MAX_BYTES_HINT, read_bounded
from pmbf.guard.baseline import Baseline, read_baseline
from pmbf.guard.policy import Policy
from pmbf.guard.types import Judged, Payload, Verdict
from pmbf.guard.verdict import verdict

if TYPE_CHECKING:
    from pmbf.guard.allowing import Allowances
    from pmbf.guard.checker import Checker
    from pmbf.guard.sources import Plan

Named = tuple[str, bytes]
"""A file's name and its content."""
Judge = Callable[["Session", Iterable[Payload]], Iterator[Judged]]
"""Looks at payloads under a session, in order."""


@dataclass(frozen=True, slots=True)
class Session:
    """A policy, and the contents of the files that it names.

    Args:
        policy: What blocks; it names the protected documents.
        baseline: Passages that may leave, or None.
        ignored: Public files.
        to_others: Whether the verdict goes to others than the user who checks on this machine.
    """

    policy: Policy
    baseline: Baseline | None = None
    ignored: tuple[Named, ...] = ()
    to_others: bool = False

    @staticmethod
    def of(policy: Policy, *, to_others: bool = False) -> Session:
        """Return the session of a policy, whose files are read now.

        Args:
            policy: What blocks.
            to_others: Whether the verdict goes to others than the user who checks on this machine.

        Raises:
            PmbfError, OSError: One of the files cannot be read.
        """
        baseline = read_baseline(policy.baseline) if policy.baseline else None
        ignored = tuple((name, read_bounded(name, policy.max_bytes, hint=MAX_BYTES_HINT)) for name in policy.ignore)
        return Session(policy, baseline, ignored, to_others)

    def under(self, baseline: Baseline | None) -> Session:
        """Return the session with another baseline, or with none."""
        return replace(self, baseline=baseline)

    def key(self) -> bytes:
        """Return the key of fingerprints: the baseline's key, else the key of the protected documents.

        Raises:
            PmbfError: The protected documents cannot be opened.
        """
        if self.baseline:
            return self.baseline.key
        with self.checker() as checker:
            return checker.key

    @contextmanager
    def checker(self) -> Iterator[Checker]:
        """Give the checker of the protected documents.

        Raises:
            PmbfError: The collection or the endpoint filter cannot be opened, or protects nothing.
        """
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
        """Return which passages may leave, and which texts are public.

        Args:
            key: The key of the protected documents; a baseline brings its own key.

        Raises:
            PmbfError: A public file cannot be read whole.
        """
        from pmbf.extract import Limits
        from pmbf.guard.allowing import Allowances
        from pmbf.guard.public import PublicText
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

        Raises:
            PmbfError: The protected documents or a public file cannot be read.
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
            plan: The payloads.
            judge: Looks at the payloads; None: this process does.
            on_progress: Called after each payload.

        Raises:
            PmbfError, OSError: The check could not answer.
        """
        looked_at = (judge or Session.judged)(self, plan.payloads)
        made = verdict(plan, self.policy, looked_at, on_progress)
        return made.withheld(self.policy.shows(to_others=self.to_others))
