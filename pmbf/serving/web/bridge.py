"""The bridge between the service's connections and an ASGI application: the service's limits hold, bodies are streamed.

No ASGI server at hand has all of these limits (docs/decisions/0013-a-server-of-our-own.md). The bridge answers one
request of a connection: the application receives the body piece by piece and sends its answer piece by piece.

Source:
    ASGI 3.0, HTTP connection scope 2.3; RFC 9112, 7.1 (chunks).
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http import HTTPStatus
from typing import Any

from pmbf.serving.http.connections import Connection, Connections, Turn
from pmbf.serving.http.limits import ServiceLimits
from pmbf.serving.http.messages import CONTINUE, Head, HttpError, Response
from pmbf.serving.http.metrics import Metrics

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Application = Callable[[Scope, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

PIECE_BYTES = 1 << 16
SHOWN_PATH = "web"
"""What the counts and the log say instead of a path: paths of an application hold numbers of screenings."""


class ApplicationConnections(Connections):
    """All connections of a service whose requests an ASGI application answers."""

    def __init__(
        self, application: Application, metrics: Metrics, limits: ServiceLimits, *, is_logged: bool = False
    ) -> None:
        super().__init__({}, metrics, limits, is_logged=is_logged)
        self._application = application

    async def _exchange(self, connection: Connection, turn: Turn, head: Head) -> bool:
        exchange = Exchange(connection, turn, head, self._limits)
        self._metrics.in_flight += 1
        try:
            self._require_room(head, self._limits.request_bytes)
            await self._answered(exchange)
        except HttpError as error:
            await self._finish(connection, turn, Response.refusal(error), stays=False)
            return False
        finally:
            self._metrics.in_flight -= 1
        stays = exchange.is_whole and self._may_stay(turn, head)
        self._note(turn, SHOWN_PATH, exchange.status, exchange.n_sent)
        return stays

    async def _answered(self, exchange: Exchange) -> None:
        """Let the application answer; if it fails, or does not begin in time, then the client is told."""
        try:
            async with asyncio.timeout(None) as deadline:
                exchange.begun = lambda: deadline.reschedule(None)
                deadline.reschedule(asyncio.get_running_loop().time() + self._limits.body_s + self._limits.answer_s)
                await self._application(exchange.scope(), exchange.receive, exchange.send)
            if not exchange.has_begun:
                raise HttpError(500, "there is no answer")
        except HttpError as error:
            await exchange.refuse(error)
        except TimeoutError:
            await exchange.refuse(HttpError(504, f"the answer took longer than {self._limits.answer_s:g} s"))
        except ConnectionError:
            raise
        except Exception:  # a defect in one answer ends this connection alone
            traceback.print_exc(file=sys.stderr)
            await exchange.refuse(HttpError(500, "the service failed; its log says where"))


class Exchange:
    """One request and its response, as an ASGI application sees them. The turn counts the bytes of the body."""

    def __init__(self, connection: Connection, turn: Turn, head: Head, limits: ServiceLimits) -> None:
        self._reader, self._writer = connection.reader, connection.writer
        self._turn, self._head, self._limits = turn, head, limits
        self._is_chunked, self._is_bare = False, False
        self._over = asyncio.Event()
        self._is_read, self._stays = False, False
        self.begun: Callable[[], None] = lambda: None
        self.has_begun, self.is_whole = False, False
        self.status, self.n_sent = 0, 0

    def scope(self) -> Scope:
        """Return the connection scope of the request."""
        head = self._head
        path, _, query = head.target.partition("?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": head.version,
            "method": head.method,
            "scheme": "http",
            "path": head.path,
            "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"),
            "root_path": "",
            "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in head.headers.items()],
            "client": None,
            "server": None,
        }

    async def receive(self) -> Message:
        """Return the next piece of the body; after the last, wait until the exchange is over.

        `HttpError`: the body ends early or is too slow.
        """
        turn, head = self._turn, self._head
        if self._is_read:
            await self._over.wait()
            return {"type": "http.disconnect"}
        if not turn.n_body and head.n_body and "expect" in head.headers:
            self._writer.write(CONTINUE)
        piece = await self._piece(head.n_body - turn.n_body) if head.n_body else b""
        turn.n_body += len(piece)
        self._is_read = turn.n_body >= head.n_body
        return {"type": "http.request", "body": piece, "more_body": not self._is_read}

    async def _piece(self, most: int) -> bytes:
        try:
            async with asyncio.timeout(self._limits.stall_s):
                piece = await self._reader.read(min(most, PIECE_BYTES))
        except TimeoutError:
            raise HttpError(
                408, f"the body came too slowly: {self._turn.n_body} of {self._head.n_body} bytes"
            ) from None
        if not piece:
            raise HttpError(400, f"the body ends after {self._turn.n_body} of {self._head.n_body} bytes")
        return piece

    async def send(self, message: Message) -> None:
        """Send the head of the response, or a piece of its body.

        `ConnectionError`: the client has gone, or does not receive its answer.
        """
        if message["type"] == "http.response.start":
            self._start(message["status"], message.get("headers", ()))
        elif message["type"] == "http.response.body":
            await self._body(message.get("body", b""), is_last=not message.get("more_body", False))

    def _start(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.status, self.has_begun = status, True
        self.begun()
        some = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]
        names = {name for name, _ in some}
        self._is_bare = self._head.method == "HEAD" or status in (204, 304)
        self._is_chunked = not self._is_bare and "content-length" not in names and self._head.version == "1.1"
        keeps = self._is_bare or self._is_chunked or "content-length" in names
        self._stays = keeps and self._head.stays and self._turn.n_body == self._head.n_body
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {value}" for name, value in some)]
        lines += ["transfer-encoding: chunked"] if self._is_chunked else []
        lines.append(f"connection: {'keep-alive' if self._stays else 'close'}")
        self._write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def _body(self, body: bytes, *, is_last: bool) -> None:
        if body and not self._is_bare:
            self._write(b"%x\r\n%b\r\n" % (len(body), body) if self._is_chunked else body)
        if is_last:
            if self._is_chunked:
                self._write(b"0\r\n\r\n")
            self.is_whole = self._stays
            self._over.set()
        try:
            async with asyncio.timeout(self._limits.stall_s):
                await self._writer.drain()
        except TimeoutError:
            raise ConnectionError("the client does not receive its answer") from None

    def _write(self, some: bytes) -> None:
        if self._writer.is_closing():
            raise ConnectionError("the client has gone")
        self._writer.write(some)
        self.n_sent += len(some)

    async def refuse(self, error: HttpError) -> None:
        """Tell the client an error; if the answer has begun, then it can only end early."""
        self._over.set()
        if self.has_begun:
            self.is_whole = False
            return
        self.status, self.has_begun = error.status, True
        self._write(Response.refusal(error).encoded(stays=False))
        await self._writer.drain()
