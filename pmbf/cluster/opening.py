"""Opens the collection of a cluster: on nodes of this machine, or on the hosts of a Ray cluster."""

from __future__ import annotations

import os

from pmbf.cluster.collection import SHELF, ClusterCollection

_USUAL_NODES = 3


def opened(depot: str, ray: str | None = None, *, fetch_all: bool = False) -> ClusterCollection:
    """Return the collection of a cluster.

    Args:
        depot: The folder of the depot, or `s3://bucket/folder`.
        ray: The address of a Ray cluster; without it, the nodes are processes of this machine.
        fetch_all: As for `ClusterCollection`.

    Raises:
        NotFoundError: There is no collection.
        UnsupportedError: `ray` is given, and Ray is not installed.
    """
    if not ray:
        return ClusterCollection(depot, nodes=min(_USUAL_NODES, os.cpu_count() or 1), fetch_all=fetch_all)
    from pmbf.cluster.on_ray import RayExecutor

    executor = RayExecutor(ray)
    nodes = executor.nodes()
    return ClusterCollection(depot, nodes=nodes, executor=executor, shelf=SHELF, fetch_all=fetch_all)
