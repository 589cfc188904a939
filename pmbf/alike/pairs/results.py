"""What was found among some texts: pairs, clusters, and which texts to keep."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.pairs.plans import HandedOn, Joined
from pmbf.report import Passage

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes away; new fields alone do not raise it."""

COLUMNS = {
    "pairs": ("a", "b", "jaccard", "containment_a", "containment_b", "shared"),
    "texts": ("text", "keep", "cluster", "n_cluster"),
}
"""The columns of `rows`."""

Label = Hashable


class NearPair(NamedTuple):
    """Two texts that share features.

    Args:
        a, b: Their labels, in the order of the texts.
        jaccard: Features of both / features of either, 0 to 1.
        containment_a: Share of the features of `a` that `b` has.
        containment_b: Share of the features of `b` that `a` has.
        shared: Features that both have.
        passages: What they share, spans of `a` as `query` and of `b` as `source`; None if no proof was asked for.
    """

    a: Label
    b: Label
    jaccard: float
    containment_a: float
    containment_b: float
    shared: int
    passages: tuple[Passage, ...] | None = None


class NearCluster(NamedTuple):
    """Texts of which one is kept. Each other one is a pair with that one.

    Args:
        kept: The label of the text to keep.
        others: The labels of the others, in the order of the texts.
    """

    kept: Label
    others: tuple[Label, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Pairs and clusters by the numbers of the texts.

    Args:
        sizes: `(n_texts,) uint32`, the features of each text.
        kept: `(n_texts,) int64`, for each text the one that is kept in its place, itself if none is.
        is_whole: Whether each pair is there; otherwise texts with equal features are pairs with one of them only.
    """

    joined: Joined
    sizes: NDArray[np.uint32]
    kept: NDArray[np.int64]
    is_whole: bool = True


@dataclass(frozen=True, eq=False)
class NearDuplicates:
    """Texts that are nearly the same.

    Args:
        labels: Of each text, in order: its number, its key, its row of a table, or its path.
        links: Pairs and clusters by number.
        threshold: Least Jaccard index of a pair.
        features: `words` or `spotsigs`.
        by_words: Numbers of texts whose language has no list of stop words; they were compared by words.
        proofs: The passages of each pair, if proof was asked for.
        problems: What was not read, and why.
    """

    labels: Sequence[Label]
    links: Links
    threshold: float
    features: str
    by_words: Sequence[int] = ()
    proofs: Sequence[tuple[Passage, ...]] | None = None
    problems: tuple[str, ...] = ()
    title: str = field(default="", kw_only=True)

    @property
    def keep(self) -> NDArray[np.bool_]:
        """`(n_texts,) bool`, whether each text is kept: `frame[found.keep]` has no near-duplicates left."""
        chosen: NDArray[np.bool_] = self.links.kept == np.arange(len(self.labels))
        return chosen

    @property
    def n_pairs(self) -> int:
        """How many pairs there are; faster than `len(pairs)`."""
        return len(self.links.joined.first)

    @property
    def is_whole(self) -> bool:
        """Whether each pair is told. If there are more than five million, then each text of several with equal features
        is a pair with one of them only. Clusters and `keep` are the same either way."""
        return self.links.is_whole

    @property
    def volume(self) -> HandedOn:
        """What the plan `term` handed on."""
        return self.links.joined.volume

    @cached_property
    def pairs(self) -> list[NearPair]:
        """All pairs, by their first text, then by their second; see `is_whole`."""
        found, sizes = self.links.joined, self.links.sizes
        size_a, size_b, shared = sizes[found.first], sizes[found.second], found.shared
        shares = [shared / (size_a + size_b - shared), shared / size_a, shared / size_b]
        columns = [found.first, found.second, *shares, shared]
        proofs = self.proofs if self.proofs is not None else [None] * len(shared)
        return [
            NearPair(self.labels[a], self.labels[b], jaccard, in_a, in_b, both, proof)
            for a, b, jaccard, in_a, in_b, both, proof in zip(*(one.tolist() for one in columns), proofs, strict=True)
        ]

    @cached_property
    def clusters(self) -> list[NearCluster]:
        """The clusters, those of most texts first."""
        kept = self.links.kept
        members: dict[int, list[int]] = {}
        for number in np.flatnonzero(kept != np.arange(len(kept))).tolist():
            members.setdefault(int(kept[number]), []).append(number)
        ranked = sorted(members.items(), key=lambda one: (-len(one[1]), one[0]))
        return [NearCluster(self.labels[one], tuple(self.labels[i] for i in others)) for one, others in ranked]

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as JSON-ready dicts and lists; spans are `[start, stop]`."""
        return {
            "title": self.title,
            "n_texts": len(self.labels),
            "threshold": self.threshold,
            "features": self.features,
            "pairs": [as_dict(pair) for pair in self.pairs],
            "clusters": [{"kept": one.kept, "others": list(one.others)} for one in self.clusters],
            "is_whole": self.is_whole,
            "by_words": [self.labels[number] for number in self.by_words],
            "problems": list(self.problems),
            "schema": SCHEMA_VERSION,
        }

    def __repr__(self) -> str:
        return f"<NearDuplicates: {len(self.labels)} texts, {self.n_pairs} pairs, {int(self.keep.sum())} to keep>"


def as_dict(pair: NearPair) -> dict[str, Any]:
    """Return a pair as a JSON-ready dict."""
    made = pair._asdict()
    made |= {name: round(made[name], 4) for name in ("jaccard", "containment_a", "containment_b")}
    if pair.passages is None:
        del made["passages"]
        return made
    return made | {"passages": [_passage(one) for one in pair.passages]}


def rows(found: NearDuplicates, by: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table by `pairs` or `texts`: a row of `COLUMNS[by]` for each.

    Of a text `cluster` is the label of the text kept in its place, `n_cluster` the number of texts in its cluster.
    """
    if by == "pairs":
        yield from map(as_dict, found.pairs)
        return
    kept = found.links.kept.tolist()
    sizes = np.bincount(found.links.kept, minlength=len(kept)).tolist()
    for number, label in enumerate(found.labels):
        row = label, kept[number] == number, found.labels[kept[number]], sizes[kept[number]]
        yield dict(zip(COLUMNS["texts"], row, strict=True))


def _passage(one: Passage) -> dict[str, Any]:
    return {
        "a": [one.query.start, one.query.stop],
        "b": [one.source.start, one.source.stop],
        "kind": one.kind,
        "similarity": one.similarity,
        "certainty": one.certainty,
    }
