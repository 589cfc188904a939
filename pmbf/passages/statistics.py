"""How rare words are, learnt from texts of one kind: a rare word in common says more for copying.

A word that every text has says nothing; a word that no other text has says most. WordTypes are counted by pages of
`PAGE_WORDS` words, so a few long texts teach as much as many short ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import PAGE_WORDS, Counts, WordTypes, on_pages

COMMONEST = 8
COMMONEST_PAIRS = 64
"""One word in 8 of a text is among the commonest of its language, which most pages in that language have. For scripts
written without spaces it is one in 64: any two letters are a word there, and no word is in every sentence."""

LEAST_PAGES = 8
"""Pages of a language that teach more about it than the two compared texts."""


class Statistics(Counts):
    """Word counts of some texts."""

    @classmethod
    def of(cls, texts: Iterable[WordTypes], page_words: int = PAGE_WORDS) -> Statistics:
        """Return the word counts of some texts. Nothing else of the texts is kept.

        Args:
            texts: Any number of texts.
            page_words: WordTypes of a page, at least 1. A text has at least one page.

        >>> from pmbf.passages.prepared import prepare
        >>> found = Statistics.of(prepare(text).words for text in ("a tide", "a boat"))
        >>> found.n_pages, sorted(found.n_holding.tolist())
        (2, [1, 1, 2])
        """
        counted = [_counted(text, page_words) for text in texts]
        if len(counted) == 1:
            return cls(*counted[0])
        if not counted:
            return cls(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64), 0, 0)
        keys, holding, times, n_pages, n_words = zip(*counted, strict=True)
        every, place = np.unique(np.concatenate(keys), return_inverse=True)
        n_holding, n_times = (
            np.bincount(place, np.concatenate(counts)).astype(np.int64) for counts in (holding, times)
        )
        return cls(every, n_holding, n_times, sum(n_pages), sum(n_words))

    def beside(self, text: WordTypes) -> Statistics:
        """Return these counts with those of one more text: a query tells what is usual in it, too.

        In a collection of other texts the words of a kind of prose seem rare, though the query has them all over. Each
        word of the query counts once less: what it has once does not say how often others have it.

        >>> from pmbf.passages.prepared import prepare
        >>> of_others = Statistics.of([prepare("a tide").words])
        >>> found = of_others.beside(prepare("a tide, a tide, a boat").words)
        >>> found.n_pages, found.n_words, sorted(found.own.n_holding.tolist()), sorted(found.own.n_times.tolist())
        (2, 8, [1, 1, 1], [0, 1, 2])
        """
        own = Statistics.of([text])
        return self.with_own(replace(own, n_times=own.n_times - 1))


UNKNOWN = Statistics.of(())
"""The counts of no text. They know no language."""


def _counted(
    text: WordTypes, page_words: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], int, int]:
    """Return the fields of `Statistics` for one text."""
    return text.keys, *on_pages(text.types, len(text.keys), page_words), len(text.types)
