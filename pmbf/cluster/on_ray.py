"""Holders on the hosts of a Ray cluster: the executor that the extra `pmbf[ray]` is for.

A holder is an actor, on the host that it is given. Ray never makes it anew by itself: who asks does, with `restart`. A
holder that is stopped or cut off answers late, and is ended then; Ray alone would wait for it.

Everyone who may join the Ray cluster may run code on its hosts: Ray's messages are pickles. So the token is asked for,
and Ray's reports home are switched off.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, cast

from pmbf.base.errors import IncompleteError, ParameterError, UnsupportedError
from pmbf.cluster.encryption import require_certificate_for, require_same
from pmbf.cluster.lines import Address, Line, Waiting
from pmbf.cluster.placement import Node
from pmbf.jobs.executor import Apart, Arguments, Process, hold
from pmbf.jobs.processes import DiedError

_SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token"}
"""What Ray reads from the environment. Values that are set already are kept."""

START_S = 120.0
"""Seconds in which a host must start a holder."""


class _Actor:
    """A holder in a process of Ray, which waits for a line."""

    def __init__(self, holder: Callable[..., object], arguments: Arguments, key: bytes) -> None:
        hold(holder, arguments)
        self._waiting = Waiting(_ray().util.get_node_ip_address(), key)

    def address(self) -> Address:
        return self._waiting.address


@cache
def _ray() -> Any:
    """Return Ray's module; raise `UnsupportedError` if it is not installed."""
    if "ray" not in sys.modules:  # Ray reads them when it is imported: a program that has done so has its own
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise UnsupportedError(
            "nodes on several machines need the extra 'ray': pip install 'pmbf[ray]'", missing_extra="ray"
        ) from error
    return ray


def _connect(ray: Any, address: str | None) -> None:
    if address is None:  # nobody else needs to know the token of a cluster that ends with this process
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    new = {} if address else {"include_dashboard": False}
    head = ray._private.services.canonicalize_bootstrap_address(address) if address else None
    if head:
        require_same(head)
    try:  # without an address Ray would join a cluster of RAY_ADDRESS, or the last one that was started here
        ray.init(address=address or "local", log_to_driver=False, logging_level="error", **new)
    except (ConnectionError, RuntimeError, ray.exceptions.RayError) as error:
        where = address or "this machine"
        what = f"{where}: no Ray cluster answers ({error})"
        raise IncompleteError(f"{what}; start it, and set RAY_AUTH_TOKEN to its token") from error
    try:
        require_certificate_for(ray.util.get_node_ip_address())  # hosts call this process, too
    except ParameterError:
        ray.shutdown()
        raise
    _tell_on_stderr(ray)


def _tell_on_stderr(ray: Any) -> None:
    """Have Ray tell of lost hosts on standard error. On standard output it would tell among a command's JSON."""
    worker = ray._private.worker
    told = getattr(worker, "print_to_stdstream", None)
    if told:  # there is no public way
        worker.print_to_stdstream = lambda message, **more: told(message | {"is_err": True}, **more)


class RayExecutor(Apart):
    """Holders on the hosts of a Ray cluster; see `pmbf.jobs.executor.Executor`.

    Args:
        address: Of the cluster's head, `HOST:PORT`, or `auto` for the one of this machine; None: a new one, on this
            machine alone, which ends with this process.
        hosts: The host of each shard, by Ray's name of the host; by default those that are up, in turn.

    Raises:
        UnsupportedError: The extra is not installed.
        IncompleteError: There is no cluster at the address, the token is not its own, or one side alone encrypts.
        ParameterError: Ray is to encrypt, and the files for that are none that other hosts believe.
    """

    def __init__(self, address: str | None = None, hosts: Sequence[str] = ()) -> None:
        ray = _ray()
        if not ray.is_initialized():
            _connect(ray, address)
        super().__init__()
        self._ids = self._hosts()
        self._of_shards = list(hosts) or sorted(self._ids)

    def nodes(self) -> list[Node]:
        """Return a node for each host of the cluster, by name."""
        return [Node(host, host) for host in sorted(self._hosts())]

    def drain(self, host: str) -> None:
        """Ask a host to leave. What runs on it is ended. `IncompleteError`: Ray refuses."""
        words = ["--address", _ray().get_runtime_context().gcs_address, "--node-id", self._ids[host]]
        why = ["--reason", "DRAIN_NODE_REASON_PREEMPTION", "--reason-message", "pmbf cluster drain"]
        command = [sys.executable, "-m", "ray.scripts.scripts", "drain-node", *words, *why]
        done = subprocess.run([*command, "--deadline-remaining-seconds", "5"], capture_output=True, text=True)
        if done.returncode:
            raise IncompleteError(f"{host}: Ray does not let it go: {(done.stderr or done.stdout).strip()[-300:]}")

    def _hosts(self) -> dict[str, str]:
        """Return Ray's id of each host that is up, by name."""
        return {one["NodeName"]: one["NodeID"] for one in _ray().nodes() if one["Alive"]}

    def _process(self, shard: int) -> Process:
        """Begin to make a holder. If its host is gone, then the calls of the holder fail until it is back."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._ids |= self._hosts()  # a host that came back has another id
        host, key = self._of_shards[shard % len(self._of_shards)], secrets.token_bytes(32)
        there = NodeAffinitySchedulingStrategy(self._ids[host], soft=False)
        options: dict[str, Any] = {"max_restarts": 0, "max_task_retries": 0, "num_cpus": 0}
        actor = _ray().remote(_Actor).options(scheduling_strategy=there, **options).remote(*self._made[shard], key)
        return Line(partial(_address, actor), key, partial(_ray().kill, actor))


def _address(actor: Any) -> Address:
    """Return where a holder waits for its line, once it is made."""
    ray = _ray()
    try:
        return cast(Address, ray.get(actor.address.remote(), timeout=START_S))
    except ray.exceptions.RayError as error:  # GetTimeoutError, too
        raise DiedError(f"it does not start: {str(error).splitlines()[0]}") from error
