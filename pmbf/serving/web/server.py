"""The application at its address: sockets, signals, start and stop; its routes, and what becomes of errors.

SIGTERM, SIGINT   no new connections; requests that are being answered finish; then the application ends
SIGHUP            new working processes take over when they are ready, for another collection in the same place
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sqlite3
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from pmbf.base.errors import NotFoundError, ParameterError, PmbfError
from pmbf.screen.templates import Offered, offered
from pmbf.serving.http.connections import Door
from pmbf.serving.http.limits import ServiceLimits
from pmbf.serving.http.listening import listening, shown_address, signals
from pmbf.serving.http.messages import HttpError
from pmbf.serving.http.metrics import Metrics
from pmbf.serving.service.pool import Pool
from pmbf.serving.web import api, browser, database, openapi
from pmbf.serving.web.access import Guarded
from pmbf.serving.web.bridge import ApplicationConnections
from pmbf.serving.web.history import History
from pmbf.serving.web.jobs import NOT_KEPT, Jobs
from pmbf.serving.web.running import Parts
from pmbf.serving.web.tokens import AccessTokens
from pmbf.store.folders import make_folder
from pmbf.store.ownership import require_own_folder

PAGES = (
    ("GET", "/", browser.start),
    ("POST", "/", browser.screen),
    ("GET", "/jobs/{number}", browser.job),
    ("GET", "/screenings", browser.screenings),
    ("GET", "/screenings/{number}", browser.screening),
    ("GET", "/screenings/{number}/evidence", browser.evidence),
    ("POST", "/screenings/{number}/decide", browser.decide),
    ("POST", "/screenings/{number}/keep", browser.then(api.keep_text, "/screenings/{number}")),
    ("POST", "/screenings/{number}/delete", browser.then(api.delete_screening, "/screenings")),
    ("GET", "/collection", browser.collection),
    ("POST", "/collection", browser.add),
    ("GET", "/collection/{id}", browser.document),
    ("POST", "/collection/{id}/remove", browser.then(api.remove_document, "/collection")),
    ("GET", "/tokens", browser.tokens),
    ("POST", "/tokens", browser.add_token),
    ("POST", "/tokens/{number}/remove", browser.then(api.remove_token, "/tokens")),
    ("GET", "/enter", browser.enter),
    ("POST", "/enter", browser.entered),
    ("POST", "/leave", browser.leave),
    ("GET", "/api", browser.interface),
    ("GET", "/openapi.json", openapi.serve),
)
"""The method, the path and the handler of each page."""
STATIC = {"app.css": "text/css", "app.js": "text/javascript"}
WORKING_MODULE = "pmbf.serving.web.asks"
EXPIRY_EVERY_S = 3600.0
RISK = "others could read the history or forge decisions"


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How the application runs.

    Args:
        collection: Folder of the collection.
        state: Folder of the history and the tokens; it belongs to this user alone.
        address: A loopback address and a port; port 0 takes a free one.
        n_workers: Working processes, at least 1.
        host: The name under which a proxy with TLS shows the application to others; empty: there is no proxy.
        kept_s: Seconds that screenings are kept; None: until they are deleted.
        is_logged: Whether each response is a line on stderr.
        templates: The templates that users may choose by name.
    """

    collection: str
    state: Path
    address: tuple[str, int]
    n_workers: int
    host: str = ""
    kept_s: float | None = None
    is_logged: bool = False
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    templates: Offered = field(default_factory=offered)


def run(settings: WebSettings, on_ready: Callable[[str, str], None], on_problem: Callable[[str], None]) -> None:
    """Serve until a signal asks to stop.

    `on_ready` is called with the address, and with one that opens a session once, when the application answers;
    `on_problem` with each problem that does not end it.

    Raises:
        BusyError: Another program has the port.
        ParameterError: Others could write to the state's folder.
        UnsupportedError: A newer pmbf wrote the state.
        WorkerError: The collection cannot be opened.
    """
    make_folder(settings.state, mode=0o700)
    require_own_folder(settings.state, RISK)
    with listening(settings.address) as bound:
        assert bound is not None
        asyncio.run(_serve(settings, bound, on_ready, on_problem))


async def _serve(
    settings: WebSettings, bound: socket.socket, on_ready: Callable[[str, str], None], on_problem: Callable[[str], None]
) -> None:
    host, port = bound.getsockname()[:2]
    with contextlib.closing(database.opened(settings.state)) as db:
        history, tokens, limits = History(db), AccessTokens(db), settings.limits
        pool = Pool([settings.collection], settings.n_workers, WORKING_MODULE)
        jobs = Jobs(pool, history, answer_s=limits.answer_s)
        parts = Parts(
            settings.collection,
            pool,
            jobs,
            history,
            tokens,
            is_secure=bool(settings.host),
            templates=settings.templates,
            kept_s=settings.kept_s,
        )
        hosts = [settings.host.lower()] if settings.host else list(_own_names(host, port))
        connections = ApplicationConnections(
            application(parts, hosts=hosts), Metrics(), limits, is_logged=settings.is_logged
        )
        stopped, renewing = signals()
        await pool.start()
        serve = partial(connections.serve, door=Door(limits.tcp_connections))
        server = await asyncio.start_server(serve, sock=bound, limit=limits.header_bytes)
        address = f"https://{settings.host}/" if settings.host else f"http://{shown_address(host, port)}/"
        on_ready(address, f"{address}enter?ticket={tokens.ticket(tokens.own())}")
        tasks = [asyncio.create_task(pool.renew_when(renewing, on_problem))]
        if settings.kept_s is not None:
            tasks.append(asyncio.create_task(_expire(history, settings.kept_s, on_problem)))
        await stopped.wait()
        server.close()
        for task in tasks:
            task.cancel()
        await jobs.close()
        await connections.stop()
        await pool.close()


def _own_names(host: str, port: int) -> Iterator[str]:
    """Yield the values of `Host` of requests from this machine."""
    for name in (shown_address(host, port), f"localhost:{port}"):
        yield name
        if port == 80:
            yield name.removesuffix(":80")


async def _expire(history: History, seconds: float, on_problem: Callable[[str], None]) -> None:
    while True:
        try:
            history.expire(seconds)
        except (PmbfError, sqlite3.Error) as error:
            on_problem(f"old screenings are not deleted: {error}")
        await asyncio.sleep(EXPIRY_EVERY_S)


# ---------------------------------------------------------------------- routes, and what becomes of errors


def application(parts: Parts, *, hosts: Collection[str]) -> ASGIApp:
    """Return the application; `hosts` are the values of `Host` that are its own."""
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
