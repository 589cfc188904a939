"""Which path is answered by what. The one place where a handler is registered: `ROUTES`.

A handler takes the service and a request, and returns a response, or raises `HttpError`. It never looks at a socket:
limits, tokens, counts and the log are the same for all.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pmbf import __version__
from pmbf.errors import ParameterError
from pmbf.guard.policy import Policy
from pmbf.guard.sources import Planned
from pmbf.guard.types import Judged, Payload
from pmbf.guard.verdict import verdict
from pmbf.jobs import frames
from pmbf.service import requests
from pmbf.service.http import HttpError, Response
from pmbf.service.metrics import CONTENT_TYPE, Metrics
from pmbf.service.pool import Pool

STATUS = {"parameter": 400, "unread": 422, "missing": 500, "damaged": 500, "failed": 500}
"""What a working process's error is in HTTP."""


@dataclass(slots=True)
class Service:
    """What handlers work with.

    Args:
        collection: Folder of the protected documents.
        policy: What blocks where the asker brings no policy.
        pool: The working processes.
        metrics: What was answered.
    """

    collection: str
    policy: Policy
    pool: Pool
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a handler sees it: the fields of its query, and its body."""

    query: Mapping[str, str]
    body: bytes


Part = tuple[dict[str, Any], list[memoryview]]
Handler = Callable[[Service, Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Route:
    """How a path is asked, and who answers; `is_open` where no token is needed."""

    method: str
    handler: Handler
    is_open: bool = False


# ---------------------------------------------------------------------- handlers


async def health(service: Service, request: Request) -> Response:
    """Whether the service answers, and for what."""
    status = await service.pool.refresh()
    return Response.of({"status": "ok", "version": __version__} | status)


async def metrics(service: Service, request: Request) -> Response:
    """What was answered so far, for Prometheus."""
    status = await service.pool.refresh()
    gauges = {
        "generation": ("Number of the last commit of the collection.", status["generation"]),
        "documents": ("Protected documents.", status["n_documents"]),
        "workers_replaced": ("Working processes that died or took too long.", service.pool.n_replaced),
    }
    return Response(200, service.metrics.text(gauges).encode(), CONTENT_TYPE)


async def check(service: Service, request: Request) -> Response:
    """Return the verdict on one file under the service's own policy; `?name=` tells its format, `?redact=1` no text."""
    name = request.query.get("name", "request")
    payload = Payload(name, (name,), request.body, "stdin")
    policy = service.policy
    if len(request.body) > policy.max_bytes:
        raise HttpError(413, f"the body is larger than {policy.max_bytes} bytes (max_bytes)")
    header, contents = requests.request(policy, None, (), [payload])
    found = await _asked(service, header | {"ask": "judge"}, contents)
    judged = [Judged.from_dict(one, payload.bare()) for one in found["judged"]]
    made = verdict(Planned("service", iter(()), 1), policy, judged)
    _count(service, found["judged"])
    told = made.to_dict(redact=_flag(request.query, "redact"))
    return Response.of(told | {"generation": found["generation"]}, made.action)


async def judge(service: Service, request: Request) -> Response:
    """Return the findings in each payload of a frame (see `pmbf.service.requests`), under the policy it brings."""
    header, body = _frame(request.body)
    if header["version"] != __version__:
        raise HttpError(409, f"the service has version {__version__}, the asker {header['version']}; restart it")
    if header["collection"] != _identity(service):
        raise HttpError(409, "the service has another collection than the asker")
    answers = await _each(service, requests.batches(header, body))
    found = [one for answer in answers for one in answer["judged"]]
    _count(service, found)
    generation = min((answer["generation"] for answer in answers), default=service.pool.status["generation"])
    return Response.of({"generation": generation, "judged": found}, _worst(found))


async def screen(service: Service, request: Request) -> Response:
    """Return the report on one file: which documents share passages with it."""
    options = {name: _option(name, request.query[name]) for name in request.query.keys() & SCREEN_OPTIONS.keys()}
    if unknown := sorted(request.query.keys() - SCREEN_OPTIONS.keys() - {"name"}):
        raise HttpError(400, f"{unknown[0]!r} is no field of the query: name, {', '.join(SCREEN_OPTIONS)}")
    header = {"ask": "screen", "name": request.query.get("name", "request"), "options": options}
    report = (await _asked(service, header, [request.body]))["report"]
    return Response.of(report, "found" if report["matches"] else "clean")


def _is_true(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(text)
    return text == "1"


ROUTES: dict[str, Route] = {
    "/healthz": Route("GET", health, is_open=True),
    "/metrics": Route("GET", metrics),
    "/v1/check": Route("POST", check),
    "/v1/judge": Route("POST", judge),
    "/v1/screen": Route("POST", screen),
}
SCREEN_OPTIONS: dict[str, Callable[[str], Any]] = {
    "min_chars": int,
    "min_similarity": float,
    "threshold": float,
    "max_candidates": int,
    "exclude_quotations": _is_true,
    "exclude_bibliography": _is_true,
}

# ---------------------------------------------------------------------- private


def _frame(body: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header and the contents of a frame."""
    start = frames.LENGTHS.size
    n_header, n_body = frames.LENGTHS.unpack(body[:start]) if len(body) >= start else (0, -1)
    if start + n_header + n_body != len(body) or n_header > requests.MAX_HEADER_BYTES:
        raise HttpError(400, "the body is no frame: its lengths do not add up")
    try:
        header = json.loads(body[start : start + n_header])
    except (ValueError, RecursionError):
        raise HttpError(400, "the header of the frame is no JSON") from None
    try:
        contents = body[start + n_header :]
        header = requests.require_request(header, len(contents))
        requests.policy_of(header)
    except ParameterError as error:
        raise HttpError(400, str(error)) from None
    return header, contents


def _identity(service: Service) -> str:
    try:
        return requests.identity(service.collection)
    except OSError as error:
        raise HttpError(500, f"{service.collection}: {error.strerror}") from None


async def _each(service: Service, parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return the answers to the parts of a request, in order, each process being asked for one at a time.

    So a large request does not stand before a small one with all its parts.
    """
    numbered = enumerate(parts)
    answers: dict[int, dict[str, Any]] = {}

    async def some() -> None:
        for number, (header, contents) in numbered:
            answers[number] = await _asked(service, header | {"ask": "judge"}, contents)

    done = await asyncio.gather(*(some() for _ in range(service.pool.n_workers)), return_exceptions=True)
    for failed in filter(None, done):
        raise failed
    return [answers[number] for number in sorted(answers)]


async def _asked(service: Service, header: dict[str, Any], contents: Sequence[bytes | memoryview]) -> dict[str, Any]:
    found = await service.pool.ask(header, contents)
    if "error" in found:
        raise HttpError(STATUS[found["error"]], found["reason"])
    return found


def _count(service: Service, judged: list[dict[str, Any]]) -> None:
    for outcome, n in Counter(map(_outcome, judged)).items():
        service.metrics.judged(outcome, n)


def _outcome(judged: dict[str, Any]) -> str:
    actions = {finding["action"] for finding in judged["findings"]}
    if "block" in actions:
        return "block"
    return "incomplete" if judged["problems"] else "warn" if "warn" in actions else "clean"


def _worst(judged: list[dict[str, Any]]) -> str:
    outcomes = set(map(_outcome, judged))
    return next((one for one in ("block", "incomplete", "warn") if one in outcomes), "clean")


def _option(name: str, text: str) -> Any:
    try:
        return SCREEN_OPTIONS[name](text)
    except ValueError:
        raise HttpError(400, f"{name} is {text!r}, which it cannot be") from None


def _flag(query: Mapping[str, str], name: str) -> bool:
    try:
        return _is_true(query.get(name, "0"))
    except ValueError:
        raise HttpError(400, f"{name} is {query[name]!r}, expected 1 or 0") from None
