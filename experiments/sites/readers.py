"""Three members that read on from the known beginning of a unit, each by another yes and no of a site.

    letters   the known part is cut so that one letter more makes the unit alike
    words     known words and a guessed one make a shared part that is just long enough
    keys      two known keys, and eight keys that the next word would make: one more equal key is a claim

A reader holds what is likely to come next, asks for the likeliest, weighs it by the answer (Bayes), and takes what is
likelier than `SURE` as read. It is told which keys the unit has that it knows of: more than a member would know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from experiments.sites.follows import Follows
from pmbf import kernels
from pmbf.arrays import among
from pmbf.sentences.verdict import LEAST_PART, LEAST_SIMILARITY
from pmbf.sites import sparing
from pmbf.sites.keying import Keys
from pmbf.sites.protocol import CODE, LEAST_CLAIMED, LEAST_SHARED, N_KEYS

SURE = 0.9
FILLER, BROKEN = "ж", "щ"
"""Letters that no English text has: in the place of what is unknown, and of a letter that would make a word equal."""


class Bars(NamedTuple):
    """How far the bars of the attacked site are raised at most: a member can read pmbf."""

    similarity: float
    columns: int

    @classmethod
    def of(cls) -> Bars:
        """Return those of pmbf."""
        return cls(sparing.BLURRED_SIMILARITY, sparing.BLURRED_COLUMNS)


class Asking(NamedTuple):
    """A question about a unit: its words, unless keys alone are asked for, and its keys."""

    words: str
    keys: Keys


def reached(value: float, least: float, most_raised: float) -> float:
    """Return how likely a value is to reach a bar that is raised by the mean of two even numbers.

    >>> [round(reached(value, 0.6, 0.1), 3) for value in (0.59, 0.6, 0.625, 0.65, 0.7)], reached(0.6, 0.6, 0)
    ([0.0, 0.0, 0.125, 0.5, 1.0], 1.0)
    """
    if not most_raised:
        return float(value >= least)
    x = min(1.0, max(0.0, (value - least) / most_raised))
    return 2 * x * x if x <= 0.5 else 1 - 2 * (1 - x) ** 2


def keys_of(words: str) -> Keys | None:
    """Return the keys of a text that is one unit, else None."""
    units = kernels.units(words.encode(), code=CODE, from_each=True)
    return units.keys[0] if units.spans[:1].tolist() == [[0, len(words)]] else None


class Reader(ABC):
    """A member that reads one unit.

    Args:
        unit: The unit, plain.
        known: How many letters of it the member knows.
        follows: What it guesses by.
        bars: Those of the site.
    """

    def __init__(self, unit: str, known: int, follows: Follows, bars: Bars) -> None:
        self.known, self.n_chars, self.bars, self._follows = unit[:known], len(unit), bars, follows
        self.read = ""
        self.has = keys_of(unit)
        self.likely: dict[str, float] = {}
        self._whole = 0.0
        self._asked: str | tuple[str, ...] = ""
        self._start()

    @abstractmethod
    def _next(self, so_far: str) -> dict[str, float]:
        """Return how likely each continuation is."""

    @abstractmethod
    def question(self) -> Asking | None:
        """Return the next question; None if there is none that helps."""

    @abstractmethod
    def learn(self, *, yes: bool) -> None:
        """Take in the answer."""

    def _start(self) -> None:
        while len(self.known + self.read) < self.n_chars:
            self.likely = self._next(self.known + self.read)
            self._whole = sum(self.likely.values())
            if not self._take():
                return

    def _take(self) -> bool:
        """Take what is sure as read; return whether there was any."""
        best = max(self.likely, key=self.likely.__getitem__, default="")
        if not best or not self.likely[best] or self.likely[best] < SURE * self._whole:
            return False
        self.read += best
        self.likely = {}
        return True

    def _weigh(self, factors: dict[str, float], otherwise: float) -> None:
        """Weigh what was asked for by its factor, and all others by another."""
        if otherwise:
            for what, factor in factors.items():
                self._whole += self.likely[what] * (factor / otherwise - 1)
                self.likely[what] *= factor / otherwise
        else:
            self.likely = {what: self.likely[what] * factor for what, factor in factors.items() if factor}
            self._whole = sum(self.likely.values())
        if self._take():
            self._start()

    def n_right(self, rest: str) -> int:
        """Return how many letters are read rightly, up to the first wrong one."""
        return next((n for n, (one, own) in enumerate(zip(self.read, rest, strict=False)) if one != own),
                    min(len(self.read), len(rest)))  # fmt: skip


class Letters(Reader):
    """Reads letter by letter, by the bar of the similarity."""

    def _next(self, so_far: str) -> dict[str, float]:
        return self._follows.letters(so_far)

    def question(self) -> Asking | None:
        """Return a text of the unit's length that has as many right letters as the bar asks for, if the guess is."""
        before = self.known + self.read
        words, n_right = self._broken(before)
        wanted = int(np.ceil((LEAST_SIMILARITY + self.bars.similarity / 2) * self.n_chars))
        cut = 0
        while cut < len(words) and n_right + 1 - sum(map(str.__eq__, words[:cut], before)) > wanted:
            cut += 1
        guess = max(self.likely, key=self.likely.__getitem__, default="")
        if not guess or guess in ".!?\n":
            return None
        words = FILLER * cut + words[cut:] + guess + FILLER * (self.n_chars - len(before) - 1)
        right = sum(a == b for a, b in zip(words, before, strict=False)) + 1
        chances = [reached(n / self.n_chars, LEAST_SIMILARITY, self.bars.similarity) for n in (right, right - 1)]
        self._asked, self._chances = guess, chances
        keys = keys_of(words)
        if keys is None or self.has is None or chances[0] == chances[1] or among(keys, self.has).sum() < LEAST_SHARED:
            return None
        return Asking(words, keys)

    def _broken(self, before: str) -> tuple[str, int]:
        """Return the known part with every other word broken, but a few that make keys; and how many letters are right.

        Otherwise the known words would be a shared part, and all would be alike.
        """
        words = before.split(" ")
        best = max(range(max(1, len(words) - 5)), key=lambda at: self._n_keys(words[at : at + 6]))
        made = [one if best <= at < best + 6 or at % 2 or not one else BROKEN + one[1:] for at, one in enumerate(words)]
        text = " ".join(made).replace(". ", ", ").replace("? ", ", ").replace("! ", ", ")
        return text, sum(a == b for a, b in zip(text, before, strict=True))

    def _n_keys(self, words: Sequence[str]) -> int:
        if self.has is None:
            return 0
        found = kernels.units((" ".join(words) + " " + FILLER * 40).encode(), code=CODE).keys
        return int(among(found.ravel(), self.has).sum())

    def learn(self, *, yes: bool) -> None:
        """Weigh the letter that was asked for."""
        right, wrong = self._chances if yes else [1 - one for one in self._chances]
        self._weigh({str(self._asked): right}, wrong)


class WordsByPart(Reader):
    """Reads word by word, by the columns of a shared part."""

    def _next(self, so_far: str) -> dict[str, float]:
        head, _, begun = so_far.rpartition(" ")
        return {one[len(begun) :] + " ": share for one, share in self._follows.words(head.split(), begun).items()}

    def question(self) -> Asking | None:
        """Return known words, as many as the bar asks for beside the guess, and the guess."""
        guess = max(self.likely, key=self.likely.__getitem__, default="")
        before = (self.known + self.read).rpartition(" ")[0]
        tail = (self.known + self.read)[len(before) + 1 :] + guess.strip()
        most = int(LEAST_PART + self.bars.columns / 2)
        most = min(most, int(0.58 * self.n_chars) - len(tail) - 1)
        words = before.split(" ")
        while words and len(" ".join(words)) >= most:
            words.pop(0)
        shown = " ".join([*words, tail])
        n_wrong = len(" ".join(words))
        chances = [reached(n, LEAST_PART, self.bars.columns) for n in (len(shown), n_wrong)]
        self._asked, self._chances = guess, chances
        keys = keys_of(shown)
        if not guess or keys is None or self.has is None or chances[0] == chances[1]:
            return None
        return Asking(shown, keys) if among(keys, self.has).sum() >= LEAST_SHARED else None

    def learn(self, *, yes: bool) -> None:
        """Weigh the word that was asked for."""
        right, wrong = self._chances if yes else [1 - one for one in self._chances]
        self._weigh({str(self._asked): right}, wrong)


class WordsByKeys(Reader):
    """Reads word by word, by claims: which three words would be a key that the unit may still have."""

    def _next(self, so_far: str) -> dict[str, float]:
        self._tried: set[str] = set()
        self._most = N_KEYS
        head, _, begun = so_far.rpartition(" ")
        found = {one[len(begun) :] + " ": share for one, share in self._follows.words(head.split(), begun).items()}
        self._order = sorted(found, key=found.__getitem__, reverse=True)  # of what is not tried it stays
        return found

    def question(self) -> Asking | None:
        """Return two keys of the unit and eight that words not yet tried would make."""
        before = (self.known + self.read).rpartition(" ")[0].split(" ")
        begun = (self.known + self.read).rpartition(" ")[2]
        own = _shingles(before)
        if self.has is None or len(before) < 2 or not len(own):
            return None
        is_there = among(own, self.has)  # one row for each shingle of the known words, one column for each place
        told = own[is_there][: LEAST_CLAIMED - 1]
        places = np.flatnonzero(~is_there.any(axis=0))
        if len(told) < LEAST_CLAIMED - 1 or not len(places):
            return None
        row, guesses = list(told), list[str]()
        for guess in self._order:
            if guess in self._tried or guess not in self.likely:
                continue
            if guesses and (len(row) + len(places) > N_KEYS or len(guesses) == self._most):
                break
            row += _shingles([*before[-2:], begun + guess.strip()])[:1, places].ravel().tolist()
            guesses.append(guess)
        if not guesses:
            return None
        n_unknown = max(1, round((self.n_chars - len(self.known + self.read)) / 6))
        self._hit = 1 - (1 - 1 / n_unknown) ** len(places)
        self._asked = tuple(guesses)
        self._tried |= set(guesses)
        return Asking("", np.resize(np.array(row, np.uint64), N_KEYS))

    def learn(self, *, yes: bool) -> None:
        """Weigh the words that were asked for; the likeliest of those that may be there are asked for again."""
        hit = self._hit if yes else 1 - self._hit
        self._order = [*self._asked] if yes else self._order
        self._weigh(dict.fromkeys(self._asked, hit), 0.0 if yes else 1.0)
        if yes and len(self._asked) > 1:
            self._tried -= set(self._asked)
            self._most = 1


def _shingles(words: Sequence[str]) -> Keys:
    """Return the keys that each three words would make, `(n, n_keys) uint64`."""
    triples = [" ".join(words[at : at + 3]) for at in range(len(words) - 2)]
    if not triples:
        return np.empty((0, N_KEYS), np.uint64)
    paragraphs = [" ".join([one] * (1 + 40 // (len(one) + 1))) for one in triples]
    made = [kernels.units(one.encode(), code=CODE).keys[:1] for one in paragraphs]
    return np.concatenate([np.empty((0, N_KEYS), np.uint64), *made])
