"""Verification: two texts in, the passages they share out, in characters of both originals.

    text ─prepare─► Prepared            tokens, once per text
    blocks          seeds.py            maximal equal runs of tokens, grown from shared grams
    chains          chains.py           blocks in the same order with small gaps
    stretched       edges.py            over a small edit at either end
    accepted        verdict.py          Levenshtein distance: similar enough, or split
    passages        compare.py          the best first, never overlapping in the query
    weighed         weighing.py         what each says for copying, in nats
    with_neighbours neighbours.py       the same passage in other documents

It finds verbatim and lightly edited copies: every passage grows from a run of `Settings.seed_tokens` equal words.
Another way of finding passages has its place beside `seeds` and `chains`, and meets this one at the verdict.
"""

from pmbf.passages.compare import passages
from pmbf.passages.edits import Edit, WordPair, edits, word_pairs
from pmbf.passages.neighbours import strongest, with_neighbours
from pmbf.passages.prepared import Prepared, prepare
from pmbf.passages.settings import Settings
from pmbf.passages.statistics import Statistics

__all__ = [
    "Edit",
    "Prepared",
    "Settings",
    "Statistics",
    "WordPair",
    "edits",
    "passages",
    "prepare",
    "strongest",
    "with_neighbours",
    "word_pairs",
]
