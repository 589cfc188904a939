"""Reworded passages and summaries: the alignments that say more than the equal runs inside them.

The reference of `native/align/reworded.c`.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pmbf.base.span import Span, meets, overlap
from pmbf.kernels.align_rules import NAT
from pmbf.kernels.asked import Bars, n_letters
from pmbf.kernels.reference_likeness import found_share, in_order, sorted_similarity
from pmbf.kernels.reference_pieces import (
    START,
    JudgedTexts,
    SharedPiece,
    in_both,
    in_runs,
    mostly_inside,
    near,
    topical_evidence,
    weighed,
)
from pmbf.kernels.reference_refine import Box

VERBATIM_WORDS = 6
"""Words in the shortest equal run that counts as verbatim. A letter that is a token counts as half a word."""

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

COPIED_EVIDENCE, COPIED_TIMES = 3.0, 12
"""A summary is a copy when one copied passage in it weighs more than 3 times the evidence of the whole summary, and the
source is at least 12 times longer. On 211 summaries of PAN13's training corpus hardly one becomes a copy; of 8 copied
sentences of manuals that were taken for summaries all 8 do."""


class Alignment(NamedTuple):
    """A token range of each text, its score in 1/1024 nat, and whether it sums up the whole source."""

    query: Span
    source: Span
    score: int
    is_summary: bool


def ranked(boxes: Sequence[Box]) -> list[Alignment]:
    """Return alignments, the best first."""
    made = [
        Alignment(Span(box.query, box.query_stop), Span(box.source, box.source_stop), box.score, bool(box.kind))
        for box in boxes
    ]
    return sorted(made, key=lambda one: (not one.is_summary, -one.score, one.query, one.source))


def reworded(texts: JudgedTexts, exact: Sequence[SharedPiece], found: Sequence[Alignment]) -> Iterator[SharedPiece]:
    """Yield reworded pieces and summaries, the best first, disjoint in the query.

    `exact` are the chains of equal runs, disjoint, in query order; `found` are the alignments, the best first.
    """
    taken: list[Span] = []
    spans = [piece.query for piece in exact]
    for one in found:
        if not one.is_summary:
            overlapping, elsewhere = _by_place(one, exact[near(spans, one.query)])
            if overlapping and _is_verbatim(texts, one, overlapping):
                continue  # equal runs have better edges
            if 2 * sum(overlap(piece.query, one.query) for piece in elsewhere) > len(one.query):
                continue  # copied word for word from elsewhere in the source
            one = _holding(one, overlapping)
        if not _is_long(texts, one) or any(meets(one.query, other) for other in taken[near(taken, one.query)]):
            continue
        if piece := _piece(texts, one):
            insort(taken, one.query, key=START)
            if not _is_copy(texts, piece, exact):
                yield piece


def _piece(texts: JudgedTexts, one: Alignment) -> SharedPiece | None:
    """Return an alignment as a piece, or None if its words are not alike enough."""
    ours, theirs = texts.query.keys_in(one.query), texts.source.keys_in(one.source)
    if one.is_summary:
        share = found_share(ours, theirs)
        if share < texts.bars.threshold:
            return None
        return SharedPiece(one.query, one.source, share, "summary", word_evidence=one.score / NAT)
    similarity = sorted_similarity(ours, theirs)
    if not alike_enough(texts, one.query, one.source, similarity):
        return None
    bar = needed_evidence(texts.bars, texts.letters(one.query), similarity)
    if bar > 0 and topical_evidence(texts, one.query, one.source) < bar:
        return None
    return SharedPiece(one.query, one.source, similarity, "reworded")


def needed_evidence(bars: Bars, letters: int, similarity: float) -> float:
    """Return the topical evidence that a reworded passage needs, in nats: more if it is short and less alike."""
    doubt = bars.short_doubt * max(0.0, 1 - letters / bars.sure_letters)
    lacking = max(0.0, bars.threshold + doubt - similarity)
    return bars.topical * (1 + bars.lacking_times * lacking)


def _is_copy(texts: JudgedTexts, one: SharedPiece, exact: Sequence[SharedPiece]) -> bool:
    """Return whether a summary is one copied passage among words of its topic that say less."""
    if one.kind != "summary" or len(one.source) < COPIED_TIMES * len(one.query):
        return False
    inside = [piece for piece in exact if mostly_inside(piece.chain[0], one)]
    return len(inside) == 1 and weighed(texts, inside[0]) > COPIED_EVIDENCE * one.word_evidence


def alike_enough(texts: JudgedTexts, here: Span, there: Span, similarity: float) -> bool:
    """Return whether one range is reworded from the other, given the similarity of their sorted words.

    In a long range some words must stand in the same order, unless half of the words are the same: two long texts on
    one topic have a third of their words in common, but not in order.
    """
    if similarity < texts.bars.threshold:
        return False
    if texts.letters(here) < LONG_CHARS or similarity >= MOST_SHUFFLED:
        return True
    return in_order(texts.query.keys_in(here), texts.source.keys_in(there), LEAST_IN_ORDER)


def _is_verbatim(texts: JudgedTexts, one: Alignment, overlapping: Sequence[SharedPiece]) -> bool:
    """Return whether an alignment says no more than the chains of equal runs it holds.

    One chain with small edits is a passage. Several chains belong together if the words between them are reworded, or
    the same in another order; they do not if those words are something else.
    """
    query, source = texts.pair.classes
    in_chains = {token for piece in overlapping for token in range(piece.query.start, piece.query.stop)}
    held = set(source[one.source.start : one.source.stop])
    n_equal = n_common = 0
    for token, in_run in enumerate(in_runs(texts, one.query, one.source, VERBATIM_WORDS), one.query.start):
        is_equal = in_run and token in in_chains
        n_equal += is_equal
        n_common += is_equal or query[token] in held
    if len(overlapping) == 1 and n_equal >= MOST_VERBATIM * len(one.query):
        return True
    return n_equal >= MOST_COMMON_VERBATIM * n_common


def _by_place(one: Alignment, pieces: Sequence[SharedPiece]) -> tuple[list[SharedPiece], list[SharedPiece]]:
    """Return the chains that share tokens with an alignment in both texts, and the others."""
    found: tuple[list[SharedPiece], list[SharedPiece]] = [], []
    for piece in pieces:
        found[not in_both(piece.chain[0], one.query, one.source)].append(piece)
    return found


def _is_long(texts: JudgedTexts, one: Alignment) -> bool:
    """Return whether both sides are long enough. A very long text has every word of its topic, so it has no summary."""
    bars = texts.bars
    here, there = texts.letters(one.query), n_letters(texts.source.tokens, one.source, bars.single_letters)
    if one.is_summary and not (here >= bars.summary_letters and there <= bars.summed_letters):
        return False
    return here >= bars.reworded_letters and there >= bars.reworded_source_letters


def _holding(one: Alignment, overlapping: Sequence[SharedPiece]) -> Alignment:
    """Return an alignment widened to hold the chains that overlap it in both texts."""
    query, source = one.query, one.source
    for piece in overlapping:
        query = Span(min(query.start, piece.query.start), max(query.stop, piece.query.stop))
        source = Span(min(source.start, piece.source.start), max(source.stop, piece.source.stop))
    return one._replace(query=query, source=source)
