"""Two prepared texts in, passages out."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

import numpy as np

from pmbf.report import Passage, Span
from pmbf.verify.chains import Chain, chains
from pmbf.verify.edges import span_pair, stretched
from pmbf.verify.prepared import Prepared
from pmbf.verify.seeds import blocks
from pmbf.verify.settings import Settings
from pmbf.verify.verdict import accepted

SINGLE_CHARS = 3
"""Letters that a letter of Han, Kana, Thai and so on counts for: a word has some 6 of those, 2 of these."""


def passages(query: Prepared, source: Prepared, settings: Settings | None = None) -> tuple[Passage, ...]:
    """Return the passages two texts share, in query order.

    Promise: on the query's side they never overlap; one part of the source may be found at several places of the query.
    The two spans of a `verbatim` passage have equal tokens. A span begins with a word, and ends with a word or with the
    closing punctuation that follows it in both texts.

    Cost: O(n log n) for n tokens in all, plus the Levenshtein distances of the gaps between equal runs.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        settings: What counts as a passage.

    >>> from pmbf.verify.prepared import prepare
    >>> source = "I wandered lonely as a cloud that floats on high over vales and hills, when all at once I saw."
    >>> [found] = passages(prepare(f"He wrote: “{source}” Lovely!"), prepare(source))
    >>> found.query, found.source, found.kind
    (Span(start=11, stop=105), Span(start=0, stop=94), 'verbatim')
    """
    found = _verified(query, source, settings or Settings())
    made = [_passage(query, source, chain, similarity) for chain, similarity in found]
    return tuple(sorted(made, key=lambda passage: passage.query))


def _verified(query: Prepared, source: Prepared, settings: Settings) -> Iterator[tuple[Chain, float]]:
    """Yield chains with their similarity, the worthiest first; a later one gets the tokens the earlier ones left."""
    taken: list[Span] = []
    for whole in chains(blocks(query, source, settings.seed_tokens), settings.max_gap_tokens):
        if 2 * _size(query, whole) < settings.min_chars:
            continue  # chance phrases, most of all chains: not worth a closer look
        for part in list(_free_parts(stretched(query, source, whole), taken)):
            for chain, similarity in accepted(query, source, part, settings.threshold):
                if _size(query, chain) >= settings.min_chars:
                    insort(taken, _owned(query, chain))
                    yield chain, similarity


def _size(query: Prepared, chain: Chain) -> int:
    """Return the characters of a chain in the query, in letters of an alphabet."""
    first, stop = chain[0].query, chain[-1].query_stop
    n_chars = int(query.tokens.stops[stop - 1]) - int(query.tokens.starts[first])
    return n_chars + (SINGLE_CHARS - 1) * int(np.count_nonzero(query.tokens.singles[first:stop]))


def _owned(query: Prepared, chain: Chain) -> Span:
    """Return the tokens that touch a chain's characters: one character such as ½ or ㍿ can be several tokens."""
    starts, stop = query.tokens.starts, query.tokens.stops[chain[-1].query_stop - 1]
    return Span(int(np.searchsorted(starts, starts[chain[0].query])), int(np.searchsorted(starts, stop)))


def _free_parts(chain: Chain, taken: list[Span]) -> Iterator[Chain]:
    """Yield what is left of a chain between the tokens that are taken, `taken` being sorted and disjoint."""
    start, stop = chain[0].query, chain[-1].query_stop
    first = max(0, bisect_left(taken, Span(start, start)) - 1)
    for other in [*taken[first : bisect_left(taken, Span(stop, stop))], Span(stop, stop)]:
        if part := _between(chain, start, other.start):
            yield part
        start = max(start, other.stop)


def _between(chain: Chain, start: int, stop: int) -> Chain:
    parts = (block.cut(start, stop) for block in chain)
    return [part for part in parts if part.length > 0]


def _passage(query: Prepared, source: Prepared, chain: Chain, similarity: float) -> Passage:
    kind = "verbatim" if len(chain) == 1 else "edited"
    return Passage(*span_pair(query, source, chain), similarity, kind)
