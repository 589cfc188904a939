"""The REST interface: JSON in and out. `openapi` describes it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from pmbf.serving.http.messages import HttpError
from pmbf.serving.web.access import needs, visitor_of
from pmbf.serving.web.forms import Sent
from pmbf.serving.web.history import Screening
from pmbf.serving.web.jobs import Job
from pmbf.serving.web.running import only, parts_of
from pmbf.serving.web.uploads import options, sent

MAX_JSON_BYTES = 64 << 10
PAGE_SIZE = 50
MOST_DIGITS = 18
"""Of a document's id."""


async def health(request: Request) -> Response:
    """Return that the application answers."""
    return JSONResponse({"status": "ok"})


@needs("screen")
async def screen(request: Request) -> Response:
    """Take texts to be screened; their jobs are asked for."""
    jobs = submitted(request, await sent(request))
    answer = {"jobs": [job.to_dict() for job in jobs]}
    return JSONResponse(answer, 202, {"location": f"/v1/jobs/{jobs[0].id}"})


def submitted(request: Request, came: Sent) -> list[Job]:
    """Submit the texts that came with a request; return their jobs."""
    parts, by = parts_of(request), visitor_of(request).token
    wanted = options(came.fields, parts.templates)
    keeps_text = wanted.pop("keep_text", False)
    asked = urlencode({name: came.fields[name] for name, value in wanted.items() if value is not False})
    given: dict[str, Any] = {"by": by, "options": wanted, "asked": asked, "keeps_text": keeps_text}
    return [parts.jobs.submit(one.body, name=one.name, **given) for one in came.uploads]


@needs("screen")
async def job(request: Request) -> Response:
    """Return the state of a job."""
    return JSONResponse(_job(request).to_dict())


@needs("screen")
async def job_events(request: Request) -> Response:
    """Send the states of a job as they change (server-sent events), until it is over."""
    one, last = _job(request), request.headers.get("last-event-id", "")
    after = int(last) if last.isdecimal() and len(last) < 10 else -1

    async def lines() -> AsyncIterator[str]:
        async for state in one.states(after):
            yield f"id: {state['changes']}\ndata: {json.dumps(state)}\n\n" if state else ": still waiting\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


def _job(request: Request) -> Job:
    return parts_of(request).jobs.job(request.path_params["number"], user=only(visitor_of(request)))


@needs("screen")
async def screenings(request: Request) -> Response:
    """List screenings, the latest first."""
    found, more = listed(request)
    return JSONResponse({"screenings": [asdict(one) for one in found], "more": more})


def listed(request: Request) -> tuple[list[Screening], bool]:
    """Return the screenings that a visitor sees, by `?search=` and `?first=`, and whether there are more."""
    user, search = only(visitor_of(request)), request.query_params.get("search", "")
    history = parts_of(request).history
    found = history.screenings(user=user, search=search, first=first_of(request), most=PAGE_SIZE + 1)
    return found[:PAGE_SIZE], len(found) > PAGE_SIZE


def first_of(request: Request) -> int:
    """Return the number of entries to pass over, from `?first=`."""
    text = request.query_params.get("first") or "0"
    if not text.isdecimal() or len(text) > 9:
        raise HttpError(400, f"first is {text!r}, expected a number from 0 on")
    return int(text)


@needs("screen")
async def screening(request: Request) -> Response:
    """Return a screening: its entry, its report, its decisions."""
    parts = parts_of(request)
    one = parts.screening(request)
    decisions = {source: asdict(made) for source, made in parts.history.decisions(one.id).items()}
    report, sentences = parts.history.report(one.id).to_dict(), parts.history.sentences(one.id)
    of_sentences = None if sentences is None else sentences.to_dict()
    found = {"screening": asdict(one), "report": report, "sentences": of_sentences, "decisions": decisions}
    return JSONResponse(found)


@needs("screen")
async def delete_screening(request: Request) -> Response:
    """Delete a screening with all that was kept of it."""
    parts = parts_of(request)
    one = parts.screening(request)
    parts.history.delete(one.id)
    parts.jobs.forget(one.id)
    return Response(status_code=204)


@needs("screen")
async def keep_text(request: Request) -> Response:
    """Keep the text of a screening, within an hour after it; only its sender may."""
    parts = parts_of(request)
    one, job = parts.screening(request), parts.jobs.of(request.path_params["number"])
    if one.user_id != visitor_of(request).token.id:
        raise HttpError(403, "the text of a screening is kept by its sender alone")
    if not one.has_text:
        if job is None:
            raise HttpError(404, "the text is deleted already; screen it again")
        parts.history.keep_text(one.id, job.text)
    return Response(status_code=204)


@needs("review")
async def decide(request: Request) -> Response:
    """Keep a decision about a source of a screening."""
    parts, values = parts_of(request), await _values(request, ("source", "verdict"), ("note",))
    one = parts.screening(request)
    made = parts.history.decide(one.id, by=visitor_of(request).token, **values)
    return JSONResponse(asdict(made))


@needs("screen")
async def documents(request: Request) -> Response:
    """List the documents of the collection, by `?search=` and `?first=`."""
    search = request.query_params.get("search", "")
    found = await parts_of(request).ask("documents", search=search, first=first_of(request))
    return JSONResponse({name: found[name] for name in ("documents", "more", "n_documents")})


@needs("admin")
async def add_documents(request: Request) -> Response:
    """Add files to the collection."""
    came = await sent(request)
    return JSONResponse({"documents": [await added(request, one.name, one.body.read()) for one in came.uploads]}, 201)


async def added(request: Request, name: str, content: bytes) -> dict[str, Any]:
    """Add one file to the collection; return its name, its id and what was not read of it."""
    found = await parts_of(request).ask("add", [content], name=name)
    return {"name": name, "id": found["id"], "problems": found["problems"]}


@needs("admin")
async def remove_document(request: Request) -> Response:
    """Remove a document from the collection."""
    await parts_of(request).ask("remove", id=document_of(request))
    return Response(status_code=204)


def document_of(request: Request) -> int:
    """Return the id of the document that a path names. Raises `HttpError` if no document can have it."""
    text = request.path_params["id"]
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise HttpError(404, f"there is no document {text[:MOST_DIGITS]!r}")
    return int(text)


@needs("admin")
async def tokens(request: Request) -> Response:
    """List the tokens: names, roles, times."""
    return JSONResponse({"tokens": [asdict(one) for one in parts_of(request).tokens.all()]})


@needs("admin")
async def add_token(request: Request) -> Response:
    """Make a token; the answer alone shows it."""
    values = await _values(request, ("name", "role"), ("days",))
    days = values.get("days")
    if days is not None and (isinstance(days, bool) or not (isinstance(days, int | float) and 0 < days < 36500)):
        raise HttpError(400, f"days is {days!r}, expected a number above 0")
    secret, made = parts_of(request).tokens.add(str(values["name"]), str(values["role"]), days=days)
    return JSONResponse({"token": secret} | {"entry": asdict(made)}, 201)


@needs("admin")
async def remove_token(request: Request) -> Response:
    """Remove a token; its sessions end."""
    parts_of(request).tokens.remove(request.path_params["number"])
    return Response(status_code=204)


async def _values(request: Request, needed: tuple[str, ...], others: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a JSON body.

    Raise `HttpError` if it is no object, or a field is missing, unknown or no text.
    """
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_JSON_BYTES:
            raise HttpError(413, f"the body has more than {MAX_JSON_BYTES} bytes")
    try:
        values = json.loads(body)
        json.dumps(values, ensure_ascii=False).encode()  # half a character, as "\\ud800", is no text
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise HttpError(400, f"the body is no JSON object with {', '.join(needed)}")
    if unknown := sorted(values.keys() - {*needed, *others}):
        raise HttpError(400, f"{unknown[0]!r} is no field: {', '.join((*needed, *others))}")
    for name in needed:
        if not isinstance(values.get(name), str):
            raise HttpError(400, f"{name} is missing, or no text")
    if not isinstance(values.get("note", ""), str):
        raise HttpError(400, "note is no text")
    return values
