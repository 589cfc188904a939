"""What of a query its author marks as not his own, and what is left out of the answer for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pmbf import verify
from pmbf.apparatus import bibliography, length_inside, merged, quotations
from pmbf.report import Passage, Span
from pmbf.screen.options import Options
from pmbf.text import clean


@dataclass(frozen=True, slots=True)
class Exempt:
    """Spans of a query, each list ascending and disjoint.

    Args:
        quoted: Quotations.
        listed: The bibliography.
        excluded: What does not count: those of the two that the options exclude, and what stands in ignored texts.
    """

    quoted: Sequence[Span] = ()
    listed: Sequence[Span] = ()
    excluded: Sequence[Span] = ()


def exempt(text: str, options: Options) -> Exempt:
    """Return what is exempt of a query."""
    quoted = quotations(text) if options.apparatus or options.exclude_quotations else []
    listed = bibliography(text) if options.apparatus or options.exclude_bibliography else []
    excluded = [*(quoted if options.exclude_quotations else ()), *(listed if options.exclude_bibliography else ())]
    return Exempt(quoted, listed, merged([*excluded, *_ignored(text, options)]))


def _ignored(text: str, options: Options) -> Iterator[Span]:
    """Yield what of a query stands in the texts that are ignored."""
    if not any(options.ignore):
        return
    query = verify.prepare(text)
    settings = verify.Settings(min_chars=options.min_chars, threshold=options.min_similarity, least_evidence=0.0)
    for template in options.ignore:
        yield from (found.query for found in verify.passages(query, verify.prepare(clean(template)), settings))


def told(passages: Sequence[Passage], exempted: Exempt, least: int) -> tuple[Passage, ...]:
    """Return the passages that count, each saying in which part of the query it mostly stands.

    Args:
        passages: Of one source.
        exempted: What is exempt.
        least: Characters that must be left of a passage outside what is excluded.
    """
    return tuple(
        replace(passage, within=_within(passage.query, exempted))
        for passage in passages
        if not exempted.excluded
        or length_inside([passage.query], exempted.excluded) == 0
        or counted([passage.query], exempted) >= least
    )


def counted(spans: Sequence[Span], exempted: Exempt) -> int:
    """Return the characters of a union of spans that are not excluded."""
    return verify.union_length(spans) - (length_inside(spans, exempted.excluded) if exempted.excluded else 0)


def _within(span: Span, exempted: Exempt) -> str | None:
    for name, spans in (("bibliography", exempted.listed), ("quotation", exempted.quoted)):
        if spans and 2 * length_inside([span], spans) > len(span):
            return name
    return None
