"""Pairs to groups: which articles are shown, and which are hidden behind each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

STAR, CONNECTED = "star", "connected"
LINKAGES = (STAR, CONNECTED)


class Duplicate(NamedTuple):
    """An article that is hidden.

    Args:
        article: Its place in the set.
        similarity: The Jaccard index of its hashes and those of the article that is shown, 0 to 1.
        contained: The share of its own hashes that the article that is shown has.
    """

    article: int
    similarity: float
    contained: float


class Group(NamedTuple):
    """An article that is shown, and its duplicates.

    Args:
        representative: Place of the article that is shown.
        members: The hidden articles, by place; at least one.
    """

    representative: int
    members: tuple[Duplicate, ...]


def groups(shown: Sequence[int], members: Iterable[Duplicate]) -> tuple[Group, ...]:
    """Return the groups, by the article that is shown.

    Args:
        shown: For each article the article that is shown for it.
        members: The hidden articles, by place.
    """
    hidden: dict[int, list[Duplicate]] = {}
    for member in members:
        hidden.setdefault(shown[member.article], []).append(member)
    return tuple(Group(one, tuple(hidden[one])) for one in sorted(hidden))
