"""How rare the words of a text are: the NumPy reference of `native/align/weigh.c`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import NAT, PRIOR_UNIT, PRIOR_WORDS
from pmbf.kernels.asked import GUESS_PAGE_WORDS, PAGE_WORDS, Counts, WordTypes, on_pages
from pmbf.kernels.asked import n_like as n_like_of
from pmbf.kernels.reference_words import Words

__all__: list[str] = []

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


def weigh(counts: Counts, text: Words | WordTypes, commonest: int) -> Weighed:
    """Return the weights of a text's words, relative to the pages in its language.

    So Dutch words are not rare because few texts are Dutch.

    Args:
        counts: The counts of other texts.
        text: Any text.
        commonest: One word of the text in this number, at least 2, is among the commonest of its language, which most
            pages in that language hold. `ONE_LANGUAGE`: all pages are in its language.
    """
    return weighed(counts, counts.of_others(text.keys), (text.keys, text.types), commonest)


def weighed(
    counts: Counts,
    of_others: tuple[NDArray[Any], NDArray[Any]],
    text: tuple[NDArray[np.uint64], NDArray[Any]],
    commonest: int,
) -> Weighed:
    """Return the weights of a text's words, of which the counts in other texts are known.

    Args:
        counts: Counts of other texts, and perhaps of the query.
        of_others: Pages of the other texts that hold each type of the text, and its occurrences there.
        text: The keys of its types, and the type of each word.
        commonest: As for `weigh`.
    """
    keys, types = text
    n_holding, n_times = (one + more for one, more in zip(of_others, counts.of_own(keys), strict=True))
    n_like = counts.n_pages if commonest == ONE_LANGUAGE else n_like_of(n_holding[types], commonest)
    n_words = max(PAGE_WORDS, counts.n_words * n_like / max(1, counts.n_pages))
    rarities = np.round(NAT * (math.log(n_like + 0.5) - np.log(n_holding + 0.5)))
    priors = np.round(PRIOR_UNIT * PRIOR_WORDS * (n_times + 0.5) / (n_words + 1))
    return Weighed(n_like, np.maximum(rarities, 0).astype(np.int32), priors.astype(np.int32))


def guessed(own: Counts, query: NDArray[np.uint64], text: tuple[NDArray[np.uint64], NDArray[Any]]) -> list[Weighed]:
    """Return the weights of a query's words, and of a text's, guessed from the two alone, for want of other texts.

    All pages are in one language. A word that both have counts as on one page less: where one text is a copy of the
    other, one of them says nothing about how rare the word is.

    Args:
        own: The counts of the query, by pages of `GUESS_PAGE_WORDS`.
        query: The keys of its types.
        text: The keys of the text's types, in any order, and the type of each word.
    """
    keys, types = text
    n_holding, n_times, n_pages = on_pages(types, len(keys), GUESS_PAGE_WORDS)
    order = np.argsort(keys)
    shared = own.of_others(keys)[0] > 0
    alone = Counts(keys[order], (n_holding - shared)[order], n_times[order], n_pages, len(types)).with_own(own)
    return [weighed(alone, alone.of_others(some), (some, types), ONE_LANGUAGE) for some in (query, keys)]
