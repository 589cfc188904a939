"""Blocks: maximal runs of tokens that stand in both texts.

Every gram of the query that stands in the source gets at most three partners there. So the pairs stay linear, however
repetitive the texts are:

    its turn      the k-th occurrence in the query with the k-th in the source, from the first again when the query has
                  more: a paragraph copied twice is found twice
    from before   the occurrence nearest to where the last gram that is unique in the source leads
    from behind   the same with the next such gram

One right pair in a run is enough: the run grows from there, in `kernels.equal_runs`.

Source: Grozea, Gehl & Popescu 2009, ENCOPLOT, for the pairing by turn.
"""

from __future__ import annotations

import numpy as np

from pmbf.kernels import Block, equal_runs
from pmbf.passages.prepared import Prepared

MOST_BLOCKS = 1 << 16
"""Most blocks that are used; the longest are kept. Two texts of 500,000 one-letter words have as many blocks; all of
them took 50 s."""


def blocks(query: Prepared, source: Prepared, seed_tokens: int) -> list[Block]:
    """Return the equal runs of two texts in query order, each as long as possible.

    Promise: a run of `seed_tokens` words whose grams stand once in the source is inside a block. Two exceptions: a
    block more than twice as long covers the run in the query, or there are `MOST_BLOCKS` longer blocks.

    Args:
        seed_tokens: Words in the shortest run that starts a block, at least 1. A letter that is a token counts half.

    >>> from pmbf.passages.prepared import prepare
    >>> blocks(prepare("he said: to be or not to be"), prepare("To be, or not to be?"), 4)
    [Block(query=2, source=0, length=6)]
    """
    found = equal_runs(query.grams(seed_tokens), source.grams(seed_tokens))
    if found.shape[1] > MOST_BLOCKS:
        found = found[:, np.sort(np.argsort(-found[2], kind="stable")[:MOST_BLOCKS])]
    return list(map(Block, *found.tolist()))
