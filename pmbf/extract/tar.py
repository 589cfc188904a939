"""The files in a tar. Links, devices and folders hold no bytes: they are noted and left out."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator

from pmbf.base.errors import IncompleteError
from pmbf.extract.reading import Reading

_ERRORS = (tarfile.TarError, EOFError, OSError, ValueError, OverflowError, IndexError)
"""Errors of `tarfile` on forged and cut headers."""


def members(raw: bytes, reading: Reading) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file.

    Raises:
        OverLimitError: There are too many files, or a sparse file claims too many bytes.
        IncompleteError: The first header is no header.
    """
    try:
        archive = tarfile.open(fileobj=io.BytesIO(raw), mode="r:", encoding="utf-8")  # noqa: SIM115 (memory only)
    except _ERRORS as error:
        raise IncompleteError(f"damaged: {error}") from None
    try:
        for member in archive:
            reading.spend_entries(1)
            yield from _content(archive, member, reading)
    except IncompleteError:
        raise
    except _ERRORS as error:
        reading.problem(f"damaged or cut short: {error}")
        return
    rest = raw[archive.offset :]
    if not rest:
        reading.problem("no mark at its end: it may be cut short")
    elif rest.strip(b"\0"):
        # tarfile stops at a damaged header; other programs go on behind it.
        reading.problem(f"{len(rest)} bytes after its end")


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, reading: Reading) -> Iterator[tuple[str, bytes]]:
    if member.isdir():
        return
    if member.issym() or member.islnk() or member.isdev():
        what = "a device or pipe" if member.isdev() else f"a link to {member.linkname}"
        reading.note(f"{member.name}: left out: {what}")
        return
    if member.issparse():
        reading.spend_expanded(member.size)
    file = archive.extractfile(member)
    yield member.name, file.read() if file else b""
