"""The sections of a query that a template finds: what is skipped, and what is compared with the same section alone.

A passage that reaches over the border of a `same` or skipped section is compared once more, piece by piece. So each
passage that counts keeps its rule in whole, and its offsets are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pmbf import verify
from pmbf.base.span import Span, common, length_in, length_inside, meets, outside
from pmbf.report import NotCounted, Passage, Section
from pmbf.screen.options import Options
from pmbf.screen.templates import Template


def all_skipped(text: str, sections: Sequence[Section], options: Options) -> bool:
    """Return whether a template skips every letter and digit of a query."""
    if not isinstance(options.template, Template):
        return False
    left = outside([Span(0, len(text))], options.template.skipped(sections, len(text)))
    return not any(char.isalnum() for span in left for char in text[span.start : span.stop])


def told_all_skipped(template: str) -> str:
    """Return the problem of a text of which a template leaves nothing to compare, and what to do."""
    return (
        f"the template {template} skips the whole text, so nothing in it counts; screen the text without a template, "
        "or with one whose rules fit it"
    )


def section_rules(
    sections: Sequence[Section],
    options: Options,
    query: verify.Prepared,
    settings: verify.Settings,
    statistics: verify.Statistics | None,
) -> SectionRules | None:
    """Return the rules for the passages of a query, or None if everything is compared with everything."""
    if not isinstance(options.template, Template):
        return None
    same, skipped = [one for one in sections if one.rule == "same"], options.template.skipped(sections, len(query.text))
    return SectionRules(options.template, same, skipped, query, settings, statistics) if same or skipped else None


def with_figures(
    sections: Sequence[Section], covered: Sequence[Span], excluded: Sequence[Span], n_elsewhere: Mapping[str, int]
) -> tuple[Section, ...]:
    """Return sections with how much of each stands in sources and counts, and how much of each does not count.

    The spans are ascending and disjoint. `n_elsewhere` has, by the name of a `same` section, the sources that share
    text with it elsewhere.
    """
    return tuple(
        replace(
            one,
            n_covered=length_in(one.span, covered),
            n_elsewhere=n_elsewhere.get(one.name, 0),
            n_excluded=length_in(one.span, excluded),
        )
        for one in sections
    )


@dataclass(frozen=True)
class SectionRules:
    """What of a query is compared with what, and how pieces of it are compared.

    Args:
        template: What cuts the sources.
        same, skipped: The `same` sections of the query, and what of it is not compared.
        query, settings, statistics: As for `verify.passages`.
    """

    template: Template
    same: Sequence[Section]
    skipped: Sequence[Span]
    query: verify.Prepared
    settings: verify.Settings
    statistics: verify.Statistics | None

    def kept(self, text: str, passages: Sequence[Passage], n_chars: int = 0) -> tuple[Passage, ...]:
        """Return the passages that a source shares with the query: what keeps the rules, and the rest as not counted.

        The passages are in query order. `n_chars` are those of the source's document, for `Passage.source_share`; 0 if
        unknown.
        """
        source = _Cut(text, self.template, n_chars)
        found: list[Passage] = []
        broken: list[tuple[Passage, list[Passage]]] = []
        for passage in passages:
            within = [one for one in self.same if meets(one.span, passage.query)]
            if not length_in(passage.query, self.skipped) and all(_keeps(passage, one, source) for one in within):
                found.append(passage)
            else:
                broken.append((passage, list(self._pieces(passage, within, source))))
        kept = _disjoint([*found, *(piece for _, pieces in broken for piece in pieces)])
        rest = [one for passage, pieces in broken for one in self._rest(passage, pieces, source)]
        return tuple(sorted([*kept, *rest], key=lambda one: one.query))

    def _rest(self, passage: Passage, pieces: Sequence[Passage], source: _Cut) -> Iterator[Passage]:
        """Yield what of a passage does not count, with the reason; all of it if no part of it is a passage alone."""
        same = [one.span for one in self.same]
        for_reason: tuple[tuple[NotCounted, Sequence[Span]], ...] = (("skipped", self.skipped), ("elsewhere", same))
        n_found = len(pieces)
        for reason, spans in for_reason:
            for ours in outside(common([passage.query], spans), [one.query for one in pieces]):
                for one in self._compared(ours, passage.source, source):
                    n_found += 1
                    yield replace(one, not_counted=reason)
        if not n_found:
            is_skipped = length_in(passage.query, self.skipped) >= length_in(passage.query, same)
            yield replace(passage, not_counted="skipped" if is_skipped else "elsewhere")

    def _pieces(self, passage: Passage, within: Sequence[Section], source: _Cut) -> Iterator[Passage]:
        """Yield the passages of each piece of a passage: in each section, and outside of all."""
        for one in within:
            for ours in common([passage.query], [one.span]):
                for theirs in source.spans(one.name):
                    yield from self._compared(ours, theirs, source)
        for ours in outside([passage.query], [*self.skipped, *(one.span for one in within)]):
            yield from self._compared(ours, passage.source, source)

    def _compared(self, ours: Span, theirs: Span, source: _Cut) -> Iterator[Passage]:
        piece = verify.prepare(self.query.text[ours.start : ours.stop])
        part = verify.prepare(source.text[theirs.start : theirs.stop])
        pair = verify.TextPair(piece, part, self.settings, theirs.start, source.n_chars)
        [passages] = verify.passages_each([pair], self.statistics, beside=False)
        for one in passages:
            yield replace(one, query=Span(one.query.start + ours.start, one.query.stop + ours.start))


@dataclass(frozen=True)
class _Cut:
    """The text of a source, with its sections once they are asked for."""

    text: str
    template: Template
    n_chars: int

    @cached_property
    def _sections(self) -> list[Section]:
        return self.template.cut(self.text)

    def spans(self, name: str) -> list[Span]:
        """Return the sections of a name."""
        return [one.span for one in self._sections if one.name == name]


def _keeps(passage: Passage, section: Section, source: _Cut) -> bool:
    """Return whether a passage stands in one section, on both sides."""
    inside = section.span.start <= passage.query.start and passage.query.stop <= section.span.stop
    return inside and length_inside([passage.source], source.spans(section.name)) == len(passage.source)


def _disjoint(passages: Sequence[Passage]) -> list[Passage]:
    """Return passages in query order; of those that overlap in the query the longer one is kept."""
    kept: list[Passage] = []
    for passage in sorted(passages, key=lambda one: (-len(one.query), one.query, one.source)):
        if not any(meets(passage.query, other.query) for other in kept):
            kept.append(passage)
    return sorted(kept, key=lambda one: one.query)
