"""The features of a text: the numbers by which two texts are compared.

words       every run of N words, hashed                      all scripts; letters where words have no spaces
spotsigs    spot signatures, see `spots`                      where no list of stop words serves: words
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.pairs.spots import spots
from pmbf.alike.pairs.stopwords import STOP_WORDS
from pmbf.base.arrays import distinct
from pmbf.base.errors import ParameterError
from pmbf.kernels import Lists

KINDS = ("words", "spotsigs")
BY_WORDS, UNREAD, NO_LIST = -1, -2, -3
"""In place of the number of a language: the text has words because no list of stop words serves it; it was not read;
words were asked for."""
_HALF = np.uint64(32)


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

    Args:
        lists: The features of each text.
        languages: `(n_texts,) int8`, the number of each text's language in `STOP_WORDS`; below 0 if it has no spot
            signatures: `BY_WORDS`, `UNREAD` or `NO_LIST`.
    """

    lists: Lists
    languages: NDArray[np.int8]


def featured(texts: Sequence[bytes], features: Features) -> Featured:
    """Return the features of some texts.

    Args:
        texts: In UTF-8.
        features: What is made of them.

    Raises:
        ParameterError: A text is not UTF-8.

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
