"""A text to its hashes: the smallest hashes of its shingles of three words, or of its sentences."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.resultsets.prepared import VERSION, PreparedArticle
from pmbf.alike.resultsets.stemming import Stemmed
from pmbf.base.arrays import distinct
from pmbf.base.errors import ParameterError
from pmbf.base.params import FOLD_VERSION, Sampling
from pmbf.text import utf8

WORDS, SENTENCES = "words", "sentences"
SHINGLE_TOKENS = 3
MOST_KEPT = 4096
_ONE_SEGMENT = 1 << 40
"""Characters: each text is one segment."""


class Preparer:
    """Makes the hashes of texts, always the same ones for the same text. Threads may share it.

    Args:
        features: `words`: shingles of three words; `sentences`: whole sentences.
        keep: The most hashes of an article, 8 to 4096.
        stem: The language of the stemmer, for sentences; None takes words as they are.

    Raises:
        ParameterError: A value is outside its range.
        UnsupportedError: The stemmer is not installed.

    >>> len(Preparer("words", 128, None).prepare("The tide comes in twice a day.").hashes)
    5
    """

    def __init__(self, features: str, keep: int, stem: str | None) -> None:
        if features not in (WORDS, SENTENCES):
            raise ParameterError(f"features is {features!r}, expected 'words' or 'sentences'")
        if isinstance(keep, bool) or not isinstance(keep, int) or not 8 <= keep <= MOST_KEPT:
            raise ParameterError(f"keep is {keep!r}, expected an integer from 8 to {MOST_KEPT}")
        if stem is not None and features == WORDS:
            raise ParameterError(f"stem is {stem!r} with features='words', which are not stemmed; expected 'sentences'")
        self.keep = keep
        self.is_of_sentences = features == SENTENCES
        self._stemmed = None if stem is None else Stemmed(stem)
        self.what = f"features={features!r}, stem={stem!r}"
        stemmer = self._stemmed.version if self._stemmed else ""
        # Two bytes are enough to tell the few settings of one user apart.
        self.settings = zlib.crc32(f"{VERSION} {features} {stemmer} {FOLD_VERSION}".encode()) & 0xFFFF
        # One hash more than is kept tells whether the list is trimmed.
        self._sampling = Sampling(SHINGLE_TOKENS, True, 0.0, keep + 1, _ONE_SEGMENT)

    def prepare(self, text: str) -> PreparedArticle:
        """Return the smallest hashes of a text."""
        if not self.is_of_sentences:
            sampled = kernels.sample(utf8(text), self._sampling, positions=False)
            return PreparedArticle.of(sampled.hashes, self.keep, sampled.n_chars, self.settings)
        found = self._sentences(text)
        return PreparedArticle.of(distinct(found.found["hash"]), self.keep, found.n_chars, self.settings)

    def sentences(self, text: str) -> NDArray[np.void]:
        """Return the sentences of a text that count, `(n,) kernels.SENTENCE`, in text order."""
        return self._sentences(text).found

    def _sentences(self, text: str) -> kernels.HashedSentences:
        return kernels.sentences(utf8(text)) if self._stemmed is None else self._stemmed.sentences(utf8(text))
