"""Fold, tokenise and sample texts: the native twin of `reference_text`.

`native/text/*.c` do the work, with one call of the extension module for each text. Bytes go in, arrays come out. The
library's functions take no locks; they share one table, built at the first call.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref, c_int, c_int64, c_size_t, c_uint32, c_void_p
from hashlib import sha256
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
from pmbf.kernels.types import Folded, Looks, Sample, Samples, TextsRead, Tokens

__all__ = ["chunk_lists", "fold", "looks", "read_texts", "sample", "sample_texts", "tokenise"]

Places = NDArray[np.int64]
_AT, _N = c_void_p, c_size_t
_at = address()
_chunk_lists = function("pmbf_chunk_lists", _AT, _AT, _AT, _N, _N, c_uint32, _AT, _AT, returns=c_int64)

_build = function("pmbf_text_table", *[c_void_p] * 5, c_int, returns=c_void_p)
_level_of = function("pmbf_text_level", c_void_p, returns=c_int)
_fold, _tokenise, _sample, _samples = (
    getattr(module(), f"text_{name}") for name in ("fold", "tokenise", "sample", "samples")
)
_looks, _read_texts = module().looks, module().read_texts

_tables: dict[int, tuple[int, Any]] = {}
"""By instruction set, the address of the tables and the arrays that they point to."""
_level = 2
"""The best instruction set that is used if the processor has it: 0 plain, 1 AVX2, 2 AVX-512."""


def use_level(level: int) -> int:
    """Ask for an instruction set, for tests. Return the one in use."""
    global _level
    _level = level
    found: int = _level_of(text_table())
    return found


def text_table() -> int:
    """Return the address of the tables of the text kernels. If threads make several, then all use the first ones."""
    known = _tables.get(_level)
    return known[0] if known else _tables.setdefault(_level, _made_tables())[0]


def _made_tables() -> tuple[int, Any]:
    table, looks = fold_table(), shapes()
    arrays = table.entries, table.expansions, looks.number, looks.letter, looks.scripts
    at = _build(*map(_at, arrays), _level)
    if not at:
        raise MemoryError("the text kernels need 2 MiB for their tables")
    return at, arrays


def fold(utf8: bytes) -> Folded:
    """As `reference_text.fold`."""
    text, origins = _fold(text_table(), utf8) or _refused(utf8)
    return Folded(text, np.ndarray(len(origins) // 4, np.uint32, origins))


def tokenise(utf8: bytes) -> Tokens:
    """As `reference_text.tokenise`."""
    buffer, n, n_chars, n_mixed, n_invisible = _tokenise(text_table(), utf8) or _refused(utf8)
    return Tokens(
        hashes=np.ndarray(n, np.uint64, buffer),
        starts=np.ndarray(n, np.uint32, buffer, 8 * n),
        stops=np.ndarray(n, np.uint32, buffer, 12 * n),
        singles=np.ndarray(n, np.bool_, buffer, 16 * n),
        n_chars=n_chars,
        n_mixed=n_mixed,
        n_invisible=n_invisible,
    )


def sample(utf8: bytes, how: Sampling, *, positions: bool = True, starts: bool = True, words: bool = False) -> Sample:
    """As `reference_text.sample`."""
    made = _sample(text_table(), utf8, _numbers_of(how), positions, starts, words) or _refused(utf8)
    buffer, n, n_starts, n_token, n_bounds, *figures = made
    hashes = np.ndarray(n, hash_dtype(how.hash_bits), buffer)
    words_at = hashes.nbytes + 4 * (n_starts + n_token + n_bounds)
    return Sample(
        hashes,
        np.ndarray(n_starts, np.uint32, buffer, hashes.nbytes),
        np.ndarray(n_token, np.uint32, buffer, hashes.nbytes + 4 * n_starts),
        np.ndarray(n_bounds, np.uint32, buffer, hashes.nbytes + 4 * (n_starts + n_token)),
        np.ndarray(len(buffer) - 1 - words_at, np.uint8, buffer, words_at),
        *figures,
    )


def sample_texts(content: bytes, starts: Places, stops: Places, how: Sampling, *, words: bool = True) -> Samples:
    """As `reference_text.sample_texts`. The interpreter's lock is released once for all texts."""
    checks.require_texts(starts, stops)
    starts, stops = np.ascontiguousarray(starts), np.ascontiguousarray(stops)
    made = _samples(text_table(), content, starts, stops, _numbers_of(how), words)
    if made is None:
        checks.require_texts_inside(starts, stops, len(content))
    buffer, n_parts, n_hashes = made
    return _samples_of(buffer, len(starts), n_parts, n_hashes, how)


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


def looks(content: bytes) -> Looks:
    """As `reference_text.looks`."""
    return Looks(*_looks(content))


def read_texts(paths: Sequence[str], sizes: Sequence[int], how: Sampling) -> TextsRead:
    """As `reference_text.read_texts`. The interpreter's lock is released once for all files."""
    content, is_read, buffer, n_parts, n_hashes = _read_texts(text_table(), list(paths), list(sizes), _numbers_of(how))
    numbers = np.flatnonzero(np.ndarray(len(paths), np.bool_, is_read))
    ends = np.cumsum([0, *sizes], dtype=np.int64)
    starts, stops = ends[numbers], ends[numbers + 1]
    view = memoryview(content)
    sums = [sha256(view[start:stop]).hexdigest() for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
    return TextsRead(numbers, sums, content, starts, stops, _samples_of(buffer, len(numbers), n_parts, n_hashes, how))


def _numbers_of(how: Sampling) -> tuple[int, int, int, int, float, bool, int]:
    """Return the numbers of the sampling as the library takes them."""
    numbers = how.shingle_tokens, how.long_letters, how.min_hashes, how.segment_chars
    return *numbers, how.density, how.ordered, how.hash_bits


def _samples_of(buffer: bytearray, n: int, n_parts: int, n_hashes: int, how: Sampling) -> Samples:
    """Return the samples of n texts, whose columns lie in a buffer."""
    at, columns = 0, list[Places]()
    for size in (n_parts + 1, n + 1, n, n, n + 1):
        columns.append(np.ndarray(size, np.int64, buffer, at))
        at += 8 * size
    bounds, firsts, n_chars, n_tokens, word_bounds = columns
    hashes = np.ndarray(n_hashes, hash_dtype(how.hash_bits), buffer, at)
    at += hashes.nbytes
    words = np.ndarray(len(buffer) - 1 - at, np.uint8, buffer, at)
    return Samples(bounds, firsts, n_chars, n_tokens, word_bounds, hashes, words)


def _refused(utf8: bytes) -> Any:
    """Raise the error for bytes that are not UTF-8, which a kernel gave nothing for."""
    decoded(utf8)
