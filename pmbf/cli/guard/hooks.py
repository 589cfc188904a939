"""`pmbf guard install` and `uninstall`: the check as a hook of git."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from pmbf.base.errors import DONE, FAILED, ParameterError
from pmbf.cli.guard import arguments as arg
from pmbf.cli.guard.options import BY_FIELD
from pmbf.cli.outcome import note, print_text
from pmbf.cli.words import explained

INSTALL_CODES = "Exit codes: 0 done; 2 wrong usage; 3 an error, or another hook is there already"
UNINSTALL_CODES = "Exit codes: 0 done; 2 wrong usage; 3 an error"


@explained(INSTALL_CODES)
@arg.taking("collection", "policy_file", "config_file")
def install(
    which: arg.Hooks = None,
    **options: str | None,
) -> int:
    """Make the hooks of this repository run the check: of commits, their messages and pushes.

    An existing hook is never changed: the lines to add to it are printed instead. Options given here are written
    into the hook; everything else comes from the policy. In a bare repository the hook for received packs is made.
    """
    from pmbf.guard import hooks
    from pmbf.guard.git import Repository
    from pmbf.guard.policy import is_address

    repository = Repository()
    usual = ("pre-receive",) if repository.is_bare else hooks.USUAL
    kinds = _named(which) or usual
    given = ((BY_FIELD[field].names[0], path) for field, path in options.items() if path)
    words = [word for name, path in given for word in (name, path if is_address(path) else os.path.abspath(path))]
    made = hooks.install(repository.hooks_folder(), kinds, words)
    for hook in made:
        if hook.outcome == "foreign":
            note(f"{hook.path}: another hook is there, left alone; in a shell script, add below its first line:")
            print_text("".join(f"{line}\n" for line in hooks.lines_to_add(hook.kind, words)))
            sys.stdout.flush()
        else:
            note(f"{hook.path}: {hook.outcome}")
    return FAILED if any(hook.outcome == "foreign" for hook in made) else DONE


@explained(UNINSTALL_CODES)
def uninstall(which: arg.Hooks = None) -> None:
    """Remove the hooks that `pmbf guard install` made; other hooks stay."""
    from pmbf.guard import hooks
    from pmbf.guard.git import Repository

    repository = Repository()
    named = _named(which)
    for hook in hooks.uninstall(repository.hooks_folder(), named or tuple(hooks.ARGUMENTS)):
        if hook.outcome != "absent":
            note(f"{hook.path}: {'another hook, left alone' if hook.outcome == 'foreign' else hook.outcome}")


def _named(words: Sequence[str] | None) -> tuple[str, ...]:
    """Return the kinds of hooks that are named.

    Raises:
        ParameterError: A word names none.
    """
    for word in words or ():
        if word not in arg.HOOKS:
            raise ParameterError(f"{word!r} is no hook, expected one of {', '.join(arg.HOOKS)}")
    return tuple(kind for kind in arg.HOOKS if kind in (words or ()))
