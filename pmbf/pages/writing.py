"""How a page becomes a file."""

from __future__ import annotations

import os
import tempfile

from pmbf.base.contents import require_replaceable


def write_page(path: str | os.PathLike[str], page: str) -> None:
    """Write a file whole: a page that was there before stays until the new one is. A link is replaced, not followed.

    Raises:
        UnsupportedError: The path is a folder, a pipe or a device.
        OSError: The file cannot be written.
    """
    require_replaceable(path)
    folder = os.path.dirname(os.path.abspath(path))
    descriptor, written = tempfile.mkstemp(dir=folder, prefix=".page-", suffix=".tmp")
    try:
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(page)
        os.chmod(written, 0o666 & ~_umask())
        os.replace(written, path)
    except BaseException:
        os.unlink(written)
        raise


def _umask() -> int:
    os.umask(mask := os.umask(0o077))
    return mask
