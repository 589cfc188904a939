"""Archives: zip, tar, and streams of gzip, bzip2, xz, zlib or deflate. Their members are documents inside the document.

Names are labels. Nothing is written to disk: a path leads nowhere, and a link points at nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from pmbf.extract import git, streams, tar
from pmbf.extract.archive import Archive
from pmbf.extract.kinds import is_media
from pmbf.extract.package import member_text
from pmbf.extract.reading import Reading

BETWEEN = "\n\n"


def read(raw: bytes, kind: str, reading: Reading) -> str:
    """Return the texts of all members, and of the members of archives inside.

    Raises:
        IncompleteError: The archive is damaged from its beginning, encrypted or over a limit.
    """
    if kind == "zip":
        texts = _of_zip(raw, reading)
    elif kind == "tar":
        texts = (reading.embedded(content, name) for name, content in tar.members(raw, reading))
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
