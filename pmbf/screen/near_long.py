"""Of a long source in a collection, only the stretches that have the query's hashes are read and compared.

    the source, its stretches     │ · │ · │···│···│ · │   │ · │   │···│ · │ · │          of 4,096 characters
    two side by side that have            ├───────┤               ├───────┤              evidence enough
    compared                      ├───────────────────────┤                              with a margin on both sides

The stretches are to the source what documents are to a collection: what a hash says is how few stretches have it, and
hits count together if they are near each other in both texts. All stretches with evidence enough are compared, and the
best of the doubtful ones: a dictionary has a phrase of every text on every other page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import among, begins, distinct
from pmbf.base.params import Params
from pmbf.base.span import Span
from pmbf.kernels import Sample
from pmbf.screen.options import SENSITIVITIES
from pmbf.screen.weighing import (
    SURE_HASHES,
    common_from,
    evidence,
    half_of_a_copy,
    is_boilerplate,
    weight_of_own,
    weights,
)
from pmbf.store.having import FirstPlaces, Having
from pmbf.store.stretches import STRETCH_CHARS, LongText

MARGIN = 2
"""Stretches on both sides of the hits. A passage that reaches further has hundreds of sampled hashes there."""

COMMON_SHARE = 4
"""If the query's hashes are common in a source, then those count that at most a fourth of its stretches have."""

RUN_HASHES, COPIED_SHARE = 32, 0.9
"""If nine of ten hashes of a run of 32, some 100 words, are in two stretches side by side, then the words of the run
stand there. No other place is compared for them."""

_SHIFT, _ONE, _PLACE = np.uint64(32), np.uint64(1 << 32), np.uint64(0xFFFFFFFF)


def spans_near(source: LongText, asked: Sample, params: Params, sensitivity: str, gap: int) -> list[Span]:
    """Return the characters of a source that may share passages with a query, ascending and disjoint.

    Spans that are at most `gap` characters apart become one.

    Raises:
        CorruptError: The record of the stretches is damaged.
    """
    numbers = _stretches(source, asked, params, sensitivity)
    cuts = np.flatnonzero(STRETCH_CHARS * (np.diff(numbers) - 1) > gap) + 1
    return [
        Span(
            STRETCH_CHARS * max(0, int(some[0]) - MARGIN),
            min(source.n_chars, STRETCH_CHARS * (int(some[-1]) + 1 + MARGIN)),
        )
        for some in np.split(numbers, cuts)
        if len(some)
    ]


def _stretches(source: LongText, asked: Sample, params: Params, sensitivity: str) -> NDArray[np.int64]:
    """Return the numbers of the stretches with hits of the query that are near each other in both texts, ascending."""
    having, weighed = _weighed(source, asked)
    # Window w has the stretches w - 1 and w: so whatever is shorter than a stretch lies in a window as a whole.
    hits = having.ids[having.owners].astype(np.uint64) << _SHIFT | having.places
    hits = _unsettled(distinct(np.concatenate([hits, hits + _ONE])), having, weighed)
    windows, places = (hits >> _SHIFT).astype(np.int64), (hits & _PLACE).astype(np.uint32)
    firsts = begins(windows)
    nats = evidence(np.append(firsts, len(hits)), places, weighed, asked.token, params.shingle_tokens)
    sure = SURE_HASHES * weight_of_own(source.n_stretches)
    is_near = nats >= min(sure, half_of_a_copy(params, asked, weighed, sure))
    doubtful = np.flatnonzero(~is_near)
    n_doubtful = SENSITIVITIES[sensitivity].of(len(asked)).n_unseen
    is_near[doubtful[np.argsort(-nats[doubtful], kind="stable")[:n_doubtful]]] = True
    near, stretches = windows[firsts[is_near]], having.ids.astype(np.int64)
    return stretches[among(stretches, near) | among(stretches + 1, near)]


def _unsettled(hits: NDArray[np.uint64], having: Having, weighed: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return hits without those of words that stand elsewhere as they are: passages of a query never overlap.

    Args:
        hits: Window << 32 | place in the query, ascending.
        having: Of the stretches.
        weighed: The weight of each hash.
    """
    is_first = np.zeros(len(weighed), np.bool_)
    is_first[having.places] = True
    counts = np.bincount(np.flatnonzero((is_first | (having.n_having == 0)) & (weighed > 0)) // RUN_HASHES)
    runs = hits >> _SHIFT << _SHIFT | (hits & _PLACE) // np.uint64(RUN_HASHES)
    firsts = begins(runs)
    n_hits = np.diff(np.append(firsts, len(hits)))
    numbers = (runs[firsts] & _PLACE).astype(np.int64)
    is_copy = (n_hits >= COPIED_SHARE * counts[numbers]) & (counts[numbers] >= RUN_HASHES // 2)
    is_settled = np.zeros(len(counts), np.bool_)
    is_settled[numbers[is_copy]] = True
    return hits[np.repeat(is_copy | ~is_settled[numbers], n_hits)]


def _weighed(source: LongText, asked: Sample) -> tuple[Having, NDArray[np.int32]]:
    """Return which stretches have which hashes of a query, and the weight of each hash among the stretches."""
    firsts, limit = FirstPlaces.of(asked.hashes), common_from(source.n_stretches) - 1
    having = source.having(firsts, limit)
    if is_boilerplate(having.n_having > limit):
        having = source.having(firsts, max(limit, source.n_stretches // COMMON_SHARE))
    return having, weights(having.n_having, source.n_stretches)
