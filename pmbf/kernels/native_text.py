"""Fold, tokenise and sample a text: the native twin of `reference_text`, with the same names, results and errors.

`native/text/*.c` do the work, with one call of the extension module for each text. Bytes go in, arrays come out. The
library's functions take no locks; they share one table, built at the first call.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import hash_dtype
from pmbf.base.params import Sampling
from pmbf.kernels import checks
from pmbf.kernels.fold_table import fold_table
from pmbf.kernels.inverted_checks import require_chunks
from pmbf.kernels.inverted_layout import Lists
from pmbf.kernels.lookalikes import shapes
from pmbf.kernels.native_library import address, function, module
from pmbf.kernels.native_memory import array_of
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.types import Folded, Sample, Samples, Tokens

__all__ = ["chunk_lists", "fold", "sample", "sample_texts", "tokenise"]

Places = NDArray[np.int64]
_AT, _N = c_void_p, c_size_t
_at = address()
_chunk_lists = function("pmbf_chunk_lists", _AT, _AT, _AT, _N, _N, c_uint32, _AT, _AT, returns=c_int64)

PORTABLE, AVX2, AVX512 = range(3)
"""Instruction sets. The best one that the processor has is used."""


class TextKernels:
    """The text kernels on one instruction set. Threads may share them.

    Args:
        level: The best instruction set to use.

    Raises:
        UnsupportedError: The library is not built.
    """

    def __init__(self, level: int = AVX512) -> None:
        table, looks = fold_table(), shapes()
        self._arrays = (table.entries, table.expansions, looks.number, looks.letter, looks.scripts)
        build = function("pmbf_text_table", *[c_void_p] * 5, c_int, returns=c_void_p)
        self.table: int = build(*(array.ctypes.data for array in self._arrays), level)
        if not self.table:
            raise MemoryError("the text kernels need 2 MiB for their tables")
        self.level: int = function("pmbf_text_level", c_void_p, returns=c_int)(self.table)
        library = module()
        self._fold, self._tokenise, self._sample = library.text_fold, library.text_tokenise, library.text_sample
        self._samples = library.text_samples

    def fold(self, utf8: bytes) -> Folded:
        """As `reference_text.fold`."""
        text, origins = _valid(self._fold(self.table, utf8), utf8)
        return Folded(text, np.ndarray(len(origins) // 4, np.uint32, origins))

    def tokenise(self, utf8: bytes) -> Tokens:
        """As `reference_text.tokenise`."""
        buffer, n, n_chars, n_mixed, n_invisible = _valid(self._tokenise(self.table, utf8), utf8)
        return Tokens(
            hashes=np.ndarray(n, np.uint64, buffer),
            starts=np.ndarray(n, np.uint32, buffer, 8 * n),
            stops=np.ndarray(n, np.uint32, buffer, 12 * n),
            singles=np.ndarray(n, np.bool_, buffer, 16 * n),
            n_chars=n_chars,
            n_mixed=n_mixed,
            n_invisible=n_invisible,
        )

    def sample(self, utf8: bytes, how: Sampling, *, positions: bool = True, starts: bool = True) -> Sample:
        """As `reference_text.sample`."""
        made = _valid(self._sample(self.table, utf8, numbers_of(how), positions, starts), utf8)
        buffer, n, n_starts, n_token, n_bounds, n_chars, n_tokens, n_shingles, n_mixed, n_invisible = made
        hashes = np.ndarray(n, hash_dtype(how.hash_bits), buffer)
        return Sample(
            hashes,
            np.ndarray(n_starts, np.uint32, buffer, hashes.nbytes),
            np.ndarray(n_token, np.uint32, buffer, hashes.nbytes + 4 * n_starts),
            np.ndarray(n_bounds, np.uint32, buffer, hashes.nbytes + 4 * (n_starts + n_token)),
            n_chars,
            n_tokens,
            n_shingles,
            n_mixed,
            n_invisible,
        )

    def sample_texts(self, content: bytes, starts: Places, stops: Places, how: Sampling) -> Samples:
        """As `reference_text.sample_texts`. The interpreter's lock is released once for all texts."""
        checks.require_texts(starts, stops)
        starts, stops = np.ascontiguousarray(starts), np.ascontiguousarray(stops)
        made = self._samples(self.table, content, starts, stops, numbers_of(how))
        if made is None:
            checks.require_texts_inside(starts, stops, len(content))
        buffer, n_parts, n_hashes = made
        return samples_of(buffer, len(starts), n_parts, n_hashes, how)


def numbers_of(how: Sampling) -> tuple[int, int, int, int, float, bool, int]:
    """Return the numbers of the sampling as the library takes them."""
    numbers = how.shingle_tokens, how.long_letters, how.min_hashes, how.segment_chars
    return *numbers, how.density, how.ordered, how.hash_bits


def samples_of(buffer: bytearray, n: int, n_parts: int, n_hashes: int, how: Sampling) -> Samples:
    """Return the samples of n texts, whose columns lie in a buffer."""
    at, columns = 0, list[Places]()
    for size in (n_parts + 1, n + 1, n, n):
        columns.append(np.ndarray(size, np.int64, buffer, at))
        at += 8 * size
    bounds, firsts, n_chars, n_tokens = columns
    return Samples(bounds, firsts, n_chars, n_tokens, np.ndarray(n_hashes, hash_dtype(how.hash_bits), buffer, at))


def _valid(made: Any, utf8: bytes) -> Any:
    """Return the result of a kernel. If it is None, then raise the error for bytes that are not UTF-8."""
    if made is None:
        decoded(utf8)  # raises
    return made


_made: dict[str, TextKernels] = {}


def _best() -> TextKernels:
    """Return the kernels on the best instruction set. If threads make several, then all use the first ones."""
    return _made.get("best") or _made.setdefault("best", TextKernels())


def text_table() -> int:
    """Return the address of the tables of the text kernels, for the kernels that fold a text as their first step."""
    return _best().table


def fold(utf8: bytes) -> Folded:
    """As `reference_text.fold`."""
    return _best().fold(utf8)


def tokenise(utf8: bytes) -> Tokens:
    """As `reference_text.tokenise`."""
    return _best().tokenise(utf8)


def sample(utf8: bytes, how: Sampling, *, positions: bool = True, starts: bool = True) -> Sample:
    """As `reference_text.sample`."""
    return _best().sample(utf8, how, positions=positions, starts=starts)


def sample_texts(content: bytes, starts: Places, stops: Places, how: Sampling) -> Samples:
    """As `reference_text.sample_texts`."""
    return _best().sample_texts(content, starts, stops, how)


def chunk_lists(texts: Sequence[bytes], *, n_words: int, bits: int = 32) -> Lists:
    """See `reference_text.chunk_lists`. The interpreter's lock is released once for all texts."""
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
