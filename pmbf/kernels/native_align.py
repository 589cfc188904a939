"""Align two texts: the native twin of `reference_align`, `reference_runs` and `reference_words`, with the same results.

`native/align/*.c` do the work. Some calls prepare one text; others take a pair.
"""

from __future__ import annotations

from ctypes import Structure, addressof, c_int, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_SLIPS, Grams, Pair, Runs, Words
from pmbf.kernels.native_library import address, function
from pmbf.kernels.types import Folded, Tokens

__all__ = ["align", "classes", "equal_runs", "grams", "hops", "part_scores", "runs_of", "spell", "words"]

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


class _Types(Structure):
    """`types_t` of native/align/fuzzy.c."""

    _fields_ = (
        *((name, c_void_p) for name in ("keys", "slips", "slots")),
        *((name, c_int64) for name in ("n", "n_slots")),
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
        ("boxes", c_void_p),
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


class _Tokens(Structure):
    """`hashed_t` of native/align/runs.h."""

    _fields_ = (("hashes", c_void_p), ("singles", c_void_p), ("n", c_int64))


_runs_of = function("pmbf_align_runs_of", c_void_p, c_int64, c_void_p, c_void_p)
_spell = function("pmbf_align_spell", c_void_p, returns=c_int64)
_grams = function("pmbf_align_grams", *[c_void_p] * 3, c_int64, *[c_void_p] * 3, returns=c_int64)
_runs = function("pmbf_align_runs", c_void_p, c_void_p, returns=c_int64)
_hops = function("pmbf_align_hops", c_void_p, c_void_p, c_int64, c_int, c_void_p)
_words = function("pmbf_align_words", c_void_p, returns=c_int64)
_slots = function("pmbf_align_slots", c_void_p, c_int64, c_void_p, c_int64)
_classes = function("pmbf_align_classes", *[c_void_p] * 3, returns=c_int64)
_pair = function("pmbf_align_pair", c_void_p, returns=c_int64)
_scores = function("pmbf_align_scores", *[c_void_p] * 2, c_int64, c_void_p, returns=c_int64)
_take = function("pmbf_align_take", c_void_p, c_int64, c_int64, c_void_p)

_BOX = np.dtype([("start", np.int32, 2), ("stop", np.int32, 2), ("score", np.int64), ("kind", np.int64)])


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


def classes(query: Words, source: Words) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """As `reference_words.classes`."""
    found = np.empty(len(query.keys), np.int32), np.empty(len(source.keys), np.int32)
    texts, slots = (_Types * 2)(), (_table(query), _table(source))
    for types, words, table in zip(texts, (query, source), slots, strict=True):
        types.keys, types.slips, types.slots = _at(words.keys), _at(words.slips), _at(table)
        types.n, types.n_slots = len(words.keys), len(table)
    n_classes = _classes(addressof(texts), *map(_at, found))
    return *found, n_classes


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


def equal_runs(query: Grams, source: Grams) -> Places:
    """As `reference_runs.equal_runs`."""
    texts, found = (GramsOf * 2)(GramsOf.of(query), GramsOf.of(source)), c_void_p()
    n = _runs(addressof(texts), addressof(found))
    if n < 0:
        raise MemoryError(f"no memory to compare texts of {texts[0].n_tokens} and {texts[1].n_tokens} tokens")
    starts, stops, partners = taken(found, n, np.dtype((np.int64, 3))).T
    return np.stack([starts, partners, stops - starts])


def hops(query: Tokens, source: Tokens, borders: Places, *, forward: bool) -> Places:
    """As `reference_runs.hops`."""
    texts, borders = (_Tokens * 2)(), np.ascontiguousarray(borders)
    for text, tokens in zip(texts, (query, source), strict=True):
        text.hashes, text.singles, text.n = _at(tokens.hashes), _at(tokens.singles), len(tokens)
    found = np.empty((3, borders.shape[1]), np.int64)
    _hops(addressof(texts), _at(borders), borders.shape[1], forward, _at(found))
    return found


def taken(address: c_void_p, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the array that a kernel left at an address, and free its memory."""
    found = np.empty(n, dtype)
    _take(address, n, dtype.itemsize, _at(found))
    return found


def _table(words: Words) -> NDArray[np.int32]:
    """Return the table of a text's slips, made once."""
    table = words.tables.get("slots")
    if table is None:
        table = np.empty(words.n_slots, np.int32)
        _slots(_at(words.slips), len(words.slips), _at(table), len(table))
        words.tables["slots"] = table  # only now: another thread takes what is there
    return table


def align(pair: Pair) -> NDArray[np.int64]:
    """As `reference_align.align`."""
    arguments = arguments_of(pair)
    n = _pair(addressof(arguments))
    if n < 0:
        raise _no_memory(pair)
    boxes = taken(c_void_p(arguments.boxes), n, _BOX)
    start, stop = boxes["start"], boxes["stop"]
    sides = [start[:, 0], stop[:, 0], start[:, 1], stop[:, 1], boxes["score"], boxes["kind"]]
    return np.stack([side.astype(np.int64) for side in sides], axis=1)


def part_scores(pair: Pair, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """As `reference_align.part_scores`."""
    arguments, edges, scores = arguments_of(pair), np.ascontiguousarray(parts), np.empty((len(parts), 2), np.int64)
    if _scores(addressof(arguments), _at(edges), len(edges), _at(scores)) < 0:
        raise _no_memory(pair)
    return scores


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


def _no_memory(pair: Pair) -> MemoryError:
    return MemoryError(f"no memory to align texts of {len(pair.classes[0])} and {len(pair.classes[1])} words")
