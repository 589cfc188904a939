"""The routes of the service: leak check, screening and result sets over HTTP, health and counts.

Limits, access tokens, counts of requests and the log are the same for all routes: `serving.http.connections` has them.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pmbf.base import __version__
from pmbf.base.errors import ParameterError
from pmbf.guard.policy import Policy
from pmbf.guard.session import Session
from pmbf.guard.sources import of_content
from pmbf.guard.types import Judged
from pmbf.jobs import frames
from pmbf.screen.templates import Offered, chosen, offered
from pmbf.serving.http.messages import HttpError, Request, Response, Route, Routes
from pmbf.serving.http.metrics import CONTENT_TYPE, Metrics
from pmbf.serving.service import requests
from pmbf.serving.service.duplicates import MOST_BYTES, Comparisons
from pmbf.serving.service.pool import Pool


@dataclass(slots=True)
class Service:
    """The parts of the service that handlers use.

    The policy is that of requests that bring none; it names the collection.
    """

    policy: Policy
    pool: Pool
    metrics: Metrics
    templates: Offered = field(default_factory=offered)


Part = tuple[dict[str, Any], list[memoryview]]


def routes(service: Service) -> Routes:
    """Return the routes of a service."""
    return {
        "/healthz": Route("GET", partial(health, service), is_open=True),
        "/metrics": Route("GET", partial(metrics, service)),
        "/v1/check": Route("POST", partial(check, service)),
        "/v1/duplicates": Route("POST", Comparisons().answer, most_bytes=MOST_BYTES),
        "/v1/judge": Route("POST", partial(judge, service)),
        "/v1/screen": Route("POST", partial(screen, service)),
        "/v1/sentences": Route("POST", partial(sentences, service)),
    }


# ---------------------------------------------------------------------- handlers


async def health(service: Service, request: Request) -> Response:
    """Return that the service answers; version and collection only to trusted clients.

    With nodes of a cluster that leave documents out, the status is `incomplete`, and the HTTP status is 200: answers
    that found something count.
    """
    if not request.is_trusted:
        return Response.of({"status": "ok"})
    status = await service.pool.refresh()
    is_whole = not status.get("cluster", {}).get("unread_volumes")
    return Response.of({"status": "ok" if is_whole else "incomplete", "version": __version__} | status)


async def metrics(service: Service, request: Request) -> Response:
    """Return the counts so far, for Prometheus."""
    status = await service.pool.refresh()
    gauges = {
        "generation": ("Number of the last commit of the collection.", status["generation"]),
        "documents": ("Protected documents.", status["n_documents"]),
        "workers_replaced": ("Working processes that died or took too long.", service.pool.n_replaced),
    }
    if cluster := status.get("cluster"):
        gauges |= {
            "nodes": ("Nodes of the cluster.", cluster["nodes"]),
            "nodes_late": ("Nodes that failed or were late in the last seconds.", len(cluster["late_nodes"])),
            "volumes": ("Volumes of the collection.", cluster["volumes"]),
            "volumes_unread": ("Volumes that no node answers for.", cluster["unread_volumes"]),
            "documents_unread": ("Documents that no node answers for.", cluster["unread_documents"]),
        }
    return Response(200, service.metrics.text(gauges).encode(), CONTENT_TYPE)


async def check(service: Service, request: Request) -> Response:
    """Return the verdict on one file under the service's own policy; `?name=` tells its format, `?redact=1` no text.

    The files that the policy names are read for each request, as each run of `pmbf guard` does.
    """
    _require_known(request, ("name", "redact"))
    policy, redact = service.policy, _flag(request.query, "redact")
    if len(request.body) > policy.max_bytes:
        raise HttpError(413, f"the body is larger than {policy.max_bytes} bytes (max_bytes)")
    if not request.body:
        raise HttpError(400, "the body has 0 bytes, expected the file to check")
    plan = of_content(request.query.get("name", "request"), request.body, "service", policy)
    session = await asyncio.to_thread(Session.of, policy, to_others=not request.is_local)
    payloads = list(plan.payloads)
    header, contents = requests.request(session, payloads)
    found = await service.pool.answered(header | {"ask": "judge"}, contents)
    for one in found["judged"]:
        one["problems"] += [f"Content-Encoding {coding}: not unpacked" for coding in request.unread_codings]
    judged = (Judged.from_dict(*one) for one in zip(found["judged"], [one.bare() for one in payloads], strict=True))
    made = session.verdict(plan, lambda *_: judged).hinted(policy.ways_to_allow())
    _count(service, found["judged"])
    return Response.of(made.to_dict(redact=redact) | {"generation": found["generation"]}, made.action)


async def judge(service: Service, request: Request) -> Response:
    """Return the findings in each payload of a frame (see `requests`), under the policy it brings."""
    if not request.is_local:
        raise HttpError(403, "only the Unix socket takes frames: an asker that brings its own policy is the user's own")
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
    report = (await _reported(service, request, "screen", SCREEN_OPTIONS))["report"]
    return Response.of(report, _outcome_of(report, found=bool(report["matches"]), n_tokens=report["query"]["n_tokens"]))


async def sentences(service: Service, request: Request) -> Response:
    """Return the report on one file, sentence by sentence: which documents each stands in."""
    options = {name: SCREEN_OPTIONS[name] for name in ("exclude_self", "exclude_same")}
    answer = await _reported(service, request, "sentences", options)
    report = answer["report"]
    return Response.of(report, _outcome_of(report, found=answer["found"], n_tokens=report["n_tokens"]))


async def _reported(
    service: Service, request: Request, ask: str, readers: Mapping[str, Callable[[str], Any]]
) -> dict[str, Any]:
    """Return the answer of a working process that is asked for a report on one file.

    `HttpError`: a field of the query is unknown or cannot be read; the answer is an error; or the collection has no
    sentences (409).
    """
    _require_named(service, request)
    _require_known(request, ("name", "template", *readers))
    if request.unread_codings:
        raise HttpError(415, f"Content-Encoding {request.unread_codings[0]} is not unpacked, expected gzip or deflate")
    options = {name: _option(name, request.query[name]) for name in request.query.keys() & readers.keys()}
    if template := request.query.get("template"):
        options["template"] = _template(template, service.templates)
    header = {"ask": ask, "name": request.query.get("name", "request"), "options": options}
    return await service.pool.answered(header, [request.body], missing=409 if ask == "sentences" else 500)


def _outcome_of(report: Mapping[str, Any], *, found: bool, n_tokens: int) -> str:
    """Return the outcome of a screening; as for `pmbf screen`, nothing is clean that was not compared."""
    if found:
        return "found"
    return "clean" if report["n_documents"] and n_tokens and not report["problems"] else "incomplete"


def _is_true(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(text)
    return text == "1"


SCREEN_OPTIONS: dict[str, Callable[[str], Any]] = {
    "min_chars": int,
    "min_similarity": float,
    "threshold": float,
    "sensitivity": str,
    "max_candidates": int,
    "exclude_quotations": _is_true,
    "exclude_bibliography": _is_true,
    "exclude_self": _is_true,
    "exclude_same": lambda text: [text],
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


def _require_known(request: Request, fields: Sequence[str]) -> None:
    """Refuse a query with another field: a misspelt one would not count."""
    if unknown := sorted(request.query.keys() - set(fields)):
        raise HttpError(400, f"{unknown[0]!r} is no field of the query: {', '.join(fields)}")


def _require_named(service: Service, request: Request) -> None:
    """Refuse a request whose answer names documents, if the policy withholds their names from this client."""
    policy, to_others = service.policy, not request.is_local
    if policy.shows(to_others=to_others) != "always":
        over_tcp = ": the Unix socket alone answers this" if to_others else ""
        raise HttpError(
            403, f"a report names documents, and show_source of the policy is {policy.show_source}{over_tcp}"
        )


def _identity(service: Service) -> str:
    try:
        return requests.identity(service.policy.protected)
    except OSError as error:
        raise HttpError(500, f"{service.policy.protected}: {error.strerror}") from None


async def _each(service: Service, parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return the answers to the parts of a request, in order; at most one part for each process is asked at a time.

    So a small request waits for some parts of a large request, not for all of them.
    """
    numbered = enumerate(parts)
    answers: dict[int, dict[str, Any]] = {}

    async def some() -> None:
        for number, (header, contents) in numbered:
            answers[number] = await service.pool.answered(header | {"ask": "judge"}, contents)

    done = await asyncio.gather(*(some() for _ in range(service.pool.n_workers)), return_exceptions=True)
    if failed := next(filter(None, done), None):
        raise failed
    return [answers[number] for number in sorted(answers)]


def _count(service: Service, judged: list[dict[str, Any]]) -> None:
    for outcome, n in Counter(map(_outcome, judged)).items():
        service.metrics.judged(outcome, n)


def _outcome(judged: dict[str, Any]) -> str:
    actions = {finding["action"] for finding in judged["findings"]}
    if "block" in actions:
        return "block"
    return "incomplete" if judged["problems"] or judged["uncompared"] else "warn" if "warn" in actions else "clean"


def _worst(judged: list[dict[str, Any]]) -> str:
    outcomes = set(map(_outcome, judged))
    return next((one for one in ("block", "incomplete", "warn") if one in outcomes), "clean")


def _option(name: str, text: str) -> Any:
    try:
        return SCREEN_OPTIONS[name](text)
    except ValueError:
        raise HttpError(400, f"{name} is {text!r}, which it cannot be") from None


def _template(name: str, templates: Offered) -> str:
    try:
        return chosen(name, templates)
    except ParameterError as error:
        raise HttpError(400, str(error)) from None


def _flag(query: Mapping[str, str], name: str) -> bool:
    try:
        return _is_true(query.get(name, "0"))
    except ValueError:
        raise HttpError(400, f"{name} is {query[name]!r}, expected 1 or 0") from None
