"""`pmbf guard`: checks payloads for protected text. Words that name no sub-command belong to `check`."""

from __future__ import annotations

from typing import Any

from pmbf.cli.guard.arguments import taking
from pmbf.cli.guard.baseline import of_baseline
from pmbf.cli.guard.hooks import install, uninstall
from pmbf.cli.guard.options import BY_FIELD
from pmbf.cli.guard.resolve import resolve
from pmbf.cli.guard.run import run
from pmbf.cli.words import Group

EXAMPLES = """Examples:
  pmbf load secret/ -c protected.pmbf
  pmbf guard report.docx drafts/ -c protected.pmbf
  pdftotext offer.pdf - | pmbf guard - -c protected.pmbf
  pmbf guard --staged                     in a pre-commit hook
  pmbf guard --range origin/main..HEAD    in CI

Exit codes: 0 clean, or only warnings; 1 blocked; 2 wrong usage or policy;
3 an error, or blocked only because not everything could be checked"""


guard = Group(
    """Keep protected text from leaving: check files, standard input or what git is about to send.

    PATHs and options of `check` may follow `pmbf guard` directly; a file named like a command is ./NAME.
    """,
    EXAMPLES,
    usual="check",
)


@guard.command(EXAMPLES)
@taking(*BY_FIELD)
def check(**given: Any) -> int:
    """Check files, standard input, or what git is about to do (the command that may be left out)."""
    return run(given)


guard.commands |= {"resolve": resolve, "install": install, "uninstall": uninstall, "baseline": of_baseline}
