"""The pages of the application: rendered here, forms that work without script."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from pmbf.base.errors import NotFoundError
from pmbf.base.labels import told
from pmbf.pages.markup import shown_name
from pmbf.sentences import exists
from pmbf.serving.http.messages import HttpError
from pmbf.serving.web import api
from pmbf.serving.web.access import Handler, needs, role_of, visitor_of, with_session
from pmbf.serving.web.history import VERDICTS
from pmbf.serving.web.openapi import OPERATIONS
from pmbf.serving.web.running import only, parts_of
from pmbf.serving.web.tokens import ROLES, AccessTokens, skeleton
from pmbf.serving.web.uploads import OPTIONS, SWITCHES, fields_sent, sent
from pmbf.serving.web.wording import COOKIE, LANGUAGES, PageWords, language_of

_SECURITY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"')


# ---------------------------------------------------------------------- pages


@needs("screen", page=True)
async def start(request: Request) -> Response:
    """The first page: upload or paste, and the latest screenings."""
    found, _ = api.listed(request)
    parts = parts_of(request)
    status = parts.pool.status
    return _page(
        request,
        "start.html",
        latest=found[:5],
        documents=status.get("n_documents", 0) - status.get("n_without_text", 0),
        templates=parts.templates,
        has_sentences=exists(Path(parts.collection)),
    )


@needs("screen", page=True)
async def screen(request: Request) -> Response:
    """Take the texts of the first page's form; go on to their progress."""
    jobs = api.submitted(request, await sent(request))
    return RedirectResponse("/jobs/" + ",".join(job.id for job in jobs), 303)


@needs("screen", page=True)
async def job(request: Request) -> Response:
    """The progress of some jobs; a single job that is done leads to its screening."""
    user, jobs = only(visitor_of(request)), parts_of(request).jobs
    found = [jobs.job(number, user=user) for number in request.path_params["number"].split(",")]
    if len(found) == 1 and found[0].state == "done":
        return RedirectResponse(f"/screenings/{found[0].screening}", 303)
    return _page(request, "jobs.html", jobs=found, waits=not all(one.is_over for one in found))


@needs("screen", page=True)
async def screenings(request: Request) -> Response:
    """The history, with search."""
    found, more = api.listed(request)
    return _page(request, "screenings.html", screenings=found, **_turning(request, more, api.PAGE_SIZE))


@needs("screen", page=True)
async def screening(request: Request) -> Response:
    """One screening: its figures, its sources, and what was decided about them."""
    parts = parts_of(request)
    one = parts.screening(request)
    job = parts.jobs.of(one.id)
    return _page(
        request,
        "screening.html",
        one=one,
        report=parts.history.report(one.id),
        sentences=parts.history.sentences(one.id),
        decisions=parts.history.decisions(one.id),
        verdicts=VERDICTS,
        page_until=job.until if job else None,
        text_until=one.time + parts.kept_s if parts.kept_s else None,
    )


@needs("screen", page=True)
async def evidence(request: Request) -> Response:
    """The evidence page of a screening: the one that was drawn then, or a new one if the text was kept."""
    parts = parts_of(request)
    one = parts.screening(request)
    html = parts.jobs.page_of(one.id)
    if not html:
        try:
            text = parts.history.text(one.id)
        except NotFoundError:
            raise HttpError(404, PageWords(language_of(request))("text_not_kept")) from None
        sentences = parts.history.sentences(one.id)
        report = sentences or parts.history.report(one.id)
        drawn, body = report.to_json().encode(), text.encode("utf-8", "surrogatepass")
        found = await parts.ask("page", [drawn, body], n_report=len(drawn), by_sentences=sentences is not None)
        html = found["page"]
    security = _SECURITY.search(html)
    headers = {"content-security-policy": security[1] + "; frame-ancestors 'none'"} if security else {}
    return HTMLResponse(html, headers=headers)


@needs("review", page=True)
async def decide(request: Request) -> Response:
    """Keep a decision about a source."""
    parts, form = parts_of(request), await fields_sent(request)
    one = parts.screening(request)
    parts.history.decide(
        one.id,
        source=form.get("source", ""),
        verdict=form.get("verdict", ""),
        by=visitor_of(request).token,
        note=form.get("note", ""),
    )
    return RedirectResponse(f"/screenings/{one.id}", 303)


@needs("screen", page=True)
async def collection(request: Request) -> Response:
    """The documents of the collection, with search."""
    search = request.query_params.get("search", "")
    found = await parts_of(request).ask("documents", search=search, first=api.first_of(request))
    return _page(
        request,
        "collection.html",
        documents=found["documents"],
        total=found["n_documents"],
        folder=found["folder"] if visitor_of(request).may("admin") else "",
        **_turning(request, found["more"], len(found["documents"])),
    )


@needs("screen", page=True)
async def document(request: Request) -> Response:
    """The beginning of a document's text."""
    number = api.document_of(request)
    found = await parts_of(request).ask("document", id=number)
    return _page(request, "document.html", id=number, **found)


@needs("admin", page=True)
async def add(request: Request) -> Response:
    """Add the form's files to the collection."""
    came = await sent(request)
    loaded = [await api.added(request, one.name, one.body.read()) for one in came.uploads]
    return _page(request, "added.html", loaded=loaded)


@needs("admin", page=True)
async def tokens(request: Request) -> Response:
    """The tokens."""
    return _page(request, "tokens.html", tokens=parts_of(request).tokens.all(), roles=ROLES)


@needs("admin", page=True)
async def add_token(request: Request) -> Response:
    """Make a token, and show it once."""
    form, parts = await fields_sent(request), parts_of(request)
    secret, made = parts.tokens.add(form.get("name", ""), form.get("role", ""))
    return _page(request, "tokens.html", tokens=parts.tokens.all(), roles=ROLES, secret=secret, made=made)


def then(act: Handler, where: str) -> Handler:
    """Return the handler of a form that does what an operation of REST does, and then leads to a page."""

    async def acted(request: Request) -> Response:
        await act(request)
        return RedirectResponse(where.format(**request.path_params), 303)

    return needs(role_of(act) or "", page=True)(acted)


async def enter(request: Request) -> Response:
    """The page that asks for a token."""
    return _page(request, "enter.html", shown=request.query_params.get("ticket", ""))


async def entered(request: Request) -> Response:
    """Open a session for a token."""
    parts, form = parts_of(request), await fields_sent(request)
    shown = form.get("token", "").strip()
    token = parts.tokens.of(shown) or parts.tokens.of_ticket(shown)
    if token is None:
        return _page(request, "enter.html", 401, is_wrong=True)
    secret = parts.tokens.open_session(token)
    return with_session(request, RedirectResponse("/", 303), secret, is_secure=parts.is_secure)


async def leave(request: Request) -> Response:
    """End the session."""
    visitor, parts = request.scope["state"].get("visitor"), parts_of(request)
    if visitor and visitor.session:
        parts.tokens.close_session(visitor.session)
    return with_session(request, RedirectResponse("/enter", 303), "", is_secure=parts.is_secure)


@needs("screen", page=True)
async def interface(request: Request) -> Response:
    """The REST interface, as a page."""
    return _page(request, "api.html", operations=OPERATIONS, role_of=role_of)


def refused(request: Request, error: HttpError) -> Response:
    """An error, as a page."""
    return _page(request, "refused.html", error.status, reason=str(error))


# ---------------------------------------------------------------------- private


def _turning(request: Request, more: bool, n_shown: int) -> dict[str, Any]:
    """Return the links to the entries before and after, and the search."""
    search, first = request.query_params.get("search", ""), api.first_of(request)

    def link(start: int) -> str:
        return "?" + urlencode({"search": search, "first": start})

    before = link(max(0, first - api.PAGE_SIZE)) if first else ""
    return {"search": search, "before": before, "after": link(first + n_shown) if more else ""}


def _page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    words = PageWords(language_of(request))
    visitor = request.scope.get("state", {}).get("visitor")
    parts = parts_of(request)
    shared = {
        "t": words,
        "visitor": visitor,
        "collection_path": parts.collection if visitor and visitor.may("admin") else Path(parts.collection).name,
        "languages": LANGUAGES,
        "path": request.url.path,
        "date": _date,
        "by": _named(words, parts.tokens),
        "asked": partial(_told_options, words),
    }
    html = _templates().get_template(template).render(shared | values)
    response = HTMLResponse(html, status)
    chosen = request.query_params.get("language", "")
    if chosen in LANGUAGES:
        response.set_cookie(COOKIE, chosen, max_age=365 * 86400, httponly=True, samesite="strict")
    return response


def _named(t: PageWords, tokens: AccessTokens) -> Callable[[str, str], str]:
    """Return what writes a user's name: with the token's id if another is called alike, or if the token is gone."""

    @cache
    def known() -> tuple[set[str], Counter[str]]:
        found = tokens.all()
        return {one.id for one in found}, Counter(skeleton(one.name) for one in found)

    def told(name: str, number: str) -> str:
        ids, alike = known()
        if number not in ids:
            return t("user_gone", name=name, id=number) if number else t("user_unknown", name=name)
        return t("user_alike", name=name, id=number) if alike[skeleton(name)] > 1 else name

    return told


def _told_options(t: PageWords, options: str) -> str:
    """Return the options of a screening in words, as its entry in the history holds them."""
    told = []
    for name, value in parse_qsl(options):
        called, key = t(name) if name in OPTIONS else name, f"sensitivity_{value}"
        shown = t(key) if name == "sensitivity" and key in t else value
        told.append(called if name in SWITCHES else f"{called}: {shown}")
    return " · ".join(told)


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


@cache
def _templates() -> jinja2.Environment:
    folder = resources.files("pmbf.serving.web").joinpath("templates")
    found = {one.name: one.read_text(encoding="utf-8") for one in _files(folder)}
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(found),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["told"] = lambda labels: shown_name(told(labels))
    return environment


def _files(folder: Any) -> Iterator[Any]:
    yield from (one for one in folder.iterdir() if one.name.endswith(".html"))
