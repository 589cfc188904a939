"""Which articles of a result set are alike, and the sentences of an article: the NumPy reference."""

from __future__ import annotations

import zlib
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks
from pmbf.kernels.reference_text import decoded, fold, token_hash, tokenise
from pmbf.kernels.reference_words import borders, sentence_starts
from pmbf.kernels.resultset_rules import (
    NO_HASHES,
    SENTENCE,
    UNKNOWN,
    Likeness,
    Sentences,
    StemTable,
    TrimmedLists,
    lists_of,
    require_pairs,
)
from pmbf.kernels.types import Tokens

__all__ = ["are_alike", "pairs_alike", "sentences", "shown_for"]

SHORT_LETTERS = 3
"""A word of fewer letters does not count. One letter that takes three bytes of UTF-8 (Hangul, Devanagari) is enough."""

LEAST_WEIGHT = 8
"""What the words of a sentence that counts weigh at least: a word weighs 2, a single letter 1."""

_LIMIT_BITS = np.uint64(32)


def pairs_alike(packed: list[bytes], likeness: Likeness, without: NDArray[np.uint32] = NO_HASHES) -> NDArray[np.int32]:
    """Return the pairs of lists that are alike. The answer is that of a comparison of each list with each other one.

    Cost: one sort of all hashes. Then a hash of d of n lists takes d² / 2 steps, or d · n / 8 if that is less.

    Args:
        packed: Of each list the limit, then its hashes, ascending and distinct: uint32, little-endian.
        likeness: How much alike lists share.
        without: `(n,) uint32`, ascending: hashes that do not count.

    Returns:
        `(n_pairs, 5) int32`, by first list, then by second: first list, second list, hashes that both have, and the
        hashes that each has up to the smaller limit.

    Raises:
        ParameterError: The bytes hold no list, or a list does not ascend or is too long.

    >>> lists = ([30, 4, 9, 17, 30], [2**32 - 1, 4, 17], [2**32 - 1, 9, 30, 31])
    >>> pairs_alike([np.array(one, "<u4").tobytes() for one in lists], Likeness(1 / 3)).tolist()
    [[0, 1, 2, 4, 2], [0, 2, 2, 4, 2]]
    """
    lists = lists_of(packed, without)
    firsts, seconds, n_shared = _shared(lists, len(packed))
    limits = np.minimum(lists.limits[firsts], lists.limits[seconds])
    n_first, n_second = _up_to(lists, firsts, limits), _up_to(lists, seconds, limits)
    needed = [likeness.needed(*sizes) for sizes in zip(n_first.tolist(), n_second.tolist(), strict=True)]
    found = np.stack([firsts, seconds, n_shared, n_first, n_second], axis=1).astype(np.int32)
    return found[n_shared >= np.array(needed, np.int64)]


def _shared(lists: TrimmedLists, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each pair of lists with common hashes, and their number."""
    order = np.argsort(lists.hashes, kind="stable")
    hashes, owners = lists.hashes[order], np.repeat(np.arange(n), np.diff(lists.bounds))[order]
    counts = np.zeros((n, n), np.uint16)
    for distance in range(1, n):
        equal = hashes[distance:] == hashes[:-distance]
        if not equal.any():
            break
        np.add.at(counts, (owners[:-distance][equal], owners[distance:][equal]), 1)
    firsts, seconds = np.nonzero(counts)
    return firsts, seconds, counts[firsts, seconds].astype(np.int64)


def _up_to(lists: TrimmedLists, owners: NDArray[np.int64], limits: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the number of hashes of some lists up to a limit for each."""
    each = np.repeat(np.arange(len(lists.limits), dtype=np.uint64), np.diff(lists.bounds)) << _LIMIT_BITS
    asked = owners.astype(np.uint64) << _LIMIT_BITS | limits
    return np.searchsorted(each | lists.hashes, asked, side="right") - lists.bounds[owners]


def shown_for(pairs: NDArray[np.int32], order: NDArray[np.int64], *, connected: bool) -> NDArray[np.int64]:
    """Return for each list the list that is shown for it: itself, or one that it is alike to.

    Args:
        pairs: `(n_pairs, 5) int32`, as `pairs_alike` returns them.
        order: `(n,) int64`: all lists, those that are rather shown first.
        connected: Whether the first of all lists that pairs connect is shown. Otherwise each list in order is shown,
            unless it is alike to a shown list: then the first such list is shown for it.

    Raises:
        ParameterError: An array has another dtype or shape, or `order` does not have each list once.

    >>> chain = np.array([[0, 1, 3, 5, 5], [1, 2, 3, 5, 5]], np.int32)
    >>> [shown_for(chain, np.arange(3), connected=connected).tolist() for connected in (False, True)]
    [[0, 0, 2], [0, 0, 0]]
    """
    require_pairs(pairs, order)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    partners: list[list[int]] = [[] for _ in order]
    for one, other in np.sort(ranks[pairs[:, :2]], axis=1).tolist():
        partners[one].append(other)
    first = (_connected if connected else _star)(partners)
    shown = np.empty(len(order), np.int64)
    shown[order] = order[np.array(first, np.int64)]
    return shown


def _star(partners: list[list[int]]) -> list[int]:
    first = list(range(len(partners)))
    for rank, others in enumerate(partners):
        for other in others if first[rank] == rank else ():
            if first[other] == other:
                first[other] = rank
    return first


def _connected(partners: list[list[int]]) -> list[int]:
    first = list(range(len(partners)))
    changed = True
    while changed:  # a round for each step of the longest chain
        before = list(first)
        for rank, others in enumerate(partners):
            for other in others:
                first[rank] = first[other] = min(first[rank], first[other])
        changed = first != before
    return first


def are_alike(
    first: NDArray[np.uint32], second: NDArray[np.uint32], limits: tuple[int, int], likeness: Likeness
) -> bool:
    """Return whether two lists are alike: a merge that ends as soon as the answer is known.

    Args:
        first: `(n,) uint32`, ascending and distinct.
        second: `(m,) uint32`, the same.
        limits: Up to which hash each list knows its article.
        likeness: How much alike lists share.

    Source:
        Smith 2008, Detecting documents near duplications in realtime.

    >>> are_alike(np.array([4, 9, 17], np.uint32), np.array([4, 17], np.uint32), (17, 2**32 - 1), Likeness(0.4))
    True
    """
    checks.require("first", first, np.uint32, "(n,)", 1)
    checks.require("second", second, np.uint32, "(n,)", 1)
    a, b = (hashes[: np.searchsorted(hashes, min(limits), side="right")].tolist() for hashes in (first, second))
    missing = likeness.needed(len(a), len(b))
    spare = [len(a) - missing, len(b) - missing]
    places = [0, 0]
    while min(spare) >= 0 and places[0] < len(a) and places[1] < len(b):
        one, other = a[places[0]], b[places[1]]
        missing -= one == other
        if not missing:
            return True
        places[0] += one <= other
        places[1] += other <= one
        spare[0] -= one < other
        spare[1] -= other < one
    return False


def sentences(utf8: bytes, stems: StemTable | None = None) -> Sentences:
    """Return the sentences of a text, each as one hash of its words: the rules are in docs/resultsets.md.

    Args:
        utf8: The original text.
        stems: The stems of words. None takes the words as they are. Words that the table lacks are named, and no
            sentence is found: `put` them, and ask again.

    Raises:
        ParameterError: The bytes are not valid UTF-8.

    >>> text = "He saw an old lighthouse above the harbour. It was dark."
    >>> [text[one["start"] : one["stop"]] for one in sentences(text.encode()).found]
    ['He saw an old lighthouse above the harbour']
    """
    text, tokens = decoded(utf8), tokenise(utf8)
    counts = tokens.singles | ~_are_short(utf8, tokens)
    words, unknown = tokens.hashes, np.zeros(0, UNKNOWN)
    if stems is not None:
        words, unknown = _stemmed(text, tokens, counts & ~tokens.singles, stems)
    found = np.zeros(0, SENTENCE) if len(unknown) else _found(text, tokens, words, counts)
    return Sentences(found, unknown, len(text))


def _found(text: str, tokens: Tokens, words: NDArray[np.uint64], counts: NDArray[np.bool_]) -> NDArray[np.void]:
    starts = sentence_starts(borders(text, tokens)).tolist()
    found = []
    for start, stop in pairwise([*starts, len(tokens)]):
        counted = counts[start:stop]
        if 2 * counted.sum() - tokens.singles[start:stop].sum() >= LEAST_WEIGHT:
            hash = zlib.crc32(words[start:stop][counted].tobytes())
            found.append((hash, tokens.starts[start], tokens.stops[stop - 1]))
    return np.array(found, SENTENCE)


def _are_short(utf8: bytes, tokens: Tokens) -> NDArray[np.bool_]:
    """Return whether each token has one or two letters that take less than three bytes."""
    folded = fold(utf8)
    letters = [len(letter.encode()) for letter in folded.text]
    sizes, origin = np.append(0, np.cumsum(letters, dtype=np.int64)), folded.origin[:-1]
    first, stop = np.searchsorted(origin, tokens.starts), np.searchsorted(origin, tokens.stops)
    n, size = stop - first, sizes[stop] - sizes[first]
    short: NDArray[np.bool_] = (n < SHORT_LETTERS) & (size < 3 * n)
    return short


def _stemmed(
    text: str, tokens: Tokens, wanted: NDArray[np.bool_], stems: StemTable
) -> tuple[NDArray[np.uint64], NDArray[np.void]]:
    """Return the hash of each word's stem, and the words that the table lacks."""
    places = np.append(0, np.cumsum([len(letter.encode()) for letter in text], dtype=np.int64))
    starts, stops = places[tokens.starts[wanted]], places[tokens.stops[wanted]]
    utf8, places_of = text.encode(), zip(starts.tolist(), stops.tolist(), strict=True)
    keys = np.array([max(1, token_hash(utf8[start:stop])) for start, stop in places_of], np.uint64)
    found = stems.look_up(keys)
    words, lacks = tokens.hashes.copy(), found[:, 0] == 0
    words[wanted] = found[:, 1]
    unknown = np.zeros(int(lacks.sum()), UNKNOWN)
    unknown["key"], unknown["start"], unknown["stop"] = keys[lacks], starts[lacks], stops[lacks]
    return words, unknown
