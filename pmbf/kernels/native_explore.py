"""A query and a text explored together, and two of the steps: the native twin of `reference_explore`,
`reference_weigh` and `reference_chains`.

`native/align/*.c` do the work. The hash tables of a query and of counts are made once, and kept with them.
"""

from __future__ import annotations

import math
from ctypes import Structure, addressof, c_double, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Pair, Words
from pmbf.kernels.asked import PAGE_WORDS, Asked, Bars, Counts, Explored, Weighed
from pmbf.kernels.native_align import GramsOf, taken
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_text import text_table
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.types import Tokens

__all__ = ["chained", "explore", "weigh"]

Places = NDArray[np.int64]

SIEVE_WORDS = 1 << 10

_at = address()


def _pointers(*names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, c_void_p) for name in names)


def _numbers(*names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, c_int64) for name in names)


class _Slots(Structure):
    """`slots_t` of native/align/slots.h."""

    _fields_ = (*_pointers("names", "slots"), *_numbers("n_slots"))


class _Counts(Structure):
    """`counts_t` of native/align/weigh.h."""

    _fields_ = (
        *_pointers("slots"),
        *_numbers("n_slots"),
        *_pointers("logs", "like_logs"),
        *_numbers("n_pages", "n_words", "page_words"),
    )


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
        *_pointers("starts", "stops", "types", "borders", "slips", "rarities", "priors"),
        ("grams", GramsOf),
        *((name, _Slots) for name in ("keys", "names", "first_slips")),
        *_pointers("next_slips", "name_sieve", "slip_sieve"),
        *_numbers("n_types"),
        *_pointers("bars", "counts", "rules", "tables"),
        *_numbers("n_buckets"),
    )


_chains = function("pmbf_align_chains", c_void_p, c_int64, c_int64, c_void_p, c_void_p, returns=c_int64)
_fill_counts = function("pmbf_align_counts", *[c_void_p] * 3, c_int64, c_void_p, c_int64)
_names = function("pmbf_align_names", c_void_p, c_int64, c_void_p, c_int64, c_void_p)
_explore = function("pmbf_align_explore", *[c_void_p] * 3, c_int64, c_void_p, returns=c_int64)
_slips = function("pmbf_align_equal_slips", c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p)
_weigh = function("pmbf_align_weigh", *[c_void_p] * 3, *[c_int64] * 3, *[c_void_p] * 2, returns=c_int64)

_COUNTED = np.dtype([("key", np.uint64), ("n_holding", np.int32), ("n_times", np.int32)])
_NOT_UTF8 = -2
_N_SIZES = 9


def chained(runs: Places, max_gap: int) -> tuple[Places, Places]:
    """As `reference_chains.chained`."""
    starts, partners, lengths = runs
    given = np.stack([starts, starts + lengths, partners], axis=1)
    order, bounds = np.empty(len(given), np.int64), np.empty(len(given) + 1, np.int64)
    n_chains = _chains(_at(given), len(given), max_gap, _at(order), _at(bounds))
    if n_chains < 0:
        raise MemoryError(f"no memory to chain {len(given)} equal runs")
    return order, bounds[: n_chains + 1]


def weigh(counts: Counts, text: Words, commonest: int) -> Weighed:
    """As `reference_weigh.weigh`."""
    n, made = len(text.keys), _counts(counts)
    rarities, priors = np.empty(n, np.int32), np.empty(n, np.int32)
    given = _at(text.keys), _at(text.types), n, len(text.types), commonest
    n_like = _weigh(addressof(made), *given, _at(rarities), _at(priors))
    if n_like < 0:
        raise MemoryError(f"no memory to weigh the words of a text of {len(text.types)} words")
    return Weighed(n_like, rarities, priors)


def explore(asked: Asked, utf8: bytes) -> Explored | None:
    """As `reference_explore.explore`, in one call without the interpreter's lock."""
    answer = c_void_p()
    size = _explore(text_table(), addressof(_asked(asked)), _at(utf8), len(utf8), addressof(answer))
    if size == _NOT_UTF8:
        decoded(utf8)  # raises
    if size < 0:
        raise MemoryError(f"no memory to compare texts of {len(asked.tokens)} words and of {len(utf8)} bytes")
    return _unpacked(asked, taken(answer, size, np.dtype(np.uint8))) if size else None


def _unpacked(asked: Asked, packed: NDArray[np.uint8]) -> Explored:
    """Return the arrays that native/align/explore.c packed one after another."""
    at = 0

    def part(n: int, dtype: type, width: int = 1) -> Any:
        nonlocal at
        size = n * width * np.dtype(dtype).itemsize
        found: NDArray[Any] = packed[at : at + size].view(dtype)
        at += size
        return found if width == 1 else found.reshape(n, width)

    sizes = part(_N_SIZES, np.int64).tolist()
    n, n_classes, n_blocks, n_chains, n_boxes, n_spelled, n_chars, n_mixed, n_invisible = sizes
    hashes, keys, offsets = part(n, np.uint64), part(n, np.uint64), part(n + 1, np.int64)
    blocks, bounds, boxes = part(n_blocks, np.int64, 3), part(n_chains + 1, np.int64), part(n_boxes, np.int64, 7)
    starts, stops = part(n, np.uint32), part(n, np.uint32)
    theirs, ours = part(n, np.int32), part(len(asked.tokens), np.int32)
    rarities, priors = part(n_classes, np.int32), part(n_classes, np.int32)
    singles, borders, spelling = part(n, np.bool_), part(n + 1, np.uint8), part(n_spelled, np.uint8)
    tokens = Tokens(hashes, starts, stops, singles, n_chars, n_mixed, n_invisible)
    pair = Pair((ours, theirs), (asked.words.borders, borders), rarities, priors, asked.rules, asked.scores)
    spelled = spelling.tobytes().decode()
    return Explored(tokens, keys, spelled, offsets, blocks, bounds, pair, boxes[:, :6], boxes[:, 6] > 0)


def _counts(counts: Counts) -> _Counts:
    """Return counts with their hash table, made once. If threads make two, then all use the first."""
    kept: tuple[_Counts, Any] | None = counts.tables.get("native")
    if kept is None:
        n, holding = len(counts.keys), np.arange(counts.n_pages + 1)
        given = [np.ascontiguousarray(one) for one in (counts.keys, counts.n_holding, counts.n_times)]
        slots = np.empty(_n_slots(n), _COUNTED)
        _fill_counts(*map(_at, given), n, _at(slots), len(slots))
        logs = np.log(holding + 0.5), np.array([math.log(n + 0.5) for n in holding.tolist()])
        made = _Counts(_at(slots), len(slots), *map(_at, logs), counts.n_pages, counts.n_words, PAGE_WORDS)
        kept = counts.tables.setdefault("native", (made, (slots, logs)))
    return kept[0]


def _slots(names: NDArray[np.uint64], sieve: NDArray[np.uint64] | None = None) -> tuple[_Slots, Any]:
    """Return the hash table of distinct names, and what must be kept as long as the table."""
    slots = np.empty(_n_slots(len(names)), np.int32)
    _names(_at(names), len(names), _at(slots), len(slots), 0 if sieve is None else _at(sieve))
    return _Slots(_at(names), _at(slots), len(slots)), (names, slots)


def _n_slots(n: int) -> int:
    return 1 << max(4, (2 * n).bit_length())


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
    first, following = np.empty(_n_slots(words.slips.size), np.int32), np.empty(words.slips.size, np.int32)
    _slips(_at(words.slips), words.slips.size, _at(first), len(first), _at(following), _at(sieves[1]))
    bars, counts = _Bars(*asked.bars.values), _counts(asked.counts)
    made = _Asked(
        _Hashed(_at(tokens.hashes), _at(tokens.singles), len(tokens)),
        *map(_at, (tokens.starts, tokens.stops, words.types, words.borders, words.slips)),
        *map(_at, (asked.weighed.rarities, asked.weighed.priors)),
        GramsOf.of(grams),
        keys,
        names,
        _Slots(_at(words.slips), _at(first), len(first)),
        *map(_at, (following, sieves[0], sieves[1])),
        len(words.keys),
        addressof(bars),
        addressof(counts),
        _at(asked.rules.numbers),
        _at(asked.scores),
        asked.scores.shape[1],
    )
    return made, (kept_keys, kept_names, first, following, sieves, bars, counts, asked.rules.numbers)
