"""How a cluster's collection is: what it has, where that lies, what is missing, and what is damaged."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from pmbf.cluster.calls import Nodes
from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Manifest, missing
from pmbf.cluster.upkeep import named_files
from pmbf.cluster.working import each, fetch, here_of, unread_by_all, work
from pmbf.report.as_json import AsJson


@dataclass(frozen=True, slots=True)
class ClusterStatus(AsJson):
    """How a cluster's collection is.

    Args:
        depot: Where it is.
        generation: Number of its last commit.
        n_documents: Its documents.
        n_bytes: Bytes of its volumes, each counted once.
        volumes: The names of its volumes.
        nodes: The volumes that each node has, by the node's name. It fetches one when it is first asked for it.
        here: Those of them that are on the node's disk and can be read.
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
    here: dict[str, list[str]]
    hosts: dict[str, str]
    missing: dict[str, dict[str, str]]
    unread: dict[str, str]


def status_of(depot: str, nodes: Nodes, manifest: Manifest, *, fetch_all: bool) -> ClusterStatus:
    """Return how a cluster's collection is; see `ClusterCollection.status`."""
    volumes = manifest.volumes
    missing = fetch(nodes, volumes) if fetch_all else {}
    here, unread = here_of(nodes, volumes)
    missing = unread | missing
    return ClusterStatus(
        depot=depot,
        generation=manifest.number,
        n_documents=manifest.n_documents,
        n_bytes=sum(one.n_bytes for one in volumes),
        volumes=[one.name for one in volumes],
        nodes={node.name: [one.name for one in some] for node, some in nodes.of_nodes(volumes).items()},
        here={node.name: here.get(number, []) for number, node in enumerate(nodes.nodes)},
        hosts={node.name: node.host for node in nodes.nodes},
        missing={nodes.nodes[number].name: some for number, some in missing.items() if some},
        unread=unread_by_all(nodes, volumes, missing),
    )


@dataclass(frozen=True, slots=True)
class Health(AsJson):
    """Whether a cluster answers for all its documents now: how many nodes, volumes and documents there are.

    Late nodes failed or were late within the last seconds. No node answers for unread volumes.
    """

    nodes: int
    late_nodes: list[str]
    volumes: int
    unread_volumes: int
    unread_documents: int


def health(nodes: Nodes, manifest: Manifest) -> Health:
    """Ask each volume of a node that has it, or of the other one; wait as long as a query does. None is fetched."""
    found = nodes.ask("here", manifest.volumes)
    unread = [one for one in manifest.volumes if one.name in found.unread]
    n_documents = sum(one.n_documents for one in unread)
    return Health(len(nodes.nodes), nodes.late(), len(manifest.volumes), len(unread), n_documents)


DEPOT = "depot"
"""What problems are listed under that are of no volume."""


def problems(depot: Depot, nodes: Nodes, manifest: Manifest) -> dict[str, list[str]]:
    """Return what is wrong, by the name of the volume or `DEPOT`; the nodes share the work, and mend their copies.

    `IncompleteError`: a check failed on as many nodes as there are, or on 3.
    """
    volumes, found = manifest.volumes, defaultdict[str, list[str]](list)
    for number in missing(depot):
        found[DEPOT].append(f"manifest {number} is missing before later ones; put back a copy")
    here = {node: (some,) for node, some in enumerate(nodes.of_nodes(volumes).values())}
    for mended in each(nodes, "mend", here).values():
        for name, some in mended.items() if isinstance(mended, dict) else ():
            found[name] += some
    for name, some in (nodes.rows.mend(volumes) if nodes.rows else {}).items():
        found[name] += some
    for one, some in zip(volumes, work(nodes, "check", [(one,) for one in volumes]), strict=True):
        found[one.name] += some
    return {name: some for name, some in found.items() if some}


def unnamed(depot: Depot) -> list[str]:
    """Return the files that no manifest names: of a load that runs or was ended, or of a generation that is lost."""
    named = named_files(depot, list(depot.generations()))
    return [one for one in depot.files() if one not in named]
