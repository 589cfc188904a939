"""What both twins of the kernel of units share: how wide a unit is, its codes, and what the kernel returns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError

__all__ = [
    "CODES",
    "GROUP_BITS",
    "SHORT_COLUMNS",
    "Units",
]

CODES = {"words": 10, "paper": 5}
"""How many keys a unit has, by the name of the code.

    words   the smallest hashes of its shingles under 10 hash functions; a shingle is 3 words in any order
    paper   100 bits, one of the smallest hash of its words under each of 100 functions; a key of every 20 bits

Sources:
    Broder 1997; Li & König 2010 (b-bit minwise hashing), with b = 1; Jiang (SolrCloud), five groups of 20 bits.
"""

GROUP_BITS = 20
"""Bits of the paper's code in a key. They are the top bits but 3, which are the number of the group."""

LEAST_COLUMNS, HIGH_COLUMNS, MOST_COLUMNS = 110, 190, 250
"""A unit ends with the first sentence that brings it to 110 columns. A sentence that would bring the unit above 250 is
cut, at the last gap from 110 to 190 columns."""
SHORT_COLUMNS = 40
"""A shorter rest of a paragraph belongs to the unit before; a shorter paragraph is no unit."""

HAN_COLUMNS, HANGUL_COLUMNS = 3, 2
"""Columns of a letter. A letter of another script, a space and a mark have 1: docs/sentences.md says how measured."""

UNIT_SHINGLE = 3
N_MINIMA = 100


class Units(NamedTuple):
    """The sentences and units of a text. All places are code points of the text.

    Args:
        sentences: `(n_sentences, 2) uint32`, start and stop of each, in text order.
        spans: `(n, 2) uint32`, start and stop of each unit. If a unit begins at each sentence, then units overlap.
        keys: `(n, n_keys) uint64`, the keys of each.
        n_chars: Code points of the text.
    """

    sentences: NDArray[np.uint32]
    spans: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    n_chars: int


def require_code(code: str) -> None:
    """Refuse a code that there is not."""
    if code not in CODES:
        raise ParameterError(f"code is {code!r}, expected one of: {', '.join(CODES)}")
