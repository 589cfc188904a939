"""A form with files as it comes: files and a pasted text go to disk piece by piece, other fields are small.

Uploads that wait lie in files without a name, all together of bounded size.

Source:
    RFC 7578 (multipart/form-data).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from pmbf.serving.http.messages import HttpError

MAX_TEXTS, MAX_FIELDS, MAX_FIELD_BYTES, MAX_HEADER_BYTES = 64, 40, 8 << 10, 2 << 10
"""Of a form: its files and pasted texts, its other fields, the bytes of such a field and of a header of a part."""
MAX_NAME = 500
MOST_BYTES, MOST_FILES = 4 << 30, 512
"""Of all uploads together."""
PASTED = "text"
"""The field of a pasted text."""


class Spool:
    """The bytes of uploads that are read or wait, with bounds for all together: a program can open some 1,000 files."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_files: int = MOST_FILES) -> None:
        self.n_bytes, self.n_files = 0, 0
        self._most_bytes, self._most_files = most_bytes, most_files

    def take(self, n_bytes: int = 0, n_files: int = 0) -> None:
        """Take room; raise `HttpError` if there is too little."""
        if self.n_bytes + n_bytes > self._most_bytes:
            raise HttpError(503, f"{self.n_bytes} bytes wait already; ask again later", Retry_After="5")
        if self.n_files + n_files > self._most_files:
            raise HttpError(503, f"{self.n_files} files wait already; ask again later", Retry_After="5")
        self.n_bytes += n_bytes
        self.n_files += n_files

    def give(self, n_bytes: int = 0, n_files: int = 0) -> None:
        self.n_bytes -= n_bytes
        self.n_files -= n_files


class Spooled:
    """The bytes of one upload on disk. They take room until the file is closed, or nobody has it any more."""

    def __init__(self, spool: Spool) -> None:
        with disk_is_not_full():
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._spool, self._n_bytes, self._n_files = spool, 0, 0
        spool.take(n_files=1)
        self._n_files = 1

    def __del__(self) -> None:
        with suppress(AttributeError):  # the file could not be made
            self.close()

    def write(self, piece: bytes) -> None:
        """Append bytes; raise `HttpError` if there is too little room, or the disk is full."""
        self._spool.take(len(piece))
        self._n_bytes += len(piece)
        with disk_is_not_full():
            self._file.write(piece)

    def read(self) -> bytes:
        with disk_is_not_full():
            self._file.seek(0)
        return self._file.read()

    def close(self) -> None:
        self._file.close()
        self._spool.give(self._n_bytes, self._n_files)
        self._n_bytes = self._n_files = 0


@contextmanager
def disk_is_not_full() -> Iterator[None]:
    """Tell the client of a file that cannot be written. Raises `HttpError`."""
    try:
        yield
    except ConnectionError:  # the client has gone
        raise
    except OSError as error:
        raise HttpError(503, f"the upload cannot be kept: {error.strerror}", Retry_After="5") from None


@dataclass(slots=True)
class Upload:
    """A text that came: its name, and its bytes."""

    name: str
    body: Spooled


@dataclass(slots=True)
class Sent:
    """All that came with one request: texts, and fields."""

    uploads: list[Upload] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)

    def close(self) -> None:
        for one in self.uploads:
            one.body.close()


async def form_sent(request: Request, spool: Spool) -> Sent:
    """Return the texts and fields of a form.

    Raise `HttpError` if it is malformed or holds too much, or the disk is full.
    """
    form = _Form(spool)
    try:
        boundary = parse_options_header(request.headers["content-type"])[1].get(b"boundary", b"")
        parser = MultipartParser(boundary, form.callbacks())
        async for piece in request.stream():
            parser.write(piece)
        parser.finalize()
        if not form.is_whole:
            raise HttpError(400, "the form ends early")
        return form.sent()
    except BaseException as error:
        form.close()
        if isinstance(error, FormParserError):
            raise HttpError(400, f"the form cannot be read: {error}") from None
        raise


class _Form:
    """Takes the parts of a form as they come."""

    def __init__(self, spool: Spool) -> None:
        self._spool, self._sent, self._n_fields = spool, Sent(), 0
        self._header, self._value, self._disposition = b"", b"", b""
        self._name, self._is_text, self._content = "", False, b""
        self._upload: Upload | None = None
        self.is_whole = False

    def callbacks(self) -> Any:
        names = (
            "part_begin",
            "header_field",
            "header_value",
            "header_end",
            "headers_finished",
            "part_data",
            "part_end",
        )
        return {f"on_{name}": getattr(self, f"_{name}") for name in names} | {"on_end": self._end}

    def sent(self) -> Sent:
        """Return what came. A text without a name has that of the field `name`."""
        name = self._sent.fields.pop("name", "")
        for one in self._sent.uploads:
            one.name = named(one.name or name or "pasted text")
        return self._sent

    def close(self) -> None:
        self._sent.close()

    def _part_begin(self) -> None:
        self._disposition = self._header = self._value = self._content = b""
        self._upload = None

    def _header_field(self, data: bytes, start: int, stop: int) -> None:
        self._header = _joined(self._header, data[start:stop], MAX_HEADER_BYTES, "a header of the form")

    def _header_value(self, data: bytes, start: int, stop: int) -> None:
        self._value = _joined(self._value, data[start:stop], MAX_HEADER_BYTES, "a header of the form")

    def _header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = self._value
        self._header = self._value = b""

    def _headers_finished(self) -> None:
        options = {key: _decoded(value) for key, value in parse_options_header(self._disposition)[1].items()}
        if b"name" not in options:
            raise HttpError(400, "a part of the form has no name")
        self._name, file_name = options[b"name"], options.get(b"filename", "")
        self._is_text = b"filename" in options or self._name == PASTED
        if file_name:
            self._begin_text(file_name)
        if not self._is_text:
            self._n_fields += 1
            if self._n_fields > MAX_FIELDS:
                raise HttpError(413, f"the form has more than {MAX_FIELDS} fields")

    def _begin_text(self, name: str = "") -> Upload:
        if len(self._sent.uploads) >= MAX_TEXTS:
            raise HttpError(413, f"the form has more than {MAX_TEXTS} files; send the others in another form")
        self._upload = Upload(name, Spooled(self._spool))
        self._sent.uploads.append(self._upload)
        return self._upload

    def _part_data(self, data: bytes, start: int, stop: int) -> None:
        piece = data[start:stop]
        if not self._is_text:
            self._content = _joined(self._content, piece, MAX_FIELD_BYTES, f"the field {named(self._name)!r}")
        elif self._upload or (piece := piece.lstrip()):  # a field that was left empty is no text
            (self._upload or self._begin_text()).body.write(piece)

    def _part_end(self) -> None:
        if not self._is_text:
            self._sent.fields[self._name] = _decoded(self._content)

    def _end(self) -> None:
        self.is_whole = True


def named(name: str) -> str:
    """Return the name of a text as it is kept and shown: printable, of at most `MAX_NAME` characters."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return shown[:MAX_NAME] or "text"


def _joined(before: bytes, piece: bytes, most: int, what: str) -> bytes:
    if len(before) + len(piece) > most:
        raise HttpError(413, f"{what} has more than {most} bytes")
    return before + piece


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "replace")
