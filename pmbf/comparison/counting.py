"""Which characters of a pair count, and from compared texts to pairs.

ignored and common characters    never count, and no share is a share of them
characters of the library        count in `whole_a` and `whole_b` alone, if both sides have them from the library
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pmbf.base.span import Span, common, length_inside, merged, union_length
from pmbf.comparison.results import Member, Pair, Shared
from pmbf.report import CERTAINTIES


def paired(a: Member, b: Member, passages: Iterable[Shared], *, min_chars: int, identical: bool = False) -> Pair | None:
    """Return the pair of two members, or None if no passage counts.

    A passage does not count if either side has ignored or common characters and less than `min_chars` others. It is
    from the library if both sides stand in a library, and on one side less than `min_chars` does not.

    Args:
        a, b: The members, in the order of their names.
        passages: The passages they share.
        min_chars: Characters of the shortest passage.
        identical: Whether both texts are the same.
    """
    kept = [
        replace(one, from_library=_is_of_library(one, a, b, min_chars))
        for one in passages
        if _left(one.a, a.excluded, min_chars) and _left(one.b, b.excluded, min_chars)
    ]
    if not kept:
        return None
    kept.sort(key=lambda one: (one.a, one.b))
    own = [one for one in kept if not one.from_library]
    shared_a, shared_b = of_library(kept, a, b)
    n_a, whole_a = _counted([Span(0, a.n_chars)] if identical else [one.a for one in kept], a, shared_a)
    n_b, whole_b = _counted([Span(0, b.n_chars)] if identical else [one.b for one in kept], b, shared_b)
    return Pair(
        a=a.name,
        b=b.name,
        share_a=_share(n_a, a),
        share_b=_share(n_b, b),
        whole_a=_share(whole_a, a),
        whole_b=_share(whole_b, b),
        n_a=n_a,
        n_b=n_b,
        certainty=min((one.certainty for one in own or kept), key=CERTAINTIES.index),
        evidence=round(sum(one.evidence for one in own), 1),
        passages=tuple(kept),
        identical=identical,
    )


def _left(span: Span, out: Sequence[Span], least: int) -> bool:
    """Return whether enough of a passage's side is left outside of some spans."""
    n_out = length_inside([span], out) if out else 0
    return not n_out or len(span) - n_out >= least


def _is_of_library(passage: Shared, a: Member, b: Member, least: int) -> bool:
    """Return whether both sides stand in the library, and on one side little else does not.

    Of a reworded passage, half of a side is enough: words of the library draw the words around them into the passage.
    """
    in_a, in_b = length_inside([passage.a], a.library), length_inside([passage.b], b.library)
    if not (in_a and in_b):
        return False
    left_a, left_b = len(passage.a) - in_a, len(passage.b) - in_b
    is_half = passage.kind == "reworded" and (left_a <= in_a or left_b <= in_b)
    return is_half or min(left_a, left_b) < least


def of_library(passages: Sequence[Shared], a: Member, b: Member) -> tuple[list[Span], list[Span]]:
    """Return the characters of each side that stand in the library, in passages whose other side stands there, too."""
    found_a, found_b = list[Span](), list[Span]()
    for one in passages:
        in_a, in_b = common([one.a], a.library), common([one.b], b.library)
        if in_a and in_b:
            found_a += [one.a] if one.from_library else in_a
            found_b += [one.b] if one.from_library else in_b
    return merged(found_a), merged(found_b)


def _counted(spans: Sequence[Span], side: Member, library: Sequence[Span]) -> tuple[int, int]:
    """Return how many characters of some spans count, without and with those that stand in the library."""
    n_whole = union_length(spans) - length_inside(spans, side.excluded)
    n_own = union_length(spans) - length_inside(spans, merged([*side.excluded, *library]))
    return n_own, n_whole


def _share(part: int, member: Member) -> float:
    return round(min(1.0, part / member.n_counted), 4) if member.n_counted > 0 else 0.0
