"""Files read ahead of the writer: contents, text, fingerprint; in this thread, in others, or in processes.

    plan ─► batches of up to 256 files ─► threads: read, extract, fingerprint ─► in the order of the plan

One native call reads the plain texts of a batch. It holds the interpreter's lock for a moment only, so threads work
side by side. Other formats are always parsed in processes. In a large load, so are plain texts in other encodings than
UTF-8, but for the first 100 small ones. The NumPy kernels hold the lock: with them, processes read whole batches.

At most 64 MB are read ahead of the writer, so memory does not grow with the number of files.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import NamedTuple

from pmbf import kernels
from pmbf.base.contents import MAX_BYTES_HINT, read_bounded
from pmbf.base.errors import IncompleteError, NoTextError, PmbfError, unexamined
from pmbf.base.params import Params
from pmbf.extract import TEXT_KINDS, Limits, begin_plain, guess_kind, is_archive, is_container, refusal
from pmbf.fingerprint import fingerprint
from pmbf.intake.discovery import NOT_NAMED
from pmbf.intake.texts import LEAST_SAME_BYTES, Origin, checksum, read_leniently, read_text
from pmbf.jobs import Runner
from pmbf.jobs.processes import Processes
from pmbf.jobs.threads import Threads
from pmbf.store.catalog_tables import BINARY_KIND
from pmbf.store.incoming import NewDocument, NewDocuments

BATCH_FILES, BATCH_BYTES = 256, 2 << 20
BATCH_SECONDS = 0.1
"""If this thread reads a batch, then the batch ends after this time: Ctrl-C and the progress wait for its end."""
AHEAD_BYTES = 64 << 20
"""The most that is read ahead of the writer, so that threads have work during a commit. Two batches a thread are always
read ahead, even if they are larger."""
_BYTES_WORTH_PROCESSES = 16 << 20
"""A load of fewer bytes starts no processes: to start one takes as long as to read some 10 MB."""
_FEW_FILES, _SMALL_BYTES = 100, 1 << 20
"""The first 100 texts in other encodings than UTF-8 are decoded here, if they have at most 1 MB; processes read the
rest."""


class FileToRead(NamedTuple):
    """A file to read.

    Args:
        path: Absolute.
        size: Bytes, when it was found.
        kind: What its name says; empty if that is no kind that is read.
        promising: Whether it may hold text; otherwise it is only to be known by its checksum.
    """

    path: str
    size: int
    kind: str
    promising: bool = True


_Batch = list[FileToRead | None]
_Outcome = NewDocument | PmbfError | OSError


class Read(NamedTuple):
    """What became of some files. A file that is in neither has no outcome: it was not to be read.

    Args:
        n_files: How many files these are.
        documents: What was read, in the order of the files.
        numbers: The number of the file that each document was read from.
        errors: Why a file was not read, by its number.
    """

    n_files: int
    documents: NewDocuments
    numbers: list[int]
    errors: dict[int, PmbfError | OSError]


def read_ahead(
    files: Iterable[FileToRead | None],
    params: Params,
    limits: Limits,
    *,
    threads: Threads | None,
    jobs: int,
    n_bytes: int,
) -> Iterator[Read]:
    """Yield what became of the files, in their order, batch by batch. None keeps a place, and has no outcome.

    `jobs` batches are read at the same time, by that many threads; without threads a batch is read in this thread when
    it is asked for. `n_bytes` are those of all files.
    """
    read = partial(_read_at_once, params=params, limits=limits)
    if kernels.NAME == "native" and threads:
        apart = _few_here() if n_bytes >= _BYTES_WORTH_PROCESSES else _never
        yield from _read_aside(files, partial(read, apart=apart), threads.ahead, jobs)
    elif jobs > 1 and n_bytes >= _BYTES_WORTH_PROCESSES:
        with Processes(jobs) as processes:
            yield from _read_aside(files, read, processes, jobs)
    else:
        for batch in _batches(files):
            yield from _read_in_time(batch, params, limits, _never, BATCH_SECONDS)


def read_document(file: FileToRead, params: Params, limits: Limits, *, apart: bool = False) -> NewDocument:
    """Read a file, extract its text, and make its fingerprint; with `apart` a process extracts the text."""
    content = read_bounded(file.path, limits.max_bytes, hint=MAX_BYTES_HINT)
    if not file.promising:
        raise _unpromising(content, file.path, limits)
    read = read_text(Origin(file.path, content), limits, apart=apart)
    text = read.text.encode()
    sampled, sha256 = fingerprint(text, params), hashlib.sha256(content).hexdigest()
    return NewDocument(read.kind, sha256, text, sampled, "\n".join(read.problems))


def _unpromising(content: bytes, path: str, limits: Limits) -> PmbfError:
    """Return why a file of a folder is not read: it is an archive that is not named, or of no kind that is read."""
    if is_archive(content, path):
        broken = len(content) < LEAST_SAME_BYTES and read_leniently(Origin(path, content), limits).problems
        return IncompleteError(broken[0]) if broken else NoTextError(NOT_NAMED)
    return NoTextError(refusal(content, path), sha256=checksum(content), is_gap=is_container(content, path))


def read_plain(files: Sequence[FileToRead], params: Params, limits: Limits) -> tuple[NewDocuments, list[int]]:
    """Return the plain texts in UTF-8, and which files they are; the other files are left to `read_document`."""
    most_bytes = min(limits.max_bytes, limits.max_text_bytes)
    asked = [at for at, file in enumerate(files) if file.size <= most_bytes]
    read = kernels.read_texts([files[at].path for at in asked], [files[at].size for at in asked], params.sampling)
    numbers = [asked[number] for number in read.numbers.tolist()]
    starts, stops = read.starts.tolist(), read.stops.tolist()
    are_plain = begin_plain(read.content, starts, stops)
    kinds = [
        files[at].kind or "txt" if is_plain else _plain_kind(read.content[start:stop], files[at].path)
        for at, start, stop, is_plain in zip(numbers, starts, stops, are_plain, strict=True)
    ]
    found = NewDocuments(kinds, read.sha256, read.content, read.starts, read.stops, read.samples)
    plain = [place for place, kind in enumerate(kinds) if kind]
    return found.some(plain), [numbers[place] for place in plain]


def _plain_kind(content: bytes, path: str) -> str:
    """Return the kind of a plain text; empty if it is another document, or this cannot be told."""
    try:
        kind = guess_kind(content, path)
    except Exception:  # `read_document` says what is wrong with this file
        return ""
    return kind if kind in TEXT_KINDS else ""


def _read_aside(
    files: Iterable[FileToRead | None], read: Callable[[_Batch], Read], runner: Runner, jobs: int
) -> Iterator[Read]:
    under_way: deque[tuple[int, Future[Read]]] = deque()
    n_ahead = 0
    try:
        for batch in _batches(files):
            n_held = _held_bytes(batch)
            under_way.append((n_held, runner.submit(read, batch)))
            n_ahead += n_held
            while n_ahead > AHEAD_BYTES and len(under_way) > 2 * jobs:
                n_held, future = under_way.popleft()
                n_ahead -= n_held
                yield future.result()
        while under_way:
            yield under_way.popleft()[1].result()
    finally:
        for _, future in under_way:
            future.cancel()


def _held_bytes(batch: _Batch) -> int:
    """Return the bytes of memory that a batch may take: its texts, and 4,096 bytes a file for the rest."""
    return sum((file.size if file else 0) + 4096 for file in batch)


def _batches(files: Iterable[FileToRead | None]) -> Iterator[_Batch]:
    batch: _Batch = []
    n_bytes = 0
    for file in files:
        batch.append(file)
        n_bytes += file.size if file else 0
        if len(batch) >= BATCH_FILES or n_bytes >= BATCH_BYTES:
            yield batch
            batch, n_bytes = [], 0
    if batch:
        yield batch


def _few_here() -> Callable[[FileToRead], bool]:
    """Return what says whether a process reads a text that is not UTF-8: above 1 MB, or not of the first 100."""
    numbers = itertools.count()
    return lambda file: file.size > _SMALL_BYTES or next(numbers) >= _FEW_FILES


def _never(file: FileToRead) -> bool:
    return False


def _read_at_once(batch: _Batch, params: Params, limits: Limits, apart: Callable[[FileToRead], bool] = _never) -> Read:
    [read] = _read_in_time(batch, params, limits, apart, math.inf)
    return read


def _read_in_time(
    batch: _Batch, params: Params, limits: Limits, apart: Callable[[FileToRead], bool], seconds: float
) -> Iterator[Read]:
    """Yield what became of a batch: plain texts are read all at once, the others one after another.

    What was read is handed over after some seconds, and then the next files are read.
    """
    until = time.monotonic() + seconds
    asked = [at for at, one in enumerate(batch) if one and one.promising and (one.kind or "txt") in TEXT_KINDS]
    plain, found = read_plain([file for at in asked if (file := batch[at])], params, limits)
    numbers = [asked[number] for number in found]
    is_plain, begin, others = set(numbers), 0, dict[int, _Outcome]()
    for at, file in enumerate(batch):
        if file and at not in is_plain:
            others[at] = _attempted(file, params, limits, apart)
            if time.monotonic() >= until:
                yield _part(plain, numbers, others, begin, at + 1)
                begin, others, until = at + 1, {}, time.monotonic() + seconds
    yield _part(plain, numbers, others, begin, len(batch))


def _part(plain: NewDocuments, numbers: list[int], others: dict[int, _Outcome], begin: int, stop: int) -> Read:
    """Return what became of some files of a batch: of its plain texts, with their files, and of the others there."""
    if not (others or begin):
        return Read(stop, plain, numbers, {})
    read = {at: one for at, one in others.items() if isinstance(one, NewDocument)}
    errors = {at - begin: one for at, one in others.items() if not isinstance(one, NewDocument)}
    places = [place for place, at in enumerate(numbers) if begin <= at < stop]
    documents, numbers = plain.some(places), [numbers[place] for place in places]
    if read:
        documents = documents.followed_by(NewDocuments.of(list(read.values())))
        numbers += read
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        documents, numbers = documents.some(order), [numbers[place] for place in order]
    return Read(stop - begin, documents, [at - begin for at in numbers], errors)


def _attempted(file: FileToRead, params: Params, limits: Limits, apart: Callable[[FileToRead], bool]) -> _Outcome:
    try:
        return read_document(file, params, limits, apart=file.promising and apart(file))
    except NoTextError as error:
        return _known_by_checksum(error, file.path, params) if error.sha256 else error
    except (PmbfError, OSError) as error:
        return error
    except Exception as error:  # of one file; the others are loaded all the same
        return IncompleteError(f"{file.path}: {unexamined(error)}")


def _known_by_checksum(error: NoTextError, path: str, params: Params) -> NewDocument:
    """Return the document of a file without text; its problem is that the file may have text all the same."""
    problem = str(error).removeprefix(f"{path}: ") if error.is_gap else ""
    return NewDocument(BINARY_KIND, error.sha256, b"", fingerprint(b"", params), problem)
