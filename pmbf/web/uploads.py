"""What a browser or a program sends: a file or pasted text, and options; streamed to a file without a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request

from pmbf.service.http import HttpError
from pmbf.templates import Offered, chosen
from pmbf.web.parts import parts_of
from pmbf.web.spool import Spool, Spooled, disk_is_not_full

MAX_FILES, MAX_FIELDS, MAX_FIELD_BYTES = 100, 40, 32 << 20
MAX_NAME = 500
FORM = "multipart/form-data"
_CHARSET = re.compile(r";\s*charset\s*=\s*(?!\"?utf-?8\"?\s*(;|$))", re.IGNORECASE)
"""Another encoding than UTF-8. No browser names one, and Python knows some that take long or make no characters."""


@dataclass(slots=True)
class Upload:
    """A text that came: its name, and its bytes."""

    name: str
    body: Spooled


@dataclass(slots=True)
class Sent:
    """All that came with one request: texts, and fields."""

    uploads: list[Upload]
    fields: dict[str, str] = field(default_factory=dict)


async def sent(request: Request) -> Sent:
    """Return what a request holds: a form with files or a pasted text, or the bytes of one file (`?name=`).

    Raises:
        HttpError: The form is malformed, or holds too much, or nothing.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # `curl --data-binary` calls any body `application/x-www-form-urlencoded`.
    return await _form(request) if kind == FORM else await _raw(request)


async def _raw(request: Request) -> Sent:
    fields = dict(request.query_params)
    upload = Upload(_named(fields.pop("name", "request")), Spooled(parts_of(request).spool))
    n_bytes = 0
    async for piece in request.stream():
        n_bytes += len(piece)
        upload.body.write(piece)
    if not n_bytes:
        raise HttpError(400, "the body has 0 bytes, expected the file to screen")
    return Sent([upload], fields)


async def _form(request: Request) -> Sent:
    spool = parts_of(request).spool
    with spool.room(n_sent(request)):  # the form's reader keeps what came, too
        form = await form_of(request, max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_FIELD_BYTES)
        try:
            return await _taken(form, spool)
        finally:
            await form.close()


def n_sent(request: Request) -> int:
    """Return the bytes of a request's body."""
    return int(request.headers.get("content-length", 0))


async def form_of(request: Request, *, max_files: int, max_fields: int, max_part_size: int) -> FormData:
    """Return a form. Its files are closed with the form.

    Raises:
        HttpError: It is malformed, holds too much, or is in another encoding than UTF-8; or the disk is full.
    """
    if _CHARSET.search(request.headers.get("content-type", "")):
        raise HttpError(400, "the form is in another encoding, expected UTF-8")
    try:
        with disk_is_not_full():
            return await request.form(max_files=max_files, max_fields=max_fields, max_part_size=max_part_size)
    except (MultiPartException, HTTPException) as error:
        raise HttpError(400, error.message if isinstance(error, MultiPartException) else error.detail) from None


async def _taken(form: FormData, spool: Spool) -> Sent:
    """Return what a form holds. Its files are copied: the form closes its own."""
    found = Sent([])
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            if value.filename or value.size:
                upload = Upload(_named(value.filename or "text"), Spooled(spool))
                while piece := await value.read(1 << 20):
                    upload.body.write(piece)
                found.uploads.append(upload)
        else:
            found.fields[name] = value
    if pasted := found.fields.pop("text", "").strip():
        upload = Upload(_named(found.fields.get("name") or "pasted text"), Spooled(spool))
        upload.body.write(pasted.encode("utf-8", "replace"))
        found.uploads.append(upload)
    found.fields.pop("name", None)
    if not found.uploads:
        raise HttpError(400, "there is no text: choose a file, or paste a text")
    return found


def _named(name: str) -> str:
    """Return the name of a text as it is kept and shown: printable, of at most `MAX_NAME` characters."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return shown[:MAX_NAME] or "text"


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


def options(fields: Mapping[str, str], templates: Offered) -> dict[str, Any]:
    """Return the options of a screening. Empty fields are not given.

    Args:
        fields: The fields of a request.
        templates: The templates that may be chosen.

    Raises:
        HttpError: A field is unknown, or its value cannot be read.
        ParameterError: There is no such template.
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
