"""One request of a connection and one response: as much of HTTP/1.1 as a service needs, and nothing ambiguous.

A body has a `Content-Length`. Transfer codings are refused, so that every reader sees the same end of a request.

Source:
    RFC 9112 (messages), RFC 9110 (status codes, `Expect`).
"""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from pmbf.serving.http.limits import ServiceLimits

MAX_HEADERS = 64
_ONCE = ("authorization", "content-encoding", "content-length", "host", "transfer-encoding")
"""Headers that a request has once at most: readers disagree which of two counts."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET = re.compile(r"/[!-~]*")
_VALUE = re.compile(r"[\t -~\x80-\xff]*")
_REASONS = {
    100: "Continue",
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    411: "Length Required",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    417: "Expectation Failed",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
}
JSON_TYPE = "application/json"


class HttpError(Exception):
    """A request is refused: the status and the reason."""

    def __init__(self, status: int, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass(frozen=True, slots=True)
class Head:
    """A request before its body.

    Args:
        path: The path without the query, unquoted.
        query: The fields of the query; of equal names the last.
        headers: Headers by name, in small letters.
        n_body: Bytes of the body.
        stays: Whether the connection is kept for another request.
        n_bytes: Bytes of the head itself.
        target: Path and query as they came.
        version: `1.0` or `1.1`.
    """

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    n_body: int
    stays: bool
    n_bytes: int
    target: str = "/"
    version: str = "1.1"


@dataclass(frozen=True, slots=True)
class Response:
    """A response, with headers beside those that each has, and the outcome in one word (`verdict`) for the log."""

    status: int
    body: bytes
    content_type: str = JSON_TYPE
    headers: Mapping[str, str] = field(default_factory=dict)
    verdict: str = "-"

    @staticmethod
    def of(values: Any, verdict: str = "-") -> Response:
        """Return values as JSON."""
        return Response(200, json.dumps(values).encode() + b"\n", verdict=verdict)

    @staticmethod
    def refusal(error: HttpError) -> Response:
        """Return an error as JSON, with its reason."""
        return Response(error.status, json.dumps({"error": str(error)}).encode() + b"\n", headers=error.headers)

    def encoded(self, *, stays: bool) -> bytes:
        """Return the response as it is sent."""
        lines = [
            f"HTTP/1.1 {self.status} {_REASONS[self.status]}",
            f"Content-Type: {self.content_type}",
            f"Content-Length: {len(self.body)}",
            "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            *(f"{name}: {value}" for name, value in self.headers.items()),
            f"Connection: {'keep-alive' if stays else 'close'}",
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + self.body


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

    Whether no access token is needed; the bytes of a body, if less than usual.
    """

    method: str
    handler: Handler
    is_open: bool = False
    most_bytes: int | None = None


Routes = Mapping[str, Route]
"""By path."""


CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


async def read_head(reader: asyncio.StreamReader, limits: ServiceLimits) -> Head | None:
    """Return the next request's head; None if the client has gone or sends no request within `idle_s`.

    `HttpError`: the head is malformed, too large or too slow.
    """
    try:
        async with asyncio.timeout(limits.idle_s):
            first = await reader.readexactly(1)
    except (TimeoutError, asyncio.IncompleteReadError):
        return None
    try:
        async with asyncio.timeout(limits.header_s):
            rest = await reader.readuntil(b"\r\n\r\n")
    except TimeoutError:
        raise HttpError(408, f"the headers took longer than {limits.header_s:g} s") from None
    except asyncio.LimitOverrunError:
        raise HttpError(431, f"the headers are longer than {limits.header_bytes} bytes") from None
    except asyncio.IncompleteReadError:
        return None
    if len(rest) >= limits.header_bytes:
        raise HttpError(431, f"the headers are longer than {limits.header_bytes} bytes")
    return parse_head(first + rest)


def parse_head(raw: bytes) -> Head:
    """Return a request's head; raise `HttpError` if it is malformed, or two readers could understand it differently."""
    first, *lines = raw[:-4].decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not _TOKEN.fullmatch(parts[0]) or not _TARGET.fullmatch(parts[1]):
        raise HttpError(400, "the first line is malformed, expected METHOD /PATH HTTP/1.1")
    method, target, version = parts
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        raise HttpError(505, "the version is unknown, expected HTTP/1.1")
    headers = _headers(lines)
    if version == "HTTP/1.1" and "host" not in headers:
        raise HttpError(400, "there is no Host header, which HTTP/1.1 asks for")
    path, _, query = target.partition("?")
    fields = dict(parse_qsl(query, keep_blank_values=True))
    connection = headers.get("connection", "keep-alive" if version == "HTTP/1.1" else "close").lower()
    stays = "close" not in connection and (version == "HTTP/1.1" or "keep-alive" in connection)
    n_body = _n_body(method, headers)
    return Head(method, unquote(path), fields, headers, n_body, stays, len(raw), target, version.removeprefix("HTTP/"))


def _headers(lines: list[str]) -> dict[str, str]:
    if len(lines) > MAX_HEADERS:
        raise HttpError(431, f"there are {len(lines)} headers, expected at most {MAX_HEADERS}")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise HttpError(400, "a header is malformed, expected NAME: VALUE")
        name, value = name.lower(), value.strip(" \t")
        if name in headers and name in _ONCE:
            raise HttpError(400, f"there are two headers {name}")
        headers[name] = value
    return headers


def _n_body(method: str, headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise HttpError(411, "transfer codings are not taken; send the body with a Content-Length")
    length = headers.get("content-length")
    if length is None:
        if method in ("POST", "PUT", "PATCH"):
            raise HttpError(411, "there is no Content-Length")
        return 0
    if not re.fullmatch(r"[0-9]{1,15}", length):
        raise HttpError(400, "Content-Length is no number of bytes")
    return int(length)


async def read_body(
    reader: asyncio.StreamReader, n_bytes: int, limits: ServiceLimits, came: Callable[[int], None]
) -> bytes:
    """Return a request's body of `n_bytes` bytes; `came` is called with the bytes of each piece, and may refuse.

    `HttpError`: the body ends early or is too slow, or `came` refuses it.
    """
    # Memory grows with the bytes that come, not with the length that the head claims.
    body = io.BytesIO()
    try:
        async with asyncio.timeout(limits.body_s):
            while (n_came := body.tell()) < n_bytes:
                async with asyncio.timeout(limits.stall_s):
                    piece = await reader.read(min(n_bytes - n_came, 1 << 20))
                if not piece:
                    raise HttpError(400, f"the body ends after {n_came} of {n_bytes} bytes")
                body.write(piece)
                came(len(piece))
    except TimeoutError:
        raise HttpError(408, f"the body came too slowly: {body.tell()} of {n_bytes} bytes") from None
    return body.getvalue()
