"""What does a filter tell who has it? Attacks on filters of single documents, with and without what keeps them secret.

- walking: from four known words on, each word of a dictionary is tried as the next one; the filter says which fit. The
  dictionary is the commonest words of other documents of the corpus, and no language model helps.
- confirming: 40 words of the document, and as many of others, are guessed; the filter says which are in it.
- seeds: every seed of a number of bits is tried with four shingles that the attacker knows of the document.

The filters: `plain`, Bloom filters of all five-word shingles under MurmurHash3, one absent shingle in a million taken
for present; `seeded`, the same under a secret seed of 32 bits; `keyed`, the same under SipHash-2-4 and a secret key of
128 bits; `endpoint`, a row of the endpoint filter, which is keyed, sampled, takes one in a hundred, and is
of letters, not of words: it is walked letter by letter, too, and the attacker knows twenty words.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import mmh3
import numpy as np
from numpy.typing import NDArray

from experiments.arguments import write_figures
from measure.corpora import read
from pmbf import kernels
from pmbf.endpoint import rows
from pmbf.endpoint.sampling import GRAM_LETTERS, RUN, WINDOW, gram_hashes, keyed_sample, least, letters_of
from pmbf.endpoint.sitekey import SiteKey
from pmbf.errors import NotFoundError
from pmbf.params import words_per_row
from pmbf.text import fold

GRAM = 5
KNOWN_WORDS, KNOWN_LETTERS = 20, 64
"""Of a document, to who walks the endpoint filter: the letters of a gram and a window, and some."""
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
FPR, N_HASHES = 1e-6, 20
N_READ, N_DOCUMENTS, DOCUMENT_WORDS = 1500, 12, (600, 4000)
VOCABULARY = 30_000
BEAM, MOST_WORDS = 30, 40
GUESS_WORDS, N_GUESSES = 40, 20
_SEEDS_TOGETHER = 1 << 16

Words = Sequence[str]
Hasher = Callable[[Sequence[str]], NDArray[np.uint32]]
"""Hashes shingles, each some words with a space between."""


class Held(Protocol):
    """A filter as an attacker holds it, with a way to hash that is right or wrong."""

    @property
    def n_known(self) -> int:
        """Words in a row that he needs to know to begin with."""
        ...

    def fitting(self, path: Words, vocabulary: Words) -> NDArray[np.bool_]:
        """Return which words may come next, by the filter."""
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
        n_known: Words that he knows.
    """

    bits: NDArray[np.uint64]
    hashed: Hasher
    n_known: int = GRAM - 1

    def has(self, shingles: Sequence[str]) -> NDArray[np.bool_]:
        """Return which shingles the filter seems to hold."""
        return _present(self.bits, self.hashed(shingles), N_HASHES)

    def fitting(self, path: Words, vocabulary: Words) -> NDArray[np.bool_]:
        """Return with which words the last ones are a shingle that the filter seems to hold."""
        begun = " ".join(path[-self.n_known :])
        return self.has([f"{begun} {word}" for word in vocabulary])

    def confirms(self, guess: Words) -> bool:
        """Return whether the filter seems to hold all shingles of a guess."""
        return bool(self.has(_grams(guess, GRAM)).all())


@dataclass(frozen=True)
class EndpointRow:
    """A row of an endpoint filter.

    Args:
        bits: The row.
        key: What the attacker takes for the site key.
        n_known: Words, or letters, that he knows.
    """

    bits: NDArray[np.uint64]
    key: SiteKey
    n_known: int

    def has(self, hashes: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return which hashes the row seems to hold."""
        return _present(self.bits, hashes, rows.N_HASHES)

    def fitting(self, path: Words, vocabulary: Words) -> NDArray[np.bool_]:
        """Return with which words the row seems to hold all new grams that are surely sampled.

        These are the least of each window that lies in the known letters and the word's, and ends in the word.
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


@dataclass(frozen=True)
class Attacked:
    """What an attacker got out of one kind of filter.

    Args:
        filter: Which kind.
        attacker: What he has besides the filter and the dictionary.
        walked: Right words found from each start on, one number for each document.
        confirmed: Of `n_guesses` true guesses, those confirmed.
        deceived: Of `n_guesses` false guesses, those confirmed.
        n_guesses: Guesses of either kind.
    """

    filter: str
    attacker: str
    walked: tuple[int, ...]
    confirmed: int
    deceived: int
    n_guesses: int


@dataclass(frozen=True)
class SeedSearch:
    """A search for a 32-bit seed: how many were tried, in what time, and which fitted."""

    n_tried: int
    seconds: float
    is_found: bool
    n_fitting: int


def run(corpus: Path, *, seed: int, seed_bits: int, out: Path | None = None) -> str:
    """Return the figures as Markdown.

    Args:
        corpus: Documents, as `.txt` files, searched recursively.
        seed: Of the choice of documents, places and keys.
        seed_bits: All seeds of so many bits are tried, up to 32.
        out: JSON file to write.

    Raises:
        NotFoundError: The corpus has no text that would serve.
    """
    chance = random.Random(seed)
    documents, others = _documents(corpus, chance)
    if not documents:
        raise NotFoundError(
            f"{corpus}: no text in ASCII with {DOCUMENT_WORDS[0]} to {DOCUMENT_WORDS[1]} words is in it"
        )
    vocabulary = [word for word, _ in Counter(word for text in others for word in text).most_common(VOCABULARY)]
    attacked = [
        _attacked(kind, attacker, make, documents, others, vocabulary, chance)
        for kind, attacker, make in _attacks(chance)
    ]
    search = search_seeds(documents[0], seed_bits, chance)
    values = {"attacks": [asdict(one) for one in attacked], "seeds": asdict(search), "vocabulary": len(vocabulary)}
    write_figures(values, out)
    return _text(attacked, search, len(vocabulary))


# ---------------------------------------------------------------------- filters and attackers


def _attacks(chance: random.Random) -> Iterator[tuple[str, str, Callable[[Words], Held]]]:
    """Yield a kind of filter, who attacks, and what makes of a document the filter he holds."""
    key, wrong = SiteKey(chance.randbytes(16)), SiteKey(chance.randbytes(16))
    secret_seed = chance.getrandbits(32)
    yield "plain", "nothing more", lambda words: _unsampled(words, murmur(0), murmur(0))
    yield "seeded", "a wrong seed", lambda words: _unsampled(words, murmur(secret_seed), murmur(secret_seed ^ 1))
    yield "seeded", "the seed, once found", lambda words: _unsampled(words, murmur(secret_seed), murmur(secret_seed))
    yield "keyed", "a wrong key", lambda words: _unsampled(words, siphash(key, GRAM), siphash(wrong, GRAM))
    yield "keyed", "the key", lambda words: _unsampled(words, siphash(key, GRAM), siphash(key, GRAM))
    yield "endpoint", "a wrong key", lambda words: _endpoint_row(words, key, wrong)
    yield "endpoint", "the key", lambda words: _endpoint_row(words, key, key)
    yield "endpoint", "the key, letter by letter", lambda words: _endpoint_row(words, key, key, KNOWN_LETTERS)


def murmur(seed: int) -> Hasher:
    """Return MurmurHash3, 32 bits, under a seed."""
    return lambda shingles: np.array([mmh3.hash(one, seed, signed=False) for one in shingles], np.uint32)


def siphash(key: SiteKey, width: int) -> Hasher:
    """Return the keyed hash of the endpoint filter, for shingles of so many words."""

    def hashed(shingles: Sequence[str]) -> NDArray[np.uint32]:
        tokens = kernels.tokenise("\n".join(shingles).encode()).hashes
        values = kernels.siphash_windows(tokens, width=width, key=key.words)[::width]
        return (values >> np.uint64(32)).astype(np.uint32)

    return hashed


def _unsampled(words: Words, made: Hasher, guessed: Hasher) -> WordFilter:
    hashes = made(_grams(words, GRAM))
    bits = np.zeros(words_per_row(len(hashes), n_hashes=N_HASHES, fpr=FPR), np.uint64)
    kernels.fill(bits, hashes, n_hashes=N_HASHES)
    return WordFilter(bits, guessed)


def _endpoint_row(words: Words, key: SiteKey, guessed: SiteKey, n_known: int = KNOWN_WORDS) -> EndpointRow:
    """Return the row of a document's first part."""
    bits = np.zeros(rows.ROW_WORDS, np.uint64)
    own = np.unique(keyed_sample(" ".join(words), key).hashes[: rows.CAPACITY])
    kernels.fill(bits, rows.padded(own, 1, key), n_hashes=rows.N_HASHES)
    return EndpointRow(bits, guessed, n_known)


def _attacked(
    kind: str,
    attacker: str,
    make: Callable[[Words], Held],
    documents: Sequence[Words],
    others: Sequence[Words],
    vocabulary: Words,
    chance: random.Random,
) -> Attacked:
    walked, confirmed, deceived = [], 0, 0
    for words in documents:
        held = make(words)
        # The beginning is in the row, whatever part of the document it stands for.
        start = chance.randrange(len(words) // 4)
        if held.n_known == KNOWN_LETTERS:
            walked.append(walk(held, "".join(words[start:]), ALPHABET))
        else:
            walked.append(walk(held, words[start:], vocabulary))
        for _ in range(N_GUESSES):
            at, other = chance.randrange(len(words) // 4), chance.choice(others)
            confirmed += held.confirms(words[at : at + GUESS_WORDS])
            deceived += held.confirms(other[:GUESS_WORDS])
    return Attacked(kind, attacker, tuple(walked), confirmed, deceived, N_GUESSES * len(documents))


def walk(held: Held, words: Words, vocabulary: Words) -> int:
    """Return how many right words follow those that are known, on the path that goes furthest.

    Args:
        held: The filter.
        words: The document from the known words on.
        vocabulary: What may come next.
    """
    paths = [list(words[: held.n_known])]
    for _ in range(MOST_WORDS):
        longer = []
        for path in paths:
            longer += [[*path, vocabulary[at]] for at in np.flatnonzero(held.fitting(path, vocabulary)).tolist()]
        if not longer or len(longer) > BEAM:
            break
        paths = longer
    return max(_right(path, words) for path in paths) - held.n_known


def _right(path: Words, words: Words) -> int:
    """Return how many words of a path are those of the document before the first wrong one."""
    return next((n for n, (one, own) in enumerate(zip(path, words, strict=False)) if one != own), len(path))


def _grams(words: Words, n: int) -> list[str]:
    return [" ".join(words[at : at + n]) for at in range(len(words) - n + 1)]


def _present(bits: NDArray[np.uint64], hashes: NDArray[np.uint32], n_hashes: int) -> NDArray[np.bool_]:
    at = kernels.positions(hashes, row_bits=64 * len(bits), n_hashes=n_hashes)
    set_: NDArray[np.bool_] = (bits[at >> 6] >> (at & 63).astype(np.uint64) & np.uint64(1)).all(axis=1)
    return set_


# ---------------------------------------------------------------------- seeds


def search_seeds(words: Words, seed_bits: int, chance: random.Random) -> SeedSearch:
    """Try every seed of so many bits on a seeded filter, with four shingles of the document that the attacker knows."""
    secret = chance.getrandbits(seed_bits)
    held = _unsampled(words, murmur(secret), murmur(secret))
    known = [one.encode() for one in _grams(words, GRAM)[:4]]
    fitting: list[int] = []
    began = time.process_time()
    for first in range(0, 1 << seed_bits, _SEEDS_TOGETHER):
        seeds = np.arange(first, min(first + _SEEDS_TOGETHER, 1 << seed_bits), dtype=np.uint32)
        for shingle in known:
            # A bit more each time: half of the seeds fail at the first, half of the rest at the second.
            for n_bits in (1, 3, N_HASHES):
                seeds = seeds[_present(held.bits, murmur_of_seeds(shingle, seeds), n_bits)]
        fitting += seeds.tolist()
    seconds = time.process_time() - began
    return SeedSearch(1 << seed_bits, seconds, secret in fitting, len(fitting))


def murmur_of_seeds(octets: bytes, seeds: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return MurmurHash3 x86 32 of some bytes under each seed, `(n,) uint32`.

    >>> int(murmur_of_seeds(b"hello", np.array([7], np.uint32))[0]) == mmh3.hash(b"hello", 7, signed=False)
    True
    """
    hashes = seeds.copy()
    whole = len(octets) // 4 * 4
    for block in np.frombuffer(octets[:whole], "<u4").tolist():
        hashes ^= _scrambled(block)
        hashes = (hashes << np.uint32(13)) | (hashes >> np.uint32(19))
        hashes = hashes * np.uint32(5) + np.uint32(0xE6546B64)
    if whole < len(octets):
        hashes ^= _scrambled(int.from_bytes(octets[whole:], "little"))
    hashes ^= np.uint32(len(octets))
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        hashes = (hashes ^ (hashes >> np.uint32(shift))) * np.uint32(factor)
    mixed: NDArray[np.uint32] = hashes ^ (hashes >> np.uint32(16))
    return mixed


def _scrambled(block: int) -> np.uint32:
    block = block * 0xCC9E2D51 & 0xFFFFFFFF
    block = (block << 15 | block >> 17) & 0xFFFFFFFF
    return np.uint32(block * 0x1B873593 & 0xFFFFFFFF)


# ---------------------------------------------------------------------- texts


def _documents(corpus: Path, chance: random.Random) -> tuple[list[list[str]], list[list[str]]]:
    """Return the documents attacked, and others, as folded words: texts in ASCII, but for one word in fifty."""
    paths = sorted(path for path in corpus.rglob("*.txt") if path.is_file())
    chance.shuffle(paths)
    texts = [_ascii_words(path) for path in paths[:N_READ]]
    fitting = [n for n, words in enumerate(texts) if DOCUMENT_WORDS[0] <= len(words) <= DOCUMENT_WORDS[1]]
    chosen = set(fitting[:N_DOCUMENTS])
    others = [words for n, words in enumerate(texts) if n not in chosen and len(words) >= GUESS_WORDS]
    return [texts[n] for n in sorted(chosen)], others


def _ascii_words(path: Path) -> list[str]:
    words = fold(read(path)).text.split()
    plain = [word for word in words if word.isascii()]
    return plain if len(plain) > 0.98 * len(words) else []


def _text(attacked: Sequence[Attacked], search: SeedSearch, n_vocabulary: int) -> str:
    lines = [
        f"{len(attacked[0].walked)} documents, {n_vocabulary:,} words in the dictionary",
        "",
        "| filter | the attacker has | words walked | true guesses confirmed | false guesses confirmed |",
        "|---|---|---:|---:|---:|",
    ]
    for one in attacked:
        walked = f"{min(one.walked)} to {max(one.walked)}, {sum(one.walked)} in all"
        lines.append(
            f"| {one.filter} | {one.attacker} | {walked} | {one.confirmed} of {one.n_guesses} "
            f"| {one.deceived} of {one.n_guesses} |"
        )
    rate = search.n_tried / search.seconds
    lines += [
        "",
        f"{search.n_tried:,} seeds tried in {search.seconds:.1f} s of processor time, {rate / 1e6:.1f} million/s: "
        f"{search.n_fitting} fit, the right one {'is' if search.is_found else 'is not'} among them; "
        f"all 2^32 take {2**32 / rate / 60:.1f} minutes at this rate",
    ]
    return "\n".join(lines)
