"""Articles with the edits that a news wire's articles undergo from paper to paper.

A set has 70 articles of a folder, no two alike, and 30 articles derived from them by one edit each. Those with a fifth
of another article inside are no copies of it: the threshold must keep them apart.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from experiments.resultsets.revisions import Set
from measure.corpora import read
from pmbf.resultsets import ResultSets

N_ARTICLES, N_DERIVED, ARTICLE_CHARS = 70, 30, 1600
_SENTENCE = re.compile(r"(?<=[.!?])\s+")

Edit = Callable[[list[str], list[str], random.Random], list[str]]
"""Returns the sentences of an article edited, given another article's."""


def articles(paths: Sequence[Path], n: int) -> list[list[str]]:
    """Return the sentences of some articles, no two of them alike: the first 1,600 characters of documents."""
    found = []
    for path in paths:
        sentences = _SENTENCE.split(" ".join(read(path).split())[: 2 * ARTICLE_CHARS])
        while len(sentences) > 1 and sum(map(len, sentences)) > ARTICLE_CHARS:
            sentences.pop()
        if len(sentences) >= 6 and sum(map(len, sentences)) > ARTICLE_CHARS / 2:
            found.append(sentences)
        if len(found) == 4 * n:
            break
    unlike = ResultSets(0.05, keep=4096).duplicates([" ".join(one) for one in found]).keep
    return [found[place] for place in unlike[:n]]


def planted(some: Sequence[list[str]], seed: int) -> tuple[Set, dict[tuple[int, int], str]]:
    """Return a set with its copies, and the edit of each pair of an article and its derived one, copy or not."""
    chance = random.Random(seed)
    drawn = chance.sample(list(some), N_ARTICLES + N_DERIVED)
    chosen, hosts = drawn[:N_ARTICLES], drawn[N_ARTICLES:]
    texts, pairs = [" ".join(one) for one in chosen], {}
    for number in range(N_DERIVED):
        name = list(EDITS)[number % len(EDITS)]
        source = chance.randrange(N_ARTICLES)
        pairs[source, len(texts)] = name
        texts.append(" ".join(EDITS[name](list(chosen[source]), hosts[number], chance)))
    groups: dict[int, list[int]] = {}
    for (source, derived), name in pairs.items():
        if name != NO_COPY:
            groups.setdefault(source, [source]).append(derived)
    copies = {(one, other) for members in groups.values() for one in members for other in members if one < other}
    return Set(texts, copies), pairs


def _headline(article: list[str], other: list[str], chance: random.Random) -> list[str]:
    return [other[0], *article]


def _cut(article: list[str], other: list[str], chance: random.Random) -> list[str]:
    return article[: max(1, round(len(article) * chance.uniform(0.55, 0.8)))]


def _insert(article: list[str], other: list[str], chance: random.Random) -> list[str]:
    n = max(1, round(len(article) / 5))
    at = chance.randrange(len(article))
    return article[:at] + other[:n] + article[at:]


def _some(article: list[str], other: list[str], chance: random.Random) -> list[str]:
    return [_replaced(one, other, 0.15, chance) if chance.random() < 0.3 else one for one in article]


def _words(share: float) -> Edit:
    return lambda article, other, chance: [_replaced(one, other, share, chance) for one in article]


def _background(article: list[str], other: list[str], chance: random.Random) -> list[str]:
    return other[1:] + article[: max(1, round(len(article) / 5))]


def _replaced(sentence: str, other: list[str], share: float, chance: random.Random) -> str:
    words = " ".join(other).split()
    return " ".join(chance.choice(words) if chance.random() < share else word for word in sentence.split())


NO_COPY = "a fifth shared, no copy"
EDITS: dict[str, Edit] = {
    "verbatim": lambda article, other, chance: article,
    "new headline": _headline,
    "cut to 55–80 %": _cut,
    "20 % inserted": _insert,
    "15 % of words in 30 % of sentences": _some,
    "3 % of words": _words(0.03),
    "10 % of words": _words(0.1),
    NO_COPY: _background,
}
