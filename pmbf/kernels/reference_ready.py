"""Texts made ready to be compared, and a query: the reference of `native/align/{ready,query}.c`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf.base.span import Span
from pmbf.kernels.asked import PAGE_WORDS, Counts, Terms
from pmbf.kernels.reference_runs import Grams, grams
from pmbf.kernels.reference_text import fold, tokenise
from pmbf.kernels.reference_words import KeyedWords, Weighed, counted, spell, weigh, words
from pmbf.kernels.types import Tokens


@dataclass(frozen=True, eq=False)
class Ready:
    """A text made ready to be compared.

    Args:
        tokens: Its tokens.
        words: Its words.
        commonest: One word in this number is among the commonest of its language, as for `weigh`.
        spelling: The folded text with one space between two words and no other separator.
        offsets: `(n + 1,) int64`, where each token begins in the spelling, in code points, and its end.
    """

    tokens: Tokens
    words: KeyedWords
    commonest: int
    spelling: str
    offsets: NDArray[np.int64]
    _grams: dict[int, Grams] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """Memory that all this takes."""
        arrays = self.tokens.hashes, self.words.slips, self.words.keys, self.words.types, self.offsets
        return len(self.spelling) + sum(array.nbytes for array in arrays)

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return len(self.tokens)

    @cached_property
    def keys(self) -> list[int]:
        """The key of the word that each token is. All forms of one word have the same key."""
        keys: list[int] = self.words.keys[self.words.types].tolist()
        return keys

    def grams(self, n_words: int) -> Grams:
        """Return the runs of `n_words` words."""
        if n_words not in self._grams:
            self._grams[n_words] = grams(self.tokens, n_words)
        return self._grams[n_words]

    def spelled(self, start: int, stop: int) -> str:
        """Return the spelling of the tokens `[start, stop)`, with the space behind the last one if there is one."""
        return self.spelling[self.offsets[start] : self.offsets[stop]]

    def keys_in(self, span: Span) -> list[int]:
        """Return the keys of a token range."""
        return self.keys[span.start : span.stop]


@dataclass(frozen=True, eq=False)
class AskedText:
    """A query as it is compared with many texts.

    `weighed` has the weights of its words under `counts`; None: rarity is guessed from the query and each text alone.
    """

    text: Ready
    terms: Terms
    counts: Counts
    weighed: Weighed | None


def ready_text(utf8: bytes, commonest: tuple[int, int]) -> Ready:
    """Return a text made ready; `commonest` is as for `reference_compare.ready`."""
    tokens, folded = tokenise(utf8), fold(utf8)
    in_pairs = 2 * int(np.count_nonzero(tokens.singles)) > len(tokens)
    return Ready(tokens, words(utf8, folded, tokens), commonest[in_pairs], *spell(folded, tokens))


def asked_of(query: Ready, terms: Terms) -> AskedText:
    """Return a query made ready as one that is compared. How rare its words are, its own words may tell, too."""
    counts, weighed = terms.counts, weigh(terms.counts, query.words, query.commonest)
    if terms.beside and weighed.n_like >= terms.least_pages:
        own = counted(query.words, PAGE_WORDS)
        counts = counts.with_own(replace(own, n_times=own.n_times - 1))
        weighed = weigh(counts, query.words, query.commonest)
    return AskedText(query, terms, counts, weighed if weighed.n_like >= terms.least_pages else None)
