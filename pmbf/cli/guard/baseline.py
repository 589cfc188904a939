"""`pmbf guard baseline`: update, audit and add to the list of passages that may leave."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pmbf.base.errors import DONE, IncompleteError, ParameterError
from pmbf.cli.guard import arguments as arg
from pmbf.cli.guard.arguments import taking
from pmbf.cli.guard.options import OF_ADDING
from pmbf.cli.outcome import note, print_json, print_text
from pmbf.cli.words import CommandGroup

if TYPE_CHECKING:
    from pmbf.guard.baseline import Baseline
    from pmbf.guard.types import Verdict

FILE_NAME = ".pmbf-baseline.json"

of_baseline = CommandGroup("Passages that may leave: a file of fingerprints, which tells nothing about the texts.")
CODES = "Exit codes: 0 done; 2 wrong usage or policy; 3 an error, or not everything could be checked"


@of_baseline.command(
    f"""Examples:
  pmbf guard baseline add --staged -c protected.pmbf
  pmbf guard baseline add report.docx -c protected.pmbf

{CODES}""",
)
@taking(*OF_ADDING)
def add(file: arg.BaselineFile = None, **scope: Any) -> None:
    """Allow the passages found now as well, and name the baseline in .pmbf.toml: the next check lets them through."""
    from pmbf.cli.shown.figures import counted, shown_path
    from pmbf.guard.baseline import Baseline, read_baseline, write_baseline

    check = _BaselineCheck(file, scope, by_owner=True)
    before = read_baseline(check.file) if os.path.lexists(check.file) else Baseline(check.session.key())
    found = _found(check.verdict(before, of_all=False))
    after = before.renewed(found | before.notes.keys())
    write_baseline(check.file, after)
    added = counted(len(after.notes) - len(before.notes), "passage")
    note(f"{shown_path(check.file)}: {added} added; write behind each why it may leave")
    if check.switch:
        _name_in_policy(check.policy_file, check.file)
        note(f"{shown_path(str(check.policy_file))}: names the baseline now")


@of_baseline.command(
    f"""Examples:
  pmbf guard baseline update . -c protected.pmbf
  pmbf guard baseline update --range v1..HEAD -c protected.pmbf

Then write behind each fingerprint why it may leave, and name a new file as
`baseline` in the policy.

{CODES}""",
)
@taking(*arg.SCOPE)
def update(file: arg.BaselineFile = None, **scope: Any) -> None:
    """Allow every passage that is found now, and no other; notes stay. The baseline is made if there is none."""
    from pmbf.cli.shown.figures import counted
    from pmbf.guard.baseline import Baseline, read_baseline, write_baseline

    check = _BaselineCheck(file, scope)
    is_new = not os.path.lexists(check.file)
    before = Baseline(check.session.key()) if is_new else read_baseline(check.file)
    after = before.renewed(_found(check.verdict(None if is_new else before)))
    write_baseline(check.file, after)
    if is_new:
        note(f"{check.file}: {counted(len(after.notes), 'passage')} in it; write behind each why it may leave")
        if check.switch:
            note(check.switch)
        return
    n_new, n_gone = len(after.notes.keys() - before.notes.keys()), len(before.notes.keys() - after.notes.keys())
    note(f"{check.file}: {n_new} new, {n_gone} gone, {len(after.notes) - n_new} kept")


@of_baseline.command(CODES)
@taking(*arg.SCOPE, "redact", "json")
def audit(file: arg.BaselineFile = None, *, redact: bool | None = None, json: bool = False, **scope: Any) -> int:
    """Show each allowed passage: where it is found, its text, and why it may leave."""
    from pmbf.cli.guard.checks import is_redacted
    from pmbf.cli.shown.guard import audit_text
    from pmbf.guard.baseline import audited, read_baseline

    check = _BaselineCheck(file, scope)
    baseline = read_baseline(check.file)
    entries = audited(baseline, check.verdict(baseline))
    hidden = is_redacted(redact)
    if json:
        print_json([entry.to_dict(redact=hidden) for entry in entries])
    else:
        print_text(audit_text(entries, redact=hidden))
    return DONE


class _BaselineCheck:
    """The check behind a command of a baseline; the policy's own baseline does not hold in it.

    Args:
        file: The baseline; None: the policy names it.
        given: Values of the fields in `SCOPE` or `OF_ADDING`.
        by_owner: Whether the payloads are the user's own.
    """

    def __init__(self, file: str | None, given: Mapping[str, Any], *, by_owner: bool = False) -> None:
        from pmbf.cli.guard.checks import Check
        from pmbf.guard.session import Session

        self._check = Check.of(given, by_owner=by_owner)
        self.file = file or self._check.policy.baseline or str(self._check.folder / FILE_NAME)
        self.session = Session.of(replace(self._check.policy, baseline=""), to_others=self._check.to_others)

    @property
    def switch(self) -> str:
        """How the user makes the baseline count; empty if the policy names it."""
        from pmbf.guard.config import OWN_FILE

        counts = self._check.policy.baseline
        if counts and os.path.realpath(counts) == os.path.realpath(self.file):
            return ""
        folder = self._check.folder
        policy, named = os.path.relpath(folder / OWN_FILE), os.path.relpath(self.file, folder)
        return f'to make it count, write baseline = "{named}" below [guard] in {policy}, or add --baseline {self.file}'

    @property
    def policy_file(self) -> Path:
        """The file of the user's own part of the policy."""
        from pmbf.guard.config import CONFIG_VARIABLE, OWN_FILE

        named = self._check.chosen.config_file or os.environ.get(CONFIG_VARIABLE)
        return Path(named) if named else self._check.folder / OWN_FILE

    def verdict(self, baseline: Baseline | None, *, of_all: bool = True) -> Verdict:
        """Return the verdict under a baseline's key.

        Args:
            baseline: It allows nothing here; None: the verdict is under the collection's key.
            of_all: Whether everything must have been checked; IncompleteError if it was not.
        """
        from pmbf.guard.baseline import Baseline

        session = self.session.under(Baseline(baseline.key)) if baseline else self.session
        verdict, _ = self._check.verdict(session)
        if verdict.incomplete and of_all:
            first = verdict.incomplete[0]
            raise IncompleteError(f"{first.name}: {first.reason}; a baseline of less than everything would mislead")
        return verdict


def _found(verdict: Verdict) -> set[str]:
    return {one.fingerprint for finding in verdict.findings for one in finding.snippets if not one.allowed_by}


def _name_in_policy(policy: Path, baseline: str) -> None:
    """Write into a policy's file, made if there is none, which baseline counts; every other line of it stays.

    Raises:
        ParameterError: The file is a link, or the line cannot be added to it as it is.
    """
    import json
    import tomllib

    from pmbf.guard.config import PROJECT_FILE

    table = "tool.pmbf.guard" if policy.name == PROJECT_FILE else "guard"
    line = f"baseline = {json.dumps(os.path.relpath(baseline, policy.parent), ensure_ascii=False)}"
    before = policy.read_text(encoding="utf-8") if policy.exists() else ""
    head = re.compile(rf"^\[{re.escape(table)}\][^\n]*\n?", re.MULTILINE)
    if policy.is_symlink():  # its author may be another, and lead elsewhere
        raise ParameterError(f"{policy}: is a link; write {line} below [{table}] in it")
    if found := head.search(before):
        start = found.group().rstrip("\n") + "\n"
        after = f"{before[: found.start()]}{start}{line}\n{before[found.end() :]}"
    else:
        after = f"{before}{'' if not before or before.endswith(chr(10)) else chr(10)}[{table}]\n{line}\n"
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        raise ParameterError(f"{policy}: cannot be added to; write {line} below [{table}] in it") from None
    policy.write_text(after, encoding="utf-8")
