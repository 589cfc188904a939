"""A report of sentences as a report of passages: what the evidence page shows, one to many and one to one."""

from __future__ import annotations

from dataclasses import replace

from pmbf.base.span import Span, overlap, union_length
from pmbf.report import Match, NotCounted, Passage, Query, Report
from pmbf.sentences.report import SentenceReport, SentenceSource, StretchPair

_SAME_SHARE = 0.5


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
    n_excluded = union_length(report.skipped)
    return Query(
        report.name,
        report.n_chars,
        report.n_tokens,
        0,
        n_excluded=n_excluded,
        excluded=report.skipped,
        kind=report.kind,
    )


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
    return replace(
        match,
        passages=tuple(
            replace(passage, also_in=tuple(one.document.id for one in others if _holds(one, passage.query)))
            for passage in match.passages
        ),
    )


def _holds(match: Match, span: Span) -> bool:
    return any(overlap(passage.query, span) > _SAME_SHARE * len(span) for passage in match.passages)
