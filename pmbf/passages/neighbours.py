"""Passages across the documents of one query: which other documents hold the same passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pmbf.base import arrays
from pmbf.base.span import Span
from pmbf.report import Passage

Row = NDArray[np.int64]
Rows = NDArray[np.int64]
"""Starts and stops of spans, `(2, n)`; of passages their documents' ranks too, `(3, n)`."""

MOST = 0.8
"""Share of a passage's query characters that another document must hold to be named in `also_in`."""

MAX_NAMED = 100
"""Most documents named in one `also_in`. Without a bound, n copies of one paragraph would take n² numbers."""

_MOST_PAIRS = 1 << 19
"""Pairs of a span and a passage near it that are looked at together, in some 40 MB."""


def with_neighbours(passages_by_document: Mapping[int, tuple[Passage, ...]]) -> dict[int, tuple[Passage, ...]]:
    """Return the same passages with `also_in` filled; documents are named in the order of the mapping.

    All documents match one query; passages of one document never overlap on the query's side.

    Cost: one sort, then a few steps for each pair of a different span and a passage that may overlap the span.

    >>> copied = Passage(Span(0, 90), Span(5, 95), 1.0, "verbatim")
    >>> with_neighbours({7: (copied,), 9: (copied,)})[7][0].also_in
    (9,)
    """
    if len(passages_by_document) < 2:
        return dict(passages_by_document)
    spans = list({passage.query for passages in passages_by_document.values() for passage in passages})
    holders = dict(zip(spans, _holders(passages_by_document, spans), strict=True))
    return {
        document: tuple(_beside(passage, _others(holders[passage.query], document)) for passage in passages)
        for document, passages in passages_by_document.items()
    }


def _beside(passage: Passage, others: tuple[int, ...]) -> Passage:
    return replace(passage, also_in=others) if others else passage


def _others(documents: list[int], itself: int) -> tuple[int, ...]:
    return tuple(document for document in documents if document != itself)[:MAX_NAMED]


def _holders(passages_by_document: Mapping[int, tuple[Passage, ...]], spans: list[Span]) -> Iterator[list[int]]:
    """Yield for each span the documents whose passages hold most of it, at most `MAX_NAMED` + 1."""
    if not spans:
        return
    documents, shelves = list(passages_by_document), _shelves(passages_by_document.values())
    edges = np.array([(span.start, span.stop) for span in spans], np.int64).T
    windows = [_windows(shelf, edges) for shelf in shelves]
    n_pairs = np.cumsum(sum((lasts - firsts for firsts, lasts in windows), np.zeros(len(spans), np.int64)))
    begin = 0
    while begin < len(spans):
        before = int(n_pairs[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(n_pairs, before + _MOST_PAIRS, side="right")))
        near = [(firsts[begin:end], lasts[begin:end]) for firsts, lasts in windows]
        for ranks in _ranks(shelves, near, edges[:, begin:end], len(documents)):
            yield [documents[rank] for rank in ranks[: MAX_NAMED + 1].tolist()]
        begin = end


def _ranks(shelves: list[Rows], windows: list[tuple[Row, Row]], edges: Rows, n_documents: int) -> list[Row]:
    """Return for each span the ranks of the documents whose passages hold most of it, ascending."""
    keys, held = [], []
    for shelf, (firsts, lasts) in zip(shelves, windows, strict=True):
        counts = lasts - firsts
        owners = np.repeat(np.arange(len(counts)), counts)
        at = np.arange(len(owners)) + np.repeat(firsts - np.cumsum(counts) + counts, counts)
        shared = np.minimum(shelf[1, at], edges[1, owners]) - np.maximum(shelf[0, at], edges[0, owners])
        meeting = np.flatnonzero(shared > 0)
        keys.append(owners[meeting] * n_documents + shelf[2, at[meeting]])
        held.append(shared[meeting])
    every, length = np.concatenate(keys), np.concatenate(held)
    order = np.argsort(every, kind="stable")
    every = every[order]
    begins = arrays.begins(every)
    owners, ranks = np.divmod(every[begins], n_documents)
    enough = np.add.reduceat(length[order], begins) >= MOST * (edges[1] - edges[0])[owners]
    bounds = np.searchsorted(owners[enough], np.arange(1, edges.shape[1]))
    return np.split(ranks[enough], bounds)


def _shelves(passages_by_rank: Iterable[tuple[Passage, ...]]) -> list[Rows]:
    """Return start, stop and document rank of all passages, sorted by start, `(3, n)`: one shelf per order of length.

    A shelf's window is as wide as its longest passage. On one shelf a single long passage would widen every window.
    """
    shelves = defaultdict(list)
    for rank, passages in enumerate(passages_by_rank):
        for span in (passage.query for passage in passages):
            shelves[len(span).bit_length()].append((span.start, span.stop, rank))
    return [np.array(sorted(rows), np.int64).T for rows in shelves.values()]


def _windows(shelf: Rows, edges: Rows) -> tuple[Row, Row]:
    """Return for each span the range `[first, last)` of the shelf outside which nothing overlaps the span."""
    longest = (shelf[1] - shelf[0]).max()
    firsts, lasts = np.searchsorted(shelf[0], edges[0] - longest), np.searchsorted(shelf[0], edges[1])
    return firsts, np.maximum(firsts, lasts)
