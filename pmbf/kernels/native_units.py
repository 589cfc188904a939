"""The kernel of units in C: the name, results and errors of `reference_units`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.native_library import module
from pmbf.kernels.native_text import text_table
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.sentence_rules import CODES, Units, require_code

__all__ = ["units"]

_units = module().units
_NUMBERS = {code: number for number, code in enumerate(CODES)}


def units(utf8: bytes, *, code: str = "words", from_each: bool = False) -> Units:
    """See `reference_units.units`."""
    require_code(code)
    made = _units(text_table(), utf8, _NUMBERS[code], from_each)
    if made is None:
        decoded(utf8)  # raises
    sentences, spans, keys, n_chars = made
    keys = np.frombuffer(keys, np.uint64).reshape(-1, CODES[code])
    return Units(_pairs(sentences), _pairs(spans), keys, n_chars)


def _pairs(raw: bytes) -> NDArray[np.uint32]:
    return np.frombuffer(raw, np.uint32).reshape(-1, 2)
