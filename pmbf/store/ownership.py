"""Owners and modes: a file that others may change is not trusted, nor a secret that others may read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pmbf.base.errors import ParameterError, UnsupportedError

_WRITE, _ANY = 0o022, 0o077
"""Bits of a mode: what group and others may write; whatever they may do."""


def mode_of(status: os.stat_result) -> int:
    """Return the permission bits."""
    return stat.S_IMODE(status.st_mode)


def is_open_to_others(status: os.stat_result, *, secret: bool = False) -> bool:
    """Return whether group or others may write; to a secret, whether they may do anything at all."""
    return bool(mode_of(status) & (_ANY if secret else _WRITE))


def require_unshared(path: str, remedy: str) -> None:
    """Refuse a file or folder that group or others may write to; `remedy` is the command that helps.

    Raises:
        UnsupportedError: They may.
    """
    if os.path.exists(path) and is_open_to_others(os.stat(path)):
        raise UnsupportedError(f"{path}: group or others may write to it; run `{remedy}`")


def require_own_folder(folder: Path, risk: str) -> None:
    """Refuse a folder, which must exist, into which others than this user, or root, can put something.

    Raises:
        ParameterError: They can; `risk` is what they could do.
    """
    status = folder.stat()
    if status.st_uid not in (os.geteuid(), 0) or is_open_to_others(status):
        raise ParameterError(
            f"{folder}: mode {mode_of(status):o}, owner {status.st_uid}; {risk}; expected a folder that only you can "
            "write: chmod 700"
        )


def is_own_secret(status: os.stat_result) -> bool:
    """Return whether a file is a regular one of this user that nobody else may read or write."""
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not is_open_to_others(status, secret=True)
