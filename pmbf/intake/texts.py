"""The one way from a user's input to a text. The input is a file, a stream, the bytes of a file, or a text.

Origin ─► bytes, within limits ─ extract ─► Text
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pmbf.base.contents import MAX_BYTES_HINT, is_stream, read_bounded, read_stream, reason_of
from pmbf.base.errors import IncompleteError, NoTextError, ParameterError, PmbfError, UnsupportedError, unexamined
from pmbf.extract import SUPPORTED, Limits, extract, is_container
from pmbf.text import clean

LEAST_SAME_BYTES = 64
"""Bytes of the smallest file that is known by its checksum: smaller files are equal by chance."""

_LONGEST_PATH = 4096
"""Characters. No system has longer paths."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it was read.

    Args:
        name: The text's name in the report.
        content: The whole text, clean, or its UTF-8: most texts share nothing, and need not be decoded.
        problems: Which parts were not read, and anything odd about the text.
        unread: Whether nothing was read. `problems` says why; if there are none, then it is no text document.
        kind: The file format, one of `pmbf.extract.SUPPORTED`; empty for a text that came from no file.
        sha256: The checksum of a file without words, by which it is compared; empty if its text is compared.
    """

    name: str
    content: str | bytes
    problems: tuple[str, ...] = ()
    unread: bool = False
    kind: str = ""
    sha256: str = ""

    @property
    def size(self) -> int:
        """Characters of the text, or bytes of its UTF-8."""
        return len(self.content)

    @property
    def text(self) -> str:
        """The whole text, decoded at each call."""
        return self.content if isinstance(self.content, str) else self.content.decode()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a text comes from.

    Args:
        name: The text's name in reports.
        content: The text, or the bytes of a file; None if `path` is to be read.
        path: A regular file. Its extension tells the format; if there is no path, then the extension of `name` does.
        streams: Whether `path` may be a pipe, or `-` for stdin; reading waits for their end.
        met: Whether the file was met in a folder. If it is no text document then, it is passed over.
    """

    name: str
    content: str | bytes | None = None
    path: str = ""
    streams: bool = False
    met: bool = False

    @staticmethod
    def of(query: object, name: str = "") -> Origin:
        """Return the origin of a text, of the bytes of a file, or of a path. Raises `ParameterError`."""
        if isinstance(query, str) and looks_like_a_path(query):
            raise ParameterError(
                f"{query!r} looks like a path, but a str is a text: give pathlib.Path(…) to screen the file, "
                "or bytes to screen these words"
            )
        if isinstance(query, str | bytes):
            return Origin(name, query)
        if isinstance(query, os.PathLike):
            return Origin(name or os.fspath(query), path=os.fspath(query))
        kind, expected = type(query).__name__, "expected a text, the bytes of a file, or a pathlib.Path"
        if isinstance(query, Iterable):  # its values may be many lines
            raise ParameterError(f"a query is a {kind}, {expected}; screen_many takes several texts")
        raise ParameterError(f"a query is {query!r} ({kind}), {expected}")

    @property
    def is_stream(self) -> bool:
        """Whether its bytes come once, and for this process alone: a pipe, or stdin."""
        return self.streams and is_stream(self.path)

    @property
    def size(self) -> int:
        """Characters of the text, or bytes of the file; 0 if that is not known before it is read."""
        if self.content is not None:
            return len(self.content)
        try:
            return os.path.getsize(self.path)
        except (OSError, ValueError):  # it is told when it is read
            return 0

    @property
    def title(self) -> str:
        """The name in messages; its extension tells the format."""
        return self.name if self.path in ("", "-") else self.path


def origins(queries: Iterable[object]) -> Iterator[Origin | Text]:
    """Yield the origin of each query; anything that is no query, such as NaN in a column, is a `Text` not read."""
    for row, query in enumerate(queries):
        try:
            yield Origin.of(query)
        except ParameterError as error:
            yield Text("", "", (f"queries[{row}]: {error}",), unread=True)


_LONGEST_NAME = 255
"""Characters of a name inside a path, at most: no file system takes more, and asking for the file takes 5 µs."""

_ENDINGS = tuple(SUPPORTED)
_TAIL = max(map(len, _ENDINGS))


def looks_like_a_path(text: str) -> bool:
    """Return whether a text is the path of a file, or one word that ends as the name of a document does.

    >>> looks_like_a_path("essays/ada.pdf"), looks_like_a_path("See essays/ada.pdf")
    (True, False)
    """
    if len(text) > _LONGEST_PATH or "\n" in text:
        return False
    is_named = text[-_TAIL:].lower().endswith(_ENDINGS)  # splitting a text into words takes 2 µs
    if is_named and len(text.split(maxsplit=1)) == 1 and os.path.splitext(text)[1].lower() in SUPPORTED:
        return True
    if len(text) > _LONGEST_NAME and text.find("/", 0, _LONGEST_NAME + 1) < 0:
        return False
    return max(map(len, text.split("/"))) <= _LONGEST_NAME and os.path.isfile(text)


def read_text(origin: Origin, limits: Limits, *, apart: bool = False) -> Text:
    """Return the text of an origin; with `apart` a process extracts it.

    Raises:
        NotFoundError: There is no such file.
        NoTextError: It is no text document.
        UnsupportedError: It is no regular file, or its format needs an extra that is not installed.
        IncompleteError: It is broken, encrypted, or over a limit.
        OSError: It cannot be read.
    """
    content = origin.content
    if isinstance(content, str):
        return Text(origin.name, clean(content))
    if content is None and origin.streams:
        content = read_stream(origin.path, limits.max_bytes, idle_s=limits.timeout_s)
    elif content is None:
        content = read_bounded(origin.path, limits.max_bytes, hint=MAX_BYTES_HINT)
    try:
        extracted = extract(content, origin.title, limits, apart=apart)
    except UnsupportedError as error:
        if error.missing_extra:
            raise
        raise NoTextError(str(error), sha256=checksum(content), is_gap=is_container(content, origin.title)) from None
    text = clean(extracted.text)
    sha256 = checksum(content) if not text or text.isspace() else ""
    return Text(origin.name, text, extracted.problems, kind=extracted.kind, sha256=sha256)


def checksum(content: bytes) -> str:
    """Return the SHA-256 of a file, hexadecimal; nothing if the file is so small that it is equal by chance."""
    return hashlib.sha256(content).hexdigest() if len(content) >= LEAST_SAME_BYTES else ""


def read_whole(origin: Origin, limits: Limits) -> str:
    """Return the text of an origin whose passages shall not count; `IncompleteError` if a part cannot be read."""
    read = read_text(origin, limits)
    if read.problems:
        raise IncompleteError(f"{origin.name}: {read.problems[0]}; it cannot be ignored as a whole")
    return read.text


def read_leniently(origin: Origin | Text, limits: Limits) -> Text:
    """Return the text of an origin; if it cannot be read, then `problems` says why. A `Text` is returned as it is."""
    if isinstance(origin, Text):
        return origin
    try:
        return read_text(origin, limits)
    except (PmbfError, OSError) as error:
        told = reason_of(error) if isinstance(error, PmbfError) else f"{origin.name}: {reason_of(error)}"
        problems = () if is_passed_over(error, met=origin.met) else (told,)
        sha256 = error.sha256 if isinstance(error, NoTextError) else ""
        return Text(origin.name, "", problems, unread=True, sha256=sha256)
    except Exception as error:  # of one file; the others are read all the same
        return Text(origin.name, "", (f"{origin.name}: {unexamined(error)}",), unread=True)


def is_passed_over(error: Exception, *, met: bool) -> bool:
    """Return whether a file that gave an error is passed over: it was met in a folder, and it holds no text.

    A document of a kind that is not read, or that an extra could read, is never passed over.
    """
    is_gap = isinstance(error, NoTextError) and error.is_gap
    return met and isinstance(error, UnsupportedError) and not (error.missing_extra or is_gap)
