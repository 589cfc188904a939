"""The one door to the hot loops: text in, tokens and samples out; hashes in, bits and counts out.

Every name here is answered by the NumPy reference; a native twin answers the same names with the same results and the
same errors. Nothing outside this package imports a module of it other than `pmbf.kernels` and its types.
"""

from __future__ import annotations

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
from pmbf.kernels.reference_text import fold, sample, tokenise
from pmbf.kernels.types import Folded, Sample, Tokens

NAME = "reference"
"""Which twin answers."""

__all__ = [
    "NAME",
    "Folded",
    "Sample",
    "Tokens",
    "and_popcounts",
    "fill",
    "fold",
    "hits_open",
    "hits_sealed",
    "intersect",
    "popcount",
    "popcounts",
    "positions",
    "sample",
    "seal",
    "tokenise",
    "unseal",
    "window_counts",
]
