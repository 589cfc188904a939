"""Chunk IDs in C: the names, results and errors of `reference_chunks`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref, c_int64, c_size_t, c_uint32, c_void_p

import numpy as np

from pmbf.kernels.inverted_checks import require_chunks
from pmbf.kernels.inverted_layout import Lists
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_memory import array_of
from pmbf.kernels.native_text import text_table
from pmbf.kernels.reference_text import decoded

__all__ = ["chunk_lists"]

_AT, _N = c_void_p, c_size_t

_at = address()
_chunk_lists = function("pmbf_chunk_lists", _AT, _AT, _AT, _N, _N, c_uint32, _AT, _AT, returns=c_int64)


def chunk_lists(texts: Sequence[bytes], *, n_words: int, bits: int = 32) -> Lists:
    """See `reference_chunks.chunk_lists`. The interpreter's lock is released once for all texts."""
    require_chunks(n_words, bits)
    places, sizes = (
        np.array([_at(text) for text in texts], np.uint64),
        np.array([len(text) for text in texts], np.uint64),
    )
    offsets, features = np.zeros(len(texts) + 1, np.uint64), c_void_p()
    made = _chunk_lists(text_table(), _at(places), _at(sizes), len(texts), n_words, bits, _at(offsets), byref(features))
    ids = array_of(features.value, np.uint32, int(offsets.max()))
    if made < 0:
        raise MemoryError
    if made < len(texts):
        decoded(texts[made])  # raises
    return Lists(offsets, ids)
