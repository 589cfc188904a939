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
    """A process that holds volumes.

    Args:
        name: Its name, unlike that of every other node.
        host: The machine that it runs on: no two copies of a volume are on one host.
    """

    name: str
    host: str


def placed(key: str, nodes: Sequence[Node], n_copies: int = COPIES) -> list[Node]:
    """Return the nodes that have a volume, the one that is asked first in front.

    Args:
        key: Of the volume.
        nodes: All nodes, in any order.
        n_copies: How many nodes, at most; fewer if there are fewer hosts.

    >>> nodes = [Node(name, host) for name, host in (("a", "h1"), ("b", "h1"), ("c", "h2"))]
    >>> [node.name for node in placed("volume 7", nodes)]
    ['a', 'c']
    """
    ranked = sorted(nodes, key=lambda node: _score(key, node.name), reverse=True)
    by_host: dict[str, Node] = {}
    for node in ranked:
        by_host.setdefault(node.host, node)
    return list(by_host.values())[:n_copies]


def _score(key: str, name: str) -> bytes:
    return mmh3.hash_bytes(f"{key}\0{name}")


def local_nodes(n_nodes: int) -> list[Node]:
    """Return nodes for processes of this machine. Each counts as a host: two copies are in two processes.

    Raises:
        ParameterError: `n_nodes` is less than 1.
    """
    if n_nodes < 1:
        raise ParameterError(f"nodes is {n_nodes}, expected at least 1")
    return [Node(f"local-{number}", f"local-{number}") for number in range(n_nodes)]
