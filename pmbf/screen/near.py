"""Of a long source, only what lies near the query's hashes is compared: a paragraph does not need a whole book
prepared.

    the source, its sampled hashes    ··········│····│·│······│···············│·········
    those the query has, too                    ▲    ▲ ▲      ▲               ▲
    compared                                ├────────────────────┤                        with a margin on both sides

Text far from all of these hashes shares at most a few words in a row with the query. A hash without another one near it
in both texts is a phrase: a dictionary has a phrase of every text on every other page.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels, verify
from pmbf.base.arrays import distinct
from pmbf.base.errors import CorruptError
from pmbf.base.hashes import first_bits
from pmbf.base.params import Params
from pmbf.base.span import Span, meets
from pmbf.fingerprint import query_sample
from pmbf.kernels import Sample
from pmbf.report import Passage
from pmbf.screen.near_long import spans_near
from pmbf.store.stretches import LongText

WHOLE_CHARS = 32_768
"""A source of at most 32,768 characters is compared whole, in a millisecond or two."""

MARGIN_CHARS = 8192
"""Margin on both sides of the hits. A passage that reaches further has hundreds of sampled hashes there."""

QUERY_SHARE = 4
"""Stretches less than a fourth of the query apart become one: preparing the text between them costs less than comparing
the query once more. So the work grows with both texts, however many stretches there are."""

TOGETHER_HASHES = 120
"""Two hits of a passage are within 120 sampled hashes of the query, some 360 words."""


Text = verify.Prepared | LongText
"""A source: a text that was read, or one of which the stretches are read that a comparison needs."""


def parts_near(source: Text, asked: Sample, params: Params, sensitivity: str) -> list[tuple[int, verify.Prepared]]:
    """Return the parts of a source that may share passages with a query: where each begins, ascending, and its text.

    Raises:
        CorruptError: A part cannot be read.
    """
    if isinstance(source, LongText):
        try:
            found = spans_near(source, asked, params, sensitivity, _gap(asked))
            return [(at.start, verify.prepare(source.read(at))) for at in found]
        except CorruptError:  # of where the hashes are, perhaps: the text itself tells
            source = verify.prepare(source.text)
    text = source.text
    return [
        (at.start, source if len(at) == len(text) else verify.prepare(text[at.start : at.stop]))
        for at in stretches_near(source, asked, params)
    ]


def _gap(asked: Sample) -> int:
    return max(2 * MARGIN_CHARS, asked.n_chars // QUERY_SHARE)


def stretches_near(source: verify.Prepared, asked: Sample, params: Params) -> list[Span]:
    """Return the stretches of a clean text that may share passages with a query, ascending and disjoint.

    Where its sampled hashes are is kept with it.
    """
    text = source.text
    if len(text) <= WHOLE_CHARS:
        return [Span(0, len(text))]
    if source.sampled is None:
        sampled = query_sample(text, params, starts=True)
        source.sampled, source.has_grown = (first_bits(sampled.hashes), sampled.starts), True
    places, in_query = _hits(*source.sampled, asked)
    if len(distinct(asked.hashes)) >= TOGETHER_HASHES // 5:  # one hit suffices for a query of few hashes
        places = places[_together(places, in_query)]
    gap = _gap(asked)
    starts = np.flatnonzero(np.diff(places, prepend=-2 * gap) > gap)
    stops = np.append(starts[1:], len(places))[: len(starts)]
    return [
        Span(max(0, int(places[start]) - MARGIN_CHARS), min(len(text), int(places[stop - 1]) + MARGIN_CHARS))
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
    ]


def _hits(
    hashes: NDArray[np.uint32], starts: NDArray[np.uint32], asked: Sample
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return where the query's hashes are in a source, in characters, and the index of each in the query.

    The hashes of the source are the first bits of its sampled hashes, which tell those of two texts apart.
    """
    wanted = first_bits(asked.hashes)
    order = np.argsort(wanted, kind="stable")
    wanted = wanted[order]
    found = kernels.intersect(hashes, wanted)
    return starts[found].astype(np.int64), order[np.searchsorted(wanted, hashes[found])]


def _together(places: NDArray[np.int64], in_query: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which hits have another hit, of another hash, near them in both texts."""
    together = np.zeros(len(places), bool)
    for ahead in range(1, len(places)):
        near = places[ahead:] - places[:-ahead] < MARGIN_CHARS
        if not near.any() or together.all():
            break
        apart = np.abs(in_query[ahead:] - in_query[:-ahead])
        near &= (apart > 0) & (apart < TOGETHER_HASHES)
        together[ahead:] |= near
        together[:-ahead] |= near
    return together


def in_whole(found: Sequence[tuple[Passage, ...]]) -> tuple[Passage, ...]:
    """Return the passages that a query shares with the stretches of a source, in query order.

    Passages never overlap in the query. If two stretches hold the same words, then the longer passage is kept.
    """
    kept: list[Passage] = []
    for passage in sorted(chain.from_iterable(found), key=lambda one: (-len(one.query), one.query, one.source)):
        place = bisect(kept, passage.query, key=lambda one: one.query)
        if all(not meets(passage.query, other.query) for other in kept[max(0, place - 1) : place + 1]):
            kept.insert(place, passage)
    return tuple(kept)
