"""`pmbf guard`: does what wants to leave hold protected text? Words that name no sub-command are what is checked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pmbf.cli import guard_arguments as arg
from pmbf.cli.guard_baseline import app as baseline_app
from pmbf.cli.guard_hooks import INSTALL_CODES, UNINSTALL_CODES, install, uninstall
from pmbf.cli.guard_resolve import RESOLVE_HELP, resolve
from pmbf.cli.outcome import DONE, PmbfCommand, PmbfGroup, note, print_json, print_text, reason
from pmbf.errors import ParameterError, PmbfError

if TYPE_CHECKING:
    from pmbf.guard.types import Verdict

CHECK = "check"


class GuardGroup(PmbfGroup):
    """A group whose first word may be left out: `pmbf guard FILE` is `pmbf guard check FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [CHECK, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=GuardGroup,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)

EXAMPLES = """Examples:
  pmbf load secret/ -c protected.pmbf
  pmbf guard report.docx drafts/ -c protected.pmbf
  pdftotext offer.pdf - | pmbf guard - -c protected.pmbf
  pmbf guard --staged                     in a pre-commit hook
  pmbf guard --range origin/main..HEAD    in CI

Exit codes: 0 clean, or only warnings; 1 blocked; 2 wrong usage or policy;
3 an error, or blocked only because not everything could be checked"""


@app.callback(epilog=EXAMPLES)
def _guard() -> None:
    """Keep protected text from leaving: check files, standard input or what git is about to send.

    PATHs and options of `check` may follow `pmbf guard` directly; a file named like a command is ./NAME.
    """


@app.command(CHECK, cls=PmbfCommand, epilog=EXAMPLES)
def check(
    paths: arg.Words = None,
    staged: arg.Staged = False,
    range_: arg.Range = None,
    pre_push: arg.PrePush = False,
    pre_receive: arg.PreReceive = False,
    collection: arg.CollectionFolder = None,
    endpoint: arg.Endpoint = None,
    key_file: arg.KeyFile = None,
    policy: arg.PolicyFile = None,
    config: arg.ConfigFile = None,
    block_chars: arg.BlockChars = None,
    warn_chars: arg.WarnChars = None,
    on_incomplete: arg.OnIncomplete = None,
    baseline: arg.Baseline = None,
    ignore: arg.Ignore = None,
    name: arg.Name = None,
    include: arg.Include = None,
    exclude: arg.Exclude = None,
    max_bytes: arg.MaxBytes = None,
    redact: arg.Redact = None,
    json: arg.Json = False,
    sarif: arg.Sarif = None,
    incidents: arg.Incidents = None,
    quiet: arg.Quiet = False,
) -> None:
    """Check files, standard input, or what git is about to do (the command that may be left out)."""
    from pmbf.cli.guard_checks import Asked, Check, allowances_of, is_redacted, values_given
    from pmbf.guard.config import Chosen

    values = values_given(
        collection=collection,
        endpoint=endpoint,
        key_file=key_file,
        block_chars=block_chars,
        warn_chars=warn_chars,
        on_incomplete=on_incomplete,
        baseline=baseline,
        ignore=ignore,
        include=include,
        exclude=exclude,
        max_bytes=max_bytes,
    )
    asked = Check.of(Asked(paths or (), staged, range_, pre_push, pre_receive, name), Chosen(policy, config, values))
    try:
        verdict, channel = asked.verdict(allowances_of(asked.policy))
    except (PmbfError, OSError) as error:
        if asked.policy.on_error == "block" or isinstance(error, ParameterError):
            raise
        note(f"guard: NOT CHECKED, and let through by the policy (on_error): {reason(error)}")
        raise typer.Exit(DONE) from None
    if incidents:
        from pmbf.guard.incidents import append_incidents

        append_incidents(incidents, verdict, channel=channel, collection=asked.policy.protected)
    _write(verdict, sarif, redact=is_redacted(redact), json=json, quiet=quiet)
    raise typer.Exit(verdict.exit_code)


def _write(verdict: Verdict, sarif: str | None, *, redact: bool, json: bool, quiet: bool) -> None:
    from pmbf.terminal.guard import findings_text, note_lines

    if sarif:
        _write_sarif(verdict, sarif)
    if json:
        print_json(verdict.to_dict(redact=redact))
    elif not quiet and sarif != "-":
        print_text(findings_text(verdict, redact=redact))
    sys.stdout.flush()
    for line in note_lines(verdict):
        note(line)


def _write_sarif(verdict: Verdict, file: str) -> None:
    import json

    import pmbf
    from pmbf.guard.sarif import to_sarif

    values = to_sarif(verdict, pmbf.__version__)
    if file == "-":
        print_json(values)
    else:
        Path(file).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


app.add_typer(baseline_app, name="baseline")
app.command("resolve", cls=PmbfCommand, epilog=RESOLVE_HELP)(resolve)
app.command("install", cls=PmbfCommand, epilog=INSTALL_CODES)(install)
app.command("uninstall", cls=PmbfCommand, epilog=UNINSTALL_CODES)(uninstall)
