"""Clusters: groups that pairs connect.

A cluster is a connected component: two groups are in one cluster if a way of pairs leads from one to the other. So a
ring of five is one cluster, also if its first and its fifth member share nothing. Only `sure` and `likely` pairs
connect: a chance match would join two clusters into one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pmbf.comparison.results import Cluster, Pair

CONNECTING = ("sure", "likely")
"""Certainties of the pairs that connect."""


def connects(pair: Pair) -> bool:
    """Return whether a pair connects two groups to a cluster."""
    return pair.certainty in CONNECTING


def clusters(pairs: Iterable[Pair], group_of: Mapping[str, str]) -> tuple[Cluster, ...]:
    """Return the clusters, those of most groups first, then by falling share.

    Args:
        pairs: Pairs at or above the threshold.
        group_of: The group of each member, by name.
    """
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
