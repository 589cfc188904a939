"""From chains of equal runs and alignments to passages: the reference of `native/align/judge.c` and `compare.c`."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.base.span import Span
from pmbf.kernels.asked import Bars
from pmbf.kernels.judged import KINDS, Block, Chain, Judged, Spelled
from pmbf.kernels.reference_clusters import Pair
from pmbf.kernels.reference_explore import explore
from pmbf.kernels.reference_joining import joined
from pmbf.kernels.reference_likeness import ordered_share, scores
from pmbf.kernels.reference_pieces import (
    START,
    Piece,
    Texts,
    chain_spans,
    exact_piece,
    free_parts,
    mostly_inside,
    near,
    owned,
)
from pmbf.kernels.reference_ready import Asked, Ready
from pmbf.kernels.reference_reworded import ranked, reworded
from pmbf.kernels.reference_verdict import accepted
from pmbf.kernels.reference_weighing import evidence, rare_likeness, weighed

__all__: list[str] = []

SHORT_MARGIN, FORM_MARGIN = 0.15, 0.22
"""Added to the threshold for an edited passage of little evidence: 0.15 for its letters, 0.22 for its words weighed by
rarity. If a form is filled in twice, then the rare words differ. Of 612 planted passages with 8 % of their words
changed, 16 fail the second test; of 49 that two texts of one topic share by chance, 26 fail."""


def compare_pair(asked: Asked, text: Ready) -> Judged:
    """Return the passages of a query and a text: `explore`, then `judge`.

    Args:
        asked: The query.
        text: The text, made ready under the counts of the query.
    """
    found = explore(asked, text)
    if found is None:
        return Judged.of([])
    return judge((asked.text, text.as_judged), found.pair, (found.blocks, found.bounds), found.boxes, asked.bars)


def judge(
    texts: tuple[Spelled, Spelled],
    pair: Pair,
    chains: tuple[NDArray[np.int64], NDArray[np.int64]],
    boxes: NDArray[np.int64],
    bars: Bars,
) -> Judged:
    """Return the passages that chains of equal runs and alignments make together.

    Args:
        texts: Query and source.
        pair: Both, with their words numbered together.
        chains: `(n_blocks, 3) int64`: start in the query, start in the source, length of equal runs, chain by chain,
            the worthiest chain first; and `(n_chains + 1,) int64`, where each chain begins and the last ends.
        boxes: The alignments, as `align` returns them.
        bars: What a passage must have.
    """
    blocks, bounds = [Block(*block) for block in chains[0].tolist()], chains[1].tolist()
    both = Texts(*texts, pair, bars)
    exact = _exact(both, [blocks[start:stop] for start, stop in pairwise(bounds)])
    loose = sorted(reworded(both, exact, ranked(boxes)), key=lambda piece: piece.query.start)
    return Judged.of([_row(both, one) for one in joined(both, [*loose, *_left(both, exact, loose)])])


def _exact(texts: Texts, chains: Sequence[Chain]) -> list[Piece]:
    """Return the pieces of chains of equal runs whose words are rare enough, in query order."""
    found = sorted(_verified(texts, chains), key=lambda piece: piece.query.start)
    return [piece for piece in found if not _is_usual(texts, piece)]


def _verified(texts: Texts, chains: Iterable[Chain]) -> Iterator[Piece]:
    """Yield pieces from chains, the worthiest first. A later chain gets the tokens that the earlier ones left."""
    taken: list[Span] = []
    for whole in chains:
        for part in list(free_parts(whole, taken)):
            for chain, similarity in accepted(texts.query, texts.source, part, texts.bars.edited):
                if texts.letters(chain_spans(chain)[0]) >= texts.bars.letters:
                    insort(taken, owned(texts.query, chain), key=START)
                    yield exact_piece(chain, similarity)


def _is_usual(texts: Texts, piece: Piece) -> bool:
    """Return whether any two texts of their kind may share the words of an exact piece.

    A run of `bars.sure_words` equal words is beyond doubt. Otherwise the words must be rare in the rest of both texts.
    If their evidence is small, then few rare words may differ: many differ in a form that is filled in twice.
    """
    if _has_long_run(texts, piece.chain[0]):
        return False
    nats = evidence(texts, piece.query, piece.source)
    return nats < texts.bars.evidence or (nats < 2 * texts.bars.evidence and _is_form(texts, piece))


def _is_form(texts: Texts, piece: Piece) -> bool:
    alike = piece.similarity >= texts.bars.edited + SHORT_MARGIN
    return not alike or rare_likeness(texts.pair, piece) < texts.bars.edited + FORM_MARGIN


def _has_long_run(texts: Texts, chain: Chain) -> bool:
    singles = texts.query.tokens.singles
    half_words = (2 * block.length - int(singles[block.query : block.query_stop].sum()) for block in chain)
    return any(found >= 2 * texts.bars.sure_words for found in half_words)


def _left(texts: Texts, exact: Iterable[Piece], loose: Sequence[Piece]) -> Iterator[Piece]:
    """Yield what the loose pieces leave of the exact ones. An exact piece mostly inside a loose one is part of that
    one.
    """
    taken = [piece.query for piece in loose]
    for piece in exact:
        [chain] = piece.chain
        if any(mostly_inside(chain, one) for one in loose[near(taken, piece.query)]):
            continue
        for part in free_parts(chain, taken):
            left = piece if part == chain else _measured(texts, part)
            if left.similarity >= texts.bars.edited and texts.letters(left.query) >= texts.bars.letters:
                yield left


def _measured(texts: Texts, chain: Chain) -> Piece:
    """Return a part of a chain as a piece with its own similarity."""
    letters, words, _ = scores(texts.query, texts.source, *chain_spans(chain))
    return exact_piece(chain, np.nan_to_num(words).item() if np.isnan(letters) else letters)


def _row(texts: Texts, piece: Piece) -> tuple[tuple[int, ...], int, tuple[float, ...]]:
    """Return a row of `Judged`."""
    edges = piece.query.start, piece.query.stop, piece.source.start, piece.source.stop
    nats, equal = weighed(texts, piece), piece.kind == "verbatim"
    alike = (1.0, 1.0, 1.0) if equal else scores(texts.query, texts.source, piece.query, piece.source)
    ours, theirs = texts.query.words(piece.query), texts.source.words(piece.source)
    in_order = 1.0 if equal else ordered_share(ours, theirs)
    return edges, KINDS.index(piece.kind), (piece.similarity, *alike, nats, in_order)
