"""A site's server: mutual TLS, the connections of the service, the answers of a collection.

SIGTERM, SIGINT   no new connections; requests that are being answered finish; then the server ends

A site that is added to the registry may ask within a second. A loaded document counts from the next task on.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pmbf.base.errors import PmbfError
from pmbf.serving.http.connections import Connections, Door
from pmbf.serving.http.limits import ServiceLimits
from pmbf.serving.http.listening import listening, shown_address
from pmbf.serving.http.metrics import Metrics
from pmbf.serving.service.signals import signals
from pmbf.sites.accepting import Accepting
from pmbf.sites.answering import Answers
from pmbf.sites.held import Held
from pmbf.sites.registry import Registry, opened
from pmbf.sites.tagging import TagSet
from pmbf.sites.tls import server_context, trust

CONNECTIONS_EACH = 8
"""Connections of a partner at the same time: one partner must not take the places of all."""
_LOOK_EVERY_S = 1.0


def run(
    registry: Registry,
    collection: Path,
    address: tuple[str, int],
    on_ready: Callable[[str], None],
    *,
    tagging: Callable[[], TagSet] | None = None,
    is_logged: bool = False,
    limits: ServiceLimits | None = None,
) -> None:
    """Serve until a signal asks to stop.

    Args:
        registry: Who we are, and who may ask.
        collection: Folder of the collection; it has sentences of the code `words`.
        address: Where to listen; port 0 takes a free one.
        on_ready: Called with the address, once the site answers.
        tagging: Makes the tags, if private questions are answered.
        is_logged: Whether each response is a line on stderr.
        limits: Sizes, times and numbers that askers may take.

    Raises:
        BusyError: Another program has the port.
        NotFoundError, ParameterError, CorruptError, UnsupportedError: As for `Held`.
    """
    answers = Answers(registry, partial(Held, collection, tagging))
    try:
        with listening(address) as bound:
            assert bound is not None
            host, port = bound.getsockname()[:2]
            told = f"{answers.n_documents:,} documents of {collection} at {shown_address(host, port)}"
            serving = _serve(registry, answers, bound, partial(on_ready, told), is_logged, limits or ServiceLimits())
            asyncio.run(serving)
    finally:
        answers.close()


async def _serve(
    registry: Registry,
    answers: Answers,
    bound: socket.socket,
    on_ready: Callable[[], None],
    is_logged: bool,
    limits: ServiceLimits,
) -> None:
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
