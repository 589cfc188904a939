"""`pmbf guard baseline`: the list of passages that may leave is made, looked through and renewed."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from pmbf.cli.groups import PmbfCommand, PmbfGroup
from pmbf.cli.guard import arguments as arg
from pmbf.cli.outcome import DONE, note, print_json, print_text
from pmbf.errors import IncompleteError, ParameterError

if TYPE_CHECKING:
    from pmbf.guard.baseline import Baseline
    from pmbf.guard.types import Verdict

FILE_NAME = ".pmbf-baseline.json"

app = typer.Typer(
    cls=PmbfGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
    help="Passages that may leave: a file of fingerprints, which tells nothing about the texts.",
)
CODES = "Exit codes: 0 done; 2 wrong usage or policy; 3 an error, or not everything could be checked"


@app.command(
    cls=PmbfCommand,
    epilog=f"""Examples:
  pmbf guard baseline create . -c protected.pmbf
  pmbf guard baseline create --range v1..HEAD -c protected.pmbf

Then write behind each fingerprint why it may leave, and name the file as
`baseline` in the policy.

{CODES}""",
)
def create(
    paths: arg.Words = None,
    staged: arg.Staged = False,
    range_: arg.Range = None,
    collection: arg.CollectionFolder = None,
    policy: arg.PolicyFile = None,
    config: arg.ConfigFile = None,
    file: arg.BaselineFile = None,
) -> None:
    """Allow every passage that is found now; refuses to touch a baseline that is there."""
    from pmbf.guard.baseline import Baseline, write_baseline
    from pmbf.terminal.figures import counted

    check = _Baselined(paths, staged, range_, collection, policy, config, file)
    if os.path.lexists(check.file):
        raise ParameterError(f"{check.file}: is there already; `pmbf guard baseline update` renews it")
    verdict = check.verdict(None)
    made = Baseline(check.session.key()).renewed(_found(verdict))
    write_baseline(check.file, made)
    note(f"{check.file}: {counted(len(made.notes), 'passage')} allowed from now on; write behind each why")


@app.command(cls=PmbfCommand, epilog=CODES)
def update(
    paths: arg.Words = None,
    staged: arg.Staged = False,
    range_: arg.Range = None,
    collection: arg.CollectionFolder = None,
    policy: arg.PolicyFile = None,
    config: arg.ConfigFile = None,
    file: arg.BaselineFile = None,
) -> None:
    """Allow what is found now, forget what is not found any more; notes stay."""
    from pmbf.guard.baseline import read_baseline, write_baseline

    check = _Baselined(paths, staged, range_, collection, policy, config, file)
    before = read_baseline(check.file)
    after = before.renewed(_found(check.verdict(before)))
    write_baseline(check.file, after)
    n_new, n_gone = len(after.notes.keys() - before.notes.keys()), len(before.notes.keys() - after.notes.keys())
    note(f"{check.file}: {n_new} new, {n_gone} gone, {len(after.notes) - n_new} kept")


@app.command(cls=PmbfCommand, epilog=CODES)
def audit(
    paths: arg.Words = None,
    staged: arg.Staged = False,
    range_: arg.Range = None,
    collection: arg.CollectionFolder = None,
    policy: arg.PolicyFile = None,
    config: arg.ConfigFile = None,
    file: arg.BaselineFile = None,
    redact: arg.Redact = None,
    json: arg.Json = False,
) -> None:
    """Show each allowed passage: where it is found, its text, and why it may leave."""
    from pmbf.cli.guard.checks import is_redacted
    from pmbf.guard.baseline import audited, read_baseline
    from pmbf.terminal.guard import audit_text

    check = _Baselined(paths, staged, range_, collection, policy, config, file)
    baseline = read_baseline(check.file)
    entries = audited(baseline, check.verdict(baseline))
    hidden = is_redacted(redact)
    if json:
        print_json([entry.to_dict(redact=hidden) for entry in entries])
    else:
        print_text(audit_text(entries, redact=hidden))
    raise typer.Exit(DONE)


class _Baselined:
    """A check whose baseline is made or looked through: the one of the policy does not hold meanwhile."""

    def __init__(
        self,
        paths: list[str] | None,
        staged: bool,
        revisions: str | None,
        collection: str | None,
        policy: str | None,
        config: str | None,
        file: str | None,
    ) -> None:
        from pmbf.cli.guard.checks import Asked, Check, values_given
        from pmbf.guard.config import Chosen
        from pmbf.guard.session import Session

        chosen = Chosen(policy, config, values_given(collection=collection))
        self._check = Check.of(Asked(paths or (), staged, revisions), chosen)
        self.file = file or self._check.policy.baseline or str(self._check.folder / FILE_NAME)
        self.session = Session.of(replace(self._check.policy, baseline=""))

    def verdict(self, baseline: Baseline | None) -> Verdict:
        """Return the verdict under a baseline's key, where it allows nothing; without one, under the collection's."""
        from pmbf.guard.baseline import Baseline

        session = self.session.under(Baseline(baseline.key)) if baseline else self.session
        verdict, _ = self._check.verdict(session)
        if verdict.incomplete:
            first = verdict.incomplete[0]
            raise IncompleteError(f"{first.name}: {first.reason}; a baseline of less than everything would mislead")
        return verdict


def _found(verdict: Verdict) -> set[str]:
    return {one.fingerprint for finding in verdict.findings for one in finding.evidence if not one.allowed_by}
