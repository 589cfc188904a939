"""A text to its hashes: the smallest hashes of its shingles of three words, or of its sentences; and their bytes.

    byte    0        1          2..3         4..7           8..
            version  1 if       settings     characters     hashes, ascending, 4 bytes each
                     trimmed    (CRC-32)     of the text

All numbers are little-endian. The *settings* tell how the hashes were made: two of their bytes differ if the features,
the stemmer or the rules of folding do.

A word is stemmed as it stands in the text, in small letters, and then folded: Snowball's rules need é, ü and й. A word
that is broken over two lines, or that has other characters than letters, is folded first.
"""

from __future__ import annotations

import secrets
import struct
import threading
import unicodedata
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.arrays import distinct
from pmbf.base.errors import CorruptError, ParameterError, UnsupportedError
from pmbf.base.params import FOLD_VERSION, Sampling
from pmbf.kernels import WHOLE, HashedSentences, StemTable
from pmbf.text import fold, tokenise, utf8

VERSION = 1
"""Raised with each change of the bytes, or of how the hashes are made."""

_HEADER = struct.Struct("<BBHI")
_HASH = struct.Struct("<I")

MOST_WORDS = 200_000
"""Words of the table of stems, 8 MB. If there are more, then the table begins anew with the next text."""
WORDS, SENTENCES = "words", "sentences"
SHINGLE_TOKENS = 3
MOST_KEPT = 4096
_ONE_SEGMENT = 1 << 40
"""Characters: each text is one segment."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedArticle:
    """The smallest hashes of one article. `bytes(prepared)` is what to store; `ResultSets.read` reads it again.

    Args:
        packed: The limit, then the hashes, ascending and distinct: 4 bytes each, little-endian. The limit says up to
            which hash the article is known: the last hash of a trimmed list, else 2^32 - 1.
        n_chars: Code points of the text.
        settings: What the hashes were made with.
    """

    packed: bytes
    n_chars: int
    settings: int

    @staticmethod
    def of(hashes: NDArray[np.uint32], keep: int, n_chars: int, settings: int) -> PreparedArticle:
        """Return the `keep` smallest of some hashes, `(n,) uint32`, ascending and distinct."""
        limit = int(hashes[keep - 1]) if len(hashes) > keep else WHOLE
        return PreparedArticle(_HASH.pack(limit) + hashes[:keep].astype("<u4", copy=False).tobytes(), n_chars, settings)

    def __bytes__(self) -> bytes:
        is_trimmed = self.limit != WHOLE
        return _HEADER.pack(VERSION, is_trimmed, self.settings, min(self.n_chars, WHOLE)) + self.packed[_HASH.size :]

    @property
    def limit(self) -> int:
        """Up to which hash the article is known."""
        return int(_HASH.unpack_from(self.packed)[0])

    @property
    def hashes(self) -> NDArray[np.uint32]:
        """The hashes, `(n,) uint32`, ascending."""
        return np.frombuffer(self.packed, "<u4", offset=_HASH.size).astype(np.uint32, copy=False)


def read(raw: bytes, settings: int, what: str) -> PreparedArticle:
    """Return a prepared article from its bytes; `what` are the settings in words.

    Raises `CorruptError` if the bytes are cut short or changed, `UnsupportedError` if they are of another version,
    `ParameterError` if they were made with other settings.
    """
    if len(raw) < _HEADER.size:
        raise CorruptError(
            f"a prepared article has {len(raw)} bytes, expected at least {_HEADER.size}; prepare it again"
        )
    version, is_trimmed, made_with, n_chars = _HEADER.unpack_from(raw)
    if version != VERSION:
        raise UnsupportedError(f"a prepared article is of version {version}, expected {VERSION}; prepare it again")
    if made_with != settings:
        raise ParameterError(f"an article was prepared with other settings than {what}; prepare it again")
    packed = bytes(raw[_HEADER.size :])
    if len(packed) % _HASH.size or is_trimmed > 1 or (is_trimmed and not packed):
        raise CorruptError(f"a prepared article of {len(raw)} bytes is cut short; prepare it again")
    hashes = np.frombuffer(packed, "<u4")
    if (hashes[1:] <= hashes[:-1]).any():
        raise CorruptError("the hashes of a prepared article do not ascend; prepare it again")
    limit = int(hashes[-1]) if is_trimmed else WHOLE
    return PreparedArticle(_HASH.pack(limit) + packed, n_chars, made_with)


class Stemmed:
    """The sentences of texts, made of the stems of their words. Threads may share it; one of them works at a time."""

    def __init__(self, language: str) -> None:
        try:
            import Stemmer
        except ImportError:
            raise UnsupportedError(
                f"stem={language!r} needs PyStemmer: pip install 'pmbf[stem]'", missing_extra="stem"
            ) from None
        known = Stemmer.algorithms()
        if language not in known:
            raise ParameterError(f"stem is {language!r}, expected one of {', '.join(known)}")
        # Its own cache would make it slower: 0.6 million words a second in place of 0.95.
        self._stem = Stemmer.Stemmer(language, 0).stemWord
        # The stems of some words change with the first number of Snowball's version.
        self.version = f"{language} {Stemmer.version().split('.')[0]}"
        self._table = StemTable(secrets.randbits(64))
        self._lock = threading.Lock()

    def sentences(self, utf8: bytes) -> HashedSentences:
        """Return the sentences of a text, as `kernels.sentences` does."""
        with self._lock:
            if len(self._table) > MOST_WORDS:
                self._table.clear()
            found = kernels.sentences(utf8, self._table)
            if len(found.unknown):
                self._learn(utf8, found)
                found = kernels.sentences(utf8, self._table)
            return found

    def _learn(self, utf8: bytes, found: HashedSentences) -> None:
        words = {key: (start, stop) for key, start, stop in found.unknown.tolist()}
        self._table.put({key: self._hash(utf8[start:stop].decode()) for key, (start, stop) in words.items()})

    def _hash(self, word: str) -> int:
        """Return the hash of a word's stem."""
        composed = unicodedata.normalize("NFC", word)
        plain = composed if composed.isalpha() else fold(word).text.strip()
        stem = self._stem(plain.lower())
        tokens = tokenise(stem)
        return int(tokens.hashes[0]) if len(tokens) else int(tokenise(word).hashes[0])


class Preparer:
    """Makes the hashes of texts, always the same ones for the same text. Threads may share it.

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
