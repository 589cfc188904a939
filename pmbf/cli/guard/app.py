"""`pmbf guard`: checks payloads for protected text. Words that name no sub-command belong to `check`."""

from __future__ import annotations

from typing import Any

import typer

from pmbf.cli.groups import PmbfCommand, PmbfGroup
from pmbf.cli.guard.arguments import taking
from pmbf.cli.guard.baseline import app as baseline_app
from pmbf.cli.guard.hooks import INSTALL_CODES, UNINSTALL_CODES, install, uninstall
from pmbf.cli.guard.options import BY_FIELD
from pmbf.cli.guard.resolve import RESOLVE_HELP, resolve
from pmbf.cli.guard.run import run

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
@taking(*BY_FIELD)
def check(**given: Any) -> None:
    """Check files, standard input, or what git is about to do (the command that may be left out)."""
    raise typer.Exit(run(given))


app.add_typer(baseline_app, name="baseline")
app.command("resolve", cls=PmbfCommand, epilog=RESOLVE_HELP)(resolve)
app.command("install", cls=PmbfCommand, epilog=INSTALL_CODES)(install)
app.command("uninstall", cls=PmbfCommand, epilog=UNINSTALL_CODES)(uninstall)
