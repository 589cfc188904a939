"""The features of a text: the numbers by which two texts are compared.

words       every run of N words, hashed                      all scripts; letters where words have no spaces
spotsigs    spot signatures                                   where no list of stop words serves: words

A spot signature is a stop word, and the words some steps after it that are no stop words:

    the records of the society are kept in the tower      stop words: the of are in
    the records society · of society kept · the society kept · are kept tower · in tower … (too near the end)

They stand in running text, not in menus and lists, for only running text is full of stop words.

Source: Theobald, Siddharth & Paepcke 2008, SpotSigs, section 3. Zhang, Yu, Zhang & Huang compare pages by them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.pairs.stopwords import LEAST_SHARE, STOP_WORDS, stop_table
from pmbf.base.arrays import distinct
from pmbf.base.errors import ParameterError
from pmbf.kernels import Lists

KINDS = ("words", "spotsigs")
BY_WORDS, UNREAD, NO_LIST = -1, -2, -3
"""In place of the number of a language: the text has words because no list of stop words serves it; it was not read;
words were asked for."""
_HALF = np.uint64(32)
Hashes = NDArray[np.uint64]
Places = NDArray[np.intp]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_A, _MIX_B = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_33 = np.uint64(33)


@dataclass(frozen=True, slots=True)
class Features:
    """What is made of a text.

    Args:
        kind: `words` or `spotsigs`.
        shingle_tokens: Words in a run, 1 to 32; twice this number in scripts written without spaces.
        distance: Of spot signatures: each word is this many words after the one before, 1 to 8.
        chain: Of spot signatures: words after the stop word, 1 to 8.

    Raises:
        ParameterError: A value is outside its range.
    """

    kind: str = "words"
    shingle_tokens: int = 3
    distance: int = 1
    chain: int = 2

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(f"features is {self.kind!r}, expected {' or '.join(KINDS)}")
        for name, most in (("shingle_tokens", 32), ("distance", 8), ("chain", 8)):
            if not 1 <= (value := getattr(self, name)) <= most:
                raise ParameterError(f"{name} is {value}, expected 1 to {most}")

    def key(self) -> str:
        """Return what two sets of features must have in common to be compared."""
        lists = STOP_WORDS if self.kind == "spotsigs" else {}
        return json.dumps([asdict(self), kernels.checksum(json.dumps(lists).encode())])


@dataclass(frozen=True, slots=True, eq=False)
class Featured:
    """The features of some texts.

    `languages`, `(n_texts,) int8`, are numbers in `STOP_WORDS`; below 0 without spot signatures: `BY_WORDS`, `UNREAD`
    or `NO_LIST`.
    """

    lists: Lists
    languages: NDArray[np.int8]


def featured(texts: Sequence[bytes], features: Features) -> Featured:
    """Return the features of some texts in UTF-8.

    >>> made = featured([b"the sea comes in twice a day", "海水".encode()], Features("spotsigs"))
    >>> made.lists.sizes.tolist(), made.languages.tolist()
    ([2, 1], [0, -1])
    """
    if features.kind == "words":
        return Featured(_words(texts, features), np.full(len(texts), NO_LIST, np.int8))
    tokens = [kernels.tokenise(text).hashes for text in texts]
    found = spots(tokens, distance=features.distance, chain=features.chain)
    keys = distinct(found.texts.astype(np.uint64) << _HALF | found.hashes)
    cuts = np.searchsorted(keys, np.arange(len(texts) + 1, dtype=np.uint64) << _HALF)
    languages = np.where(np.diff(cuts) > 0, found.languages, BY_WORDS).astype(np.int8)
    lists = [keys[start:stop].astype(np.uint32) for start, stop in pairwise(cuts.tolist())]
    others = np.flatnonzero(languages == BY_WORDS).tolist()
    words = _words([texts[number] for number in others], features)
    for place, number in enumerate(others):
        lists[number] = words[place]
    return Featured(Lists.of(lists), languages)


def _words(texts: Sequence[bytes], features: Features) -> Lists:
    return kernels.chunk_lists(texts, n_words=features.shingle_tokens)


# ---------------------------------------------------------------------- spot signatures


class Spots(NamedTuple):
    """The spot signatures of some texts, in no order: hash and text of each, and the language of each text.

    A language is a column of the stop table; -1 if no list serves.
    """

    hashes: NDArray[np.uint32]
    texts: Places
    languages: Places


def spots(tokens: Sequence[Hashes], *, distance: int, chain: int) -> Spots:
    """Return the spot signatures of some texts, given by the hashes of their tokens in order.

    A chain has `chain` words after the stop word, each `distance` words after the one before; stop words do not count.
    """
    hashes = np.concatenate([np.empty(0, np.uint64), *tokens])
    sizes = np.array([len(one) for one in tokens], np.intp)
    of_text = np.repeat(np.arange(len(tokens)), sizes)
    is_stop, languages = _stops(hashes, of_text, sizes)
    words = np.flatnonzero(~is_stop)
    begins = np.flatnonzero(is_stop)
    after = np.cumsum(~is_stop)[begins]  # the place in `words` of the first word after the stop word
    last = after + distance * chain - 1
    inside = last < len(words)
    begins, after, last = begins[inside], after[inside], last[inside]
    same = of_text[words[last]] == of_text[begins]
    begins, after = begins[same], after[same]
    made = hashes[begins]
    for step in range(1, chain + 1):
        made = _mixed(made * _STEP + hashes[words[after + step * distance - 1]])
    return Spots((made >> np.uint64(32)).astype(np.uint32), of_text[begins], languages)


def _stops(hashes: Hashes, of_text: Places, sizes: Places) -> tuple[NDArray[np.bool_], Places]:
    """Return which tokens are stop words of their text's language, and the languages."""
    table = stop_table()
    at = np.minimum(np.searchsorted(table.hashes, hashes), len(table.hashes) - 1)
    known = np.flatnonzero(table.hashes[at] == hashes)
    at, texts = at[known], of_text[known]
    counts = np.stack([np.bincount(texts[column], minlength=len(sizes)) for column in table.languages.T[:, at]], axis=1)
    languages = np.where(counts.max(axis=1) >= np.maximum(1, LEAST_SHARE * sizes), counts.argmax(axis=1), -1)
    is_stop = np.zeros(len(hashes), np.bool_)
    is_stop[known] = table.languages[at, languages[texts]] & (languages[texts] >= 0)
    return is_stop, languages


def _mixed(keys: Hashes) -> Hashes:
    """Return the keys mixed: the finaliser of MurmurHash3."""
    keys = (keys ^ (keys >> _33)) * _MIX_A
    keys = (keys ^ (keys >> _33)) * _MIX_B
    return keys ^ (keys >> _33)
