"""A site's server: mutual TLS, the connections of the service, the answers of a collection.

SIGTERM, SIGINT   no new connections; requests that are being answered finish; then the server ends

A site that is added to the registry may ask within a second. A loaded document counts from the next task on.

A handshake has no certificate yet, so it counts for no partner. There are `MOST_HANDSHAKES` at a time. If one more
comes, then the oldest is ended: that of a partner is done within a second, that of a silent client never.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from pmbf.base.errors import PmbfError
from pmbf.serving.http.connections import Connections, Door
from pmbf.serving.http.limits import ServiceLimits
from pmbf.serving.http.listening import listening, shown_address, signals
from pmbf.serving.http.metrics import Metrics
from pmbf.sites.answering import Answers
from pmbf.sites.held import Held
from pmbf.sites.registry import Registry, opened
from pmbf.sites.tagging import TagSet
from pmbf.sites.tls import server_context, trust

CONNECTIONS_EACH = 8
"""Connections of a partner at the same time: one partner must not take the places of all."""
_LOOK_EVERY_S = 1.0
MOST_HANDSHAKES = 64
HANDSHAKE_S = 10.0
_PAUSE_S = 0.2
"""Seconds before the next try if the system gives no more descriptors."""

Served = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def run(
    registry: Registry,
    collection: Path,
    address: tuple[str, int],
    on_ready: Callable[[str], None],
    *,
    tagging: Callable[[], TagSet] | None = None,
    is_logged: bool = False,
) -> None:
    """Serve until a signal asks to stop.

    `on_ready` is called with the address, once the site answers; `tagging` makes the tags, if private questions are
    answered. `BusyError`: another program has the port; other errors are those of `Held`.
    """
    answers = Answers(registry, partial(Held, collection, tagging))
    try:
        with listening(address) as bound:
            assert bound is not None
            host, port = bound.getsockname()[:2]
            told = f"{answers.n_documents:,} documents of {collection} at {shown_address(host, port)}"
            serving = _serve(registry, answers, bound, partial(on_ready, told), is_logged)
            asyncio.run(serving)
    finally:
        answers.close()


async def _serve(
    registry: Registry,
    answers: Answers,
    bound: socket.socket,
    on_ready: Callable[[], None],
    is_logged: bool,
) -> None:
    limits = ServiceLimits()
    connections = Connections(answers.routes(), Metrics(), limits, is_logged=is_logged)
    context = server_context(registry)
    stopped, _ = signals()
    serve = partial(connections.serve, door=Door(limits.tcp_connections, places_each=CONNECTIONS_EACH))
    accepting = asyncio.create_task(Accepting(bound, context, serve, limits.header_bytes).run())
    looking = asyncio.create_task(_look_for_partners(registry, context))
    on_ready()
    await stopped.wait()
    accepting.cancel()
    looking.cancel()
    await connections.stop()


async def _look_for_partners(registry: Registry, context: ssl.SSLContext) -> None:
    """Let the context accept the certificates of partners that are added; who was taken out is refused by `Answers`."""
    known = {one.card.certificate for one in registry.partners.values()}
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        try:
            new = [one.card for one in opened(registry.folder).partners.values()]
        except (PmbfError, OSError):
            continue  # being written, or damaged: each answer says so
        trust(context, (card for card in new if card.certificate not in known))
        known |= {card.certificate for card in new}


class Accepting:
    """The connections of a listening socket, each served once both sides have shown their certificates."""

    def __init__(self, bound: socket.socket, context: ssl.SSLContext, serve: Served, most_bytes: int) -> None:
        self._bound, self._context, self._serve, self._most_bytes = bound, context, serve, most_bytes
        self._handshakes: dict[asyncio.Task[None], None] = {}  # oldest first
        bound.setblocking(False)
        bound.listen(MOST_HANDSHAKES)

    async def run(self) -> None:
        """Accept connections until the task is cancelled; handshakes end with it, connections do not."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                try:
                    accepted, _ = await loop.sock_accept(self._bound)
                except OSError:
                    await asyncio.sleep(_PAUSE_S)
                    continue
                if len(self._handshakes) >= MOST_HANDSHAKES:
                    oldest = next(iter(self._handshakes))
                    del self._handshakes[oldest]
                    oldest.cancel()
                task = asyncio.create_task(self._shake_hands(accepted))
                self._handshakes[task] = None
                task.add_done_callback(lambda done: self._handshakes.pop(done, None))
        finally:
            for task in self._handshakes:
                task.cancel()

    async def _shake_hands(self, accepted: socket.socket) -> None:
        """Make the handshake of a connection, which is then served by a task of its own."""
        loop = asyncio.get_running_loop()

        def protocol() -> asyncio.StreamReaderProtocol:
            reader = asyncio.StreamReader(self._most_bytes, loop)
            return asyncio.StreamReaderProtocol(reader, self._serve, loop)

        made = False
        try:
            with contextlib.suppress(OSError):  # no TLS, no certificate of a partner, too late, gone
                await loop.connect_accepted_socket(
                    protocol, accepted, ssl=self._context, ssl_handshake_timeout=HANDSHAKE_S
                )
                made = True
        finally:
            if not made:
                accepted.close()
