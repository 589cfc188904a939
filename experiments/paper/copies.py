"""Suspicious documents with planted copies, and their sources: the texts of `mistakes`.

Half of the suspicious documents copy passages, each document from up to four sources. A passage has 50 to 5,000 words,
log-uniform. All passages of a document together are at most half of it. A passage is at most half of its source. Half
of the passages are edited: 8 % of their words are replaced, dropped or followed by a new word.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from experiments.paper.texts import Texts, edited

MOST_SOURCES, SHORTEST, LONGEST = 4, 50, 5_000
"""The most sources of a suspicious document; the least and the most words of a passage."""

Pair = tuple[int, int]
"""The numbers of a suspicious document and of a source."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A planted passage: its pair, its number of words, its share of the document, and whether it was edited."""

    pair: Pair
    n_words: int
    share: float
    edited: bool

    @property
    def kind(self) -> str:
        """The kind of the copy, as words: under 1 % of the document or more, edited or verbatim."""
        return f"{'under' if self.share < 0.01 else 'from'} 1 %, {'edited' if self.edited else 'verbatim'}"


def planned(suspicious: list[int], sources: list[int], seed: int) -> list[Copy]:
    """Return the copies to plant, at most one for a pair.

    Args:
        suspicious: Words of each suspicious document.
        sources: Words of each source.
        seed: Seed of all random draws.
    """
    chosen, copies = random.Random(seed), []
    for number, n_words in enumerate(suspicious):
        if number % 2:
            continue
        room = n_words // 2
        for source in chosen.sample(range(len(sources)), min(len(sources), chosen.randint(1, MOST_SOURCES))):
            wanted = round(SHORTEST * (LONGEST / SHORTEST) ** chosen.random())
            length = min(wanted, room, sources[source] // 2)
            if length >= SHORTEST:
                copies.append(Copy((number, source), length, length / n_words, chosen.random() < 0.5))
                room -= length
    return copies


def write(folder: Path, words: list[int], copies: list[Copy], written: Texts, seed: int) -> None:
    """Write the texts below `folder`: sources to `src/NUMBER.txt`, suspicious documents to `susp/NUMBER.txt`."""
    chosen, n_documents = random.Random(seed), len(words) // 2
    passages: dict[int, list[list[str]]] = {}
    for name in ("src", "susp"):
        (folder / name).mkdir()
    for number, n_words in enumerate(words[n_documents:]):
        pieces = written.take(n_words)
        _write(folder / "src" / f"{number}.txt", pieces)
        for copy in (copy for copy in copies if copy.pair[1] == number):
            start = chosen.randrange(n_words - copy.n_words + 1)
            passage = pieces[start : start + copy.n_words]
            passages.setdefault(copy.pair[0], []).append(edited(passage, chosen) if copy.edited else passage)
    for number, n_words in enumerate(words[:n_documents]):
        planted = passages.get(number, [])
        own = written.take(n_words - sum(map(len, planted)))
        cuts = [0, *sorted(chosen.randrange(len(own) + 1) for _ in planted), len(own)]
        pieces = own[: cuts[1]]
        for passage, start, stop in zip(planted, cuts[1:-1], cuts[2:], strict=True):
            pieces += passage + own[start:stop]
        _write(folder / "susp" / f"{number}.txt", pieces)


def _write(path: Path, pieces: list[str]) -> None:
    path.write_text("".join(pieces), encoding="utf-8", newline="")
