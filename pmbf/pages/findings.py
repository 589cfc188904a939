"""What a page shows of a report: its passages, numbered in query order, with their words that differ, and its texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pmbf.base.errors import ParameterError, PmbfError, WithheldError
from pmbf.base.places import Places
from pmbf.base.span import Span, union_length
from pmbf.pages.cutting import SpanLayer, joined
from pmbf.pages.markup import common_folder
from pmbf.report import Match, Passage, Query, Report
from pmbf.screen.exempt import bibliography, quotations
from pmbf.verify import Settings, edits

SourceText = Callable[[int], str]
"""Returns the text of a document by id."""

GONE = "The text of this source could not be read any more."
WITHHELD = "The text of this source is withheld by the site that has it."

COMPARED = ("verbatim", "edited")
"""Kinds whose words are compared one by one. In the others nearly every word stands elsewhere."""

_LETTERS = {
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff",
    "Greek": "\u0370-\u0373\u0376-\u037d\u037f\u0386\u0388-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u0481\u048a-\u052f",
    "Armenian": "\u0531-\u0556\u0561-\u0587",
}
_OF = {script: re.compile(f"[{letters}]") for script, letters in _LETTERS.items()}
_WORD = re.compile(rf"[{''.join(_LETTERS.values())}]{{2,}}")
_HIDDEN = "\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_INVISIBLE = re.compile(rf"(?<=[{''.join(_LETTERS.values())}])[{_HIDDEN}]+")


class Numbered(NamedTuple):
    """A passage, its number on the page (in query order, from 1), and the rank of its source (from 1)."""

    number: int
    rank: int
    passage: Passage


@dataclass(frozen=True)
class Findings:
    """A report with its texts, as a page shows it; `hide_names` leaves out names of texts and documents."""

    report: Report
    text: str
    source_text: SourceText
    hide_names: bool = False

    def __post_init__(self) -> None:
        if len(self.text) != self.report.query.n_chars:
            raise ParameterError(
                f"the text has {len(self.text):,} characters, but the report is about a text of "
                f"{self.report.query.n_chars:,}; give the text as it was screened (report.texts.query)"
            )

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """The sources with passages; their ranks are those of the report."""
        return tuple(match for match in self.report.matches if match.passages)

    @cached_property
    def passages(self) -> tuple[Numbered, ...]:
        """All passages, in query order."""
        ranked = [(passage, rank) for rank, match in enumerate(self.matches, 1) for passage in match.passages]
        ranked.sort(key=lambda one: (one[0].query.start, one[0].query.stop, one[1]))
        return tuple(Numbered(number, rank, passage) for number, (passage, rank) in enumerate(ranked, 1))

    def of(self, rank: int) -> list[Numbered]:
        """Return the passages of a source, in query order."""
        return [one for one in self.passages if one.rank == rank]

    @property
    def sources(self) -> dict[int, str]:
        """The text of each source by rank; a source that is withheld or cannot be read any more is left out."""
        return self._read[0]

    @cached_property
    def shown(self) -> str:
        """The text as it is shown, of the same length."""
        return joined(self.text, self.report.query.kind)

    @cached_property
    def shown_sources(self) -> dict[int, str]:
        """The texts of the sources as they are shown, by rank."""
        return {rank: joined(text, self.matches[rank - 1].document.kind) for rank, text in self.sources.items()}

    @property
    def missing(self) -> dict[int, str]:
        """Why the text of a source is not shown, by rank."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[dict[int, str], dict[int, str]]:
        found, missing = dict[int, str](), dict[int, str]()
        for rank, match in enumerate(self.matches, 1):
            try:
                text = self.source_text(match.document.id)
            except WithheldError as error:
                missing[rank] = WITHHELD if self.hide_names else f"The text of this source is {error}."
            except (PmbfError, OSError):
                missing[rank] = GONE
            else:
                if all(passage.source.stop <= len(text) for passage in match.passages):
                    found[rank] = text
                else:
                    missing[rank] = GONE
        return found, missing

    @cached_property
    def edits(self) -> dict[int, list[tuple[SpanLayer | None, SpanLayer | None]]]:
        """The words that differ in each passage by number: a layer of the query, and one of the source."""
        return {one.number: list(self._edits(one)) for one in self.passages if one.rank in self.sources}

    def _edits(self, one: Numbered) -> Iterator[tuple[SpanLayer | None, SpanLayer | None]]:
        if one.passage.kind not in COMPARED or not one.passage.source:
            return
        try:
            found = edits(self.text, self.sources[one.rank], one.passage)
        except ParameterError:  # longer than what is compared word by word
            return
        for edit in found:
            role = "rep" if edit.query and edit.source else "ins" if edit.query else "del"
            yield (
                SpanLayer(edit.query, role, one.number) if edit.query else None,
                SpanLayer(edit.source, role, one.number) if edit.source else None,
            )

    @cached_property
    def signs(self) -> list[Sign]:
        """The signs of manipulation in the query."""
        return signs(self.text, self.report.query)

    @cached_property
    def query_layers(self) -> list[SpanLayer]:
        """The layers of the query: passages, words that differ, exempt spans, signs."""
        quoted, listed = self._exempt
        return [
            *(SpanLayer(one.passage.query, "passage", one.number) for one in self.passages),
            *(ours for found in self.edits.values() for ours, _ in found if ours),
            *(SpanLayer(span, "quotation") for span in quoted),
            *(SpanLayer(span, "bibliography") for span in listed),
            *(SpanLayer(span, "excluded") for span in self.report.query.excluded),
            *(SpanLayer(sign.span, "sign", number) for number, sign in enumerate(self.signs, 1)),
        ]

    @cached_property
    def _exempt(self) -> tuple[list[Span], list[Span]]:
        """The quotations and the bibliography of the query."""
        asked = self.report.query
        return quotations(self.text) if asked.n_quoted else [], bibliography(self.text) if asked.n_listed else []

    @property
    def n_counted(self) -> list[int]:
        """The characters that count: with all, without quotations, without the bibliography, without both."""
        asked, (quoted, listed) = self.report.query, self._exempt
        off = [union_length([*some, *asked.excluded]) for some in ([], quoted, listed, [*quoted, *listed])]
        return [asked.n_counted - (n - off[0]) for n in off]

    @cached_property
    def _query_places(self) -> Places:
        return Places(self.text, self.report.query.kind)

    @cached_property
    def _source_places(self) -> dict[int, Places]:
        return {rank: Places(text, self.matches[rank - 1].document.kind) for rank, text in self.sources.items()}

    def places(self, one: Numbered) -> tuple[str, str]:
        """Return where a passage begins in the text and in its source: page, line or paragraph; empty if unknown."""
        ours = self._query_places.at(one.passage.query.start)
        source = self._source_places.get(one.rank)
        return str(ours), str(source.at(one.passage.source.start)) if source and one.passage.source else ""

    def source_layers(self, rank: int) -> list[SpanLayer]:
        """Return the layers of a source: passages and words that differ. Some words of a site's source are withheld."""
        own = [one for one in self.of(rank) if one.passage.source]
        return [
            *(SpanLayer(one.passage.source, "passage", one.number) for one in own),
            *(theirs for one in own for _, theirs in self.edits.get(one.number, ()) if theirs),
        ]

    @property
    def least(self) -> int:
        """Characters that a passage must keep if a part of it does not count, as in a screening."""
        return min((self.report.min_chars or Settings().min_chars, *(len(one.passage.query) for one in self.passages)))

    @cached_property
    def folder(self) -> str:
        """The folder that all sources lie in, with a separator at its end; empty if they have none in common."""
        return common_folder([match.document.path for match in self.matches])

    def name(self, rank: int) -> str:
        """Return what a source is called: its path inside `folder`, or its alias if names are hidden."""
        return alias(rank) if self.hide_names else self.matches[rank - 1].document.path[len(self.folder) :]


def alias(rank: int) -> str:
    """Return what a source is called if names are hidden."""
    return f"Source {rank}"


def around(span: Span, length: int, margin: int) -> Span:
    """Return a span with a margin on both sides, inside a text of a length.

    >>> around(Span(10, 20), 25, 8)
    Span(start=2, stop=25)
    """
    return Span(max(0, span.start - margin), min(length, span.stop + margin))


class Sign(NamedTuple):
    """A place that looks altered: where, its kind (`mixed` or `invisible`), and what it is."""

    span: Span
    kind: str
    told: str


def signs(text: str, query: Query) -> list[Sign]:
    """Return the signs of manipulation of a query, ascending; a text whose report counts none is not searched.

    >>> [(sign.kind, sign.told) for sign in signs("the p\u0430yment", Query("", 11, 2, 0, n_mixed_tokens=1))]
    [('mixed', 'Latin and Cyrillic letters: U+0430 CYRILLIC SMALL LETTER A')]
    """
    found = [*(_mixed(text) if query.n_mixed_tokens else ()), *(_invisible(text) if query.n_invisible else ())]
    return sorted(found)


def _mixed(text: str) -> Iterator[Sign]:
    for word in _WORD.finditer(text):
        if word[0].isascii():
            continue
        counts = {script: len(pattern.findall(word[0])) for script, pattern in _OF.items()}
        scripts = [script for script, n in counts.items() if n]
        if len(scripts) > 1:
            fewest = min(scripts, key=lambda script: (counts[script], script == "Latin"))
            odd = dict.fromkeys(_OF[fewest].findall(word[0]))
            yield Sign(Span(*word.span()), "mixed", f"{' and '.join(scripts)} letters: {', '.join(map(_told, odd))}")


def _invisible(text: str) -> Iterator[Sign]:
    for found in _INVISIBLE.finditer(text):
        yield Sign(Span(*found.span()), "invisible", ", ".join(map(_told, dict.fromkeys(found[0]))))


def _told(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()
