"""Two prepared texts in, passages out."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pmbf.kernels import Pair
from pmbf.passages.alignments import Alignment, alignments, evidence, pair_of, ranked
from pmbf.passages.certainty import certainty
from pmbf.passages.chains import Chain, chains
from pmbf.passages.edges import grown, span_pair, stretched
from pmbf.passages.exploring import SourceText, explored
from pmbf.passages.joining import joined
from pmbf.passages.pieces import START, Piece, chain_spans, free_parts, n_letters, near, owned
from pmbf.passages.prepared import Prepared, prepare
from pmbf.passages.reworded import in_both, reworded
from pmbf.passages.scores import ordered_share, scores
from pmbf.passages.seeds import Block, blocks
from pmbf.passages.settings import SURE_WORDS, Settings
from pmbf.passages.statistics import Statistics
from pmbf.passages.verdict import accepted
from pmbf.passages.weighing import rare_likeness, weighed
from pmbf.report import Passage, Scores
from pmbf.span import Span, overlap

COPIED_EVIDENCE, COPIED_TIMES = 3.0, 12
"""A summary is a copy when one copied passage in it weighs more than 3 times the evidence of the whole summary, and the
source is at least 12 times longer. On 211 summaries of PAN13's training corpus hardly one becomes a copy; of 8 copied
sentences of manuals that were taken for summaries all 8 do."""

SHORT_MARGIN, FORM_MARGIN = 0.15, 0.22
"""Added to the threshold for an edited passage of little evidence: 0.15 for its letters, 0.22 for its words weighed by
rarity. If a form is filled in twice, then the rare words differ. Of 612 planted passages with 8 % of their words
changed, 16 fail the second test; of 49 that two texts of one topic share by chance, 26 fail."""


def passages(
    query: Prepared, source: Prepared, settings: Settings | None = None, statistics: Statistics | None = None
) -> tuple[Passage, ...]:
    """Return the passages two texts share, in query order.

    Promise: passages never overlap in the query. One part of the source may be found at several places of the query.
    The two sides of a `verbatim` passage have equal tokens. A verbatim or edited side begins with a word, and ends with
    a word or with closing punctuation that follows the word in both texts. A side of another kind includes the
    characters glued to its first and last word.

    Cost: O(n log n) for n tokens in all, plus the Levenshtein distances of the gaps between equal runs.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        settings: What counts as a passage.
        statistics: How rare words are in texts of this kind. None: guessed from the two texts.

    >>> from pmbf.passages.prepared import prepare
    >>> source = "I wandered lonely as a cloud that floats on high over vales and hills, when all at once I saw."
    >>> [found] = passages(prepare(f"He wrote: “{source}” Lovely!"), prepare(source))
    >>> found.query, found.source, found.kind
    (Span(start=11, stop=105), Span(start=0, stop=94), 'verbatim')
    """
    settings = settings or Settings()
    pair = pair_of(query, source, statistics, settings.rules)
    every = chains(blocks(query, source, settings.seed_tokens), settings.max_gap_tokens)
    # A chain under half the shortest passage is a chance phrase, as most chains are.
    worthy = [chain for chain in every if 2 * n_letters(query, chain_spans(chain)[0]) >= settings.min_chars]
    worthy = stretched(query, source, worthy)
    exact = _exact_pieces(query, source, pair, worthy, settings)
    found = [] if _is_one_run(query, worthy, settings) else alignments(pair)
    return _judged(query, source, pair, exact, found, settings)


def passages_in(
    query: Prepared, source: SourceText, settings: Settings | None = None, statistics: Statistics | None = None
) -> tuple[Passage, ...]:
    """Return the passages a query shares with a text, as `passages` does: the way for many queries of many texts.

    Args:
        query: The suspicious text.
        source: The text it is compared with.
        settings: What counts as a passage.
        statistics: As for `passages`. Without statistics of the query's language the text is compared step by step.
    """
    settings = settings or Settings()
    if statistics is None or not query.is_known(statistics):
        return passages(query, prepare(source.text), settings, statistics)
    found = explored(query, source, settings, statistics)
    if found is None:
        return ()
    text = Prepared.of_ready(source.text, source.ready(statistics))
    every = list(map(Block, *found.blocks.T.tolist()))
    chains = [every[start:stop] for start, stop in pairwise(found.bounds.tolist())]
    exact = _exact_pieces(query, text, found.pair, chains, settings)
    # Beside an exact piece an alignment may be widened. Alone it stays as it is.
    boxes = found.boxes if exact else found.boxes[found.may]
    return _judged(query, text, found.pair, exact, ranked(boxes), settings)


def _exact_pieces(
    query: Prepared, source: Prepared, pair: Pair, found: Iterable[Chain], settings: Settings
) -> list[Piece]:
    """Return the pieces of chains of equal runs whose words are rare enough, in query order."""
    exact = sorted(_verified(query, source, found, settings), key=lambda piece: piece.query.start)
    return _evident(query, pair, exact, settings)


def _is_one_run(query: Prepared, found: Iterable[Chain], settings: Settings) -> bool:
    """Return whether one equal run is the whole query, but for ends under half of the shortest reworded passage.

    Then no alignment says more. Those of a text that repeats itself would make a reworded passage of the run.
    """

    def is_short(start: int, stop: int) -> bool:
        return start == stop or 2 * n_letters(query, Span(start, stop)) < settings.min_reworded_chars

    return any(
        is_short(0, block.query)
        and is_short(block.query_stop, query.n_tokens)
        and _has_long_run(query, [block])
        and n_letters(query, Span(block.query, block.query_stop)) >= settings.min_chars
        for chain in found
        for block in chain
    )


def _judged(
    query: Prepared,
    source: Prepared,
    pair: Pair,
    exact: Sequence[Piece],
    found: Sequence[Alignment],
    settings: Settings,
) -> tuple[Passage, ...]:
    """Return the passages that exact pieces and alignments make together."""
    loose = [
        one
        for one in reworded(query, source, pair, exact, found, settings)
        if not _is_copy(query, source, pair, one, exact, settings)
    ]
    loose.sort(key=lambda piece: piece.query.start)
    pieces = joined(query, source, [*loose, *_left(query, source, exact, loose, settings)], settings)
    nats = weighed(query, source, pair, pieces, settings.seed_tokens)
    return tuple(_passage(query, source, *one) for one in zip(pieces, nats, strict=True))


def _verified(query: Prepared, source: Prepared, found: Iterable[Chain], settings: Settings) -> Iterator[Piece]:
    """Yield pieces from chains, the worthiest first. A later chain gets the tokens that the earlier ones left."""
    taken: list[Span] = []
    for whole in found:
        for part in list(free_parts(whole, taken)):
            for chain, similarity in accepted(query, source, part, settings.threshold):
                if n_letters(query, chain_spans(chain)[0]) >= settings.min_chars:
                    insort(taken, owned(query, chain), key=START)
                    yield _exact(chain, similarity)


def _evident(query: Prepared, pair: Pair, exact: Sequence[Piece], settings: Settings) -> list[Piece]:
    """Return the exact pieces without those whose words any two texts of their kind may share.

    A run of `SURE_WORDS` equal words is beyond doubt. Otherwise the words must be rare in the rest of both texts. If
    their evidence is small, then few rare words may differ: many differ in a form that is filled in twice.
    """
    doubtful = [piece for piece in exact if not _has_long_run(query, piece.chain[0])]
    found = evidence(pair, [(piece.query, piece.source) for piece in doubtful])
    weak = {
        piece.query
        for piece, nats in zip(doubtful, found, strict=True)
        if nats < settings.least_evidence
        or (nats < 2 * settings.least_evidence and _is_form(pair, piece, settings.threshold))
    }
    return [piece for piece in exact if piece.query not in weak]


def _is_form(pair: Pair, piece: Piece, threshold: float) -> bool:
    alike = piece.similarity >= threshold + SHORT_MARGIN
    return not alike or rare_likeness(pair, piece) < threshold + FORM_MARGIN


def _has_long_run(query: Prepared, chain: Chain) -> bool:
    stops = query.run_stops(SURE_WORDS)
    return any(block.query < len(stops) and stops[block.query] <= block.query_stop for block in chain)


def _left(
    query: Prepared, source: Prepared, exact: Iterable[Piece], loose: Sequence[Piece], settings: Settings
) -> Iterator[Piece]:
    """Yield what the loose pieces leave of the exact ones. An exact piece mostly inside a loose one is part of that
    one.
    """
    taken = [piece.query for piece in loose]
    for piece in exact:
        [chain] = piece.chain
        if any(_mostly_inside(chain, one) for one in loose[near(taken, piece.query)]):
            continue
        for part in free_parts(chain, taken):
            left = piece if part == chain else _measured(query, source, part)
            if left.similarity >= settings.threshold and n_letters(query, left.query) >= settings.min_chars:
                yield left


def _is_copy(
    query: Prepared, source: Prepared, pair: Pair, one: Piece, exact: Sequence[Piece], settings: Settings
) -> bool:
    """Return whether a summary is one copied passage among words of its topic that say less."""
    if one.kind != "summary" or len(one.source) < COPIED_TIMES * len(one.query):
        return False
    inside = [piece for piece in exact if _mostly_inside(piece.chain[0], one)]
    if len(inside) != 1:
        return False
    [nats] = weighed(query, source, pair, inside, settings.seed_tokens)
    return nats > COPIED_EVIDENCE * one.word_evidence


def _mostly_inside(chain: Chain, one: Piece) -> bool:
    """Return whether a piece holds more than half of a chain in the query, and meets the chain in both texts."""
    here, _ = chain_spans(chain)
    return 2 * overlap(here, one.query) > len(here) and in_both(chain, one.query, one.source)


def _ordered(query: Prepared, source: Prepared, piece: Piece) -> float:
    return ordered_share(query.word_keys(piece.query).tolist(), source.word_keys(piece.source).tolist())


def _measured(query: Prepared, source: Prepared, chain: Chain) -> Piece:
    """Return a part of a chain as a piece with its own similarity."""
    found = scores(query, source, *chain_spans(chain))
    return _exact(chain, (found.words or 0.0) if found.characters is None else found.characters)


def _exact(chain: Chain, similarity: float) -> Piece:
    kind = "verbatim" if len(chain) == 1 else "edited"
    return Piece(*chain_spans(chain), 1.0 if len(chain) == 1 else similarity, kind, (chain,))


def _passage(query: Prepared, source: Prepared, piece: Piece, nats: float) -> Passage:
    if piece.chain:
        spans = span_pair(query, source, piece.chain[0])
    else:
        spans = grown(query, piece.query), grown(source, piece.source)
    equal = piece.kind == "verbatim"
    found = Scores(1.0, 1.0, 1.0) if equal else scores(query, source, piece.query, piece.source)
    in_order = 1.0 if equal else _ordered(query, source, piece)
    nats *= max(query.names.share_counted(piece.query), source.names.share_counted(piece.source))
    return Passage(
        *spans,
        piece.similarity,
        piece.kind,
        scores=found,
        evidence=round(nats, 1),
        in_order=round(in_order, 3),
        certainty=certainty(piece.kind, nats, in_order),
    )
