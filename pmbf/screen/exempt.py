"""Exempt spans: what a query's author marks as somebody else's words, and what does not count for it.

What of the passages counts then says `resolving.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pmbf import verify
from pmbf.base.span import Span, merged
from pmbf.report import NotCounted, Section
from pmbf.screen.apparatus import bibliography, quotations
from pmbf.screen.options import Options
from pmbf.screen.sections import cut
from pmbf.text import clean


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
    pairs = [(query, verify.prepare(clean(template)), settings) for template in templates]
    return [one.query for found in verify.passages_each(pairs, None) for one in found]
