"""Many texts screened: batch by batch, in order and in bounded memory.

    queries ─► batches ─► read, sample, candidates ─► here: catalog ─► texts compared ─► here: Report
                          a worker's call                              a worker's call

Workers are threads and processes (`working.py`). They look at the files of one generation and never at the catalog,
which may be of a later generation by then: every report shows the same generation. At most two batches a worker are
under way.
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
from pmbf.screen.comparing import Shared, Subject, shared_each
from pmbf.screen.confirming import confirmed
from pmbf.screen.leaving_out import LeavingOut, LeftOut, LeftPaths
from pmbf.screen.options import Options
from pmbf.screen.sources import Source, paths_of, sources
from pmbf.screen.vocabulary import word_statistics
from pmbf.screen.working import Tools, Workers, workers
from pmbf.store.folder import Store

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_QUERIES = 64
"""Queries of the largest batch: they are looked up together, and the catalog is asked for the candidates of all."""

MOST_CHARS = 1 << 18
"""Characters of a batch, if its queries are as long as those of the batch before."""


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
        jobs: Workers that read and compare, at least 1. With 1 this thread does everything, batch by batch, when an
            answer of the batch is asked for.
        leaving_out: Returns the paths that a query is not compared with, besides those that the options leave out.

    Raises:
        CorruptError: A file of the collection that an answer needs is damaged.
    """
    options = options or Options()
    left_out = LeavingOut(store, options, leaving_out)
    batches = Batches((query, left_out.of(query)) for query in queries)
    if jobs == 1:
        for batch in batches:
            asked = _asked(Tools(store.generation, options, None), batch, limits)
            batches.learn(asked)
            statistics = word_statistics(store) if any(one.found for _, one in asked) else None
            found = _compared(Tools(store.generation, options, statistics), *_to_compare(store, asked, options))
            yield from _told(store, asked, found, options)
        return
    with workers(Tools(store.generation, options, word_statistics(store)), jobs) as work:
        yield from _ahead(store, work, batches, limits, options, jobs)


def reports(found: Iterator[Answer], on_progress: Callable[[int], None] | None) -> Iterator[Report]:
    """Yield the report of each answer; before each, call `on_progress` with the number of reports so far."""
    for number, answer in enumerate(found, 1):
        if on_progress:
            on_progress(number)
        yield answer.report


def _ahead(
    store: Store, work: Workers, batches: Batches, limits: Limits, options: Options, most: int
) -> Iterator[Answer]:
    """Yield answers in order; meanwhile at most `most` batches are asked, and `most` are compared."""
    asking: deque[Future[_Batch]] = deque()
    comparing: deque[tuple[_Batch, Future[list[list[Shared]]]]] = deque()

    def compare() -> None:
        asked = asking.popleft().result()
        batches.learn(asked)
        comparing.append((asked, work.submit(_compared, *_to_compare(store, asked, options))))

    def told() -> Iterator[Answer]:
        asked, future = comparing.popleft()
        return _told(store, asked, future.result(), options)

    try:
        for batch in batches:
            asking.append(work.ahead(_asked, batch, limits))
            if len(asking) > most:
                compare()
            if len(comparing) > most:
                yield from told()
        while asking:
            compare()
        while comparing:
            yield from told()
    finally:
        for call in asking:
            call.cancel()
        for _, comparison in comparing:
            comparison.cancel()


class Batches:
    """Cuts queries into batches, so that the first answer comes early. Each batch is at most twice as large as before.

    Args:
        queries: All queries, each with what it is not compared with.
    """

    def __init__(self, queries: Iterable[_Query]) -> None:
        self._remaining = iter(queries)
        self._size, self._most = 1, MOST_QUERIES

    def __iter__(self) -> Iterator[list[_Query]]:
        while batch := list(itertools.islice(self._remaining, self._size)):
            self._size = min(2 * self._size, self._most)
            yield batch

    def learn(self, asked: Sequence[tuple[Text, Screening]]) -> None:
        """Take the length of these queries for that of the next ones."""
        n_chars = sum(one.query.n_chars for _, one in asked)
        self._most = max(1, min(MOST_QUERIES, MOST_CHARS * len(asked) // max(1, n_chars)))
        self._size = min(self._size, self._most)


# ---------------------------------------------------------------------- steps


def _asked(tools: Tools, batch: Sequence[_Query], limits: Limits) -> _Batch:
    texts = [(read_leniently(query, limits), left_out) for query, left_out in batch]
    asked = ask(tools.generation, [(text.name, text.content, left_out) for text, left_out in texts], tools.options)
    return [(text, one) for (text, _), one in zip(texts, asked, strict=True)]


def _to_compare(store: Store, asked: _Batch, options: Options) -> tuple[list[Subject], list[list[Source]]]:
    """Return the queries of a batch and the sources that each is compared with."""
    compared = sources(store, [(_found(one, options), one.left_out) for _, one in asked])
    return [one.subject(text.text if some else "") for (text, one), some in zip(asked, compared, strict=True)], compared


def _found(asked: Screening, options: Options) -> list[Candidate]:
    return asked.found[: options.max_candidates]


def _compared(tools: Tools, subjects: Sequence[Subject], compared: Sequence[Sequence[Source]]) -> list[list[Shared]]:
    """Return what each query of a batch shares with its sources."""
    return shared_each(tools.generation, subjects, compared, tools.options, tools.statistics)


def _told(store: Store, asked: _Batch, found: Sequence[list[Shared]], options: Options) -> Iterator[Answer]:
    """Yield the answers to the queries of a batch."""
    paths = paths_of(store, [one.source for some in found for one in some])
    for (text, one), some in zip(asked, found, strict=True):
        matched = confirmed(one.subject(text.text if some else ""), some, options, paths, one.left_out)
        made = report(store, text, one, matched, options)
        yield Answer(made, replace(text, unread=not made.found) if text.unread else text)
