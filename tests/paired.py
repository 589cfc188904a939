"""Two texts in the form that the steps of a comparison take: `align` and `judge` can be asked about them alone."""

from __future__ import annotations

import numpy as np

from pmbf.kernels import (
    ONE_LANGUAGE,
    Asked,
    Judged,
    Pair,
    Rules,
    reference_judge,
    reference_ready,
    weigh,
)
from pmbf.kernels.reference_words import classes
from pmbf.passages.exploring import compared
from pmbf.passages.prepared import Prepared
from pmbf.passages.settings import Settings
from pmbf.passages.source_text import COMMONEST_OF, SourceText
from pmbf.passages.statistics import UNKNOWN, Statistics


def pair_of(query: Prepared, source: Prepared, statistics: Statistics | None, rules: Rules) -> Pair:
    """Return two texts in the form that the alignment kernels take.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        statistics: How rare words are. Statistics with fewer than `LEAST_PAGES` pages in the query's language are not
            used, nor is None; rarity is then guessed from the two texts.
        rules: The numbers of an alignment.
    """
    ours, theirs = query.words, source.words
    if statistics is None or not query.is_known(statistics):
        guess = query.counted.guess(source.counted)
        weighed = [weigh(guess, words, ONE_LANGUAGE) for words in (ours, theirs)]
    else:
        weighed = [text.weighed(statistics) for text in (query, source)]
    our_classes, their_classes, n_classes = classes(ours, theirs)
    weights = np.zeros((2, n_classes), np.int32)
    weights[:, their_classes] = weighed[1][1:]
    weights[:, : len(our_classes)] = weighed[0][1:]
    numbers = our_classes[ours.types], their_classes[theirs.types]
    return Pair(numbers, (ours.borders, theirs.borders), weights[0], weights[1], rules)


def step_by_step(query: Prepared, source: str, settings: Settings, statistics: Statistics | None) -> Judged:
    """Return the passages of two texts in tokens, found by the NumPy twin with a kernel for each step."""
    known = statistics or UNKNOWN
    compared(query, SourceText(source), settings, known)
    asked: Asked = query.asked[0][2]
    return reference_judge.compare(asked, reference_ready.ready(source.encode(), known, COMMONEST_OF))
