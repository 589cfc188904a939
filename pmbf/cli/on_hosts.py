"""Runs of commands on the hosts of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from pmbf.base.errors import IncompleteError
from pmbf.cli.outcome import note

if TYPE_CHECKING:
    from pmbf.cluster.on_ray import RayExecutor

Result = TypeVar("Result")


def on_hosts(ray: str, run: Callable[[Callable[[], RayExecutor], int], Result]) -> Result:
    """Return what a run returns. A run that a host left is made once more, on those that are up.

    Args:
        ray: The address of the cluster.
        run: Called with what makes an executor, and with the number of hosts.

    Raises:
        UnsupportedError: Ray is not installed.
        IncompleteError: Hosts were lost twice, or the cluster does not answer.
    """
    from pmbf.cluster import on_ray

    def executor() -> RayExecutor:
        return on_ray.RayExecutor(ray)

    def once() -> Result:
        return run(executor, len(executor().nodes()))

    try:
        return once()
    except IncompleteError as error:
        note(f"{error} (it is, once more, on the hosts that are up)")
        return once()
