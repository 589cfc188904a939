"""A report of sentences as others take it: as a report of passages, which pages show, and as rows of a table.

A row stands for each sentence, in the order of the text. No text is lost: a text without sentences, or one that could
not be read, has one row, whose other columns are None.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pmbf.base.span import Span, overlap, union_length
from pmbf.report import Match, NotCounted, Passage, Query, Report
from pmbf.sentences.report import Sentence, SentenceReport, SentenceSource, StretchPair

_SAME_SHARE = 0.5

COLUMNS = (
    *("query", "sentence", "start", "stop", "section", "outcome", "n_sources", "similarity"),
    *("source", "source_id", "source_start", "source_stop", "problem", "not_counted"),
)
"""The columns, in order; the source is the most similar one. docs/sentences.md says what each of them holds."""

WORDS = "text"
"""A further column, if it is asked for."""


def as_passages(report: SentenceReport) -> Report:
    """Return a report whose matches are the sources, and whose passages are the stretches that sentences make.

    What a report of passages alone has (evidence, certainty, order of words) is 0 or None.
    """
    query = _query(report)
    matches = [_match(source, report, query.n_counted) for source in report.sources]
    covered = union_length(pair.query for source in report.sources for pair in source.pairs)
    return Report(
        query=query,
        matches=tuple(_with_neighbours(match, matches) for match in matches),
        n_covered=covered,
        coverage=covered / max(1, query.n_counted),
        n_documents=report.n_documents,
        n_candidates=len(report.sources),
        generation=report.generation,
        problems=report.problems,
        collection=report.collection,
        n_left_out=report.n_left_out,
        template=report.template,
        sections=report.sections,
        not_counted=_not_counted(report),
        texts=report.texts,
    )


def _not_counted(report: SentenceReport) -> dict[NotCounted, int]:
    """Return the characters of sentences that stand in sources but do not count, by the reason."""
    found = dict[NotCounted, int]()
    for one in report.sentences:
        if one.not_counted:
            found[one.not_counted] = found.get(one.not_counted, 0) + len(one.span)
    return found


def _query(report: SentenceReport) -> Query:
    size, n_excluded = (report.n_chars, report.n_tokens), union_length(report.skipped)
    return Query(report.name, *size, 0, n_excluded=n_excluded, excluded=report.skipped, kind=report.kind)


def _match(source: SentenceSource, report: SentenceReport, n_counted: int) -> Match:
    spans = [pair.query for pair in source.pairs]
    covered = union_length(spans)
    return Match(
        document=source.document,
        containment=source.n_sentences / max(1, report.n_compared),
        n_hits=source.n_equal,
        n_covered=covered,
        coverage=covered / max(1, n_counted),
        longest=max(map(len, spans), default=0),
        passages=tuple(_passage(pair, claimed=source.claimed) for pair in source.pairs),
        problem=source.problem,
    )


def _passage(pair: StretchPair, *, claimed: bool) -> Passage:
    if pair.similarity is None:
        return Passage(pair.query, pair.source, 0.0, "claimed" if claimed else "alike")
    return Passage(pair.query, pair.source, pair.similarity, "verbatim" if pair.similarity == 1.0 else "edited")


def _with_neighbours(match: Match, matches: list[Match]) -> Match:
    """Return a match whose passages name the other documents that hold most of the same characters."""
    others = [one for one in matches if one is not match]
    found = []
    for one in match.passages:
        also_in = tuple(other.document.id for other in others if _holds(other, one.query))
        found.append(replace(one, also_in=also_in))
    return replace(match, passages=tuple(found))


def _holds(match: Match, span: Span) -> bool:
    return any(overlap(passage.query, span) > _SAME_SHARE * len(span) for passage in match.passages)


# ---------------------------------------------------------------------- rows of a table


def columns(*, with_text: bool = False) -> tuple[str, ...]:
    """Return the columns of the table."""
    return (*COLUMNS, WORDS) if with_text else COLUMNS


def rows(report: SentenceReport, *, with_text: bool = False) -> list[dict[str, Any]]:
    """Return a row for each sentence of a report, with the same keys for every report."""
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
