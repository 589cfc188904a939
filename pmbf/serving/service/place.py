"""The places of a service's socket and token, which must belong to this user alone."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pmbf.base.errors import ParameterError
from pmbf.guard.policy import is_address
from pmbf.store.folders import make_folder
from pmbf.store.ownership import is_own_secret, mode_of, require_own_folder

SOCKET_VARIABLE = "PMBF_SOCKET"
"""Variable that names the socket; if its value is empty, then no service is asked."""
FOLDER = "pmbf"
RISK = "others could answer in the service's place"
MAX_SOCKET_PATH_BYTES = 107
"""Longest path of a Unix socket on Linux; on some systems three bytes less."""


def usual_socket(collection: str | os.PathLike[str]) -> Path:
    """Return the default socket of a collection's service: in a folder that belongs to this user."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = runtime or os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    where = os.fspath(collection) if is_address(collection) else os.path.realpath(collection)
    name = hashlib.sha256(os.fsencode(where)).hexdigest()[:16]
    return Path(folder, FOLDER, f"{name}.sock")


def service_socket(collection: str) -> Path | None:
    """Return the socket that a client asks: from `PMBF_SOCKET`, else the default socket; None if there is none.

    `ParameterError`: others could have put a socket there. `OSError`: the socket or its folder cannot be looked at.
    """
    named = os.environ.get(SOCKET_VARIABLE)
    if named == "":
        return None
    path = Path(named or usual_socket(collection))
    if os.path.lexists(path):
        require_own_folder(path.parent, RISK)
        return path
    return path if named else None


def made_folder(path: Path) -> None:
    """Make the folder of a socket or token, for this user alone, unless it exists.

    `ParameterError`: others can write to the folder, or the path is too long for a socket.
    """
    if len(os.fsencode(path)) > MAX_SOCKET_PATH_BYTES:
        raise ParameterError(f"{path}: is longer than {MAX_SOCKET_PATH_BYTES} bytes; name a shorter one (--socket)")
    make_folder(path.parent, mode=0o700)
    require_own_folder(path.parent, RISK)


def read_token(path: Path) -> str:
    """Return the access token in a file; if there is no file, then it is made with a new token.

    `ParameterError`: others can read the file, or it holds no token.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return _kept_token(path)
    import secrets

    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
    return _kept_token(path)


def _kept_token(path: Path) -> str:
    status = path.stat()
    if not is_own_secret(status):
        raise ParameterError(f"{path}: mode {mode_of(status):o}, expected a file of your own: chmod 600")
    token = path.read_text(encoding="ascii", errors="replace").strip()
    if len(token) < 16 or not token.isascii() or not token.isprintable() or " " in token:
        raise ParameterError(f"{path}: holds no token, expected one line of at least 16 characters; delete it")
    return token
