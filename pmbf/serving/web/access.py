"""Who asks, and whether the question may come from where it comes from.

- The `Host` of a request is one of the application's own names: a page of another site cannot reach it by a name that
  the other site points here (DNS rebinding).
- Programs show a token: `Authorization: Bearer TOKEN`. Browsers show the cookie of a session.
- A request with a cookie that changes something comes from a page of the application: `Sec-Fetch-Site` or `Origin` say
  so (cross-site request forgery). Browsers do not send the cookie from other sites, either (`SameSite=Strict`).
- Each answer says that it may not be framed, guessed at, kept, or load anything from elsewhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from functools import wraps
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pmbf.base.errors import CorruptError
from pmbf.serving.http.messages import HttpError
from pmbf.serving.web.tokens import ROLES, SESSION_S, AccessTokens, Token

ENTRANCE = "/enter"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
CONTENT_SECURITY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": CONTENT_SECURITY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks: a token's entry, and the session's secret if a browser asks."""

    token: Token
    session: str = ""

    def may(self, role: str) -> bool:
        """Whether the visitor has a role or one that may do more."""
        return ROLES.index(self.token.role) >= ROLES.index(role)


class Guarded:
    """An ASGI application behind the checks of this module.

    Args:
        application: The application behind.
        tokens: The known tokens and sessions.
        hosts: Values of `Host` that are the application's own.
        is_secure: Whether browsers reach the application over TLS, through a proxy.
    """

    def __init__(self, application: ASGIApp, *, tokens: AccessTokens, hosts: Collection[str], is_secure: bool) -> None:
        self._application = application
        self._tokens, self._hosts, self._is_secure = tokens, frozenset(hosts), is_secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        refusal = self._refusal(request)
        if refusal:
            raise refusal
        try:
            scope.setdefault("state", {})["visitor"] = self._visitor(request)
        except CorruptError as error:
            raise HttpError(500, str(error)) from error
        self._require_own_page(request)
        await self._application(scope, receive, send_guarded)

    def _refusal(self, request: Request) -> HttpError | None:
        if request.headers.get("host", "").lower() in self._hosts:
            return None
        return HttpError(421, f"the Host is none of this application's: {', '.join(sorted(self._hosts))}")

    def _visitor(self, request: Request) -> Visitor | None:
        """Return who asks, None if nobody is known; raise `HttpError` for a token that is wrong or has expired."""
        scheme, _, shown = request.headers.get("authorization", "").partition(" ")
        if scheme:
            token = self._tokens.of(shown.strip()) if scheme.lower() == "bearer" else None
            if token is None:
                raise HttpError(401, "the token is wrong or has expired", WWW_Authenticate="Bearer")
            return Visitor(token)
        session = request.cookies.get(cookie_name(request, is_secure=self._is_secure), "")
        token = self._tokens.of_session(session) if session else None
        return Visitor(token, session) if token else None

    def _require_own_page(self, request: Request) -> None:
        """Refuse a change that a page of another site asks for in a visitor's name."""
        visitor = request.scope["state"]["visitor"]
        is_browser = visitor.session if visitor else request.url.path == ENTRANCE
        if request.method in SAFE_METHODS or not is_browser:
            return
        site = request.headers.get("sec-fetch-site")
        own = f"{'https' if self._is_secure else 'http'}://{request.headers['host']}"
        if site != "same-origin" if site else request.headers.get("origin") != own:
            raise HttpError(403, "the request comes from another site's page")


def cookie_name(request: Request, *, is_secure: bool) -> str:
    """Return the name of the session's cookie.

    Over TLS it is one that no other host can set. Else it has the port: the ports of a host share their cookies, so a
    second application would end the sessions of the first.
    """
    return "__Host-pmbf" if is_secure else f"pmbf-{request.headers['host'].partition(':')[2] or 80}"


def with_session(request: Request, response: Response, secret: str, *, is_secure: bool) -> Response:
    """Give a browser the cookie of a session; an empty secret takes it away."""
    response.set_cookie(
        cookie_name(request, is_secure=is_secure),
        secret,
        max_age=SESSION_S if secret else 0,
        path="/",
        secure=is_secure,
        httponly=True,
        samesite="strict",
    )
    return response


def visitor_of(request: Request) -> Visitor:
    """Return who asks. Raises `HttpError` if nobody is known."""
    visitor = request.scope["state"].get("visitor")
    if visitor is None:
        raise HttpError(401, "the token is missing, expected Authorization: Bearer TOKEN", WWW_Authenticate="Bearer")
    assert isinstance(visitor, Visitor)
    return visitor


def needs(role: str, *, page: bool = False) -> Callable[[Handler], Handler]:
    """Let a handler answer visitors of a role alone; `page`: others are sent to the page that asks for a token."""

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        async def checked(request: Request) -> Response:
            if page and request.scope["state"].get("visitor") is None:
                return RedirectResponse(ENTRANCE, 303)
            if not visitor_of(request).may(role):
                raise HttpError(403, f"this needs a token of role {role}, yours has {visitor_of(request).token.role}")
            return await handler(request)

        checked.role = role  # type: ignore[attr-defined]
        return checked

    return decorate


def role_of(handler: Any) -> str | None:
    """Return the role that a handler needs; None if anybody may ask."""
    return getattr(handler, "role", None)
