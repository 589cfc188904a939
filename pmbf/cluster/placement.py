"""Which nodes have which volumes: the nodes with the highest hashes of the volume's key and their own names.

Nobody keeps a table. If a node is added to n - 1 others, then it takes over 1/n of the volumes, and no other volume
moves; if it goes, then only its volumes move. The hash is MurmurHash3 of 128 bits. (Thaler & Ravishankar 1998, Using
Name-Based Mappings to Increase Hit Rates.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mmh3

from pmbf.base.errors import ParameterError

COPIES = 2
"""Nodes that have a volume, on as many hosts."""


@dataclass(frozen=True, slots=True)
class Node:
    """A process that holds volumes, by a name of its own, on a host: no two copies of a volume are on one host."""

    name: str
    host: str


def placed(key: str, nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes that have a volume, by its key, the one that is asked first in front; fewer if hosts are few."""
    ranked = sorted(nodes, key=lambda node: _score(key, node.name), reverse=True)
    by_host: dict[str, Node] = {}
    for node in ranked:
        by_host.setdefault(node.host, node)
    return list(by_host.values())[:COPIES]


def _score(key: str, name: str) -> bytes:
    return mmh3.hash_bytes(f"{key}\0{name}")


def local_nodes(n_nodes: int) -> list[Node]:
    """Return nodes for processes of this machine. Each counts as a host: two copies are in two processes."""
    if n_nodes < 1:
        raise ParameterError(f"nodes is {n_nodes}, expected at least 1")
    return [Node(f"local-{number}", f"local-{number}") for number in range(n_nodes)]
