"""Files read ahead of the writer: contents, text, fingerprint; in this process, or in several.

    plan ─► batches of some 64 files ─► processes: read, extract, fingerprint ─► in the order of the plan

At most two batches a process are under way, so memory does not grow with the number of files.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass

from pmbf.discovery import FileFound, read_bounded
from pmbf.errors import PmbfError
from pmbf.extract import Limits, extract, plain_utf8
from pmbf.fingerprint import Fingerprint, fingerprint
from pmbf.params import Params
from pmbf.records import PathEntry
from pmbf.text import utf8

BATCH_FILES, BATCH_BYTES = 64, 2 << 20
BATCH_SECONDS = 0.1
"""A batch read in this process ends after this long, so that Ctrl-C and the progress need not wait for it."""


@dataclass(slots=True)
class Reading:
    """What a file gave.

    Args:
        sha256: Of its bytes, hexadecimal.
        n_bytes: Those bytes.
        kind: Of file.
        utf8: The text.
        fingerprint: Of the text.
        record: The fingerprint as it is stored.
        problems: What was not read.
    """

    sha256: str
    n_bytes: int
    kind: str
    utf8: bytes
    fingerprint: Fingerprint
    record: bytes
    problems: tuple[str, ...]


@dataclass(slots=True)
class Planned:
    """A file, the entry its path has, whether that still holds, and whether the file is to be read."""

    file: FileFound
    known: PathEntry | None
    unchanged: bool
    wanted: bool


Outcome = Reading | PmbfError | OSError | None


def read_document(path: str, params: Params, limits: Limits) -> Reading:
    """Read a file, extract its text, and make its fingerprint.

    Raises:
        NotFoundError, UnsupportedError, IncompleteError, OSError: It cannot be read, or not as text.
    """
    content = read_bounded(path, limits.max_bytes)
    text, problems = content, tuple[str, ...]()
    kind = plain_utf8(content, path, limits)
    if kind is None:
        extracted = extract(content, path, limits)
        kind, text, problems = extracted.kind, utf8(extracted.text), extracted.problems
    sampled = fingerprint(text, params)
    return Reading(hashlib.sha256(content).hexdigest(), len(content), kind, text, sampled, sampled.record(), problems)


def read_ahead(
    plan: Iterable[Planned], params: Params, limits: Limits, *, jobs: int
) -> Iterator[list[tuple[Planned, Outcome]]]:
    """Yield the planned files, batch by batch, with what each gave, or why it gave nothing; None for one not wanted.

    Args:
        plan: Files in the order they are to come out.
        params: Of the collection.
        limits: Bounds for reading a file.
        jobs: Processes; with 1 files are read here, when the next batch is asked for.
    """
    if jobs == 1:
        yield from _read_here(plan, params, limits)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_leave_ctrl_c_to_the_parent) as pool:
        under_way: deque[tuple[list[Planned], Future[list[Outcome]]]] = deque()
        try:
            for planned in _batches(plan):
                wanted = [one.file.path for one in planned if one.wanted]
                under_way.append((planned, pool.submit(_attempt_all, wanted, params, limits)))
                if len(under_way) > 2 * jobs:
                    yield _together(*under_way.popleft())
            while under_way:
                yield _together(*under_way.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _read_here(plan: Iterable[Planned], params: Params, limits: Limits) -> Iterator[list[tuple[Planned, Outcome]]]:
    batch: list[tuple[Planned, Outcome]] = []
    n_bytes, until = 0, time.monotonic() + BATCH_SECONDS
    for one in plan:
        batch.append((one, _attempted(one.file.path, params, limits) if one.wanted else None))
        n_bytes += one.wanted * one.file.size
        if len(batch) >= BATCH_FILES or n_bytes >= BATCH_BYTES or time.monotonic() >= until:
            yield batch
            batch, n_bytes, until = [], 0, time.monotonic() + BATCH_SECONDS
    if batch:
        yield batch


def _batches(plan: Iterable[Planned]) -> Iterator[list[Planned]]:
    batch: list[Planned] = []
    n_bytes = 0
    for one in plan:
        batch.append(one)
        n_bytes += one.wanted * one.file.size
        if len(batch) >= BATCH_FILES or n_bytes >= BATCH_BYTES:
            yield batch
            batch, n_bytes = [], 0
    if batch:
        yield batch


def _together(planned: list[Planned], future: Future[list[Outcome]]) -> list[tuple[Planned, Outcome]]:
    outcomes = iter(future.result())
    return [(one, next(outcomes) if one.wanted else None) for one in planned]


def _attempt_all(paths: list[str], params: Params, limits: Limits) -> list[Outcome]:
    return [_attempted(path, params, limits) for path in paths]


def _attempted(path: str, params: Params, limits: Limits) -> Outcome:
    try:
        return read_document(path, params, limits)
    except (PmbfError, OSError) as error:
        return error


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
