"""Joining: pieces of one reworded passage become one. The words between them were changed too much to be found."""

from __future__ import annotations

from collections.abc import Iterable

from pmbf.passages.pieces import Piece
from pmbf.passages.prepared import Prepared
from pmbf.passages.scores import sorted_similarity
from pmbf.passages.settings import Settings
from pmbf.span import Span

MAX_GAP = 80
"""Most tokens between two pieces of one passage, in either text."""

SMALL_GAP = 8
MAX_RATIO = 1.5
"""If the query has at most `SMALL_GAP` tokens between two pieces, then it may leave out what the source has there. A
wider gap may be at most 1.5 times as wide in one text as in the other."""


def joined(query: Prepared, source: Prepared, pieces: Iterable[Piece], settings: Settings) -> list[Piece]:
    """Return pieces in query order. A reworded piece and its neighbour become one where both texts continue alike.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        pieces: Disjoint in the query.
        settings: How similar a passage is at least.
    """
    done: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: piece.query.start):
        whole = _whole(query, source, done[-1], piece, settings) if done else None
        if whole:
            done[-1] = whole
        else:
            done.append(piece)
    return done


def _whole(query: Prepared, source: Prepared, one: Piece, other: Piece, settings: Settings) -> Piece | None:
    kinds = {one.kind, other.kind}
    if "reworded" not in kinds or "summary" in kinds or not _go_on_alike(one, other):
        return None
    here, there = Span(one.query.start, other.query.stop), Span(one.source.start, other.source.stop)
    similarity = sorted_similarity(query.word_keys(here), source.word_keys(there))
    return Piece(here, there, similarity, "reworded") if similarity >= settings.reworded_threshold else None


def _go_on_alike(one: Piece, other: Piece) -> bool:
    """Return whether the gap between two pieces is about equally wide in both texts, or nearly empty in the query."""
    gap, gap_there = other.query.start - one.query.stop, other.source.start - one.source.stop
    narrow, wide = min(gap, gap_there), max(gap, gap_there)
    return 0 <= narrow and wide <= MAX_GAP and (gap <= SMALL_GAP or wide <= MAX_RATIO * narrow)
