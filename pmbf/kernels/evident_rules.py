"""What the kernels take and return that weigh the hits of many queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes
from pmbf.kernels import checks
from pmbf.kernels.postings_layout import Postings, require_hashes
from pmbf.kernels.types import HitRules

__all__ = ["EVIDENCE_UNITS", "Evident", "EvidentRules", "Sampled"]

EVIDENCE_UNITS = 1024
"""Weights and evidence are whole numbers of 1/1024 nat, so that both twins of the kernels add up to the same."""


class Sampled(NamedTuple):
    """A query as it is looked up.

    Args:
        hashes: `(n,)`, its sampled hashes, in the order of the text; of the width of the postings' hashes.
        tokens: `(n,) uint32`, ascending, the first token of each hash's shingle.
        share: Part of the evidence of the whole query that is half of the evidence of a copy.
        more: `(n,) int64`, how many documents have each hash that are not in the postings, because a hash is common
            there; None: all are in the postings.
    """

    hashes: Hashes
    tokens: NDArray[np.uint32]
    share: float
    more: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EvidentRules:
    """How hits are weighed.

    Args:
        weights: `(limit + 1,) int32`, the weight of a hash by how many documents have it, at least 0. A hash that more
            documents have is common, and weighs nothing.
        gone: `(m,) uint32`, ids of documents that are left out, ascending.
        little: A hash of less weight weighs little.
        n_run: If so many hashes in a row weigh little, then the query is hard.
        most_common: If a greater share of the hashes is common, then the query is hard.
        n_first: The hashes of a query that are added up first for the evidence of a copy; the others only if that is
            less than `enough`.
        enough: Nats.
        least: Evidence that a document needs, in nats, if half of a copy has as much.
        hits: How hits near each other count together.
    """

    weights: NDArray[np.int32]
    gone: NDArray[np.uint32]
    little: int
    n_run: int
    most_common: float
    n_first: int
    enough: float
    least: float
    hits: HitRules

    @property
    def limit(self) -> int:
        """Most documents that have a hash that is not common."""
        return len(self.weights) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Evident:
    """The documents with evidence enough, of many queries.

    Args:
        bounds: `(q + 1,) int64`; query i has the documents from `bounds[i]` to `bounds[i + 1]`, none if it is hard.
        documents: `(n,) uint32`, ids, ascending for each query.
        n_hits: `(n,) int64`, distinct hashes of the query that are not common and that each document has.
        evidence: `(n,) int64`, in `EVIDENCE_UNITS`.
        copied: `(q,) float64`, half of the evidence of a copy, in nats.
        n_common: `(q,) int64`, hashes without weight.
        is_hard: `(q,) bool`, whether more must be known of a query than is counted here.
    """

    bounds: NDArray[np.int64]
    documents: NDArray[np.uint32]
    n_hits: NDArray[np.int64]
    evidence: NDArray[np.int64]
    copied: NDArray[np.float64]
    n_common: NDArray[np.int64]
    is_hard: NDArray[np.bool_]


def require_query(postings: Sequence[Postings], query: Sampled) -> None:
    """Refuse hashes of another width than the postings', and tokens and `more` that are not one for each hash."""
    require_hashes(postings, query.hashes)
    checks.require("tokens", query.tokens, np.uint32, f"({len(query.hashes)},)", 1)
    for name, one in (("tokens", query.tokens), ("more", query.more)):
        if one is not None and len(one) != len(query.hashes):
            raise ParameterError(f"{name} has {len(one)} items, expected {len(query.hashes)}: one a hash")


def bounds_of(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return where each list begins among all, and last where the last one ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)
