"""Many texts screened: batch by batch, in this process or in several, in order and in bounded memory.

    queries ─► batches ─► read, sample, candidates ─► here: catalog ─► texts compared ─► here: Report
                          in a process                                in a process

A pickled store names the files of its generation. The processes open these files and never the catalog, which may be of
a later generation by then: every report shows the same generation. At most two batches a process are under way.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pmbf.extract import Limits
from pmbf.intake.texts import Origin, Text, read_leniently
from pmbf.report import Report
from pmbf.screen.answering import Screening, ask, report
from pmbf.screen.candidates import Candidate
from pmbf.screen.comparing import Confirmed, Source, Subject, matches, sources
from pmbf.screen.leaving_out import LeavingOut, LeftOut, LeftPaths
from pmbf.screen.options import Options
from pmbf.screen.vocabulary import word_statistics
from pmbf.store.folder import Store
from pmbf.store.generation import Generation
from pmbf.verify import Statistics

if TYPE_CHECKING:
    from pmbf.jobs.processes import Future, Processes

BATCH_QUERIES = 4
"""Queries in a batch: they are looked up in a tile together, and sent to a process together."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A query with its report. If the query is unread and no document is the same file, then the report says why."""

    report: Report
    query: Text


_Query = tuple[Origin | Text, LeftOut]
_Batch = list[tuple[Text, Screening]]


def answers(
    store: Store,
    queries: Iterable[Origin | Text],
    *,
    limits: Limits,
    options: Options | None = None,
    jobs: int = 1,
    leaving_out: LeftPaths | None = None,
) -> Iterator[Answer]:
    """Yield the answer to each query, in order.

    Args:
        store: The collection, at its generation.
        queries: Origins to read, and texts that were read before.
        limits: Bounds for reading a file.
        options: What to look for.
        jobs: Processes that read and compare, at least 1. With 1 this process does everything, when the next answer is
            asked for.
        leaving_out: Returns the paths that a query is not compared with, besides those that the options leave out.

    Raises:
        CorruptError: A file of the collection that an answer needs is damaged.
    """
    options = options or Options()
    left_out = LeavingOut(store, options, leaving_out)
    batches = _batched(((query, left_out.of(query)) for query in queries), BATCH_QUERIES)
    if jobs == 1:
        generation = store.generation
        for batch in batches:
            asked = _asked(generation, batch, limits, options)
            for (text, one), compared in zip(asked, sources(store, _found(asked, options)), strict=True):
                statistics = word_statistics(store) if one.found else None
                confirmed = matches(generation, one.subject(text.text), compared, options, statistics)
                yield _answer(store, text, one, confirmed, options)
        return
    from pmbf.jobs.processes import Processes  # imported only if processes are asked for

    plain = replace(options, labels_of=None)  # not every function can be sent to a process
    with Processes(jobs, _start, (store.generation, limits, plain, word_statistics(store))) as processes:
        yield from _ahead(store, processes, batches, options, jobs)


def reports(found: Iterator[Answer], on_progress: Callable[[int], None] | None) -> Iterator[Report]:
    """Yield the report of each answer; before each, call `on_progress` with the number of reports so far."""
    for number, answer in enumerate(found, 1):
        if on_progress:
            on_progress(number)
        yield answer.report


def _ahead(
    store: Store, processes: Processes, batches: Iterable[Sequence[_Query]], options: Options, most: int
) -> Iterator[Answer]:
    """Yield answers in order; meanwhile at most `most` batches are asked, and `most` are compared."""
    asking: deque[Future[_Batch]] = deque()
    comparing: deque[tuple[_Batch, Future[list[Confirmed]]]] = deque()

    def compare() -> None:
        asked = asking.popleft().result()
        compared = sources(store, _found(asked, options))
        subjects = [one.subject(text.text) for text, one in asked]
        comparing.append((asked, processes.submit(_compare_here, subjects, compared)))

    def told() -> Iterator[Answer]:
        asked, future = comparing.popleft()
        for (text, one), confirmed in zip(asked, future.result(), strict=True):
            yield _answer(store, text, one, confirmed, options)

    for batch in batches:
        asking.append(processes.submit(_ask_here, batch))
        if len(asking) > most:
            compare()
        if len(comparing) > most:
            yield from told()
    while asking:
        compare()
    while comparing:
        yield from told()


# ---------------------------------------------------------------------- steps


def _asked(generation: Generation, batch: Sequence[_Query], limits: Limits, options: Options) -> _Batch:
    texts = [(read_leniently(query, limits), left_out) for query, left_out in batch]
    asked = ask(generation, [(text.name, text.content, left_out) for text, left_out in texts], options)
    return [(text, one) for (text, _), one in zip(texts, asked, strict=True)]


def _found(asked: _Batch, options: Options) -> list[tuple[list[Candidate], LeftOut]]:
    """Return the candidates of each query that may be compared, and what is left out for the query."""
    return [(one.found[: options.max_candidates], one.left_out) for _, one in asked]


def _answer(store: Store, text: Text, asked: Screening, confirmed: Confirmed, options: Options) -> Answer:
    found = report(store, text, asked, confirmed, options)
    return Answer(found, replace(text, unread=text.unread and not found.found))


def _batched(queries: Iterable[_Query], size: int) -> Iterator[list[_Query]]:
    remaining = iter(queries)
    while batch := list(itertools.islice(remaining, size)):
        yield batch


# ---------------------------------------------------------------------- in another process


@dataclass(frozen=True, slots=True)
class _Worker:
    generation: Generation
    limits: Limits
    options: Options
    statistics: Statistics | None


_worker: list[_Worker] = []


def _start(generation: Generation, limits: Limits, options: Options, statistics: Statistics | None) -> None:
    _worker[:] = [_Worker(generation, limits, options, statistics)]


def _ask_here(batch: Sequence[_Query]) -> _Batch:
    [worker] = _worker
    return _asked(worker.generation, batch, worker.limits, worker.options)


def _compare_here(subjects: Sequence[Subject], compared: Sequence[Sequence[Source]]) -> list[Confirmed]:
    [worker] = _worker
    return [
        matches(worker.generation, subject, found, worker.options, worker.statistics)
        for subject, found in zip(subjects, compared, strict=True)
    ]
