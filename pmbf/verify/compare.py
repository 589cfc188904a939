"""Two prepared texts in, passages out."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

import numpy as np

from pmbf.report import Passage, Scores, Span
from pmbf.verify.alignments import Alignment, alignments, verbatim_share
from pmbf.verify.chains import Chain, chains
from pmbf.verify.edges import grown, span_pair, stretched
from pmbf.verify.prepared import Prepared
from pmbf.verify.scores import found_share, scores, sorted_similarity
from pmbf.verify.seeds import blocks
from pmbf.verify.settings import Settings
from pmbf.verify.statistics import Statistics
from pmbf.verify.verdict import accepted

SINGLE_CHARS = 3
"""Letters that a letter of Han, Kana, Thai and so on counts for: a word has some 6 of those, 2 of these."""


MOST_VERBATIM = 0.7
"""Share of an alignment's tokens in equal runs from which on those runs are reported in its place."""


def passages(
    query: Prepared, source: Prepared, settings: Settings | None = None, statistics: Statistics | None = None
) -> tuple[Passage, ...]:
    """Return the passages two texts share, in query order.

    Promise: on the query's side they never overlap; one part of the source may be found at several places of the query.
    The two spans of a `verbatim` passage have equal tokens. The span of a verbatim or edited one begins with a word,
    and ends with a word or with the closing punctuation that follows it in both texts; that of another with what is
    glued to its words.

    Cost: O(n log n) for n tokens in all, plus the Levenshtein distances of the gaps between equal runs.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        settings: What counts as a passage.
        statistics: How rare words are in texts of this kind; without, guessed from the two texts.

    >>> from pmbf.verify.prepared import prepare
    >>> source = "I wandered lonely as a cloud that floats on high over vales and hills, when all at once I saw."
    >>> [found] = passages(prepare(f"He wrote: “{source}” Lovely!"), prepare(source))
    >>> found.query, found.source, found.kind
    (Span(start=11, stop=105), Span(start=0, stop=94), 'verbatim')
    """
    settings = settings or Settings()
    exact = list(_verified(query, source, settings))
    reworded = list(_reworded(query, source, [chain for chain, _ in exact], settings, statistics))
    taken = sorted(one.query for one, _ in reworded)
    made = [_loose(query, source, one, similarity) for one, similarity in reworded]
    for chain, similarity in exact:
        if any(_mostly_inside(chain, one) for one, _ in reworded):
            continue
        for part in _free_parts(chain, taken):
            if _size(query, part) >= settings.min_chars:
                made.append(_passage(query, source, part, similarity if part == chain else None))
    return tuple(sorted(made, key=lambda passage: passage.query))


def _reworded(
    query: Prepared, source: Prepared, exact: list[Chain], settings: Settings, statistics: Statistics | None
) -> Iterator[tuple[Alignment, float]]:
    """Yield alignments that tell more than the equal runs inside them, the best first, disjoint in the query."""
    taken: list[Span] = []
    statistics = statistics or Statistics.guess(query.words, source.words)
    for one in alignments(query, source, statistics, settings.rules):
        overlapping = [chain for chain in exact if _meet(chain, one)]
        if overlapping and not one.is_summary and verbatim_share(query, source, one) >= MOST_VERBATIM:
            continue  # the equal runs have the better edges
        if any(not _mostly_inside(chain, one) for chain in overlapping):
            continue
        if _chars(query, one.query) < settings.min_reworded_chars:
            continue
        if _chars(source, one.source) < settings.min_reworded_source_chars:
            continue
        if any(one.query.start < other.stop and other.start < one.query.stop for other in taken):
            continue
        similarity = _similarity(query, source, one)
        if similarity >= settings.reworded_threshold:
            taken.append(one.query)
            yield one, similarity


def _similarity(query: Prepared, source: Prepared, one: Alignment) -> float:
    ours, theirs = query.word_keys(one.query), source.word_keys(one.source)
    return found_share(ours, theirs) if one.is_summary else sorted_similarity(ours, theirs)


def _meet(chain: Chain, one: Alignment) -> bool:
    """Return whether a chain shares tokens with an alignment on both sides."""
    return any(
        block.query < one.query.stop
        and one.query.start < block.query_stop
        and block.source < one.source.stop
        and one.source.start < block.source_stop
        for block in chain
    )


def _mostly_inside(chain: Chain, one: Alignment) -> bool:
    """Return whether an alignment holds more than half of a chain on the query's side and meets it on the source's."""
    start, stop = chain[0].query, chain[-1].query_stop
    inside = min(stop, one.query.stop) - max(start, one.query.start)
    return 2 * inside > stop - start and _meet(chain, one)


def _loose(query: Prepared, source: Prepared, one: Alignment, similarity: float) -> Passage:
    kind = "summary" if one.is_summary else "reworded"
    spans = grown(query, one.query), grown(source, one.source)
    return Passage(*spans, similarity, kind, scores=scores(query, source, one.query, one.source))


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
    return _chars(query, Span(chain[0].query, chain[-1].query_stop))


def _chars(text: Prepared, tokens: Span) -> int:
    """Return the characters of some tokens, in letters of an alphabet."""
    n_chars = int(text.tokens.stops[tokens.stop - 1]) - int(text.tokens.starts[tokens.start])
    return n_chars + (SINGLE_CHARS - 1) * int(np.count_nonzero(text.tokens.singles[tokens.start : tokens.stop]))


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


def _passage(query: Prepared, source: Prepared, chain: Chain, similarity: float | None) -> Passage:
    here = Span(chain[0].query, chain[-1].query_stop)
    there = Span(chain[0].source, chain[-1].source_stop)
    spans = span_pair(query, source, chain)
    if len(chain) == 1:
        return Passage(*spans, 1.0, "verbatim", scores=Scores(1.0, 1.0, 1.0))
    found = scores(query, source, here, there)
    return Passage(*spans, similarity or found.characters or found.words or 0.0, "edited", scores=found)
