"""The duplicates in one set: what to show is known at once, groups and reasons when they are asked for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.resultsets.alike_pairs import FIRST, N_FIRST, N_SECOND, N_SHARED, SECOND, pair_of, similarities
from pmbf.alike.resultsets.prepared import PreparedArticle, Preparer
from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.base.span import Span
from pmbf.text import clean

STAR, CONNECTED = "star", "connected"
LINKAGES = (STAR, CONNECTED)
Article = PreparedArticle | bytes | str | tuple[Hashable, PreparedArticle | bytes | str | None]
"""A prepared article, its bytes, or a text; or a key and one of these, or None if the key was given before."""
_TURNED = [SECOND, FIRST, N_SHARED, N_SECOND, N_FIRST]
"""The columns of a pair whose second article comes first."""


class Duplicate(NamedTuple):
    """An article that is hidden.

    Args:
        article: Its place in the set.
        similarity: The Jaccard index of its hashes and those of the article that is shown, 0 to 1.
        contained: The share of its own hashes that the article that is shown has.
    """

    article: int
    similarity: float
    contained: float


class Group(NamedTuple):
    """An article that is shown, and its duplicates.

    Args:
        representative: Place of the article that is shown.
        members: The hidden articles, by place; at least one.
    """

    representative: int
    members: tuple[Duplicate, ...]


def groups(shown: Sequence[int], members: Iterable[Duplicate]) -> tuple[Group, ...]:
    """Return the groups, by the article that is shown; of each article it is told which is shown for it."""
    hidden: dict[int, list[Duplicate]] = {}
    for member in members:
        hidden.setdefault(shown[member.article], []).append(member)
    return tuple(Group(one, tuple(hidden[one])) for one in sorted(hidden))


@dataclass(frozen=True, slots=True)
class SharedText:
    """A sentence or a passage that two articles share.

    Args:
        text: The words in the first article.
        first: Where they stand in the first article.
        second: Where they stand in the second article.
    """

    text: str
    first: Span
    second: Span


def shared(preparer: Preparer, first: str, second: str) -> list[SharedText]:
    """Return the sentences that two texts share, in the order of the first; of `words` the passages."""
    spans = _sentences(preparer, first, second) if preparer.is_of_sentences else _passages(first, second)
    return [SharedText(first[one.start : one.stop], one, other) for one, other in spans]


def _sentences(preparer: Preparer, first: str, second: str) -> list[tuple[Span, Span]]:
    """Return each sentence of the first text that the second has, at its first place there."""
    places: dict[int, Span] = {}
    for hash_, start, stop in preparer.sentences(second).tolist():
        places.setdefault(hash_, Span(start, stop))
    sentences = preparer.sentences(first).tolist()
    return [(Span(start, stop), places[hash_]) for hash_, start, stop in sentences if hash_ in places]


def _passages(first: str, second: str) -> list[tuple[Span, Span]]:
    from pmbf import verify  # a service that compares sets does without

    found = verify.passages(verify.prepare(first), verify.prepare(second))
    return [(one.query, one.source) for one in found]


@dataclass(frozen=True, eq=False)
class ComparedSet:
    """A set that was compared.

    `pairs` are the duplicates, `(n_pairs, 5) int32`, see `kernels.pairs_alike`; `shown`, `(n,) int64`, is for each
    article the article that is shown for it.
    """

    prepared: Sequence[PreparedArticle]
    pairs: NDArray[np.int32]
    shown: NDArray[np.int64]

    @cached_property
    def keep(self) -> tuple[int, ...]:
        """Places of the articles to show, ascending."""
        return tuple(np.flatnonzero(self.shown == np.arange(len(self.shown))).tolist())

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The articles that hide others, and what they hide."""
        return groups(self.shown.tolist(), self._members())

    def _members(self) -> Iterable[Duplicate]:
        """Return the hidden articles, by place, each with its likeness to the article that is shown."""
        shown, pairs = self.shown, self.pairs
        hidden = np.flatnonzero(shown != np.arange(len(shown)))
        rows = np.zeros((len(shown), 5), np.int32)
        hides_second = shown[pairs[:, SECOND]] == pairs[:, FIRST]
        rows[pairs[hides_second, SECOND]] = pairs[hides_second]
        hides_first = shown[pairs[:, FIRST]] == pairs[:, SECOND]
        rows[pairs[hides_first, FIRST]] = pairs[hides_first][:, _TURNED]
        for place in hidden[rows[hidden, N_SECOND] == 0].tolist():  # connected through others alone
            rows[place] = pair_of(self.prepared, int(shown[place]), place)
        rows = rows[hidden]
        contained = rows[:, N_SHARED] / np.maximum(rows[:, N_SECOND], 1)
        return map(Duplicate, hidden.tolist(), similarities(rows).round(4).tolist(), contained.round(4).tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """The duplicates in one set. Groups, pairs and reasons are made when they are asked for."""

    _compared: ComparedSet = field(repr=False)
    _articles: Sequence[Article] = field(repr=False)
    _preparer: Preparer = field(repr=False)

    @property
    def keep(self) -> tuple[int, ...]:
        """Places of the articles to show, ascending."""
        return self._compared.keep

    @property
    def groups(self) -> tuple[Group, ...]:
        """An article that is shown, and those behind it, by place. Articles without duplicates are in no group."""
        return self._compared.groups

    @property
    def n_with_features(self) -> int:
        """Articles with words, or with sentences that count: the others are duplicates of none."""
        return sum(1 for one in self._compared.prepared if len(one.hashes))

    @property
    def pairs(self) -> list[tuple[int, int, float]]:
        """All pairs of duplicates, hidden or not: two places, and their similarity."""
        pairs = self._compared.pairs
        return list(zip(*pairs[:, :N_SHARED].T.tolist(), similarities(pairs).round(4).tolist(), strict=True))

    def why(self, first: int, second: int) -> list[SharedText]:
        """Return what two articles of the set share: whole sentences, or passages if the features are words.

        Raises `ParameterError` if there is no such place, `NotFoundError` if the set was given without the text of an
        article.
        """
        return shared(self._preparer, self._text(first), self._text(second))

    def _text(self, place: int) -> str:
        if not 0 <= place < len(self._articles):
            raise ParameterError(f"there is no article {place}, expected 0 to {len(self._articles) - 1}")
        article = self._articles[place]
        content = article[1] if isinstance(article, tuple) else article
        if not isinstance(content, str):
            raise NotFoundError(f"the text of article {place} is not there; give the set as texts, or (key, text)")
        return clean(content)
