"""From two texts to chains of equal runs and alignments, and to passages.

The reference of `native/align/{explore,judge,compare}.c`. The native twin looks early whether anything can become a
passage, and stops if not. The reference judges in any case: so tests show that what the native twin leaves out is none.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pmbf.base.span import Span
from pmbf.kernels.asked import n_letters
from pmbf.kernels.reference_align import align
from pmbf.kernels.reference_likeness import accepted, ordered_share, scores, sorted_similarity
from pmbf.kernels.reference_pieces import (
    START,
    JudgedTexts,
    SharedPiece,
    chain_spans,
    evidence,
    exact_piece,
    free_parts,
    mostly_inside,
    near,
    owned,
    rare_likeness,
    weighed,
)
from pmbf.kernels.reference_ready import AskedText, Ready
from pmbf.kernels.reference_refine import NumberedPair
from pmbf.kernels.reference_reworded import ranked, reworded
from pmbf.kernels.reference_runs import Block, Chain, chained, equal_runs, hop
from pmbf.kernels.reference_words import classes, guessed, weigh
from pmbf.kernels.types import KINDS, JudgedPassages, Tokens

SHORT_MARGIN, FORM_MARGIN = 0.15, 0.22
"""Added to the threshold for an edited passage of little evidence: 0.15 for its letters, 0.22 for its words weighed by
rarity. If a form is filled in twice, then the rare words differ. Of 612 planted passages with 8 % of their words
changed, 16 fail the second test; of 49 that two texts of one topic share by chance, 26 fail."""

MOST_RUNS = 1 << 16

MAX_GAP = 80
"""Most tokens between two pieces of one passage, in either text."""

SMALL_GAP = 8
MAX_RATIO = 1.5
"""If the query has at most `SMALL_GAP` tokens between two pieces, then it may leave out what the source has there. A
wider gap may be at most 1.5 times as wide in one text as in the other."""


def compare_pair(asked: AskedText, text: Ready) -> JudgedPassages:
    """Return the passages of a query and a text."""
    chains, pair = chains_of(asked, text), pair_of(asked, text)
    boxes = [] if is_one_run(asked, chains) else align(pair)
    both = JudgedTexts(asked.text, text, pair, asked.terms.bars)
    exact = _exact(both, chains)
    loose = sorted(reworded(both, exact, ranked(boxes)), key=lambda piece: piece.query.start)
    return JudgedPassages.of([_row(both, one) for one in joined(both, [*loose, *_left(both, exact, loose)])])


def _exact(texts: JudgedTexts, chains: Sequence[Chain]) -> list[SharedPiece]:
    """Return the pieces of chains of equal runs whose words are rare enough, in query order."""
    found = sorted(_verified(texts, chains), key=lambda piece: piece.query.start)
    return [piece for piece in found if not _is_usual(texts, piece)]


def _verified(texts: JudgedTexts, chains: Iterable[Chain]) -> Iterator[SharedPiece]:
    """Yield pieces from chains, the worthiest first. A later chain gets the tokens that the earlier ones left."""
    taken: list[Span] = []
    for whole in chains:
        for part in list(free_parts(whole, taken)):
            for chain, similarity in accepted(texts.query, texts.source, part, texts.bars.edited):
                if texts.letters(chain_spans(chain)[0]) >= texts.bars.letters:
                    insort(taken, owned(texts.query, chain), key=START)
                    yield exact_piece(chain, similarity)


def _is_usual(texts: JudgedTexts, piece: SharedPiece) -> bool:
    """Return whether any two texts of their kind may share the words of an exact piece.

    A run of `bars.sure_words` equal words is beyond doubt. Otherwise the words must be rare in the rest of both texts.
    If their evidence is small, then few rare words may differ: many differ in a form that is filled in twice.
    """
    if has_sure_run(texts.query.tokens, piece.chain[0], texts.bars.sure_words):
        return False
    nats = evidence(texts, piece.query, piece.source)
    return nats < texts.bars.evidence or (nats < 2 * texts.bars.evidence and _is_form(texts, piece))


def _is_form(texts: JudgedTexts, piece: SharedPiece) -> bool:
    alike = piece.similarity >= texts.bars.edited + SHORT_MARGIN
    return not alike or rare_likeness(texts.pair, piece) < texts.bars.edited + FORM_MARGIN


def _left(texts: JudgedTexts, exact: Iterable[SharedPiece], loose: Sequence[SharedPiece]) -> Iterator[SharedPiece]:
    """Yield what the loose pieces leave of the exact ones. An exact piece mostly inside a loose one is part of it."""
    taken = [piece.query for piece in loose]
    for piece in exact:
        [chain] = piece.chain
        if any(mostly_inside(chain, one) for one in loose[near(taken, piece.query)]):
            continue
        for part in free_parts(chain, taken):
            left = piece if part == chain else _measured(texts, part)
            if left.similarity >= texts.bars.edited and texts.letters(left.query) >= texts.bars.letters:
                yield left


def _measured(texts: JudgedTexts, chain: Chain) -> SharedPiece:
    """Return a part of a chain as a piece with its own similarity."""
    letters, words, _ = scores(texts.query, texts.source, *chain_spans(chain))
    return exact_piece(chain, np.nan_to_num(words).item() if np.isnan(letters) else letters)


def joined(texts: JudgedTexts, pieces: Iterable[SharedPiece]) -> list[SharedPiece]:
    """Return pieces, disjoint in the query, in its order. A reworded one and its neighbour become one if both go on."""
    done: list[SharedPiece] = []
    for piece in sorted(pieces, key=lambda piece: piece.query.start):
        whole = _whole(texts, done[-1], piece) if done else None
        if whole:
            done[-1] = whole
        else:
            done.append(piece)
    return done


def _whole(texts: JudgedTexts, one: SharedPiece, other: SharedPiece) -> SharedPiece | None:
    kinds = {one.kind, other.kind}
    if "reworded" not in kinds or "summary" in kinds or not _go_on_alike(one, other):
        return None
    here, there = Span(one.query.start, other.query.stop), Span(one.source.start, other.source.stop)
    similarity = sorted_similarity(texts.query.keys_in(here), texts.source.keys_in(there))
    return SharedPiece(here, there, similarity, "reworded") if similarity >= texts.bars.threshold else None


def _go_on_alike(one: SharedPiece, other: SharedPiece) -> bool:
    """Return whether the gap between two pieces is about equally wide in both texts, or nearly empty in the query."""
    gap, gap_there = other.query.start - one.query.stop, other.source.start - one.source.stop
    narrow, wide = min(gap, gap_there), max(gap, gap_there)
    return 0 <= narrow and wide <= MAX_GAP and (gap <= SMALL_GAP or wide <= MAX_RATIO * narrow)


def _row(texts: JudgedTexts, piece: SharedPiece) -> tuple[tuple[int, ...], int, tuple[float, ...]]:
    """Return a row of `JudgedPassages`."""
    edges = piece.query.start, piece.query.stop, piece.source.start, piece.source.stop
    nats, equal = weighed(texts, piece), piece.kind == "verbatim"
    alike = (1.0, 1.0, 1.0) if equal else scores(texts.query, texts.source, piece.query, piece.source)
    ours, theirs = texts.query.keys_in(piece.query), texts.source.keys_in(piece.source)
    in_order = 1.0 if equal else ordered_share(ours, theirs)
    return edges, KINDS.index(piece.kind), (piece.similarity, *alike, nats, in_order)


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
