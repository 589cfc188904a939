"""The texts that a report is about; the words and places of its passages, read from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pmbf.base.errors import ParameterError, PmbfError
from pmbf.base.places import Places

if TYPE_CHECKING:
    from pmbf.report import Match, Passage, Report


@dataclass(frozen=True, slots=True, repr=False)
class Texts:
    """The texts that a report is about: what is needed to show its passages.

    Args:
        content: The query's whole text, clean, or its UTF-8.
        source: Returns the text of a document by id. It raises a `PmbfError` if the document is gone.
    """

    content: str | bytes
    source: Callable[[int], str]

    @property
    def query(self) -> str:
        """The query's whole text, decoded at each call."""
        return self.content if isinstance(self.content, str) else self.content.decode()


def with_words(report: Report) -> Report:
    """Return the report with words and places: see `Report.with_words`."""
    if report.texts is None:
        if any(passage.query_text is None for match in report.matches for passage in match.passages):
            raise ParameterError("the words of the passages are not known: this report was read without its texts")
        return report
    if not any(match.passages for match in report.matches):
        return report
    query = report.texts.query
    places = Places(query, report.query.kind)
    return replace(report, matches=tuple(_told(match, query, places, report) for match in report.matches))


def _told(match: Match, query: str, places: Places, report: Report) -> Match:
    source = _source(match, report)
    source_places = Places(source or "", match.document.kind)

    def told(passage: Passage) -> Passage:
        at, in_source = passage.query, passage.source
        known = replace(passage, query_text=query[at.start : at.stop], query_place=places.at(at.start))
        if source is None:
            return known
        words = source[in_source.start : in_source.stop]
        return replace(known, source_text=words, source_place=source_places.at(in_source.start))

    return replace(match, passages=tuple(map(told, match.passages)))


def _source(match: Match, report: Report) -> str | None:
    """Return the text of a source; None if the document has gone since, or another one has taken its id."""
    if report.texts is None or not match.passages:
        return None
    try:
        text = report.texts.source(match.document.id)
    except (PmbfError, OSError):
        return None
    return text if len(text) == match.document.n_chars else None
