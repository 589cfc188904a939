"""Documents of a collection compared with each other: each pair once, if one of the two is a candidate of the other.

    documents ─► candidates of each ─► pairs ─► texts compared, here or by workers ─► Compared

Each pair is asked for from both sides, so half as many doubtful candidates a side find as much. The shorter text of a
pair is the query: passages may be shorter in a short query.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pmbf.fingerprint import query_sample
from pmbf.report import Match
from pmbf.screen.candidates import Candidate, find
from pmbf.screen.comparing import Subject, shared_each
from pmbf.screen.confirming import confirmed
from pmbf.screen.exempt import Exempt
from pmbf.screen.leaving_out import NOTHING
from pmbf.screen.options import Options
from pmbf.screen.sources import Source
from pmbf.screen.vocabulary import word_statistics
from pmbf.screen.working import Tools, workers
from pmbf.store.folder import Store
from pmbf.store.generation import Generation

if TYPE_CHECKING:
    from concurrent.futures import Future

BATCH_PAIRS = 24
"""Pairs that a worker compares together, at least."""

NotCompared = Callable[[int], Sequence[int]]
"""Returns the ids of the documents that a document is not compared with, ascending."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A document as a query, and the documents of its pairs that share passages with it.

    Args:
        document: The query's id.
        matches: The other documents, the query's passages in query order. A match with a `problem` has none.
        n_compared: Documents it was compared with.
    """

    document: int
    matches: tuple[Match, ...]
    n_compared: int


_Query = tuple[int, Subject, list[Source]]


def mutual(
    store: Store, texts: Sequence[tuple[int, str]], *, left_out: NotCompared, options: Options, jobs: int = 1
) -> Iterator[Compared]:
    """Yield each document that was the query of a pair, with the documents that share passages with it.

    Args:
        store: The collection, at its generation.
        texts: Ids and clean texts of the documents to compare: all of the collection that have a word.
        left_out: What a document is not compared with, besides itself; it holds for both documents of a pair.
        options: What to look for.
        jobs: Workers that compare, at least 1. With 1, or with few pairs, this thread does everything.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    asked = [_asked(store.generation, document, text, left_out(document), options) for document, text in texts]
    read = list(_with_sources(store, asked, _partners(asked, options)))
    statistics = word_statistics(store)
    if jobs == 1 or sum(len(found) for _, _, found in read) <= BATCH_PAIRS:
        tools = Tools(store.generation, options, statistics, store)
        for batch in _batched(read):
            yield from _compared_together(tools, batch)
        return
    with workers(store, options, statistics, jobs) as work:
        waiting: deque[Future[list[Compared]]] = deque()
        try:
            for batch in _batched(read):
                waiting.append(work.submit(_compared_together, batch))
                if len(waiting) > 2 * jobs:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


@dataclass(frozen=True, slots=True)
class _Asked:
    """A document as a query, and its candidates, best first."""

    document: int
    subject: Subject
    found: list[Candidate]


def _asked(generation: Generation, document: int, text: str, left_out: Sequence[int], options: Options) -> _Asked:
    sample = query_sample(text, generation.params)
    others = generation.without(np.array(sorted({document, *left_out}), np.uint32))
    return _Asked(
        document, Subject(text, sample, Exempt(), generation.n_documents), find(others, sample, options).candidates
    )


def _partners(asked: Sequence[_Asked], options: Options) -> dict[int, dict[int, Candidate]]:
    """Return the candidates of each document that it is compared with: of a pair, the shorter text has the other."""
    n_chars = {one.document: len(one.subject.text) for one in asked}
    found: dict[int, dict[int, Candidate]] = {one.document: {} for one in asked}
    for one in asked:
        for candidate in one.found[: options.max_candidates]:
            query, source = sorted((one.document, candidate.document), key=lambda id_: (n_chars[id_], id_))
            found[query].setdefault(source, replace(candidate, document=source))
    return found


def _with_sources(store: Store, asked: Sequence[_Asked], partners: dict[int, dict[int, Candidate]]) -> Iterator[_Query]:
    ids = sorted({document for some in partners.values() for document in some})
    documents, paths = store.documents(ids), store.paths_of(ids)
    for one in asked:
        some = partners[one.document].items()
        if some:
            yield one.document, one.subject, [Source(its, documents[id_], tuple(paths[id_])) for id_, its in some]


def _compared_together(tools: Tools, batch: Sequence[_Query]) -> list[Compared]:
    subjects, sources = [subject for _, subject, _ in batch], [[(tools.generation, found)] for _, _, found in batch]
    shared = shared_each(subjects, sources, tools.options, tools.statistics)
    return [
        Compared(document, confirmed(subject, those, tools.options, {}, NOTHING).matches, len(found))
        for (document, subject, found), those in zip(batch, shared, strict=True)
    ]


def _batched(asked: Iterable[_Query]) -> Iterator[list[_Query]]:
    """Yield queries together until they have `BATCH_PAIRS` sources."""
    remaining = iter(asked)
    for first in remaining:
        batch = [first]
        while sum(len(found) for _, _, found in batch) < BATCH_PAIRS:
            more = list(itertools.islice(remaining, 1))
            if not more:
                break
            batch += more
        yield batch
