"""A query and a text explored together, and one of the steps: the native twin of `reference_explore` and
`reference_chains`.

`native/align/*.c` do the work. The hash tables of a query are made once, and kept with it.
"""

from __future__ import annotations

from ctypes import Structure, addressof, c_double, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Pair
from pmbf.kernels.asked import Asked, Bars, Explored, Ready
from pmbf.kernels.native_align import GramsOf, taken
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_weigh import counts_of, n_slots

__all__ = ["chained", "explore"]

Places = NDArray[np.int64]

SIEVE_WORDS = 1 << 11

_at = address()


def _pointers(*names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, c_void_p) for name in names)


def _numbers(*names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, c_int64) for name in names)


class _Slots(Structure):
    """`slots_t` of native/align/slots.h."""

    _fields_ = (*_pointers("names", "slots"), *_numbers("n_slots"))


class _Bars(Structure):
    """`bars_t` of native/align/asked.h."""

    _fields_ = tuple((name, c_double if kind == "float" else c_int64) for name, kind in Bars.__annotations__.items())


class _Hashed(Structure):
    """`hashed_t` of native/align/runs.h."""

    _fields_ = (*_pointers("hashes", "singles"), *_numbers("n"))


class _Asked(Structure):
    """`asked_t` of native/align/asked.h."""

    _fields_ = (
        ("tokens", _Hashed),
        *_pointers("starts", "stops", "types", "borders", "slips"),
        *_pointers("counts", "own_holding", "rarities", "priors"),
        ("grams", GramsOf),
        *((name, _Slots) for name in ("keys", "names", "first_slips")),
        *_pointers("next_slips", "name_sieve", "slip_sieve"),
        *_numbers("n_types"),
        *_pointers("bars", "rules", "tables"),
        *_numbers("n_buckets"),
    )


_chains = function("pmbf_align_chains", c_void_p, c_int64, c_int64, c_void_p, c_void_p, returns=c_int64)
_names = function("pmbf_align_names", c_void_p, c_int64, c_void_p, c_int64, c_void_p)
_explore = function("pmbf_align_explore", *[c_void_p] * 3, returns=c_int64)
_slips = function("pmbf_align_equal_slips", c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p)

_N_SIZES = 4


def chained(runs: Places, max_gap: int) -> tuple[Places, Places]:
    """As `reference_chains.chained`."""
    starts, partners, lengths = runs
    given = np.stack([starts, starts + lengths, partners], axis=1)
    order, bounds = np.empty(len(given), np.int64), np.empty(len(given) + 1, np.int64)
    n_chains = _chains(_at(given), len(given), max_gap, _at(order), _at(bounds))
    if n_chains < 0:
        raise MemoryError(f"no memory to chain {len(given)} equal runs")
    return order, bounds[: n_chains + 1]


def explore(asked: Asked, text: Ready) -> Explored | None:
    """As `reference_explore.explore`, in one call without the interpreter's lock."""
    answer = c_void_p()
    size = _explore(addressof(_asked(asked)), _at(text.tables["native"]), addressof(answer))
    if size < 0:
        raise MemoryError(f"no memory to compare texts of {len(asked.tokens)} and of {len(text.tokens)} words")
    return _unpacked(asked, text, taken(answer, size, np.dtype(np.uint8))) if size else None


def _unpacked(asked: Asked, text: Ready, packed: NDArray[np.uint8]) -> Explored:
    """Return the arrays that native/align/explore.c packed one after another."""
    at = 0

    def part(n: int, dtype: type, width: int = 1) -> Any:
        nonlocal at
        size = n * width * np.dtype(dtype).itemsize
        found: NDArray[Any] = packed[at : at + size].view(dtype)
        at += size
        return found if width == 1 else found.reshape(n, width)

    n_classes, n_blocks, n_chains, n_boxes = part(_N_SIZES, np.int64).tolist()
    blocks, bounds, boxes = part(n_blocks, np.int64, 3), part(n_chains + 1, np.int64), part(n_boxes, np.int64, 7)
    theirs, ours = part(len(text.tokens), np.int32), part(len(asked.tokens), np.int32)
    rarities, priors = part(n_classes, np.int32), part(n_classes, np.int32)
    pair = Pair((ours, theirs), (asked.words.borders, text.borders), rarities, priors, asked.rules, asked.scores)
    return Explored(blocks, bounds, pair, boxes[:, :6], boxes[:, 6] > 0)


def _slots(names: NDArray[np.uint64], sieve: NDArray[np.uint64] | None = None) -> tuple[_Slots, Any]:
    """Return the hash table of distinct names, and what must be kept as long as the table."""
    slots = np.empty(n_slots(len(names)), np.int32)
    _names(_at(names), len(names), _at(slots), len(slots), 0 if sieve is None else _at(sieve))
    return _Slots(_at(names), _at(slots), len(slots)), (names, slots)


def _asked(asked: Asked) -> _Asked:
    """Return a query with its hash tables, made once. If threads make two, then all use the first."""
    kept: tuple[_Asked, Any] | None = asked.tables.get("native")
    if kept is None:
        kept = asked.tables.setdefault("native", _made(asked))
    return kept[0]


def _made(asked: Asked) -> tuple[_Asked, Any]:
    tokens, words, grams = asked.tokens, asked.words, asked.grams
    sieves = np.zeros((2, SIEVE_WORDS), np.uint64)
    keys, kept_keys = _slots(words.keys)
    names, kept_names = _slots(grams.names, sieves[0])
    first, following = np.empty(n_slots(words.slips.size), np.int32), np.empty(words.slips.size, np.int32)
    _slips(_at(words.slips), words.slips.size, _at(first), len(first), _at(following), _at(sieves[1]))
    bars, counts = _Bars(*asked.bars.values), counts_of(asked.counts)
    own = asked.counts.of_own(words.keys)[0].astype(np.int32)
    made = _Asked(
        _Hashed(_at(tokens.hashes), _at(tokens.singles), len(tokens)),
        *map(_at, (tokens.starts, tokens.stops, words.types, words.borders, words.slips)),
        addressof(counts[0]),
        *map(_at, (own, asked.weighed.rarities, asked.weighed.priors)),
        GramsOf.of(grams),
        keys,
        names,
        _Slots(_at(words.slips), _at(first), len(first)),
        *map(_at, (following, sieves[0], sieves[1])),
        len(words.keys),
        addressof(bars),
        _at(asked.rules.numbers),
        _at(asked.scores),
        asked.scores.shape[1],
    )
    return made, (kept_keys, kept_names, first, following, sieves, bars, counts, own, asked.rules.numbers)
