"""The service as a whole: sockets, signals, start and stop.

SIGTERM, SIGINT   no new connections; requests that are being answered finish; then the service ends
SIGHUP            new working processes take over when they are ready, for another collection in the same place
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pmbf.base.errors import BusyError
from pmbf.guard.policy import Policy
from pmbf.screen.templates import Offered, offered
from pmbf.serving.http.connections import Connections, Door
from pmbf.serving.http.limits import ServiceLimits
from pmbf.serving.http.listening import listening, shown_address, signals
from pmbf.serving.http.metrics import Metrics
from pmbf.serving.service.place import made_folder, read_token
from pmbf.serving.service.pool import Pool
from pmbf.serving.service.routes import Service, routes

WORKING_MODULE = "pmbf.serving.service.worker"


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How a service runs.

    Args:
        policy: The policy of requests that bring no policy; it names the collection.
        socket: Path of the Unix socket.
        n_workers: Working processes, at least 1.
        tcp: A loopback address and a port, or None.
        token_file: Holds the access token that clients over TCP show; made if it does not exist.
        is_logged: Whether each response is a line on stderr.
        templates: The templates that clients may choose by name.
        fetch_all: Whether the nodes of a cluster fetch all volumes before the service answers.
    """

    policy: Policy
    socket: Path
    n_workers: int
    tcp: tuple[str, int] | None = None
    token_file: Path | None = None
    is_logged: bool = False
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    templates: Offered = field(default_factory=offered)
    fetch_all: bool = False


def run(settings: ServiceSettings, on_ready: Callable[[str], None], on_problem: Callable[[str], None]) -> None:
    """Serve until a signal asks to stop.

    `on_ready` is called with the collection and the addresses, once the service answers; `on_problem` with each problem
    that does not end the service.

    Raises:
        BusyError: Another service has the socket, or another program has the port.
        ParameterError: Others could write to the socket's folder, or read the token, or the port cannot be had.
        WorkerError: The collection cannot be opened.
    """
    with _taken(settings.socket), listening(settings.tcp) as tcp:
        token = _token(settings) if tcp else ""
        asyncio.run(_serve(settings, tcp, token, on_ready, on_problem))


async def _serve(
    settings: ServiceSettings,
    tcp: socket.socket | None,
    token: str,
    on_ready: Callable[[str], None],
    on_problem: Callable[[str], None],
) -> None:
    policy = settings.policy
    fetch_all = "all" if settings.fetch_all else ""
    place = [policy.cluster, policy.ray, fetch_all] if policy.cluster else [policy.collection]
    pool, metrics = Pool(place, settings.n_workers, WORKING_MODULE), Metrics()
    answers = routes(Service(policy, pool, metrics, settings.templates))
    connections = Connections(answers, metrics, settings.limits, is_logged=settings.is_logged)
    stopped, renewing = signals()
    await pool.start()
    limits = settings.limits
    owner, others = Door(limits.connections), Door(limits.tcp_connections, token)
    servers = [
        await asyncio.start_unix_server(
            partial(connections.serve, door=owner), sock=_bound(settings), limit=limits.header_bytes
        )
    ]
    if tcp:
        serve = partial(connections.serve, door=others)
        servers.append(await asyncio.start_server(serve, sock=tcp, limit=limits.header_bytes))
    on_ready(f"{pool.status['n_documents']:,} documents of {policy.protected}: {_places(settings, tcp)}")
    renewal = asyncio.create_task(pool.renew_when(renewing, on_problem))
    await stopped.wait()
    for server in servers:
        server.close()
    renewal.cancel()
    await connections.stop()
    await pool.close()


def _places(settings: ServiceSettings, tcp: socket.socket | None) -> str:
    if not tcp:
        return str(settings.socket)
    host, port = tcp.getsockname()[:2]
    return f"{settings.socket}, {shown_address(host, port)} with the token in {settings.token_file}"


def _token(settings: ServiceSettings) -> str:
    file = settings.token_file or settings.socket.with_suffix(".token")
    made_folder(file)
    return read_token(file)


def _bound(settings: ServiceSettings) -> socket.socket:
    """Return the listening socket, which only this user may open."""
    bound = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        if settings.socket.is_socket():
            settings.socket.unlink()  # the service that left it has ended, since we hold the lock
        bound.bind(os.fspath(settings.socket))
    finally:
        os.umask(before)
    return bound


@contextlib.contextmanager
def _taken(path: Path) -> Iterator[None]:
    """Hold the lock of a socket's path; remove the socket at the end."""
    made_folder(path)
    descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"{path}: another pmbf serve answers there; stop it, or name another --socket") from None
        try:
            yield
        finally:
            if path.is_socket():
                path.unlink()
    finally:
        os.close(descriptor)
