"""Filters of single documents in the hands of an attacker, who has the right hash or a wrong one: see `walking`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import mmh3
import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.endpoint import rows
from pmbf.endpoint.sampling import GRAM_LETTERS, RUN, WINDOW, gram_hashes, keyed_sample, least, letters_of
from pmbf.endpoint.sitekey import SiteKey
from pmbf.params import words_per_row

GRAM = 5
KNOWN_WORDS, KNOWN_LETTERS = 20, 64
"""Words and letters of a document that an attacker of the endpoint filter knows. A gram and a window have fewer
letters."""
FPR, N_HASHES = 1e-6, 20

Words = Sequence[str]
Hasher = Callable[[Sequence[str]], NDArray[np.uint32]]
"""Hashes shingles, which are words with spaces between."""


class Held(Protocol):
    """A filter in the hands of an attacker, with the right hash function or a wrong one."""

    @property
    def n_known(self) -> int:
        """Words in a row that the attacker needs to know at first."""
        ...

    def fitting(self, path: Words, vocabulary: Words) -> NDArray[np.bool_]:
        """Return which words may come next, as the filter says."""
        ...

    def confirms(self, guess: Words) -> bool:
        """Return whether the filter seems to hold a guess."""
        ...


@dataclass(frozen=True)
class WordFilter:
    """A filter of all shingles of `GRAM` words.

    Args:
        bits: The row.
        hashed: What the attacker takes for the filter's hash.
        n_known: Words that the attacker knows.
    """

    bits: NDArray[np.uint64]
    hashed: Hasher
    n_known: int = GRAM - 1

    def has(self, shingles: Sequence[str]) -> NDArray[np.bool_]:
        """Return which shingles the filter seems to hold."""
        return present(self.bits, self.hashed(shingles), N_HASHES)

    def fitting(self, path: Words, vocabulary: Words) -> NDArray[np.bool_]:
        """Return the words that make, after the last words of the path, a shingle that the filter seems to hold."""
        begun = " ".join(path[-self.n_known :])
        return self.has([f"{begun} {word}" for word in vocabulary])

    def confirms(self, guess: Words) -> bool:
        """Return whether the filter seems to hold all shingles of a guess."""
        return bool(self.has(grams(guess, GRAM)).all())


@dataclass(frozen=True)
class EndpointRow:
    """A row of an endpoint filter.

    Args:
        bits: The row.
        key: What the attacker takes for the site key.
        n_known: Words, or letters, that the attacker knows.
    """

    bits: NDArray[np.uint64]
    key: SiteKey
    n_known: int

    def has(self, hashes: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return which hashes the row seems to hold."""
        return present(self.bits, hashes, rows.N_HASHES)

    def fitting(self, path: Words, vocabulary: Words) -> NDArray[np.bool_]:
        """Return the words with which the row seems to hold all new grams that are surely sampled.

        These are the least gram of each window that ends in the word and lies within the known letters and the word.
        """
        reach = GRAM_LETTERS + WINDOW - 1
        begun = letters_of("".join(path[-reach:]))[0][-reach:]
        ends = [letters_of(word)[0] for word in vocabulary]
        n_new = np.array([len(end) for end in ends])
        hashes = gram_hashes(np.concatenate([part for end in ends for part in (begun, end)]), self.key)
        fits = self.has((hashes >> np.uint64(32)).astype(np.uint32))
        lacks = np.append(0, np.cumsum(~fits[least(hashes, WINDOW)]))
        first = np.cumsum(n_new) - n_new + np.arange(len(ends)) * len(begun) + 1
        found: NDArray[np.bool_] = lacks[first + n_new] == lacks[first]
        return found

    def confirms(self, guess: Words) -> bool:
        """Return whether a guess would be found, as `pmbf guard` finds it."""
        fits = self.has(keyed_sample(" ".join(guess), self.key).hashes)
        return any(len(run) >= RUN for run in "".join(" x"[one] for one in fits.tolist()).split())


def murmur(seed: int) -> Hasher:
    """Return MurmurHash3, 32 bits, under a seed."""
    return lambda shingles: np.array([mmh3.hash(one, seed, signed=False) for one in shingles], np.uint32)


def siphash(key: SiteKey, width: int) -> Hasher:
    """Return the keyed hash of the endpoint filter, for shingles of `GRAM` words."""

    def hashed(shingles: Sequence[str]) -> NDArray[np.uint32]:
        tokens = kernels.tokenise("\n".join(shingles).encode()).hashes
        values = kernels.siphash_windows(tokens, width=width, key=key.words)[::width]
        return (values >> np.uint64(32)).astype(np.uint32)

    return hashed


def unsampled(words: Words, made: Hasher, guessed: Hasher) -> WordFilter:
    """Return the filter of all shingles of a document, made with one hash and attacked with another."""
    hashes = made(grams(words, GRAM))
    bits = np.zeros(words_per_row(len(hashes), n_hashes=N_HASHES, fpr=FPR), np.uint64)
    kernels.fill(bits, hashes, n_hashes=N_HASHES)
    return WordFilter(bits, guessed)


def endpoint_row(words: Words, key: SiteKey, guessed: SiteKey, n_known: int = KNOWN_WORDS) -> EndpointRow:
    """Return the row of a document's first part, made with one key and attacked with another."""
    bits = np.zeros(rows.ROW_WORDS, np.uint64)
    own = np.unique(keyed_sample(" ".join(words), key).hashes[: rows.CAPACITY])
    kernels.fill(bits, rows.padded(own, 1, key), n_hashes=rows.N_HASHES)
    return EndpointRow(bits, guessed, n_known)


def grams(words: Words, n: int) -> list[str]:
    """Return each run of `n` words, with spaces between."""
    return [" ".join(words[at : at + n]) for at in range(len(words) - n + 1)]


def present(bits: NDArray[np.uint64], hashes: NDArray[np.uint32], n_hashes: int) -> NDArray[np.bool_]:
    """Return which hashes have all their bits set in a row, `(n,) bool`."""
    return kernels.look_up([(bits[None], False, n_hashes)], hashes)[1] > 0
