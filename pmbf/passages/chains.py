"""Chains: blocks that follow each other in both texts with small gaps between them.

A chain is worth its equal tokens, less a price for each token of its gaps. So a chain ends where the next block costs
more than it brings, and a chance phrase does not drag a passage's edge away.

Source: Li 2018, Minimap2: pairwise alignment for nucleotide sequences, section 2.1 (chaining with a bounded look-back).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from pmbf.kernels import Block, Chain, chained


def chains(blocks: Sequence[Block], max_gap_tokens: int) -> Iterator[Chain]:
    """Yield every block in exactly one chain, the worthiest chain first. Overlaps inside a chain are cut away.

    Args:
        blocks: In query order, as `seeds.blocks` returns them.
        max_gap_tokens: Most tokens between two blocks of a chain, on either side.

    >>> list(chains([Block(0, 10, 5), Block(6, 16, 8), Block(14, 0, 4)], max_gap_tokens=30))
    [[Block(query=0, source=10, length=5), Block(query=6, source=16, length=8)], [Block(query=14, source=0, length=4)]]
    """
    runs = np.array(blocks, np.int64).reshape(-1, 3).T
    order, bounds = chained(runs, max_gap_tokens)
    for start, stop in pairwise(bounds.tolist()):
        yield _trimmed([blocks[run] for run in order[start:stop].tolist()])


def _overlap(earlier: Block, later: Block) -> int:
    return max(0, earlier.query_stop - later.query, earlier.source_stop - later.source)


def _trimmed(chain: Chain) -> Chain:
    trimmed = chain[:1]
    for block in chain[1:]:
        trimmed.append(block.cut(block.query + _overlap(trimmed[-1], block), block.query_stop))
    return trimmed
