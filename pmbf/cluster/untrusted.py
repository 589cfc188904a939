"""What a depot says and holds, checked where it comes in: names before they are part of a path, numbers before sums.

Checksums tell damage. They do not tell what was meant: whoever may write to a depot writes lists and manifests with
right checksums, links to any file of this machine, and catalogs with a schema that computes for ever. So nothing of
them is believed before it was looked at here.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from pmbf.base.errors import CorruptError
from pmbf.store.database import UNCHANGING, opened, translated
from pmbf.store.files import FILE_KINDS
from pmbf.store.folder import GENERATION_FILE
from pmbf.store.schema import FILE_NAME

MOST_BYTES = 256 << 20
"""The most that a list or a manifest may have: some 800,000 volumes."""

MOST_COMMITS = 10**12 - 2
"""A manifest's name has twelve digits."""

TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp")
"""What a writer calls a file before it is linked to its name."""

_SHA256, _COLLECTION_ID, _COMMIT = re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{32}"), re.compile("[0-9]{12}")
_KINDS = "|".join(rf"{folder}/[0-9]{{6,10}}\.{suffix}" for folder, suffix in FILE_KINDS.values())
_VOLUME_FILE = re.compile(rf"{re.escape(FILE_NAME)}|{GENERATION_FILE}|{_KINDS}")

_NAME = r'"?[a-z_][a-z0-9_]*"?'
_COLUMN = rf"{_NAME} (?:TEXT|INTEGER|BLOB)(?: PRIMARY KEY)?(?: NOT NULL)?(?: DEFAULT (?:''|[0-9]+))?"
_PLAIN = {
    "table": re.compile(rf"CREATE TABLE {_NAME}\s*\(\s*{_COLUMN}(?:\s*,\s*{_COLUMN})*\s*\)(?: WITHOUT ROWID)?"),
    "index": re.compile(rf"CREATE (?:UNIQUE )?INDEX {_NAME}\s+ON {_NAME}\s*\(\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\)"),
}
"""What a schema may hold: SQLite runs views, triggers, generated columns and indexes over expressions."""


def is_content(name: str) -> bool:
    """Return whether a name can be that of a file of a depot: a SHA-256."""
    return _SHA256.fullmatch(name) is not None


def content_name(value: object, where: str) -> str:
    """Return the name that a depot has for a file; raise `CorruptError` if it is no SHA-256.

    Messages call the place `where`.
    """
    if not isinstance(value, str) or not is_content(value):
        raise CorruptError(f"{where}: a file is called {_shown(value)}, expected 64 hexadecimal digits")
    return value


def volume_file(value: str, where: str) -> str:
    """Return the name of a file inside a volume; raise `CorruptError` if no sealed collection has such a file."""
    if _VOLUME_FILE.fullmatch(value) is None:
        raise CorruptError(f"{where}: lists a file {_shown(value)}, expected one of a sealed collection")
    return value


def collection_id(value: object, where: str) -> str:
    """Return the id of a collection; raise `CorruptError` if it is not 32 hexadecimal digits."""
    if not isinstance(value, str) or not _COLLECTION_ID.fullmatch(value):
        raise CorruptError(f"{where}: `id` is {_shown(value)}, expected 32 hexadecimal digits")
    return value


def commit_number(name: str) -> int | None:
    """Return the number of the manifest that a file's name says, None if it is the name of something else."""
    return int(name) if _COMMIT.fullmatch(name) and name.isascii() else None


def whole(value: object, what: str, where: str, low: int, high: int) -> int:
    """Return a whole number; raise `CorruptError` if it is another type, or outside `[low, high]`."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise CorruptError(f"{where}: `{what}` is {_shown(value)}, expected a whole number from {low} to {high}")
    return value


def json_object(content: bytes, where: str) -> dict[str, Any]:
    """Return an object of JSON; raise `CorruptError` if it is none."""
    try:
        read = json.loads(content.decode())
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
        raise CorruptError(f"{where}: is no JSON ({error})") from error
    if not isinstance(read, dict):
        raise CorruptError(f"{where}: is {_shown(read)}, expected an object of JSON")
    return read


def _shown(value: object) -> str:
    return f"{value!r:.80}"


# ---------------------------------------------------------------------- files, folders and catalogs


def open_plain(path: str | os.PathLike[str], flags: int = 0) -> int:
    """Return the descriptor of a file, opened for reading; never waits, as opening a pipe would.

    `flags` are not used, so that the function is an `opener` of `open`. `CorruptError`: it is a link, a pipe or a
    device.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):  # before the open: opening a device can have an effect
        raise CorruptError(f"{os.fspath(path)}: is no file of its own but a link or a device; put back a copy")
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)


def bounded(pieces: Iterable[bytes], where: str) -> bytes:
    """Return the content of a small file; raise `CorruptError` if it is larger than a list or a manifest can be."""
    some, n_bytes = [], 0
    for piece in pieces:
        some.append(piece)
        n_bytes += len(piece)
        if n_bytes > MOST_BYTES:
            raise CorruptError(f"{where}: is larger than {MOST_BYTES:,} bytes, expected a list of files or volumes")
    return b"".join(some)


def require_plain(folder: Path) -> None:
    """Raise `CorruptError` for a folder in which something is a link, a pipe or a device."""
    if one := next(_entries(folder), None):
        raise CorruptError(f"{one}: is no file of its own but a link or a device; delete {folder}, it is fetched anew")


def _entries(folder: Path) -> Iterator[str]:
    """Yield what is neither a file nor a folder, the folder itself included."""
    if folder.is_symlink() or not folder.is_dir():
        yield str(folder)
        return
    with os.scandir(folder) as entries:
        for one in entries:
            if one.is_dir(follow_symlinks=False):
                yield from _entries(Path(one.path))
            elif not one.is_file(follow_symlinks=False):
                yield one.path


def require_tables(catalog: Path, where: str) -> None:
    """Raise `CorruptError` for a catalog that holds more than tables of plain columns and their indexes."""
    with translated(catalog), closing(opened(catalog, UNCHANGING)) as connection:
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
            own = kind == "index" and sql is None  # that of a primary key
            if not own and not (kind in _PLAIN and isinstance(sql, str) and _PLAIN[kind].fullmatch(sql)):
                raise CorruptError(f"{where}: its catalog has the {kind} {name!r:.40}, expected plain tables alone")
