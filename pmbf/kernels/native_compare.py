"""Texts made ready, and queries compared with their sources: the native twin of `reference_compare`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from ctypes import Structure, addressof, c_double, c_int64, c_void_p
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_SLIPS, score_tables
from pmbf.kernels.asked import GUESS_PAGE_WORDS, PAGE_WORDS, Bars, Counts, Made, Question, Terms, WordTypes
from pmbf.kernels.evident_rules import WordKeys
from pmbf.kernels.native_evident import keys_of
from pmbf.kernels.native_library import address, function, module
from pmbf.kernels.native_memory import taken
from pmbf.kernels.native_text import text_table
from pmbf.kernels.reference_sides import is_closing
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.types import Extent, JudgedPassages, Tokens

__all__ = ["compare", "extent_of", "ready", "sides", "tokens_of", "word_keys", "words_of"]

_at = address()
_ready = function("pmbf_align_ready", *[c_void_p] * 4, c_int64, returns=c_int64)
_fill_counts = function("pmbf_align_counts", *[c_void_p] * 3, c_int64, c_void_p, c_int64)
_compare = function("pmbf_align_compare", *[c_void_p] * 3, c_int64, *[c_void_p] * 2, returns=c_int64)

_sides = module().sides

_KINDS = bytearray(0x110000)
"""What each code point is, as `_kind_of` tells. Python is asked once about each: a text has some hundred different
ones."""

_SOURCE = np.dtype([(name, np.int64) for name in ("utf8", "size", "block", "made", "made_size")])
"""`source_t` of native/align/sources.c."""

_QUERY = np.dtype([(name, np.int64) for name in ("block", "terms", "own", "n_answers")])
"""`batched_t` of native/align/sources.c."""

_ANSWER = np.dtype([(name, np.int64) for name in ("source", "lines", "n_lines")])
"""`answer_t` of native/align/sources.c."""

_LINE = np.dtype([("edges", np.int64, 4), ("kind", np.int64), ("figures", np.float64, 6)])
"""`line_t` of native/align/judged.h."""

_COUNTED = np.dtype([("key", np.uint64), ("n_holding", np.int32), ("n_times", np.int32)])
"""`counted_t` of native/align/weigh.h."""

_PLACES: dict[int, np.dtype[Any]] = {2: np.dtype(np.uint16), 4: np.dtype(np.uint32)}
"""Places of tokens by the bytes that each takes."""

_NOT_UTF8 = -2
_N_SIZES = 9
_MOST_TERMS = 64
"""Terms that are kept for counts: those of short queries differ by their length."""
_NOTHING = JudgedPassages.of([])


class _Bars(Structure):
    """`bars_t` of native/align/asked.h."""

    _fields_ = tuple((name, c_double if kind == "float" else c_int64) for name, kind in Bars.__annotations__.items())


class _Counts(Structure):
    """`counts_t` of native/align/weigh.h."""

    _fields_ = (
        ("slots", c_void_p),
        ("n_slots", c_int64),
        *((name, c_void_p) for name in ("logs", "like_logs")),
        *((name, c_int64) for name in ("n_pages", "n_words", "page_words")),
    )


class _Terms(Structure):
    """`terms_t` of native/align/query.h."""

    _fields_ = (
        ("counts", _Counts),
        *((name, c_void_p) for name in ("bars", "rules", "tables")),
        *((name, c_int64) for name in ("n_buckets", "guess_page_words", "least_pages")),
    )


def ready(texts: Sequence[bytes], counts: Counts, commonest: tuple[int, int]) -> list[Made]:
    """As `reference_compare.ready`, in one call without the interpreter's lock."""
    numbers, (others, _kept), nothing = np.array(commonest, np.int64), _counts_of(counts), [None] * len(texts)
    sources = _sources_of(texts, nothing)
    status = _ready(addressof(others), text_table(), _at(numbers), _at(sources), len(sources))
    return _blocks(status, sources, texts, nothing)


def compare(
    questions: Sequence[Question],
    texts: Sequence[bytes | None],
    made: Sequence[Made | None],
    commonest: tuple[int, int],
) -> tuple[list[list[JudgedPassages]], list[Made]]:
    """As `reference_compare.compare`, in one call without the interpreter's lock."""
    sources, new = _sources_of(texts, made), [text for text in texts if text]
    # A block has eight bytes for each word, a text has one at least.
    n_words = max([0, *map(len, new), *(len(block) // 8 for block in made if block is not None)])
    n_words += max([0, *(len(one.query) // 8 for one in questions)])
    distinct = {id(one.terms): one.terms for one in questions}  # to hash terms takes 5 us
    its = {at: _terms(terms, n_words) for at, terms in distinct.items()}
    asked, numbered, held = [], list[int](), list[Any]()
    for block, terms, some in questions:
        own = _own(block, terms)
        asked.append((_at(block), addressof(its[id(terms)][0]), 0 if own is None else _at(own), len(some)))
        numbered += some
        held.append(own)
    queries, answers = np.array(asked, _QUERY), np.zeros(len(numbered), _ANSWER)
    answers["source"] = numbered
    numbers = np.array(commonest, np.int64)
    status = _compare(text_table(), _at(numbers), _at(queries), len(queries), _at(sources), _at(answers))
    found = [_NOTHING] * len(answers)
    for number, (_, at, n) in enumerate(answers.tolist()):
        if n > 0:
            lines = taken(at, n, _LINE)
            found[number] = JudgedPassages(lines["edges"], lines["kind"], lines["figures"])
    blocks, each = _blocks(status, sources, new, made), iter(found)
    return [list(islice(each, len(one.sources))) for one in questions], blocks


def sides(
    query: str, ours: Made, source: str, theirs: Made, found: JudgedPassages
) -> list[tuple[int, int, int, int, float]]:
    """As `reference_compare.sides`."""
    edges, kinds = np.ascontiguousarray(found.edges), np.ascontiguousarray(found.kinds)
    made: list[tuple[int, int, int, int, float]] = _sides(query, ours, source, theirs, edges, kinds, _KINDS, _kind_of)
    return made


def _kind_of(code: int) -> int:
    """Return what a code point is, in the bits of native/module/sides.c."""
    letter = chr(code)
    return 1 | letter.isupper() << 1 | letter.isdigit() << 2 | letter.isspace() << 3 | is_closing(letter) << 4


def tokens_of(made: Made) -> Tokens:
    """As `reference_compare.tokens_of`: of the arrays that native/align/ready.c packed one after another."""
    n, edges, singles, figures = _tokens_in(made)
    starts, stops = edges.astype(np.uint32).reshape(2, n)
    return Tokens(np.frombuffer(made, np.uint64, n, 8 * _N_SIZES), starts, stops, singles, *figures)


def extent_of(made: Made) -> Extent:
    """As `reference_compare.extent_of`."""
    n, edges, singles, _ = _tokens_in(made)
    return Extent(n, int(np.count_nonzero(singles)), *((int(edges[0]), int(edges[-1])) if n else (0, 0)))


def _tokens_in(made: Made) -> tuple[int, NDArray[Any], NDArray[np.bool_], list[int]]:
    """Return the number of tokens in a block, their starts and stops, which are single letters, and the figures."""
    n, n_types, n_slipped, _, _, *figures, width = np.frombuffer(made, np.int64, _N_SIZES).tolist()
    edges_at = 8 * (_N_SIZES + n) + (8 + 4 + 4) * n_types
    singles_at = edges_at + width * (4 * n + 1 + (N_SLIPS + 1) * n_slipped)
    edges = np.frombuffer(made, _PLACES[width], 2 * n, edges_at)
    return n, edges, np.frombuffer(made, np.bool_, n, singles_at), figures


def words_of(made: Made) -> WordTypes:
    """As `reference_compare.words_of`. In the block the types go by their first word in the text."""
    n, n_types, *_, width = np.frombuffer(made, np.int64, _N_SIZES).tolist()
    keys_at = 8 * (_N_SIZES + n)
    keys = np.frombuffer(made, np.uint64, n_types, keys_at)
    types = np.frombuffer(made, np.dtype(f"u{width}"), n, keys_at + (8 + 4 + 4) * n_types + 2 * width * n)
    order = np.argsort(keys)
    return WordTypes(keys[order], np.argsort(order)[types])


def word_keys(made: Made, counts: Counts) -> WordKeys:
    """As `reference_compare.word_keys`: the text was made ready under these counts, so its block has them."""
    n, n_types, *_, width = np.frombuffer(made, np.int64, _N_SIZES).tolist()
    holding_at = 8 * (_N_SIZES + n + n_types)
    types = np.frombuffer(made, np.dtype(f"u{width}"), n, holding_at + 8 * n_types + 2 * width * n)
    return WordKeys(*keys_of(tokens_of(made)), np.frombuffer(made, np.int32, n_types, holding_at)[types])


def _sources_of(texts: Sequence[bytes | None], made: Sequence[Made | None]) -> NDArray[Any]:
    """Return texts as C takes them; their bytes must be kept meanwhile."""
    lines = [
        (_at(text or b""), len(text or b""), 0 if block is None else _at(block), 0, 0)
        for text, block in zip(texts, made, strict=True)
    ]
    return np.array(lines, _SOURCE)


def _blocks(status: int, sources: NDArray[Any], new: Sequence[bytes], made: Sequence[Made | None]) -> list[Made]:
    """Return the block of each text, or raise the error of a status. What C made is freed."""
    blocks = list(made)
    for number, (at, size) in enumerate(sources[["made", "made_size"]].tolist()):
        if at:
            blocks[number] = taken(at, max(0, size), np.dtype(np.uint8))
    if status == _NOT_UTF8:
        [*map(decoded, new)]  # raises
    if status < 0:
        raise MemoryError(f"no memory to compare {len(made)} texts with queries")
    return blocks


def _terms(terms: Terms, n_words: int) -> tuple[_Terms, Any]:
    """Return terms for queries and texts of which no two have more words together, and what must be kept as long.

    They are made once for all queries, and kept with the counts.
    """
    n_bits = (terms.counts.n_pages + n_words // GUESS_PAGE_WORDS + 2).bit_length()
    known: dict[Any, tuple[_Terms, Any]] = terms.counts.tables.setdefault("terms", {})
    key = terms.bars, terms.rules, terms.least_pages, terms.counts.n_pages, terms.counts.n_words, n_bits
    kept = known.get(key)
    if kept is None:
        (counts, slots), logs = _counts_of(terms.counts), _logs(n_bits)
        counts.logs, counts.like_logs = map(_at, logs)
        bars, rules, scores = _Bars(*vars(terms.bars).values()), terms.rules.numbers, score_tables()
        numbers = scores.shape[1], GUESS_PAGE_WORDS, terms.least_pages
        made = _Terms(counts, addressof(bars), _at(rules), _at(scores), *numbers)
        if len(known) >= _MOST_TERMS:
            known.clear()
        kept = known[key] = made, (slots, logs, bars, rules, scores)
    return kept


def _own(block: NDArray[np.uint8], terms: Terms) -> NDArray[np.int32] | None:
    """Return how often the query in the counts has each word of a query, by ascending key; None: C counts its words."""
    if terms.beside:
        return None
    n, n_types = np.frombuffer(block, np.int64, 2).tolist()
    keys = np.sort(np.frombuffer(block, np.uint64, n_types, 8 * (_N_SIZES + n)))
    return np.stack(terms.counts.of_own(keys)).astype(np.int32)


def _counts_of(counts: Counts) -> tuple[_Counts, Any]:
    """Return counts for the kernels, and what must be kept as long.

    The hash table of the other texts' counts is made once for all queries. If threads make two, then all use the first.
    """
    slots: NDArray[Any] | None = counts.tables.get("slots")
    if slots is None:
        given = [np.ascontiguousarray(one) for one in (counts.keys, counts.n_holding, counts.n_times)]
        n = len(counts.keys)
        made = np.empty(1 << max(4, (2 * n).bit_length()), _COUNTED)
        _fill_counts(*map(_at, given), n, _at(made), len(made))
        slots = counts.tables.setdefault("slots", made)
    logs = _logs(counts.n_pages.bit_length())
    return _Counts(_at(slots), len(slots), *map(_at, logs), counts.n_pages, counts.n_words, PAGE_WORDS), (slots, logs)


@lru_cache(maxsize=64)
def _logs(n_bits: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two logarithms of n + 0.5 for each number n of so many bits: NumPy's, and that of `math`, which may
    differ."""
    halves = np.arange(1 << n_bits) + 0.5
    return np.log(halves), np.array([math.log(one) for one in halves.tolist()])
