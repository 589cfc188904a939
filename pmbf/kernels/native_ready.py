"""A text made ready to be compared with queries: the native twin of `reference_ready`."""

from __future__ import annotations

from ctypes import addressof, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_SLIPS
from pmbf.kernels.asked import Counts, Ready
from pmbf.kernels.native_align import taken
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_text import text_table
from pmbf.kernels.native_weigh import counts_of
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.types import Tokens

__all__ = ["ready"]

_at = address()
_ready = function("pmbf_align_ready", *[c_void_p] * 4, c_int64, c_void_p, returns=c_int64)

_NOT_UTF8 = -2
_N_SIZES = 9


def ready(utf8: bytes, counts: Counts, commonest: tuple[int, int]) -> Ready:
    """As `reference_ready.ready`, in one call without the interpreter's lock."""
    answer, shares, (others, _kept) = c_void_p(), np.array(commonest, np.int64), counts_of(counts)
    size = _ready(text_table(), addressof(others), _at(shares), _at(utf8), len(utf8), addressof(answer))
    if size == _NOT_UTF8:
        decoded(utf8)  # raises
    if size < 0:
        raise MemoryError(f"no memory to make a text of {len(utf8)} bytes ready")
    return viewed(taken(answer, size, np.dtype(np.uint8)))


def viewed(block: NDArray[np.uint8]) -> Ready:
    """Return the arrays that native/align/ready.c packed one after another."""
    at = 0

    def part(n: int, dtype: type) -> Any:
        nonlocal at
        size = n * np.dtype(dtype).itemsize
        found: NDArray[Any] = block[at : at + size].view(dtype)
        at += size
        return found

    n, n_types, n_slipped, n_spelled, commonest, n_chars, n_mixed, n_invisible, width = part(
        _N_SIZES, np.int64
    ).tolist()
    place = np.uint16 if width == 2 else np.uint32
    hashes, keys = part(n, np.uint64), part(n_types, np.uint64)
    counted = part(n_types, np.int32), part(n_types, np.int32)
    starts, stops, types = part(n, place), part(n, place), part(n, place)
    part((N_SLIPS + 1) * n_slipped, place)
    offsets = part(n + 1, place)
    singles, borders, spelled = part(n, np.bool_), part(n + 1, np.uint8), part(n_spelled, np.uint8)
    tokens = Tokens(hashes, starts, stops, singles, n_chars, n_mixed, n_invisible)
    return Ready(tokens, keys, types, *counted, commonest, borders, spelled, offsets, len(block), {"native": block})


def tokens_of(block: NDArray[np.uint8]) -> Tokens:
    """Return the tokens alone, in less time than all arrays."""
    n, n_types, n_slipped, _, _, *figures, width = np.frombuffer(block, np.int64, _N_SIZES).tolist()
    place = np.uint16 if width == 2 else np.uint32
    hashes_at = 8 * _N_SIZES
    starts_at = hashes_at + 8 * n + (8 + 4 + 4) * n_types
    singles_at = starts_at + width * (4 * n + 1 + (N_SLIPS + 1) * n_slipped)
    starts, stops = np.frombuffer(block, np.dtype(place), 2 * n, starts_at).reshape(2, n)
    hashes, singles = np.frombuffer(block, np.uint64, n, hashes_at), np.frombuffer(block, np.bool_, n, singles_at)
    return Tokens(hashes, starts, stops, singles, *figures)
