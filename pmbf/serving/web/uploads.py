"""What a browser or a program sends: a file or pasted text, and options; streamed to a file without a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request

from pmbf.screen.templates import Offered, chosen
from pmbf.serving.http.messages import HttpError
from pmbf.serving.web.forms import Sent, Spooled, Upload, form_sent, named
from pmbf.serving.web.running import parts_of

MAX_FORM_BYTES = 64 << 10
"""Of a form without files. Anybody may send one: the page that asks for a token has no visitor yet."""
FORM = "multipart/form-data"
_CHARSET = re.compile(r";\s*charset\s*=\s*(?!\"?utf-?8\"?\s*(;|$))", re.IGNORECASE)
"""Another encoding than UTF-8. No browser names one, and Python knows some that take long or make no characters."""


async def sent(request: Request) -> Sent:
    """Return what a request holds: a form with files or a pasted text, or the bytes of one file (`?name=`).

    `HttpError`: the form is malformed, or holds too much, or nothing.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:  # `curl --data-binary` calls any body `application/x-www-form-urlencoded`
        return await _raw(request)
    _require_utf8(request)
    found = await form_sent(request, parts_of(request).spool)
    if not found.uploads:
        raise HttpError(400, "there is no text: choose a file, or paste a text")
    return found


async def _raw(request: Request) -> Sent:
    fields = dict(request.query_params)
    upload = Upload(named(fields.pop("name", "request")), Spooled(parts_of(request).spool))
    n_bytes = 0
    async for piece in request.stream():
        n_bytes += len(piece)
        upload.body.write(piece)
    if not n_bytes:
        raise HttpError(400, "the body has 0 bytes, expected the file to screen")
    return Sent([upload], fields)


def n_sent(request: Request) -> int:
    """Return the bytes of a request's body."""
    return int(request.headers.get("content-length", 0))


async def fields_sent(request: Request) -> dict[str, str]:
    """Return the fields of a form without files.

    `HttpError`: it is malformed, too large, or in another encoding than UTF-8.
    """
    if n_sent(request) > MAX_FORM_BYTES:
        raise HttpError(413, f"the form has {n_sent(request)} bytes, expected at most {MAX_FORM_BYTES}")
    _require_utf8(request)
    try:
        form = await request.form(max_files=0, max_fields=20, max_part_size=MAX_FORM_BYTES)
    except (MultiPartException, HTTPException) as error:
        raise HttpError(400, error.message if isinstance(error, MultiPartException) else error.detail) from None
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _require_utf8(request: Request) -> None:
    if _CHARSET.search(request.headers.get("content-type", "")):
        raise HttpError(400, "the form is in another encoding, expected UTF-8")


def _is_true(text: str) -> bool:
    if text not in ("0", "1", "on"):
        raise ValueError(text)
    return text != "0"


OPTIONS: Mapping[str, Callable[[str], Any]] = {
    "min_chars": int,
    "min_similarity": float,
    "threshold": float,
    "sensitivity": str,
    "exclude_quotations": _is_true,
    "exclude_bibliography": _is_true,
    "template": str,
    "sentences": _is_true,
    "keep_text": _is_true,
}
"""The fields of a screening, each with what reads it."""
SWITCHES = frozenset(name for name, reads in OPTIONS.items() if reads is _is_true)
"""Those that are on or off."""


def options(fields: Mapping[str, str], templates: Offered) -> dict[str, Any]:
    """Return the options of a screening from the fields of a request. Empty fields are not given.

    `HttpError`: a field is unknown, or its value cannot be read. `ParameterError`: there is no such template.
    """
    made = {}
    for name, text in fields.items():
        if name not in OPTIONS:
            raise HttpError(400, f"{name!r} is no field: {', '.join(OPTIONS)}")
        try:
            if text:
                made[name] = OPTIONS[name](text)
        except ValueError:
            raise HttpError(400, f"{name} is {text!r}, which cannot be read") from None
    if made.get("sentences") and (others := sorted(made.keys() - {"sentences", "template", "keep_text"})):
        raise HttpError(400, f"{others[0]} is given with sentences, where it means nothing")
    if "template" in made:
        made["template"] = chosen(made["template"], templates)
    return made
