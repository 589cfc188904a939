"""Texts with one planted passage whose source is known, and clean ones, made of a folder's own documents.

Some documents are held out of the collection. Texts are made of clean stretches of these: a stretch is clean if it
shares with no document of the collection six words in a row, nor four words that are rare there, as an edited copy
would. A passage of 1, 5 or 20 % of a text's words, taken from a document of the collection, stands between two
stretches. It is verbatim, or 8 % of its words are replaced, dropped or inserted. Stretches are drawn for each text: if
a stretch looks like a document, then it counts in one text, not with every passage. At most 2 % of the six-word runs of
a passage, and half of its rare words, may stand in a second document; otherwise its source would be unclear. Words are
runs of letters and digits. Documents in scripts without spaces between words are not used.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from measure.overlap import GRAM_WORDS, WORD, Overlap, read_words
from pmbf.base.errors import ParameterError

CLEAN = "clean"
LEVELS = {"1 %": 0.01, "5 %": 0.05, "20 %": 0.2}
"""Planted words, as a share of the text's."""

LEAST_TEXTS = 10
"""The clean stretches must be enough for 10 texts without common stretches."""

BREAK = "\n\n"
SHARED_GRAMS = 0.02
KINDRED_WORDS = 4
EDITED_WORDS = 0.08
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
"""Letters of scripts without spaces between words."""
_LEAST_WORDS = 24
"""Fewest words of a clean stretch."""
_SPARE = 4
"""Words held out for each word needed, since many stretches turn out to be in the collection too."""
_TRIED = 120
"""Passages tried for each passage needed, since many turn out to stand in several documents."""


@dataclass(frozen=True, slots=True)
class Query:
    """A text to screen.

    Args:
        text: Its characters.
        level: A key of `LEVELS`, or `CLEAN`.
        edited: Whether words of the passage were changed.
        source: Path of the planted document below the folder; empty for a clean text.
        start, stop: Where the passage stands in the text, in characters.
    """

    text: str
    level: str
    edited: bool = False
    source: str = ""
    start: int = 0
    stop: int = 0

    @property
    def passage(self) -> str:
        """The planted passage as it stands in the text."""
        return self.text[self.start : self.stop]


@dataclass(frozen=True, slots=True)
class Planted:
    """A collection to be, and the texts to screen against it.

    Args:
        folder: The folder of the documents.
        loaded: Paths below the folder of the documents to load.
        queries: The texts: clean texts first, then level by level.
    """

    folder: str
    loaded: tuple[str, ...]
    queries: tuple[Query, ...]

    def paths(self) -> Iterator[Path]:
        """Yield the documents' full paths."""
        return (Path(self.folder) / name for name in self.loaded)

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Planted:
        """Return what `save` wrote."""
        fields = json.loads(path.read_text(encoding="utf-8"))
        queries = tuple(Query(**query) for query in fields["queries"])
        return cls(fields["folder"], tuple(fields["loaded"]), queries)


def plant(folder: Path, *, n_clean: int = 100, n_planted: int = 84, n_words: int = 4000, seed: int = 1) -> Planted:
    """Return texts of `n_words` words made of a folder's `.txt` files, and the files to load.

    Args:
        folder: Searched recursively.
        n_clean: Texts without a planted passage.
        n_planted: Texts of each level, verbatim, and as many edited. Each has a source of its own.
        n_words: Words of a text, at least 100 / the lowest level.
        seed: The same seed and folder give the same texts.

    Raises:
        ParameterError: The folder has too few clean stretches or unshared passages.
    """
    chosen = random.Random(seed)
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.txt") if path.is_file())
    chosen.shuffle(names)
    held_out, loaded = _held_out(folder, names, _SPARE * n_words * (n_clean + n_planted))
    paragraphs = list(dict.fromkeys(part for name in held_out for part in _paragraphs(read_words(folder / name))))
    longest = round(max(LEVELS.values()) * n_words)
    passages = _passages(folder, loaded, longest, _TRIED * n_planted, chosen)
    stretches, passages = _unshared(folder, loaded, paragraphs, passages, n_words)
    n_clean_words = sum(map(n_words_of, stretches))
    if n_clean_words < LEAST_TEXTS * n_words:
        raise ParameterError(f"{folder}: {n_clean_words} words stand in it once, {LEAST_TEXTS * n_words} are needed")
    if len(passages) < n_planted:
        raise ParameterError(f"{folder}: {len(passages)} documents have a passage of their own, {n_planted} are needed")
    texts = Composer(stretches, n_words, chosen)
    queries = [Query(BREAK.join(texts.host()), CLEAN) for _ in range(n_clean)]
    for level, share in LEVELS.items():
        for edited in (False, True):
            queries += [
                texts.planted(texts.host(), passage, level, round(share * n_words), edited)
                for passage in passages[:n_planted]
            ]
    return Planted(str(folder), tuple(sorted(loaded)), tuple(queries))


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of words of a document: where each word stands in `text`, which begins with the first word."""

    source: str
    text: str
    words: tuple[tuple[int, int], ...]


class Composer:
    """Makes texts of clean stretches, drawn for each text. No stretch stands in a text twice."""

    def __init__(self, stretches: Sequence[str], n_words: int, chosen: random.Random) -> None:
        self._stretches = stretches
        self._n_words = n_words
        self._chosen = chosen

    def host(self) -> list[str]:
        """Return stretches with the words of a text in all. The last stretch is cut."""
        parts, n_words = list[str](), self._n_words
        for part in self._chosen.sample(self._stretches, len(self._stretches)):
            if n_words <= 0:
                break
            parts.append(_first_words(part, n_words))
            n_words -= n_words_of(part)
        return parts

    def planted(self, host: list[str], passage: Passage, level: str, n_words: int, edited: bool) -> Query:
        """Return a query: the first stretches of a host, with the first words of a passage between two of them."""
        content = passage.text[: passage.words[n_words - 1][1]]
        if edited:
            content = self._edited(passage, n_words)
        before, after = _halves(host, self._n_words - n_words, self._chosen)
        start = len(before)
        return Query(before + content + after, level, edited, passage.source, start, start + len(content))

    def _edited(self, passage: Passage, n_words: int) -> str:
        """Return a passage's first words, some replaced, dropped or inserted. Spaces and signs stay."""
        pieces, at = [], 0
        for start, stop in passage.words[:n_words]:
            pieces.append(passage.text[at:start])
            word, at = passage.text[start:stop], stop
            if self._chosen.random() < EDITED_WORDS:
                other = passage.text[slice(*self._chosen.choice(passage.words))]
                word = self._chosen.choice([other, "", f"{other} {word}"])
            pieces.append(word)
        return "".join(pieces)


def _held_out(folder: Path, names: list[str], n_words: int) -> tuple[list[str], list[str]]:
    """Return the first documents that have enough words in all, and the others. At most one in five is held out."""
    held_out: list[str] = []
    for name in names[: len(names) // 5]:
        if n_words <= 0:
            break
        text = read_words(folder / name)
        if not _SPACELESS.search(text):
            held_out.append(name)
            n_words -= n_words_of(text)
    return held_out, sorted(set(names) - set(held_out))


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the long paragraphs of a text, except those whose lower case is longer, since words would move in them."""
    for part in re.split(r"\n\s*\n", text):
        if n_words_of(part) >= _LEAST_WORDS and len(part.lower()) == len(part):
            yield part


def _passages(folder: Path, names: list[str], n_words: int, n_wanted: int, chosen: random.Random) -> list[Passage]:
    """Return passages of documents drawn at random, one passage of each."""
    found: list[Passage] = []
    for name in chosen.sample(names, len(names)):
        text = read_words(folder / name)
        spans = [] if _SPACELESS.search(text) else [word.span() for word in WORD.finditer(text)]
        if len(spans) >= n_words:
            first = chosen.randrange(len(spans) - n_words + 1)
            origin, stop = spans[first][0], spans[first + n_words - 1][1]
            words = tuple((start - origin, stop - origin) for start, stop in spans[first : first + n_words])
            found.append(Passage(name, text[origin:stop], words))
        if len(found) == n_wanted:
            break
    return found


def _unshared(
    folder: Path, loaded: list[str], paragraphs: list[str], passages: list[Passage], n_words: int
) -> tuple[list[str], list[Passage]]:
    """Return the stretches that stand nowhere in the collection, and the passages that stand in it once."""
    texts = [*paragraphs, *(passage.text for passage in passages)]
    overlap = Overlap((folder / name for name in loaded), texts)
    stretches = [
        stretch
        for part in paragraphs
        for stretch in _stretches(part, overlap.n_documents(part) > 0)
        if overlap.closest(stretch)[0] < KINDRED_WORDS
    ]
    numbers = {name: number for number, name in enumerate(loaded)}
    lengths = [round(share * n_words) - GRAM_WORDS + 1 for share in LEVELS.values()]
    own = []
    for passage in passages:
        shared = overlap.n_documents(passage.text) > 1
        n_kindred, n_rare = overlap.closest(passage.text, but=numbers[passage.source])
        if all(shared[:n].mean() <= SHARED_GRAMS for n in lengths) and n_kindred <= n_rare / 2:
            own.append(passage)
    return stretches, own


def _stretches(part: str, shared: NDArray[np.bool_]) -> Iterator[str]:
    """Yield the long stretches of a paragraph without a word of a shared gram, `(n_words - GRAM_WORDS + 1,) bool`."""
    spans = [word.span() for word in WORD.finditer(part)]
    clean = np.ones(len(spans) + 2, np.bool_)
    clean[[0, -1]] = False
    for place in range(GRAM_WORDS):
        clean[1 + place : 1 + place + len(shared)] &= ~shared
    starts, stops = np.flatnonzero(np.diff(clean.astype(np.int8))).reshape(-1, 2).T.tolist()
    for start, stop in zip(starts, stops, strict=True):
        if stop - start >= _LEAST_WORDS:
            yield part[spans[start][0] : spans[stop - 1][1]]


def n_words_of(text: str) -> int:
    """Return the number of words of a text."""
    return len(WORD.findall(text))


def _first_words(text: str, n_words: int) -> str:
    stops = [word.end() for word in WORD.finditer(text)]
    return text if len(stops) <= n_words else text[: stops[n_words - 1]]


def _halves(host: list[str], n_words: int, chosen: random.Random) -> tuple[str, str]:
    """Return `n_words` words of a host as two halves, cut between two paragraphs, with blank lines at the cut."""
    parts: list[str] = []
    for part in host:
        if n_words > 0:
            parts.append(_first_words(part, n_words))
            n_words -= n_words_of(part)
    cut = chosen.randrange(len(parts) + 1)
    before, after = BREAK.join(parts[:cut]), BREAK.join(parts[cut:])
    return before + BREAK if before else "", BREAK + after if after else ""
