"""The way in: files become documents of a collection, one after another, in batches that survive an interruption.

roots ─discover─► files ─unchanged?─► skipped
                        ─same contents?─► one more path of a document
                        ─extract, fingerprint─► a new document ─► Writer ─commit per batch─► the collection
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pmbf.errors import IncompleteError, NotFoundError, PmbfError, UnsupportedError
from pmbf.extract import Limits, extract, looks_supported
from pmbf.fingerprint import fingerprint
from pmbf.params import Params
from pmbf.text import clean
from pmbf.writer import NewDocument, Writer

COMMIT_BYTES = 64 << 20
"""A batch is committed after this many bytes of text …"""
COMMIT_SECONDS = 15.0
"""… or after this long, so that an interruption costs little."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was not loaded, or not whole, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class LoadReport:
    """What a load did, in numbers of files.

    Args:
        n_added: New documents.
        n_replaced: Paths whose contents had changed.
        n_unchanged: Skipped: same size and modification time, or same contents.
        n_same: Contents the collection already had under another path.
        n_pruned: Paths taken out because their file is gone.
        n_skipped: Files met in folders that are no text documents.
        n_bytes: Bytes read.
        seconds: Wall time.
        problems: Files not loaded, or not read to their end, each with its reason.
        interrupted: Whether it was stopped; what it did until then is kept.
    """

    n_added: int = 0
    n_replaced: int = 0
    n_unchanged: int = 0
    n_same: int = 0
    n_pruned: int = 0
    n_skipped: int = 0
    n_bytes: int = 0
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready dicts and lists."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load is: files and bytes done, and known so far in total."""

    n_files: int
    n_files_total: int
    n_bytes: int
    n_bytes_total: int


@dataclass(frozen=True, slots=True)
class FileFound:
    """A file a load will look at; `named` when the user gave its very path."""

    path: str
    size: int
    mtime_ns: int
    named: bool


def discover(
    roots: Iterable[str | os.PathLike[str]],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Iterator[FileFound | Problem]:
    """Yield the files below some roots, in alphabetical order per folder, or why one cannot be looked at.

    Folders are walked recursively; symbolic links in them are not followed, nor are collections and hidden
    entries entered. A file named by the user is always taken.

    Args:
        roots: Files and folders.
        include: Glob patterns; a file found in a folder must fit one, if there are any.
        exclude: Glob patterns; a file or folder found in a folder must fit none.
    """
    for root in roots:
        path = os.path.abspath(os.fspath(root))
        try:
            if os.path.isdir(path):
                yield from _walk(path, include, exclude)
            else:
                yield _found(path, named=True)
        except OSError as error:
            yield Problem(path, _reason(error))


def _walk(folder: str, include: Sequence[str], exclude: Sequence[str]) -> Iterator[FileFound | Problem]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Problem(folder, _reason(error))
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink() or _fits(entry.path, exclude):
            continue
        if entry.is_dir():
            if not is_collection(entry.path):
                yield from _walk(entry.path, include, exclude)
        elif entry.is_file() and (not include or _fits(entry.path, include)):
            yield _found(entry.path, named=False)


def is_collection(folder: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a collection of pmbf."""
    return os.path.exists(os.path.join(folder, "catalog.sqlite"))


def _found(path: str, *, named: bool) -> FileFound:
    status = os.stat(path)
    return FileFound(path, status.st_size, status.st_mtime_ns, named)


def _fits(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path or its last name fits one of the patterns, as in a .gitignore without negation."""
    name = os.path.basename(path)
    return any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path, pattern) for pattern in patterns)


class Loader:
    """Loads files into a collection through its writer.

    Args:
        writer: Where documents go; committed per batch and at the end.
        params: The collection's parameters.
        limits: Bounds for reading a file.
        on_progress: Called after each file.
    """

    def __init__(
        self,
        writer: Writer,
        params: Params,
        *,
        limits: Limits | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.report = LoadReport()
        self._writer = writer
        self._params = params
        self._limits = limits or Limits()
        self._on_progress = on_progress or (lambda progress: None)
        self._last_commit = time.monotonic()

    def load(self, found: Iterable[FileFound | Problem]) -> LoadReport:
        """Load files, commit, and return the report; on Ctrl-C commit what is done, note it and raise.

        Raises:
            OSError: The disk is full; everything committed before is kept.
        """
        started = time.monotonic()
        files = self._sorted_out(found)
        n_bytes_total = sum(file.size for file in files)
        n_bytes = 0
        try:
            for number, file in enumerate(files, 1):
                self._load_file(file)
                n_bytes += file.size
                self._on_progress(Progress(number, len(files), n_bytes, n_bytes_total))
                self._commit_when_due()
        except KeyboardInterrupt:
            self.report.interrupted = True
            raise
        finally:
            self._writer.commit()
            self.report.seconds = time.monotonic() - started
        return self.report

    def prune(self, roots: Sequence[str | os.PathLike[str]]) -> None:
        """Take out the paths below some roots, or all when there are none, whose file is gone; commits."""
        folders = [os.path.abspath(os.fspath(root)) for root in roots]
        gone = [
            entry.path
            for entry in self._writer.store.catalog.paths()
            if entry.size >= 0 and (not folders or _below(entry.path, folders)) and not os.path.lexists(entry.path)
        ]
        for path in gone:
            self._writer.detach(path)
        self.report.n_pruned += len(gone)
        self._writer.commit()

    def _sorted_out(self, found: Iterable[FileFound | Problem]) -> list[FileFound]:
        files: dict[str, FileFound] = {}
        for item in found:
            if isinstance(item, Problem):
                self.report.problems.append(item)
            elif item.named or item.path not in files:
                files[item.path] = item
        return list(files.values())

    def _load_file(self, file: FileFound) -> None:
        known = self._writer.path(file.path)
        if known and (known.size, known.mtime_ns) == (file.size, file.mtime_ns):
            self.report.n_unchanged += 1
            return
        try:
            if not file.named and not looks_supported(file.path):
                self.report.n_skipped += 1
                return
            self._take(file, known_document=known.document if known else None)
        except (PmbfError, OSError) as error:
            self._refused(file, error)

    def _take(self, file: FileFound, *, known_document: int | None) -> None:
        content = read_bounded(file.path, self._limits.max_bytes)
        self.report.n_bytes += len(content)
        sha256 = hashlib.sha256(content).hexdigest()
        same = self._writer.by_sha256(sha256)
        if same is None:
            same = self._add(file.path, content, sha256)
            self.report.n_added += known_document is None
        elif same != known_document:
            self.report.n_same += 1
        self.report.n_unchanged += same == known_document
        self.report.n_replaced += known_document not in (None, same)
        self._writer.attach(file.path, same, size=file.size, mtime_ns=file.mtime_ns)

    def _add(self, path: str, content: bytes, sha256: str) -> int:
        extracted = extract(content, path, self._limits)
        if extracted.problems:
            self.report.problems += [Problem(path, f"incomplete: {reason}") for reason in extracted.problems]
        text = clean(extracted.text)
        return self._writer.add(
            NewDocument(sha256, extracted.kind, text, fingerprint(text, self._params), "\n".join(extracted.problems))
        )

    def _refused(self, file: FileFound, error: Exception) -> None:
        if isinstance(error, UnsupportedError) and not file.named and "extra" not in str(error):
            self.report.n_skipped += 1
            return
        self.report.problems.append(Problem(file.path, _reason(error)))

    def _commit_when_due(self) -> None:
        now = time.monotonic()
        if self._writer.pending_bytes >= COMMIT_BYTES or now - self._last_commit >= COMMIT_SECONDS:
            self._writer.commit()
            self._last_commit = now


def read_bounded(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Return a regular file's bytes.

    Raises:
        NotFoundError: There is no such file.
        UnsupportedError: It is not a regular file.
        IncompleteError: It is larger than `max_bytes`.
    """
    name = Path(path)
    if not name.exists():
        raise NotFoundError(f"{name}: no such file")
    if name.is_dir():
        raise UnsupportedError(f"{name}: is a folder, expected a file; `pmbf load` takes folders")
    if not name.is_file():
        raise UnsupportedError(f"{name}: not a regular file")
    with open(name, "rb") as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise IncompleteError(f"{name}: larger than {max_bytes} bytes; raise the limit with --max-bytes")
    return content


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)
