"""The table of routes, which the connections are given: the handler of each path."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from pmbf.serving.http.messages import Response


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a handler sees it.

    Args:
        query: The fields of the query.
        body: The whole body.
        is_trusted: Whether the request came through the Unix socket, or showed the access token.
        is_local: Whether the request came through the Unix socket, which only the service's own user can open.
        shown: SHA-256 of the certificate that the client has shown; empty without mutual TLS.
        coding: The `Content-Encoding` of the body; empty if it has none.
    """

    query: Mapping[str, str]
    body: bytes
    is_trusted: bool = True
    is_local: bool = True
    shown: bytes = b""
    coding: str = ""

    @property
    def unread_codings(self) -> tuple[str, ...]:
        """The codings of the body that pmbf does not unpack; what gzip and deflate pack is known by its bytes."""
        named = (one.strip().lower() for one in self.coding.split(","))
        return tuple(one for one in named if one not in ("", "identity", "gzip", "x-gzip", "deflate"))


Handler = Callable[[Request], Awaitable[Response]]
"""Returns a response, or raises `HttpError`; never looks at a socket."""


@dataclass(frozen=True, slots=True)
class Route:
    """The method and the handler of a path.

    Args:
        method: `GET` or `POST`.
        handler: Answers.
        is_open: Whether no access token is needed.
        most_bytes: Bytes of a body at most, if that is less than the service takes.
    """

    method: str
    handler: Handler
    is_open: bool = False
    most_bytes: int | None = None


Routes = Mapping[str, Route]
"""By path."""
