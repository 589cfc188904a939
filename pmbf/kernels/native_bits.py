"""The bit kernels in C: the names, results and errors of `reference_bits`.

C finds errors in values, and the extension module those in types; then Python runs the reference's checks, which raise
the error. Arrays that are not contiguous are copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks
from pmbf.kernels.native_library import address, function, module
from pmbf.kernels.types import HitRules, Probed

__all__ = ["evidence", "fill", "intersect", "look_up", "popcounts", "rows_with_evidence", "seal", "unseal"]

Hashes = NDArray[np.uint32]
Bits = NDArray[np.uint64]
Counts = NDArray[np.int64]
Weights = NDArray[np.int32]

_LINE_WORDS = 8
_MOST = np.dtype([("evidence", "<i8"), ("places", "<u4", 2)])
"""The evidence of a list, `most_t` of native/bits/evidence.h."""
_REFUSED = -2
_AT, _N, _K = c_void_p, c_size_t, c_uint32
_ROWS, _SLICES, _QUERY = (_AT, _N, _N), (_AT, _N, _N), (_AT, _N, _K)

_at = address()
_fill = function("pmbf_fill", _AT, _N, *_QUERY)
_seal = function("pmbf_seal", *_ROWS, _AT)
_unseal = function("pmbf_unseal", *_SLICES, _AT)
_look_up = function("pmbf_look_up", *_ROWS, c_int, _K, _AT, _N, _AT, _N, returns=c_int64)
_evidence = module().evidence
_rows_with_evidence = function("pmbf_rows_with_evidence", *_ROWS, _AT, _AT, *[c_int64] * 3, _AT, returns=c_int64)
_intersect = function("pmbf_intersect", _AT, _N, _AT, _N, _AT, returns=c_int64)
_popcounts = function("pmbf_popcounts", *_ROWS, _AT)

use_level = function("pmbf_use_level", c_int, returns=c_int)
"""Ask for an instruction set, for tests: 0 plain, 1 AVX2, 2 AVX-512, 99 the best. Return the one in use."""


def fill(row: Bits, hashes: Hashes, *, n_hashes: int) -> None:
    """See `reference_bits.fill`."""
    checks.require_fill(row, hashes, n_hashes)
    hashes, words = _plain(hashes), _plain(row)
    _fill(_at(words), len(words), _at(hashes), len(hashes), n_hashes)
    if words is not row:
        row[:] = words


def seal(rows: Bits) -> Bits:
    """See `reference_bits.seal`; a slice of 512 rows is one line of the cache."""
    checks.require("rows", rows, np.uint64, "(n_rows, W)", 2)
    (n_rows, n_words), rows = rows.shape, _plain(rows)
    slices = _aligned(64 * n_words, -(-n_rows // 64))
    _seal(_at(rows), n_rows, n_words, _at(slices))
    return slices


def unseal(slices: Bits, n_rows: int) -> Bits:
    """See `reference_bits.unseal`."""
    checks.require_slices(slices, n_rows)
    slices, rows = _plain(slices), np.empty((n_rows, len(slices) // 64), np.uint64)
    _unseal(_at(slices), n_rows, rows.shape[1], _at(rows))
    return rows


def look_up(tiles: Sequence[Probed], hashes: Hashes) -> tuple[Bits, Counts]:
    """See `reference_bits.look_up`."""
    checks.require_tiles(tiles, hashes)
    widths = [bits.shape[1] if sealed else -(-len(bits) // 64) for bits, sealed, _ in tiles]
    hashes, hits = _plain(hashes), np.empty((len(hashes), sum(widths)), np.uint64)
    at = _at(hits)
    for (bits, sealed, n_hashes), width in zip(tiles, widths, strict=True):
        bits = _plain(bits)
        _done(_look_up(_at(bits), *bits.shape, sealed, n_hashes, _at(hashes), len(hashes), at, hits.shape[1]))
        at += 8 * width
    return hits, popcounts(hits)


def evidence(
    bounds: Counts, places: Hashes, weights: Weights, tokens: Hashes, rules: HitRules
) -> tuple[Counts, Hashes]:
    """See `reference_bits.evidence`."""
    found = _evidence(bounds, places, weights, tokens, *rules)
    if found is None:
        checks.require_evidence(bounds, places, weights, tokens, rules)
        found = _evidence(*map(_plain, (bounds, places, weights, tokens)), *rules)
    most = np.ndarray(found[0], _MOST, found[1])
    return most["evidence"], most["places"]


def rows_with_evidence(hits: Bits, weights: Weights, tokens: Hashes, rules: HitRules, *, least: int) -> Counts:
    """See `reference_bits.rows_with_evidence`. It passes once over the hits, whatever the number of rows."""
    checks.require_weighed_hits(hits, weights, least)
    checks.require_weights_fit(weights, tokens, rules)
    hits, weights, tokens = map(_plain, (hits, weights, tokens))
    rows = np.empty(64 * hits.shape[1], np.int64)
    n = _rows_with_evidence(_at(hits), *hits.shape, _at(weights), _at(tokens), *rules, least, _at(rows))
    if n == _REFUSED:
        checks.require_weights(weights, tokens)  # raises
    return rows[: _done(n)]


def intersect(a: Hashes, b: Hashes) -> NDArray[np.bool_]:
    """See `reference_bits.intersect`."""
    checks.require("a", a, np.uint32, "(n,)", 1)
    checks.require("b", b, np.uint32, "(m,)", 1)
    a, b = _plain(a), _plain(b)
    found = np.empty(len(a), np.bool_)
    _done(_intersect(_at(a), len(a), _at(b), len(b), _at(found)))
    return found


def popcounts(rows: Bits) -> Counts:
    """See `reference_bits.popcounts`."""
    checks.require("rows", rows, np.uint64, "(n_rows, W)", 2)
    rows, counts = _plain(rows), np.empty(len(rows), np.int64)
    _popcounts(_at(rows), *rows.shape, _at(counts))
    return counts


def _done(returned: int) -> int:
    if returned < 0:
        raise MemoryError("no memory for the native kernels")
    return returned


def _plain(array: Any) -> Any:
    """Return a contiguous array: the array itself if it is contiguous, else a copy."""
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.array(array, order="C")


def _aligned(n_lines: int, width: int) -> Bits:
    """Return lines of words. The first line begins where a line of the processor's cache begins."""
    room = np.empty(n_lines * width + _LINE_WORDS, np.uint64)
    first = -_at(room) % (8 * _LINE_WORDS) // 8
    return room[first : first + n_lines * width].reshape(n_lines, width)
