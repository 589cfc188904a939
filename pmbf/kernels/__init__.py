"""The one door to the hot loops: text in, tokens and samples out; hashes in, bits and counts out.

Two twins answer the same names with the same results and the same errors: the native kernels, in C, and the NumPy
reference. The native ones answer where they are built; `PMBF_KERNELS=native` and `PMBF_KERNELS=reference` choose one.
Nothing outside this package imports a module of it other than `pmbf.kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pmbf.kernels.align_rules import NAT, PRIOR_UNIT, PRIOR_WORDS, Grams, Pair, Rules, Runs, Words, score_tables
from pmbf.kernels.choice import NATIVE_MISSING, native_answers
from pmbf.kernels.types import Folded, Looks, Sample, SharedPlaces, TextRead, Tokens

# One twin is checked for types; the other has the same names and, so the tests say, the same types.
if TYPE_CHECKING or not native_answers():
    from pmbf.kernels.reference_align import align, part_scores
    from pmbf.kernels.reference_bits import (
        and_popcounts,
        fill,
        hits_open,
        hits_sealed,
        intersect,
        popcount,
        popcounts,
        positions,
        seal,
        unseal,
        window_counts,
    )
    from pmbf.kernels.reference_files import looks, read_texts
    from pmbf.kernels.reference_gaps import decode_gaps, encode_gaps
    from pmbf.kernels.reference_keyed import siphash_windows
    from pmbf.kernels.reference_query import evidence, look_up, rows_over, rows_with_evidence
    from pmbf.kernels.reference_records import check_pages, checksum, page_checksums, record, shared
    from pmbf.kernels.reference_rows import checked_rows
    from pmbf.kernels.reference_runs import equal_runs, grams, hops, runs_of
    from pmbf.kernels.reference_text import fold, sample, tokenise
    from pmbf.kernels.reference_words import classes, spell, words

    NAME = "reference"
else:
    from pmbf.kernels.native_align import align, classes, equal_runs, grams, hops, part_scores, runs_of, spell, words
    from pmbf.kernels.native_bits import (
        and_popcounts,
        decode_gaps,
        encode_gaps,
        evidence,
        fill,
        hits_open,
        hits_sealed,
        intersect,
        look_up,
        popcount,
        popcounts,
        positions,
        rows_over,
        rows_with_evidence,
        seal,
        unseal,
        window_counts,
    )
    from pmbf.kernels.native_keyed import siphash_windows
    from pmbf.kernels.native_records import check_pages, checked_rows, checksum, page_checksums, record, shared
    from pmbf.kernels.native_text import fold, looks, read_texts, sample, tokenise

    NAME = "native"
"""Which twin answers."""

__all__ = [
    "NAME",
    "NAT",
    "NATIVE_MISSING",
    "PRIOR_UNIT",
    "PRIOR_WORDS",
    "Folded",
    "Grams",
    "Looks",
    "Pair",
    "Rules",
    "Runs",
    "Sample",
    "SharedPlaces",
    "TextRead",
    "Tokens",
    "Words",
    "align",
    "and_popcounts",
    "check_pages",
    "checked_rows",
    "checksum",
    "classes",
    "decode_gaps",
    "encode_gaps",
    "equal_runs",
    "evidence",
    "fill",
    "fold",
    "grams",
    "hits_open",
    "hits_sealed",
    "hops",
    "intersect",
    "look_up",
    "looks",
    "page_checksums",
    "part_scores",
    "popcount",
    "popcounts",
    "positions",
    "read_texts",
    "record",
    "rows_over",
    "rows_with_evidence",
    "runs_of",
    "sample",
    "score_tables",
    "seal",
    "shared",
    "siphash_windows",
    "spell",
    "tokenise",
    "unseal",
    "window_counts",
    "words",
]
