"""Which documents share more with a query than chance and common phrases explain.

text's sampled hashes in text order ─► hits per row, whole and in windows ─► rows above chance ─► rows with evidence
     ─► the parts of documents that live there ─► exact shared hashes ─► documents with evidence: candidates, best first

Evidence is what the hashes of one window weigh that a row, or a document, has: see `rarity.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pmbf.files import StoreFiles
from pmbf.fingerprint import QuerySample
from pmbf.screen.options import Options
from pmbf.screen.rarity import Stretch, evidence, needed, reweighed, stretches

Hashes = NDArray[np.uint32]

WINDOW_HASHES = (12, 24, 120)
"""Windows of a query, in sampled hashes: about 40, 75 and 360 words at 5 % density, each half overlapping the next."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that shares more sampled hashes with the query than phrases explain.

    Args:
        document: Its id.
        n_hits: Of the query's distinct hashes that are not common, those in the parts of the document looked at.
        evidence: What those within the best 50 words or so weigh, in nats.
    """

    document: int
    n_hits: int
    evidence: float


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a query.

    Args:
        candidates: Best first.
        n_common: Of the query's hashes, those so common that they say nothing.
    """

    candidates: list[Candidate]
    n_common: int


def candidates(files: StoreFiles, sample: QuerySample, options: Options | None = None) -> list[Candidate]:
    """Return the documents that share more sampled hashes with a query than chance and phrases explain, best first.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    return find(files, sample, options or Options()).candidates


def find(files: StoreFiles, sample: QuerySample, options: Options) -> Found:
    """Return the candidates of a query, and how many of its hashes are common.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    least, length = 0.0, files.params.shingle_tokens
    parts, weights = [np.empty((0, 3), np.uint32)], [np.empty(0, np.int32)]
    for stretch in stretches(files, sample):
        least = least or _least(files, sample, stretch.weights, stretch.tokens, options)
        weights.append(stretch.weights)
        for number, rows in _rows_with_evidence(stretch, least, length, options):
            parts.append(files.rows.parts(number, rows))
    return _with_evidence(files, sample, np.concatenate(parts), np.concatenate(weights), options)


def rows_above_chance(
    files: StoreFiles, sample: QuerySample, options: Options
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each tile's number and its rows that a query hits, in any window, more often than chance explains.

    Args:
        files: The collection.
        sample: The query.
        options: `false_rows` may pass by chance, expected over all rows and windows; `method` says what is counted.
    """
    for stretch in stretches(files, sample):
        yield from _rows_above_chance(stretch, options)


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


# ---------------------------------------------------------------------- rows


def _rows_above_chance(stretch: Stretch, options: Options) -> Iterator[tuple[int, NDArray[np.int64]]]:
    kept, looked_up = stretch.informative, stretch.looked_up
    if options.method == "hashes":
        some = looked_up.some(kept)
        return some.rows_over(windows(len(kept)), false_rows=options.false_rows)
    return looked_up.matrix.rows_over(stretch.hashes[kept], [], false_rows=options.false_rows, method=options.method)


def _rows_with_evidence(
    stretch: Stretch, least: float, length: int, options: Options
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield the rows above chance that, all their documents together, have the evidence one document needs."""
    for number, rows in _rows_above_chance(stretch, options):
        if options.method == "hashes":
            rows = rows[stretch.row_evidence(number, rows, length) >= least]
        yield number, rows


def _least(
    files: StoreFiles, sample: QuerySample, weights: NDArray[np.int32], tokens: Hashes, options: Options
) -> float:
    """Return the evidence a candidate needs: half of what a copy of the whole query gives is always enough.

    Of a short query more hashes are sampled than of the same words in a document.
    """
    least = needed(files.n_documents) if options.min_evidence is None else options.min_evidence
    bounds, every = np.array([0, len(weights)]), np.arange(len(weights), dtype=np.uint32)
    offered = evidence(bounds, every, weights, tokens, shingle_tokens=files.params.shingle_tokens)
    share = min(1.0, files.params.density * sample.n_chars / len(sample))
    return min(least, float(offered[0]) * share / 2)


# ---------------------------------------------------------------------- documents


def _with_evidence(
    files: StoreFiles, sample: QuerySample, parts: Hashes, weights: NDArray[np.int32], options: Options
) -> Found:
    """Return those of the documents whose parts share enough with the query, best first."""
    if not len(parts):
        return Found([], int(np.count_nonzero(weights == 0)))
    informative = np.flatnonzero(weights)
    order = informative[np.argsort(sample.hashes[informative], kind="stable")]
    ordered = sample.hashes[order]
    is_first = np.ones(len(order), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    shared = files.shared_hashes(parts, ordered[is_first])
    n_having = np.zeros(len(weights), np.int64)
    n_having[order] = np.bincount(shared.at, minlength=len(order))[np.cumsum(is_first) - 1]
    weights = reweighed(weights, n_having, files.n_documents)
    places = _in_text_order(order[is_first][shared.at], shared.bounds, len(weights))
    found = evidence(shared.bounds, places, weights, sample.token, shingle_tokens=files.params.shingle_tokens)
    n_hits = np.diff(shared.bounds)
    least = _least(files, sample, weights, sample.token, options)
    kept = np.flatnonzero((found >= least) & (n_hits > 0))
    ids, n_hits, found = shared.ids[kept], n_hits[kept], found[kept]
    ranked = np.lexsort((ids, -n_hits, -found))
    rows = zip(ids[ranked].tolist(), n_hits[ranked].tolist(), found[ranked].tolist(), strict=True)
    return Found([Candidate(*row) for row in rows], int(np.count_nonzero(weights == 0)))


def _in_text_order(places: NDArray[np.intp], bounds: NDArray[np.int64], n_places: int) -> Hashes:
    """Return the places of each list, ascending."""
    line = np.repeat(np.arange(len(bounds) - 1) * n_places, np.diff(bounds))
    return np.asarray(np.sort(line + places) - line, np.uint32)
