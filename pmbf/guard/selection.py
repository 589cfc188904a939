"""Which paths a check looks at: the policy's globs."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Sequence

from pmbf.guard.policy import Policy


def is_selected(path: str, policy: Policy) -> bool:
    """Return whether the policy wants a path looked at.

    >>> policy = Policy(include=("docs", "*.md"), exclude=("docs/public/*",))
    >>> [is_selected(path, policy) for path in ("docs/a.txt", "README.md", "src/a.py", "docs/public/b.md")]
    [True, True, False, False]
    >>> [is_selected(path, Policy(exclude=("./docs/",))) for path in ("docs/a.txt", "src/docs/a.txt")]
    [False, True]
    """
    return (not policy.include or _fits(path, policy.include)) and not is_excluded(path, policy)


def is_excluded(path: str, policy: Policy) -> bool:
    """Return whether the policy leaves a path out, and what stands below it."""
    return _fits(path, policy.exclude)


def _fits(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path fits a pattern.

    A pattern with a slash fits the whole path or a folder above it; any other pattern fits a part of the path. `./docs`
    is the folder at the top.
    """
    if not patterns:
        return False
    parts = path.split(os.sep)
    above = [os.sep.join(parts[:n]) for n in range(1, len(parts) + 1)]
    return any(
        fnmatch.fnmatchcase(one, pattern.rstrip("/").removeprefix("./"))
        for pattern in patterns
        for one in (above if "/" in pattern.rstrip("/") else parts)
    )
