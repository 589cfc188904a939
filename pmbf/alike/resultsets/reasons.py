"""What two texts share, with its places."""

from __future__ import annotations

from dataclasses import dataclass

from pmbf.alike.resultsets.preparing import Preparer
from pmbf.base.span import Span


@dataclass(frozen=True, slots=True)
class SharedText:
    """A sentence or a passage that two articles share.

    Args:
        text: The words in the first article.
        first: Where they stand in the first article.
        second: Where they stand in the second article.
    """

    text: str
    first: Span
    second: Span


def shared(preparer: Preparer, first: str, second: str) -> list[SharedText]:
    """Return the sentences that two texts share, in the order of the first; of `words` the passages."""
    spans = _sentences(preparer, first, second) if preparer.is_of_sentences else _passages(first, second)
    return [SharedText(first[one.start : one.stop], one, other) for one, other in spans]


def _sentences(preparer: Preparer, first: str, second: str) -> list[tuple[Span, Span]]:
    """Return each sentence of the first text that the second has, at its first place there."""
    places: dict[int, Span] = {}
    for hash_, start, stop in preparer.sentences(second).tolist():
        places.setdefault(hash_, Span(start, stop))
    sentences = preparer.sentences(first).tolist()
    return [(Span(start, stop), places[hash_]) for hash_, start, stop in sentences if hash_ in places]


def _passages(first: str, second: str) -> list[tuple[Span, Span]]:
    from pmbf import verify  # a service that compares sets does without

    found = verify.passages(verify.prepare(first), verify.prepare(second))
    return [(one.query, one.source) for one in found]
