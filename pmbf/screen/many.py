"""Many texts screened: batch by batch, in order and in bounded memory.

    queries ─► batches ─► read, sample, candidates ─► catalog ─► texts compared ─► catalog ─► Report
                          a worker's call, if there are workers

Workers are threads and processes (`working.py`). At most three batches a worker are under way, those that are answered
and wait for their turn included.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pmbf.errors import PmbfError, unexamined
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, Text, read_leniently
from pmbf.report import Report
from pmbf.screen.answering import Screening, ask, report
from pmbf.screen.comparing import shared_each
from pmbf.screen.confirming import confirmed
from pmbf.screen.leaving_out import LeavingOut, LeftOut, LeftPaths
from pmbf.screen.options import Options
from pmbf.screen.sources import paths_of, sources
from pmbf.screen.vocabulary import word_statistics
from pmbf.screen.working import Tools, Workers, workers
from pmbf.store.folder import Store

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_QUERIES = 64
"""Queries of the largest batch: they are looked up together, and the catalog is asked for the candidates of all."""

MOST_SIZE = 1 << 18
"""Characters, or bytes of files, after which a batch is full."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A query with its report. If the query is unread and no document is the same file, then the report says why."""

    report: Report
    query: Text


_Query = tuple[Origin | Text, LeftOut]
ReadQuery = tuple[Text, LeftOut]
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
        jobs: Workers that read and compare, at least 1. With 1 this thread does everything, batch by batch, when an
            answer of the batch is asked for.
        leaving_out: Returns the paths that a query is not compared with, besides those that the options leave out.

    Raises:
        CorruptError: A file of the collection that an answer needs is damaged.
    """
    options = options or Options()
    left_out = LeavingOut(store, options, leaving_out)
    asked_for = batches((query, left_out.of(query)) for query in queries)
    if jobs == 1:
        for batch in asked_for:
            yield from _answered(Tools(store.generation, options, None, store), batch, limits, store)
        return
    with workers(store, options, word_statistics(store), jobs) as work:
        yield from _ahead(work, asked_for, limits, jobs)


def reports(found: Iterator[Answer], on_progress: Callable[[int], None] | None) -> Iterator[Report]:
    """Yield the report of each answer; before each, call `on_progress` with the number of reports so far."""
    for number, answer in enumerate(found, 1):
        if on_progress:
            on_progress(number)
        yield answer.report


def _ahead(work: Workers, asked_for: Iterable[list[_Query]], limits: Limits, jobs: int) -> Iterator[Answer]:
    """Yield answers in order; meanwhile the next batches are answered, three a worker at most."""
    waiting: deque[Future[list[Answer]]] = deque()
    try:
        for batch in asked_for:
            waiting.append(work.submit(_answered, batch, limits))
            if len(waiting) > 2 * jobs:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def batches(queries: Iterable[_Query]) -> Iterator[list[_Query]]:
    """Yield queries in batches, so that the first answer comes early: each has at most twice as many as the one before.

    Args:
        queries: All queries, each with what it is not compared with.
    """
    remaining, most = iter(queries), 1
    while batch := _batch(itertools.islice(remaining, most)):
        most = min(2 * most, MOST_QUERIES)
        yield batch


def _batch(queries: Iterable[_Query]) -> list[_Query]:
    """Return the first queries, until they have `MOST_SIZE`."""
    batch: list[_Query] = []
    size = 0
    for query in queries:
        batch.append(query)
        size += query[0].size
        if size >= MOST_SIZE:
            break
    return batch


# ---------------------------------------------------------------------- steps


def _answered(tools: Tools, batch: Sequence[_Query], limits: Limits, learnt_of: Store | None = None) -> list[Answer]:
    """Return the answer to each query of a batch. This is a worker's call.

    Args:
        tools: What the queries are looked up and compared with.
        batch: The queries.
        limits: Bounds for reading a file.
        learnt_of: The collection whose word statistics are taken when a query has candidates; None: those of `tools`.
    """
    texts = [(read_leniently(query, limits), left_out) for query, left_out in batch]
    return each_answered(partial(_compared, tools, learnt_of), texts)


def each_answered(answered: Callable[[Sequence[ReadQuery]], list[Answer]], batch: Sequence[ReadQuery]) -> list[Answer]:
    """Return the answers to a batch; an error of pmbf at one of its texts is the problem of that text alone.

    Args:
        answered: Answers a batch.
        batch: Texts that were read, each with what it is not compared with.
    """
    try:
        return answered(batch)
    except (PmbfError, OSError, MemoryError):
        raise
    except Exception as error:
        if len(batch) > 1:
            return [one for query in batch for one in each_answered(answered, [query])]
        [(text, left_out)] = batch
        told = f"{text.name}: {unexamined(error)}"
        return answered([(Text(text.name, "", (*text.problems, told), unread=True), left_out)])


def _compared(tools: Tools, learnt_of: Store | None, texts: Sequence[ReadQuery]) -> list[Answer]:
    named = [(text.name, text.content, left_out) for text, left_out in texts]
    asked = [(text, one) for (text, _), one in zip(texts, ask(tools.generation, named, tools.options), strict=True)]
    if learnt_of and any(one.found for _, one in asked):
        tools = replace(tools, statistics=word_statistics(learnt_of))
    return list(_told(tools, asked))


def _told(tools: Tools, asked: _Batch) -> Iterator[Answer]:
    """Yield the answers to the queries of a batch. The texts of all their sources are compared before the first one."""
    options = tools.options
    compared = sources(tools.store, [(one.found[: options.max_candidates], one.left_out) for _, one in asked])
    subjects = [one.subject(text.text if some else "") for (text, one), some in zip(asked, compared, strict=True)]
    placed = [[(tools.generation, some)] for some in compared]
    found = shared_each(subjects, placed, options, tools.statistics)
    paths = paths_of(tools.store, [one.source for some in found for one in some])
    for (text, one), subject, some in zip(asked, subjects, found, strict=True):
        matched = confirmed(subject, some, options, paths, one.left_out)
        made = report(tools.store, text, one, matched, options)
        yield Answer(made, replace(text, unread=not made.found) if text.unread else text)
