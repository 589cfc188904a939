"""What does a thief learn from keys of units? Of a store, a recorded task, a log; with and without the federation key.

- walking: from two known words on, each word of a dictionary is tried as the next one. A shingle of three words is
  among the keys of its unit if it has one of the ten smallest hashes: one in three shingles has.
- guessing: 40 words of the document, and 40 of other documents, are guessed.
- linking: the same text is asked for in two tasks; how many fingerprints are equal?

The thief of a task has its fingerprints, challenge, nonce and both certificates, as a proxy that ends TLS would.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.arguments import write_figures
from experiments.walking import GUESS_WORDS, VOCABULARY, documents_of
from pmbf import kernels
from pmbf.arrays import among
from pmbf.endpoint.sitekey import SiteKey
from pmbf.errors import NotFoundError
from pmbf.sites import auditlog
from pmbf.sites.keying import Keys, fingerprints, task_key
from pmbf.sites.protocol import CODE, LEAST_CLAIMED

KNOWN, N_STARTS, MOST_WORDS, N_GUESSES, BEAM = 2, 5, 10, 20, 10
Words = Sequence[str]
Keyed = Callable[[Keys], Keys]


@dataclass(frozen=True)
class Stolen:
    """What a thief learns.

    Args:
        what: What was stolen.
        thief: What the thief has beside it and the dictionary.
        walked: Words found, of all walks.
        n_walks: Walks.
        confirmed, deceived: True guesses, and false ones, that seem to be there.
        n_guesses: True guesses, and false ones.
    """

    what: str
    thief: str
    walked: int
    n_walks: int
    confirmed: int
    deceived: int
    n_guesses: int


def run(corpus: Path, *, seed: int, out: Path | None = None) -> str:
    """Return the figures as Markdown.

    Args:
        corpus: Documents, as `.txt` files, searched recursively.
        seed: Seed of all draws.
        out: JSON file to write.

    Raises:
        NotFoundError: The corpus has no text that can be used.
    """
    chance = random.Random(seed)
    documents, others = documents_of(corpus, chance)
    if not documents:
        raise NotFoundError(f"{corpus}: has no text in ASCII with 600 to 4,000 words")
    vocabulary = [word for word, _ in Counter(word for words in others for word in words).most_common(VOCABULARY)]
    found = [
        _attacked(what, thief, held, tried, from_each, (documents, others, vocabulary), chance)
        for what, thief, held, tried, from_each in _thefts(chance)
    ]
    n_equal, n_keys = _linked(documents, chance)
    n_logged = _in_the_log(documents)
    values = {"thefts": [asdict(one) for one in found], "linked": [n_equal, n_keys], "words_in_log": n_logged}
    write_figures(values, out)
    return table(values)


def _thefts(chance: random.Random) -> Iterator[tuple[str, str, Keyed, Keyed, bool]]:
    """Yield what is stolen, the thief, how the keys are kept, how the thief makes keys, and whether it is a task."""
    right, wrong = (_task(chance) for _ in range(2))
    yield "a collection's `sentences/`", "nothing more", _top, _top, False
    yield "the fingerprints of a task", "a wrong federation key", right, wrong, True
    yield "the fingerprints of a task", "the federation key", right, right, True
    yield "the log of a site", "the federation key", _logged, right, True


def _top(keys: Keys) -> Keys:
    """Return keys as a store keeps them: the top 32 bits."""
    return keys >> np.uint64(32)


def _task(chance: random.Random) -> Keyed:
    parts = [chance.randbytes(size) for size in (32, 32, 16, 16)]
    key = task_key(SiteKey(chance.randbytes(16)), parts[0], parts[1], parts[2], parts[3])
    return lambda keys: fingerprints(keys >> np.uint64(32) << np.uint64(32), key)


def _logged(keys: Keys) -> Keys:
    """Return all numbers that a log has which tells of a task about some units: a thief tries each as a fingerprint."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        _log_task(log, len(keys))
        found = re.findall("[0-9a-f]{1,12}", log.read_text())
    return np.array([int(one, 16) for one in found], np.uint64)


def _log_task(log: Path, n_units: int) -> None:
    """Write the line of a site about a task."""
    auditlog.write(log, "site", "south", "fingerprints", task="0" * 8, level="text", n_units=n_units, holds=True,
                   n_documents=1, epoch="0-1-1")  # fmt: skip


def _attacked(
    what: str,
    thief: str,
    held: Keyed,
    tried: Keyed,
    from_each: bool,
    texts: tuple[Sequence[Words], Sequence[Words], Words],
    chance: random.Random,
) -> Stolen:
    documents, others, vocabulary = texts
    walked = confirmed = deceived = 0
    for words in documents:
        known = held(_units(words, from_each=from_each)).ravel()
        for _ in range(N_STARTS):
            start = chance.randrange(len(words) - MOST_WORDS - KNOWN)
            walked += _walk(known, words[start:], vocabulary, tried)
        for _ in range(N_GUESSES):
            at, other = chance.randrange(len(words) - GUESS_WORDS), chance.choice(others)
            confirmed += _confirms(known, words[at : at + GUESS_WORDS], tried)
            deceived += _confirms(known, other[:GUESS_WORDS], tried)
    n = len(documents)
    return Stolen(what, thief, walked, n * N_STARTS, confirmed, deceived, n * N_GUESSES)


def _units(words: Words, *, from_each: bool) -> Keys:
    return kernels.units(" ".join(words).encode(), code=CODE, from_each=from_each).keys


def _walk(known: Keys, words: Words, vocabulary: Words, tried: Keyed) -> int:
    """Return how many right words follow the known ones."""
    paths = [list(words[:KNOWN])]
    for _ in range(MOST_WORDS):
        longer = []
        for path in paths:
            keys = tried(_of_triples([f"{path[-2]} {path[-1]} {word}" for word in vocabulary]))
            fits = among(keys.ravel(), known).reshape(keys.shape).any(axis=1)
            longer += [[*path, vocabulary[at]] for at in np.flatnonzero(fits).tolist()]
        if not longer or len(longer) > BEAM:
            break
        paths = longer
    return max(
        next((n for n, (one, own) in enumerate(zip(path, words, strict=False)) if one != own), len(path)) - KNOWN
        for path in paths
    )


def _of_triples(triples: Sequence[str]) -> Keys:
    """Return the keys of units that have one shingle alone: three words, again and again, in any order the same."""
    paragraphs = [" ".join([one] * (1 + 40 // (len(one) + 1))) for one in triples]
    keys = kernels.units("\n\n".join(paragraphs).encode(), code=CODE).keys
    assert len(keys) == len(triples)
    return keys


def _confirms(known: Keys, guess: Words, tried: Keyed) -> bool:
    keys = tried(_units(guess, from_each=True))
    return bool((among(keys.ravel(), known).reshape(keys.shape).sum(axis=1) >= LEAST_CLAIMED).any())


def _linked(documents: Sequence[Words], chance: random.Random) -> tuple[int, int]:
    """Return how many fingerprints of two tasks about the same texts are equal, and how many each task has."""
    keys = np.concatenate([_units(words, from_each=True) for words in documents])
    one, other = (_task(chance)(keys).ravel() for _ in range(2))
    return int(among(one, other).sum()), keys.size


def _in_the_log(documents: Sequence[Words]) -> int:
    """Return how many words of the documents a log has that tells of tasks about them, but for the program's own."""
    with tempfile.TemporaryDirectory() as folder:
        log, of_nothing = Path(folder) / "log.jsonl", Path(folder) / "nothing.jsonl"
        for path, texts in ((log, documents), (of_nothing, [["nothing"] * GUESS_WORDS])):
            for words in texts:
                _log_task(path, len(_units(words, from_each=True)))
        told, own = (set(path.read_text().lower().replace('"', " ").split()) for path in (log, of_nothing))
    return len({word for words in documents for word in words if word.isalpha()} & (told - own))


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a table in Markdown."""
    n_equal, n_keys = figures["linked"]
    lines = [
        "| stolen | the thief has | words walked | true guesses confirmed | false guesses confirmed |",
        "|---|---|---:|---:|---:|",
        *(
            f"| {one.what} | {one.thief} | {one.walked} in {one.n_walks} walks | {one.confirmed} of {one.n_guesses} | "
            f"{one.deceived} of {one.n_guesses} |"
            for one in (Stolen(**values) for values in figures["thefts"])
        ),
        "",
        f"of {n_keys:,} fingerprints of two tasks about the same texts {n_equal} are equal; of the words of the texts "
        f"{figures['words_in_log']} stand in a log",
    ]
    return "\n".join(lines)
