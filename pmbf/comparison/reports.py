"""A comparison as others take it: a pair as a report of its first member, pairs as rows, what was skipped in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pmbf.base.span import Span, length_inside, merged
from pmbf.comparison.counting import of_library
from pmbf.comparison.results import Comparison, Member, Pair, SharedPassage
from pmbf.report import DocumentRef, Match, Passage, Query, Report

COLUMNS = (
    *("a", "b", "group_a", "group_b", "label_a", "label_b", "share_a", "share_b", "share_a_with_library"),
    *("share_b_with_library", "characters_a", "characters_b", "passages", "longest", "certainty", "identical"),
)
"""The columns of `rows`."""


def rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield a row of `COLUMNS` for each pair."""
    members = comparison.by_name
    for pair in comparison.pairs:
        a, b = members[pair.a], members[pair.b]
        named = pair.a, pair.b, a.group, b.group, a.label or "", b.label or ""
        shares = pair.share_a, pair.share_b, pair.whole_a, pair.whole_b, pair.n_a, pair.n_b
        identical = "yes" if pair.identical else "no"
        values = (*named, *shares, len(pair.passages), longest(pair), pair.certainty, identical)
        yield dict(zip(COLUMNS, values, strict=True))


def longest(pair: Pair) -> int:
    """Return the characters of the longest passage, on its longer side."""
    return max(max(len(one.a), len(one.b)) for one in pair.passages)


def as_report(pair: Pair, comparison: Comparison) -> Report:
    """Return a pair as a screening of its first member would have reported the second member.

    Characters of the library that both have do not count as shared; as in `Pair.share_a` they are of the whole.
    """
    a, b = comparison.by_name[pair.a], comparison.by_name[pair.b]
    excluded = tuple(merged([*a.excluded, *of_library(pair.passages, a, b)[0]]))
    passages = tuple(as_passage(one, a, b, excluded) for one in pair.passages)
    match = Match(
        document=DocumentRef(0, b.name, (b.name,), b.n_chars),
        containment=0.0,
        n_hits=0,
        n_covered=pair.n_a,
        coverage=pair.share_a,
        longest=longest(pair),
        passages=passages,
        evidence=pair.evidence,
        certainty=pair.certainty,
    )
    n_excluded = a.n_ignored + a.n_common
    query = Query(a.name, a.n_chars, a.n_tokens, 0, n_excluded=n_excluded, excluded=excluded)
    n_others = len(comparison.members) - 1
    return Report(query, (match,), pair.n_a, pair.share_a, n_others, 1, 0, collection=comparison.title)


def as_passage(shared: SharedPassage, a: Member, b: Member, excluded: Sequence[Span] = ()) -> Passage:
    """Return a passage whose query is the first member, and whose source is the second."""
    return Passage(
        query=shared.a,
        source=shared.b,
        similarity=shared.similarity,
        kind=shared.kind,
        n_excluded=length_inside([shared.a], excluded),
        evidence=shared.evidence,
        in_order=shared.in_order,
        certainty=shared.certainty,
        source_share=round(min(1.0, len(shared.b) / b.n_chars), 3) if b.n_chars else 0.0,
    )


def told_sections(template: str, members: Sequence[Member]) -> Iterator[str]:
    """Yield which sections of the texts are skipped, and how many texts have no section, as sentences."""
    if not template:
        return
    skipped = Counter(name for one in members for name in {its.name for its in one.sections if its.rule == "skip"})
    if skipped:
        named = ", ".join(
            f"{name} ({n:,})" for name, n in sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
        )
        yield f"sections that the template {template} skips, and in how many texts: {named}."
    if n_whole := sum(bool(one.n_tokens) and not one.sections for one in members):
        yield f"the template {template} found no section in {n_whole:,} of {len(members):,} texts; they count whole."
