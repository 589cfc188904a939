"""What a comparison found: plain, frozen values with JSON in and out.

    Comparison ── Member …         one per text, in the order of their names
               ├─ Pair …           two members of two groups that share text, highest share first
               │   └─ SharedPassage …   which characters of both texts, in the order of the first text
               └─ Cluster …        groups that pairs connect, largest first

Every span is half-open, `[start, stop]`, in code points of the original text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import ClassVar

from pmbf.base.span import Span
from pmbf.report import Section
from pmbf.report.as_json import Readable

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes away; new fields alone do not raise it."""


@dataclass(frozen=True, slots=True)
class Member:
    """A text of the comparison.

    Args:
        name: Its path below the folder, or the name given; no two members have the same.
        group: Texts of one group, such as drafts of one author, are not compared with each other.
        n_chars: Code points.
        n_tokens: Tokens: words, or letters in scripts written without spaces.
        n_ignored: Characters that do not count: they stand in an ignored text, or options exclude them.
        n_common: Characters that do not count: they stand in the texts of very many groups.
        n_library: Characters that stand in a library collection.
        date: When it was handed in, as given: ISO 8601; or None.
        label: What else was given to show beside the name; or None.
        problems: Which parts were not read.
        excluded: Where the ignored and common characters are, ascending and disjoint.
        sections: The sections that a template finds; skipped ones are among the ignored characters.
        library: Where the characters are that stand in a library collection, ascending and disjoint.
    """

    name: str
    group: str
    n_chars: int
    n_tokens: int = 0
    n_ignored: int = 0
    n_common: int = 0
    n_library: int = 0
    date: str | None = None
    label: str | None = None
    problems: tuple[str, ...] = ()
    excluded: tuple[Span, ...] = ()
    sections: tuple[Section, ...] = ()
    library: tuple[Span, ...] = ()

    @property
    def n_counted(self) -> int:
        """Characters that count: shares are shares of them."""
        return self.n_chars - self.n_ignored - self.n_common


@dataclass(frozen=True, slots=True)
class SharedPassage:
    """A passage that two members share.

    Args:
        a, b: Where it stands in the first and in the second member.
        similarity, kind, certainty, evidence, in_order: As of `pmbf.report.Passage`; the first member is the query.
        from_library: Whether both texts have it from a library collection.
    """

    a: Span
    b: Span
    similarity: float
    kind: str
    certainty: str
    evidence: float
    in_order: float | None = None
    from_library: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Two members of two groups that share text.

    Args:
        a, b: Names of the members; `a` is the first in the order of names.
        share_a, share_b: Share of the counted characters of each that stands in a passage, 0 to 1; characters that
            stand in a library collection are left out.
        whole_a, whole_b: The same, with the characters that stand in a library collection.
        n_a, n_b: The characters of `share_a` and `share_b`.
        certainty: That of the surest passage.
        evidence: Sum of the evidence of the passages that are not from the library, in nats.
        passages: In the order of the first member.
        identical: Whether both texts are the same.
    """

    a: str
    b: str
    share_a: float
    share_b: float
    whole_a: float
    whole_b: float
    n_a: int
    n_b: int
    certainty: str
    evidence: float
    passages: tuple[SharedPassage, ...]
    identical: bool = False

    @property
    def share(self) -> float:
        """The higher of both shares, by which pairs are ranked."""
        return max(self.share_a, self.share_b)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Groups that pairs connect, directly or through others.

    Args:
        groups: Their names, sorted.
        members: The members of these groups that are in such a pair, sorted.
        n_pairs: Pairs between the groups that are at or above the threshold.
        share: The highest share of these pairs.
    """

    groups: tuple[str, ...]
    members: tuple[str, ...]
    n_pairs: int
    share: float


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """How a comparison was made.

    Args:
        grouped_by: In words, what makes a group.
        threshold: Share from which a pair is in `pairs`.
        min_chars: Characters of the shortest passage.
        common: Text that more groups than this have does not count.
        ignored: Names of the ignored texts.
        libraries: Paths of the library collections.
        sensitivity: As of `pmbf.screen.Options`.
        template: The name of the template that cut the texts into sections; empty if none was given.
    """

    grouped_by: str
    threshold: float
    min_chars: int
    common: int
    ignored: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    sensitivity: str = "fast"
    template: str = ""


@dataclass(frozen=True)
class Comparison(Readable):
    """Everyone compared with everyone.

    Args:
        title: What was compared: the folder, or an empty text.
        members: All texts that were read, in the order of their names.
        pairs: Pairs that share text and reach the threshold, highest share first.
        clusters: Groups connected by `sure` and `likely` pairs, largest first.
        settings: How the comparison was made.
        n_below: Pairs that share text, but less than the threshold.
        not_counted: Pairs that share text, but only such as a rule takes out: a template, excluded quotations or
            bibliographies. Their shares are those without the rule.
        n_only_library: Pairs that share only what stands in a library collection.
        problems: What was not read or not compared, and why; empty if the answer is complete.
        warnings: Which files of a library are damaged that the answer did not need, each with the way out.
        texts: Text of each member by name, for pages; not part of the JSON.

    >>> comparison = Comparison("", (), (), (), ComparisonSettings("file", 0.0, 65, 5))
    >>> Comparison.from_json(comparison.to_json()) == comparison
    True
    """

    WHAT: ClassVar[str] = "comparison"

    title: str
    members: tuple[Member, ...]
    pairs: tuple[Pair, ...]
    clusters: tuple[Cluster, ...]
    settings: ComparisonSettings
    n_below: int = 0
    n_only_library: int = 0
    not_counted: tuple[Pair, ...] = ()
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    schema: int = SCHEMA_VERSION
    texts: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        problems = f", {len(self.problems)} problems" if self.problems else ""
        found = f"{len(self.pairs)} pairs, {len(self.clusters)} clusters"
        out = f", {len(self.not_counted)} more pairs not counted" if self.not_counted else ""
        below = f", {self.n_below} below the threshold" if self.n_below else ""
        return f"<Comparison of {len(self.members)} texts: {found}{out}{below}{problems}>"

    @property
    def found(self) -> bool:
        """Whether any pair shares text, be it text that does not count; text that the user named is none."""
        return bool(self.pairs or self.not_counted or any(member.n_common for member in self.members))

    @cached_property
    def by_name(self) -> Mapping[str, Member]:
        """The members, by name."""
        return {member.name: member for member in self.members}

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len({member.group for member in self.members})

    def highest(self) -> dict[str, float]:
        """Return the highest share of each member in any pair: 0 if it is in none."""
        found = dict.fromkeys((member.name for member in self.members), 0.0)
        for pair in self.pairs:
            found[pair.a] = max(found[pair.a], pair.share_a)
            found[pair.b] = max(found[pair.b], pair.share_b)
        return found

    def require_consistent(self) -> None:
        """Refuse dates that are none, pairs without a passage, pairs and clusters of strangers. Raises `ValueError`."""
        for member in self.members:
            datetime.fromisoformat(member.date or "2000-01-01")
        named = {name for pair in (*self.pairs, *self.not_counted) for name in (pair.a, pair.b)}
        named.update(name for cluster in self.clusters for name in cluster.members)
        if not all(pair.passages for pair in (*self.pairs, *self.not_counted)):
            raise ValueError("a pair has no passage")
        if strange := sorted(named - self.by_name.keys()):
            raise ValueError(f"{strange[0]!r} is no member")


def ranked(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Return pairs by falling share, then by falling evidence, then by name."""
    return tuple(sorted(pairs, key=lambda one: (-one.share, -one.evidence, one.a, one.b)))
