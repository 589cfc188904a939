"""What was changed from a passage's source to the query: computed when it is asked for, never kept."""

from __future__ import annotations

from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from pmbf.errors import ParameterError
from pmbf.kernels import Tokens, tokenise
from pmbf.report import Passage, Span

MAX_TOKENS = 20_000
"""Words of a side; the matrix of two such sides takes 100 MB for a moment."""


class Edit(NamedTuple):
    """Words that differ: in the source's place `source` the query has `query`; one of both may be empty."""

    query: Span
    source: Span


def edits(query: str, source: str, passage: Passage) -> list[Edit]:
    """Return the fewest words to put in, leave out and replace that turn the source's side into the query's.

    Spans are those of the originals, from the first word that differs to the last. Words are compared folded.

    Args:
        query: The whole text that was screened.
        source: The whole text of the document.
        passage: One of the passages found in both.

    Raises:
        ParameterError: A side has more than `MAX_TOKENS` words.

    >>> both = "the sea was wide and calm", "the sea was calm"
    >>> [found] = edits(*both, Passage(Span(0, 25), Span(0, 16), 0.64, "edited"))
    >>> both[0][found.query.start : found.query.stop], found.source
    ('wide and', Span(start=12, stop=12))
    """
    ours, theirs = _tokens(query, passage.query), _tokens(source, passage.source)
    operations = Levenshtein.opcodes(theirs.hashes.tolist(), ours.hashes.tolist())
    return [
        Edit(
            _span(ours, operation.dest_start, operation.dest_end, passage.query),
            _span(theirs, operation.src_start, operation.src_end, passage.source),
        )
        for operation in operations
        if operation.tag != "equal"
    ]


def _tokens(text: str, span: Span) -> Tokens:
    tokens = tokenise(text[span.start : span.stop].encode("utf-8", errors="replace"))
    if len(tokens) > MAX_TOKENS:
        raise ParameterError(f"a passage of {len(tokens)} words, expected at most {MAX_TOKENS}; ask for a part of it")
    return tokens


def _span(tokens: Tokens, start: int, stop: int, within: Span) -> Span:
    """Return the characters of some tokens; of none, the place where the next one begins or the last one ends."""
    if start < stop:
        return Span(within.start + int(tokens.starts[start]), within.start + int(tokens.stops[stop - 1]))
    place = int(tokens.starts[start]) if start < len(tokens) else int(tokens.stops[-1]) if len(tokens) else 0
    return Span(within.start + place, within.start + place)
