"""How a blocked passage is published all the same: the command that is printed, and the line that it writes."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pmbf.base.errors import ParameterError
from pmbf.cli.guard.options import BY_FIELD, OF_ADDING, sorted_out
from pmbf.guard.config import PROJECT_FILE, is_locked
from pmbf.guard.policy import KEYS, TOLD_INLINE, is_address

if TYPE_CHECKING:
    from pmbf.cli.guard.checks import Check
    from pmbf.guard.types import Verdict

MOST_COMMITS = 3
"""Commits of a push for which a command is printed."""


def ways_to_allow(check: Check, verdict: Verdict) -> Iterator[str]:
    """Yield how a blocked passage is allowed: a command that works as it is printed, where the user may allow it.

    Args:
        check: The check.
        verdict: Its verdict, which blocks.
    """
    if check.target.pre_receive:
        if check.policy.allow_inline:
            yield TOLD_INLINE
        yield "ask who keeps the policy of this server, whose baseline alone counts"
        return
    if check.to_others or "-" in check.target.words:  # what is gone is not looked at again
        yield from check.policy.ways_to_allow()
        return
    is_free = check.policy.baseline or not is_locked(check.chosen)
    commands = [_command(check, what) for what in _whats(check, verdict)] if is_free else []
    if commands:
        yield f"`{' && '.join(commands)}`"
    elif check.policy.allow_inline:
        yield TOLD_INLINE


def _whats(check: Check, verdict: Verdict) -> list[list[str]]:
    """Return the words that name what was blocked, for each command; none if it cannot be looked at once more."""
    target = check.target
    blocking = [one.payload for one in verdict.findings if one.action == "block"]
    if target.pre_push:
        commits = list(dict.fromkeys(one.commit for one in blocking))
        return [["--range", f"{one}^!"] for one in commits] if all(commits) and len(commits) <= MOST_COMMITS else []
    if target.commit_msg:
        return [["--commit-msg", os.path.abspath(target.words[0])]]
    if target.staged and os.path.basename(os.environ.get("GIT_INDEX_FILE", "index")) != "index":
        # `git commit -a` and `git commit FILE` fill an index that is gone after the hook; the files are there.
        return [_after_options([str(check.folder / path) for one in blocking for path in one.paths])]
    if target.staged:
        return [["--staged"]]
    paths = {path for one in blocking for path in one.paths}
    named = [word for word in target.words if word in paths]
    return [_after_options(named if len(named) == len(paths) else list(target.words))]


def _after_options(words: list[str]) -> list[str]:
    return ["--", *words] if any(word.startswith("-") for word in words) else words


def _command(check: Check, what: list[str]) -> str:
    """Return the command that allows what was blocked, with the options of the check's policy.

    A hook runs at the top of the work tree, the user types anywhere: its paths are absolute.
    """
    options: list[str] = []
    parts = sorted_out(check.given)
    for field, value in (parts["chosen"] | parts["policy"]).items():
        name = "--file" if field == "baseline" else BY_FIELD[field].names[-1]
        if field in OF_ADDING or field == "baseline":
            for one in value if isinstance(value, (list, tuple)) else [value]:
                options += [name, _absolute(field, str(one)) if check.target.in_git else str(one)]
    words = [*options, *what] if what[0] == "--" else [*what, *options]
    return shlex.join(["pmbf", "guard", "baseline", "add", *words])


def _absolute(field: str, value: str) -> str:
    """Return the value of an option with an absolute path, if it is a path."""
    if field == "param":
        name, _, inner = value.partition("=")
        return f"{name}={_absolute(name, inner)}"
    if (field in KEYS and KEYS[field].kind not in ("path", "paths")) or is_address(value):
        return value
    return os.path.abspath(os.path.expanduser(value))


def name_in_policy(policy: Path, baseline: str) -> Path:
    """Write into a policy's file which baseline counts; every other line of the file stays.

    Args:
        policy: The file; made if there is none.
        baseline: The baseline's file.

    Returns:
        The policy's file.

    Raises:
        ParameterError: The file is a link, or the line cannot be added to it as it is.
    """
    import json
    import tomllib

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
    return policy
