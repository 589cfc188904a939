"""A report as rows for a table: flat dicts, with the same columns for every report.

    by="texts"      a row for each screened text
    by="sources"    a row for each source of a text
    by="passages"   a row for each passage of a source

No text is lost: a text without sources, or one that could not be read, has one row, whose other columns are None.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, get_args

from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.base.places import NOWHERE, Place

if TYPE_CHECKING:
    import pandas

    from pmbf.report import DocumentRef, Match, Passage, Report

By = Literal["texts", "sources", "passages"]
Row = dict[str, Any]

_WHERE = ("start", "stop", "page", "line", "paragraph")
_SIDES = tuple(f"{side}_{where}" for side in ("query", "source") for where in _WHERE)
_SOURCE = ("query", "share", "rank", "source", "source_id", "share_in_source")

COLUMNS: dict[By, tuple[str, ...]] = {
    "texts": (
        *("query", "share", "in_order", "certainty", "source", "n_sources", "n_passages", "n_not_counted", "n_below"),
        *("n_chars", "n_words", "too_short", "n_mixed_tokens", "n_invisible", "n_documents", "problem"),
        "source_labels",
    ),
    "sources": (
        *(*_SOURCE, "n_paths", "in_order", "certainty", "evidence", "n_passages", "longest", "n_not_counted"),
        *("containment", "problem", "source_labels"),
    ),
    "passages": (
        *(*_SOURCE, "passage", "certainty", "kind", "similarity", "in_order", "evidence", "n_chars", "n_excluded"),
        *("not_counted", "within", "source_part", *_SIDES, "also_in", "problem", "source_labels"),
    ),
}
"""The columns of each table, in order. docs/report.md says what each of them holds."""

SAME_FILE = "same file"
"""Kind in the table of passages of a source that has no text and is the same file as the query."""

WORDS = ("query_text", "source_text")
"""Further columns of the table of passages, if they are asked for."""


def columns(by: By, *, with_text: bool = False) -> tuple[str, ...]:
    """Return the columns of a table.

    Raises:
        ParameterError: There is no such table, or its rows have no words.
    """
    if by not in get_args(By):
        raise ParameterError(f"by is {by!r}, expected one of {', '.join(map(repr, get_args(By)))}")
    if with_text and by != "passages":
        raise ParameterError(f"with_text is asked for rows by {by}, but only passages have words")
    return COLUMNS[by] + (WORDS if with_text else ())


def rows(report: Report, by: By = "passages", *, with_text: bool = False) -> list[Row]:
    """Return the rows of a report: see `Report.rows`."""
    wanted = columns(by, with_text=with_text)
    if by == "passages" and (with_text or report.texts is not None):
        report = report.with_words()
    common = {"query": report.query.name, "share": _share(report), "problem": "; ".join(report.problems) or None}
    return [{name: (common | row).get(name) for name in wanted} for row in _ROWS[by](report)]


def frame(reports: Iterable[Report], by: By = "passages", *, with_text: bool = False) -> pandas.DataFrame:
    """Return the rows of many reports as one pandas.DataFrame; an empty one has the columns, too.

    Args:
        reports: As `Collection.screen_many` yields them; none is kept.
        by: What a row is: one of the `texts`, `sources` or `passages`.
        with_text: Whether the columns `query_text` and `source_text` hold the words of passages.

    Raises:
        UnsupportedError: pandas is not installed.
        ParameterError: As for `Report.rows`.
    """
    try:
        import pandas
    except ImportError:
        raise UnsupportedError("a DataFrame needs pandas; run: pip install pandas") from None
    found = [row for report in reports for row in rows(report, by, with_text=with_text)]
    return pandas.DataFrame(found, columns=list(columns(by, with_text=with_text)))


def _share(report: Report) -> float | None:
    """Return the share of a text; None for a text that was not read: it is unknown, not 0."""
    return report.coverage if report.query.n_chars or report.found else None


def _of_text(report: Report) -> Iterator[Row]:
    asked, found = report.query, [match for match in report.matches if match.shares]  # those that count come first
    yield {
        "in_order": report.in_order if asked.n_chars or report.found else None,
        "certainty": report.certainty,
        "source": found[0].document.path if found else None,
        "source_labels": _labels(found[0].document) if found else None,
        "n_sources": report.n_sources,
        "n_passages": sum(len(match.passages) for match in found),
        "n_not_counted": report.n_not_counted,
        "n_below": report.n_below,
        "n_chars": asked.n_chars,
        "n_words": asked.n_tokens,
        "too_short": report.too_short,
        "n_mixed_tokens": asked.n_mixed_tokens,
        "n_invisible": asked.n_invisible,
        "n_documents": report.n_documents,
    }


def _of_sources(report: Report) -> Iterator[Row]:
    for rank, match in enumerate(report.matches, 1):
        yield _source(rank, match) | {
            "in_order": match.in_order,
            "certainty": match.certainty,
            "evidence": match.evidence,
            "n_paths": len(match.document.paths),
            "n_passages": len(match.passages),
            "longest": match.longest,
            "n_not_counted": match.n_not_counted,
            "containment": match.containment,
        }
    if not report.matches:
        yield {}


def _of_passages(report: Report) -> Iterator[Row]:
    for rank, match in enumerate(report.matches, 1):
        for number, passage in enumerate(match.passages, 1):
            yield _source(rank, match) | {"passage": number} | _passage(passage)
        if match.same_file:
            yield _source(rank, match) | {"certainty": match.certainty, "kind": SAME_FILE}
        elif not match.passages:  # it could not be compared
            yield _source(rank, match)
    if not report.matches:
        yield {}


def _source(rank: int, match: Match) -> Row:
    document = match.document
    told = {"problem": match.problem} if match.problem else {}
    return {
        "rank": rank,
        "source": document.path,
        "source_id": document.id,
        "source_labels": _labels(document),
        "share_in_source": match.coverage if match.shares else None,
    } | told


def _labels(document: DocumentRef) -> str | None:
    """Return the labels of a document's first path as JSON; None if that path has none."""
    labels = document.labels[0] if document.labels else {}
    return json.dumps(labels, ensure_ascii=False) if labels else None


def _passage(passage: Passage) -> Row:
    return {
        "certainty": passage.certainty,
        "kind": passage.kind,
        "similarity": passage.similarity,
        "in_order": passage.in_order,
        "evidence": passage.evidence,
        "n_chars": passage.n_counted,
        "n_excluded": passage.n_excluded,
        "not_counted": passage.not_counted,
        "within": passage.within,
        "source_part": passage.source_share,
        **_side("query", passage.query.start, passage.query.stop, passage.query_place),
        **_side("source", passage.source.start, passage.source.stop, passage.source_place),
        "also_in": ", ".join(map(str, passage.also_in)) or None,
        "query_text": passage.query_text,
        "source_text": passage.source_text,
    }


def _side(side: str, start: int, stop: int, place: Place | None) -> Row:
    at = place or NOWHERE
    values = (start, stop, at.page, at.line, at.paragraph)
    return {
        f"{side}_{what}": value
        for what, value in zip(("start", "stop", "page", "line", "paragraph"), values, strict=True)
    }


_ROWS = {"texts": _of_text, "sources": _of_sources, "passages": _of_passages}
