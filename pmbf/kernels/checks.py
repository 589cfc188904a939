"""The checks of arguments that both twins make, so that both refuse the same arguments in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.base.params import HASH_BITS
from pmbf.kernels.types import HitRules, Probed


def require(name: str, array: object, dtype: Any, shape: str, n_dims: int) -> None:
    """Refuse anything but an array of this dtype, in the machine's byte order, with `n_dims` dimensions."""
    if isinstance(array, np.ndarray) and array.ndim == n_dims:
        found = array.dtype  # comparing `type` is four times as fast as comparing dtypes
        if (found.type is dtype and found.isnative) or found == dtype:
            return
    given = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
    raise ParameterError(f"{name} is {given}, expected {np.dtype(dtype)} {shape}")


def require_fill(row: NDArray[np.uint64], hashes: NDArray[np.uint32], n_hashes: int) -> None:
    """Refuse a row that cannot be changed, and hashes that cannot be set in it."""
    require("row", row, np.uint64, "(W,)", 1)
    if not row.flags.writeable:
        raise ParameterError("row is read-only, expected a writable array; copy it first")
    require("hashes", hashes, np.uint32, "(n,)", 1)
    require_probes(64 * len(row), n_hashes)


def require_tiles(tiles: Sequence[Probed], hashes: NDArray[np.uint32]) -> None:
    """Refuse tiles whose bits have another shape than rows or slices, and hashes that cannot be looked up in them."""
    require("hashes", hashes, np.uint32, "(n,)", 1)
    for bits, sealed, n_hashes in tiles:
        require("slices" if sealed else "rows", bits, np.uint64, "(64 W, S)" if sealed else "(n_rows, W)", 2)
        require_probes(len(bits) if sealed else 64 * bits.shape[1], n_hashes)


def require_probes(row_bits: int, n_hashes: int) -> None:
    """Refuse rows without bits, rows over 2^32 - 1 bits, and hashes without bits."""
    if not 1 <= row_bits <= 0xFFFFFFFF:
        raise ParameterError(f"row_bits is {row_bits}, expected an integer from 1 to 2^32 - 1")
    if not 1 <= n_hashes <= 0xFFFFFFFF:
        raise ParameterError(f"n_hashes is {n_hashes}, expected at least 1")


def require_slices(slices: NDArray[np.uint64], n_rows: int) -> None:
    """Refuse slices whose lines do not have the words of `n_rows` rows, or whose rows would not be whole words."""
    require("slices", slices, np.uint64, "(64 W, S)", 2)
    n_words = -(-n_rows // 64)
    if slices.shape[1] != n_words:
        raise ParameterError(f"slices has {slices.shape[1]} words a line, expected {n_words} for {n_rows} rows")
    if len(slices) % 64:
        raise ParameterError(f"slices has {len(slices)} positions, expected a multiple of 64")


def require_weighed_hits(hits: NDArray[np.uint64], weights: NDArray[np.int32], least: int) -> None:
    """Refuse weights that are not one a hash, and a least evidence below 1, which rows without hits would have."""
    require("hits", hits, np.uint64, "(q, S)", 2)
    if len(hits) != len(weights):
        raise ParameterError(f"weights is for {len(weights)} hashes, expected {len(hits)} as hits has")
    if least < 1:
        raise ParameterError(f"least is {least}, expected at least 1")


def require_evidence(
    bounds: NDArray[np.int64],
    places: NDArray[np.uint32],
    weights: NDArray[np.int32],
    tokens: NDArray[np.uint32],
    rules: HitRules,
) -> None:
    """Refuse bounds that do not cut the places into lists, places outside the query, and weights as below."""
    require("bounds", bounds, np.int64, "(n + 1,)", 1)
    require("places", places, np.uint32, "(bounds[-1],)", 1)
    if not len(bounds):
        raise ParameterError(f"bounds do not ascend from 0 to {len(places)}, the number of places")
    require_weights_fit(weights, tokens, rules)
    require_weights(weights, tokens)
    if bounds[0] or bounds[-1] != len(places) or (bounds[1:] < bounds[:-1]).any():
        raise ParameterError(f"bounds do not ascend from 0 to {len(places)}, the number of places")
    if len(places) and places.max() >= len(weights):
        raise ParameterError(f"a place is {places.max()}, expected 0 to {len(weights) - 1}")


def require_weights_fit(weights: NDArray[np.int32], tokens: NDArray[np.uint32], rules: HitRules) -> None:
    """Refuse weights and tokens of wrong dtype or different length, and rules outside their range."""
    require("weights", weights, np.int32, "(q,)", 1)
    require("tokens", tokens, np.uint32, "(q,)", 1)
    if len(tokens) != len(weights):
        raise ParameterError(f"tokens is for {len(tokens)} hashes, expected {len(weights)} as weights has")
    for name, value in rules._asdict().items():
        if value < 1:
            raise ParameterError(f"{name} is {value}, expected at least 1")


def require_weights(weights: NDArray[np.int32], tokens: NDArray[np.uint32]) -> None:
    """Refuse negative weights, and tokens that do not ascend."""
    if len(weights) and (weights.min() < 0 or (tokens[1:] < tokens[:-1]).any()):
        raise ParameterError("a weight is below 0, or tokens do not ascend")


def require_gaps(n_bytes: int, offset: int, count: int, hash_bits: int = 32) -> None:
    """Refuse bytes that end before the control bytes of the gaps do, and hashes of parts of bytes."""
    require_hash_bits(hash_bits)
    if offset < 0 or count < 0 or offset + -(-count // 4) > n_bytes:
        raise cut_gaps(n_bytes, offset, count)


def cut_gaps(n_bytes: int, offset: int, count: int) -> ParameterError:
    """Return the error for bytes that end before their gaps do."""
    return ParameterError(f"{n_bytes} bytes do not hold {count} gaps from offset {offset} on")


def require_pages(
    n_bytes: int, sums: NDArray[np.uint32], checked: NDArray[np.uint8], offsets: NDArray[np.int64], page_bytes: int
) -> None:
    """Refuse arrays that do not have one element for each page of `n_bytes` bytes."""
    require("sums", sums, np.uint32, "(n_pages,)", 1)
    require("checked", checked, np.uint8, "(n_pages,)", 1)
    require("offsets", offsets, np.int64, "(n,)", 1)
    n_pages = -(-n_bytes // page_bytes)
    for name, array in (("sums", sums), ("checked", checked)):
        if len(array) != n_pages:
            raise ParameterError(f"{name} is for {len(array)} pages, expected {n_pages} for {n_bytes} bytes")
    if not (checked.flags.writeable and checked.flags.c_contiguous):
        raise ParameterError("checked is read-only or strided, expected a plain writable array")


def require_places(n_bytes: int, offsets: NDArray[np.int64], size: int) -> None:
    """Refuse places that reach outside the bytes."""
    outside = np.flatnonzero((offsets < 0) | (offsets > n_bytes - size))
    if size < 0 or len(outside):
        at = int(offsets[outside[0]]) if len(outside) else 0
        raise ParameterError(f"a place of {size} bytes from {at} on is not inside the {n_bytes} bytes")


def require_hash_bits(hash_bits: int) -> None:
    """Refuse hashes whose bits beyond 32 are not whole bytes."""
    if hash_bits not in HASH_BITS:
        raise ParameterError(f"hash_bits is {hash_bits}, expected 32, 40, 48, 56 or 64")


def require_parts(hashes: Hashes, bounds: NDArray[np.int64], firsts: NDArray[np.int64], hash_bits: int) -> None:
    """Refuse bounds that do not cut the hashes into parts, and firsts that do not cut these into fingerprints."""
    require_hash_bits(hash_bits)
    require("hashes", hashes, hash_dtype(hash_bits), "(n,)", 1)
    require("bounds", bounds, np.int64, "(n_parts + 1,)", 1)
    require("firsts", firsts, np.int64, "(n_fingerprints + 1,)", 1)
    _require_cuts("bounds", bounds, len(hashes), "hashes")
    _require_cuts("firsts", firsts, len(bounds) - 1, "parts")


def _require_cuts(name: str, cuts: NDArray[np.int64], n: int, what: str) -> None:
    if not len(cuts) or cuts[0] or cuts[-1] != n or (cuts[1:] < cuts[:-1]).any():
        raise ParameterError(f"{name} do not ascend from 0 to {n}, the number of {what}")


def require_keyed(words: NDArray[np.uint64], width: int, key: NDArray[np.uint64]) -> None:
    """Refuse words or a key of another dtype or shape, and a width that does not fit a length byte: 0 or over 255."""
    require("words", words, np.uint64, "(n,)", 1)
    require("key", key, np.uint64, "(2,)", 1)
    if len(key) != 2:
        raise ParameterError(f"key has {len(key)} words, expected 2: 128 bits")
    if not 1 <= width <= 255:
        raise ParameterError(f"width is {width}, expected an integer from 1 to 255")


def require_texts(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
    """Refuse places of texts whose dtype or shape is wrong."""
    require("starts", starts, np.int64, "(n,)", 1)
    require("stops", stops, np.int64, "(n,)", 1)
    if len(starts) != len(stops):
        raise ParameterError(f"stops is for {len(stops)} texts, expected {len(starts)} as starts is")


def require_texts_inside(starts: NDArray[np.int64], stops: NDArray[np.int64], n_bytes: int) -> None:
    """Refuse places of texts that reach outside the bytes."""
    if len(starts) and (starts.min() < 0 or stops.max() > n_bytes or (starts > stops).any()):
        raise ParameterError(f"a text is not inside the {n_bytes} bytes; expected 0 <= start <= stop <= {n_bytes}")
