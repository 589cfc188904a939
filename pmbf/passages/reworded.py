"""Reworded passages and summaries: the alignments that say more than the equal runs inside them."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence

import numpy as np

from pmbf.kernels import NAT, Pair
from pmbf.passages.alignments import Alignment, in_common, in_runs, topical_evidence
from pmbf.passages.chains import Chain
from pmbf.passages.pieces import START, Piece, n_letters, near
from pmbf.passages.prepared import Prepared
from pmbf.passages.scores import found_share, in_order, sorted_similarity
from pmbf.passages.settings import Settings
from pmbf.span import Span, meets, overlap

MOST_VERBATIM = 0.7
"""If a single chain's equal runs hold at least 0.7 of an alignment's tokens, then the chain is reported, not the
alignment."""

LONG_CHARS, MOST_SHUFFLED, LEAST_IN_ORDER = 1000, 0.5, 0.15
"""A passage of at least 1,000 characters with a sorted similarity below 0.5 must have a similarity in order of at least
0.15. Of 187 true reworded passages of 800 characters and more in PAN13's training corpus none has less. Long ranges of
chapters on different subjects in one manual have .07 to .09."""

MOST_COMMON_VERBATIM = 0.9
"""If several chains' equal runs hold at least 0.9 of the tokens that an alignment has in common, then the chains are
reported."""


def reworded(
    query: Prepared,
    source: Prepared,
    pair: Pair,
    exact: Sequence[Piece],
    found: Sequence[Alignment],
    settings: Settings,
) -> Iterator[Piece]:
    """Yield reworded pieces and summaries, the best first, disjoint in the query.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        pair: Both texts, for the kernels.
        exact: Chains of equal runs found in both, disjoint, in query order.
        found: The alignments of both, the best first.
        settings: What counts as a passage.
    """
    taken: list[Span] = []
    spans = [piece.query for piece in exact]
    for one in found:
        if not one.is_summary:
            overlapping, elsewhere = _by_place(one, exact[near(spans, one.query)])
            if overlapping and _is_verbatim(query, source, pair, one, overlapping):
                continue  # equal runs have better edges
            if 2 * sum(overlap(piece.query, one.query) for piece in elsewhere) > len(one.query):
                continue  # copied word for word from elsewhere in the source
            one = _holding(one, overlapping)
        if not _is_long(query, source, one, settings) or any(
            meets(one.query, other) for other in taken[near(taken, one.query)]
        ):
            continue
        similarity = _similarity(query, source, one)
        if one.is_summary:
            is_alike = similarity >= settings.reworded_threshold
        else:
            is_alike = alike_enough(query, source, one.query, one.source, similarity, settings) and (
                not settings.least_topical_evidence
                or topical_evidence(pair, one.query, one.source)
                >= settings.topical_evidence(n_letters(query, one.query), similarity)
            )
        if is_alike:
            insort(taken, one.query, key=START)
            if one.is_summary:
                yield Piece(one.query, one.source, similarity, "summary", word_evidence=one.score / NAT)
            else:
                yield Piece(one.query, one.source, similarity, "reworded")


def alike_enough(
    query: Prepared, source: Prepared, here: Span, there: Span, similarity: float, settings: Settings
) -> bool:
    """Return whether one range is reworded from the other, given the similarity of their sorted words.

    In a long range some words must stand in the same order, unless half of the words are the same: two long texts on
    one topic have a third of their words in common, but not in order.
    """
    if similarity < settings.reworded_threshold:
        return False
    if n_letters(query, here) < LONG_CHARS or similarity >= MOST_SHUFFLED:
        return True
    return in_order(query.word_keys(here).tolist(), source.word_keys(there).tolist(), LEAST_IN_ORDER)


def in_both(chain: Chain, query: Span, source: Span) -> bool:
    """Return whether a chain shares tokens with a range of the query and with a range of the source."""
    start, stop, source_start, source_stop = query.start, query.stop, source.start, source.stop
    return any(
        here < stop and start < here + length and there < source_stop and source_start < there + length
        for here, there, length in chain
    )


def _is_verbatim(query: Prepared, source: Prepared, pair: Pair, one: Alignment, overlapping: Sequence[Piece]) -> bool:
    """Return whether an alignment says no more than the chains of equal runs it holds.

    One chain with small edits is a passage. Several chains belong together if the words between them are reworded, or
    the same in another order; they do not if those words are something else.
    """
    in_chains = np.zeros(len(one.query), np.bool_)
    for piece in overlapping:
        in_chains[max(0, piece.query.start - one.query.start) : max(0, piece.query.stop - one.query.start)] = True
    equal = in_chains & in_runs(query, source, one.query, one.source)
    if len(overlapping) == 1 and np.count_nonzero(equal) >= MOST_VERBATIM * len(equal):
        return True
    common = equal | in_common(pair, one)
    return bool(np.count_nonzero(equal) >= MOST_COMMON_VERBATIM * np.count_nonzero(common))


def _by_place(one: Alignment, pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Return the chains that share tokens with an alignment in both texts, and the others."""
    found: tuple[list[Piece], list[Piece]] = [], []
    for piece in pieces:
        found[not in_both(piece.chain[0], one.query, one.source)].append(piece)
    return found


def _is_long(query: Prepared, source: Prepared, one: Alignment, settings: Settings) -> bool:
    """Return whether both sides are long enough.

    The source of a summary may not be too long: a very long text has every word of its topic.
    """
    here, there = n_letters(query, one.query), n_letters(source, one.source)
    if one.is_summary and not (here >= settings.min_summary_chars and there <= settings.max_summed_chars):
        return False
    return here >= settings.min_reworded_chars and there >= settings.min_reworded_source_chars


def _similarity(query: Prepared, source: Prepared, one: Alignment) -> float:
    ours, theirs = query.word_keys(one.query), source.word_keys(one.source)
    return found_share(ours.tolist(), theirs.tolist()) if one.is_summary else sorted_similarity(ours, theirs)


def _holding(one: Alignment, overlapping: Sequence[Piece]) -> Alignment:
    """Return an alignment widened to hold the chains that overlap it in both texts."""
    query, source = one.query, one.source
    for piece in overlapping:
        query = Span(min(query.start, piece.query.start), max(query.stop, piece.query.stop))
        source = Span(min(source.start, piece.source.start), max(source.stop, piece.source.stop))
    return one._replace(query=query, source=source)
