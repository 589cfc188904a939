"""A report of sentences as rows for a table: a row for each sentence, in the order of the text.

No text is lost: a text without sentences, or one that could not be read, has one row, whose other columns are None.
"""

from __future__ import annotations

from typing import Any

from pmbf.sentences.report import Sentence, SentenceReport

COLUMNS = (
    *("query", "sentence", "start", "stop", "section", "outcome", "n_sources", "similarity"),
    *("source", "source_id", "source_start", "source_stop", "problem", "not_counted"),
)
"""The columns, in order; the source is the most similar one. docs/sentences.md says what each of them holds."""

WORDS = "text"
"""A further column, if it is asked for."""


def columns(*, with_text: bool = False) -> tuple[str, ...]:
    """Return the columns of the table."""
    return (*COLUMNS, WORDS) if with_text else COLUMNS


def rows(report: SentenceReport, *, with_text: bool = False) -> list[dict[str, Any]]:
    """Return a row for each sentence of a report, with the same keys for every report.

    Args:
        report: What was found.
        with_text: Whether the column `text` holds the sentence.
    """
    empty = dict.fromkeys(columns(with_text=with_text))
    common = empty | {"query": report.name, "problem": "; ".join(report.problems) or None}
    paths = {one.document.id: one.document.path for one in report.sources}
    texts = report.to_dict(with_text=with_text)["sentences"]
    found = []
    for number, (one, told) in enumerate(zip(report.sentences, texts, strict=True), 1):
        row = common | {"sentence": number, "start": one.span.start, "stop": one.span.stop}
        row |= {"outcome": one.outcome, "n_sources": len(one.origins), "section": _section(report, one)}
        row["not_counted"] = one.not_counted
        for best in one.origins[:1]:
            row |= {"similarity": best.similarity, "source": paths[best.document], "source_id": best.document}
            row |= {"source_start": best.span.start, "source_stop": best.span.stop}
        found.append(row | ({WORDS: told.get("text")} if with_text else {}))
    return found or [common]


def _section(report: SentenceReport, sentence: Sentence) -> str | None:
    """Return the name of the section that a sentence begins in."""
    inside = (one.name for one in report.sections if one.span.start <= sentence.span.start < one.span.stop)
    return next(inside, None)
