"""Texts made ready, and queries compared with their sources: the native twin of `reference_compare`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, addressof, c_double, c_int64, c_void_p
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.align_rules import N_SLIPS, score_tables
from pmbf.kernels.asked import GUESS_PAGE_WORDS, Bars, Counts, Made, Question, Terms
from pmbf.kernels.judged import Judged
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_memory import taken
from pmbf.kernels.native_text import text_table
from pmbf.kernels.native_weigh import NativeCounts, counts_of, logs_to
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.types import Tokens

__all__ = ["compare", "ready", "tokens_of"]

_at = address()
_ready = function("pmbf_align_ready", *[c_void_p] * 4, c_int64, returns=c_int64)
_compare = function("pmbf_align_compare", *[c_void_p] * 3, c_int64, *[c_void_p] * 2, returns=c_int64)

_SOURCE = np.dtype([(name, np.int64) for name in ("utf8", "size", "block", "made", "made_size")])
"""`source_t` of native/align/sources.c."""

_QUERY = np.dtype([(name, np.int64) for name in ("block", "terms", "own", "n_answers")])
"""`batched_t` of native/align/sources.c."""

_ANSWER = np.dtype([(name, np.int64) for name in ("source", "lines", "n_lines")])
"""`answer_t` of native/align/sources.c."""

_LINE = np.dtype([("edges", np.int64, 4), ("kind", np.int64), ("figures", np.float64, 6)])
"""`line_t` of native/align/judge.h."""

_NOT_UTF8 = -2
_N_SIZES = 9
_NOTHING = Judged.of([])


class _Bars(Structure):
    """`bars_t` of native/align/asked.h."""

    _fields_ = tuple((name, c_double if kind == "float" else c_int64) for name, kind in Bars.__annotations__.items())


class _Terms(Structure):
    """`terms_t` of native/align/query.h."""

    _fields_ = (
        ("counts", NativeCounts),
        *((name, c_void_p) for name in ("bars", "rules", "tables")),
        *((name, c_int64) for name in ("n_buckets", "guess_page_words", "least_pages")),
    )


def ready(texts: Sequence[bytes], counts: Counts, commonest: tuple[int, int]) -> list[Made]:
    """As `reference_compare.ready`, in one call without the interpreter's lock."""
    numbers, (others, _kept), nothing = np.array(commonest, np.int64), counts_of(counts), [None] * len(texts)
    sources, new = _sources_of(texts, nothing)
    status = _ready(addressof(others), text_table(), _at(numbers), _at(sources), len(sources))
    blocks = _blocks(sources, nothing)
    _check(status, new)
    return blocks


def compare(
    questions: Sequence[Question],
    texts: Sequence[bytes | None],
    made: Sequence[Made | None],
    commonest: tuple[int, int],
) -> tuple[list[list[Judged]], list[Made]]:
    """As `reference_compare.compare`, in one call without the interpreter's lock."""
    numbers, n_words = np.array(commonest, np.int64), _most_words(texts, made)
    sources, new = _sources_of(texts, made)
    queries, owns = np.zeros(len(questions), _QUERY), [_own(*one[:2]) for one in questions]
    for at, ((block, terms, some), own) in enumerate(zip(questions, owns, strict=True)):
        its = addressof(_terms(terms, len(block) // 8 + n_words))
        queries[at] = _at(block), its, 0 if own is None else _at(own), len(some)
    answers = np.zeros(int(queries["n_answers"].sum()), _ANSWER)
    answers["source"] = [source for one in questions for source in one.sources]
    status = _compare(text_table(), _at(numbers), _at(queries), len(queries), _at(sources), _at(answers))
    blocks = _blocks(sources, made)
    found = iter([_judged(at, n) if n > 0 else _NOTHING for _, at, n in answers.tolist()])
    _check(status, new)
    return [list(islice(found, len(one.sources))) for one in questions], blocks


def tokens_of(made: Made) -> Tokens:
    """As `reference_compare.tokens_of`: of the arrays that native/align/ready.c packed one after another."""
    n, n_types, n_slipped, _, _, *figures, width = np.frombuffer(made, np.int64, _N_SIZES).tolist()
    hashes_at = 8 * _N_SIZES
    starts_at = hashes_at + 8 * n + (8 + 4 + 4) * n_types
    singles_at = starts_at + width * (4 * n + 1 + (N_SLIPS + 1) * n_slipped)
    starts, stops = np.frombuffer(made, np.dtype(f"u{width}"), 2 * n, starts_at).astype(np.uint32).reshape(2, n)
    hashes, singles = np.frombuffer(made, np.uint64, n, hashes_at), np.frombuffer(made, np.bool_, n, singles_at)
    return Tokens(hashes, starts, stops, singles, *figures)


def _sources_of(texts: Sequence[bytes | None], made: Sequence[Made | None]) -> tuple[NDArray[Any], list[bytes]]:
    """Return texts as C takes them, and their bytes, which must be kept meanwhile."""
    sources, new = np.zeros(len(texts), _SOURCE), [text or b"" for text in texts]
    sources["utf8"], sources["size"] = [*map(_at, new)], [*map(len, new)]
    sources["block"] = [0 if block is None else _at(block) for block in made]
    return sources, new


def _blocks(sources: NDArray[Any], made: Sequence[Made | None]) -> list[Made]:
    """Return the block of each text; what C made is freed."""
    return [*map(_block, made, sources["made"].tolist(), sources["made_size"].tolist())]


def _block(known: Made | None, address: int, size: int) -> Made:
    return taken(address, max(0, size), np.dtype(np.uint8)) if address else known


def _judged(address: int, n: int) -> Judged:
    """Return the passages in an answer, whose memory is freed."""
    lines = taken(address, n, _LINE)
    return Judged(lines["edges"], lines["kind"], lines["figures"])


def _check(status: int, texts: Sequence[bytes]) -> None:
    if status == _NOT_UTF8:
        [*map(decoded, texts)]  # raises
    if status < 0:
        raise MemoryError(f"no memory to compare {len(texts)} texts with queries")


def _terms(terms: Terms, n_words: int) -> _Terms:
    """Return terms for queries and texts of which no two have more words together."""
    n_bits = (terms.counts.n_pages + n_words // GUESS_PAGE_WORDS + 2).bit_length()
    kept: tuple[_Terms, Any] | None = terms.tables.get(n_bits)
    if kept is None:
        (counts, slots), logs = counts_of(terms.counts), logs_to((1 << n_bits) - 1)
        counts.logs, counts.like_logs = map(_at, logs)
        bars, rules, scores = _Bars(*terms.bars.values), terms.rules.numbers, score_tables()
        numbers = scores.shape[1], GUESS_PAGE_WORDS, terms.least_pages
        made = _Terms(counts, addressof(bars), _at(rules), _at(scores), *numbers)
        kept = terms.tables.setdefault(n_bits, (made, (slots, logs, bars, rules, scores)))
    return kept[0]


def _own(block: NDArray[np.uint8], terms: Terms) -> NDArray[np.int32] | None:
    """Return how often the query in the counts has each word of a query, by ascending key; None: C counts its words."""
    if terms.beside:
        return None
    n, n_types = np.frombuffer(block, np.int64, 2).tolist()
    keys = np.sort(np.frombuffer(block, np.uint64, n_types, 8 * (_N_SIZES + n)))
    return np.stack(terms.counts.of_own(keys)).astype(np.int32)


def _most_words(texts: Sequence[bytes | None], made: Sequence[Made | None]) -> int:
    """Return the words of the longest text, or more: a block has eight bytes for each, a text has one at least."""
    in_blocks = [0 if block is None else len(block) // 8 for block in made]
    return max([0, *in_blocks, *(len(text) for text in texts if text)])
