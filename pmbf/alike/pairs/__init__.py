"""Pairs of texts that are nearly the same, among all texts of a list, a table, a folder or a collection.

    texts ─► features           features.py, stopwords.py
          ─► in a band          bands.py                      features that too many or too few texts have are left out
          ─► pairs              by_texts.py, by_features.py   plans `doc` and `term` on an executor
          ─► clusters           linking.py
          ─► proof              finding.py                    the passages of each pair

>>> from pmbf import near_duplicates
>>> sea = "The sea comes in twice a day and goes out twice a day, and nobody on this coast has ever asked it why."
>>> found = near_duplicates([sea, "Behind the last house the road climbs a hill.", sea.replace("ever", "yet")])
>>> [(pair.a, pair.b, round(pair.jaccard, 2)) for pair in found.pairs]
[(0, 2, 0.73)]
>>> found.keep.tolist()
[True, True, False]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pmbf.alike.pairs.features import Features
from pmbf.alike.pairs.finding import Wanted, found_in
from pmbf.alike.pairs.plans import Joining
from pmbf.alike.pairs.results import NearCluster, NearDuplicates, NearPair
from pmbf.alike.pairs.texts import listed_texts

__all__ = ["Features", "NearCluster", "NearDuplicates", "NearPair", "near_duplicates"]


def near_duplicates(
    texts: Iterable[str | None] | Mapping[Any, str | None],
    *,
    threshold: float = 0.5,
    features: str | Features = "words",
    keep: str = "first",
    times: Sequence[float] | None = None,
    proof: bool = False,
    jobs: int = 1,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> NearDuplicates:
    """Return which texts are nearly the same, and which of them to keep. Each pair is found, and no other.

    Args:
        texts: A list; a mapping, whose keys are the labels; or a column of a table of pandas, whose index is. None and
            NaN stand for no text: such a row is kept, and is in no pair.
        threshold: Least Jaccard index of a pair, above 0, at most 1: features of both texts / features of either.
        features: `words`, every run of three words; `spotsigs`, spot signatures, fewer, of running text alone; or
            `Features` of your own.
        keep: Which text of a cluster to keep: `first`, `longest`, or `newest` by `times`.
        times: Of each text, for `newest`; the largest is the newest.
        proof: Whether the passages of each pair are wanted. It takes some milliseconds a pair.
        jobs: Processes that find pairs; threads that make features. Below a hundred thousand texts one is fastest.
        on_progress: Called with what is being done, how much of it is done, and how much there is.

    Raises:
        ParameterError: A value is outside its range, or a text is none.
        IncompleteError: A process died.

    Source:
        Zhang, Yu, Zhang & Huang, Text Copy Detection by Map-Reduce; Theobald, Siddharth & Paepcke 2008, SpotSigs.
    """
    how = Joining(threshold=threshold, jobs=jobs, advance=on_progress or (lambda what, done, total: None))
    wanted = Wanted(features if isinstance(features, Features) else Features(features), keep=keep, proof=proof)
    return found_in(listed_texts(texts, times), how, wanted)
