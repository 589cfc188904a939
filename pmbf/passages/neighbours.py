"""Passages across the documents of one query: which other documents hold the same passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pmbf.report import Passage
from pmbf.span import Span

Rows = NDArray[np.int64]

MOST = 0.8
"""Share of a passage's query characters that another document must hold to be named in `also_in`."""

MAX_NAMED = 100
"""Most documents named in one `also_in`. Without a bound, n copies of one paragraph would take n² numbers."""


def with_neighbours(passages_by_document: Mapping[int, tuple[Passage, ...]]) -> dict[int, tuple[Passage, ...]]:
    """Return the same passages with `also_in` filled; documents are named in the order of the mapping.

    Cost: one sort, then a few NumPy calls for each different span, on the passages that may overlap the span.

    Args:
        passages_by_document: Passages of each document that matched one query; those of one document never overlap
            on the query's side.

    >>> copied = Passage(Span(0, 90), Span(5, 95), 1.0, "verbatim")
    >>> with_neighbours({7: (copied,), 9: (copied,)})[7][0].also_in
    (9,)
    """
    spans = list({passage.query for passages in passages_by_document.values() for passage in passages})
    holders = dict(zip(spans, _holders(passages_by_document, spans), strict=True))
    return {
        document: tuple(replace(passage, also_in=_others(holders[passage.query], document)) for passage in passages)
        for document, passages in passages_by_document.items()
    }


def _others(documents: list[int], itself: int) -> tuple[int, ...]:
    return tuple(document for document in documents if document != itself)[:MAX_NAMED]


def _holders(passages_by_document: Mapping[int, tuple[Passage, ...]], spans: list[Span]) -> Iterator[list[int]]:
    """Yield for each span the documents whose passages hold most of it, at most `MAX_NAMED` + 1."""
    documents = list(passages_by_document)
    shelves = _shelves(passages_by_document.values())
    windows = zip(*(_windows(shelf, spans) for shelf in shelves), strict=True)
    for span, near in zip(spans, windows, strict=True):
        overlapping = [shelf[:, first:last] for shelf, (first, last) in zip(shelves, near, strict=True) if first < last]
        starts, stops, ranks = np.concatenate(overlapping, axis=1)
        overlap = np.minimum(stops, span.stop) - np.maximum(starts, span.start)
        found, place = np.unique(ranks, return_inverse=True)
        held = np.bincount(place, np.maximum(overlap, 0))
        yield [documents[rank] for rank in found[held >= MOST * len(span)][: MAX_NAMED + 1].tolist()]


def _shelves(passages_by_rank: Iterable[tuple[Passage, ...]]) -> list[Rows]:
    """Return start, stop and document rank of all passages, sorted by start, `(3, n)`: one shelf per order of length.

    A shelf's window is as wide as its longest passage. On one shelf a single long passage would widen every window.
    """
    shelves = defaultdict(list)
    for rank, passages in enumerate(passages_by_rank):
        for span in (passage.query for passage in passages):
            shelves[len(span).bit_length()].append((span.start, span.stop, rank))
    return [np.array(sorted(rows), np.int64).T for rows in shelves.values()]


def _windows(shelf: Rows, spans: list[Span]) -> list[tuple[int, int]]:
    """Return for each span the range `[first, last)` of the shelf outside which nothing overlaps the span."""
    starts, stops = np.array([(span.start, span.stop) for span in spans], np.int64).T
    longest = (shelf[1] - shelf[0]).max()
    firsts, lasts = np.searchsorted(shelf[0], starts - longest), np.searchsorted(shelf[0], stops)
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))
