"""The chains of equal runs of a query and a text, and their words numbered together: what the judging begins with.

The native twin looks here whether anything can become a passage, and stops if not. The reference judges in any case: so
tests show that what the native twin leaves out is no passage.
"""

from __future__ import annotations

from pmbf.base.span import Span
from pmbf.kernels.judged import n_letters
from pmbf.kernels.reference_ready import AskedText, Ready
from pmbf.kernels.reference_refine import NumberedPair
from pmbf.kernels.reference_runs import Block, Chain, chained, equal_runs, hop
from pmbf.kernels.reference_weigh import guessed, weigh
from pmbf.kernels.reference_words import classes
from pmbf.kernels.types import Tokens

MOST_RUNS = 1 << 16


def chains_of(asked: AskedText, text: Ready) -> list[Chain]:
    """Return the chains of equal runs that are long enough, stretched, the worthiest first."""
    bars = asked.terms.bars
    runs = equal_runs(asked.text.grams(bars.seed_tokens), text.grams(bars.seed_tokens))
    longest = sorted(range(len(runs)), key=lambda number: -runs[number].length)[:MOST_RUNS]
    chains = []
    for whole in chained([runs[number] for number in sorted(longest)], bars.max_gap):
        if 2 * _letters(asked, whole[0].query, whole[-1].query_stop) < bars.letters:
            continue
        chain = _stretched(asked.text.tokens, text.tokens, _trimmed(whole))
        if _letters(asked, chain[0].query, chain[-1].query_stop) >= bars.letters:
            chains.append(chain)
    return chains


def is_one_run(asked: AskedText, chains: list[Chain]) -> bool:
    """Return whether one equal run is the whole query, but for its ends. Then no alignment says more.

    Such an end has less than half of the letters of a reworded passage.
    """
    bars, n = asked.terms.bars, asked.text.n_tokens
    for block in (block for chain in chains for block in chain):
        ends = (0, block.query), (block.query_stop, n)
        if (
            all(start == stop or 2 * _letters(asked, start, stop) < bars.reworded_letters for start, stop in ends)
            and has_sure_run(asked.text.tokens, [block], bars.sure_words)
            and _letters(asked, block.query, block.query_stop) >= bars.letters
        ):
            return True
    return False


def has_sure_run(tokens: Tokens, chain: Chain, sure_words: int) -> bool:
    """Return whether a block is a run of so many words of the query that chance explains none."""
    half_words = (2 * block.length - int(tokens.singles[block.query : block.query_stop].sum()) for block in chain)
    return any(found >= 2 * sure_words for found in half_words)


def pair_of(asked: AskedText, text: Ready) -> NumberedPair:
    """Return a query and a text with their words numbered together: those of the query first, by their keys."""
    ours, theirs, n_classes = classes(asked.text.words, text.words)
    if asked.weighed is None:
        here, there = guessed(asked.text.words, text.words)
    else:
        here, there = asked.weighed, weigh(asked.counts, text.words, text.commonest)
    rarities, priors = [0] * n_classes, [0] * n_classes
    for numbers, weights in ((theirs.tolist(), there), (range(len(ours)), here)):
        for number, rarity, prior in zip(numbers, weights.rarities.tolist(), weights.priors.tolist(), strict=True):
            rarities[number], priors[number] = rarity, prior
    numbered = ours[asked.text.words.types].tolist(), theirs[text.words.types].tolist()
    borders = asked.text.words.borders, text.words.borders
    return NumberedPair(numbered, borders, rarities, priors, asked.terms.rules)


def _letters(asked: AskedText, start: int, stop: int) -> int:
    return n_letters(asked.text.tokens, Span(start, stop), asked.terms.bars.single_letters)


def _trimmed(chain: Chain) -> Chain:
    """Return a chain without what overlaps the block before."""
    trimmed = chain[:1]
    for block in chain[1:]:
        overlap = max(0, trimmed[-1].query_stop - block.query, trimmed[-1].source_stop - block.source)
        trimmed.append(Block(block.query + overlap, block.source + overlap, block.length - overlap))
    return trimmed


def _stretched(query: Tokens, source: Tokens, chain: Chain) -> Chain:
    """Return a chain with the equal runs beyond its ends, each over a small edit from the one before."""
    chain = list(chain)
    while (found := hop(query, source, chain[0].query, chain[0].source, forward=False))[2]:
        skipped, skipped_there, length = found
        chain.insert(0, Block(chain[0].query - skipped - length, chain[0].source - skipped_there - length, length))
    while (found := hop(query, source, chain[-1].query_stop, chain[-1].source_stop, forward=True))[2]:
        skipped, skipped_there, length = found
        chain.append(Block(chain[-1].query_stop + skipped, chain[-1].source_stop + skipped_there, length))
    return chain
