"""Connections: one request after another, each within its limits. Slow, broken and greedy clients cost only themselves.

A refused request is answered before its body is read, and is counted. The log has sizes, times and outcomes: no names,
no text, no query.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from pmbf.base.errors import PmbfError
from pmbf.serving.http.limits import ServiceLimits
from pmbf.serving.http.messages import CONTINUE, Head, HttpError, Request, Response, Route, Routes, read_body, read_head
from pmbf.serving.http.metrics import Metrics

LINGER_S = 1.0
"""Seconds that a refused client may go on sending: if the connection ended at once, it would lose the response."""
LINGER_BYTES = 4 << 20
REFUSALS = {401: "token", 408: "time", 413: "size", 429: "busy", 431: "size", 503: "busy", 504: "time"}


@dataclass(slots=True, eq=False)
class Door:
    """A socket that connections come from; each door has its own places, so that one door cannot fill another.

    Args:
        places: Connections at the same time.
        token: The access token that a request must show; empty if the socket itself keeps others out.
        n_taken: Taken places.
        places_each: Connections of one certificate at the same time; 0: as many as there are places.
        n_of: Taken places by the SHA-256 of the certificate.
    """

    places: int
    token: str = ""
    n_taken: int = 0
    places_each: int = 0
    n_of: Counter[bytes] = field(default_factory=Counter)

    def is_full(self, shown: bytes) -> bool:
        """Return whether a client with a certificate has taken too many places, or all clients have."""
        return self.n_taken > self.places or 0 < self.places_each < self.n_of[shown]


@dataclass(slots=True, eq=False)
class Connection:
    """A connection's two ends, its door, its task, and whether a request is under way."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    door: Door
    task: asyncio.Task[None] | None
    is_busy: bool = False


@dataclass(slots=True)
class Turn:
    """A request: its head or None, its time of arrival, and the bytes of its body so far."""

    head: Head | None
    start: float
    n_body: int = 0

    @property
    def n_received(self) -> int:
        return self.head.n_bytes + self.n_body if self.head else 0


class Connections:
    """All connections of a service; whether each response is a line on stderr, `is_logged` says."""

    def __init__(self, routes: Routes, metrics: Metrics, limits: ServiceLimits, *, is_logged: bool) -> None:
        self._routes = routes
        self._metrics = metrics
        self._limits = limits
        self._is_logged = is_logged
        self._open: set[Connection] = set()
        self._held_bytes = 0
        self._is_stopping = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, door: Door) -> None:
        """Answer the requests of a connection until it ends."""
        connection = Connection(reader, writer, door, asyncio.current_task())
        self._open.add(connection)
        self._metrics.connections = len(self._open)
        try:
            await self._serve_all(connection)
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
        finally:
            self._open.discard(connection)
            self._metrics.connections = len(self._open)

    async def _serve_all(self, connection: Connection) -> None:
        door, shown = connection.door, _shown(connection)
        door.n_taken += 1
        door.n_of[shown] += 1
        try:
            if door.is_full(shown):
                self._metrics.refuse("busy")
                await self._send(connection, Response.refusal(busy("connections")), stays=False)
            else:
                while not self._is_stopping and await self._serve_one(connection):
                    pass
        except (ConnectionError, TimeoutError):
            pass  # the client has gone, or does not receive its answer
        finally:
            door.n_taken -= 1
            door.n_of[shown] -= 1
            await _hang_up(connection)

    async def stop(self) -> None:
        """End all connections; requests that are being answered may finish, for `stop_s` at most."""
        self._is_stopping = True
        for one in self._open:
            if not one.is_busy and one.task:
                one.task.cancel()
        until = time.monotonic() + self._limits.stop_s
        while tasks := [one.task for one in self._open if one.task and not one.task.done()]:
            _, late = await asyncio.wait(tasks, timeout=max(0.0, until - time.monotonic()))
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # ------------------------------------------------------------------ one request

    async def _serve_one(self, connection: Connection) -> bool:
        """Answer the next request, and return whether there may be another."""
        try:
            head = await read_head(connection.reader, self._limits)
        except HttpError as error:
            await self._finish(connection, Turn(None, time.perf_counter()), Response.refusal(error), stays=False)
            return False
        if head is None:
            return False
        connection.is_busy = True
        stays = await self._exchange(connection, Turn(head, time.perf_counter()), head)
        connection.is_busy = False
        return stays

    async def _exchange(self, connection: Connection, turn: Turn, head: Head) -> bool:
        """Answer a request, and return whether there may be another."""
        self._metrics.in_flight += 1
        try:
            response = await self._response(connection, head, turn)
        finally:
            self._metrics.in_flight -= 1
        stays = self._may_stay(turn, head)
        await self._finish(connection, turn, response, stays=stays)
        return stays

    def _may_stay(self, turn: Turn, head: Head) -> bool:
        return head.stays and turn.n_body == head.n_body and not self._is_stopping

    async def _response(self, connection: Connection, head: Head, turn: Turn) -> Response:
        """Return the response; `turn` counts the bytes of the body."""

        def came(n_bytes: int) -> None:
            turn.n_body += n_bytes
            self._held_bytes += n_bytes
            if turn.n_body < self._held_bytes > self._limits.held_bytes:
                raise busy("bytes")

        token = connection.door.token
        is_trusted = not token or _shows(head, token)
        try:
            route = self._admitted(head, is_trusted=is_trusted)
            if head.headers.get("expect", "").lower() == "100-continue":
                connection.writer.write(CONTINUE)
            body = await read_body(connection.reader, head.n_body, self._limits, came)
            coding, shown = head.headers.get("content-encoding", ""), _shown(connection)
            request = Request(head.query, body, is_trusted, is_local=not token, shown=shown, coding=coding)
            return await self._answer(route, request)
        except HttpError as error:
            return Response.refusal(error)
        finally:
            self._held_bytes -= turn.n_body

    def _admitted(self, head: Head, *, is_trusted: bool) -> Route:
        """Return the route of a request.

        Raise `HttpError` if there is none, the service is busy, or this client may not ask.
        """
        limits, route = self._limits, self._routes.get(head.path)
        if not is_trusted and not (route and route.is_open):
            raise HttpError(401, "the token is missing or wrong, expected Authorization: Bearer TOKEN",
                            WWW_Authenticate="Bearer")  # fmt: skip
        if route is None:
            raise HttpError(404, f"there is no such path, expected one of {', '.join(self._routes)}")
        if head.method != route.method:
            raise HttpError(405, f"the method is {head.method}, expected {route.method}", Allow=route.method)
        most = min(limits.request_bytes, route.most_bytes or limits.request_bytes)
        self._require_room(head, most, takes_place=not route.is_open or head.n_body > 0)
        return route

    def _require_room(self, head: Head, most: int, *, takes_place: bool = True) -> None:
        """Refuse a request before its body, of `most` bytes, is read. It is among those in flight.

        One that takes no place, as for the health, is answered however many requests there are.
        """
        if head.headers.get("expect", "100-continue").lower() != "100-continue":
            raise HttpError(417, "what is expected is unknown, expected 100-continue")
        if head.n_body > most:
            raise HttpError(413, f"the body has {head.n_body} bytes, expected at most {most}")
        if not takes_place:
            return
        if self._metrics.in_flight > self._limits.requests:
            raise busy("requests")
        if self._held_bytes and self._held_bytes + head.n_body > self._limits.held_bytes:
            raise busy("bytes")

    async def _answer(self, route: Route, request: Request) -> Response:
        try:
            async with asyncio.timeout(self._limits.answer_s):
                return await route.handler(request)
        except TimeoutError:
            raise HttpError(504, f"the answer took longer than {self._limits.answer_s:g} s") from None
        except PmbfError as error:
            raise HttpError(500, str(error)) from None

    async def _finish(self, connection: Connection, turn: Turn, response: Response, *, stays: bool) -> None:
        """Send a response, count it, and write its line to the log."""
        n_sent = await self._send(connection, response, stays=stays)
        path = turn.head.path if turn.head and turn.head.path in self._routes else "other"
        self._note(turn, path, response.status, n_sent, response.verdict)

    def _note(self, turn: Turn, path: str, status: int, n_sent: int, verdict: str = "-") -> None:
        """Count a response, and write its line to the log."""
        seconds, head, received = time.perf_counter() - turn.start, turn.head, turn.n_received
        metrics = self._metrics
        metrics.answered(path, status, received=received, sent=n_sent, seconds=seconds)
        if status >= 400:
            metrics.refuse(REFUSALS.get(status, "failed" if status >= 500 else "malformed"))
        if self._is_logged:
            method = head.method if head else "-"
            figures = f"in={received} out={n_sent} ms={seconds * 1e3:.1f} outcome={verdict}"
            told = f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {method} {path} {status} {figures}"
            with contextlib.suppress(OSError):  # the reader of the log has gone: clients must not notice
                os.write(sys.stderr.fileno(), f"{told}\n".encode())  # a buffer would be written once more at the end

    async def _send(self, connection: Connection, response: Response, *, stays: bool) -> int:
        """Send a response; a client that does not receive it in time loses the connection."""
        encoded = response.encoded(stays=stays)
        connection.writer.write(encoded)
        async with asyncio.timeout(self._limits.stall_s):
            await connection.writer.drain()
        return len(encoded)


def _shown(connection: Connection) -> bytes:
    """Return the SHA-256 of the certificate that a client has shown; nothing without mutual TLS."""
    tls = connection.writer.get_extra_info("ssl_object")
    certificate = tls.getpeercert(binary_form=True) if tls else None
    return hashlib.sha256(certificate).digest() if certificate else b""


def _shows(head: Head, token: str) -> bool:
    scheme, _, shown = head.headers.get("authorization", "").partition(" ")
    return hmac.compare_digest(shown.strip().encode("latin-1"), token.encode()) and scheme.lower() == "bearer"


def busy(what: str) -> HttpError:
    """Return the refusal of a client for whom there is no place now."""
    return HttpError(503, f"there are too many {what} now; ask again in a second", Retry_After="1")


async def _hang_up(connection: Connection) -> None:
    """End a connection so that the client still gets what was sent to it."""
    reader, writer = connection.reader, connection.writer
    try:
        with contextlib.suppress(OSError, TimeoutError, RuntimeError):
            async with asyncio.timeout(LINGER_S):
                await writer.drain()
                if writer.can_write_eof():
                    writer.write_eof()
                n_bytes = 0
                while n_bytes < LINGER_BYTES and (piece := await reader.read(1 << 16)):
                    n_bytes += len(piece)
    finally:
        # Bytes that the client does not receive are dropped: closing would wait for them.
        writer.transport.abort()
