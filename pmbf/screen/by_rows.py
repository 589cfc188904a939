"""The paper's way: rows of the filter first, then the documents that live in them. No postings are kept.

    hashes of a query ─► AND of the tiles' lines: the rows that may hold each hash ─► rows with evidence near each other
          ─► row index: the documents of these rows ─► their own hashes, made from their texts ─► exact hits

How common a hash is follows from the filter too: it is the number of rows that the hash hits, less those that it hits
by chance. A row is looked into if the hits of all its documents together give the evidence of some rare hashes, and a
document is told if its own hits do. So a trace that is fainter is not found (docs/tradeoffs.md).

Sources:
    Tskhay, Butakov & Kim 2014: the pseudo-matrix, its row index, and the comparison of the documents that a row names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import distinct
from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes, first_bits
from pmbf.filter import LookUp, PseudoMatrixBloomFilter
from pmbf.kernels import HitRules, Sample
from pmbf.report import OF_THE_FILTER
from pmbf.screen.options import Options
from pmbf.screen.stores import AnyGeneration
from pmbf.screen.weighing import EVIDENCE_HASHES, UNITS, evidence, half_of_a_copy, hit_rules, weight_of_own, weights
from pmbf.store.generation import Generation
from pmbf.store.having import FirstPlaces, Having, Keys
from pmbf.store.sampled import Parts, hashes_of, whole
from pmbf.tile import column_counts

OWN_HASHES = {"fast": 4, "normal": 3, "thorough": 2}
"""Hashes of its own, in evidence, that a row needs to be looked into, and a document to be told, by the sensitivity."""

MOST_RUN_ROWS = 64
"""Rows that are looked into for a run of common hashes, those with most of its hashes first. Most rows have some of a
common phrase, by one document or another."""

FALSE_SHARE = 0.02
"""Share of the rows that may pass by chance in the paper's measure, if no number of them is given."""

ALL_PASSED = f"{OF_THE_FILTER}left no document out: the text has more bits in common with all rows than chance explains"

_LOOK_UP_BYTES = 64 << 20
"""A query is looked up in stretches whose hits take at most so many bytes."""

_COMPARED_TOGETHER = 4096
"""Parts of documents whose hashes are compared with a query at once."""

_PLACE, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)
Rows = list[tuple[int, NDArray[np.int64]]]
"""The number of each tile, and rows of the tile."""


@dataclass
class ByRows:
    """One query to a collection of the kind `rows`; `warnings` say what the filter could not do for it."""

    generation: Generation
    sample: Sample
    options: Options
    warnings: tuple[str, ...] = ()

    def having(self, *, limit: int) -> Having:
        """Return which documents have which hashes of the query, of those that live in rows with evidence enough.

        Documents of a hash that more than about `limit` documents have are not told.
        """
        firsts = self._firsts
        weighed = weights(self._n_having, self.generation.n_documents)
        counted = np.zeros_like(weighed)
        counted[firsts.places] = np.where(self._n_having <= limit, weighed, 0)[firsts.places]
        least = self._least(weighed)
        rows = self._in_common() if self.options.method == "popcount" else self._with_evidence(counted, least)
        found = self._hits(parts_of(self.generation, rows), limit)
        if self.options.method == "hashes":
            nats = evidence(found.bounds, found.places, counted, self.sample.token, self._shingle_tokens)
            found = self._hits(whole(self.generation, found.ids[nats >= least]), limit)
        return found

    def _hits(self, parts: Parts, limit: int) -> Having:
        """Return which documents have which hashes of the query that are not too common, in some of their parts."""
        n_having = self._n_having[self._firsts.places]
        keys = _keys(self.generation, parts, self._firsts.hashes)
        keys = keys[n_having[(keys & _PLACE).astype(np.intp)] <= limit]
        return self._firsts.having(keys, n_having, -1)

    @property
    def _shingle_tokens(self) -> int:
        return self.generation.params.shingle_tokens

    @cached_property
    def _firsts(self) -> FirstPlaces:
        return FirstPlaces.of(self.sample.hashes)

    @cached_property
    def _n_having(self) -> NDArray[np.int64]:
        """About how many documents have the hash at each place of the query, `(q,) int64`."""
        matrix = self.generation.matrix()
        counts = np.zeros(len(self.sample.hashes), np.int64)
        for start, stop, found in self._looked_up:
            counts[start:stop] = n_documents_having(found.n_hit, matrix)
        return counts

    @cached_property
    def _looked_up(self) -> Sequence[tuple[int, int, LookUp]]:
        return list(_looked_up(self.generation.matrix(), self.sample.hashes))

    def _least(self, weighed: NDArray[np.int32]) -> float:
        """Return the evidence that a row and a document need, in nats; that of half a copy of a short query."""
        own, options = weight_of_own(self.generation.n_documents), self.options
        least = OWN_HASHES[options.sensitivity] * own
        if options.min_evidence is not None:
            least = max(options.min_evidence, OWN_HASHES["thorough"] * own)
        return min(least, half_of_a_copy(self.generation.params, self.sample, weighed, least))

    def _with_evidence(self, counted: NDArray[np.int32], least: float) -> Rows:
        rules, found = hit_rules(self._shingle_tokens), Rows()
        at_least = max(1, int(least * UNITS))
        for start, stop, one in self._looked_up:
            some = counted[start:stop], self.sample.token[start:stop], rules
            found += one.by_tile(kernels.rows_with_evidence(one.hits, *some, least=at_least))
        return found

    def _in_common(self) -> Rows:
        """Return the rows of the paper's measure; warn if these are all."""
        matrix = self.generation.matrix()
        hashes = distinct(first_bits(self.sample.hashes))
        false_rows = self.options.false_rows or FALSE_SHARE * max(1, matrix.n_rows)
        found = list(matrix.rows_with_common_bits(hashes, false_rows=false_rows))
        if matrix.n_rows and sum(len(rows) for _, rows in found) == matrix.n_rows:
            self.warnings = (ALL_PASSED,)
        return found


def generation_of_rows(generation: AnyGeneration) -> Generation | None:
    """Return a generation whose rows are asked, or None: it has postings, perhaps on the nodes of a cluster."""
    return generation if isinstance(generation, Generation) and generation.params.index == "rows" else None


def require_method(generation: AnyGeneration, options: Options) -> None:
    """Refuse the method `popcount` where there are postings."""
    if options.method == "popcount" and not generation_of_rows(generation):
        raise ParameterError(
            "the method popcount asks the rows of a collection made with `pmbf load --index rows`; "
            "this one answers from postings: leave the method out"
        )


def near(generation: Generation, queries: Sequence[Hashes], *, least: int, window: int) -> list[Keys]:
    """Return which live documents have several hashes of a query near each other, as `Generation.near` of all.

    Only the documents of `MOST_RUN_ROWS` rows are looked at for a query, those of the rows with most of its hashes.
    """
    return [_near(generation, hashes, least, window) for hashes in queries]


def _near(generation: Generation, hashes: Hashes, least: int, window: int) -> Keys:
    alike, tokens, rules = np.ones(len(hashes), np.int32), np.arange(len(hashes), dtype=np.uint32), HitRules(1, window)
    chosen = Rows()
    for start, stop, found in _looked_up(generation.matrix(), hashes):
        some = alike[start:stop], tokens[start:stop], rules
        rows = kernels.rows_with_evidence(found.hits, *some, least=least)
        n_bits = 64 * found.hits.shape[1]
        counts = column_counts(found.hits, n_bits)
        best = rows[np.argsort(-counts[rows], kind="stable")[:MOST_RUN_ROWS]]
        chosen += found.by_tile(np.sort(best))
    keys = _keys(generation, parts_of(generation, chosen), hashes)
    having = FirstPlaces.of(hashes).having(keys, np.zeros(len(hashes), np.int64), -1)
    enough = kernels.evidence(having.bounds, having.places, alike, tokens, rules)[0] >= least
    return keys[np.repeat(enough, np.diff(having.bounds))]


def n_documents_having(n_hit: NDArray[np.int64], matrix: PseudoMatrixBloomFilter) -> NDArray[np.int64]:
    """Return about how many documents have a hash, by the number of rows that it hits, `(q,) int64`.

    Of the rows that do not hold the hash, some are hit by chance. A row may have several of the documents; most hashes
    that say something are rarer than that.
    """
    by_chance = matrix.n_false / max(1, matrix.n_rows)
    n_holding = np.rint((n_hit - matrix.n_false) / max(1 - by_chance, 1e-9)).astype(np.int64)
    return np.where(n_hit > 0, np.maximum(1, n_holding), 0)


def parts_of(generation: Generation, rows: Rows) -> Parts:
    """Return the parts of live documents in some rows, `(n, 3) int64`: document, first part, part after the last.

    Documents that are left out are not among them.
    """
    found = [generation.rows.parts(number, some) for number, some in rows if len(some)]
    parts = np.concatenate([np.empty((0, 3), np.uint32), *found]).astype(np.int64)
    parts = parts[np.argsort(parts[:, 0], kind="stable")]
    keys = generation.of_living(parts[:, 0].astype(np.uint64) << _SHIFT | np.arange(len(parts), dtype=np.uint64))
    return parts[(keys & _PLACE).astype(np.intp)]


def _looked_up(matrix: PseudoMatrixBloomFilter, hashes: Hashes) -> Iterator[tuple[int, int, LookUp]]:
    """Yield stretches of a query with the rows that may hold each hash. They overlap by a window of the evidence."""
    step = max(EVIDENCE_HASHES, _LOOK_UP_BYTES // (8 * max(1, -(-matrix.n_rows // 64) + len(matrix.tiles))))
    for first in range(0, len(hashes), step):
        start, stop = max(0, first - EVIDENCE_HASHES), min(first + step, len(hashes))
        yield start, stop, matrix.look_up(first_bits(hashes[start:stop]))


def _keys(generation: Generation, parts: Parts, hashes: Hashes) -> Keys:
    """Return which documents have which of some distinct hashes, ascending: document << 32 | number of the hash.

    The parts of documents that are looked at go by ascending document.
    """
    if not len(parts):
        return np.empty(0, np.uint64)
    order = np.argsort(hashes, kind="stable")
    ordered, is_near = hashes[order], np.zeros(1 << 16, np.bool_)
    is_near[_first_half(hashes)] = True
    found = [np.empty(0, np.uint64)]
    for start in range(0, len(parts), _COMPARED_TOGETHER):
        documents, own = hashes_of(generation, parts[start : start + _COMPARED_TOGETHER])
        every = np.concatenate([hashes[:0], *own])
        at = np.flatnonzero(is_near[_first_half(every)])
        places = np.searchsorted(ordered, every[at])
        is_here = np.append(ordered, ordered[:1])[places] == every[at]
        at, places = at[is_here], places[is_here]
        owners = documents[np.searchsorted(np.cumsum([len(one) for one in own]), at, side="right")]
        found.append(owners.astype(np.uint64) << _SHIFT | order[places].astype(np.uint64))
    return distinct(np.concatenate(found))


def _first_half(hashes: Hashes) -> NDArray[np.uint16]:
    """Return the first 16 bits of each hash."""
    words = np.ascontiguousarray(hashes, f"<u{hashes.itemsize}").view("<u2")
    return words[hashes.itemsize // 2 - 1 :: hashes.itemsize // 2]
