"""Passages of two texts: the native twin of `reference_judge`.

`native/align/*.c` do the work. The hash tables of a query are made once, and kept with it.
"""

from __future__ import annotations

from ctypes import Structure, addressof, c_double, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import Pair
from pmbf.kernels.asked import GUESS_PAGE_WORDS, PAGE_WORDS, Asked, Bars, Ready
from pmbf.kernels.judged import Judged, Spelled
from pmbf.kernels.native_align import GramsOf, arguments_of, taken
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_weigh import counts_of, logs_to, n_slots
from pmbf.kernels.types import Tokens

__all__ = ["compare", "judge"]

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


class NativeBars(Structure):
    """`bars_t` of native/align/asked.h."""

    _fields_ = tuple((name, c_double if kind == "float" else c_int64) for name, kind in Bars.__annotations__.items())


class _Hashed(Structure):
    """`hashed_t` of native/align/runs.h."""

    _fields_ = (*_pointers("hashes", "singles"), *_numbers("n"))


class _Spelled(Structure):
    """`spelled_t` of native/align/asked.h."""

    _fields_ = (("tokens", _Hashed), *_pointers("starts", "stops", "keys", "letters", "offsets"))


class _Guess(Structure):
    """`guess_t` of native/align/asked.h."""

    _fields_ = (
        *_pointers("n_times", "logs", "like_logs"),
        *_numbers("n_pages", "n_words", "guess_page_words", "page_words"),
    )


class _Asked(Structure):
    """`asked_t` of native/align/asked.h."""

    _fields_ = (
        ("text", _Spelled),
        *_pointers("types", "borders", "slips"),
        *_pointers("counts", "own_holding", "rarities", "priors", "guess"),
        ("grams", GramsOf),
        *((name, _Slots) for name in ("keys", "names", "first_slips")),
        *_pointers("next_slips", "name_sieve", "slip_sieve"),
        *_numbers("n_types"),
        *_pointers("bars", "rules", "tables"),
        *_numbers("n_buckets"),
    )


class _Given(Structure):
    """`given_t` of native/align/compare.c."""

    _fields_ = (
        ("bars", c_void_p),
        ("texts", c_void_p * 2),
        *_pointers("pair", "blocks", "bounds"),
        ("n_chains", c_int64),
        ("boxes", c_void_p),
        ("n_boxes", c_int64),
    )


_names = function("pmbf_align_names", c_void_p, c_int64, c_void_p, c_int64, c_void_p)
_compare = function("pmbf_align_compare", *[c_void_p] * 3, returns=c_int64)
_judge = function("pmbf_align_judge", *[c_void_p] * 2, returns=c_int64)
_slips = function("pmbf_align_equal_slips", c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p)

_LINE = np.dtype([("edges", np.int64, 4), ("kind", np.int64), ("figures", np.float64, 6)])
"""`line_t` of native/align/judged.h."""

NOTHING = Judged.of([])


def compare(asked: Asked, text: Ready) -> Judged:
    """As `reference_judge.compare`, in one call without the interpreter's lock."""
    answer = c_void_p()
    given = as_asked(asked, len(text.tokens))
    n = _compare(addressof(given), _at(text.tables["native"]), addressof(answer))
    return judged_of(answer, n)


def judge(
    texts: tuple[Spelled, Spelled], pair: Pair, chains: tuple[Places, Places], boxes: Places, bars: Bars
) -> Judged:
    """As `reference_judge.judge`."""
    blocks, bounds = map(np.ascontiguousarray, chains)
    sides, rules, arguments = [_spelled(text) for text in texts], NativeBars(*bars.values), arguments_of(pair)
    given = _Given(addressof(rules), tuple(map(addressof, sides)), addressof(arguments), _at(blocks), _at(bounds))
    found, answer = np.ascontiguousarray(boxes), c_void_p()
    given.n_chains, given.boxes, given.n_boxes = len(bounds) - 1, _at(found), len(found)
    return judged_of(answer, _judge(addressof(given), addressof(answer)))


def judged_of(answer: c_void_p, n: int) -> Judged:
    """Return the passages in an answer, whose memory is freed."""
    if n < 0:
        raise MemoryError("no memory to compare two texts")
    if not n:
        return NOTHING
    lines = taken(answer, n, _LINE)
    return Judged(lines["edges"], lines["kind"], lines["figures"])


def _hashed(tokens: Tokens) -> _Hashed:
    return _Hashed(_at(tokens.hashes), _at(tokens.singles), len(tokens))


def _spelled(text: Spelled) -> _Spelled:
    """Return the addresses of a text, which must be kept meanwhile."""
    places = text.tokens.starts, text.tokens.stops, text.keys, text.letters, text.offsets
    return _Spelled(_hashed(text.tokens), *map(_at, places))


def _slots(names: NDArray[np.uint64], sieve: NDArray[np.uint64] | None = None) -> tuple[_Slots, Any]:
    """Return the hash table of distinct names, and what must be kept as long as the table."""
    slots = np.empty(n_slots(len(names)), np.int32)
    _names(_at(names), len(names), _at(slots), len(slots), 0 if sieve is None else _at(sieve))
    return _Slots(_at(names), _at(slots), len(slots)), (names, slots)


def as_asked(asked: Asked, most_words: int) -> _Asked:
    """Return a query with its hash tables, made once. If threads make two, then all use the first.

    Args:
        asked: The query.
        most_words: Words of the longest text that it is compared with, or more.
    """
    kept: tuple[_Asked, Any] | None = asked.tables.get("native")
    if kept is None:
        kept = asked.tables.setdefault("native", _made(asked))
    return kept[0] if asked.weighed else _guessing(kept[0], asked, most_words)


def _guessing(made: _Asked, asked: Asked, most_words: int) -> _Asked:
    """Return a query for texts of which none is longer, if how rare words are is guessed from the two texts."""
    counted = asked.counted
    assert counted is not None
    logs, like_logs = logs_to(counted.n_pages + most_words // GUESS_PAGE_WORDS + 1)
    times = counted.of_others(asked.words.keys)[1].astype(np.int32)
    numbers = counted.n_pages, counted.n_words, GUESS_PAGE_WORDS, PAGE_WORDS
    guess, copied = _Guess(*map(_at, (times, logs, like_logs)), *numbers), _Asked.from_buffer_copy(made)
    copied.guess, copied.kept = addressof(guess), (guess, times, logs, like_logs)
    return copied


def _made(asked: Asked) -> tuple[_Asked, Any]:
    words, grams = asked.words, asked.grams
    sieves = np.zeros((2, SIEVE_WORDS), np.uint64)
    keys, kept_keys = _slots(words.keys)
    names, kept_names = _slots(grams.names, sieves[0])
    first, following = np.empty(n_slots(words.slips.size), np.int32), np.empty(words.slips.size, np.int32)
    _slips(_at(words.slips), words.slips.size, _at(first), len(first), _at(following), _at(sieves[1]))
    bars, counts = NativeBars(*asked.bars.values), counts_of(asked.counts)
    known = asked.counts.own if asked.weighed else asked.counted
    own = (known.of_others(words.keys)[0] if known else np.zeros(len(words.keys))).astype(np.int32)
    rarities, priors = asked.weighed[1:] if asked.weighed else (own, own)
    made = _Asked(
        _spelled(asked.text),
        *map(_at, (words.types, words.borders, words.slips)),
        addressof(counts[0]),
        *map(_at, (own, rarities, priors)),
        None,
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
