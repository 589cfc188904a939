"""The site key: 128 random bits in a file of their own, which only its owner may read."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.base.contents import without_waiting
from pmbf.base.errors import CorruptError, NotFoundError, ParameterError, UnsupportedError
from pmbf.store import folders
from pmbf.store.ownership import is_open_to_others, mode_of

KEY_BYTES, ID_BYTES = 16, 8
VERSION = 1
_LINE = re.compile(rb"pmbf-site-key (\d{1,9}) ([^\n]*)\n?")
_SECRET = re.compile(rb"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class SiteKey:
    """A site key, from which a key for each purpose is derived.

    Args:
        secret: 16 bytes.

    >>> SiteKey(bytes(16)).id.hex()
    'ddeb35506958273c'
    """

    secret: bytes = field(repr=False)

    @property
    def id(self) -> bytes:
        """8 bytes that identify the key and tell nothing of its bits."""
        return self.derived("id", ID_BYTES)

    @property
    def words(self) -> NDArray[np.uint64]:
        """The key of grams, `(2,) uint64`."""
        return np.frombuffer(self.derived("grams", KEY_BYTES), "<u8")

    def derived(self, purpose: str, n_bytes: int) -> bytes:
        """Return the key for a purpose, up to 64 bytes: BLAKE2b under the site key."""
        return hashlib.blake2b(key=self.secret, person=f"pmbf-{purpose}".encode(), digest_size=n_bytes).digest()


def read_key(path: str | os.PathLike[str]) -> SiteKey:
    """Return the key that a file holds.

    Raises:
        NotFoundError: There is no such file.
        ParameterError: Others than its owner may read or write the file.
        UnsupportedError: A newer pmbf wrote the file.
        CorruptError: The file is no site key.
    """
    try:
        with open(path, "rb", opener=without_waiting) as file:
            status = os.fstat(file.fileno())
            content = file.read(1024)
    except FileNotFoundError:
        raise NotFoundError(
            f"{path}: no such key file; expected the one that `pmbf export` named when it wrote the endpoint filter, "
            "since no other key opens it"
        ) from None
    if is_open_to_others(status, secret=True):
        raise ParameterError(
            f"{path}: others may read or write this key (mode {mode_of(status):04o}, expected 0600); "
            f"if it was only you until now, `chmod 600 {path}`, else make a new key and export again"
        )
    found = _LINE.fullmatch(content)
    if found and int(found[1]) > VERSION:
        raise UnsupportedError(f"{path}: key of version {int(found[1])}, this pmbf reads up to {VERSION}; upgrade pmbf")
    if not found or not _SECRET.fullmatch(found[2]):
        raise CorruptError(f"{path}: is no site key, expected what `pmbf export` writes; take it from a backup")
    return SiteKey(bytes.fromhex(found[2].decode()))


def read_or_make_key(path: str | os.PathLike[str]) -> tuple[SiteKey, bool]:
    """Return the key in a file, and whether it is new; if there is no file, then it is made with a random key.

    Raises:
        ParameterError, UnsupportedError, CorruptError: As for `read_key`.
        OSError: The file cannot be made.
    """
    target = Path(path)
    if target.exists():
        return read_key(target), False
    key = SiteKey(secrets.token_bytes(KEY_BYTES))
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o600)
        file.write(b"pmbf-site-key %d %s\n" % (VERSION, key.secret.hex().encode()))
        file.flush()
        os.fsync(descriptor)
    folders.sync_folder(target.absolute().parent)
    return key, True
