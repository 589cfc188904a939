"""The proof of a pair: the passages that its texts share, in characters of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from pmbf import verify
from pmbf.alike.pairs.plans import Advance, Joined
from pmbf.report import Passage

_PREPARED = 256
"""Texts that are kept prepared."""


def proofs(found: Joined, text_of: Callable[[int], str], advance: Advance) -> Iterator[tuple[Passage, ...]]:
    """Yield the passages of each pair, in the order of the pairs.

    Args:
        found: The pairs.
        text_of: Returns a text by its number.
        advance: Called for each pair.
    """

    @lru_cache(_PREPARED)
    def prepared(number: int) -> verify.Prepared:
        return verify.prepare(text_of(number))

    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    for done, (a, b) in enumerate(pairs):
        advance("Proving", done, len(pairs))
        yield verify.passages(prepared(a), prepared(b))
