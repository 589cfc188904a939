"""A text made ready to be compared with queries, step by step: the reference of `native/align/ready.c`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Rules, score_tables
from pmbf.kernels.asked import Bars, Counts
from pmbf.kernels.judged import Spelled
from pmbf.kernels.reference_runs import Grams
from pmbf.kernels.reference_text import fold, tokenise
from pmbf.kernels.reference_weigh import Weighed
from pmbf.kernels.reference_words import Words, spell, words
from pmbf.kernels.types import Tokens

__all__: list[str] = []


@dataclass(frozen=True, eq=False)
class Asked:
    """A query as it is compared with many texts.

    Args:
        text: The query as it is judged.
        words: Its words.
        grams: Its runs of `bars.seed_tokens` words.
        counts: How rare words are. Those of `counts.own` are words of the query.
        weighed: The weights of its words; None: how rare words are is guessed from the query and each text alone.
        counted: The counts of its words alone, by pages of `GUESS_PAGE_WORDS`. Needed if `weighed` is None.
        bars: What a passage must have.
        rules: The numbers of an alignment.
    """

    text: Spelled
    words: Words
    grams: Grams
    counts: Counts
    weighed: Weighed | None
    bars: Bars
    rules: Rules
    counted: Counts | None = None
    scores: NDArray[np.int32] = field(default_factory=score_tables)

    @property
    def tokens(self) -> Tokens:
        """Its tokens."""
        return self.text.tokens


@dataclass(frozen=True, eq=False)
class Ready:
    """A text made ready to be compared with queries: what depends on the text and on other texts alone.

    Args:
        tokens: Its tokens.
        words: Its words.
        keys: `(n_types,) uint64`, the key of each type, as in `Words`. Types go by their first word in the text.
        types: `(n,) int64`, the type of each word.
        n_holding: `(n_types,) int32`, pages of the other texts that hold each type.
        n_times: `(n_types,) int32`, its occurrences there.
        commonest: One word in this number is among the commonest of its language, as for `weigh`.
        spelling: The spelling of the text.
        offsets: `(n + 1,) int64`, where each token begins in the spelling, in code points, and its end.
    """

    tokens: Tokens
    words: Words
    keys: NDArray[np.uint64]
    types: NDArray[np.int64]
    n_holding: NDArray[np.int32]
    n_times: NDArray[np.int32]
    commonest: int
    spelling: str
    offsets: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Memory that all this takes."""
        arrays = self.tokens.hashes, self.words.slips, self.keys, self.types, self.n_holding, self.n_times, self.offsets
        return len(self.spelling) + sum(array.nbytes for array in arrays)

    @property
    def as_judged(self) -> Spelled:
        """The text as it is judged."""
        return Spelled(self.tokens, self.keys[self.types], self.spelling, self.offsets)


def ready_text(utf8: bytes, counts: Counts, commonest: tuple[int, int]) -> Ready:
    """Return a text made ready to be compared with queries.

    Args:
        utf8: The text, valid UTF-8.
        counts, commonest: As for `reference_compare.ready`.

    Raises:
        ParameterError: The text is not UTF-8.
    """
    tokens, folded = tokenise(utf8), fold(utf8)
    found = words(utf8, folded, tokens)
    in_pairs = 2 * int(np.count_nonzero(tokens.singles)) > len(tokens)
    order = np.argsort(np.unique(found.types, return_index=True)[1])
    keys, types = found.keys[order], np.argsort(order)[found.types]
    n_holding, n_times = (one.astype(np.int32) for one in counts.of_others(keys))
    return Ready(tokens, found, keys, types, n_holding, n_times, commonest[in_pairs], *spell(folded, tokens))
