"""Fold, tokenise and sample a text: the native twin of `reference_text`, same names, same results, same errors.

The work is done by `native/text_*.c`; here buffers go in and arrays come out. One call of the library per text, and one
that hands the arrays over. The library's lock-free functions share one table, built at the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import Structure, addressof, c_char, c_char_p, c_double, c_int, c_size_t, c_uint8, c_uint64, c_void_p
from functools import cache

import numpy as np

from pmbf.kernels.fold_table import fold_table
from pmbf.kernels.lookalikes import shapes
from pmbf.kernels.native_library import function
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.types import Folded, Sample, Tokens

PORTABLE, AVX2, AVX512 = range(3)
"""Instruction sets; the best that the processor has is used."""

_NOT_UTF8 = -2
_MOST_PARTS = 4


class _Result(Structure):
    """`result_t` of native/text_result.h."""

    _fields_ = (
        *((name, c_uint64) for name in ("n_chars", "n_tokens", "n_shingles", "n_mixed", "n_invisible")),
        *((f"size_{part}", c_uint64) for part in range(_MOST_PARTS)),
        ("parts", c_void_p * _MOST_PARTS),
    )


class _Options(Structure):
    """`options_t` of native/text_sample.c."""

    _fields_ = (
        *((name, c_uint64) for name in ("shingle_tokens", "min_hashes", "segment_chars")),
        ("density", c_double),
        *((name, c_uint8) for name in ("ordered", "positions")),
    )


class TextKernels:
    """The three kernels on one instruction set. Safe to share between threads.

    Args:
        level: The best instruction set to use.

    Raises:
        UnsupportedError: The library is not built.
    """

    def __init__(self, level: int = AVX512) -> None:
        table, looks = fold_table(), shapes()
        self._arrays = (table.entries, table.expansions, looks.number, looks.letter, looks.scripts)
        build = function("pmbf_text_table", *[c_void_p] * 5, c_int, returns=c_void_p)
        self._table = c_void_p(build(*(array.ctypes.data for array in self._arrays), level))
        if not self._table:
            raise MemoryError("the text kernels need 1 MiB for their tables")
        self.level: int = function("pmbf_text_level", c_void_p, returns=c_int)(self._table)
        self._fold = _kernel("pmbf_text_fold")
        self._tokenise = _kernel("pmbf_text_tokenise")
        self._sample = _kernel("pmbf_text_sample", c_void_p)
        self._take = function("pmbf_text_take", c_void_p, c_void_p)

    def fold(self, utf8: bytes) -> Folded:
        """As `reference_text.fold`."""
        result = _Result()
        self._check(self._fold(self._table, utf8, len(utf8), addressof(result)), utf8)
        n_origins = result.size_0 // 4
        buffer = self._taken(result, result.size_0 + result.size_1)
        text = memoryview(buffer)[result.size_0 : -1].tobytes().decode()
        return Folded(text, np.ndarray(n_origins, np.uint32, buffer))

    def tokenise(self, utf8: bytes) -> Tokens:
        """As `reference_text.tokenise`."""
        result = _Result()
        self._check(self._tokenise(self._table, utf8, len(utf8), addressof(result)), utf8)
        n = result.n_tokens
        buffer = self._taken(result, 17 * n)
        return Tokens(
            hashes=np.ndarray(n, np.uint64, buffer),
            starts=np.ndarray(n, np.uint32, buffer, 8 * n),
            stops=np.ndarray(n, np.uint32, buffer, 12 * n),
            singles=np.ndarray(n, np.bool_, buffer, 16 * n),
            n_chars=result.n_chars,
            n_mixed=result.n_mixed,
            n_invisible=result.n_invisible,
        )

    def sample(
        self,
        utf8: bytes,
        *,
        shingle_tokens: int,
        ordered: bool,
        density: float,
        min_hashes: int,
        segment_chars: int,
        positions: bool = True,
    ) -> Sample:
        """As `reference_text.sample`."""
        options, result = _Options(shingle_tokens, min_hashes, segment_chars, density, ordered, positions), _Result()
        self._check(self._sample(self._table, utf8, len(utf8), addressof(options), addressof(result)), utf8)
        size, places, bounds = result.size_0, result.size_1, result.size_3
        buffer = self._taken(result, size + 2 * places + bounds)
        return Sample(
            hashes=np.ndarray(size // 4, np.uint32, buffer),
            starts=np.ndarray(places // 4, np.uint32, buffer, size),
            token=np.ndarray(places // 4, np.uint32, buffer, size + places),
            bounds=np.ndarray(bounds // 4, np.uint32, buffer, size + 2 * places),
            n_chars=result.n_chars,
            n_tokens=result.n_tokens,
            n_shingles=result.n_shingles,
            n_mixed=result.n_mixed,
            n_invisible=result.n_invisible,
        )

    def _taken(self, result: _Result, size: int) -> bytearray:
        """Return the arrays of a result, end to end, and free them in the library."""
        buffer = bytearray(size + 1)  # one more: ctypes takes no empty buffer
        self._take(addressof(result), addressof(c_char.from_buffer(buffer)))
        return buffer

    @staticmethod
    def _check(status: int, utf8: bytes) -> None:
        if status == _NOT_UTF8:
            decoded(utf8)  # raises
        if status:
            raise MemoryError(f"no memory for the kernels of a text of {len(utf8)} bytes")


def _kernel(name: str, *options: type) -> Callable[..., int]:
    return function(name, c_void_p, c_char_p, c_size_t, *options, c_void_p, returns=c_int)


@cache
def _best() -> TextKernels:
    return TextKernels()


def fold(utf8: bytes) -> Folded:
    """As `reference_text.fold`."""
    return _best().fold(utf8)


def tokenise(utf8: bytes) -> Tokens:
    """As `reference_text.tokenise`."""
    return _best().tokenise(utf8)


def sample(
    utf8: bytes,
    *,
    shingle_tokens: int,
    ordered: bool,
    density: float,
    min_hashes: int,
    segment_chars: int,
    positions: bool = True,
) -> Sample:
    """As `reference_text.sample`."""
    return _best().sample(
        utf8,
        shingle_tokens=shingle_tokens,
        ordered=ordered,
        density=density,
        min_hashes=min_hashes,
        segment_chars=segment_chars,
        positions=positions,
    )
