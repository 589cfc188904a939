"""Encryption between hosts, with the certificates that Ray is given: `RAY_USE_TLS` and three files.

Ray waits for ever for a host whose certificate it does not believe, and does not say so. So what it would wait for is
tried before: our own certificate in a handshake with ourselves, the cluster's by one connection.
"""

from __future__ import annotations

import os
import socket
import ssl
from contextlib import suppress

from pmbf.base.errors import IncompleteError, ParameterError

MEET_S = 5.0
"""Seconds in which the other side of a connection must answer."""

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
"""How a call of Ray begins: HTTP/2, and a frame with no settings."""

_SETTINGS_FRAME = b"\4"
"""The fourth byte of what a host of Ray answers."""


def encrypts() -> bool:
    """Return whether Ray is to encrypt."""
    return os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true")


def context(side: int) -> ssl.SSLContext | None:
    """Return what encrypts a connection if Ray's own are encrypted: both sides show a certificate.

    `side` is `ssl.PROTOCOL_TLS_CLIENT` or `ssl.PROTOCOL_TLS_SERVER`. `ParameterError` names a file that is missing or
    wrong.
    """
    if not encrypts():
        return None
    made = ssl.SSLContext(side)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    authority, own, key = (_file(name) for name in ("RAY_TLS_CA_CERT", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY"))
    try:
        made.load_verify_locations(authority)
        made.load_cert_chain(own, key)
    except ssl.SSLError as error:
        raise ParameterError(f"{authority}, {own} and {key} do not belong together: {error.reason}") from error
    made.verify_mode = ssl.CERT_REQUIRED
    return made


def _file(name: str) -> str:
    path = os.environ.get(name, "")
    try:
        with open(path, "rb"):
            return path
    except OSError as error:
        raise ParameterError(f"RAY_USE_TLS is set, and {name} is {path!r}: {error.strerror}") from error


def require_certificate_for(address: str) -> None:
    """Raise `ParameterError` if other hosts would not believe this one, at the address under which they reach it.

    Its certificate does not name the address then, is not of the authority, or is too old.
    """
    asker, asked = context(ssl.PROTOCOL_TLS_CLIENT), context(ssl.PROTOCOL_TLS_SERVER)
    if asker is None or asked is None:
        return
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [asker.wrap_bio(back, there, server_hostname=address), asked.wrap_bio(there, back, server_side=True)]
    try:
        while ends:
            for end in list(ends):
                with suppress(ssl.SSLWantReadError):
                    end.do_handshake()
                    ends.remove(end)
    except ssl.SSLCertVerificationError as error:
        own = os.environ["RAY_TLS_SERVER_CERT"]
        raise ParameterError(f"{own}: other hosts would not believe it: {error.verify_message}") from error


def require_same(where: str) -> None:
    """Raise `IncompleteError` unless who listens at `HOST:PORT` encrypts as we do and both believe each other.

    If nobody listens, then nothing is raised. `ParameterError`: our own files are none.
    """
    tls = context(ssl.PROTOCOL_TLS_CLIENT)
    host, _, port = where.rpartition(":")
    try:
        connection = socket.create_connection((host.strip("[]"), int(port)), MEET_S)
    except OSError:  # Ray tells that
        return
    try:
        if tls:
            tls.set_alpn_protocols(["h2"])
            connection = tls.wrap_socket(connection, server_hostname=host.strip("[]"))
        with connection:
            connection.sendall(_PREFACE)
            answered = connection.recv(4)
    except ssl.SSLCertVerificationError as error:
        raise IncompleteError(f"{where}: its certificate is not to be believed: {error.verify_message}") from error
    except TimeoutError:
        return  # it may be busy, or stopped
    except OSError:
        answered = b""
    if answered[3:] != _SETTINGS_FRAME:
        why = "does not encrypt, or does not believe our certificate" if tls else "encrypts: set RAY_USE_TLS"
        raise IncompleteError(f"{where}: the cluster {why}, or it is none of Ray")
