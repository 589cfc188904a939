"""Letters and numbers that are counted up: `A B C D E F`, `[1], [2], [3]`, `alpha, beta`, line numbers, code pages.

They stand in very many texts, and nobody copied them from one. So they do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pmbf.base.span import Span, merged
from pmbf.guard.slices import Sliced

LEAST_COUNTED = 6
"""Letters or numbers in the shortest run: a short table of numbers hardly ever has six that ascend so slowly."""
MOST_STEP = 16
"""From one to the next: an index leaves out letters without an entry, and a table counts in tens."""

_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"
_PLACES = {name: place for place, name in enumerate(f"{_GREEK} upsilon phi chi psi omega".split())}

_TOKEN = re.compile(r"[^\W_]+")
_HEXADECIMAL = re.compile(r"(?:0?x|u)?([0-9a-f]{2,6})", re.I)


def counted_up(text: Sliced, within: Sequence[Span]) -> list[Span]:
    """Return where some spans of a text only count letters or numbers up, ascending and disjoint.

    >>> counted_up("Jump to: A B C D E G | and 1 or 2 or 3", [Span(0, 38)])
    [Span(start=9, stop=20)]
    """
    return [one for span in merged(within) for one in _runs(text, span)]


def _runs(text: Sliced, span: Span) -> Iterator[Span]:
    tokens = list(_TOKEN.finditer(text[span.start : span.stop]))
    values = [_value(token[0]) for token in tokens]
    breaks = [at for at, (one, other) in enumerate(pairwise(values), 1) if not _goes_on(one, other)]
    for start, stop in pairwise([0, *breaks, len(tokens)]):
        if stop - start >= LEAST_COUNTED:
            yield Span(span.start + tokens[start].start(), span.start + tokens[stop - 1].end())


_Value = tuple[str, int]
"""How a token is counted, and what it is then."""


def _value(token: str) -> _Value | None:
    if token.isdecimal():
        return "decimal", int(token[:18])
    if len(token) == 1:
        return "letter", ord(token)
    if (name := token.lower()) in _PLACES:
        return "Greek", _PLACES[name]
    written = _HEXADECIMAL.fullmatch(token)
    return ("hexadecimal", int(written[1], 16)) if written else None


def _goes_on(one: _Value | None, other: _Value | None) -> bool:
    return one is not None and other is not None and one[0] == other[0] and 0 < other[1] - one[1] <= MOST_STEP
