"""What the kernels take and return that weigh the hits of many queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import Hashes
from pmbf.kernels import checks
from pmbf.kernels.postings_layout import Postings, require_hashes
from pmbf.kernels.types import HitRules

__all__ = [
    "EVIDENCE_UNITS",
    "NO_WORD",
    "N_WORD_CLASSES",
    "UNKNOWN",
    "Evident",
    "EvidentRules",
    "QueryWords",
    "Sampled",
    "WordKeys",
    "WordLists",
    "words_of_size",
]

EVIDENCE_UNITS = 1024
"""Weights and evidence are whole numbers of 1/1024 nat, so that both twins of the kernels add up to the same."""


N_WORD_CLASSES, NO_WORD = 32, 255
"""Classes of words, by how rare they are, and the class of a token that is no word."""

N_SIZES = 64
"""Classes of parts of a document, by their words: four for each doubling."""

UNKNOWN = -(2**63)
"""What the words say for a document without a word list."""


class Sampled(NamedTuple):
    """A query as it is looked up.

    Args:
        hashes: `(n,)`, its sampled hashes, in the order of the text; of the width of the postings' hashes.
        tokens: `(n,) uint32`, ascending, the first token of each hash's shingle.
        share: Part of the evidence of the whole query that is half of the evidence of a copy.
        more: `(n,) int64`, how many documents have each hash that are not in the postings, because a hash is common
            there; None: all are in the postings.
    """

    hashes: Hashes
    tokens: NDArray[np.uint32]
    share: float
    more: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EvidentRules:
    """How hits are weighed.

    Args:
        weights: `(limit + 1,) int32`, the weight of a hash by how many documents have it, at least 0. A hash that more
            documents have is common, and weighs nothing.
        gone: `(m,) uint32`, ids of documents that are left out, ascending.
        little: A hash of less weight weighs little.
        n_run: If so many hashes in a row weigh little, then the query is hard.
        most_common: If a greater share of the hashes is common, then the query is hard.
        n_first: The hashes of a query that are added up first for the evidence of a copy; the others only if that is
            less than `enough`.
        enough: Nats.
        least: Evidence that a document needs, in nats, if half of a copy has as much.
        hits: How hits near each other count together.
    """

    weights: NDArray[np.int32]
    gone: NDArray[np.uint32]
    little: int
    n_run: int
    most_common: float
    n_first: int
    enough: float
    least: float
    hits: HitRules

    @property
    def limit(self) -> int:
        """Most documents that have a hash that is not common."""
        return len(self.weights) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Evident:
    """The documents with evidence enough, of many queries.

    Args:
        bounds: `(q + 1,) int64`; query i has the documents from `bounds[i]` to `bounds[i + 1]`, none if it is hard.
        documents: `(n,) uint32`, ids, ascending for each query.
        n_hits: `(n,) int64`, distinct hashes of the query that are not common and that each document has.
        evidence: `(n,) int64`, in `EVIDENCE_UNITS`.
        places: `(n, 2) uint32`, the first and the last place of the query in the window that has it.
        copied: `(q,) float64`, half of the evidence of a copy, in nats.
        n_common: `(q,) int64`, hashes without weight.
        is_hard: `(q,) bool`, whether more must be known of a query than is counted here.
    """

    bounds: NDArray[np.int64]
    documents: NDArray[np.uint32]
    n_hits: NDArray[np.int64]
    evidence: NDArray[np.int64]
    places: NDArray[np.uint32]
    copied: NDArray[np.float64]
    n_common: NDArray[np.int64]
    is_hard: NDArray[np.bool_]


class WordKeys(NamedTuple):
    """The words of a text as word lists have them: docs/text.md, section 6.

    Args:
        keys: `(t,) uint32`, of each token.
        is_word: `(t,) bool`, whether it is a word.
        before: `(t,) int64`, the word before it with the same key, or -1.
        n_holding: `(t,)`, how many pages of other texts hold it.
    """

    keys: NDArray[np.uint32]
    is_word: NDArray[np.bool_]
    before: NDArray[np.int64]
    n_holding: NDArray[np.integer[Any]]


class WordLists(NamedTuple):
    """The word lists of some documents: docs/text.md, section 6.

    Args:
        content: `(b,) uint8`, one list after another.
        bounds: `(n + 1,) int64`, where each begins, and last where the last one ends. A list without bytes is none.
    """

    content: NDArray[np.uint8]
    bounds: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class QueryWords:
    """The words of a query, and what each says for a document that has it.

    Args:
        keys: `(t,) uint32`, of each token, as in word lists.
        before: `(t,) int64`, the token before it with the same key, or -1.
        classes: `(t,) uint8`, how rare its word is, below `N_WORD_CLASSES`; or `NO_WORD`.
        present: `(N_WORD_CLASSES, N_SIZES) int32`, what a word says that a part of a document has, in `EVIDENCE_UNITS`,
            by its class and by the size of the part.
        expected: The same, what it says on average if the document is any other.
    """

    keys: NDArray[np.uint32]
    before: NDArray[np.int64]
    classes: NDArray[np.uint8]
    present: NDArray[np.int32]
    expected: NDArray[np.int32]


def size_class(n_words: int) -> int:
    """Return the class of a part by its words.

    >>> [size_class(n) for n in (0, 1, 2, 3, 4, 5, 64, 2**20)]
    [0, 0, 4, 6, 8, 9, 24, 63]
    """
    octave = max(0, n_words.bit_length() - 1)
    return min(N_SIZES - 1, 4 * octave + ((n_words << 2 >> octave) & 3)) if n_words else 0


def words_of_size() -> NDArray[np.float64]:
    """Return the words of a part of each class, `(N_SIZES,)`: the middle of the class."""
    classes = np.arange(N_SIZES)
    return np.asarray(2.0 ** (classes // 4) * (1 + (classes % 4 + 0.5) / 4))


def damaged_words() -> ParameterError:
    """Return the error for a word list that contradicts itself."""
    return ParameterError("a word list is damaged: a number in it is outside its range")


def require_words(query: QueryWords, lists: WordLists, windows: NDArray[np.int64]) -> None:
    """Refuse arrays that do not fit each other, and windows that are not in the query."""
    n_tokens, n = len(query.keys), len(windows)
    for name, array, dtype in (("keys", query.keys, np.uint32), ("before", query.before, np.int64)):
        checks.require(name, array, dtype, f"({n_tokens},)", 1)
    checks.require("classes", query.classes, np.uint8, f"({n_tokens},)", 1)
    for name, table in (("present", query.present), ("expected", query.expected)):
        checks.require(name, table, np.int32, f"({N_WORD_CLASSES}, {N_SIZES})", 2)
        if table.shape != (N_WORD_CLASSES, N_SIZES):
            raise ParameterError(f"{name} is {table.shape}, expected {(N_WORD_CLASSES, N_SIZES)}")
    checks.require("content", lists.content, np.uint8, "(b,)", 1)
    checks.require("bounds", lists.bounds, np.int64, "(n + 1,)", 1)
    checks.require("windows", windows, np.int64, "(n, 2)", 2)
    ends, of_words = np.append(0, lists.bounds), query.classes[query.classes != NO_WORD]
    if len(query.before) != n_tokens or len(query.classes) != n_tokens or (of_words >= N_WORD_CLASSES).any():
        raise ParameterError("the words of the query do not fit each other")
    if len(lists.bounds) != n + 1 or (ends[1:] < ends[:-1]).any() or lists.bounds[-1] > len(lists.content):
        raise ParameterError("the bounds of the word lists do not fit")
    if windows.shape != (n, 2) or (n and (windows.min() < 0 or windows.max() > n_tokens)):
        raise ParameterError(f"a window is not in the query of {n_tokens} tokens")


def require_query(postings: Sequence[Postings], query: Sampled) -> None:
    """Refuse hashes of another width than the postings', and tokens and `more` that are not one for each hash."""
    require_hashes(postings, query.hashes)
    checks.require("tokens", query.tokens, np.uint32, f"({len(query.hashes)},)", 1)
    for name, one in (("tokens", query.tokens), ("more", query.more)):
        if one is not None and len(one) != len(query.hashes):
            raise ParameterError(f"{name} has {len(one)} items, expected {len(query.hashes)}: one a hash")


def bounds_of(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return where each list begins among all, and last where the last one ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)
