"""Looks at all that a depot has: each file, each volume, each manifest, and what no manifest names."""

from __future__ import annotations

from collections import defaultdict

from pmbf.cluster.calls import Nodes
from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Manifest, missing
from pmbf.cluster.upkeep import named_files
from pmbf.cluster.working import each, work

DEPOT = "depot"
"""What problems are listed under that are of no volume."""


def problems(depot: Depot, nodes: Nodes, manifest: Manifest) -> dict[str, list[str]]:
    """Return what is wrong, by the name of the volume or `DEPOT`; the nodes share the work, and mend their copies.

    Raises:
        IncompleteError: A check failed on as many nodes as there are, or on 3.
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
    """Return the files that no manifest names: of a load that runs or was ended, or of a generation that is lost.

    Raises:
        NotFoundError, CorruptError: A manifest or a list cannot be read.
    """
    named = named_files(depot, list(depot.generations()))
    return [one for one in depot.files() if one not in named]
