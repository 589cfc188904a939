"""What an attacker guesses by: which letter and which word follow which, counted in texts that it has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

N_LETTERS, N_WORDS = 5, 2
"""Letters, and words, that the next one is guessed by, at most."""


@dataclass
class Follows:
    """What follows what.

    Args:
        texts: The texts, plain.

    >>> follows = Follows(["the sea the sea the reef"])
    >>> max(follows.words(["the"]).items(), key=lambda one: one[1])[0]
    'sea'
    """

    texts: Sequence[str]
    _letters: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _words: dict[tuple[str, ...], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def __post_init__(self) -> None:
        for text in self.texts:
            words = text.split()
            for n in range(N_LETTERS + 1):
                for at in range(n, len(text)):
                    self._letters[text[at - n : at]][text[at]] += 1
            for n in range(N_WORDS + 1):
                for at in range(n, len(words)):
                    self._words[tuple(words[at - n : at])][words[at]] += 1

    def letters(self, before: str) -> dict[str, float]:
        """Return how likely each letter is to come next."""
        return _mixed([self._letters.get(before[len(before) - n :]) for n in range(N_LETTERS + 1)])

    def words(self, before: Sequence[str], begun: str = "") -> dict[str, float]:
        """Return how likely each word is to come next, of those that begin so."""
        return _mixed([self._words.get(tuple(before[len(before) - n :])) for n in range(N_WORDS + 1)], begun)


def _mixed(counts: Sequence[Counter[str] | None], begun: str = "") -> dict[str, float]:
    """Return shares of what comes next, each length of what is before with its weight.

    Source:
        Witten & Bell 1991, method C.
    """
    shares: dict[str, float] = {}
    for one in counts:
        if not one:
            continue
        whole = one.total() + len(one)
        shares = {what: share * len(one) / whole for what, share in shares.items()}
        for what, count in one.items():
            if what.startswith(begun):
                shares[what] = shares.get(what, 0.0) + count / whole
    return shares
