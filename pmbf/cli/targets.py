"""What a command writes: never over a file that pmbf did not write, never into a folder whose files are documents."""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import BytesIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, BinaryIO

from pmbf.base.contents import open_regular
from pmbf.base.errors import ParameterError
from pmbf.cli.outcome import print_bytes
from pmbf.store.telling import holder_of

if TYPE_CHECKING:
    from pmbf.cli.shown.table_files import Take
    from pmbf.verbs import AnyCollection

_HEAD_BYTES = 1 << 16
_PAGES = re.compile(r"index\.html|\d{4}(?:-.*)?\.html")
"""Names of the pages that pmbf writes into a folder."""


def _is_csv(file: BinaryIO) -> bool:
    from pmbf.cli.shown.table_files import csv_line

    line = file.readline(_HEAD_BYTES)
    return any(line == csv_line(columns) for columns in _tables())


def _is_jsonl(file: BinaryIO) -> bool:
    import json

    try:
        row = json.loads(file.readline(_HEAD_BYTES << 8))
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and tuple(row) in _tables()


def _is_xlsx(file: BinaryIO) -> bool:
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(file) as package, package.open("docProps/core.xml") as properties:
            return b"<dc:creator>pmbf</dc:creator>" in properties.read(_HEAD_BYTES)
    except (BadZipFile, KeyError, OSError, ValueError, RuntimeError, NotImplementedError):
        return False


def _is_parquet(file: BinaryIO) -> bool:
    from pyarrow import ArrowException, parquet

    try:
        return tuple(parquet.read_schema(file).names) in _tables()
    except (ArrowException, OSError):
        return False


def _has(mark: bytes) -> Callable[[BinaryIO], bool]:
    return lambda file: mark in file.read(_HEAD_BYTES)


def _is_background(file: BinaryIO) -> bool:
    from pmbf.alike.pairs.work import MAGIC

    return file.read(len(MAGIC)) == MAGIC


def _is_incidents(file: BinaryIO) -> bool:
    return file.readline(_HEAD_BYTES).startswith(b'{"id":')


_KINDS: dict[str, tuple[Callable[[BinaryIO], bool], tuple[str, ...]]] = {
    "page": (_has(b'<meta name="generator" content="pmbf">'), (".html", ".htm", ".xhtml")),
    "csv": (_is_csv, (".csv", ".tsv", ".txt")),
    "jsonl": (_is_jsonl, (".jsonl", ".json", ".txt")),
    "xlsx": (_is_xlsx, (".xlsx",)),
    "parquet": (_is_parquet, ()),
    "sarif": (_has(b'"pmbf guard"'), (".json",)),
    "incidents": (_is_incidents, (".jsonl", ".json", ".log", ".txt")),
    "background": (_is_background, ()),
}
"""How a former file of each kind is known, and which endings of documents it may have."""


def require_own(option: str, path: str, kind: str, *, force: bool = False, hint: str = "add --force") -> None:
    """Refuse to write over a file that pmbf did not write, or under a name that says it is a document.

    Args:
        option: The option that names the file, which need not exist.
        kind: What is written: a key of `_KINDS`.
        force: Whether the user wants it all the same.
        hint: What the user may do beside choosing another name.
    """
    from pmbf.extract import SUPPORTED

    require_no_store(option, path)
    is_own, endings = _KINDS[kind]
    ending = os.path.splitext(path)[1].lower()
    if not force and ending in SUPPORTED and ending not in endings:
        raise ParameterError(f"{option} {path}: ends as a document does ({ending}); choose another name")
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return  # it is told when it is written
    if not stat.S_ISREG(status.st_mode) or not status.st_size or force:
        return
    with open(path, "rb", opener=open_regular) as file:
        known = is_own(file)
    if not known:
        raise ParameterError(f"{option} {path}: exists and was not written by pmbf; choose another name or {hint}")


def require_own_pages(option: str, folder: str, *, force: bool = False) -> None:
    """Refuse a folder of pages in which a page of others has the name of one that pmbf writes."""
    require_no_store(option, folder)
    for place in (folder, os.path.join(folder, "pairs")):
        if os.path.isdir(place) and not os.path.islink(place):
            for entry in sorted(os.listdir(place)):
                if _PAGES.fullmatch(entry):
                    require_own(option, os.path.join(place, entry), "page", force=force)


def require_no_store(option: str, path: str) -> None:
    """Refuse to write into the folder of a collection or a depot; nothing there is a user's file."""
    if holder := holder_of(path):
        raise ParameterError(f"{option} {path}: lies in {holder}, which holds no files of others; name a place outside")


def require_outside(
    option: str, path: str, opened: AnyCollection, *, force: bool = False, hint: str = " or add --force"
) -> None:
    """Refuse to write among the files that a collection was loaded from: the next load would read that, too.

    `hint` is what the user may do beside choosing another place.
    """
    place = os.path.abspath(path)
    if force or not opened.is_among_documents(place):
        return
    what = "is" if os.path.isdir(place) else "is in"
    raise ParameterError(
        f"{option} {path}: {what} a folder of documents of {opened.path}: what is written there would be loaded as a "
        f"document; choose a place outside{hint}"
    )


def require_apart(option: str, place: str, paths: Sequence[str]) -> None:
    """Refuse to write in the place of a text, or among the texts: the next run would read that, too."""
    target = os.path.realpath(place)
    for path in paths:
        compared = os.path.realpath(path)
        if target == compared or target.startswith(os.path.join(compared, "")):
            raise ParameterError(f"{option} {place}: is in {path}, which is compared; name a place outside")


def require_elsewhere(
    places: Sequence[tuple[str, str | None]],
    paths: Sequence[str],
    opened: Sequence[AnyCollection],
    *,
    force: bool = False,
    hint: str = " or add --force",
) -> None:
    """Refuse to write among the compared texts, or among the documents of collections.

    Of the places, each with its option, None and stdout are left out.
    """
    for option, place in places:
        if place and place != "-":
            require_apart(option, place, paths)
            for one in opened:
                require_outside(option, place, one, force=force, hint=hint)


@contextmanager
def opened_table(file: str, form: str, columns: Sequence[str], sheet: str = "rows") -> Iterator[Take]:
    """Yield what takes the rows of a table that is written into a file, or printed if the file is `-`."""
    from pmbf.cli.shown.table_files import table

    if form == "xlsx":  # is written at the end, so the file that is there stays until then
        content = BytesIO()
        with table(form, columns, content, sheet) as take:
            yield take
        with opened_to_write(file) as opened:
            opened.write(content.getvalue())
        return
    opened_or_stdout = nullcontext(SimpleNamespace(write=print_bytes)) if file == "-" else opened_to_write(file)
    with opened_or_stdout as sink, table(form, columns, sink) as take:
        yield take


def opened_to_write(path: str) -> BinaryIO:
    """Return a file that is written anew; of a pipe that nobody reads this is an error, and not a wait."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags & ~os.O_NONBLOCK)
    return os.fdopen(descriptor, "wb")


def _tables() -> set[tuple[str, ...]]:
    """Return the columns of all tables that commands write."""
    from pmbf.alike.pairs.results import COLUMNS as NEAR
    from pmbf.alike.similar.report import COLUMNS as SIMILAR
    from pmbf.comparison.reports import COLUMNS as COMPARED
    from pmbf.report.table import COLUMNS, columns
    from pmbf.sentences import forms as of_sentences

    of_reports = {columns(by) for by in COLUMNS} | {columns("passages", with_text=True)}
    of_texts = {of_sentences.columns(with_text=with_text) for with_text in (False, True)}
    return of_reports | of_texts | {SIMILAR, COMPARED, *NEAR.values()}
