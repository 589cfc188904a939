"""How rare words are: what a word that two texts share says about copying, learnt from texts of the same kind.

A word in every text says nothing, one that no other text has says most. Of each text, pages of `PAGE_WORDS` words are
looked at, so that a few long texts teach as much as many short ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.arrays import distinct
from pmbf.kernels import NAT, PRIOR_UNIT, PRIOR_WORDS, Words

PAGE_WORDS = 1000
GUESS_PAGE_WORDS = 60
"""Words of a page where the two texts compared are all there is to learn from. Measured on PAN13's training corpus:
plagdet .907, .910, .909 at 30, 60, 120; .945 with 64 texts of the collection."""

COMMONEST = 8
COMMONEST_PAIRS = 64
"""One word in so many of a text is as common as any in its language: most pages of that language have it. The second is
for scripts written without spaces, where any two letters are a word, and none is in every sentence."""

LEAST_PAGES = 8
"""Pages of a language that teach more about it than the two texts compared."""

Weights = tuple[NDArray[np.int32], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class Statistics:
    """Words of some texts with how often they stand there.

    Args:
        keys: `(n_types,) uint64`, as in `Words`, distinct, ascending.
        n_holding: `(n_types,) int64`, pages that have the word.
        n_times: `(n_types,) int64`, how often it stands in all of them.
        n_pages: Pages of the texts.
        n_words: Words of the texts.
    """

    keys: NDArray[np.uint64]
    n_holding: NDArray[np.int64]
    n_times: NDArray[np.int64]
    n_pages: int
    n_words: int

    @classmethod
    def of(cls, texts: Iterable[Words], page_words: int = PAGE_WORDS) -> Statistics:
        """Return what some texts teach; nothing is kept of them but how often each word stands there.

        Args:
            texts: Any number of them.
            page_words: Words of a page, at least 1; a text has one page at least.

        >>> from pmbf.passages.prepared import prepare
        >>> found = Statistics.of(prepare(text).words for text in ("a tide", "a boat"))
        >>> found.n_pages, sorted(found.n_holding.tolist())
        (2, [1, 1, 2])
        """
        keys, holding, times, n_pages, n_words = [], [], [], 0, 0
        for text in texts:
            n_text_pages = max(1, round(len(text.types) / page_words))
            on_page = np.arange(len(text.types)) * n_text_pages // max(1, len(text.types))
            held = distinct(text.types.astype(np.int64) * n_text_pages + on_page) // n_text_pages
            keys.append(text.keys)
            holding.append(np.bincount(held, minlength=len(text.keys)))
            times.append(np.bincount(text.types, minlength=len(text.keys)))
            n_pages += n_text_pages
            n_words += len(text.types)
        if not keys:
            return cls(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64), 0, 0)
        every, place = np.unique(np.concatenate(keys), return_inverse=True)
        n_holding, n_times = (
            np.bincount(place, np.concatenate(counts)).astype(np.int64) for counts in (holding, times)
        )
        return cls(every, n_holding, n_times, n_pages, n_words)

    @classmethod
    def guess(cls, query: Words, source: Words) -> Statistics:
        """Return what two texts alone teach: better than nothing, not as good as other texts of their kind."""
        return cls.of([query, source], GUESS_PAGE_WORDS)

    def n_pages_like(self, text: Words, commonest: int = COMMONEST) -> int:
        """Return how many pages are in the language of a text: those that hold the commonest of its words.

        Args:
            text: Any.
            commonest: One word in so many is among them: `COMMONEST` or `COMMONEST_PAIRS`.

        >>> from pmbf.passages.prepared import prepare
        >>> written = ["the sea and the wind and the sun"] * 3 + ["la mer et le vent et le soleil"]
        >>> found = Statistics.of(prepare(one).words for one in written)
        >>> found.n_pages_like(prepare("the hill and the tree").words), found.n_pages_like(prepare("le pont").words)
        (3, 1)
        """
        held = self._counts(text)[0][text.types]
        place = len(held) - 1 - len(held) // commonest
        return int(np.partition(held, place)[place]) if len(held) else 0

    def weights(self, text: Words, n_like: int) -> Weights:
        """Return the rarity of each word of a text, in 1/1024 nat, and how many of 500 words it is, in 1/65536.

        Both are among pages in the text's language: where few texts are Dutch, Dutch words are not rare for that.

        Args:
            text: Any.
            n_like: Pages in its language.
        """
        n_words = max(PAGE_WORDS, self.n_words * n_like / max(1, self.n_pages))
        n_holding, n_times = self._counts(text)
        rarities = np.round(NAT * (math.log(n_like + 0.5) - np.log(n_holding + 0.5)))
        priors = np.round(PRIOR_UNIT * PRIOR_WORDS * (n_times + 0.5) / (n_words + 1))
        return np.maximum(rarities, 0).astype(np.int32), priors.astype(np.int32)

    def _counts(self, text: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many pages hold each type of a text, and how often it stands there; 0 for those unknown."""
        if not len(self.keys):
            return (np.zeros(len(text.keys), np.int64),) * 2
        place = np.minimum(np.searchsorted(self.keys, text.keys), len(self.keys) - 1)
        known = self.keys[place] == text.keys
        return self.n_holding[place] * known, self.n_times[place] * known
