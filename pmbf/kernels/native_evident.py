"""The documents of many queries: the native twin of `reference_evident`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import addressof, c_int64, c_size_t, c_void_p
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels import postings_layout as layout
from pmbf.kernels.evident_rules import (
    Evident,
    EvidentRules,
    QueryWords,
    Sampled,
    WordLists,
    bounds_of,
    damaged_words,
    require_query,
    require_words,
)
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_memory import taken
from pmbf.kernels.native_postings import passed_segments, require_done
from pmbf.kernels.postings_layout import Keys, Postings, Ranges
from pmbf.kernels.types import Tokens

__all__ = ["evident", "find_near", "words_said"]

_AT, _N = c_void_p, c_size_t

_at = address()
_evident = function("pmbf_evident", _AT, _AT, _N, _AT, _AT, returns=c_int64)
_near = function("pmbf_find_near", _AT, _AT, _AT, _N, _N, _N, _AT, _AT, _AT, _AT, returns=c_int64)
_keys = function("pmbf_word_keys", *[_AT] * 4, _N, *[_AT] * 4, _N)
_said = function("pmbf_words_said", _AT, _AT, _AT, _AT, _N, _AT, returns=c_int64)

_QUERY = np.dtype(
    [("hashes", "<u8"), ("tokens", "<u8"), ("more", "<u8"), ("n", "<u8"), ("share", "<f8"), ("copied", "<f8")]
    + [(name, "<i8") for name in ("n_common", "is_hard", "n_found")]
)
"""A query, `sampled_t` of native/postings/weigh.c."""

_RULES = np.dtype(
    [("weights", "<u8"), ("gone", "<u8"), ("n_gone", "<u8")]
    + [(name, "<i8") for name in ("limit", "little", "n_run", "n_first", "length", "window")]
    + [(name, "<f8") for name in ("enough", "least", "most_common")]
)
"""The rules, `weigh_rules_t`."""

_FOUND = np.dtype([("document", "<u4"), ("n_hits", "<u4"), ("evidence", "<i8"), ("places", "<u4", 2)])
"""A document, `evident_t`."""

_NO_MEMORY = -1


def evident(postings: Sequence[Postings], queries: Sequence[Sampled], rules: EvidentRules) -> Evident:
    """As `reference_evident.evident`, in one call without the interpreter's lock."""
    weights, gone = np.ascontiguousarray(rules.weights), np.ascontiguousarray(rules.gone)
    numbers = rules.limit, rules.little, rules.n_run, rules.n_first, *rules.hits
    line = (_at(weights), _at(gone), len(gone), *numbers, rules.enough, rules.least, rules.most_common)
    layout.require_postings(postings)
    kept = [_ready(postings, one) for one in queries]
    lines = [
        (_at(hashes), _at(tokens), 0 if more is None else _at(more), len(hashes), one.share, 0.0, 0, 0, 0)
        for (hashes, tokens, more), one in zip(kept, queries, strict=True)
    ]
    asked, given, answer, how = np.array(lines, _QUERY), passed_segments(postings), c_void_p(), np.array([line], _RULES)
    n = _evident(given.at, _at(asked), len(asked), _at(how), addressof(answer))
    found = taken(answer, max(0, n), _FOUND)
    if n == _NO_MEMORY:
        raise MemoryError
    if n < 0:
        raise layout.damaged_postings()
    return Evident(
        bounds_of(asked["n_found"].tolist()),
        found["document"],
        found["n_hits"].astype(np.int64),
        found["evidence"],
        found["places"],
        asked["copied"],
        asked["n_common"],
        asked["is_hard"].astype(np.bool_),
    )


def _ready(postings: Sequence[Postings], query: Sampled) -> tuple[Keys, NDArray[np.uint32], NDArray[np.int64] | None]:
    """Return the hashes of a query as the postings' numbers, its tokens, and its `more`."""
    require_query(postings, query)
    more = None if query.more is None else np.ascontiguousarray(query.more, np.int64)
    return layout.sought_in(postings, query.hashes), np.ascontiguousarray(query.tokens), more


def find_near(
    postings: Sequence[Postings], queries: Sequence[Hashes], among: Sequence[Ranges], *, least: int, window: int
) -> list[Keys]:
    """See `reference_evident.find_near`. A posting takes some 3 ns, whether its document is found or not."""
    layout.require_near(queries, among, least, window)
    for one in queries:
        layout.require_postings(postings, one)
    hashes = layout.sought_in(postings, np.concatenate([np.empty(0, np.uint32), *queries]))
    ranges = np.ascontiguousarray(np.concatenate([layout.ALL_DOCUMENTS[:0], *among]))
    bounds, of_query = (np.cumsum([0, *map(len, some)], dtype=np.int64) for some in (queries, among))
    passed, ends, answer = passed_segments(postings), np.zeros(len(queries), np.int64), c_void_p()
    asked = _at(hashes), _at(bounds), len(queries), min(least, len(hashes) + 1), window, _at(ranges), _at(of_query)
    status = _near(passed.at, *asked, _at(ends), addressof(answer))
    keys = taken(answer, int(ends[-1]) if len(ends) and not status else 0, np.dtype(np.uint64))
    require_done(status)
    found = [keys[start:stop] for start, stop in pairwise([0, *ends.tolist()])]
    for one in found:
        one.sort()
    return found


def keys_of(tokens: Tokens) -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.int64]]:
    """See `reference_evident.word_keys`."""
    n = len(tokens.hashes)
    keys, is_word, before = np.empty(n, np.uint32), np.empty(n, np.bool_), np.empty(n, np.int64)
    table = np.empty(2 << n.bit_length(), np.int32)
    arrays = [*map(np.ascontiguousarray, (tokens.hashes, tokens.starts, tokens.stops, tokens.singles))]
    _keys(*map(_at, arrays), n, _at(keys), _at(is_word), _at(before), _at(table), len(table))
    return keys, is_word, before


def words_said(query: QueryWords, lists: WordLists, windows: NDArray[np.int64]) -> NDArray[np.int64]:
    """See `reference_evident.words_said`. A document of 1,000 words takes a microsecond."""
    require_words(query, lists, windows)
    arrays = query.keys, query.before, query.classes, query.present, query.expected, *lists, windows
    keys, before, classes, present, expected, content, bounds, windows = map(np.ascontiguousarray, arrays)
    words = np.array([*map(_at, (keys, before, classes, present, expected))], np.uint64)
    said = np.empty(len(windows), np.int64)
    status = _said(_at(words), _at(content), _at(bounds), _at(windows), len(windows), _at(said))
    if status == _NO_MEMORY:
        raise MemoryError
    if status < 0:
        raise damaged_words()
    return said
