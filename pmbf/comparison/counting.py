"""Which characters of a pair count; from compared texts to pairs, and from pairs to clusters.

ignored and common characters    never count, and no share is a share of them
`same` sections of a template    count if both texts have the passage in sections of one name
characters of the library        count in `whole_a` and `whole_b` alone, if both sides have them from the library

A cluster is a connected component: two groups are in one cluster if a way of pairs leads from one to the other. So a
ring of five is one cluster, also if its first and its fifth member share nothing. Only `sure` and `likely` pairs
connect: a chance match would join two clusters into one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pmbf import verify
from pmbf.base.span import Span, common, length_inside, merged, union_length
from pmbf.comparison.results import Cluster, Member, Pair, SharedPassage
from pmbf.report import CERTAINTIES, Passage
from pmbf.screen import Options
from pmbf.screen.sections import SectionRules
from pmbf.screen.templates import Template

CONNECTING = ("sure", "likely")
"""Certainties of the pairs that connect."""


def in_same_sections(ours: str, theirs: str, passages: Sequence[Passage], options: Options) -> Sequence[Passage]:
    """Return what of the passages that two texts share keeps the rules of the options' template, in query order.

    Skipped sections are masked in both texts before. Passages are cut at the borders of the first text's `same`
    sections, then at those of the second text's.
    """
    if not isinstance(options.template, Template) or "same" not in {one.rule for one in options.template.sections}:
        return passages
    kept = _kept(ours, theirs, passages, options, options.template)
    back = _kept(theirs, ours, [_turned(one) for one in kept], options, options.template)
    return sorted((_turned(one) for one in back), key=lambda one: one.query)


def _kept(
    query: str, source: str, passages: Sequence[Passage], options: Options, template: Template
) -> Sequence[Passage]:
    settings = verify.Settings(min_chars=options.min_chars, threshold=options.min_similarity)
    same = [one for one in template.cut(query) if one.rule == "same"]
    rules = SectionRules(template, same, (), verify.prepare(query), settings, None)
    return [one for one in rules.kept(source, passages) if not one.not_counted]


def _turned(passage: Passage) -> Passage:
    return replace(passage, query=passage.source, source=passage.query)


# ---------------------------------------------------------------------- pairs


def paired(
    a: Member, b: Member, passages: Iterable[SharedPassage], *, min_chars: int, identical: bool = False
) -> Pair | None:
    """Return the pair of two members, or None if no passage counts.

    A passage does not count if either side has ignored or common characters and less than `min_chars` others. It is
    from the library if both sides stand in a library, and on one side less than `min_chars` does not.
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


def _is_of_library(passage: SharedPassage, a: Member, b: Member, least: int) -> bool:
    """Return whether both sides stand in the library, and on one side little else does not.

    Of a reworded passage, half of a side is enough: words of the library draw the words around them into the passage.
    """
    in_a, in_b = length_inside([passage.a], a.library), length_inside([passage.b], b.library)
    if not (in_a and in_b):
        return False
    left_a, left_b = len(passage.a) - in_a, len(passage.b) - in_b
    is_half = passage.kind == "reworded" and (left_a <= in_a or left_b <= in_b)
    return is_half or min(left_a, left_b) < least


def of_library(passages: Sequence[SharedPassage], a: Member, b: Member) -> tuple[list[Span], list[Span]]:
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


# ---------------------------------------------------------------------- clusters


def connects(pair: Pair) -> bool:
    """Return whether a pair connects two groups to a cluster."""
    return pair.certainty in CONNECTING


def clusters(pairs: Iterable[Pair], group_of: Mapping[str, str]) -> tuple[Cluster, ...]:
    """Return the clusters that pairs make, those of most groups first, then by falling share."""
    kept = [pair for pair in pairs if connects(pair)]
    root = components((group_of[pair.a], group_of[pair.b]) for pair in kept)
    by_root: dict[str, list[Pair]] = {}
    for pair in kept:
        by_root.setdefault(root[group_of[pair.a]], []).append(pair)
    found = [_cluster(some, group_of) for some in by_root.values()]
    return tuple(sorted(found, key=lambda one: (-len(one.groups), -one.share, one.groups)))


def components(edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return a name for the connected component of each node that has an edge: the first of its nodes by name.

    >>> components([("b", "c"), ("d", "e"), ("a", "b")])
    {'b': 'a', 'c': 'a', 'd': 'd', 'e': 'd', 'a': 'a'}
    """
    parent: dict[str, str] = {}

    def find(node: str) -> str:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for one, other in edges:
        first, last = sorted((find(one), find(other)))
        parent[last] = first
    return {node: find(node) for node in parent}


def _cluster(pairs: list[Pair], group_of: Mapping[str, str]) -> Cluster:
    members = sorted({name for pair in pairs for name in (pair.a, pair.b)})
    return Cluster(
        groups=tuple(sorted({group_of[name] for name in members})),
        members=tuple(members),
        n_pairs=len(pairs),
        share=max(pair.share for pair in pairs),
    )
