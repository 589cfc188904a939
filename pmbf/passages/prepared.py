"""A text prepared for comparison, once for all texts it is compared with.

A run of tokens is named by one number, so two runs are compared in O(1), whatever their length. With token hashes h and
an odd base B, all modulo 2^64:

    sums[t]  = h[0]·B^0 + … + h[t-1]·B^(t-1)          back[t] = B^(-t)
    name of the run [start, stop) = (sums[stop] - sums[start]) · back[start]

Source: Karp & Rabin 1987, Efficient randomized pattern-matching algorithms. Prefix sums make the name of any run O(1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import (
    GUESS_PAGE_WORDS,
    Folded,
    Grams,
    Made,
    Runs,
    Spelled,
    Tokens,
    Weighed,
    Words,
    fold,
    gram_stops,
    grams,
    ready_each,
    runs_of,
    spell,
    tokenise,
    tokens_of,
    weigh,
    words,
)
from pmbf.passages.names import Names
from pmbf.passages.source_text import COMMONEST_OF, SourceText, octets
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, LEAST_PAGES, UNKNOWN, Statistics

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A text with its tokens. Everything else that a comparison needs is computed on first use and kept.

    Safe to share between threads: at worst a value is computed twice.

    >>> prepare("Die Straße, naß.").spelled.spelling
    'die strasse nass'
    """

    text: str
    tokens: Tokens
    _grams: dict[int, Grams] = field(default_factory=dict, repr=False)
    _run_stops: dict[int, Positions] = field(default_factory=dict, repr=False)
    _weighed: list[tuple[Statistics, Weighed]] = field(default_factory=list, repr=False)

    asked: list[tuple[Any, ...]] = field(default_factory=list, repr=False)
    made: Made | None = field(default=None, repr=False)

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return len(self.tokens.hashes)

    @cached_property
    def n_singles(self) -> int:
        """Number of tokens that are single letters of scripts written without spaces."""
        return int(np.count_nonzero(self.tokens.singles))

    @property
    def n_words(self) -> int:
        """Number of whole words, at least 1. A token that is a single letter counts as half a word.

        >>> prepare("to be or 老渔夫").n_words
        4
        """
        return max(1, (2 * self.n_tokens - self.n_singles) // 2)

    @cached_property
    def spelled(self) -> Spelled:
        """The text as it is judged, with its spelling."""
        return Spelled(self.tokens, self.words.keys[self.words.types], *spell(self._folded, self.tokens))

    def weighed(self, statistics: Statistics) -> Weighed:
        """Return the weights of the text's words. They are kept for the statistics asked for last."""
        kept = self._weighed[:1]
        if not kept or kept[0][0] is not statistics:
            commonest = COMMONEST_PAIRS if 2 * self.n_singles > self.n_tokens else COMMONEST
            kept = self._weighed[:] = [(statistics, weigh(statistics, self.words, commonest))]
        return kept[0][1]

    def is_known(self, statistics: Statistics) -> bool:
        """Return whether statistics have enough pages in the text's language to say how rare its words are."""
        return self.weighed(statistics).n_like >= LEAST_PAGES

    def grams(self, seed_tokens: int) -> Grams:
        """Return every run of `seed_tokens` words. A token that is a single letter counts as half a word."""
        if seed_tokens not in self._grams:
            self._grams[seed_tokens] = grams(self.runs, self.run_stops(seed_tokens))
        return self._grams[seed_tokens]

    def run_stops(self, n_words: int) -> Positions:
        """Return where the run of `n_words` words that begins with each token ends, for each token that begins one.

        A letter that is the whole text is a word.

        >>> prepare("to be or 老渔夫").run_stops(2).tolist()
        [2, 3, 5]
        """
        if n_words not in self._run_stops:
            self._run_stops[n_words] = gram_stops(self.tokens.singles, n_words)
        return self._run_stops[n_words]

    @cached_property
    def as_source(self) -> SourceText:
        """The text as one that queries are compared with."""
        return SourceText(self.text)

    @cached_property
    def runs(self) -> Runs:
        """The names of the runs of tokens."""
        return runs_of(self.tokens.hashes)

    @cached_property
    def names(self) -> Names:
        """The runs of names."""
        return Names(self.text, self.tokens)

    @cached_property
    def words(self) -> Words:
        """The tokens as alignment sees them: all forms of one word are equal."""
        return words(octets(self.text), self._folded, self.tokens)

    @cached_property
    def counted(self) -> Statistics:
        """The counts of the words, by short pages: a part of a guess how rare words are."""
        return Statistics.of([self.words], GUESS_PAGE_WORDS)

    @cached_property
    def _folded(self) -> Folded:
        return fold(octets(self.text))


def prepare(text: str) -> Prepared:
    """Return a text prepared to be compared with others. Costs O(length), once.

    Args:
        text: Any text, also an empty one. A lone surrogate counts as punctuation.

    >>> prepare("One fine day").n_tokens
    3
    """
    return Prepared(text, tokenise(octets(text)))


def prepare_each(texts: Sequence[str], statistics: Statistics | None) -> list[Prepared]:
    """Return some texts prepared as queries of one batch, which are made ready in one native call.

    Args:
        texts: The texts.
        statistics: How rare words are in other texts; None if unknown.

    >>> [one.n_tokens for one in prepare_each(["One fine day", "a tide"], None)]
    [3, 2]
    """
    made = ready_each([octets(text) for text in texts], statistics or UNKNOWN, COMMONEST_OF)
    return [Prepared(text, _wide(tokens_of(one)), made=one) for text, one in zip(texts, made, strict=True)]


def _wide(tokens: Tokens) -> Tokens:
    """Return the tokens of a text made ready, with places as `tokenise` has them."""
    if tokens.starts.dtype == np.uint32:
        return tokens
    places = tokens.starts.astype(np.uint32), tokens.stops.astype(np.uint32)
    return Tokens(tokens.hashes, *places, tokens.singles, tokens.n_chars, tokens.n_mixed, tokens.n_invisible)
