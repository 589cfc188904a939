"""`ResultSets`: articles are prepared once, and their sets compared at each request."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.alike.resultsets.alike_pairs import JACCARD, Rule, alike, boilerplate
from pmbf.alike.resultsets.duplicates import CONNECTED, LINKAGES, STAR, Article, ComparedSet, Duplicates
from pmbf.alike.resultsets.prepared import PreparedArticle, Preparer, read
from pmbf.base.arrays import among
from pmbf.base.errors import NotFoundError, ParameterError
from pmbf.kernels import NO_HASHES
from pmbf.store.recent import Recent

Prefer = str | Callable[[int], Any]

_KEPT_SETS, _KEPT_PAIRS = 64, 2_000
"""Sets that are kept, and the most pairs of such a set, 40 KB. A set is compared in 0.1 ms, so that more would not
pay."""


class ResultSets:
    """Finds the duplicates in sets of some hundred articles, such as the results of a search. Threads may share it.

    Args:
        threshold: Least similarity of two duplicates, above 0 and at most 1.
        features: What articles are compared by: `words`, shingles of three words, or `sentences`, whole sentences.
        keep: The most hashes of an article, 8 to 4096: 128 make 520 bytes.
        stem: The language whose words are stemmed in sentences, such as `english`; it needs PyStemmer. None: no
            stemming.
        measure: `jaccard`, or `containment` for teasers beside whole articles.
        linkage: `star`: an article is hidden only behind an article that it duplicates itself; `connected`: also behind
            one that it is connected with through others.
        cache: Articles that are kept by key.

    Raises:
        ParameterError: A value is outside its range.
        UnsupportedError: The stemmer is not installed.

    >>> sets = ResultSets(threshold=0.4)
    >>> tides = "The tide comes in twice a day, and nobody on this coast has ever asked the moon why it does so."
    >>> found = sets.duplicates(["Bread is made of flour, water and salt.", tides, "Coast: " + tides])
    >>> found.keep, found.groups[0].representative, found.groups[0].members[0].article
    ((0, 1), 1, 2)
    """

    def __init__(
        self,
        threshold: float = 0.4,
        *,
        features: str = "words",
        keep: int = 128,
        stem: str | None = None,
        measure: str = JACCARD,
        linkage: str = STAR,
        cache: int = 100_000,
    ) -> None:
        if isinstance(cache, bool) or not isinstance(cache, int) or cache < 0:
            raise ParameterError(f"cache is {cache!r}, expected a number of articles, 0 or more")
        self._preparer = Preparer(features, keep, stem)
        self._articles = Recent(cache, largest=1)
        self._set_rule(threshold, measure, linkage)
        self._boilerplate: NDArray[np.uint32] = NO_HASHES

    def by_rule(self, threshold: float, *, measure: str = JACCARD, linkage: str = STAR) -> ResultSets:
        """Return result sets that compare by another rule, and share the articles that are kept.

        Raises:
            ParameterError: A value is outside its range.
        """
        other = copy(self)
        other._set_rule(threshold, measure, linkage)
        return other

    def _set_rule(self, threshold: float, measure: str, linkage: str) -> None:
        self.rule, self.linkage = Rule(threshold, measure), linkage
        if linkage not in LINKAGES:
            raise ParameterError(f"linkage is {linkage!r}, expected one of {', '.join(LINKAGES)}")
        self._sets = Recent(min(self._articles.most_bytes, _KEPT_SETS), largest=1)

    # ------------------------------------------------------------------ articles

    def prepare(self, text: str) -> PreparedArticle:
        """Return the hashes of an article, to be stored beside it as `bytes(…)`.

        Raises:
            ParameterError: `text` is no `str`.
        """
        if not isinstance(text, str):
            raise ParameterError(f"a text is {type(text).__name__}, expected str")
        return self._preparer.prepare(text)

    def read(self, raw: bytes) -> PreparedArticle:
        """Return a prepared article from the bytes that were stored.

        Raises:
            CorruptError: The bytes are cut short or changed.
            UnsupportedError: They are of another version.
            ParameterError: They were made with other features, or another stemmer.
        """
        return read(raw, self._preparer.settings, self._preparer.what)

    def known(self, keys: Sequence[Hashable]) -> list[PreparedArticle | None]:
        """Return the article of each key; None if it was not given lately."""
        return self._articles.get_each(keys)

    def put(self, key: Hashable, article: PreparedArticle | bytes | str) -> PreparedArticle:
        """Return a prepared article, and keep it under a key: an id and a version, say."""
        made = self._prepared(article)
        self._articles.put(key, made, 1)
        return made

    def _prepared(self, article: object) -> PreparedArticle:
        if isinstance(article, PreparedArticle):
            if article.settings != self._preparer.settings:
                raise ParameterError(
                    f"an article was prepared with other settings than {self._preparer.what}; prepare it again"
                )
            return article
        if isinstance(article, str):
            return self._preparer.prepare(article)
        if isinstance(article, bytes | bytearray | memoryview):
            return self.read(bytes(article))
        raise ParameterError(
            f"an article is {type(article).__name__}, expected a text, PreparedArticle, bytes, or (key, one of them)"
        )

    # ------------------------------------------------------------------ boilerplate

    def learn(self, background: Iterable[PreparedArticle | bytes | str], *, more_than: int = 10) -> int:
        """Learn what no longer counts: what more than some unlike articles of a background share.

        The background is the archive, or the articles of the last weeks; never the set that is compared. Prepared
        articles stay as they are. What was learned before is forgotten.

        Args:
            background: Articles, at most what memory holds.
            more_than: Unlike articles that may share a sentence or a shingle, at least 1.

        Returns:
            How many sentences or shingles no longer count.
        """
        if isinstance(more_than, bool) or not isinstance(more_than, int) or more_than < 1:
            raise ParameterError(f"more_than is {more_than!r}, expected an integer of at least 1")
        self._boilerplate = boilerplate([self._prepared(one) for one in background], more_than, self.rule)
        self._sets.clear()
        return len(self._boilerplate)

    @property
    def boilerplate(self) -> NDArray[np.uint32]:
        """The hashes that do not count, `(n,) uint32`, ascending. Set it to what another process has learned."""
        return self._boilerplate

    @boilerplate.setter
    def boilerplate(self, hashes: NDArray[np.uint32]) -> None:
        self._boilerplate = np.unique(np.asarray(hashes, np.uint32))
        self._sets.clear()

    # ------------------------------------------------------------------ sets

    def is_duplicate(self, first: PreparedArticle | bytes | str, second: PreparedArticle | bytes | str) -> bool:
        """Return whether two articles are duplicates: a merge of their hashes, which ends as soon as that is known."""
        lists = [self._prepared(one) for one in (first, second)]
        limits = lists[0].limit, lists[1].limit
        counted = [one.hashes[~among(one.hashes, self._boilerplate)] for one in lists]
        return kernels.are_alike(counted[0], counted[1], limits, self.rule.likeness)

    def duplicates(self, articles: Iterable[Article], *, prefer: Prefer = "first") -> Duplicates:
        """Return the duplicates of a set.

        Args:
            articles: In the order of their ranking; each one alone, or with a key, under which the article is kept. A
                key names one text: an id and a version. At the next call `(key, None)` is enough.
            prefer: Which article of a group is shown: the `first`, the `longest`, or the one for whose place a function
                returns the least value.

        Raises:
            ParameterError: An article is none, or was prepared with other settings; there are more than 5,000.
            NotFoundError: A key was given alone, and its article is not kept any more. The error names the keys.
        """
        given = list(articles)
        return Duplicates(self._compared(self._all_prepared(given), prefer), given, self._preparer)

    def _all_prepared(self, given: list[Article]) -> list[PreparedArticle]:
        settings = self._preparer.settings
        if all(type(one) is PreparedArticle and one.settings == settings for one in given):
            return given  # type: ignore[return-value]
        keyed = [(place, one) for place, one in enumerate(given) if isinstance(one, tuple)]
        for _, one in keyed:
            if len(one) != 2:
                raise ParameterError(f"an article is a tuple of {len(one)}, expected a key and an article")
        held = dict(zip((place for place, _ in keyed), self.known([one[0] for _, one in keyed]), strict=True))
        unknown = [one[0] for place, one in keyed if one[1] is None and held[place] is None]
        if unknown:
            raise NotFoundError(f"no article is kept under {', '.join(map(repr, unknown))}; give it with its text")
        return [
            kept if (kept := held.get(place)) is not None else self._taken(article)
            for place, article in enumerate(given)
        ]

    def _taken(self, article: Article) -> PreparedArticle:
        if not isinstance(article, tuple):
            return self._prepared(article)
        key, content = article
        assert content is not None, "keys alone that are unknown are refused before"
        return self.put(key, content)

    def _compared(self, prepared: list[PreparedArticle], prefer: Prefer) -> ComparedSet:
        """Return a set compared; the same articles are compared once."""
        key = (tuple(prepared), prefer) if isinstance(prefer, str) else None
        kept: ComparedSet | None = self._sets.get(key) if key else None
        if kept is not None:
            return kept
        pairs, order = alike(prepared, self.rule, self._boilerplate), _order(prepared, prefer)
        found = ComparedSet(prepared, pairs, kernels.shown_for(pairs, order, connected=self.linkage == CONNECTED))
        if key and len(pairs) <= _KEPT_PAIRS:
            self._sets.put(key, found, 1)
        return found


def _order(prepared: Sequence[PreparedArticle], prefer: Prefer) -> NDArray[np.int64]:
    """Return all places, the article that is rather shown before the others."""
    n = len(prepared)
    if prefer == "first":
        return np.arange(n)
    if prefer == "longest":
        return np.array(sorted(range(n), key=lambda place: -prepared[place].n_chars), np.int64)
    if callable(prefer):
        return np.array(sorted(range(n), key=prefer), np.int64)
    raise ParameterError(f"prefer is {prefer!r}, expected 'first', 'longest' or a function")
