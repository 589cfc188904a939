"""Where something stands in a text: a span, and the algebra of spans. A hook imports no more of a report than this.

A *union* of spans is a set of characters: overlaps between the spans count once. Every function here takes spans in any
order and returns them ascending and disjoint.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from pmbf.base.pickled import by_fields


@by_fields
@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters `[start, stop)` of an original text, in code points; inside `passages`, tokens instead."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


_EDGES = attrgetter("start", "stop")


def overlap(one: Span, other: Span) -> int:
    """Return how many characters two spans share.

    >>> overlap(Span(0, 10), Span(6, 20)), overlap(Span(0, 10), Span(10, 20))
    (4, 0)
    """
    return max(0, min(one.stop, other.stop) - max(one.start, other.start))


def meets(one: Span, other: Span) -> bool:
    """Return whether two spans share a character."""
    return one.start < other.stop and other.start < one.stop


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the union of spans; two spans that touch become one. Costs one sort.

    >>> merged([Span(5, 12), Span(20, 21), Span(0, 5)])
    [Span(start=0, stop=12), Span(start=20, stop=21)]
    """
    ascending, union = sorted(spans, key=_EDGES), list[Span]()
    if len(ascending) < 2:
        return ascending
    for span in ascending:
        if union and span.start <= union[-1].stop:
            union[-1] = Span(union[-1].start, max(union[-1].stop, span.stop))
        else:
            union.append(span)
    return union


def union_length(spans: Iterable[Span]) -> int:
    """Return the characters inside any of the spans, each counted once.

    >>> union_length([Span(0, 10), Span(5, 12), Span(20, 21)])
    13
    """
    return sum(map(len, merged(spans)))


def common(spans: Iterable[Span], cover: Iterable[Span]) -> list[Span]:
    """Return what two unions of spans have in common.

    >>> common([Span(0, 10), Span(20, 30)], [Span(5, 25)])
    [Span(start=5, stop=10), Span(start=20, stop=25)]
    """
    found, others = list[Span](), iter(merged(cover))
    other = next(others, None)
    for span in merged(spans):
        while other is not None and other.stop <= span.start:
            other = next(others, None)
        while other is not None and other.start < span.stop:
            found.append(Span(max(span.start, other.start), min(span.stop, other.stop)))
            if other.stop > span.stop:
                break
            other = next(others, None)
    return found


def outside(spans: Iterable[Span], cover: Iterable[Span]) -> list[Span]:
    """Return what of a union of spans lies outside another union.

    >>> outside([Span(0, 30)], [Span(5, 10), Span(20, 40)])
    [Span(start=0, stop=5), Span(start=10, stop=20)]
    """
    union = merged(spans)
    inside, found, at = common(union, cover), list[Span](), 0
    for span in union:
        start = span.start
        while at < len(inside) and inside[at].start < span.stop:
            found.append(Span(start, inside[at].start))
            start = inside[at].stop
            at += 1
        found.append(Span(start, span.stop))
    return [one for one in found if len(one)]


def length_inside(spans: Iterable[Span], cover: Iterable[Span]) -> int:
    """Return how many characters of a union of spans lie inside another union.

    >>> length_inside([Span(0, 10), Span(20, 30)], [Span(5, 25)])
    10
    """
    return sum(map(len, common(spans, cover)))


def length_in(span: Span, union: Sequence[Span]) -> int:
    """Return how many characters of one span lie inside a union, in a step for each span of the union that it meets.

    The union is ascending and disjoint.

    >>> length_in(Span(5, 25), [Span(0, 10), Span(20, 30)])
    10
    """
    found = 0
    for at in range(bisect_right(union, span.start, key=attrgetter("stop")), len(union)):
        if union[at].start >= span.stop:
            break
        found += overlap(span, union[at])
    return found
