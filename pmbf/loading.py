"""The way in: files become documents of a collection, one after another, in batches that survive an interruption.

roots ─discover─► files ─unchanged?─► skipped
                        ─same contents?─► one more path of a document
                        ─extract, fingerprint─► a new document ─► Writer ─commit per batch─► the collection
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from types import FrameType
from typing import Any

from pmbf.discovery import FileFound, Problem, read_bounded, reason_of
from pmbf.errors import PmbfError, UnsupportedError
from pmbf.extract import Limits, extract, looks_supported
from pmbf.fingerprint import fingerprint
from pmbf.params import Params
from pmbf.records import PathEntry
from pmbf.text import clean
from pmbf.writer import NewDocument, Writer

COMMIT_BYTES = 64 << 20
"""A batch is committed after this many bytes of text …"""
COMMIT_SECONDS = 15.0
"""… or after this long, so that an interruption costs little."""
_LOOKED_UP_TOGETHER = 400


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
        self._known: dict[str, PathEntry] = {}
        self._incomplete = writer.store.catalog.incomplete_documents()

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
            with _between_files() as interrupted:
                for number, file in enumerate(files, 1):
                    if number % _LOOKED_UP_TOGETHER == 1:
                        self._look_up(files[number - 1 : number - 1 + _LOOKED_UP_TOGETHER])
                    self._load_file(file)
                    n_bytes += file.size
                    self._on_progress(Progress(number, len(files), n_bytes, n_bytes_total))
                    self._commit_when_due()
                    if interrupted():
                        raise KeyboardInterrupt
        except KeyboardInterrupt:
            self.report.interrupted = True
            raise
        finally:
            self._writer.commit()
            self.report.seconds = time.monotonic() - started
        return self.report

    def prune(self, roots: Sequence[str | os.PathLike[str]]) -> None:
        """Take out the paths below some folders whose file is surely gone; commits.

        A folder that is missing or empty itself, as when a disk is not mounted, proves nothing: it is a problem.
        """
        folders = [folder for root in roots if self._may_prune(folder := os.path.abspath(os.fspath(root)))]
        known = [entry for entry in self._writer.store.catalog.paths() if entry.size >= 0]
        gone = [entry.path for entry in known if _below(entry.path, folders) and _is_gone(entry.path)]
        for path in gone:
            self._writer.detach(path)
        self.report.n_pruned += len(gone)
        self._writer.commit()

    def _may_prune(self, folder: str) -> bool:
        if os.path.isfile(folder):
            return False
        try:
            reason = "" if any(os.scandir(folder)) else "is empty: is its disk mounted?"
        except OSError as error:
            reason = reason_of(error)
        if reason:
            self.report.problems.append(Problem(folder, f"nothing was pruned below it: {reason}"))
        return not reason

    def _sorted_out(self, found: Iterable[FileFound | Problem]) -> list[FileFound]:
        files: dict[str, FileFound] = {}
        for item in found:
            if isinstance(item, Problem):
                self.report.problems.append(item)
            elif item.named or item.path not in files:
                files[item.path] = item
        return list(files.values())

    def _look_up(self, files: Sequence[FileFound]) -> None:
        self._known = self._writer.paths([file.path for file in files])

    def _load_file(self, file: FileFound) -> None:
        known = self._known.get(file.path)
        if known and (known.size, known.mtime_ns) == (file.size, file.mtime_ns):
            self._unchanged(file.path, known.document)
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
        same = self._writer.by_sha256(sha256, from_file=True)
        if same is None:
            same = self._add(file.path, content, sha256)
            self.report.n_added += known_document is None
        elif same != known_document:
            self.report.n_same += 1
        else:
            self._unchanged(file.path, same)
        self.report.n_replaced += known_document not in (None, same)
        self._writer.attach(file.path, same, size=file.size, mtime_ns=file.mtime_ns)

    def _unchanged(self, path: str, document: int) -> None:
        """Count a file as unchanged, and say again what of it was not read."""
        self.report.n_unchanged += 1
        self._say_incomplete(path, self._incomplete.get(document, "").splitlines())

    def _say_incomplete(self, path: str, reasons: Sequence[str]) -> None:
        self.report.problems += [Problem(path, f"incomplete: {reason}") for reason in reasons]

    def _add(self, path: str, content: bytes, sha256: str) -> int:
        extracted = extract(content, path, self._limits)
        self._say_incomplete(path, extracted.problems)
        text = clean(extracted.text)
        return self._writer.add(
            NewDocument(sha256, extracted.kind, text, fingerprint(text, self._params), "\n".join(extracted.problems))
        )

    def _refused(self, file: FileFound, error: Exception) -> None:
        if isinstance(error, UnsupportedError) and not file.named and "extra" not in str(error):
            self.report.n_skipped += 1
            return
        self.report.problems.append(Problem(file.path, reason_of(error)))

    def _commit_when_due(self) -> None:
        now = time.monotonic()
        if self._writer.pending_bytes >= COMMIT_BYTES or now - self._last_commit >= COMMIT_SECONDS:
            self._writer.commit()
            self._last_commit = now


@contextlib.contextmanager
def _between_files() -> Iterator[Callable[[], bool]]:
    """Hold Ctrl-C back until the file at hand is done, and yield whether it came; a second one acts at once."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    presses: list[int] = []

    def held_back(number: int, frame: FrameType | None) -> None:
        presses.append(number)
        if len(presses) > 1:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, held_back)
    try:
        yield lambda: bool(presses)
    finally:
        signal.signal(signal.SIGINT, handler)


def _is_gone(path: str) -> bool:
    """Return whether a file is surely not there; one that cannot be looked at is not gone."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)
