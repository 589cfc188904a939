"""A query and many texts: the native twin of `reference_sources`. One call makes texts ready and compares them."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, addressof, c_int64, c_void_p
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import native_ready
from pmbf.kernels.align_rules import score_tables
from pmbf.kernels.asked import GUESS_PAGE_WORDS, Asked, Counts, Made, Question, Ready, Terms
from pmbf.kernels.judged import Judged
from pmbf.kernels.native_align import taken
from pmbf.kernels.native_judge import NOTHING, NativeBars, as_asked, judged_of
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_ready import viewed
from pmbf.kernels.native_text import text_table
from pmbf.kernels.native_weigh import NativeCounts, counts_of, logs_to
from pmbf.kernels.reference_text import decoded
from pmbf.kernels.types import Tokens

__all__ = ["as_ready", "compare_each", "compare_queries", "ready_each", "tokens_of"]

_at = address()
_sources = function("pmbf_align_sources", *[c_void_p] * 4, c_int64, returns=c_int64)
_ready_each = function("pmbf_align_ready_each", *[c_void_p] * 4, c_int64, returns=c_int64)
_queries = function("pmbf_align_queries", *[c_void_p] * 3, c_int64, *[c_void_p] * 2, returns=c_int64)

_SOURCE = np.dtype([(name, np.int64) for name in ("utf8", "size", "block", "made", "made_size", "lines", "n_lines")])
"""`source_t` of native/align/sources.c."""

_QUERY = np.dtype([(name, np.int64) for name in ("block", "terms", "n_answers")])
"""`batched_t` of native/align/sources.c."""

_ANSWER = np.dtype([(name, np.int64) for name in ("source", "lines", "n_lines")])
"""`answer_t` of native/align/sources.c."""

_NOT_UTF8 = -2


class _Terms(Structure):
    """`terms_t` of native/align/query.h."""

    _fields_ = (
        ("counts", NativeCounts),
        *((name, c_void_p) for name in ("bars", "rules", "tables")),
        *((name, c_int64) for name in ("n_buckets", "guess_page_words", "least_pages")),
    )


def compare_each(
    asked: Asked, texts: Sequence[bytes | None], made: Sequence[Made | None], commonest: tuple[int, int]
) -> tuple[list[Judged], list[Made]]:
    """As `reference_sources.compare_each`, in one call without the interpreter's lock."""
    given, numbers = as_asked(asked, _most_words(texts, made)), np.array(commonest, np.int64)
    sources, new = _sources_of(texts, made)
    status = _sources(addressof(given), text_table(), _at(numbers), _at(sources), len(sources))
    blocks = _blocks(sources, made)
    found = [judged_of(c_void_p(at), max(0, n)) for at, n in sources[["lines", "n_lines"]].tolist()]
    _check(status, new)
    return found, blocks


def ready_each(texts: Sequence[bytes], counts: Counts, commonest: tuple[int, int]) -> list[Made]:
    """As `reference_sources.ready_each`, in one call without the interpreter's lock."""
    numbers, (others, _kept) = np.array(commonest, np.int64), counts_of(counts)
    nothing = [None] * len(texts)
    sources, new = _sources_of(texts, nothing)
    status = _ready_each(addressof(others), text_table(), _at(numbers), _at(sources), len(sources))
    blocks = _blocks(sources, nothing)
    _check(status, new)
    return blocks


def compare_queries(
    questions: Sequence[Question],
    texts: Sequence[bytes | None],
    made: Sequence[Made | None],
    commonest: tuple[int, int],
) -> tuple[list[list[Judged]], list[Made]]:
    """As `reference_sources.compare_queries`, in one call without the interpreter's lock."""
    numbers, n_words = np.array(commonest, np.int64), _most_words(texts, made)
    sources, new = _sources_of(texts, made)
    queries = np.zeros(len(questions), _QUERY)
    for at, (block, terms, some) in enumerate(questions):
        queries[at] = _at(block), addressof(_terms(terms, len(block) // 8 + n_words)), len(some)
    answers = np.zeros(int(queries["n_answers"].sum()), _ANSWER)
    answers["source"] = [source for one in questions for source in one.sources]
    status = _queries(text_table(), _at(numbers), _at(queries), len(queries), _at(sources), _at(answers))
    blocks = _blocks(sources, made)
    found = iter([judged_of(c_void_p(at), n) if n > 0 else NOTHING for _, at, n in answers.tolist()])
    _check(status, new)
    return [list(islice(found, len(one.sources))) for one in questions], blocks


def _sources_of(texts: Sequence[bytes | None], made: Sequence[Made | None]) -> tuple[NDArray[Any], list[bytes]]:
    """Return texts as C takes them, and their bytes, which must be kept meanwhile."""
    sources, new = np.zeros(len(texts), _SOURCE), [text or b"" for text in texts]
    sources["utf8"], sources["size"] = [*map(_at, new)], [*map(len, new)]
    sources["block"] = [0 if block is None else _at(block) for block in made]
    return sources, new


def _blocks(sources: NDArray[Any], made: Sequence[Made | None]) -> list[Made]:
    """Return the block of each text; what C made is freed."""
    return [*map(_block, made, sources["made"].tolist(), sources["made_size"].tolist())]


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
        bars, rules, scores = NativeBars(*terms.bars.values), terms.rules.numbers, score_tables()
        numbers = scores.shape[1], GUESS_PAGE_WORDS, terms.least_pages
        made = _Terms(counts, addressof(bars), _at(rules), _at(scores), *numbers)
        kept = terms.tables.setdefault(n_bits, (made, (slots, logs, bars, rules, scores)))
    return kept[0]


def as_ready(made: Made) -> Ready:
    """As `reference_sources.as_ready`."""
    return viewed(made)


def tokens_of(made: Made) -> Tokens:
    """As `reference_sources.tokens_of`."""
    return native_ready.tokens_of(made)


def _most_words(texts: Sequence[bytes | None], made: Sequence[Made | None]) -> int:
    """Return the words of the longest text, or more: a block has eight bytes for each, a text has one at least."""
    in_blocks = [0 if block is None else len(block) // 8 for block in made]
    return max([0, *in_blocks, *(len(text) for text in texts if text)])


def _block(known: Made | None, address: int, size: int) -> Made:
    """Return the block of a text; what C made of it is freed."""
    return taken(c_void_p(address), max(0, size), np.dtype(np.uint8)) if address else known
