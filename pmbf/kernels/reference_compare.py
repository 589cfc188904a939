"""Texts made ready, and queries compared with their sources. The reference of `native/align/sources.c`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pmbf.kernels.asked import (
    GUESS_PAGE_WORDS,
    PAGE_WORDS,
    Counts,
    Made,
    Question,
    Terms,
    WordTypes,
    gram_stops,
    on_pages,
)
from pmbf.kernels.judged import Judged
from pmbf.kernels.reference_judge import compare_pair
from pmbf.kernels.reference_ready import Asked, Ready, ready_text
from pmbf.kernels.reference_runs import grams, runs_of
from pmbf.kernels.reference_weigh import weigh
from pmbf.kernels.reference_words import Words
from pmbf.kernels.types import Tokens

__all__ = ["compare", "ready", "tokens_of", "words_of"]


def ready(texts: Sequence[bytes], counts: Counts, commonest: tuple[int, int]) -> list[Made]:
    """Return some texts made ready to be compared with each other.

    Args:
        texts: The texts, in UTF-8.
        counts: Counts of other texts. Those of a query among them do not matter.
        commonest: As for `weigh`: the number for a text of words, and that for a text of single letters.

    Raises:
        ParameterError: A text is not UTF-8.
    """
    return [ready_text(text, counts, commonest) for text in texts]


def tokens_of(made: Made) -> Tokens:
    """Return the tokens of a text that was made ready, as `tokenise` does."""
    found: Ready = made
    return found.tokens


def words_of(made: Made) -> WordTypes:
    """Return the words of a text that was made ready."""
    found: Ready = made
    return WordTypes(found.words.keys, found.words.types)


def compare(
    questions: Sequence[Question],
    texts: Sequence[bytes | None],
    made: Sequence[Made | None],
    commonest: tuple[int, int],
) -> tuple[list[list[Judged]], list[Made]]:
    """Return the passages that each query of a batch shares with each of its texts.

    The second list has the texts made ready: that saves making them ready once more.

    Args:
        questions: The queries, made ready by `ready` under the same counts, with the numbers of their texts.
        texts: The texts of all queries, in UTF-8; None for a text that was made ready.
        made: Each text made ready under the same counts of others, or None.
        commonest: As for `ready`.

    Raises:
        ParameterError: A text that was not made ready is not UTF-8.
    """
    every = [
        ready_text(text or b"", questions[0].terms.counts, commonest) if one is None else one
        for text, one in zip(texts, made, strict=True)
    ]
    asked = [(asked_of(one.query, one.terms), one.sources) for one in questions]
    return [[compare_pair(query, every[source]) for source in some] for query, some in asked], every


def asked_of(query: Ready, terms: Terms) -> Asked:
    """Return a query made ready as one that is compared. How rare its words are, its own words may tell, too."""
    words, spelled = query.words, query.as_judged
    found = grams(runs_of(query.tokens.hashes), gram_stops(query.tokens.singles, terms.bars.seed_tokens))
    counts, weighed = terms.counts, weigh(terms.counts, words, query.commonest)
    if terms.beside and weighed.n_like >= terms.least_pages:
        own = _counted(words, PAGE_WORDS)
        counts = counts.with_own(replace(own, n_times=own.n_times - 1))
        weighed = weigh(counts, words, query.commonest)
    if weighed.n_like >= terms.least_pages:
        return Asked(spelled, words, found, counts, weighed, terms.bars, terms.rules)
    return Asked(spelled, words, found, counts, None, terms.bars, terms.rules, _counted(words, GUESS_PAGE_WORDS))


def _counted(words: Words, page_words: int) -> Counts:
    n_holding, n_times, n_pages = on_pages(words.types, len(words.keys), page_words)
    return Counts(words.keys, n_holding, n_times, n_pages, len(words.types))
