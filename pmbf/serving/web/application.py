"""The application as a whole: its routes, and what becomes of errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from pmbf.base.errors import NotFoundError, ParameterError, PmbfError
from pmbf.serving.http.messages import HttpError
from pmbf.serving.web import browser, openapi
from pmbf.serving.web.access import Guarded
from pmbf.serving.web.jobs import NOT_KEPT
from pmbf.serving.web.running import Parts

PAGES = (
    ("GET", "/", browser.start),
    ("POST", "/", browser.screen),
    ("GET", "/jobs/{number}", browser.job),
    ("GET", "/screenings", browser.screenings),
    ("GET", "/screenings/{number}", browser.screening),
    ("GET", "/screenings/{number}/evidence", browser.evidence),
    ("POST", "/screenings/{number}/decide", browser.decide),
    ("POST", "/screenings/{number}/keep", browser.keep_text),
    ("POST", "/screenings/{number}/delete", browser.delete),
    ("GET", "/collection", browser.collection),
    ("POST", "/collection", browser.add),
    ("GET", "/collection/{id}", browser.document),
    ("POST", "/collection/{id}/remove", browser.remove),
    ("GET", "/tokens", browser.tokens),
    ("POST", "/tokens", browser.add_token),
    ("POST", "/tokens/{number}/remove", browser.remove_token),
    ("GET", "/enter", browser.enter),
    ("POST", "/enter", browser.entered),
    ("POST", "/leave", browser.leave),
    ("GET", "/api", browser.interface),
    ("GET", "/openapi.json", openapi.serve),
)
"""The method, the path and the handler of each page."""
STATIC = {"app.css": "text/css", "app.js": "text/javascript"}


def application(parts: Parts, *, hosts: Collection[str]) -> ASGIApp:
    """Return the application.

    Args:
        parts: What its handlers share.
        hosts: Values of `Host` that are the application's own.
    """
    operations = ((one.method, one.path, one.handler) for one in openapi.OPERATIONS)
    routes = [Route(path, handler, methods=[method]) for method, path, handler in (*operations, *PAGES)]
    routes.append(Route("/static/{name}", _static, methods=["GET"]))
    handlers: dict[Any, Callable[..., Any]] = {
        HttpError: _refused,
        HTTPException: lambda request, error: _refused(request, HttpError(error.status_code, error.detail)),
        NotFoundError: lambda request, error: _refused(request, HttpError(404, str(error))),
        ParameterError: lambda request, error: _refused(request, HttpError(400, str(error))),
        PmbfError: lambda request, error: _refused(request, HttpError(500, str(error))),
        sqlite3.DatabaseError: lambda request, error: _refused(request, HttpError(500, f"the state file: {error}")),
        sqlite3.OperationalError: lambda request, error: _refused(request, HttpError(503, f"{NOT_KEPT}: {error}")),
    }
    made = Starlette(routes=routes, exception_handlers=handlers)
    made.router.redirect_slashes = False  # it would lead to http:, also behind a proxy with TLS
    made.state.parts = parts
    return Guarded(made, tokens=parts.tokens, hosts=hosts, is_secure=parts.is_secure)


def _refused(request: Request, error: HttpError) -> Response:
    """Return an error as JSON to programs, as a page to browsers."""
    if request.url.path.startswith(("/v1/", "/healthz")):
        return JSONResponse({"error": str(error)}, error.status, error.headers)
    return browser.refused(request, error)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HttpError(404, f"there is no {name!r}")
    return Response(resources.files("pmbf.serving.web").joinpath("static", name).read_bytes(), media_type=STATIC[name])
