"""The client of a hook: the standard library and a socket, so that it starts at once.

Payloads go in small requests over up to 4 connections, so that the service works at one request while the next is read.
If the service does not answer a request, for whatever reason, then the asker judges its payloads itself: the answer is
the same, only later.
"""

from __future__ import annotations

import json
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pmbf.base.errors import IncompleteError
from pmbf.guard.session import Session
from pmbf.guard.types import Judged, Payload
from pmbf.jobs import frames
from pmbf.serving.service.requests import request

CONNECT_S = 1.0
ANSWER_S = 180.0
"""Seconds to wait for an answer: longer than any answer of the service may take."""
REQUEST_BYTES = 320 << 10
REQUEST_PAYLOADS = 64
N_CONNECTIONS = 4
MAX_RESPONSE_HEAD_BYTES = 1 << 14


class ServiceError(IncompleteError):
    """The service did not answer; the payloads can be judged without it."""


class Asker:
    """Asks the service at a socket. `on_failure` is called once, with the reason why the service is no longer asked."""

    def __init__(self, path: Path, on_failure: Callable[[str], None]) -> None:
        self._path = path
        self._on_failure = on_failure

    def judged(self, session: Session, payloads: Iterable[Payload]) -> Iterator[Judged]:
        """Yield each payload with its findings, in order.

        The session judges payloads that the service does not answer.
        """
        asked: deque[tuple[_Exchange, list[Payload]]] = deque()
        connections: list[_Exchange] = []
        groups = _grouped(payloads)
        waiting: list[Payload] = []
        try:
            for waiting in groups:
                if len(asked) == N_CONNECTIONS:
                    yield from self._answered(asked)
                exchange = self._exchange(connections, asked)
                exchange.send(*request(session, waiting))
                asked.append((exchange, waiting))
                waiting = []
            while asked:
                yield from self._answered(asked)
        except ServiceError as error:  # errors of the payloads' source are no failure of the service
            self._on_failure(str(error))
            late = [payload for _, group in asked for payload in group] + waiting
            yield from session.judged(_chained(late, groups))
        finally:
            for exchange in connections:
                exchange.close()

    def _exchange(self, connections: list[_Exchange], asked: deque[tuple[_Exchange, list[Payload]]]) -> _Exchange:
        """Return a connection that waits for no answer."""
        busy = [exchange for exchange, _ in asked]
        for exchange in connections:
            if exchange not in busy:
                return exchange
        connections.append(_Exchange(self._path))
        return connections[-1]

    def _answered(self, asked: deque[tuple[_Exchange, list[Payload]]]) -> list[Judged]:
        """Return the answers to the oldest request; the request stays in the queue if the answer is malformed."""
        exchange, group = asked[0]
        try:
            found = exchange.receive()
            judged = [Judged.from_dict(values, payload.bare()) for values, payload in zip(found, group, strict=True)]
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise ServiceError(f"the service's answer is none: {error!r}") from None
        asked.popleft()
        return judged


class _Exchange:
    """One connection: a request is sent, then its response is received."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(CONNECT_S)
            self._socket.connect(os.fspath(path))
        except OSError as error:
            self._socket.close()
            raise ServiceError(f"{path}: {error.strerror or error}") from None
        self._socket.settimeout(ANSWER_S)

    def send(self, header: dict[str, Any], contents: Sequence[bytes]) -> None:
        n_body = sum(map(len, contents))
        head = frames.head_of(header, n_body)
        lines = f"POST /v1/judge HTTP/1.1\r\nHost: pmbf\r\nContent-Length: {len(head) + n_body}\r\n\r\n"
        try:
            self._socket.sendall(b"".join([lines.encode(), head, *contents]))
        except (BrokenPipeError, ConnectionResetError):
            return  # the service refused before all was sent: its response says why
        except OSError as error:
            raise ServiceError(str(error)) from None

    def receive(self) -> list[dict[str, Any]]:
        """Return the judged payloads as JSON-ready values.

        Raise `ServiceError` if the service refused, or went away.
        """
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._piece()
            if len(got) > MAX_RESPONSE_HEAD_BYTES + (1 << 18):
                raise ServiceError("the service does not speak HTTP")
        head, _, body = got.partition(b"\r\n\r\n")
        status, *lines = head.split(b"\r\n")
        lengths = [line.split(b":")[1] for line in lines if line.lower().startswith(b"content-length:")]
        pieces, n_missing = [body], int(lengths[0]) - len(body) if lengths else 0
        while n_missing > 0:
            pieces.append(self._piece())
            n_missing -= len(pieces[-1])
        values = json.loads(b"".join(pieces))
        if status.split()[1:2] != [b"200"]:
            raise ServiceError(values["error"])
        found: list[dict[str, Any]] = values["judged"]
        return found

    def _piece(self) -> bytes:
        try:
            piece = self._socket.recv(1 << 18)
        except TimeoutError:
            raise ServiceError(f"no answer within {ANSWER_S:g} s") from None
        except OSError as error:
            raise ServiceError(error.strerror or str(error)) from None
        if not piece:
            raise ServiceError("the service went away")
        return piece

    def close(self) -> None:
        self._socket.close()


def _grouped(payloads: Iterable[Payload]) -> Iterator[list[Payload]]:
    """Yield payloads in groups of one request each."""
    group: list[Payload] = []
    n_bytes = 0
    for payload in payloads:
        size = len(payload.content or b"")
        if group and (len(group) == REQUEST_PAYLOADS or n_bytes + size > REQUEST_BYTES):
            yield group
            group, n_bytes = [], 0
        group.append(payload)
        n_bytes += size
    if group:
        yield group


def _chained(late: Iterable[Payload], groups: Iterable[Sequence[Payload]]) -> Iterator[Payload]:
    yield from late
    for group in groups:
        yield from group
