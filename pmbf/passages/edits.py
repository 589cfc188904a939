"""The words that differ between the two sides of a passage: computed on demand, never stored.

edits        the places that differ, for programs
word_pairs   each word beside its counterpart, for pages that show both sides

Words are compared folded: a difference in case, accents or look-alike letters is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pmbf.base.errors import ParameterError
from pmbf.base.span import Span
from pmbf.kernels import Tokens, tokenise
from pmbf.report import Passage

MAX_TOKENS = 20_000
"""Most tokens of a side that `edits` compares: the matrix of two such sides takes 100 MB for a moment."""


class Edit(NamedTuple):
    """A place that differs: the query has `query` where the source has `source`. At most one of both is empty."""

    query: Span
    source: Span


class WordPair(NamedTuple):
    """A word of each side, with the characters up to the next word. A side without a counterpart is `Span(0, 0)`."""

    query: Span
    source: Span
    same: bool


def edits(query: str, source: str, passage: Passage) -> list[Edit]:
    """Return the fewest insertions, deletions and replacements of words that turn the source's side into the query's.

    A span reaches from the first word that differs to the last one, in characters of the original.

    Args:
        query: The whole text that was screened.
        source: The whole text of the document.
        passage: One of the passages found in both.

    Raises:
        ParameterError: A side has more than `MAX_TOKENS` tokens.

    >>> both = "the sea was wide and calm", "the sea was calm"
    >>> [found] = edits(*both, Passage(Span(0, 25), Span(0, 16), 0.64, "edited"))
    >>> both[0][found.query.start : found.query.stop], found.source
    ('wide and', Span(start=12, stop=12))
    """
    ours, theirs = _tokens(query, passage.query), _tokens(source, passage.source)
    most = max(len(ours), len(theirs))
    if most > MAX_TOKENS:
        raise ParameterError(f"a passage of {most} words, expected at most {MAX_TOKENS}; ask for a part of it")
    return [
        Edit(_exact(ours, step.query, passage.query), _exact(theirs, step.source, passage.source))
        for step in _steps(ours.hashes.tolist(), theirs.hashes.tolist())
        if not step.same
    ]


def word_pairs(query: str, source: str, passage: Passage, n_each_end: int = MAX_TOKENS // 2) -> list[WordPair]:
    """Return a passage word by word, both sides in order, with as few differing pairs as possible.

    The words of each side, put together, are that side. The middle of a long passage is one pair that is not `same`.

    Args:
        query: The whole text that was screened.
        source: The whole text of the document.
        passage: One of the passages found in both.
        n_each_end: Tokens compared at either end of a passage with more than twice as many, at least 1.

    >>> both = "The sea was calm.", "the sea is calm."
    >>> found = word_pairs(*both, Passage(Span(0, 17), Span(0, 16), 0.8, "edited"))
    >>> [both[0][pair.query.start : pair.query.stop] for pair in found], [pair.same for pair in found]
    (['The ', 'sea ', 'was ', 'calm.'], [True, True, False, True])
    """
    ours, theirs = _words(query, passage.query), _words(source, passage.source)
    if max(len(ours), len(theirs)) <= 2 * n_each_end:
        return list(_paired(ours, theirs))
    n = min(n_each_end, len(ours) // 2, len(theirs) // 2)
    our_stop, their_stop = len(ours) - n, len(theirs) - n
    middle = WordPair(_hull(ours[n:our_stop]), _hull(theirs[n:their_stop]), False)
    return [*_paired(ours[:n], theirs[:n]), middle, *_paired(ours[our_stop:], theirs[their_stop:])]


# ---------------------------------------------------------------------- the one comparison


class _Step(NamedTuple):
    """Consecutive tokens of both sides that are the same, or that differ."""

    query: Span
    source: Span
    same: bool


def _steps(ours: Sequence[int], theirs: Sequence[int]) -> Iterator[_Step]:
    """Yield the steps of an alignment with the fewest differences; together they are both sides."""
    from rapidfuzz.distance import Levenshtein  # few commands show edits, and all would load it

    for step in Levenshtein.opcodes(ours, theirs):
        yield _Step(Span(step.src_start, step.src_end), Span(step.dest_start, step.dest_end), step.tag == "equal")


def _tokens(text: str, span: Span) -> Tokens:
    return tokenise(text[span.start : span.stop].encode("utf-8", errors="replace"))


def _exact(tokens: Tokens, span: Span, within: Span) -> Span:
    """Return the characters of some tokens; of none, the place where the next one begins or the last one ends."""
    if span:
        return Span(within.start + int(tokens.starts[span.start]), within.start + int(tokens.stops[span.stop - 1]))
    at = span.start
    place = int(tokens.starts[at]) if at < len(tokens) else int(tokens.stops[-1]) if len(tokens) else 0
    return Span(within.start + place, within.start + place)


_Words = list[tuple[int, Span]]


def _words(text: str, span: Span) -> _Words:
    """Return the hash of each token inside a span, and its characters up to the next token; at least one entry."""
    tokens = _tokens(text, span)
    cuts = [span.start, *(tokens.starts[1:].astype(int) + span.start).tolist(), span.stop]
    return list(zip(tokens.hashes.tolist() or [0], itertools.starmap(Span, itertools.pairwise(cuts)), strict=True))


def _paired(ours: _Words, theirs: _Words) -> Iterator[WordPair]:
    for step in _steps([token for token, _ in ours], [token for token, _ in theirs]):
        here = [span for _, span in ours[step.query.start : step.query.stop]]
        there = [span for _, span in theirs[step.source.start : step.source.stop]]
        for query, source in itertools.zip_longest(here, there, fillvalue=Span(0, 0)):
            yield WordPair(query, source, step.same)


def _hull(words: _Words) -> Span:
    return Span(words[0][1].start, words[-1][1].stop) if words else Span(0, 0)
