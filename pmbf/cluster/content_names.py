"""What a depot says, checked once where it comes in: names before they are part of a path, and numbers before sums.

Checksums tell damage. They do not tell what was meant: whoever may write to a depot writes lists and manifests with
right checksums. So nothing of them is believed before its type, its form and its range were looked at here.
"""

from __future__ import annotations

import json
import re
from typing import Any

from pmbf.base.errors import CorruptError
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


def is_content(name: str) -> bool:
    """Return whether a name can be that of a file of a depot: a SHA-256."""
    return _SHA256.fullmatch(name) is not None


def content_name(value: object, where: str) -> str:
    """Return the name that a depot has for a file.

    Args:
        value: What was read.
        where: What messages call the place.

    Raises:
        CorruptError: It is no SHA-256.

    >>> content_name("../../thesis.txt", "depot")
    Traceback (most recent call last):
    pmbf.base.errors.CorruptError: depot: a file is called '../../thesis.txt', expected 64 hexadecimal digits
    """
    if not isinstance(value, str) or not is_content(value):
        raise CorruptError(f"{where}: a file is called {_shown(value)}, expected 64 hexadecimal digits")
    return value


def volume_file(value: str, where: str) -> str:
    """Return the name of a file inside a volume: one that a sealed collection has.

    Raises:
        CorruptError: No collection has such a file, or it is none that is sealed.

    >>> volume_file("tiles/000003.tile", "volume 7")
    'tiles/000003.tile'
    >>> volume_file("catalog.sqlite-shm", "volume 7")
    Traceback (most recent call last):
    pmbf.base.errors.CorruptError: volume 7: lists a file 'catalog.sqlite-shm', expected one of a sealed collection
    """
    if _VOLUME_FILE.fullmatch(value) is None:
        raise CorruptError(f"{where}: lists a file {_shown(value)}, expected one of a sealed collection")
    return value


def collection_id(value: object, where: str) -> str:
    """Return the id of a collection.

    Raises:
        CorruptError: It is not 32 hexadecimal digits.
    """
    if not isinstance(value, str) or not _COLLECTION_ID.fullmatch(value):
        raise CorruptError(f"{where}: `id` is {_shown(value)}, expected 32 hexadecimal digits")
    return value


def commit_number(name: str) -> int | None:
    """Return the number of the manifest that a file's name says, None if it is the name of something else."""
    return int(name) if _COMMIT.fullmatch(name) and name.isascii() else None


def whole(value: object, what: str, where: str, low: int, high: int) -> int:
    """Return a whole number of a range.

    Raises:
        CorruptError: It is another type, or outside `[low, high]`.

    >>> whole(True, "n_ids", "manifest 7", 0, 9)
    Traceback (most recent call last):
    pmbf.base.errors.CorruptError: manifest 7: `n_ids` is True, expected a whole number from 0 to 9
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise CorruptError(f"{where}: `{what}` is {_shown(value)}, expected a whole number from {low} to {high}")
    return value


def json_object(content: bytes, where: str) -> dict[str, Any]:
    """Return an object of JSON.

    Raises:
        CorruptError: It is no JSON, or no object.
    """
    try:
        read = json.loads(content.decode())
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
        raise CorruptError(f"{where}: is no JSON ({error})") from error
    if not isinstance(read, dict):
        raise CorruptError(f"{where}: is {_shown(read)}, expected an object of JSON")
    return read


def _shown(value: object) -> str:
    return f"{value!r:.80}"
