"""Joining: pieces of one reworded passage become one. The words between them were changed too much to be found. The
reference of a part of `native/align/judge.c`.
"""

from __future__ import annotations

from collections.abc import Iterable

from pmbf.base.span import Span
from pmbf.kernels.reference_likeness import sorted_similarity
from pmbf.kernels.reference_pieces import Piece, Texts

__all__: list[str] = []

MAX_GAP = 80
"""Most tokens between two pieces of one passage, in either text."""

SMALL_GAP = 8
MAX_RATIO = 1.5
"""If the query has at most `SMALL_GAP` tokens between two pieces, then it may leave out what the source has there. A
wider gap may be at most 1.5 times as wide in one text as in the other."""


def joined(texts: Texts, pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces in query order. A reworded piece and its neighbour become one where both texts continue alike.

    Args:
        texts: Both texts.
        pieces: Disjoint in the query.
    """
    done: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.query.start):
        whole = _whole(texts, done[-1], piece) if done else None
        if whole:
            done[-1] = whole
        else:
            done.append(piece)
    return done


def _whole(texts: Texts, one: Piece, other: Piece) -> Piece | None:
    kinds = {one.kind, other.kind}
    if "reworded" not in kinds or "summary" in kinds or not _go_on_alike(one, other):
        return None
    here, there = Span(one.query.start, other.query.stop), Span(one.source.start, other.source.stop)
    similarity = sorted_similarity(texts.query.words(here), texts.source.words(there))
    return Piece(here, there, similarity, "reworded") if similarity >= texts.bars.threshold else None


def _go_on_alike(one: Piece, other: Piece) -> bool:
    """Return whether the gap between two pieces is about equally wide in both texts, or nearly empty in the query."""
    gap, gap_there = other.query.start - one.query.stop, other.source.start - one.source.stop
    narrow, wide = min(gap, gap_there), max(gap, gap_there)
    return 0 <= narrow and wide <= MAX_GAP and (gap <= SMALL_GAP or wide <= MAX_RATIO * narrow)
