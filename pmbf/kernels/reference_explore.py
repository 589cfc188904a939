"""A query and a text explored together: the reference of `native/align/explore.c`, with a kernel for each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import NAT
from pmbf.kernels.asked import gram_stops
from pmbf.kernels.reference_align import align, part_scores
from pmbf.kernels.reference_clusters import Pair
from pmbf.kernels.reference_ready import Asked, Ready
from pmbf.kernels.reference_runs import chained, equal_runs, grams, hop, runs_of
from pmbf.kernels.reference_weigh import guessed, weighed
from pmbf.kernels.reference_words import Words, classes
from pmbf.kernels.types import Tokens

__all__: list[str] = []

Block = tuple[int, int, int]

MOST_RUNS = 1 << 16
MOST_BLOCKS, MOST_WEAK = 8, 32
"""A chain of more blocks is taken for strong, and so are more chains."""

SLACK_SHARE = 1e-9
"""A similarity is a rounded quotient: what is less than this below a bar may reach it."""


@dataclass(frozen=True, eq=False)
class Explored:
    """A text beside a query: what a comparison in detail goes on with.

    Args:
        blocks: `(n_blocks, 3) int64`: start in the query, start in the text, length of equal runs, chain by chain, the
            worthiest chain first.
        bounds: `(n_chains + 1,) int64`; chain c is `blocks[bounds[c]:bounds[c + 1]]`.
        pair: Query and text, for the alignment kernels. A class that only the text has is numbered in its order.
        boxes: `(n_boxes, 6) int64`, the alignments, as `align` returns them.
        may: `(n_boxes,) bool`, whether each alignment is long and alike enough for a passage, on its own.
    """

    blocks: NDArray[np.int64]
    bounds: NDArray[np.int64]
    pair: Pair
    boxes: NDArray[np.int64]
    may: NDArray[np.bool_]


def explore(asked: Asked, text: Ready) -> Explored | None:
    """Return the chains of equal runs and the alignments of a query and a text; None if none can become a passage.

    A chain may become one if it has enough letters, with the equal words that it reaches over small edits, and if it
    has a long run or the words of some part of it are rare enough. An alignment may if both sides are long enough, if
    enough words are in both, and if these are rare enough among texts on the topic. If None is returned, then a
    comparison in detail finds nothing. If one equal run is the query, then alignments are not looked for.

    Args:
        asked: The query.
        text: The text, made ready under the counts of the query.
    """
    chains = [*_chains(asked, text.tokens)]
    pair = _pair(asked, text)
    boxes = np.empty((0, 6), np.int64) if _is_one_run(asked, chains) else align(pair)
    keys = text.keys[text.types]
    may = np.array([_is_passage(asked, text.tokens, pair, keys, box) for box in boxes.tolist()], np.bool_)
    if not may.any() and _are_weak(asked, pair, chains):
        return None
    blocks = np.array([block for chain in chains for block in chain], np.int64).reshape(-1, 3)
    bounds = np.cumsum([0, *map(len, chains)], dtype=np.int64)
    return Explored(blocks, bounds, pair, boxes, may)


def _chains(asked: Asked, tokens: Tokens) -> Iterator[list[Block]]:
    """Yield the chains of equal runs that are long enough, stretched, the worthiest first."""
    seeds = grams(runs_of(tokens.hashes), gram_stops(tokens.singles, asked.bars.seed_tokens))
    runs = equal_runs(asked.grams, seeds)
    longest = sorted(range(len(runs)), key=lambda number: -runs[number][2])[:MOST_RUNS]
    for whole in chained([runs[number] for number in sorted(longest)], asked.bars.max_gap):
        chain = _trimmed(whole)
        start, end = chain[0], chain[-1]
        if 2 * _n_letters(asked, asked.tokens, start[0], end[0] + end[2]) < asked.bars.letters:
            continue
        before = _beyond(asked, tokens, start[0], start[1], forward=False)
        after = _beyond(asked, tokens, end[0] + end[2], end[1] + end[2], forward=True)
        chain = before[::-1] + chain + after
        if _n_letters(asked, asked.tokens, chain[0][0], chain[-1][0] + chain[-1][2]) >= asked.bars.letters:
            yield chain


def _is_one_run(asked: Asked, chains: list[list[Block]]) -> bool:
    """Return whether one equal run is the whole query, but for its ends. Then no alignment says more."""
    return any(
        _is_short_end(asked, 0, here)
        and _is_short_end(asked, here + length, len(asked.tokens))
        and _is_sure(asked, here, length)
        and _n_letters(asked, asked.tokens, here, here + length) >= asked.bars.letters
        for chain in chains
        for here, _, length in chain
    )


def _is_short_end(asked: Asked, start: int, stop: int) -> bool:
    """Return whether a range at one end of the query has less than half of the letters of a reworded passage."""
    return start == stop or 2 * _n_letters(asked, asked.tokens, start, stop) < asked.bars.reworded_letters


def _are_weak(asked: Asked, pair: Pair, chains: list[list[Block]]) -> bool:
    """Return whether no chain can become a passage. If chains overlap, then what is left of one is not known here."""
    if len(chains) > MOST_WEAK or not all(_is_weak(asked, pair, chain) for chain in chains):
        return False
    starts = sorted(int(asked.tokens.starts[chain[0][0]]) for chain in chains)
    stops = sorted(int(asked.tokens.stops[chain[-1][0] + chain[-1][2] - 1]) for chain in chains)
    return all(stop <= start for stop, start in zip(stops, starts[1:], strict=False))


def _is_weak(asked: Asked, pair: Pair, chain: list[Block]) -> bool:
    """Return whether the words of each part of a chain say too little for a passage. A part is some blocks in a row."""
    if len(chain) > MOST_BLOCKS or any(_is_sure(asked, here, length) for here, _, length in chain):
        return False
    parts = [
        (start, stop + length, start_there, stop_there + length)
        for first, (start, start_there, _) in enumerate(chain)
        for stop, stop_there, length in chain[first:]
        if _n_letters(asked, asked.tokens, start, stop + length) >= asked.bars.letters
    ]
    if not parts:
        return True
    return int(part_scores(pair, np.array(parts, np.int64))[:, 0].max()) / NAT < asked.bars.evidence


def _is_sure(asked: Asked, start: int, length: int) -> bool:
    singles = int(np.count_nonzero(asked.tokens.singles[start : start + length]))
    return 2 * length - singles >= 2 * asked.bars.sure_words


def _trimmed(chain: list[Block]) -> list[Block]:
    """Return a chain without what overlaps the block before."""
    trimmed = chain[:1]
    for here, there, length in chain[1:]:
        before, before_there, length_before = trimmed[-1]
        overlap = max(0, before + length_before - here, before_there + length_before - there)
        trimmed.append((here + overlap, there + overlap, length - overlap))
    return trimmed


def _beyond(asked: Asked, tokens: Tokens, here: int, there: int, *, forward: bool) -> list[Block]:
    """Return the equal runs beyond a border, each over a small edit, from the border outwards."""
    found: list[Block] = []
    while True:
        skipped, skipped_there, length = hop(asked.tokens, tokens, here, there, forward=forward)
        if not length:
            return found
        here += skipped if forward else -skipped - length
        there += skipped_there if forward else -skipped_there - length
        found.append((here, there, length))
        if forward:
            here, there = here + length, there + length


def _n_letters(asked: Asked, tokens: Tokens, start: int, stop: int) -> int:
    singles = int(np.count_nonzero(tokens.singles[start:stop]))
    return int(tokens.stops[stop - 1]) - int(tokens.starts[start]) + (asked.bars.single_letters - 1) * singles


def _pair(asked: Asked, text: Ready) -> Pair:
    found = text.words
    ours, theirs, n_classes = classes(asked.words, found)
    ranks = _in_text_order(asked, found)
    ours, theirs = ranks[ours], ranks[theirs[np.searchsorted(found.keys, text.keys)]]
    weights = np.zeros((2, n_classes), np.int32)
    if asked.weighed is None:
        assert asked.counted is not None
        here, there = guessed(asked.counted, asked.words.keys, (text.keys, text.types))
    else:
        known = text.n_holding, text.n_times
        here, there = asked.weighed, weighed(asked.counts, known, (text.keys, text.types), text.commonest)
    weights[:, theirs] = there[1:]
    weights[:, : len(ours)] = here[1:]
    numbers = ours[asked.words.types], theirs[text.types]
    return Pair(numbers, (asked.words.borders, found.borders), weights[0], weights[1], asked.rules, asked.scores)


def _in_text_order(asked: Asked, text: Words) -> NDArray[np.int32]:
    """Return a new number for each class: those of types that only the text has go by its order, not by their keys."""
    n_ours = len(asked.words.keys)
    new = np.flatnonzero(~np.isin(text.keys, asked.words.keys))
    firsts = np.unique(text.types, return_index=True)[1][new]
    ranks = np.arange(n_ours + len(new), dtype=np.int32)
    ranks[n_ours + np.argsort(firsts)] = n_ours + np.arange(len(new), dtype=np.int32)
    return ranks


def _is_passage(asked: Asked, tokens: Tokens, pair: Pair, keys: NDArray[np.uint64], box: list[int]) -> bool:
    start, stop, start_there, stop_there, _, kind = box
    bars = asked.bars
    ours, theirs = _n_letters(asked, asked.tokens, start, stop), _n_letters(asked, tokens, start_there, stop_there)
    if ours < bars.reworded_letters or theirs < bars.reworded_source_letters:
        return False
    if kind and (ours < bars.summary_letters or theirs > bars.summed_letters):
        return False
    words_here = asked.words.keys[asked.words.types[start:stop]].tolist()
    alike = _likeness(words_here, keys[start_there:stop_there].tolist(), kind) + SLACK_SHARE
    if alike < bars.threshold:
        return False
    if kind or not bars.topical > 0:
        return True
    topical = int(part_scores(pair, np.array([[start, stop, start_there, stop_there]], np.int64))[0, 1])
    lacking = bars.threshold + bars.short_doubt * max(0.0, 1 - ours / bars.sure_letters) - alike
    return topical / NAT >= bars.topical * (1 + bars.lacking_times * max(0.0, lacking))


def _likeness(ours: list[int], theirs: list[int], kind: int) -> float:
    """Return the greatest similarity that two ranges of words may have: of a summary the share of its words found."""
    if kind:
        held = set(theirs)
        return sum(word in held for word in ours) / len(ours)
    return (Counter(ours) & Counter(theirs)).total() / max(len(ours), len(theirs))
