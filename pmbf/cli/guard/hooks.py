"""`pmbf guard install` and `uninstall`: the check as a hook of git."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from pmbf.cli.guard import arguments as arg
from pmbf.cli.guard.options import BY_FIELD
from pmbf.cli.outcome import DONE, FAILED, note, print_text

if TYPE_CHECKING:
    from pmbf.guard.git import Repository


INSTALL_CODES = "Exit codes: 0 done; 2 wrong usage; 3 an error, or another hook is there already"
UNINSTALL_CODES = "Exit codes: 0 done; 2 wrong usage; 3 an error"


@arg.taking("collection", "policy_file", "config_file")
def install(
    pre_commit: arg.PreCommitHook = False,
    pre_push: arg.PrePushHook = False,
    pre_receive: arg.PreReceiveHook = False,
    **options: str | None,
) -> None:
    """Make the hooks of this repository run the check; without options those for commits and pushes.

    A hook that is there already is never changed: what to add to it is said instead. Options given here are written
    into the hook; everything else comes from the policy. In a bare repository the hook for received packs is made.
    """
    from pmbf.guard import hooks
    from pmbf.guard.git import Repository

    repository = Repository()
    kinds = _kinds(repository, pre_commit, pre_push, pre_receive)
    given = ((BY_FIELD[field].names[0], path) for field, path in options.items() if path)
    words = [word for name, path in given for word in (name, os.path.abspath(path))]
    made = hooks.install(repository.hooks_folder(), kinds, words)
    for hook in made:
        if hook.outcome == "foreign":
            note(f"{hook.path}: another hook is there, left alone; in a shell script, add below its first line:")
            print_text("".join(f"{line}\n" for line in hooks.lines_to_add(hook.kind, words)))
            sys.stdout.flush()
        else:
            note(f"{hook.path}: {hook.outcome}")
    raise typer.Exit(FAILED if any(hook.outcome == "foreign" for hook in made) else DONE)


def uninstall(
    pre_commit: arg.PreCommitHook = False,
    pre_push: arg.PrePushHook = False,
    pre_receive: arg.PreReceiveHook = False,
) -> None:
    """Take away the hooks that `pmbf guard install` made; others stay."""
    from pmbf.guard import hooks
    from pmbf.guard.git import Repository

    repository = Repository()
    chosen = _kinds(repository, pre_commit, pre_push, pre_receive, otherwise=tuple(hooks.ARGUMENTS))
    for hook in hooks.uninstall(repository.hooks_folder(), chosen):
        if hook.outcome != "absent":
            note(f"{hook.path}: {'another hook, left alone' if hook.outcome == 'foreign' else hook.outcome}")


def _kinds(
    repository: Repository,
    pre_commit: bool,
    pre_push: bool,
    pre_receive: bool,
    otherwise: tuple[str, ...] | None = None,
) -> list[str]:
    chosen = {"pre-commit": pre_commit, "pre-push": pre_push, "pre-receive": pre_receive}
    named = [kind for kind, is_given in chosen.items() if is_given]
    return named or list(otherwise or (("pre-receive",) if repository.is_bare else ("pre-commit", "pre-push")))
