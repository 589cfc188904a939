"""Exempt spans: what a query's author marks as somebody else's words, and what does not count for it.

A passage that does not count stays in the answer, with the reason. Only passages of ignored texts go: who names a text
as ignored has seen it. Of these the answer says how much there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from pmbf import verify
from pmbf.report import NotCounted, Passage, Section
from pmbf.screen.apparatus import bibliography, quotations
from pmbf.screen.options import Options
from pmbf.screen.sections import cut
from pmbf.span import Span, common, length_in, length_inside, merged, outside, union_length
from pmbf.text import SINGLE_CHARS, clean


@dataclass(frozen=True, slots=True)
class Exempt:
    """Spans of a query, each list ascending and disjoint.

    Args:
        quoted: The quotations.
        listed: The bibliography.
        excluded: The spans that do not count: quotations and bibliography if the options exclude them, ignored texts,
            and sections that a template skips.
        sections: The sections that the template of the options finds.
        reasons: The excluded spans by why they do not count: `NotCounted`.
    """

    quoted: Sequence[Span] = ()
    listed: Sequence[Span] = ()
    excluded: Sequence[Span] = ()
    sections: Sequence[Section] = ()
    reasons: Mapping[NotCounted, Sequence[Span]] = field(default_factory=dict)

    def n_counted(self, n_chars: int) -> int:
        """Return how many characters of a query of a length count: shares are shares of them."""
        return n_chars - union_length(self.excluded)


def exempt(content: str | bytes, options: Options) -> Exempt:
    """Return the exempt spans of a query, given as a clean `str` or as UTF-8."""
    excludes = options.exclude_quotations or options.exclude_bibliography or options.ignore
    if not (options.apparatus or excludes or options.template):
        return Exempt()
    text = content if isinstance(content, str) else content.decode()
    quoted = quotations(text) if options.apparatus or options.exclude_quotations else []
    listed = bibliography(text) if options.apparatus or options.exclude_bibliography else []
    ignored = spans_in(text, options.ignore, min_chars=options.min_chars, min_similarity=options.min_similarity)
    sections, skipped = cut(text, options)
    reasons: dict[NotCounted, Sequence[Span]] = {
        "skipped": skipped,
        "bibliography": listed if options.exclude_bibliography else (),
        "quotation": quoted if options.exclude_quotations else (),
        "ignored": merged(ignored),
    }
    reasons = {reason: spans for reason, spans in reasons.items() if spans}
    excluded = merged([span for spans in reasons.values() for span in spans])
    return Exempt(quoted, listed, excluded, sections, reasons)


def spans_in(
    text: str, templates: Sequence[str], *, min_chars: int, min_similarity: float = verify.Settings().threshold
) -> list[Span]:
    """Return the spans of a text that stand in other texts, in any order.

    Args:
        text: The text, clean.
        templates: The other texts, such as forms that many texts are filled into.
        min_chars: Characters of the shortest passage.
        min_similarity: Least similarity of a passage, 0 to 1.
    """
    if not any(templates):
        return []
    query = verify.prepare(text)
    settings = verify.Settings(min_chars=min_chars, threshold=min_similarity, least_evidence=0.0)
    return [
        found.query
        for template in templates
        for found in verify.passages(query, verify.prepare(clean(template)), settings)
    ]


def counting(passages: Sequence[Passage], exempted: Exempt, query: verify.Prepared, least: int) -> tuple[Passage, ...]:
    """Return passages, each with the exempt span it mostly stands in, its excluded characters, and why it counts not.

    Args:
        passages: The passages of one source.
        exempted: The exempt spans of the query.
        query: The query.
        least: Characters of a passage that must be left outside the excluded spans, counted in letters of an alphabet.
            With less, no part of the passage counts.
    """
    return tuple(_judged(_marked(passage, exempted), exempted, query, least) for passage in passages)


def _marked(passage: Passage, exempted: Exempt) -> Passage:
    within, n_excluded = _within(passage.query, exempted), length_in(passage.query, exempted.excluded)
    return replace(passage, within=within, n_excluded=n_excluded) if within or n_excluded else passage


def _judged(passage: Passage, exempted: Exempt, query: verify.Prepared, least: int) -> Passage:
    if passage.not_counted:
        return replace(passage, n_excluded=len(passage.query))
    if not passage.n_excluded or _n_letters_left(query, passage, exempted) >= least:
        return passage
    reason = max(exempted.reasons, key=lambda one: length_in(passage.query, exempted.reasons[one]))
    return replace(passage, not_counted=reason, n_excluded=len(passage.query))


def amounts(passages: Sequence[Passage], exempted: Exempt) -> dict[NotCounted, int]:
    """Return the characters of a query that passages hold but that do not count, by the reason.

    A character that counts in one source counts. One that does not count for several reasons has the first of them.

    Args:
        passages: Those of all sources.
        exempted: The exempt spans of the query.
    """
    left = outside([one.query for one in passages], covered(passages, exempted))
    found: dict[NotCounted, int] = {}
    for reason in get_args(NotCounted):
        own = [one.query for one in passages if one.not_counted == reason]
        spans = merged([*exempted.reasons.get(reason, ()), *own])
        if n_chars := union_length(common(left, spans)):
            found[reason] = n_chars
            left = outside(left, spans)
    return found


def covered(passages: Sequence[Passage], exempted: Exempt) -> list[Span]:
    """Return what of a query stands in passages and counts, ascending and disjoint."""
    return outside([one.query for one in passages if not one.not_counted], exempted.excluded)


def counted(spans: Sequence[Span], exempted: Exempt) -> int:
    """Return the characters of a union of spans that are not excluded."""
    return union_length(spans) - (length_inside(spans, exempted.excluded) if exempted.excluded else 0)


def ordered(passages: Sequence[Passage], exempted: Exempt) -> float:
    """Return the characters of passages that count, each taken for its passage's share of words in order.

    If passages overlap, then the greatest share holds. Shares are taken to the nearest hundredth.
    """
    by_share: dict[float, list[Span]] = {}
    for passage in passages:
        if passage.not_counted:
            continue
        by_share.setdefault(round(passage.in_order or 0.0, 2), []).append(passage.query)
    taken: list[Span] = []
    found, n_before = 0.0, 0
    for share in sorted(by_share, reverse=True):
        taken = merged([*taken, *by_share[share]])
        n_now = counted(taken, exempted)
        found, n_before = found + share * (n_now - n_before), n_now
    return found


def _n_letters_left(query: verify.Prepared, passage: Passage, exempted: Exempt) -> int:
    """Return the characters of a passage that count, as `verify.n_letters` counts the characters of a whole one."""
    n_singles = verify.n_singles(query, [passage.query])
    n_singles -= verify.n_singles(query, common([passage.query], exempted.excluded)) if n_singles else 0
    return passage.n_counted + (SINGLE_CHARS - 1) * n_singles


def _within(span: Span, exempted: Exempt) -> str | None:
    for name, spans in (("bibliography", exempted.listed), ("quotation", exempted.quoted)):
        if 2 * length_in(span, spans) > len(span):
            return name
    return None
