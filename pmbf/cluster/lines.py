"""Lines: connections between who asks and a holder on another host, for Ray's own calls take longer.

    submit(call, arguments) ─► a thread ─► frame ─► holder: call(*arguments) ─► frame ─► future

A holder waits for one line. Who asks has the key of it from Ray, and both sides prove that they know it. Then nothing
listens any more. With `RAY_USE_TLS` a line is encrypted, with the certificates of Ray.

Who knows the key may run code on the holder's host, as everyone may who may join the Ray cluster: frames have pickles.
"""

from __future__ import annotations

import contextlib
import hmac
import pickle
import secrets
import socket
import ssl
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from io import RawIOBase
from typing import Any, cast

from pmbf.cluster.encryption import MEET_S, context
from pmbf.jobs import Result, frames
from pmbf.jobs.processes import DiedError, answer, result_of

Address = tuple[str, int]

SILENT_S = 6
"""After so many seconds without a packet of the other host a line is broken; a host that only works goes on sending."""

_PROOF_BYTES = 32


class Line:
    """The line to a holder. It is connected at the first call; any thread may call.

    Args:
        where: Returns the holder's address once the holder is made.
        key: As the holder has it.
        end: Ends the holder.
    """

    def __init__(self, where: Callable[[], Address], key: bytes, end: Callable[[], object]) -> None:
        self._where, self._key, self._end = where, key, end
        self._thread = ThreadPoolExecutor(1)
        self._socket: socket.socket | None = None
        self._stream: RawIOBase | None = None

    def submit(self, call: Callable[..., Result], /, *arguments: Any) -> Future[Result]:
        return self._thread.submit(self._run, call, arguments)

    def close(self) -> None:
        """End the holder; calls that are not done have no result."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._end()
        with contextlib.suppress(AttributeError, OSError):  # not connected yet, or not any more
            cast(socket.socket, self._socket).shutdown(socket.SHUT_RDWR)

    def _run(self, call: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        try:
            stream = self._stream = self._stream or self._connected()
            frames.send(stream, {}, pickle.dumps((call, arguments), pickle.HIGHEST_PROTOCOL))
            answered = frames.receive(stream)
        except OSError as error:
            raise DiedError(f"the line to it is broken: {error}") from error
        if answered is None:
            raise DiedError("it died: the line to it has ended")
        return cast(Result, result_of(answered[1]))

    def _connected(self) -> RawIOBase:
        plain = socket.create_connection(where := self._where(), MEET_S)
        self._socket = plain.dup()  # to end the line while the thread waits for an answer
        _notice_silence(plain)
        tls = context(ssl.PROTOCOL_TLS_CLIENT)
        return _met(tls.wrap_socket(plain, server_hostname=where[0]) if tls else plain, self._key, is_holder=False)


class Waiting:
    """A holder's side: waits for one line at an address of this host, and answers its calls in a thread."""

    def __init__(self, host: str, key: bytes) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listening, self._key = socket.create_server((host, 0), family=family), key
        self.address: Address = self._listening.getsockname()[:2]
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        with self._listening, self._line() as stream, contextlib.suppress(OSError):
            self._listening.close()
            while request := frames.receive(stream):
                frames.send(stream, {}, answer(request[1]))

    def _line(self) -> RawIOBase:
        """Return the line of who knows the key; others are sent away."""
        tls = context(ssl.PROTOCOL_TLS_SERVER)
        while True:
            plain = self._listening.accept()[0]
            plain.settimeout(MEET_S)
            try:
                return _met(tls.wrap_socket(plain, server_side=True) if tls else plain, self._key, is_holder=True)
            except OSError:
                plain.close()


def _met(connection: socket.socket, key: bytes, *, is_holder: bool) -> RawIOBase:
    """Return the stream of a connection.

    Raise `OSError` unless its other side proves in time that it knows the key, too.
    """
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = connection.makefile("rwb", buffering=0)
    connection.close()  # the stream keeps it open
    mine, names = secrets.token_bytes(_PROOF_BYTES), (b"holder", b"asker") if is_holder else (b"asker", b"holder")
    frames.send(stream, {}, mine)
    theirs = _piece(stream)
    frames.send(stream, {}, _proof(key, names[0], theirs))
    if not hmac.compare_digest(_piece(stream), _proof(key, names[1], mine)):
        raise ConnectionError("who answers does not know the key")
    connection.settimeout(None)
    return stream


def _piece(stream: RawIOBase) -> bytes:
    pieces, n_bytes = [], frames.LENGTHS.size + len("{}") + _PROOF_BYTES
    while n_bytes and (piece := stream.read(n_bytes)):
        pieces.append(piece)
        n_bytes -= len(piece)
    if n_bytes:
        raise ConnectionError("who answers is no holder and asks none")
    return b"".join(pieces)[-_PROOF_BYTES:]


def _proof(key: bytes, who: bytes, challenge: bytes) -> bytes:
    return hmac.digest(key, who + challenge, "sha256")


def _notice_silence(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 2), ("TCP_KEEPINTVL", 1), ("TCP_KEEPCNT", SILENT_S - 2)):
        connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * SILENT_S)
