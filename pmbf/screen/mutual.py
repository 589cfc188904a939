"""Documents of a collection compared with each other: each pair once, if one of the two is a candidate of the other.

    documents ─► candidates of each ─► pairs ─► texts compared, here or by workers ─► Compared

Each pair is asked for from both sides, so half as many doubtful candidates a side find as much. The shorter text of a
pair is the query: passages may be shorter in a short query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Text
from pmbf.jobs import without_garbage_collection
from pmbf.screen.answering import look_up
from pmbf.screen.backend import Backend
from pmbf.screen.candidates import Candidate
from pmbf.screen.leaving_out import NOTHING, LeftOut
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.sources import Source

BATCH_PAIRS = 24
"""Pairs that a worker compares together, at least."""

LOOKED_UP = 1000
"""Documents that are looked up together, at most."""

NotCompared = Callable[[int], NDArray[np.uint32]]
"""Returns the ids of the documents that a document is not compared with, ascending, its own among them."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A document as a query, and the sources that share passages with it; one with a `problem` was not compared."""

    document: int
    shared: Sequence[Source]


_Query = tuple[int, Screened]
"""The id of a document, and the document as a query."""


def mutual(
    backend: Backend, texts: Sequence[tuple[int, str]], *, left_out: NotCompared, options: Options, jobs: int = 1
) -> Iterator[Compared]:
    """Yield each document that was the query of a pair, with the documents that share passages with it.

    Args:
        backend, options: The collection at its generation, and what to look for.
        texts: Ids and clean texts of the documents to compare: all of the collection that have a word.
        left_out: What a document is not compared with; it holds for both documents of a pair.
        jobs: Workers that compare, at least 1. With 1, or with few pairs, this thread does everything.
    """
    asked = {document: _query(backend, text, LeftOut(left_out(document))) for document, text in texts}
    _look_up(backend, list(asked.values()), options)
    _pair(asked)
    paired = [(document, query) for document, query in asked.items() if query.candidates]
    if jobs == 1 or sum(len(query.candidates) for _, query in paired) <= BATCH_PAIRS:
        with without_garbage_collection():
            for batch in _batched(paired):
                yield from _compared(backend, options, batch)
        return
    with backend.workers(options, jobs) as work:
        yield from work.in_order(_compared, _batched(paired))


def _query(backend: Backend, text: str, left_out: LeftOut) -> Screened:
    return Screened(Text("", text), query_sample(text, backend.generation.params), left_out=left_out)


def _look_up(backend: Backend, asked: list[Screened], options: Options) -> None:
    """Fill in the candidates of each document; those with one array of what is left out are looked up together."""
    asked.sort(key=lambda one: id(one.left_out.documents))
    for start in range(0, len(asked), LOOKED_UP):
        look_up(backend.generation, asked[start : start + LOOKED_UP], options)
    for one in asked:
        one.left_out, one.n_documents = NOTHING, backend.generation.n_documents


def _pair(asked: dict[int, Screened]) -> None:
    """Leave each document the candidates that it is compared with: of a pair, the shorter text has the other."""
    found: dict[int, dict[int, Candidate]] = {document: {} for document in asked}
    for document, query in asked.items():
        for candidate in query.candidates:
            shorter, other = sorted((document, candidate.document), key=lambda id_: (asked[id_].sample.n_chars, id_))
            found[shorter].setdefault(other, candidate._replace(document=other))
    for document, query in asked.items():
        query.candidates = [*found[document].values()]


def _compared(backend: Backend, options: Options, batch: Sequence[_Query]) -> list[Compared]:
    backend.compare([query for _, query in batch], options)
    return [Compared(document, query.shared) for document, query in batch]


def _batched(asked: Iterable[_Query]) -> Iterator[list[_Query]]:
    """Yield queries together until they have `BATCH_PAIRS` sources."""
    batch: list[_Query] = []
    for one in asked:
        batch.append(one)
        if sum(len(query.candidates) for _, query in batch) >= BATCH_PAIRS:
            yield batch
            batch = []
    if batch:
        yield batch
