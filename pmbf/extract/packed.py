"""Archives: zip, tar, and streams of gzip, bzip2, xz, zlib or deflate. Their members are documents inside the document.

Names are labels. Nothing is written to disk: a path leads nowhere, and a link points at nothing.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator

from pmbf.base.errors import IncompleteError
from pmbf.extract import git, streams
from pmbf.extract.archive import Archive
from pmbf.extract.package import member_text
from pmbf.extract.reading import Reading
from pmbf.extract.unread import is_media

BETWEEN = "\n\n"
_TAR_ERRORS = (tarfile.TarError, EOFError, OSError, ValueError, OverflowError, IndexError)
"""Errors of `tarfile` on forged and cut headers."""


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the texts of all members, and of the members of archives inside.

    Raises:
        IncompleteError: The archive is damaged from its beginning, encrypted or over a limit.
    """
    if kind == "zip":
        texts = _of_zip(raw, reading)
    elif kind == "tar":
        texts = (reading.embedded(content, name) for name, content in _of_tar(raw, reading))
    else:
        head = [reading.part(streams.gzip_comment(raw), "comments")] if reading.unseen and kind == "gz" else []
        content = streams.unpacked(raw, kind, reading)
        of_git = git.loose(content, reading) if kind == "zlib" else None
        texts = iter([*head, reading.embedded(content, "content") if of_git is None else of_git])
    return BETWEEN.join(filter(None, texts))


def _of_zip(raw: bytes, reading: Reading) -> Iterator[str]:
    archive = Archive(raw, reading)
    for start, stop in list(archive.unclaimed()):
        if start or not is_media(raw[:stop]):
            reading.problem(f"{stop - start} bytes that belong to no member")
    if reading.unseen:
        yield archive.beside()
    for name in archive.names():
        yield member_text(archive, name, reading)


def _of_tar(raw: bytes, reading: Reading) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file."""
    try:
        archive = tarfile.open(fileobj=io.BytesIO(raw), mode="r:", encoding="utf-8")  # noqa: SIM115 (memory only)
    except _TAR_ERRORS as error:
        raise IncompleteError(f"damaged: {error}") from None
    try:
        for member in archive:
            reading.spend_entries(1)
            yield from _content(archive, member, reading)
    except IncompleteError:
        raise
    except _TAR_ERRORS as error:
        reading.problem(f"damaged or cut short: {error}")
        return
    rest = raw[archive.offset :]
    if not rest:
        reading.problem("no mark at its end: it may be cut short")
    elif rest.strip(b"\0"):
        # tarfile stops at a damaged header; other programs go on behind it.
        reading.problem(f"{len(rest)} bytes after its end")


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, reading: Reading) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of a file; links, devices and folders hold no bytes: they are left out."""
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
