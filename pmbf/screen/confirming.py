"""Sources compared with a query, as a report shows them: those above the threshold, most evidence first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from pmbf import verify
from pmbf.report import CERTAINTIES, Match, Passage
from pmbf.screen.comparing import Shared, Subject
from pmbf.screen.exempt import counted, ordered
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.options import Options
from pmbf.screen.sources import Source
from pmbf.store.tables import Document, ListedPath


class Confirmed(NamedTuple):
    """The sources of a query above the threshold, and the number of those below; by the names of `same` sections, the
    number of sources that share text with them elsewhere."""

    matches: tuple[Match, ...] = ()
    n_below: int = 0
    n_elsewhere: Mapping[str, int] = MappingProxyType({})


def confirmed(
    subject: Subject,
    found: Sequence[Shared],
    options: Options,
    paths: Mapping[int, Sequence[ListedPath]],
    left_out: LeftOut,
) -> Confirmed:
    """Return the sources of a query as a report shows them, those with most evidence first.

    Args:
        subject: The query.
        found: The sources that share passages with it.
        options: What counts as found.
        paths: The paths of those sources whose paths are not known, by the id of the document.
        left_out: What the query is not compared with.
    """
    known = (
        (one if one.paths else one.listed(left_out.kept(paths[one.document.id])), passages, problem)
        for one, passages, problem, _ in found
        if passages or problem
    )
    resolved = _resolved([_match(source, subject, passages, problem) for source, passages, problem in known], options)
    return resolved._replace(n_elsewhere=Counter(name for one in found for name in one.elsewhere))


def _match(source: Source, subject: Subject, passages: tuple[Passage, ...], problem: str | None) -> Match:
    spans = [passage.query for passage in passages]
    covered = counted(spans, subject.exempt)
    n_counted = subject.exempt.n_counted(len(subject.text))
    return Match(
        document=source.reference,
        containment=share(source.candidate.n_hits, len(subject.sample)),
        n_hits=source.candidate.n_hits,
        n_covered=covered,
        coverage=share(covered, n_counted),
        longest=max((passage.n_counted for passage in passages), default=0),
        passages=tuple(_with_source_share(passage, source.document) for passage in passages),
        problem=problem,
        evidence=round(sum(passage.evidence for passage in passages), 1),
        in_order=share(ordered(passages, subject.exempt), n_counted),
        certainty=min((one.certainty for one in passages if one.certainty), key=CERTAINTIES.index, default=None),
    )


def _with_source_share(passage: Passage, document: Document) -> Passage:
    return replace(passage, source_share=round(min(1.0, share(len(passage.source), document.n_chars)), 3))


def _resolved(found: list[Match], options: Options) -> Confirmed:
    """Return the matches above the threshold, most evidence first. Each passage names other documents with it."""
    kept = [match for match in found if match.problem or match.coverage >= options.threshold]
    neighbours = verify.with_neighbours({match.document.id: match.passages for match in kept})
    kept = [replace(match, passages=neighbours[match.document.id]) for match in kept]
    ranked = sorted(kept, key=lambda match: (-match.evidence, -match.n_covered, match.document.path))
    return Confirmed(tuple(ranked), len(found) - len(kept))


def share(part: float, whole: int) -> float:
    """Return a part as a share of the whole; 0 if the whole is empty."""
    return part / whole if whole else 0.0
