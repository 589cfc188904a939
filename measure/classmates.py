"""A class with planted copies: texts that share nothing, made of a folder's paragraphs, and pairs that share a passage.

Every paragraph stands in one text of the class. A paragraph is taken only if it shares no six words in a row with a
paragraph that was taken before. So whatever two texts share was planted:

    verbatim    the second text has a passage of the first
    edited      the same, one word in eight replaced, dropped or inserted
    shuffled    the same, the sentences in another order and one word in eight changed
    author      a draft: most of a text of the same group; no pair
    template    every text begins with it; no pair
    library     two texts have a passage of the same library text; no pair
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure.overlap import WORD
from pmbf.base.errors import ParameterError

KINDS = ("verbatim", "edited", "shuffled")
"""Kinds of planted passages that make a pair."""
GRAM_WORDS = 6
CHANGED = 0.125
TEMPLATE_CHARS = 700
LEAST_WORDS = 24
"""Fewest words of a paragraph that is taken."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_BREAK = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Copied:
    """A planted pair: both names in their order, the kind of the passage, its characters in the second text."""

    a: str
    b: str
    kind: str
    n_chars: int


@dataclass(frozen=True, slots=True)
class Classmates:
    """A class.

    Args:
        texts: By name; the group of `adams/draft1` is `adams`.
        copied: The pairs that share a passage.
        only_library: The pairs that share a passage of the library alone.
        library: Texts of the library, by name.
    """

    texts: dict[str, str]
    copied: tuple[Copied, ...]
    only_library: tuple[tuple[str, str], ...]
    library: dict[str, str]


def classmates(
    folder: Path, *, n_texts: int, n_words: int, n_copied: int, lengths: Sequence[int], seed: int
) -> Classmates:
    """Return a class of real paragraphs with planted copies.

    Args:
        folder: Documents, as `.txt` files, searched recursively.
        n_texts: Texts, at least 4 for each copied pair and 20 in all; a tenth of them has a draft beside it.
        n_words: Words of a text.
        n_copied: Planted pairs of each kind, as many of the library.
        lengths: Characters of the planted passages, in turn.
        seed: The same seed and folder give the same class.

    Raises:
        ParameterError: The folder has too few paragraphs, or there are too few texts.
    """
    needed = 2 * n_copied * (len(KINDS) + 1)
    if n_texts < needed:
        raise ParameterError(f"n_texts is {n_texts}, expected at least {needed} for {n_copied} pairs of each kind")
    chosen = random.Random(seed)
    paragraphs = fresh_paragraphs(folder, chosen)
    template = _long(paragraphs, TEMPLATE_CHARS)[:TEMPLATE_CHARS]
    names = [f"s{number:04}/essay" for number in range(n_texts)]
    bodies = {name: _body(paragraphs, n_words) for name in names}
    copied, only_library, library = list[Copied](), list[tuple[str, str]](), dict[str, str]()
    free = chosen.sample(names, len(names))
    for number in range(n_copied):
        length = lengths[number % len(lengths)]
        for kind in KINDS:
            a, b = sorted((free.pop(), free.pop()))
            passage = _changed(_piece(bodies[a], length, chosen), kind, chosen)
            bodies[b] = _with(bodies[b], passage, chosen)
            copied.append(Copied(a, b, kind, len(passage)))
        a, b = sorted((free.pop(), free.pop()))
        source = _long(paragraphs, length + 400)
        library[f"source{number:03}"] = source
        passage = source[200 : 200 + length]
        bodies[a], bodies[b] = _with(bodies[a], passage, chosen), _with(bodies[b], passage, chosen)
        only_library.append((a, b))
    for name in names[:: max(1, n_texts // max(1, n_texts // 10))]:
        bodies[name.replace("essay", "draft")] = bodies[name][: 3 * len(bodies[name]) // 4]
    texts = {name: f"{template}\n\n{body}" for name, body in bodies.items()}
    return Classmates(texts, tuple(copied), tuple(only_library), library)


def fresh_paragraphs(folder: Path, chosen: random.Random) -> Iterator[str]:
    """Yield paragraphs of a folder that share no six words in a row with one before, in random order of files."""
    seen = set[int]()
    paths = sorted(path for path in folder.rglob("*.txt") if path.is_file())
    for path in chosen.sample(paths, len(paths)):
        text = path.read_text(encoding="utf-8", errors="replace")
        for paragraph in _BREAK.split(text) if _BREAK.search(text) else text.split("\n"):
            words = [word.group().lower() for word in WORD.finditer(paragraph)]
            grams = {hash(tuple(words[i : i + GRAM_WORDS])) for i in range(len(words) - GRAM_WORDS + 1)}
            if len(words) >= LEAST_WORDS and not grams & seen:
                seen |= grams
                yield paragraph.strip()
    raise ParameterError(f"{folder}: has too few paragraphs that stand in it once; take fewer or shorter texts")


def _body(paragraphs: Iterator[str], n_words: int) -> str:
    parts = list[str]()
    while sum(len(part.split()) for part in parts) < n_words:
        parts.append(next(paragraphs))
    return "\n\n".join(parts)


def _long(paragraphs: Iterator[str], n_chars: int) -> str:
    text = next(paragraphs)
    while len(text) < n_chars:
        text += "\n\n" + next(paragraphs)
    return text


def _piece(text: str, n_chars: int, chosen: random.Random) -> str:
    """Return a piece of a text that begins and ends with a word, of at least `n_chars` characters."""
    start = chosen.randrange(max(1, len(text) - n_chars - 60))
    start = text.find(" ", start) + 1
    stop = text.find(" ", min(len(text) - 1, start + n_chars))
    return text[start : stop if stop > 0 else len(text)]


def _changed(passage: str, kind: str, chosen: random.Random) -> str:
    if kind == "verbatim":
        return passage
    if kind == "shuffled":
        sentences = _SENTENCE.split(passage)
        chosen.shuffle(sentences)
        passage = " ".join(sentences)
    words = passage.split(" ")
    changed = [_edit(word, words, chosen) if chosen.random() < CHANGED else word for word in words]
    return " ".join(word for word in changed if word)


def _edit(word: str, words: Sequence[str], chosen: random.Random) -> str:
    other = chosen.choice(words)
    return chosen.choice(["", other, f"{other} {word}"])


def _with(body: str, passage: str, chosen: random.Random) -> str:
    parts = body.split("\n\n")
    at = chosen.randrange(len(parts) + 1)
    return "\n\n".join([*parts[:at], passage, *parts[at:]])
