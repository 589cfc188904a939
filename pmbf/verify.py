"""Verification: two texts in, the passages they share out, in characters of both originals.

    text ─prepare─► Prepared                prepared.py     what is made of a text, once for all texts beside it
    Statistics                              statistics.py   how rare words are in texts of one kind
    passages_each                           compare.py      pairs of texts in one call of a kernel: their passages
    passages                                compare.py      the same for one pair
    with_neighbours                         neighbours.py   which other documents hold the same passage
    edits, word_pairs                       edits.py        the words that differ, on demand

The steps of `kernels.compare`, in its NumPy twin:

    accepted          reference_likeness.py    by Levenshtein distance: similar enough, or split
    reworded          reference_reworded.py    the alignments that say more than the equal runs in them
    SharedPiece       reference_pieces.py      a pair of token ranges: what all steps pass on
    joined            reference_judge.py       pieces of one reworded passage put together
    scores            reference_likeness.py    three Levenshtein similarities of the two sides
    weighed           reference_pieces.py      the evidence of each piece, in nats

`settings.py` holds the numbers that decide what counts as a passage: `Settings`, checked once.

A verbatim or edited passage grows from a run of `Settings.seed_tokens` equal words. A reworded passage or a summary
grows from words in common, in any order.
"""

from pmbf.passages.compare import TextPair, passages, passages_each
from pmbf.passages.edits import Edit, WordPair, edits, word_pairs
from pmbf.passages.neighbours import with_neighbours
from pmbf.passages.prepared import Prepared, make_ready, prepare
from pmbf.passages.settings import Settings
from pmbf.passages.statistics import Statistics

__all__ = [
    "Edit",
    "Prepared",
    "Settings",
    "Statistics",
    "TextPair",
    "WordPair",
    "edits",
    "make_ready",
    "passages",
    "passages_each",
    "prepare",
    "with_neighbours",
    "word_pairs",
]
