"""The description of the REST interface: each operation once, for the routes, `/openapi.json` and the page `/api`.

Source:
    OpenAPI 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pmbf.base import __version__
from pmbf.serving.web import api
from pmbf.serving.web.access import Handler, role_of
from pmbf.serving.web.history import VERDICTS, Decision, Screening
from pmbf.serving.web.tokens import ROLES, Token
from pmbf.serving.web.uploads import OPTIONS

ANY = {"type": "object"}
TYPES: dict[Any, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "float | None": {"type": ["number", "null"]},
}
PAGED = {"search": "Words that the name holds.", "first": "Entries to pass over."}


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Args:
        method, path, handler: As a route has them; the handler's docstring is the summary.
        status: Status of HTTP of a success.
        answer: Schema of its answer, or None without a body.
        query: Fields of the query, and what they mean.
        file: Whether the body is a file, or a form with files.
        body: Example of a JSON body, or None.
        schema: Schema of the JSON body.
    """

    method: str
    path: str
    handler: Handler
    status: int = 200
    answer: Mapping[str, Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    file: bool = False
    body: Mapping[str, Any] | None = None
    schema: Mapping[str, Any] | None = None

    @property
    def summary(self) -> str:
        """What it does, in a sentence."""
        return (self.handler.__doc__ or "").strip().splitlines()[0]


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _many(one: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": one}


def _listed(name: str) -> dict[str, Any]:
    return _many({"$ref": f"#/components/schemas/{name}"})


def _one(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


SCREENING_FIELDS = dict.fromkeys(OPTIONS, "As the option of `pmbf screen`.") | {
    "name": "Name of the text; its ending tells the format.",
    "sentences": "1: screen sentence by sentence; with `template` alone of the other options.",
    "keep_text": "1: keep the text, so that the evidence page can be drawn again.",
}
DECISION = _object(source=TYPES["str"], verdict={"enum": list(VERDICTS)}) | {"additionalProperties": False}
DECISION["properties"]["note"] = TYPES["str"]
NEW_TOKEN = _object(name=TYPES["str"], role={"enum": list(ROLES)}) | {"additionalProperties": False}
NEW_TOKEN["properties"]["days"] = {"type": "number", "exclusiveMinimum": 0}
SENTENCES = {
    "type": ["object", "null"],
    "description": "As `pmbf sentences screen --json` prints it: docs/sentences.md. Null of a screening by passages.",
}
MORE = {"type": "boolean", "description": "Whether there are more: ask again with a greater `first`."}

OPERATIONS = (
    Operation("GET", "/healthz", api.health, answer=_object(status=TYPES["str"])),
    Operation("POST", "/v1/screenings", api.screen, 202, _object(jobs=_listed("Job")), SCREENING_FIELDS, file=True),
    Operation("GET", "/v1/screenings", api.screenings, 200, _object(screenings=_listed("Screening"), more=MORE), PAGED),
    Operation(
        "GET",
        "/v1/screenings/{number}",
        api.screening,
        200,
        _object(screening=_one("Screening"), report=_one("Report"), sentences=SENTENCES, decisions={"type": "object"}),
    ),
    Operation("DELETE", "/v1/screenings/{number}", api.delete_screening, 204),
    Operation("POST", "/v1/screenings/{number}/keep", api.keep_text, 204),
    Operation(
        "POST",
        "/v1/screenings/{number}/decisions",
        api.decide,
        200,
        _one("Decision"),
        body={"source": "/library/harbours.txt", "verdict": "confirmed", "note": "quoted without a mark"},
        schema=DECISION,
    ),
    Operation("GET", "/v1/jobs/{number}", api.job, 200, _one("Job")),
    Operation("GET", "/v1/jobs/{number}/events", api.job_events, 200, {"type": "string"}),
    Operation(
        "GET",
        "/v1/documents",
        api.documents,
        200,
        _object(documents=_listed("Document"), more=MORE, n_documents=TYPES["int"]),
        PAGED,
    ),
    Operation(
        "POST",
        "/v1/documents",
        api.add_documents,
        201,
        _object(documents={"type": "array", "items": ANY}),
        {"name": "Path under which the document is listed."},
        file=True,
    ),
    Operation("DELETE", "/v1/documents/{id}", api.remove_document, 204),
    Operation("GET", "/v1/tokens", api.tokens, 200, _object(tokens=_listed("Token"))),
    Operation(
        "POST",
        "/v1/tokens",
        api.add_token,
        201,
        _object(token=TYPES["str"], entry=_one("Token")),
        body={"name": "library", "role": "screen", "days": 365},
        schema=NEW_TOKEN,
    ),
    Operation("DELETE", "/v1/tokens/{number}", api.remove_token, 204),
)
"""All operations, in the order of the page."""


@cache
def description() -> dict[str, Any]:
    """Return the description of the interface."""
    paths: dict[str, Any] = {}
    for one in OPERATIONS:
        paths.setdefault(one.path, {})[one.method.lower()] = _described(one)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pmbf",
            "version": __version__,
            "summary": "Which documents of a collection share text with this one, and which passages.",
        },
        "paths": paths,
        "components": {"schemas": _schemas(), "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _described(one: Operation) -> dict[str, Any]:
    """Return the description of one operation."""
    role = role_of(one.handler)
    names = [part[1:-1] for part in one.path.split("/") if part.startswith("{")]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": TYPES["int" if name == "id" else "str"]}
        for name in names
    ]
    parameters += [
        {"name": name, "in": "query", "description": text, "schema": TYPES["str"]} for name, text in one.query.items()
    ]
    found: dict[str, Any] = {
        "operationId": one.handler.__name__,
        "summary": one.summary,
        "parameters": parameters,
        "responses": {str(one.status): _answer(one), "default": {"description": "Refused.", **_json(_one("Error"))}},
    }
    if role:
        found |= {"security": [{"token": []}], "description": f"Needs a token of the role {role}, or one above it."}
    if one.file:
        form = _object(file={"type": "array", "items": {"type": "string", "format": "binary"}})
        content = {"application/octet-stream": {}, "multipart/form-data": {"schema": form}}
        found["requestBody"] = {"required": True, "content": content}
    elif one.body is not None:
        found["requestBody"] = {"required": True, **_json(dict(one.schema or ANY), example=dict(one.body))}
    return found


def _answer(one: Operation) -> dict[str, Any]:
    if one.answer is None:
        return {"description": "Done."}
    if one.answer == {"type": "string"}:
        return {"description": "Done.", "content": {"text/event-stream": {"schema": dict(one.answer)}}}
    return {"description": "Done.", **_json(dict(one.answer))}


def _json(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema, **more}}}


def _schemas() -> dict[str, Any]:
    kinds = {
        kind.__name__: _object(**{one.name: TYPES[one.type] for one in fields(kind)})
        for kind in (Screening, Decision, Token)
    }
    states = {"enum": ["waiting", "working", "done", "failed"]}
    text, number = TYPES["str"], TYPES["int"]
    return kinds | {
        "Job": _object(id=text, name=text, state=states, reason=text, screening=text, changes=number),
        "Document": _object(id=number, paths=_many(text), labels=_many({"type": "object"}), n_chars=number),
        "Report": {"type": "object", "description": "As `pmbf screen --json` prints it: docs/report.md."},
        "Error": _object(error=text),
    }


async def serve(request: Request) -> Response:
    """Return the description."""
    return JSONResponse(description())
