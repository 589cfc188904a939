"""How a cluster's collection is: what it has, where that lies, and what is missing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Status:
    """How a cluster's collection is.

    Args:
        depot: Where it is.
        generation: Number of its last commit.
        n_documents: Its documents.
        n_bytes: Bytes of its volumes, each counted once.
        volumes: The names of its volumes.
        nodes: The volumes that each node has, by the node's name.
        hosts: The host of each node.
        missing: Why a node cannot read some of its volumes, by node and volume.
        unread: Why volumes cannot be read on any node, by name.
    """

    depot: str
    generation: int
    n_documents: int
    n_bytes: int
    volumes: list[str]
    nodes: dict[str, list[str]]
    hosts: dict[str, str]
    missing: dict[str, dict[str, str]]
    unread: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the status as JSON-ready dicts and lists."""
        return asdict(self)
