"""Git LFS: the object that a pointer names leaves with the pointer. It is read; if it is absent, the check says so.

Source:
    git-lfs, docs/spec.md: a pointer is UTF-8 text under 1,024 bytes whose first line is its version.
"""

from __future__ import annotations

import re
from pathlib import Path

from pmbf.base.contents import MAX_BYTES_HINT, read_bounded
from pmbf.base.errors import IncompleteError, NotFoundError, PmbfError

_POINTER = re.compile(
    rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1\n"
    rb"(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:([0-9a-f]{64})\n(?:[a-z0-9.-]+ [^\n]*\n)*?size (\d+)\n"
)
MOST_BYTES = 1024


def pointed_to(content: bytes) -> str | None:
    """Return the SHA-256 that a pointer names; None if the content is no pointer.

    >>> pointed_to(b"version https://git-lfs.github.com/spec/v1\\noid sha256:" + b"a" * 64 + b"\\nsize 3\\n")[:8]
    'aaaaaaaa'
    """
    found = _POINTER.fullmatch(content) if len(content) < MOST_BYTES else None
    return found[1].decode() if found else None


def stored(git_folder: Path | None, sha256: str, max_bytes: int) -> bytes:
    """Return the object that a pointer names.

    Args:
        git_folder: The repository's `.git` folder; None without a repository.
        sha256: The SHA-256 that the pointer names.
        max_bytes: The most bytes the object may have.

    Raises:
        IncompleteError: The object cannot be read.
    """
    pointer = "a Git LFS pointer"
    if git_folder is None:
        raise IncompleteError(
            f"{pointer}, and no repository to find its object in; run `git lfs pull` and check the file"
        )
    path = git_folder / "lfs" / "objects" / sha256[:2] / sha256[2:4] / sha256
    try:
        return read_bounded(path, max_bytes, hint=MAX_BYTES_HINT)
    except NotFoundError:
        reason = f"not here ({sha256[:12]}…)"
    except (PmbfError, OSError) as error:
        reason = str(error)
    raise IncompleteError(f"{pointer} whose object is {reason}; run `git lfs fetch`")
