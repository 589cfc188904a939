"""Names of tokens: which ones a reader would take for the same."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from pmbf.base.errors import ParameterError
from pmbf.kernels import alike

MAX_NAME = 200
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that Python calls printable and that no reader sees."""


def require_name(name: str) -> None:
    """Refuse a name that a reader cannot tell from another.

    Raises:
        ParameterError: It is empty or too long, or holds what cannot be seen, or a blank at an end, or two in a row.
    """
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable() or _UNSEEN.search(name):
        raise ParameterError(f"name is {name!r}, expected 1 to {MAX_NAME} characters that can be seen")
    if name != " ".join(name.split()):
        raise ParameterError(f"name is {name!r}, expected no blank at its ends, and one at a time inside")


def skeleton(name: str) -> str:
    r"""Return what is equal of two names that look alike: forms, capitals, look-alike letters and blanks are put aside.

    >>> skeleton("\u0410lice  "), skeleton("ALICE") == skeleton("\uff21l\u0456ce")
    ('allce', True)
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(_UNSEEN.sub("", folded).translate(_shapes()).split())


@cache
def _shapes() -> dict[int, str]:
    """Return the first letter of each group of letters that look alike; `I`, `l`, `1` are a group, so are O and 0."""
    firsts = {letter: group[0] for group in alike() for letter in group}
    same = {"i": "l", "\u0131": "l", "1": "l", "|": "l", "0": "o"}
    return {ord(letter): same.get(first, first) for letter, first in ({one: one for one in same} | firsts).items()}
