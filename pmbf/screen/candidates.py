"""Which documents share more with a query than chance and common phrases explain.

text's sampled hashes in text order, stop shingles left out
     ─► per tile: hits per row, whole and in windows ─► rows above chance
     ─► their documents ─► exact shared hashes ─► candidates, best first
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.files import Shared, StoreFiles
from pmbf.fingerprint import QuerySample
from pmbf.screen.options import Options

Hashes = NDArray[np.uint32]

WINDOW_HASHES = (12, 24, 120)
"""Windows of a query, in sampled hashes: about 40, 75 and 360 words at 5 % density, each half overlapping the next."""

PASSAGE_HASHES = 24
"""Window of a query in which a document must share `Options.min_hits` hashes."""

DENSE_HASHES = 12
"""Window that ranks candidates. With 24 half as many texts without a source stay below 40 planted words, edited."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that shares more sampled hashes with the query than phrases explain.

    Args:
        document: Its id.
        n_hits: Of the query's hashes, those the document has.
        densest: The same within the best window of `DENSE_HASHES`.
    """

    document: int
    n_hits: int
    densest: int


def candidates(files: StoreFiles, sample: QuerySample, options: Options | None = None) -> list[Candidate]:
    """Return the documents that share more sampled hashes with a query than chance and phrases explain, best first.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    return candidates_of_each(files, [sample], options)[0]


def candidates_of_each(
    files: StoreFiles, samples: Sequence[QuerySample], options: Options | None = None
) -> list[list[Candidate]]:
    """Return the candidates of each query; all queries meet one tile before the next is looked at.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    options, stops = options or Options(), files.stop_hashes()
    asked = [informative(sample.hashes, stops) for sample in samples]
    documents: list[list[Hashes]] = [[] for _ in asked]
    for number, index, rows in _rows_above_chance(files, asked, options):
        documents[index].append(files.rows.documents(number, rows))
    return [_above_phrases(files, hashes, ids, options) for hashes, ids in zip(asked, documents, strict=True)]


def rows_above_chance(files: StoreFiles, hashes: Hashes, options: Options) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each tile's number and its rows that a query hits, in any window, more often than chance explains.

    Args:
        files: The collection.
        hashes: `(q,) uint32`, the query's in text order.
        options: `false_rows` may pass by chance, expected over all rows and windows; `method` says what is counted.
    """
    for number, _, rows in _rows_above_chance(files, [hashes], options):
        yield number, rows


@lru_cache(maxsize=256)
def windows(n_hashes: int) -> NDArray[np.int64]:
    """Return the windows a query is screened in: the whole first, then each size, half overlapping, `(n, 2) int64`.

    >>> windows(40).tolist()
    [[0, 40], [0, 12], [6, 18], [12, 24], [18, 30], [24, 36], [28, 40], [0, 24], [12, 36], [16, 40]]
    """
    spans = [(0, n_hashes)]
    for size in WINDOW_HASHES:
        if size < n_hashes:
            starts = [*range(0, n_hashes - size, size // 2), n_hashes - size]
            spans += [(start, start + size) for start in starts]
    found = np.array(spans, np.int64)
    found.flags.writeable = False
    return found


def informative(hashes: Hashes, stops: Hashes) -> Hashes:
    """Return the hashes without stop shingles, unless little else is left: then boilerplate is what is asked for."""
    if not len(stops):
        return hashes
    kept = hashes[~kernels.intersect(hashes, stops)]
    return kept if 2 * len(kept) >= len(hashes) else hashes


def _rows_above_chance(
    files: StoreFiles, asked: Sequence[Hashes], options: Options
) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    queries = [(hashes, windows(len(hashes))) for hashes in asked]
    return files.matrix().rows_over_each(queries, false_rows=options.false_rows, method=options.method)


# ---------------------------------------------------------------------- documents


def _above_phrases(files: StoreFiles, hashes: Hashes, ids: Sequence[Hashes], options: Options) -> list[Candidate]:
    """Return those of the documents that share enough hashes in one window, best first."""
    if not len(hashes) or not any(map(len, ids)):
        return []
    order = np.argsort(hashes, kind="stable")
    is_first = np.ones(len(hashes), np.bool_)
    np.not_equal(hashes[order][1:], hashes[order][:-1], out=is_first[1:])
    shared = files.shared_hashes(_union(ids), hashes[order][is_first])
    needed = np.maximum(1, np.minimum(min(options.min_hits, len(hashes) // 8), shared.n_hashes // 4))
    places = _Places(order.astype(np.int64), np.append(np.flatnonzero(is_first), len(hashes)))
    documents, n_hits, densest = places.hits(shared, needed)
    ranked = np.lexsort((documents, -n_hits, -densest))
    rows = zip(documents[ranked].tolist(), n_hits[ranked].tolist(), densest[ranked].tolist(), strict=True)
    return [Candidate(*row) for row in rows]


def _union(ids: Sequence[Hashes]) -> Hashes:
    """Return the ids of all arrays, ascending, each once; each array is so already."""
    if len(ids) == 1:
        return ids[0]
    merged = np.sort(np.concatenate(ids))
    is_first = np.ones(len(merged), np.bool_)
    np.not_equal(merged[1:], merged[:-1], out=is_first[1:])
    return merged[is_first]


@dataclass(frozen=True, slots=True)
class _Places:
    """Where each of a query's distinct hashes stands in it: hash i at `order[bounds[i]:bounds[i + 1]]`."""

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]

    def hits(self, shared: Shared, needed: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Return id, hits and most hits in a window of `DENSE_HASHES` of the documents with enough together."""
        n_hits = self._n_hits(shared)
        kept = np.flatnonzero(n_hits >= needed)
        if not len(kept):
            return kept, kept, kept
        # One line for all documents: each has its stretch of it, and a gap behind that no window bridges.
        at = np.sort(self._line(shared, kept, len(self.order) + PASSAGE_HASHES))
        starts = np.cumsum(n_hits[kept]) - n_hits[kept]
        enough = _most_within(at, starts, PASSAGE_HASHES) >= needed[kept]
        densest = _most_within(at, starts, DENSE_HASHES)
        return shared.ids[kept[enough]].astype(np.int64), n_hits[kept[enough]], densest[enough]

    def _n_hits(self, shared: Shared) -> NDArray[np.int64]:
        sums = np.zeros(len(shared.at) + 1, np.int64)
        np.cumsum(np.diff(self.bounds)[shared.at], out=sums[1:])
        return np.diff(sums[shared.bounds])

    def _line(self, shared: Shared, kept: NDArray[np.intp], stretch: int) -> NDArray[np.int64]:
        """Return the places of the kept documents' hits, those of the i-th from `i * stretch` on."""
        sizes = np.diff(shared.bounds)[kept]
        hashes = shared.at[_ranges(shared.bounds[kept], sizes)]
        firsts, counts = self.bounds[hashes], np.diff(self.bounds)[hashes]
        line = np.repeat(np.repeat(np.arange(len(kept)) * stretch, sizes), counts)
        return self.order[_ranges(firsts, counts)] + line


def _most_within(at: NDArray[np.int64], starts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return for each stretch of ascending places, which begin at `starts`, the most places that a window holds."""
    reach = np.searchsorted(at, at + size) - np.arange(len(at))
    return np.maximum.reduceat(reach, starts)


def _ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all ranges, one range after another."""
    stops = np.cumsum(sizes)
    return np.repeat(starts - stops + sizes, sizes) + np.arange(stops[-1] if len(stops) else 0)
