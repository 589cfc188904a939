"""Plain texts straight from their files, in Python: what a load does for most files, a batch at a time."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Sequence

from pmbf.errors import ParameterError
from pmbf.kernels.reference_records import record
from pmbf.kernels.reference_text import sample
from pmbf.kernels.types import TextRead

_UNCLEAN = re.compile(rb"\A\xef\xbb\xbf|[\0-\x08\x0e-\x1f\x7f]")


def read_texts(
    paths: Sequence[str],
    *,
    max_bytes: int,
    shingle_tokens: int,
    ordered: bool,
    density: float,
    min_hashes: int,
    segment_chars: int,
) -> list[TextRead | None]:
    """Return what files of clean text gave; None for one that cannot be read, is too large or something else.

    Clean is UTF-8 without a byte order mark, and without control characters but U+0009 to U+000D: bytes that are their
    own text, whoever looks at them. Whether they are the source of something else, as HTML is, is not asked here. Only
    regular files are read, nothing is waited for.

    Args:
        paths: Of the files, without zero characters.
        max_bytes: Larger files are not read.
        shingle_tokens, ordered, density, min_hashes, segment_chars: As for `sample`.

    Raises:
        ValueError: A path has a zero character.
    """
    found: list[TextRead | None] = []
    for path in paths:
        content = _bytes(path, max_bytes)
        if content is None or _UNCLEAN.search(content):
            found.append(None)
            continue
        try:
            taken = sample(
                content,
                shingle_tokens=shingle_tokens,
                ordered=ordered,
                density=density,
                min_hashes=min_hashes,
                segment_chars=segment_chars,
                positions=False,
            )
        except ParameterError:  # not UTF-8
            found.append(None)
            continue
        made = record(taken.hashes, taken.bounds)
        sha256 = hashlib.sha256(content).hexdigest()
        found.append(TextRead(sha256, content, taken.hashes, taken.bounds, taken.n_chars, taken.n_tokens, made))
    return found


def _bytes(path: str, max_bytes: int) -> bytes | None:
    """Return the bytes of a regular file, None for anything else, and for a file that grows meanwhile."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
            return None
        content = os.read(descriptor, status.st_size + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return content if len(content) == status.st_size else None
