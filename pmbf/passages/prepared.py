"""A text prepared for comparison, once for all texts it is compared with.

A run of tokens is named by one number, so two runs are compared in O(1), whatever their length. With token hashes h and
an odd base B, all modulo 2^64:

    sums[t]  = h[0]·B^0 + … + h[t-1]·B^(t-1)          back[t] = B^(-t)
    name of the run [start, stop) = (sums[stop] - sums[start]) · back[start]

Source: Karp & Rabin 1987, Efficient randomized pattern-matching algorithms. Prefix sums make the name of any run O(1).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import (
    Folded,
    Grams,
    Ready,
    Runs,
    Tokens,
    Weighed,
    Words,
    fold,
    gram_stops,
    grams,
    runs_of,
    spell,
    tokenise,
    weigh,
    words,
)
from pmbf.passages.names import Names
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, GUESS_PAGE_WORDS, LEAST_PAGES, Statistics
from pmbf.span import Span

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A text with its tokens. Everything else that a comparison needs is computed on first use and kept.

    Safe to share between threads: at worst a value is computed twice.

    >>> prepare("Die Straße, naß.").spelling
    'die strasse nass'
    """

    text: str
    tokens: Tokens
    _grams: dict[int, Grams] = field(default_factory=dict, repr=False)
    _run_stops: dict[int, Positions] = field(default_factory=dict, repr=False)
    _run_names: dict[int, NDArray[np.uint64]] = field(default_factory=dict, repr=False)
    _weighed: list[tuple[Statistics, Weighed]] = field(default_factory=list, repr=False)

    asked: list[tuple[Any, ...]] = field(default_factory=list, repr=False)

    @classmethod
    def of_ready(cls, text: str, ready: Ready) -> Prepared:
        """Return a text of which a kernel has made a part of what a comparison needs."""
        places = {name: getattr(ready.tokens, name).astype(np.uint32) for name in ("starts", "stops")}
        made = cls(text, replace(ready.tokens, **places))
        spelling = ready.spelled.tobytes().decode(), ready.offsets.astype(np.intp)
        vars(made).update(keys=ready.keys[ready.types], _spelling=spelling)
        return made

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return len(self.tokens.hashes)

    @cached_property
    def n_singles(self) -> int:
        """Number of tokens that are single letters of scripts written without spaces."""
        return int(np.count_nonzero(self.tokens.singles))

    @cached_property
    def shares_of_words(self) -> NDArray[np.float64]:
        """How much of a word each token is, `(n_tokens,) float64`: a half if it is a single letter, else 1."""
        return np.where(self.tokens.singles, 0.5, 1.0)

    @property
    def n_words(self) -> int:
        """Number of whole words, at least 1. A token that is a single letter counts as half a word.

        >>> prepare("to be or 老渔夫").n_words
        4
        """
        return max(1, (2 * self.n_tokens - self.n_singles) // 2)

    @property
    def spelling(self) -> str:
        """The folded text with one space between two words and no other separator. Equal tokens have equal spelling."""
        return self._spelling[0]

    @property
    def offsets(self) -> Positions:
        """Where each token begins in `spelling`, and last the end of `spelling`, `(n_tokens + 1,) intp`."""
        return self._spelling[1]

    def spelled(self, start: int, stop: int) -> str:
        """Return the spelling of the tokens `[start, stop)`, with the space behind the last one if there is one."""
        return self.spelling[self.offsets[start] : self.offsets[stop]]

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

    def word_keys(self, span: Span) -> NDArray[np.uint64]:
        """Return the words of a token range as numbers. All forms of one word have the same number."""
        return self.keys[span.start : span.stop]

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

    def run_names(self, n_words: int) -> NDArray[np.uint64]:
        """Return the name of each of the runs that `run_stops` returns."""
        if n_words not in self._run_names:
            stops = self.run_stops(n_words)
            self._run_names[n_words] = self.runs.names(np.arange(len(stops)), stops)
        return self._run_names[n_words]

    @cached_property
    def runs(self) -> Runs:
        """The names of the runs of tokens."""
        return runs_of(self.tokens.hashes)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """The key of each word, `(n_tokens,) uint64`, as in `Words`."""
        return self.words.keys[self.words.types]

    @cached_property
    def names(self) -> Names:
        """The runs of names."""
        return Names.of(self.text, self.tokens)

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

    @cached_property
    def _spelling(self) -> tuple[str, Positions]:
        return spell(self._folded, self.tokens)


def prepare(text: str) -> Prepared:
    """Return a text prepared to be compared with others. Costs O(length), once.

    Args:
        text: Any text, also an empty one. A lone surrogate counts as punctuation.

    >>> prepare("One fine day").n_tokens
    3
    """
    return Prepared(text, tokenise(octets(text)))


def octets(text: str) -> bytes:
    """Return a text in UTF-8. A lone surrogate becomes "?": one code point for one."""
    return text.encode("utf-8", errors="replace")
