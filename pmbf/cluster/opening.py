"""Opens the collection of a cluster, on nodes of this machine or on the hosts of a Ray cluster; lets a host leave."""

from __future__ import annotations

import os
import time

from pmbf.base.errors import IncompleteError, NotFoundError
from pmbf.cluster.collection import SHELF, ClusterCollection
from pmbf.cluster.on_ray import RayExecutor

_USUAL_NODES = 3

LEAVE_S = 60.0
"""Seconds that a host has to leave."""


def opened(depot: str, ray: str | None = None, *, fetch_all: bool = False) -> ClusterCollection:
    """Return the collection of a cluster.

    Without the address of a Ray cluster, the nodes are processes of this machine. `NotFoundError`: there is no
    collection; `UnsupportedError`: Ray is not installed.
    """
    if not ray:
        return ClusterCollection(depot, nodes=min(_USUAL_NODES, os.cpu_count() or 1), fetch_all=fetch_all)
    executor = RayExecutor(ray)
    nodes = executor.nodes()
    return ClusterCollection(depot, nodes=nodes, executor=executor, shelf=SHELF, fetch_all=fetch_all)


def drain(depot: str, host: str, ray: str, shelf: str) -> int:
    """Take a host out of the Ray cluster, and return how many volumes the others have fetched or had.

    `NotFoundError`: there is no such host, or no collection. `IncompleteError`: a volume cannot be read without it, or
    it does not leave.
    """
    nodes = RayExecutor(ray).nodes()
    remaining = [one for one in nodes if one.host != host]
    if len(remaining) == len(nodes):
        raise NotFoundError(f"{ray}: there is no host {host!r} among {', '.join(one.host for one in nodes)}")
    if not remaining:
        raise IncompleteError(f"{host}: is the only host; end it with `pmbf cluster stop`")
    executor = RayExecutor(ray, [one.host for one in remaining])
    with ClusterCollection(depot, nodes=remaining, executor=executor, shelf=shelf) as collection:
        if missing := collection.status(fetch_all=True).missing:
            node, reasons = next(iter(missing.items()))
            raise IncompleteError(f"{node}: {next(iter(reasons.values()))}; {host} stays")
        n_volumes = len(collection.manifest.volumes)
    executor.drain(host)
    end = time.monotonic() + LEAVE_S
    while host in {one.host for one in executor.nodes()}:
        if time.monotonic() > end:
            raise IncompleteError(f"{host}: does not leave; give `pmbf cluster stop` there")
        time.sleep(0.2)
    return n_volumes
