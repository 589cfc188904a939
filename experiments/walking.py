"""What does a filter reveal to its holder? Attacks on filters of single documents, with and without the secret key.

- walking: from four known words on, each word of a dictionary is tried as the next word; the filter says which fit. The
  dictionary is the commonest words of other documents of the corpus. No language model helps.
- confirming: 40 words of the document, and 40 of other documents, are guessed; the filter says which guess is in it.
- seeds: every seed of a number of bits is tried, with four shingles of the document that the attacker knows.

The filters:

- `plain`: a Bloom filter of all five-word shingles under MurmurHash3; one absent shingle in a million looks present;
- `seeded`: the same under a secret seed of 32 bits;
- `keyed`: the same under SipHash-2-4 and a secret key of 128 bits;
- `endpoint`: a row of the endpoint filter. It is keyed and sampled, has grams of letters, and one absent gram in a
  hundred looks present. It is walked letter by letter too, and the attacker knows twenty words.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from experiments.arguments import write_figures
from experiments.held_filters import GRAM, KNOWN_LETTERS, Held, Words, endpoint_row, murmur, siphash, unsampled
from experiments.seeds import SeedSearch, search_seeds
from measure.corpora import read
from pmbf.endpoint.sitekey import SiteKey
from pmbf.errors import NotFoundError
from pmbf.text import fold

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
N_READ, N_DOCUMENTS, DOCUMENT_WORDS = 1500, 12, (600, 4000)
VOCABULARY = 30_000
BEAM, MOST_WORDS = 30, 40
GUESS_WORDS, N_GUESSES = 40, 20


@dataclass(frozen=True)
class Attacked:
    """What an attacker learns from one kind of filter.

    Args:
        filter: The kind.
        attacker: What the attacker has beside the filter and the dictionary.
        walked: For each document, the number of right words found from the start on.
        confirmed: Number of true guesses that were confirmed.
        deceived: Number of false guesses that were confirmed.
        n_guesses: Number of true guesses, and of false guesses.
    """

    filter: str
    attacker: str
    walked: tuple[int, ...]
    confirmed: int
    deceived: int
    n_guesses: int


def run(corpus: Path, *, seed: int, seed_bits: int, out: Path | None = None) -> str:
    """Return the figures as Markdown.

    Args:
        corpus: Documents, as `.txt` files, searched recursively.
        seed: Seed of the draw of documents, places and keys.
        seed_bits: All seeds of this number of bits are tried, up to 32.
        out: JSON file to write.

    Raises:
        NotFoundError: The corpus has no text that can be used.
    """
    chance = random.Random(seed)
    documents, others = documents_of(corpus, chance)
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
    """Yield a kind of filter, the attacker, and a function that makes the attacker's filter of a document."""
    key, wrong = SiteKey(chance.randbytes(16)), SiteKey(chance.randbytes(16))
    secret_seed = chance.getrandbits(32)
    yield "plain", "nothing more", lambda words: unsampled(words, murmur(0), murmur(0))
    yield "seeded", "a wrong seed", lambda words: unsampled(words, murmur(secret_seed), murmur(secret_seed ^ 1))
    yield "seeded", "the seed, once found", lambda words: unsampled(words, murmur(secret_seed), murmur(secret_seed))
    yield "keyed", "a wrong key", lambda words: unsampled(words, siphash(key, GRAM), siphash(wrong, GRAM))
    yield "keyed", "the key", lambda words: unsampled(words, siphash(key, GRAM), siphash(key, GRAM))
    yield "endpoint", "a wrong key", lambda words: endpoint_row(words, key, wrong)
    yield "endpoint", "the key", lambda words: endpoint_row(words, key, key)
    yield "endpoint", "the key, letter by letter", lambda words: endpoint_row(words, key, key, KNOWN_LETTERS)


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
    """Return how many right words follow the known words, on the path that goes furthest.

    Args:
        held: The filter.
        words: The document from the known words on.
        vocabulary: The words that may come next.
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
    """Return how many words of a path equal those of the document, up to the first wrong word."""
    return next((n for n, (one, own) in enumerate(zip(path, words, strict=False)) if one != own), len(path))


# ---------------------------------------------------------------------- texts


def documents_of(corpus: Path, chance: random.Random) -> tuple[list[list[str]], list[list[str]]]:
    """Return the attacked documents and others as folded words. At most one word in fifty is not ASCII."""
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
