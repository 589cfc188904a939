"""What the judging of two texts returns, and how long a range of tokens is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.span import Span
from pmbf.kernels.types import Tokens

__all__ = ["KINDS", "JudgedPassages", "n_letters"]

KINDS = ("verbatim", "edited", "reworded", "summary")
"""The kinds of `JudgedPassages`; docs of `report.Passage` say what they mean."""


class JudgedPassages(NamedTuple):
    """The passages of two texts, in query order.

    Args:
        edges: `(n, 4) int64`, the tokens of each: start and stop in the query, start and stop in the source.
        kinds: `(n,) int64`, the place of each kind among `KINDS`.
        figures: `(n, 6) float64`: the similarity, as in `report.Passage`; the similarities of letters, of words in
            order and of sorted words, NaN if a side is too long; the evidence, in nats; the share of the query's words
            that stand in the source's side in the same order.
    """

    edges: NDArray[np.int64]
    kinds: NDArray[np.int64]
    figures: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[tuple[tuple[int, ...], int, tuple[float, ...]]]) -> JudgedPassages:
        """Return passages given one by one."""
        edges, kinds, figures = zip(*rows, strict=True) if rows else ((), (), ())
        shaped = np.array(edges, np.int64).reshape(-1, 4), np.array(figures, np.float64).reshape(-1, 6)
        return cls(shaped[0], np.array(kinds, np.int64), shaped[1])


def n_letters(tokens: Tokens, span: Span, single_letters: int) -> int:
    """Return the characters of a token range, counted in letters of an alphabet.

    Args:
        tokens: The tokens of a text.
        span: Some of them, at least one.
        single_letters: Letters that a token counts for which is a single letter.
    """
    singles = int(np.count_nonzero(tokens.singles[span.start : span.stop]))
    return int(tokens.stops[span.stop - 1]) - int(tokens.starts[span.start]) + (single_letters - 1) * singles
