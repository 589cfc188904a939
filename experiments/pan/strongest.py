"""One source for each place of a query, as PAN's annotations have it."""

from __future__ import annotations

from collections.abc import Mapping

from pmbf.report import Passage

MOST = 0.8
"""If another document has this share of a passage's query characters, then it can take the passage's place."""


def strongest(passages_by_document: Mapping[int, tuple[Passage, ...]]) -> dict[int, tuple[Passage, ...]]:
    """Return the passages without those that a stronger passage of another document covers for the most part.

    A report of pmbf keeps all passages, and names such documents in `also_in`.

    Args:
        passages_by_document: Passages of each document that matched one query.

    >>> from pmbf.base.span import Span
    >>> better = Passage(Span(0, 90), Span(5, 95), 1.0, "verbatim")
    >>> worse = Passage(Span(5, 90), Span(7, 95), 0.4, "reworded")
    >>> strongest({7: (better,), 9: (worse,)}) == {7: (better,), 9: ()}
    True
    """
    return {
        document: tuple(one for one in passages if not _outdone(one, document, passages_by_document))
        for document, passages in passages_by_document.items()
    }


def _outdone(one: Passage, itself: int, passages_by_document: Mapping[int, tuple[Passage, ...]]) -> bool:
    return any(
        min(one.query.stop, other.query.stop) - max(one.query.start, other.query.start) > MOST * len(one.query)
        and _strength(other) > _strength(one)
        for document, passages in passages_by_document.items()
        if document != itself
        for other in passages
    )


def _strength(one: Passage) -> float:
    """Return the characters of a passage; if it is reworded or a summary, times the share of words in common."""
    alike = one.similarity if one.scores is None or one.scores.sorted_words is None else one.scores.sorted_words
    return len(one.query) * (1.0 if one.kind in ("verbatim", "edited") else alike)
