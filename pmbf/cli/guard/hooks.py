"""`pmbf guard install` and `uninstall`: the check as a hook of git."""

from __future__ import annotations

import os
import sys

import typer

from pmbf.base.errors import DONE, FAILED
from pmbf.cli.guard import arguments as arg
from pmbf.cli.guard.options import BY_FIELD
from pmbf.cli.outcome import note, print_text

INSTALL_CODES = "Exit codes: 0 done; 2 wrong usage; 3 an error, or another hook is there already"
UNINSTALL_CODES = "Exit codes: 0 done; 2 wrong usage; 3 an error"


@arg.taking("collection", "policy_file", "config_file")
def install(
    pre_commit: arg.PreCommitHook = False,
    commit_msg: arg.CommitMsgHook = False,
    pre_push: arg.PrePushHook = False,
    pre_receive: arg.PreReceiveHook = False,
    **options: str | None,
) -> None:
    """Make the hooks of this repository run the check; without options those for commits, their messages and pushes.

    An existing hook is never changed: the lines to add to it are printed instead. Options given here are written
    into the hook; everything else comes from the policy. In a bare repository the hook for received packs is made.
    """
    from pmbf.guard import hooks
    from pmbf.guard.git import Repository

    repository = Repository()
    usual = ("pre-receive",) if repository.is_bare else hooks.USUAL
    kinds = _named(pre_commit, commit_msg, pre_push, pre_receive) or usual
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
    commit_msg: arg.CommitMsgHook = False,
    pre_push: arg.PrePushHook = False,
    pre_receive: arg.PreReceiveHook = False,
) -> None:
    """Remove the hooks that `pmbf guard install` made; other hooks stay."""
    from pmbf.guard import hooks
    from pmbf.guard.git import Repository

    repository = Repository()
    named = _named(pre_commit, commit_msg, pre_push, pre_receive)
    for hook in hooks.uninstall(repository.hooks_folder(), named or tuple(hooks.ARGUMENTS)):
        if hook.outcome != "absent":
            note(f"{hook.path}: {'another hook, left alone' if hook.outcome == 'foreign' else hook.outcome}")


def _named(*given: bool) -> tuple[str, ...]:
    """Return the kinds of hooks whose options are given, in the order of `hooks.ARGUMENTS`."""
    from pmbf.guard import hooks

    return tuple(kind for kind, is_given in zip(hooks.ARGUMENTS, given, strict=True) if is_given)
