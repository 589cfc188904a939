"""A site accepts connections and makes their TLS handshakes. Who connects and says nothing takes no place for long.

A handshake has no certificate yet, so it counts for no partner. There are `MOST_HANDSHAKES` at a time. If one more
comes, then the oldest is ended: that of a partner is done within a second, that of a silent client never.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Awaitable, Callable

MOST_HANDSHAKES = 64
HANDSHAKE_S = 10.0
_PAUSE_S = 0.2
"""Seconds before the next try if the system gives no more descriptors."""

Served = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Accepting:
    """The connections of a listening socket.

    Args:
        bound: The socket.
        context: Ours, for TLS.
        serve: Answers a connection, once both sides have shown their certificates.
        most_bytes: Bytes of a line.
    """

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
