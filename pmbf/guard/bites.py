"""A long text in bites, for what takes many bytes for each character while it works."""

from __future__ import annotations

import re
from collections.abc import Iterator

AT_ONCE = 1 << 20
"""Characters of a text that are read together."""


def bites(text: str, mark: re.Pattern[str] | None = None) -> Iterator[str]:
    """Yield a text in bites of some `AT_ONCE` characters, cut behind marks if there are any.

    >>> list(bites("the sea comes in"))
    ['the sea comes in']
    """
    start = 0
    while len(text) - start > AT_ONCE:
        found = mark.search(text, start + AT_ONCE) if mark else None
        if mark and not found:
            break
        stop = found.end() if found else start + AT_ONCE
        yield text[start:stop]
        start = stop
    yield text[start:]
