"""The documents of many queries, by evidence and by hashes near each other: the reference of `native/postings`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels.evident_rules import (
    EVIDENCE_UNITS,
    NO_WORD,
    UNKNOWN,
    Evident,
    EvidentRules,
    QueryWords,
    Sampled,
    WordLists,
    bounds_of,
    require_query,
    require_words,
    size_class,
)
from pmbf.kernels.postings_layout import Keys, Postings, Ranges, require_near, require_postings
from pmbf.kernels.reference_bits import evidence_of
from pmbf.kernels.reference_postings import find_postings
from pmbf.kernels.reference_wordlist import WORD_LETTERS, number_in, numbers_of_list, pair_key, word_key
from pmbf.kernels.types import Tokens

__all__ = ["evident", "find_near", "words_said"]

_ALL = 2**62


def evident(postings: Sequence[Postings], queries: Sequence[Sampled], rules: EvidentRules) -> Evident:
    """Return the documents of which a query has hashes with evidence enough, for each of many queries.

    Args:
        postings: Those of all tiles. A document may stand in several of them; it counts once.
        queries: The queries.
        rules: How hits are weighed.
    """
    require_postings(postings)
    made = [_evident(postings, query, rules) for query in queries]
    found = [document for one in made for document in one.documents]
    documents, n_hits, nats, places = zip(*found, strict=True) if found else ((), (), (), ())
    return Evident(
        bounds_of([len(one.documents) for one in made]),
        np.array(documents, np.uint32),
        np.array(n_hits, np.int64),
        np.array(nats, np.int64),
        np.array(places, np.uint32).reshape(-1, 2),
        np.array([one.copied for one in made], np.float64),
        np.array([one.n_common for one in made], np.int64),
        np.array([one.is_hard for one in made], np.bool_),
    )


class _One(NamedTuple):
    """The documents of one query, each with its hits, its evidence and the window of it; the rest as in `Evident`."""

    documents: list[tuple[int, int, int, tuple[int, int]]]
    copied: float
    n_common: int
    is_hard: bool


def _evident(postings: Sequence[Postings], query: Sampled, rules: EvidentRules) -> _One:
    """Return the documents of one query."""
    require_query(postings, query)
    hashes = query.hashes.tolist()
    places = {hash: place for place, hash in reversed(list(enumerate(hashes)))}  # the first place of each hash
    counts, having = _held(postings, query, places, rules)
    # Step 1: the weight of each hash is that of how many documents have it. A common hash weighs nothing.
    common = {hash for hash in places if counts[hash] > rules.limit}
    exact = [0 if hash in common else min(len(having[hash]), rules.limit) for hash in hashes]
    weights = [0 if hash in common else int(rules.weights[n]) for hash, n in zip(hashes, exact, strict=True)]
    n_common = weights.count(0)
    # Step 2: a query of common hashes, or with many hashes of little weight in a row, is hard.
    n_held_common = sum(hash in common for hash in hashes)
    if n_held_common > rules.most_common * len(hashes) or _has_run(
        [one < rules.little for one in weights], rules.n_run
    ):
        return _One([], 0.0, n_common, is_hard=True)
    # Step 3: the evidence of each document.
    hits: dict[int, list[int]] = {}
    for hash, documents in having.items():
        for document in documents if hash not in common else ():
            hits.setdefault(document, []).append(places[hash])
    copied = _half_of_a_copy(query, weights, rules)
    found = []
    for document, at in sorted(hits.items()):
        nats, within = evidence_of(sorted(at), weights, query.tokens.tolist(), rules.hits)
        if nats / EVIDENCE_UNITS >= min(copied, rules.least):
            found.append((document, len(at), nats, within))
    return _One(found, copied, n_common, is_hard=False)


def _held(
    postings: Sequence[Postings], query: Sampled, places: dict[int, int], rules: EvidentRules
) -> tuple[dict[int, int], dict[int, set[int]]]:
    """Return how many documents have each hash of a query, and those that are not left out, if they are few."""
    distinct = np.array(sorted(places), query.hashes.dtype)
    counts, keys = find_postings(postings, distinct, limit=rules.limit)
    names, gone = distinct.tolist(), set(rules.gone.tolist())
    n_having = dict(zip(names, counts.tolist(), strict=True))
    if query.more is not None:
        n_having = {hash: n + int(query.more[places[hash]]) for hash, n in n_having.items()}
    having: dict[int, set[int]] = {hash: set() for hash in names}
    for document, place in (divmod(key, 1 << 32) for key in keys.tolist()):
        if document not in gone:
            having[names[place]].add(document)
    return n_having, having


def _has_run(are_little: list[bool], n: int) -> bool:
    """Return whether n in a row are true."""
    return any(all(are_little[start : start + n]) for start in range(len(are_little) - n + 1))


def _half_of_a_copy(query: Sampled, weights: list[int], rules: EvidentRules) -> float:
    """Return half of the evidence of a copy, in nats: of the first hashes, or of all if those say less than enough."""
    half, tokens = 0.0, query.tokens.tolist()
    for n in (min(rules.n_first, len(weights)), len(weights)):
        half = query.share * (evidence_of(list(range(n)), weights, tokens, rules.hits)[0] / EVIDENCE_UNITS)
        if half >= rules.enough:
            break
    return half


def find_near(
    postings: Sequence[Postings], queries: Sequence[Hashes], among: Sequence[Ranges], *, least: int, window: int
) -> list[Keys]:
    """Return the documents that have several hashes of a query near each other, for each of many queries.

    A document that several of the postings name is looked at in each of them by itself. What is read of postings with
    pages is checked.

    Args:
        postings: Whose arrays are contiguous.
        queries: Of each query `(q,)`, distinct hashes.
        among: Of each query `(n, 2) int64`, ascending: only documents with ids from one up to the other are looked at.
        least: Hashes that a document must have, at least 1.
        window: Consecutive places of the query that they must be among, at least 1.

    Returns:
        All hashes of these documents, for each query `(n,) uint64`, ascending: document << 32 | place in the query.

    >>> from pmbf.kernels.reference_postings import make_postings
    >>> hashes, numbers = np.array([5, 5, 7, 9], np.uint32), np.array([0, 1, 0, 1], np.uint32)
    >>> made = make_postings(hashes, numbers, np.array([70, 80], np.uint32))
    >>> [found] = find_near([made], [np.array([9, 4, 5, 7], np.uint32)], [np.array([[0, 100]])], least=2, window=2)
    >>> [divmod(key, 2**32) for key in found.tolist()]
    [(70, 2), (70, 3)]
    """
    require_near(queries, among, least, window)
    require_postings(postings)
    return [
        np.array(sorted(key for one in postings for key in _near(one, *asked, least, window)), np.uint64)
        for asked in zip(queries, among, strict=True)
    ]


def _near(postings: Postings, query: Hashes, among: Ranges, least: int, window: int) -> Iterator[int]:
    """Yield the keys of the documents in some ranges that have `least` hashes among `window` places in a row."""
    _, keys = find_postings([postings], query, limit=_ALL)
    for document, some in groupby((divmod(key, 1 << 32) for key in keys.tolist()), key=lambda pair: pair[0]):
        places = [place for _, place in some]
        is_near = any(last - first < window for first, last in zip(places, places[least - 1 :], strict=False))
        if is_near and any(start <= document < stop for start, stop in among.tolist()):
            yield from (document << 32 | place for place in places)


def keys_of(tokens: Tokens) -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.int64]]:
    """Return the words of a text with the keys that they have in word lists: docs/text.md, section 6.

    Returns:
        Of each token `(n,) uint32`, its key; `(n,) bool`, whether it is a word; and `(n,) int64`, the word before it
        with the same key, or -1.
    """
    hashes, singles = tokens.hashes.tolist(), [*tokens.singles.tolist(), False]
    is_pair = [one and other for one, other in pairwise(singles)]
    is_word = (tokens.stops - tokens.starts >= WORD_LETTERS) & ~tokens.singles | np.array(is_pair, np.bool_)
    keys = [
        pair_key(one, other) if pair else word_key(one)
        for (one, other), pair in zip(pairwise([*hashes, 0]), is_pair, strict=True)
    ]
    last: dict[int, int] = {}
    before = [-1] * len(keys)
    for token in np.flatnonzero(is_word).tolist():
        before[token] = last.get(keys[token], -1)
        last[keys[token]] = token
    return np.array(keys, np.uint32), is_word, np.array(before, np.int64)


def words_said(query: QueryWords, lists: WordLists, windows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what the words in a window of a query say for each of some documents.

    Args:
        query: The words.
        lists: Of n documents.
        windows: `(n, 2) int64`, the tokens that are looked at for each: the first one, and the one behind the last.

    Returns:
        `(n,) int64`, in `EVIDENCE_UNITS`: the sum over the distinct words of what each says that the document has, less
        what all say on average; for the part of the document that has the most. `UNKNOWN` without a list.
    """
    require_words(query, lists, windows)
    content, found = lists.content.tobytes(), []
    for (start, stop), first, last in zip(windows.tolist(), lists.bounds, lists.bounds[1:], strict=False):
        is_first = (query.classes[start:stop] != NO_WORD) & (query.before[start:stop] < start)
        tokens = (start + np.flatnonzero(is_first)).tolist()
        said = [_said(query, tokens, *part) for part in numbers_of_list(content[first:last])]
        found.append(max(said, default=UNKNOWN))
    return np.array(found, np.int64)


def _said(query: QueryWords, tokens: Sequence[int], n_words: int, numbers: set[int]) -> int:
    """Return what some tokens say for a part of a document."""
    size, said = size_class(n_words), 0
    for token in tokens:
        word = query.classes[token]
        said -= int(query.expected[word, size])
        if number_in(int(query.keys[token]), n_words) in numbers:
            said += int(query.present[word, size])
    return said
