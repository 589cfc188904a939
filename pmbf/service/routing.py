"""Which path is answered by whom: a table of routes, which the connections are given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from pmbf.service.http import Response


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a handler sees it.

    Args:
        query: The fields of its query.
        body: All of it.
        is_trusted: Whether it came through the Unix socket, or showed the token.
        is_local: Whether it came through the Unix socket, which only the service's own user can open.
    """

    query: Mapping[str, str]
    body: bytes
    is_trusted: bool = True
    is_local: bool = True


Handler = Callable[[Request], Awaitable[Response]]
"""Returns a response, or raises `HttpError`; never looks at a socket."""


@dataclass(frozen=True, slots=True)
class Route:
    """How a path is asked, and who answers; `is_open` where no token is needed."""

    method: str
    handler: Handler
    is_open: bool = False


Routes = Mapping[str, Route]
"""By path."""
