"""`pmbf guard`: does what wants to leave hold protected text? Words that name no sub-command are what is checked."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pmbf.cli import guard_arguments as arg
from pmbf.cli.inputs import given, ignored_texts, limits
from pmbf.cli.outcome import DONE, PmbfCommand, PmbfGroup, note, print_json, print_text, reason
from pmbf.errors import ParameterError, PmbfError

if TYPE_CHECKING:
    from pmbf.guard.allowing import Allowances
    from pmbf.guard.git import Repository
    from pmbf.guard.policy import Policy
    from pmbf.guard.sources import Planned
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """What to check, as the command line says: one of them."""

    words: Sequence[str]
    staged: bool
    revisions: str | None
    pre_push: bool
    pre_receive: bool

    def __post_init__(self) -> None:
        ways = {
            "PATH": bool(self.words) and not self.pre_push,
            "--staged": self.staged,
            "--range": self.revisions is not None,
            "--pre-push": self.pre_push,
            "--pre-receive": self.pre_receive,
        }
        chosen = [name for name, is_given in ways.items() if is_given]
        if len(chosen) != 1:
            what = f"{' and '.join(chosen)} are given" if chosen else "nothing to check is named"
            raise ParameterError(f"{what}, expected one of: {', '.join(ways)}")

    @property
    def in_git(self) -> bool:
        return self.staged or self.revisions is not None or self.pre_push or self.pre_receive


@app.command(CHECK, cls=PmbfCommand, epilog=EXAMPLES)
def check(
    paths: arg.Words = None,
    staged: arg.Staged = False,
    range_: arg.Range = None,
    pre_push: arg.PrePush = False,
    pre_receive: arg.PreReceive = False,
    collection: arg.CollectionFolder = None,
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
    quiet: arg.Quiet = False,
) -> None:
    """Check files, standard input, or what git is about to do (the command that may be left out)."""
    from pmbf.guard.config import Chosen, command_line

    asked = _Asked(paths or (), staged, range_, pre_push, pre_receive)
    values = command_line(
        given(
            collection=collection,
            block_chars=block_chars,
            warn_chars=warn_chars,
            on_incomplete=on_incomplete,
            baseline=baseline,
            ignore=ignore,
            include=include,
            exclude=exclude,
            max_bytes=max_bytes,
        )
    )
    repository, folder = _place(asked)
    made = _policy(asked, folder, Chosen(policy, config, values))
    try:
        verdict = _checked(asked, made, repository, folder, name)
    except (PmbfError, OSError) as error:
        if made.on_error == "block" or isinstance(error, ParameterError):
            raise
        note(f"guard: NOT CHECKED, and let through by the policy (on_error): {reason(error)}")
        raise typer.Exit(DONE) from None
    _print(verdict, redact=bool(os.environ.get("CI")) if redact is None else redact, json=json, quiet=quiet)
    raise typer.Exit(verdict.exit_code)


def _place(asked: _Asked) -> tuple[Repository | None, Path]:
    """Return the repository, where git is asked, and the folder whose configuration and globs hold."""
    from pmbf.guard.config import project_folder

    if not asked.in_git:
        return None, project_folder(Path.cwd())
    from pmbf.guard.git import Repository

    repository = Repository()
    return repository, repository.top or Path.cwd()


def _policy(asked: _Asked, folder: Path, chosen: Any) -> Policy:
    from pmbf.guard.config import policy_for

    # What is pushed must not say how it is checked.
    policy = policy_for(None if asked.pre_receive else folder, chosen)
    if not policy.collection:
        raise ParameterError("no protected documents are named: add -c FOLDER, set PMBF_COLLECTION, or write a policy")
    return policy


def _checked(asked: _Asked, policy: Policy, repository: Repository | None, folder: Path, name: str | None) -> Verdict:
    from pmbf.collection import Collection
    from pmbf.guard.checker import CollectionChecker
    from pmbf.guard.checking import check as checked

    planned = _planned(asked, policy, repository, folder, name)
    public = ignored_texts(policy.ignore, limits(policy.max_bytes, policy.timeout_s))
    with Collection(policy.collection) as collection:
        checker = CollectionChecker(collection, min_chars=policy.min_chars, ignore=public)
        return checked(planned, policy, checker, _allowances(policy, checker.key))


def _allowances(policy: Policy, key: bytes) -> Allowances:
    from pmbf.guard.allowing import Allowances
    from pmbf.guard.baseline import Baseline, read_baseline

    baseline = read_baseline(policy.baseline) if policy.baseline else Baseline(key)
    return Allowances(baseline.key, frozenset(baseline.notes), inline=policy.allow_inline)


def _planned(asked: _Asked, policy: Policy, repository: Repository | None, folder: Path, name: str | None) -> Planned:
    from pmbf.guard import sources

    if repository is None:
        return sources.of_paths(asked.words, policy, folder, name or "stdin")
    if asked.staged:
        return sources.of_index(repository, policy)
    if asked.revisions is not None:
        from pmbf.guard.git import require_revision

        return sources.of_range(repository, require_revision(asked.revisions), policy)
    lines = sys.stdin.buffer.read().splitlines()
    if asked.pre_push:
        return sources.of_push(repository, lines, asked.words[0] if asked.words else "origin", policy)
    return sources.of_received(repository, lines, policy)


def _print(verdict: Verdict, *, redact: bool, json: bool, quiet: bool) -> None:
    from pmbf.terminal.guard import findings_text, note_lines

    if json:
        print_json(verdict.to_dict(redact=redact))
    elif not quiet:
        print_text(findings_text(verdict, redact=redact))
    sys.stdout.flush()
    for line in note_lines(verdict):
        note(line)
