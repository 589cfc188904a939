"""Runs of commands on the hosts of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pmbf.base.errors import IncompleteError
from pmbf.cli.arguments import option
from pmbf.cli.inputs import ray_of
from pmbf.cli.outcome import note
from pmbf.store.telling import RAY, OnNodes

if TYPE_CHECKING:
    from pmbf.cluster.on_ray import RayExecutor

Result = TypeVar("Result")


def parse_jobs(text: str) -> int | str:
    """Return a number of processes, or the address of a Ray cluster.

    >>> parse_jobs("4"), parse_jobs("ray://10.0.0.1:6379")
    (4, 'ray://10.0.0.1:6379')
    """
    if text.startswith(RAY) and text != RAY:
        return text
    if not text.isdecimal() or not int(text):
        raise ValueError(f"{text!r}, expected a whole number, at least 1, or ray://HOST:PORT")
    return int(text)


JobsOrHosts = Annotated[
    Any,
    option("--jobs", "N|ray://HOST:PORT", "Processes (default: one a core); or the hosts of a Ray cluster.",
           parser=parse_jobs),
]  # fmt: skip


def counting(jobs: int | str | None, there: OnNodes | None) -> tuple[int | None, str | None]:
    """Return how many processes compute, None for the usual number, and on which Ray cluster; None: on this machine.

    Args:
        jobs: The value of `--jobs`.
        there: Where the collection is, if it is on many nodes; those on a Ray cluster compute, too.
    """
    if isinstance(jobs, str):
        return None, jobs.removeprefix(RAY)
    return jobs, ray_of(there) if there else None


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
