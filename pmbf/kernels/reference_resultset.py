"""Which articles of a result set are alike, and the sentences of an article: the reference of `native/resultset`."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections import Counter
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels import checks
from pmbf.kernels import sentence_rules as rules
from pmbf.kernels.reference_text import decoded, fold, token_hash, tokenise
from pmbf.kernels.reference_words import borders, sentence_starts, spelled_tokens
from pmbf.kernels.sentence_rules import NO_HASHES, HashedSentences, Likeness, StemTable
from pmbf.kernels.types import Tokens

__all__ = ["are_alike", "pairs_alike", "sentences", "shown_for"]

SHORT_LETTERS = 3
"""A word of fewer letters does not count. One letter that takes three bytes of UTF-8 (Hangul, Devanagari) is enough."""

LEAST_WEIGHT = 8
"""What the words of a sentence that counts weigh at least: a word weighs 2, a single letter 1."""


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

    >>> lists = ([30, 4, 9, 17, 30], [2**32 - 1, 4, 17], [2**32 - 1, 9, 30, 31])
    >>> pairs_alike([np.array(one, "<u4").tobytes() for one in lists], Likeness(1 / 3)).tolist()
    [[0, 1, 2, 4, 2], [0, 2, 2, 4, 2]]
    """
    lists = rules.lists_of(packed, without)
    owners: dict[int, list[int]] = {}
    shared = Counter[tuple[int, int]]()
    for number, one in enumerate(lists):
        for hash in one.hashes:
            others = owners.setdefault(hash, [])
            shared.update((other, number) for other in others)
            others.append(number)
    found = []
    for (first, second), n_shared in sorted(shared.items()):
        limit = min(lists[first].limit, lists[second].limit)
        sizes = bisect_right(lists[first].hashes, limit), bisect_right(lists[second].hashes, limit)
        if n_shared >= likeness.needed(*sizes):
            found.append((first, second, n_shared, *sizes))
    return np.array(found, np.int32).reshape(-1, 5)


def shown_for(pairs: NDArray[np.int32], order: NDArray[np.int64], *, connected: bool) -> NDArray[np.int64]:
    """Return for each list the list that is shown for it: itself, or one that it is alike to.

    Args:
        pairs: `(n_pairs, 5) int32`, as `pairs_alike` returns them.
        order: `(n,) int64`: all lists, those that are rather shown first.
        connected: Whether the first of all lists that pairs connect is shown. Otherwise each list in order is shown,
            unless it is alike to a shown list: then the first such list is shown for it.

    >>> chain = np.array([[0, 1, 3, 5, 5], [1, 2, 3, 5, 5]], np.int32)
    >>> [shown_for(chain, np.arange(3), connected=connected).tolist() for connected in (False, True)]
    [[0, 0, 2], [0, 0, 0]]
    """
    rules.require_pairs(pairs, order)
    ranked = order.tolist()
    ranks = {one: rank for rank, one in enumerate(ranked)}
    partners: list[list[int]] = [[] for _ in ranked]
    for one, other in pairs[:, :2].tolist():
        first, second = sorted((ranks[one], ranks[other]))
        partners[first].append(second)
    shown = (_connected if connected else _star)(partners)
    return np.array([ranked[shown[ranks[one]]] for one in range(len(ranked))], np.int64)


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


def sentences(utf8: bytes, stems: StemTable | None = None) -> HashedSentences:
    """Return the sentences of a text, each as one hash of its words: the rules are in docs/resultsets.md.

    Args:
        utf8: The original text.
        stems: The stems of words. None takes the words as they are. Words that the table lacks are named, and no
            sentence is found: `put` them, and ask again.

    >>> text = "He saw an old lighthouse above the harbour. It was dark."
    >>> [text[one["start"] : one["stop"]] for one in sentences(text.encode()).found]
    ['He saw an old lighthouse above the harbour']
    """
    text, tokens = decoded(utf8), tokenise(utf8)
    singles, words = tokens.singles.tolist(), tokens.hashes.tolist()
    spelled = spelled_tokens(fold(utf8), tokens)
    counts = [single or not _is_short(letters) for single, letters in zip(singles, spelled, strict=True)]
    unknown = []
    if stems is not None:
        octets = [0, *accumulate(len(letter.encode()) for letter in text)]
        for at, (start, stop) in enumerate(zip(tokens.starts.tolist(), tokens.stops.tolist(), strict=True)):
            if counts[at] and not singles[at]:
                key = max(1, token_hash(text[start:stop].encode()))
                stem = stems.look_up(key)
                if stem is None:
                    unknown.append((key, octets[start], octets[stop]))
                words[at] = stem or 0
    found = [] if unknown else _found(text, tokens, words, counts)
    return HashedSentences(np.array(found, rules.SENTENCE), np.array(unknown, rules.UNKNOWN), len(text))


def _found(text: str, tokens: Tokens, words: list[int], counts: list[bool]) -> list[tuple[int, int, int]]:
    """Return hash, start and stop of the sentences that count, given the words, and which of them count."""
    found = []
    for first, end in pairwise([*sentence_starts(borders(text, tokens)), len(tokens)]):
        counted = [at for at in range(first, end) if counts[at]]
        if 2 * len(counted) - int(tokens.singles[first:end].sum()) >= LEAST_WEIGHT:
            hash = zlib.crc32(b"".join(words[at].to_bytes(8, "little") for at in counted))
            found.append((hash, int(tokens.starts[first]), int(tokens.stops[end - 1])))
    return found


def _is_short(letters: str) -> bool:
    """Return whether a word has one or two letters that take less than three bytes."""
    return len(letters) < SHORT_LETTERS and len(letters.encode()) < 3 * len(letters)
