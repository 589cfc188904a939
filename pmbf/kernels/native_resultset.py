"""The kernels of result sets in C: the names, results and errors of `reference_resultset`."""

from __future__ import annotations

from ctypes import c_double, c_int, c_size_t, c_uint32, c_void_p

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.kernels import checks
from pmbf.kernels import sentence_rules as rules
from pmbf.kernels.native_library import address, function, module
from pmbf.kernels.native_text import text_table
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.sentence_rules import NO_HASHES, HashedSentences, Likeness, StemTable

__all__ = ["are_alike", "pairs_alike", "sentences", "shown_for"]

_at = address()
_lists_alike, _lists_shown, _sentences = module().lists_alike, module().lists_shown, module().sentences
_merge = function("pmbf_lists_merge", c_void_p, c_size_t, c_void_p, c_size_t, c_uint32, c_double, c_int, returns=c_int)


def pairs_alike(packed: list[bytes], likeness: Likeness, without: NDArray[np.uint32] = NO_HASHES) -> NDArray[np.int32]:
    """See `reference_resultset.pairs_alike`."""
    found = _lists_alike(packed, *likeness, without)
    if found is None:
        rules.lists_of(packed, without)  # raises
        raise ParameterError("without is strided, expected a plain array")
    return np.frombuffer(found, np.int32).reshape(-1, 5)


def shown_for(pairs: NDArray[np.int32], order: NDArray[np.int64], *, connected: bool) -> NDArray[np.int64]:
    """See `reference_resultset.shown_for`."""
    shown = _lists_shown(pairs, order, connected)
    if shown is None:
        rules.require_pairs(pairs, order)
        raise ParameterError("an array is strided, expected plain arrays")
    return np.frombuffer(shown, np.int64)


def are_alike(
    first: NDArray[np.uint32], second: NDArray[np.uint32], limits: tuple[int, int], likeness: Likeness
) -> bool:
    """See `reference_resultset.are_alike`."""
    checks.require("first", first, np.uint32, "(n,)", 1)
    checks.require("second", second, np.uint32, "(n,)", 1)
    first, second = np.ascontiguousarray(first), np.ascontiguousarray(second)
    return bool(_merge(_at(first), len(first), _at(second), len(second), min(limits), *likeness))


def sentences(utf8: bytes, stems: StemTable | None = None) -> HashedSentences:
    """See `reference_resultset.sentences`."""
    made = _sentences(text_table(), utf8, *((None, 0) if stems is None else (stems.slots, stems.factor)))
    if made is None:
        decoded(utf8)  # raises
        raise ParameterError("the slots of the stems are no table of stems")
    found, unknown, n_chars = made
    return HashedSentences(np.frombuffer(found, rules.SENTENCE), np.frombuffer(unknown, rules.UNKNOWN), n_chars)
