"""A query compared with many texts. The reference of `native/align/sources.c`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pmbf.kernels.align_rules import Words
from pmbf.kernels.asked import (
    GUESS_PAGE_WORDS,
    PAGE_WORDS,
    Asked,
    Counts,
    Made,
    Question,
    Ready,
    Terms,
    gram_stops,
    on_pages,
)
from pmbf.kernels.judged import Judged, Spelled
from pmbf.kernels.reference_judge import compare
from pmbf.kernels.reference_ready import ready
from pmbf.kernels.reference_runs import grams, runs_of
from pmbf.kernels.reference_weigh import weigh
from pmbf.kernels.types import Tokens

__all__ = ["as_ready", "compare_each", "compare_queries", "ready_each", "tokens_of"]


def compare_each(
    asked: Asked, texts: Sequence[bytes | None], made: Sequence[Made | None], commonest: tuple[int, int]
) -> tuple[list[Judged], list[Made]]:
    """Return the passages that `compare` finds in each of some texts.

    The second list has what was made of the texts: it saves making them ready once more. Only `as_ready` and
    `tokens_of` look into it.

    Args:
        asked: The query.
        texts: The texts, in UTF-8; None for a text of which something was made.
        made: What was made of each text under the same counts of others, or None.
        commonest: As for `ready`.

    Raises:
        ParameterError: A text that nothing was made of is not UTF-8.
    """
    every = [
        ready(text or b"", asked.counts, commonest) if one is None else one
        for text, one in zip(texts, made, strict=True)
    ]
    return [compare(asked, one) for one in every], every


def as_ready(made: Made) -> Ready:
    """Return a text made ready from what `compare_each` made of it."""
    found: Ready = made
    return found


def tokens_of(made: Made) -> Tokens:
    """Return the tokens of a text from what `compare_each` made of it, as `as_ready` does."""
    return as_ready(made).tokens


def ready_each(texts: Sequence[bytes], counts: Counts, commonest: tuple[int, int]) -> list[Made]:
    """Return what `ready` makes of each text, as `compare_queries` takes it."""
    return [ready(text, counts, commonest) for text in texts]


def compare_queries(
    questions: Sequence[Question],
    texts: Sequence[bytes | None],
    made: Sequence[Made | None],
    commonest: tuple[int, int],
) -> tuple[list[list[Judged]], list[Made]]:
    """Return the passages that each query of a batch shares with each of its texts.

    Args:
        questions: The queries, made ready by `ready_each` under the same counts, with the numbers of their texts.
        texts: The texts of all queries, as for `compare_each`.
        made: What was made of each text, as for `compare_each`.
        commonest: As for `ready`.

    Raises:
        ParameterError: A text that nothing was made of is not UTF-8.
    """
    every = [
        ready(text or b"", questions[0].terms.counts, commonest) if one is None else one
        for text, one in zip(texts, made, strict=True)
    ]
    asked = [(_asked(one.query, one.terms), one.sources) for one in questions]
    return [[compare(query, every[source]) for source in some] for query, some in asked], every


def _asked(query: Ready, terms: Terms) -> Asked:
    """Return a query made ready as one that is compared. How rare its words are, its own words tell, too."""
    words: Words = query.tables["reference"]
    places = {name: getattr(query.tokens, name).astype(np.uint32) for name in ("starts", "stops")}
    tokens, spelling = replace(query.tokens, **places), query.spelled.tobytes().decode()
    spelled = Spelled(tokens, words.keys[words.types], spelling, query.offsets.astype(np.int64))
    found = grams(runs_of(tokens.hashes), gram_stops(tokens.singles, terms.bars.seed_tokens))
    counts, weighed = terms.counts, weigh(terms.counts, words, query.commonest)
    if weighed.n_like >= terms.least_pages:
        own = _counted(words, PAGE_WORDS)
        counts = counts.with_own(replace(own, n_times=own.n_times - 1))
        weighed = weigh(counts, words, query.commonest)
    if weighed.n_like >= terms.least_pages:
        return Asked(spelled, words, found, counts, weighed, terms.bars, terms.rules)
    return Asked(spelled, words, found, counts, None, terms.bars, terms.rules, _counted(words, GUESS_PAGE_WORDS))


def _counted(words: Words, page_words: int) -> Counts:
    n_holding, n_times, n_pages = on_pages(words.types, len(words.keys), page_words)
    return Counts(words.keys, n_holding, n_times, n_pages, len(words.types))
