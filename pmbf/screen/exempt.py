"""What of a query its author marks as not his own, and what is left out of the answer for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pmbf import verify
from pmbf.report import Passage
from pmbf.screen.apparatus import bibliography, quotations
from pmbf.screen.options import Options
from pmbf.span import Span, length_inside, merged, union_length
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


def exempt(content: str | bytes, options: Options) -> Exempt:
    """Return what is exempt of a query, clean or in UTF-8."""
    if not (options.apparatus or options.exclude_quotations or options.exclude_bibliography or options.ignore):
        return Exempt()
    text = content if isinstance(content, str) else content.decode()
    quoted = quotations(text) if options.apparatus or options.exclude_quotations else []
    listed = bibliography(text) if options.apparatus or options.exclude_bibliography else []
    excluded = [*(quoted if options.exclude_quotations else ()), *(listed if options.exclude_bibliography else ())]
    ignored = spans_in(text, options.ignore, min_chars=options.min_chars, min_similarity=options.min_similarity)
    return Exempt(quoted, listed, merged([*excluded, *ignored]))


def spans_in(
    text: str, templates: Sequence[str], *, min_chars: int, min_similarity: float = verify.Settings().threshold
) -> list[Span]:
    """Return what of a text stands in others, in no order.

    Args:
        text: Clean.
        templates: The others, such as forms that many texts are filled into.
        min_chars: Shortest passage.
        min_similarity: Least likeness of a passage, 0 to 1.
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


def told(passages: Sequence[Passage], exempted: Exempt, least: int) -> tuple[Passage, ...]:
    """Return the passages that count, each saying in which part of the query it mostly stands, and what of it counts.

    Args:
        passages: Of one source.
        exempted: What is exempt.
        least: Characters that must be left of a passage outside what is excluded.
    """
    marked = [
        replace(
            passage,
            within=_within(passage.query, exempted),
            n_excluded=length_inside([passage.query], exempted.excluded) if exempted.excluded else 0,
        )
        for passage in passages
    ]
    return tuple(passage for passage in marked if not passage.n_excluded or passage.n_counted >= least)


def counted(spans: Sequence[Span], exempted: Exempt) -> int:
    """Return the characters of a union of spans that are not excluded."""
    return union_length(spans) - (length_inside(spans, exempted.excluded) if exempted.excluded else 0)


def _within(span: Span, exempted: Exempt) -> str | None:
    for name, spans in (("bibliography", exempted.listed), ("quotation", exempted.quoted)):
        if spans and 2 * length_inside([span], spans) > len(span):
            return name
    return None
