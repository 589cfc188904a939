"""Two texts in the form that the steps of a comparison take: `align` and `judge` can be asked about them alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmbf.kernels import GUESS_PAGE_WORDS, Judged, Rules, WordTypes, fold, gram_stops
from pmbf.kernels.judged import Spelled
from pmbf.kernels.reference_clusters import Pair
from pmbf.kernels.reference_judge import compare_pair
from pmbf.kernels.reference_ready import Asked, ready_text
from pmbf.kernels.reference_runs import grams, runs_of
from pmbf.kernels.reference_weigh import ONE_LANGUAGE, Weighed, weigh
from pmbf.kernels.reference_words import Words, classes, spell, words
from pmbf.passages.compare import bars_of, compared
from pmbf.passages.prepared import COMMONEST_OF, octets
from pmbf.passages.statistics import COMMONEST, COMMONEST_PAIRS, UNKNOWN
from pmbf.verify import Prepared, Settings, Statistics


def compare_two(query: Prepared, source: Prepared, settings: Settings, statistics: Statistics | None) -> Judged:
    """Return the passages of two texts in tokens, found by the kernels that answer."""
    [found] = compared([(query, source, settings)], statistics or UNKNOWN, beside=False)
    return found


def words_of(text: Prepared) -> Words:
    """Return the words of a text, with their slips and borders."""
    utf8 = octets(text.text)
    return words(utf8, fold(utf8), text.tokens)


def spelled(text: Prepared) -> Spelled:
    """Return a text as it is judged."""
    return Spelled(text.tokens, text.words.keys[text.words.types], *spell(fold(octets(text.text)), text.tokens))


def weighed(text: Prepared, statistics: Statistics) -> Weighed:
    """Return the weights of a text's words."""
    return weigh(statistics, text.words, COMMONEST_PAIRS if 2 * text.n_singles > text.n_tokens else COMMONEST)


def guess(query: WordTypes, source: WordTypes) -> Statistics:
    """Return the word counts of two texts alone: a word that both have counts as on one page less."""
    ours, theirs = (Statistics.of([one], GUESS_PAGE_WORDS) for one in (query, source))
    shared = ours.of_others(theirs.keys)[0] > 0
    return replace(theirs, n_holding=theirs.n_holding - shared).with_own(ours)


def pair_of(query: Prepared, source: Prepared, statistics: Statistics | None, rules: Rules) -> Pair:
    """Return two texts in the form that the alignment kernels take.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        statistics: How rare words are. Statistics with fewer than `LEAST_PAGES` pages in the query's language are not
            used, nor is None; rarity is then guessed from the two texts.
        rules: The numbers of an alignment.
    """
    ours, theirs = words_of(query), words_of(source)
    if statistics is None or not query.is_known(statistics):
        guessed = guess(query.words, source.words)
        both = [weigh(guessed, some, ONE_LANGUAGE) for some in (ours, theirs)]
    else:
        both = [weighed(text, statistics) for text in (query, source)]
    our_classes, their_classes, n_classes = classes(ours, theirs)
    weights = np.zeros((2, n_classes), np.int32)
    weights[:, their_classes] = both[1][1:]
    weights[:, : len(our_classes)] = both[0][1:]
    numbers = our_classes[ours.types], their_classes[theirs.types]
    return Pair(numbers, (ours.borders, theirs.borders), weights[0], weights[1], rules)


def step_by_step(query: Prepared, source: str, settings: Settings, statistics: Statistics | None) -> Judged:
    """Return the passages of two texts in tokens, found by the NumPy twin with a kernel for each step."""
    known, bars, tokens = statistics or UNKNOWN, bars_of(settings), query.tokens
    seeds = grams(runs_of(tokens.hashes), gram_stops(tokens.singles, settings.seed_tokens))
    weights = weighed(query, known) if query.is_known(known) else None
    counted = None if weights else Statistics.of([query.words], GUESS_PAGE_WORDS)
    asked = Asked(spelled(query), words_of(query), seeds, known, weights, bars, settings.rules, counted)
    return compare_pair(asked, ready_text(source.encode(), known, COMMONEST_OF))
