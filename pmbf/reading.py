"""Files read ahead of the writer: contents, text, fingerprint; in this process, or in several.

    plan ─► batches of some 32 files ─► processes: read, extract, fingerprint ─► in the order of the plan

At most two batches a process are under way, so memory does not grow with the number of files.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field

from pmbf.discovery import FileFound, read_bounded
from pmbf.errors import PmbfError
from pmbf.extract import Limits, extract
from pmbf.fingerprint import Fingerprint, fingerprint
from pmbf.params import Params
from pmbf.records import PathEntry
from pmbf.text import clean

BATCH_FILES, BATCH_BYTES = 32, 2 << 20


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file gave.

    Args:
        sha256: Of its bytes, hexadecimal.
        n_bytes: Those bytes.
        kind: Of file.
        text: Without lone surrogates.
        fingerprint: Of the text.
        problems: What was not read.
    """

    sha256: str
    n_bytes: int
    kind: str
    text: str
    fingerprint: Fingerprint
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """A file, the entry its path has, whether that still holds, and whether the file is to be read."""

    file: FileFound
    known: PathEntry | None
    unchanged: bool
    wanted: bool


Outcome = Reading | PmbfError | OSError | None


@dataclass(slots=True)
class _Batch:
    planned: list[Planned] = field(default_factory=list)
    n_bytes: int = 0

    def wanted(self) -> list[str]:
        return [one.file.path for one in self.planned if one.wanted]

    def add(self, one: Planned) -> bool:
        """Take one more file; return whether the batch is full."""
        self.planned.append(one)
        self.n_bytes += one.wanted * one.file.size
        return len(self.planned) >= BATCH_FILES or self.n_bytes >= BATCH_BYTES


def read_document(path: str, params: Params, limits: Limits) -> Reading:
    """Read a file, extract its text, and make its fingerprint.

    Raises:
        NotFoundError, UnsupportedError, IncompleteError, OSError: It cannot be read, or not as text.
    """
    content = read_bounded(path, limits.max_bytes)
    extracted = extract(content, path, limits)
    text = clean(extracted.text)
    sha256 = hashlib.sha256(content).hexdigest()
    return Reading(sha256, len(content), extracted.kind, text, fingerprint(text, params), extracted.problems)


def read_ahead(
    plan: Iterable[Planned], params: Params, limits: Limits, *, jobs: int
) -> Iterator[tuple[Planned, Outcome]]:
    """Yield each planned file with what it gave, or why it gave nothing; None where it was not wanted.

    Args:
        plan: Files in the order they are to come out.
        params: Of the collection.
        limits: Bounds for reading a file.
        jobs: Processes; with 1 files are read here, one at a time, when they are asked for.
    """
    if jobs == 1:
        for one in plan:
            yield one, _attempted(one.file.path, params, limits) if one.wanted else None
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_leave_ctrl_c_to_the_parent) as pool:
        under_way: deque[tuple[list[Planned], Future[list[Outcome]]]] = deque()
        try:
            for batch in _batches(plan):
                under_way.append((batch.planned, pool.submit(_attempt_all, batch.wanted(), params, limits)))
                if len(under_way) > 2 * jobs:
                    yield from _together(*under_way.popleft())
            while under_way:
                yield from _together(*under_way.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _batches(plan: Iterable[Planned]) -> Iterator[_Batch]:
    batch = _Batch()
    for one in plan:
        if batch.add(one):
            yield batch
            batch = _Batch()
    if batch.planned:
        yield batch


def _together(planned: list[Planned], future: Future[list[Outcome]]) -> Iterator[tuple[Planned, Outcome]]:
    outcomes = iter(future.result())
    for one in planned:
        yield one, next(outcomes) if one.wanted else None


def _attempt_all(paths: list[str], params: Params, limits: Limits) -> list[Outcome]:
    return [_attempted(path, params, limits) for path in paths]


def _attempted(path: str, params: Params, limits: Limits) -> Outcome:
    try:
        return read_document(path, params, limits)
    except (PmbfError, OSError) as error:
        return error


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
