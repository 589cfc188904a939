"""The duplicates in one set: what to show is known at once, groups and reasons when they are asked for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.resultsets.alike_pairs import FIRST, N_FIRST, N_SECOND, N_SHARED, SECOND, pair_of, similarities
from pmbf.alike.resultsets.grouping import Duplicate, Group, groups
from pmbf.alike.resultsets.prepared import PreparedArticle
from pmbf.alike.resultsets.preparing import Preparer
from pmbf.alike.resultsets.reasons import SharedText, shared
from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.text import clean

Article = PreparedArticle | bytes | str | tuple[Hashable, PreparedArticle | bytes | str | None]
"""A prepared article, its bytes, or a text; or a key and one of these, or None if the key was given before."""

_TURNED = [SECOND, FIRST, N_SHARED, N_SECOND, N_FIRST]
"""The columns of a pair whose second article comes first."""


@dataclass(frozen=True, eq=False)
class ComparedSet:
    """A set that was compared.

    Args:
        prepared: The articles.
        pairs: `(n_pairs, 5) int32`: the duplicates, see `kernels.pairs_alike`.
        shown: `(n,) int64`: for each article the article that is shown for it.
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
        """Return what two articles share: whole sentences, or passages if the features are words.

        Args:
            first: Place of an article in the set.
            second: Place of another.

        Raises:
            ParameterError: There is no such place.
            NotFoundError: The set was given without the text of an article.
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
