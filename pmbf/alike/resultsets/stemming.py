"""The stems of words, once for each word: what a sentence is made of is looked up in a table.

A word is stemmed as it stands in the text, in small letters, and then folded: Snowball's rules need é, ü and й. A word
that is broken over two lines, or that has other characters than letters, is folded first.
"""

from __future__ import annotations

import secrets
import threading
import unicodedata

from pmbf import kernels
from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.kernels import HashedSentences, StemTable
from pmbf.text import fold, tokenise

MOST_WORDS = 200_000
"""Words of the table, 8 MB. If there are more, then the table begins anew with the next text."""


class Stemmed:
    """The sentences of texts, made of the stems of their words. Threads may share it; one of them works at a time.

    Args:
        language: An algorithm of Snowball: `english`, `german`, `russian`, …

    Raises:
        UnsupportedError: PyStemmer is not installed.
        ParameterError: There is no such language.
    """

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
