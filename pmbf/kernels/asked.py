"""What the kernels take that compare one query with many texts: counts of other texts, bars, and the query itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import distinct
from pmbf.base.span import Span
from pmbf.kernels.align_rules import Rules
from pmbf.kernels.types import Tokens

__all__ = [
    "GUESS_PAGE_WORDS",
    "PAGE_WORDS",
    "Bars",
    "Counts",
    "Made",
    "Question",
    "Terms",
    "WordTypes",
    "gram_stops",
    "n_like",
    "on_pages",
]

Made = Any
"""A text made ready, in the form of the twin that made it; `nbytes` is its memory."""

PAGE_WORDS = 1000
"""Words of a page, by which words are counted."""

GUESS_PAGE_WORDS = 60
"""Words of a page if only the two compared texts are there to learn from. Measured on PAN13's training corpus: plagdet
.907, .910, .909 at 30, 60, 120 words; .945 with 64 texts of the collection."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Word counts of some texts.

    Args:
        keys: `(n_types,) uint64`, as in `WordTypes`.
        n_holding: `(n_types,) int64`, pages that have the word, at most `n_pages`.
        n_times: `(n_types,) int64`, occurrences in all pages.
        n_pages: Pages of the texts, with those of `own`.
        n_words: Words of the texts, with those of `own`.
        own: Counts of a query, which are to be added to those of the other texts; None for none.
    """

    keys: NDArray[np.uint64]
    n_holding: NDArray[np.int64]
    n_times: NDArray[np.int64]
    n_pages: int
    n_words: int
    own: Counts | None = None

    @cached_property
    def tables(self) -> dict[str, Any]:
        """What a twin of the kernels keeps with the counts of the other texts, for all queries; never pickled."""
        return {}

    def with_own(self, own: Counts) -> Self:
        """Return these counts with those of a query. What is kept with the counts is shared."""
        made = replace(self, n_pages=self.n_pages + own.n_pages, n_words=self.n_words + own.n_words, own=own)
        vars(made)["tables"] = self.tables
        return made

    def of_others(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many pages of the other texts hold each key, and its occurrences there; 0 for unknown keys."""
        if keys is self.keys:
            return self.n_holding, self.n_times
        if not len(self.keys):
            return (np.zeros(len(keys), np.int64),) * 2
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[place] == keys
        return self.n_holding[place] * known, self.n_times[place] * known

    def of_own(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the same for the query."""
        return self.own.of_others(keys) if self.own else (np.zeros(len(keys), np.int64),) * 2

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "tables"}


class WordTypes(NamedTuple):
    """The words of a text as alignment sees them: all forms of a word have the same key; a key is a type.

    Args:
        keys: `(n_types,) uint64`, distinct, ascending.
        types: `(n,)`, the place of each word's key among the keys.
    """

    keys: NDArray[np.uint64]
    types: NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Bars:
    """What a passage must have at least, as in `passages.settings`. Lengths are in letters of an alphabet.

    Args:
        edited: Least similarity of a chain with gaps.
        threshold: Least similarity of an alignment.
        short_doubt: Similarity above the threshold that a range without letters should have; 0 for `sure_letters`.
        sure_letters: Letters from which a range needs no more than the threshold.
        topical: Least evidence of an alignment in texts with a topic, in nats; 0 for none.
        lacking_times: How much more of that evidence, in parts of itself, is needed for each 1 of similarity lacking.
        evidence: Least evidence of a chain without a run of `sure_words` words, in nats.
        seed_tokens: Words in the shortest equal run.
        max_gap: Most tokens between two runs of a chain.
        letters: Letters of a chain in the query.
        reworded_letters: Letters of an alignment in the query.
        reworded_source_letters: The same in the source.
        summary_letters: Letters of a summary.
        summed_letters: Most letters of a source that has a summary.
        single_letters: Letters that a token counts for which is a single letter.
        sure_words: Words in an equal run that is beyond doubt.
    """

    edited: float
    threshold: float
    short_doubt: float
    sure_letters: float
    topical: float
    lacking_times: float
    evidence: float
    seed_tokens: int
    max_gap: int
    letters: int
    reworded_letters: int
    reworded_source_letters: int
    summary_letters: int
    summed_letters: int
    single_letters: int
    sure_words: int


@dataclass(frozen=True, eq=False)
class Terms:
    """How queries are compared that were made ready.

    Args:
        counts: Counts of other texts, under which the queries and the texts are made ready.
        bars: What a passage must have.
        rules: The numbers of an alignment.
        least_pages: Pages of a language that tell how rare its words are. If `counts` have fewer, then rarity is
            guessed from the query and each text.
        beside: Whether the words of each query count besides, if `counts` know its language: each once less. Else the
            words of a query are those of `counts.own`.
    """

    counts: Counts
    bars: Bars
    rules: Rules
    least_pages: int
    beside: bool


class Question(NamedTuple):
    """A query of a batch: what was made of it, its terms, and the numbers of the texts that it is compared with."""

    query: Made
    terms: Terms
    sources: Sequence[int]


def gram_stops(singles: NDArray[np.bool_], n_words: int) -> NDArray[np.int64]:
    """Return where the run of `n_words` words that begins with each token ends, for each token that begins one.

    A single letter (`singles`) counts as half a word. A letter that is the whole text is a word.

    >>> gram_stops(np.array([False, False, False, True, True]), 2).tolist()
    [2, 3, 5]
    """
    if len(singles) == 1 or not singles.any():
        return np.arange(n_words, len(singles) + 1)
    half_words = np.zeros(len(singles) + 1, np.int64)
    np.cumsum(2 - singles.astype(np.int64), out=half_words[1:])
    n_runs = np.searchsorted(half_words, half_words[-1] - 2 * n_words, side="right")
    return np.searchsorted(half_words, half_words[:n_runs] + 2 * n_words)


def n_letters(tokens: Tokens, span: Span, single_letters: int) -> int:
    """Return the characters of a token range, counted in letters of an alphabet: a single letter is several of them."""
    singles = int(np.count_nonzero(tokens.singles[span.start : span.stop]))
    return int(tokens.stops[span.stop - 1]) - int(tokens.starts[span.start]) + (single_letters - 1) * singles


def on_pages(types: NDArray[Any], n_types: int, page_words: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return how many pages of a text hold each type, how often it stands in the text, and the number of pages.

    A page has about `page_words` words, and a text at least one page. `types` has the type of each word.
    """
    n_pages = max(1, round(len(types) / page_words))
    on_page = np.arange(len(types)) * n_pages // max(1, len(types))
    # Numbers of 32 bits are sorted in a fourth of the time.
    number = np.uint32 if n_types * n_pages < 1 << 32 else np.int64
    held = distinct((types.astype(np.int64) * n_pages + on_page).astype(number)) // n_pages
    n_holding, n_times = (np.bincount(some, minlength=n_types) for some in (held, types.astype(np.int64)))
    return n_holding, n_times, n_pages


def n_like(held: NDArray[np.int64], commonest: int) -> int:
    """Return the pages in the language of a text: those that hold the commonest of its words, one in `commonest`.

    >>> n_like(np.array([1, 7, 9, 1]), 4)
    7
    """
    place = len(held) - 1 - len(held) // commonest
    return int(np.partition(held, place)[place]) if len(held) else 0
