"""What the judging of two texts takes and returns: texts with their spelling, equal runs, passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.span import Span
from pmbf.kernels.types import Tokens

__all__ = ["KINDS", "Block", "Chain", "Judged", "Spelled", "n_letters"]

KINDS = ("verbatim", "edited", "reworded", "summary")
"""The kinds of `Judged`; docs of `report.Passage` say what they mean."""


class Block(NamedTuple):
    """Equal tokens: `length` of them, from token `query` of the query and from token `source` of the source."""

    query: int
    source: int
    length: int

    @property
    def query_stop(self) -> int:
        """The token after the block, in the query."""
        return self.query + self.length

    @property
    def source_stop(self) -> int:
        """The token after the block, in the source."""
        return self.source + self.length

    def cut(self, start: int, stop: int) -> Block:
        """Return the part of the block inside the query tokens `[start, stop)`. If there is none, its length is below
        1.
        """
        first = max(start, self.query)
        return Block(first, self.source + first - self.query, min(stop, self.query_stop) - first)


Chain = list[Block]
"""Blocks that follow each other in both texts."""


@dataclass(frozen=True, eq=False)
class Spelled:
    """A text as it is judged.

    Args:
        tokens: Its tokens. Places are `uint32`.
        keys: `(n,) uint64`, the key of the word that each token is, as in `Words`.
        spelling: The folded text with one space between two words and no other separator.
        offsets: `(n + 1,) int64`, where each token begins in the spelling, and its end.
    """

    tokens: Tokens
    keys: NDArray[np.uint64]
    spelling: str
    offsets: NDArray[np.int64]

    @cached_property
    def letters(self) -> NDArray[np.uint32]:
        """The code points of the spelling."""
        return np.frombuffer(self.spelling.encode("utf-32-le"), np.uint32)

    @cached_property
    def tables(self) -> dict[int, Any]:
        """What a twin of the kernels keeps with the text."""
        return {}

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return len(self.tokens)

    def spelled(self, start: int, stop: int) -> str:
        """Return the spelling of the tokens `[start, stop)`, with the space behind the last one if there is one."""
        return self.spelling[self.offsets[start] : self.offsets[stop]]

    def words(self, span: Span) -> list[int]:
        """Return the words of a token range as numbers. All forms of one word have the same number."""
        found: list[int] = self.keys[span.start : span.stop].tolist()
        return found


class Judged(NamedTuple):
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
    def of(cls, rows: Sequence[tuple[tuple[int, ...], int, tuple[float, ...]]]) -> Judged:
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
