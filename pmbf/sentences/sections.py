"""The sections that a template finds, for sentences: a sentence is in the section that has most of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from pmbf.base.span import Span, length_in, merged, outside, overlap
from pmbf.kernels import Units
from pmbf.report import Section
from pmbf.screen.exempt import Exempt
from pmbf.screen.sections import with_figures
from pmbf.screen.templates import Template
from pmbf.sentences.beside import Alike, QueryUnits, UnitPair


class UnitsInSections(QueryUnits):
    """A query in units, some of whose sentences are skipped, or may stand in the same section of a document alone.

    Args:
        template: What cuts the texts; None: nothing is skipped.
        exempted: What it makes of the query.
    """

    def __init__(self, text: str, units: Units, template: Template | None, exempted: Exempt) -> None:
        super().__init__(text, units)
        self._template = template
        self._sections, self.skipped = exempted.sections, exempted.reasons.get("skipped", ())
        self._skipped = {number for number, one in enumerate(self.sentences) if _mostly_in(one, self.skipped)}
        self._same = {}
        for one in (one for one in self._sections if one.rule == "same"):
            for number, sentence in enumerate(self.sentences):
                if 2 * overlap(sentence, one.span) > len(sentence):
                    self._same[number] = one.name
        self._elsewhere: dict[str, int] = defaultdict(int)
        self.apart: set[int] = set()
        """Sentences that stand in a document, where a rule does not let them count."""

    def skips(self, number: int) -> bool:
        """Return whether a sentence of the query is skipped."""
        return number in self._skipped

    def alike(self, text: str, candidates: Sequence[UnitPair]) -> list[Alike]:
        """Return what `QueryUnits.alike` does, with the sentences that keep the rules; without units that have none."""
        found = super().alike(text, candidates)
        if not self._template:
            return found
        before = {number for unit in found for number in unit.sentences}
        if any(number in self._same for unit in found for number in unit.sentences):
            found = self._in_same_sections(text, candidates, found)
        held = [replace(one, sentences=tuple(n for n in one.sentences if n not in self._skipped)) for one in found]
        self.apart |= before - {number for unit in held for number in unit.sentences}
        return [one for one in held if one.sentences]

    def _in_same_sections(self, text: str, candidates: Sequence[UnitPair], found: Sequence[Alike]) -> list[Alike]:
        """Return alike units without the sentences whose section the document has elsewhere.

        The best unit for such a sentence may stand elsewhere, and another one in the same section: so they are looked
        for once more, among units of that section alone.
        """
        theirs: dict[str, list[Span]] = defaultdict(list)
        for section in self._template.cut(text) if self._template else ():
            theirs[section.name].append(section.span)

        def keeps(number: int, source: Span) -> bool:
            return number not in self._same or _mostly_in(source, theirs[self._same[number]])

        kept = [replace(one, sentences=tuple(n for n in one.sentences if keeps(n, one.source))) for one in found]
        wrong = {n for one in found for n in one.sentences if not keeps(n, one.source)}
        if wrong:
            some = [one for one in candidates if all(keeps(n, Span(*one[1])) for n, _ in self.parts[one[0]])]
            again = super().alike(text, some)
            kept += [replace(one, sentences=tuple(n for n in one.sentences if n in wrong)) for one in again]
        held = {n for one in kept for n in one.sentences}
        for name in {self._same[n] for n in wrong} - {self._same.get(n) for n in held}:
            self._elsewhere[name] += 1
        return kept

    def with_figures(self, spans: Sequence[Span]) -> tuple[Section, ...]:
        """Return the sections with how much of each stands in sources: what of the query does."""
        return with_figures(self._sections, outside(merged(spans), self.skipped), self.skipped, self._elsewhere)


def _mostly_in(span: Span, union: Sequence[Span]) -> bool:
    return 2 * length_in(span, union) > len(span)
