"""Git hooks that run the check; the hook of another program is never overwritten.

hooks/pre-commit    pmbf guard --staged
hooks/commit-msg    pmbf guard --commit-msg FILE
hooks/pre-push      pmbf guard --pre-push REMOTE URL
hooks/pre-receive   pmbf guard --pre-receive
"""

from __future__ import annotations

import itertools
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pmbf.base.contents import read_bounded
from pmbf.base.errors import PmbfError

ARGUMENTS = {
    "pre-commit": "--staged",
    "commit-msg": '--commit-msg "$1"',
    "pre-push": '--pre-push "$@"',
    "pre-receive": "--pre-receive",
}
"""The arguments of each kind of hook. git gives a commit-msg hook a file, a pre-push hook the remote's name and URL."""
USUAL = ("pre-commit", "commit-msg", "pre-push")
"""Hooks of a repository with a work tree."""
READS_STDIN = ("pre-push", "pre-receive")
"""Hooks that get lines of git on stdin; only the first reader gets them."""
_MOST_HOOK_BYTES = 1 << 20
MARK = "# made by `pmbf guard install`; `pmbf guard uninstall` takes it away"


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook's file and its outcome: `installed`, `renewed`, `removed`, `foreign` or `absent`."""

    kind: str
    path: Path
    outcome: str


def install(folder: Path, kinds: Sequence[str], options: Sequence[str]) -> list[Hook]:
    """Make hooks in a folder, and renew the hooks that pmbf made before.

    Args:
        folder: Of the repository's hooks.
        kinds: Keys of `ARGUMENTS`.
        options: Words of the command line that each hook adds, such as `-c` and a folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [_made(folder / kind, kind, options) for kind in kinds]


def uninstall(folder: Path, kinds: Sequence[str]) -> list[Hook]:
    """Remove the hooks that `install` made, also if pre-commit has renamed them; other hooks stay."""
    hooks = []
    for kind, ending in itertools.product(kinds, ("", ".legacy")):
        path = folder / f"{kind}{ending}"
        if ending and not _is_ours(path):
            continue
        outcome = "removed" if _is_ours(path) else "foreign" if os.path.lexists(path) else "absent"
        if outcome == "removed":
            path.unlink()
        hooks.append(Hook(kind, path, outcome))
    return hooks


def command_line(kind: str, options: Sequence[str]) -> str:
    """Return the line that a hook runs; nothing is imported from the current folder, the checked work tree.

    `-P` leaves out the current folder, `-E` the folders of PYTHONPATH: an empty part, as in `:/opt/lib`, is the current
    folder.
    """
    program = [sys.executable, "-E", "-P", "-m", "pmbf", "guard", "check", *options]
    return f"{shlex.join(program)} {ARGUMENTS[kind]}"


def lines_to_add(kind: str, options: Sequence[str]) -> list[str]:
    """Return the lines that make another hook, a shell script, run the check first; it still reads its lines of git."""
    command = command_line(kind, options)
    if kind not in READS_STDIN:
        return [f"{command} || exit $?"]
    return [
        'pmbf_lines=$(mktemp) && cat >"$pmbf_lines" || exit 3',
        f'{command} <"$pmbf_lines"; pmbf_code=$?',
        'exec <"$pmbf_lines"; rm -f "$pmbf_lines"; [ $pmbf_code -eq 0 ] || exit $pmbf_code',
    ]


def _made(path: Path, kind: str, options: Sequence[str]) -> Hook:
    outcome = "renewed" if _is_ours(path) else "installed"
    if os.path.lexists(path) and outcome != "renewed":
        return Hook(kind, path, "foreign")
    temporary = path.with_name(f"{path.name}.pmbf-tmp")
    temporary.write_text(f"#!/bin/sh\n{MARK}\nexec {command_line(kind, options)}\n", encoding="utf-8")
    temporary.chmod(0o755)
    os.replace(temporary, path)
    return Hook(kind, path, outcome)


def _is_ours(path: Path) -> bool:
    """Return whether `install` made a hook. A pipe or a very large file is another program's; neither is read."""
    try:
        return not path.is_symlink() and MARK.encode() in read_bounded(path, _MOST_HOOK_BYTES)
    except PmbfError:
        return False
