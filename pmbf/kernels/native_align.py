"""A text prepared for alignment: the native twin of `reference_runs` and `reference_words`, with the same results."""

from __future__ import annotations

from ctypes import Structure, addressof, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_SLIPS, Grams, Pair, Runs, Words
from pmbf.kernels.native_library import address, function
from pmbf.kernels.types import Folded, Tokens

__all__ = ["grams", "runs_of", "spell", "words"]

Places = NDArray[np.int64]

_at = address()


class _Text(Structure):
    """`given_t` of native/align/words.c."""

    _fields_ = (
        *((name, c_void_p) for name in ("text", "folded")),
        *((name, c_int64) for name in ("text_size", "folded_size", "n")),
        *((name, c_void_p) for name in ("starts", "stops", "bytes_given", "letters_given", "singles")),
        *((name, c_void_p) for name in ("keys", "types", "borders", "firsts")),
        ("n_folded", c_int64),
        *((name, c_void_p) for name in ("origin", "bytes", "letters", "slips", "offsets", "spelling")),
    )


class _Arguments(Structure):
    """`arguments_t` of native/align/align.h."""

    _fields_ = (
        ("rules", c_void_p),
        ("classes", c_void_p * 2),
        ("borders", c_void_p * 2),
        *((name, c_void_p) for name in ("rarities", "priors", "tables")),
        ("n", c_int64 * 2),
        *((name, c_int64) for name in ("n_classes", "n_buckets")),
    )


class GramsOf(Structure):
    """`grams_t` of native/align/runs.h."""

    _fields_ = (
        *((name, c_void_p) for name in ("sums", "back", "stops", "names", "numbers", "order", "bounds")),
        *((name, c_int64) for name in ("n_tokens", "n_grams", "n_names")),
    )

    @classmethod
    def of(cls, grams: Grams) -> GramsOf:
        """Return the addresses of some grams, which must be kept meanwhile."""
        named = map(_at, (grams.runs.sums, grams.runs.back, grams.stops, grams.names))
        sizes = len(grams.runs.back), len(grams.stops), len(grams.names)
        return cls(*named, None, _at(grams.order), _at(grams.bounds), *sizes)


_runs_of = function("pmbf_align_runs_of", c_void_p, c_int64, c_void_p, c_void_p)
_spell = function("pmbf_align_spell", c_void_p, returns=c_int64)
_grams = function("pmbf_align_grams", *[c_void_p] * 3, c_int64, *[c_void_p] * 3, returns=c_int64)
_words = function("pmbf_align_words", c_void_p, returns=c_int64)
_take = function("pmbf_align_take", c_void_p, c_int64, c_int64, c_void_p)


def words(utf8: bytes, folded: Folded, tokens: Tokens) -> Words:
    """As `reference_words.words`."""
    n = len(tokens)
    keys, types, borders = np.empty(n, np.uint64), np.empty(n, np.int32), np.empty(n + 1, np.uint8)
    slips, firsts, ranges = np.empty((n, N_SLIPS), np.uint64), np.empty(n, np.uint32), np.empty((2, n, 2), np.uint32)
    letters = folded.text.encode()
    text = _text(letters, folded, tokens, ranges)
    text.text, text.text_size = _at(utf8), len(utf8)
    text.keys, text.types, text.borders = _at(keys), _at(types), _at(borders)
    text.firsts, text.slips = _at(firsts), _at(slips)
    n_types = _words(addressof(text))
    if n_types < 0:
        raise MemoryError(f"no memory for the words of a text of {len(utf8)} bytes")
    return Words(keys[:n_types].copy(), types, slips[:n_types].copy(), borders)


def spell(folded: Folded, tokens: Tokens) -> tuple[str, NDArray[np.int64]]:
    """As `reference_words.spell`."""
    letters, n = folded.text.encode(), len(tokens)
    spelling, offsets = np.empty(len(letters), np.uint8), np.empty(n + 1, np.int64)
    ranges = np.empty((2, n, 2), np.uint32)
    text = _text(letters, folded, tokens, ranges)
    text.spelling, text.offsets = _at(spelling), _at(offsets)
    size = _spell(addressof(text))
    return spelling[:size].tobytes().decode(), offsets


def _text(letters: bytes, folded: Folded, tokens: Tokens, ranges: NDArray[np.uint32]) -> _Text:
    """Return a folded text with its tokens, and room for the bytes of each in both texts, `(2, n, 2)`."""
    text = _Text(folded=_at(letters), folded_size=len(letters), n=len(tokens), n_folded=len(folded.text))
    text.origin, text.singles = _at(folded.origin), _at(tokens.singles)
    text.starts, text.stops = _at(tokens.starts), _at(tokens.stops)
    text.bytes = text.bytes_given = _at(ranges)
    text.letters = text.letters_given = _at(ranges) + ranges.nbytes // 2
    return text


def runs_of(hashes: NDArray[np.uint64]) -> Runs:
    """As `reference_runs.runs_of`."""
    sums, back = np.empty(len(hashes) + 1, np.uint64), np.empty(len(hashes), np.uint64)
    _runs_of(_at(hashes), len(hashes), _at(sums), _at(back))
    return Runs(sums, back)


def grams(runs: Runs, stops: Places) -> Grams:
    """As `reference_runs.grams`."""
    n, stops = len(stops), np.ascontiguousarray(stops)
    names, order, bounds = np.empty(n, np.uint64), np.empty(n, np.int64), np.empty(n + 1, np.int64)
    n_names = _grams(_at(runs.sums), _at(runs.back), _at(stops), n, _at(names), _at(order), _at(bounds))
    if n_names < 0:
        raise MemoryError(f"no memory for the runs of a text of {len(runs.back)} tokens")
    return Grams(runs, stops, names[:n_names], order, bounds[: n_names + 1])


def taken(address: c_void_p, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the array that a kernel left at an address, and free its memory."""
    found = np.empty(n, dtype)
    _take(address, n, dtype.itemsize, _at(found))
    return found


def arguments_of(pair: Pair) -> _Arguments:
    """Return the addresses of a pair, which must be kept meanwhile."""
    tables = pair.tables
    return _Arguments(
        rules=_at(pair.rules.numbers),
        classes=tuple(map(_at, pair.classes)),
        borders=tuple(map(_at, pair.borders)),
        rarities=_at(pair.rarities),
        priors=_at(pair.priors),
        tables=_at(tables),
        n=tuple(map(len, pair.classes)),
        n_classes=len(pair.rarities),
        n_buckets=tables.shape[1],
    )
