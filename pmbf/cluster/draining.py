"""A host leaves a cluster, and no answer is lost: the hosts that stay fetch its volumes first."""

from __future__ import annotations

import time

from pmbf.base.errors import IncompleteError, NotFoundError
from pmbf.cluster.collection import ClusterCollection
from pmbf.cluster.on_ray import RayExecutor

LEAVE_S = 60.0
"""Seconds that a host has to leave."""


def drain(depot: str, host: str, ray: str, shelf: str) -> int:
    """Take a host out of a cluster, and return how many volumes the others have fetched or had.

    Args:
        depot: The depot of the collection.
        host: Name of the host.
        ray: Address of the Ray cluster.
        shelf: The folder for the copies on each host.

    Raises:
        NotFoundError: There is no such host, or no collection.
        IncompleteError: A volume cannot be read without the host, or the host does not leave.
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
