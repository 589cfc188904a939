"""The words of a text: the native twin of `reference_words`."""

from __future__ import annotations

from ctypes import Structure, addressof, c_int64, c_void_p

import numpy as np

from pmbf.kernels.align_rules import N_SLIPS, Words
from pmbf.kernels.native_library import address, function
from pmbf.kernels.types import Folded, Tokens

__all__ = ["words"]

_at = address()


class _Text(Structure):
    """`given_t` of native/align/words.c."""

    _fields_ = (
        *((name, c_void_p) for name in ("text", "folded")),
        *((name, c_int64) for name in ("text_size", "folded_size", "n")),
        *((name, c_void_p) for name in ("starts", "stops", "bytes_given", "letters_given", "singles")),
        *((name, c_void_p) for name in ("keys", "types", "borders", "firsts")),
        ("n_folded", c_int64),
        *((name, c_void_p) for name in ("origin", "bytes", "letters", "slips")),
    )


_words = function("pmbf_align_words", c_void_p, returns=c_int64)


def words(utf8: bytes, folded: Folded, tokens: Tokens) -> Words:
    """As `reference_words.words`."""
    n, letters = len(tokens), folded.text.encode()
    keys, types, borders = np.empty(n, np.uint64), np.empty(n, np.int32), np.empty(n + 1, np.uint8)
    slips, firsts, ranges = np.empty((n, N_SLIPS), np.uint64), np.empty(n, np.uint32), np.empty((2, n, 2), np.uint32)
    text = _Text(_at(utf8), _at(letters), len(utf8), len(letters), n, n_folded=len(folded.text))
    text.origin, text.singles = _at(folded.origin), _at(tokens.singles)
    text.starts, text.stops = _at(tokens.starts), _at(tokens.stops)
    text.bytes = text.bytes_given = _at(ranges)
    text.letters = text.letters_given = _at(ranges) + ranges.nbytes // 2
    text.keys, text.types, text.borders = _at(keys), _at(types), _at(borders)
    text.firsts, text.slips = _at(firsts), _at(slips)
    n_types = _words(addressof(text))
    if n_types < 0:
        raise MemoryError(f"no memory for the words of a text of {len(utf8)} bytes")
    return Words(keys[:n_types].copy(), types, slips[:n_types].copy(), borders)
