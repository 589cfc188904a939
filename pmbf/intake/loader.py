"""The way in: files become documents of a collection, one after another, in batches that survive an interruption.

roots ─discover─► files ─unchanged?─► skipped
                        ─same contents?─► one more path of a document
                        ─extract, fingerprint─► a new document ─► Writer ─commit per batch─► the collection
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import eq
from types import FrameType
from typing import ClassVar, NamedTuple

import numpy as np

from pmbf.base.contents import reason_of
from pmbf.base.errors import ParameterError
from pmbf.extract import Limits, looks_supported, named_kind
from pmbf.extract.recognition import WOULD_HELP
from pmbf.intake.batches import FileToRead, Read, read_ahead
from pmbf.intake.discovery import HUGE, NOT_NAMED, TINY, FileFound, Problem, below, gone
from pmbf.intake.labelling import Labelling, LabelTable, relabel
from pmbf.intake.texts import LEAST_SAME_BYTES, is_passed_over
from pmbf.jobs import without_garbage_collection
from pmbf.jobs.threads import Threads
from pmbf.report.as_json import AsJson
from pmbf.store.catalog_tables import BINARY_KIND, ListedPath
from pmbf.store.incoming import NewDocuments, first_of_each
from pmbf.store.writer import Writer

COMMIT_BYTES = 64 << 20
"""A load commits after this many bytes of text."""
COMMIT_SECONDS = 15.0
"""A load commits after this time at the latest, so a kill costs no more work than that."""
_LOOKED_UP_TOGETHER = 400


@dataclass(slots=True)
class LoadReport(AsJson):
    """The result of a load, in numbers of files.

    Args:
        n_added: New documents.
        n_replaced: Paths whose contents had changed.
        n_unchanged: Skipped: same size and modification time, or same contents.
        n_same: Files whose contents the collection already had under another path.
        n_pruned: Paths taken out because their file is gone.
        n_labelled: Paths whose labels changed.
        n_skipped: Files met in folders that were neither loaded nor remembered: archives, very small or large files.
        n_bytes: Bytes read.
        seconds: Wall time.
        problems: Files not loaded, or not read to their end, each with its reason.
        skipped: The files that were skipped, each with its reason.
        without_text: Files that were met and hold no word, unchanged ones too: they are known by their checksum.
        interrupted: Whether the load was stopped; everything done until then is kept.
    """

    ALSO: ClassVar[tuple[str, ...]] = ("n_without_text",)

    n_added: int = 0
    n_replaced: int = 0
    n_unchanged: int = 0
    n_same: int = 0
    n_pruned: int = 0
    n_labelled: int = 0
    n_skipped: int = 0
    n_bytes: int = 0
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    without_text: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def n_without_text(self) -> int:
        """Files that were met and hold no word: those of `without_text`."""
        return len(self.without_text)

    def say_unread(self, path: str, problems: str, *, is_binary: bool, has_words: bool) -> None:
        """List a file without text, and say what was not read of a file, a line for each problem."""
        if not has_words:
            self.without_text.append(path)
        incomplete = "" if is_binary else "incomplete: "
        self.problems += [Problem(path, incomplete + reason) for reason in problems.splitlines()]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load is: files and bytes done, and in total."""

    n_files: int
    n_files_total: int
    n_bytes: int
    n_bytes_total: int


class _Planned(NamedTuple):
    """A file, how its path is listed, whether that still holds, and what is to be read."""

    file: FileFound
    known: ListedPath | None
    unchanged: bool
    wanted: FileToRead | None


class Loader:
    """Loads files into a collection through its writer, and commits.

    It has `jobs` threads that read; without threads it reads itself. Its progress is told after each batch of files.
    """

    def __init__(
        self,
        writer: Writer,
        *,
        limits: Limits | None = None,
        threads: Threads | None = None,
        jobs: int = 1,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        if jobs < 1:
            raise ParameterError(f"jobs is {jobs}, expected at least 1")
        self._jobs = jobs
        self._threads = threads
        self.report = LoadReport()
        self._writer = writer
        self._limits = limits or Limits()
        self._on_progress = on_progress or (lambda progress: None)
        self._last_commit = time.monotonic()
        self._incomplete = writer.store.catalog.incomplete_documents()
        # Scans that were loaded without text recognition are loaded anew with it.
        self._scans = {one for one, what in self._incomplete.items() if self._limits.ocr and WOULD_HELP in what}
        self._recognised: dict[str, int] = {}
        self._wordless = writer.store.catalog.kinds_without_words()
        self._without_text = {one for one, kind in self._wordless.items() if kind == BINARY_KIND}

    def load(self, found: Iterable[FileFound | Problem]) -> LoadReport:
        """Load files, commit, and return the report; on Ctrl-C commit what is done, set `interrupted` and raise."""
        started = time.monotonic()
        with without_garbage_collection():
            try:
                self._load(self._sorted_out(found))
            except KeyboardInterrupt:
                self.report.interrupted = True
                raise
            finally:
                self._writer.commit(is_last=not self.report.interrupted)
                self.report.seconds = time.monotonic() - started
        return self.report

    def _load(self, files: Sequence[FileFound]) -> None:
        n_bytes_total = sum(file.size for file in files)
        n_files = n_bytes = 0
        with _between_batches() as interrupted:
            for planned, read in self._read(files):
                self._settle(planned, read)
                n_bytes += sum(one.file.size for one in planned)
                n_files += len(planned)
                self._on_progress(Progress(n_files, len(files), n_bytes, n_bytes_total))
                if interrupted():
                    raise KeyboardInterrupt
                self._commit_when_due()

    def prune(self, roots: Sequence[str | os.PathLike[str]]) -> None:
        """Take out the paths below some folders whose file is surely gone, and commit.

        A folder that is missing or empty itself, as when a disk is not mounted, proves nothing: it is a problem.
        """
        paths, problems = gone(self._writer.store.catalog.paths(), roots)
        self._writer.detach([one.path for one in paths])
        self.report.n_pruned += len(paths)
        self.report.problems += problems
        self._writer.commit()

    def label(self, roots: Sequence[str | os.PathLike[str]], labels: Labelling) -> None:
        """Change the labels of files below some folders, and commit; of a table, each row of no file is a problem."""
        self.report.n_labelled = relabel(self._writer, below(self._writer.store.catalog.paths(), roots), labels)
        if isinstance(labels, LabelTable):
            self.report.problems += labels.unused()

    def _sorted_out(self, found: Iterable[FileFound | Problem]) -> list[FileFound]:
        files: dict[str, FileFound] = {}
        for item in found:
            if isinstance(item, Problem):
                self.report.problems.append(item)
            elif item.named or item.path not in files:
                files[item.path] = item
        return list(files.values())

    def _read(self, files: Sequence[FileFound]) -> Iterator[tuple[list[_Planned], Read]]:
        """Yield planned files and what became of them, batch by batch; the plan runs ahead of the reading."""
        planned: deque[_Planned] = deque()

        def to_read() -> Iterator[FileToRead | None]:
            for one in self._plan(files):
                planned.append(one)
                yield one.wanted

        n_bytes = sum(file.size for file in files)
        for read in read_ahead(
            to_read(), self._writer.store.params, self._limits, threads=self._threads, jobs=self._jobs, n_bytes=n_bytes
        ):
            yield [planned.popleft() for _ in range(read.n_files)], read

    def _plan(self, files: Sequence[FileFound]) -> Iterator[_Planned]:
        """Yield each file with its path as it is listed; wanted unless size and time are those listed."""
        for start in range(0, len(files), _LOOKED_UP_TOGETHER):
            some = files[start : start + _LOOKED_UP_TOGETHER]
            paths = [file.path for file in some]
            yield from map(self._planned, some, map(self._writer.paths(paths).get, paths))

    def _planned(self, file: FileFound, known: ListedPath | None) -> _Planned:
        path, size, mtime_ns, is_named = file
        if known and (known.size, known.mtime_ns) == (size, mtime_ns) and not self._is_anew(file, known):
            return _Planned(file, known, unchanged=True, wanted=None)
        kind = named_kind(path)
        promising = bool(is_named or kind or looks_supported(path))
        is_wanted = promising or 0 < size <= self._limits.max_bytes
        return _Planned(file, known, False, FileToRead(path, size, kind, promising) if is_wanted else None)

    def _is_anew(self, file: FileFound, known: ListedPath) -> bool:
        """Return whether an unchanged file is read again: a scan, or a file that had no text and is named."""
        return known.document in self._scans or (file.named and known.document in self._without_text)

    def _settle(self, planned: Sequence[_Planned], read: Read) -> None:
        """Store what was read of a batch, list its paths, count, and say what is odd, in the order of the files."""
        ids, new = self._stored(read.documents)
        stored = [planned[number] for number in read.numbers]
        self._list(stored, ids)
        self._count(stored, ids, new)
        wordless = np.flatnonzero(read.documents.samples.n_tokens == 0).tolist()
        odd = {read.numbers[place]: place for place in {*wordless, *read.documents.problems}}
        for number in sorted({*range(len(planned))}.difference(read.numbers).union(odd)):
            one = planned[number]
            if number in odd:
                self._say_odd(one.file, read.documents, odd[number])
            elif number in read.errors:
                self._refused(one.file, read.errors[number])
            elif one.unchanged and one.known:
                self._unchanged(one.file.path, one.known.document)
            else:
                self._skipped(one.file, TINY if one.file.size < LEAST_SAME_BYTES else HUGE)

    def _stored(self, documents: NewDocuments) -> tuple[list[int], set[int]]:
        """Return the id of each document, and the places of those that are new; these are stored."""
        contents = documents.contents
        known = self._writer.look_up(contents)
        if self._scans:
            sums = documents.sha256
            known = [
                self._recognised.get(sha256) if id_ in self._scans else id_
                for sha256, id_ in zip(sums, known, strict=True)
            ]
        firsts = first_of_each(contents, known)
        new = documents.some(firsts)
        stored = dict(zip(new.contents, self._writer.add(new), strict=True))
        if self._scans:
            self._recognised.update((sha256, id_) for (sha256, _), id_ in stored.items())
        ids = [stored[one] if id_ is None else id_ for one, id_ in zip(contents, known, strict=True)]
        return ids, set(firsts)

    def _list(self, planned: Sequence[_Planned], ids: Sequence[int]) -> None:
        after = [
            ListedPath(path, id_, size, mtime_ns, known.labels if known else "")
            for ((path, size, mtime_ns, _), known, _, _), id_ in zip(planned, ids, strict=True)
        ]
        self._writer.relist([one.known for one in planned], after)

    def _count(self, planned: Sequence[_Planned], ids: Sequence[int], new: set[int]) -> None:
        """Count files that were read, whose documents have some ids; those at the places `new` are new."""
        report = self.report
        before = [one.known.document if one.known else None for one in planned]
        n_unchanged = sum(map(eq, ids, before))
        report.n_bytes += sum(one.file.size for one in planned)
        report.n_added += sum(before[place] is None for place in new)
        report.n_same += len(ids) - len(new) - n_unchanged
        report.n_unchanged += n_unchanged
        report.n_replaced += len(ids) - before.count(None) - n_unchanged

    def _say_odd(self, file: FileFound, documents: NewDocuments, place: int) -> None:
        is_binary, has_words = documents.kinds[place] == BINARY_KIND, documents.samples.n_tokens[place] > 0
        self.report.say_unread(
            file.path, documents.problems.get(place, ""), is_binary=is_binary, has_words=bool(has_words)
        )

    def _unchanged(self, path: str, document: int) -> None:
        """Count a file as unchanged, and say again which parts of it were not read."""
        self.report.n_unchanged += 1
        is_binary, has_words = document in self._without_text, document not in self._wordless
        self.report.say_unread(path, self._incomplete.get(document, ""), is_binary=is_binary, has_words=has_words)

    def _skipped(self, file: FileFound, reason: str) -> None:
        self.report.n_skipped += 1
        self.report.skipped.append(Problem(file.path, reason))

    def _refused(self, file: FileFound, error: Exception) -> None:
        if is_passed_over(error, met=not file.named):
            self._skipped(file, str(error) if str(error) == NOT_NAMED else TINY)
        else:
            self.report.problems.append(Problem(file.path, reason_of(error).removeprefix(f"{file.path}: ")))

    def _commit_when_due(self) -> None:
        now = time.monotonic()
        if self._writer.pending_bytes >= COMMIT_BYTES or now - self._last_commit >= COMMIT_SECONDS:
            self._writer.commit(has_more=True)
            self._last_commit = now


@contextlib.contextmanager
def _between_batches() -> Iterator[Callable[[], bool]]:
    """Hold Ctrl-C back until the batch is done; yield whether it came. A second Ctrl-C acts at once."""
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
