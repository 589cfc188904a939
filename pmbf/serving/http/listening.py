"""A socket that listens at an address of this machine alone, and the signals to who listens."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
from collections.abc import Iterator

from pmbf.base.errors import BusyError, ParameterError

LOOPBACK = ("127.0.0.1", "::1")


def parse_address(text: str) -> tuple[str, int]:
    """Return a loopback address and its port; raise `ParameterError` if the text is none.

    >>> parse_address("127.0.0.1:8765"), parse_address("[::1]:8765")
    (('127.0.0.1', 8765), ('::1', 8765))
    """
    host, colon, port = text.rpartition(":")
    host = "127.0.0.1" if host == "localhost" else host.strip("[]")
    if not colon or not port.isdecimal() or int(port) > 65535 or host not in LOOPBACK:
        raise ParameterError(
            f"{text!r} is no loopback address with a port, expected 127.0.0.1:PORT; nothing else is listened on: for "
            "other machines put a proxy with TLS before it"
        )
    return host, int(port)


def shown_address(host: str, port: int) -> str:
    """Return an address as it stands in a URL."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@contextlib.contextmanager
def listening(address: tuple[str, int] | None) -> Iterator[socket.socket | None]:
    """Give the socket that listens at an address; None without an address."""
    if not address:
        yield None
        return
    with socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
            bound.listen()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise BusyError(
                    f"{shown_address(*address)}: another program listens there; name another port, or 0 for a free one"
                ) from None
            raise ParameterError(f"{shown_address(*address)}: {error.strerror}; name another port") from None
        yield bound


def signals() -> tuple[asyncio.Event, asyncio.Event]:
    """Return what SIGTERM and SIGINT set, to stop, and what SIGHUP sets, to take up what was loaded since."""
    stopped, renewing, loop = asyncio.Event(), asyncio.Event(), asyncio.get_running_loop()
    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, stopped.set)
    loop.add_signal_handler(signal.SIGHUP, renewing.set)
    return stopped, renewing
