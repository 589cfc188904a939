"""How rare the words of a text are: the reference of `native/align/weigh.c`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import NAT, PRIOR_UNIT, PRIOR_WORDS
from pmbf.kernels.asked import GUESS_PAGE_WORDS, PAGE_WORDS, Counts, WordTypes, n_like, on_pages
from pmbf.kernels.reference_words import KeyedWords

ONE_LANGUAGE = 0
"""In place of the number of words of which one counts as common: all pages are in the language of the text."""


class Weighed(NamedTuple):
    """The weights of a text's words, relative to the pages in its language.

    Args:
        n_like: Pages in the language of the text: those that hold the commonest of its words.
        rarities: `(n_types,) int32`, the rarity of each word, in 1/1024 nat, at least 0.
        priors: `(n_types,) int32`, how often each is expected in 500 words, in 1/65536.
    """

    n_like: int
    rarities: NDArray[np.int32]
    priors: NDArray[np.int32]


def weigh(counts: Counts, text: KeyedWords | WordTypes, commonest: int) -> Weighed:
    """Return the weights of a text's words, relative to the pages in its language.

    So Dutch words are not rare because few texts are Dutch. One word of the text in `commonest`, at least 2, is among
    the commonest of its language, which most pages in that language hold.
    """
    of_others, of_own = counts.of_others(text.keys), counts.of_own(text.keys)
    n_holding, n_times = (one + more for one, more in zip(of_others, of_own, strict=True))
    n_pages = counts.n_pages if commonest == ONE_LANGUAGE else n_like(n_holding[text.types], commonest)
    n_words = max(PAGE_WORDS, counts.n_words * n_pages / max(1, counts.n_pages))
    rarities = np.round(NAT * (math.log(n_pages + 0.5) - np.log(n_holding + 0.5)))
    priors = np.round(PRIOR_UNIT * PRIOR_WORDS * (n_times + 0.5) / (n_words + 1))
    return Weighed(n_pages, np.maximum(rarities, 0).astype(np.int32), priors.astype(np.int32))


def counted(words: KeyedWords, page_words: int) -> Counts:
    """Return the counts of a text alone, by pages of so many words."""
    n_holding, n_times, n_pages = on_pages(words.types, len(words.keys), page_words)
    return Counts(words.keys, n_holding, n_times, n_pages, len(words.types))


def guessed(query: KeyedWords, text: KeyedWords) -> list[Weighed]:
    """Return the weights of a query's words, and of a text's, guessed from the two alone, for want of other texts.

    All pages are in one language. A word that both have counts as on one page less: where one text is a copy of the
    other, one of them says nothing about how rare the word is.
    """
    own, alone = (counted(words, GUESS_PAGE_WORDS) for words in (query, text))
    shared = own.of_others(text.keys)[0] > 0
    both = Counts(text.keys, alone.n_holding - shared, alone.n_times, alone.n_pages, alone.n_words).with_own(own)
    return [weigh(both, words, ONE_LANGUAGE) for words in (query, text)]
