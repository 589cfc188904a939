"""Sources compared with a query, as a report shows them: those above the threshold, most evidence first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from pmbf import verify
from pmbf.report import CERTAINTIES, Match, Passage
from pmbf.screen.comparing import Shared, Subject
from pmbf.screen.exempt import covered, ordered
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.options import Options
from pmbf.screen.sources import Source
from pmbf.span import length_in, merged, union_length
from pmbf.store.tables import Document, ListedPath


class Confirmed(NamedTuple):
    """The sources of a query above the threshold, and the number of those below; the passages of ignored texts, which
    are in no match; by the names of `same` sections, the number of sources that share text with them elsewhere."""

    matches: tuple[Match, ...] = ()
    n_below: int = 0
    ignored: tuple[Passage, ...] = ()
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
    ignored = tuple(one for its in found for one in its.passages if one.not_counted == "ignored")
    if ignored:
        found = [its._replace(passages=tuple(one for one in its.passages if one not in ignored)) for its in found]
    known = (
        (one if one.paths else one.listed(left_out.kept(paths[one.document.id])), passages, problem)
        for one, passages, problem in found
        if passages or problem
    )
    resolved = _resolved(
        [_match(source, subject, passages, problem) for source, passages, problem in known],
        threshold=options.threshold,
        n_chars=len(subject.text),
    )
    n_elsewhere = Counter(name for one in found for name in _elsewhere(one.passages, subject))
    return resolved._replace(ignored=ignored, n_elsewhere=n_elsewhere)


def _elsewhere(passages: Sequence[Passage], subject: Subject) -> Iterator[str]:
    """Yield the names of the `same` sections with which a source shares text elsewhere."""
    spans = [one.query for one in passages if one.not_counted == "elsewhere"]
    for section in subject.exempt.sections if spans else ():
        if section.rule == "same" and length_in(section.span, merged(spans)):
            yield section.name


def _match(source: Source, subject: Subject, passages: tuple[Passage, ...], problem: str | None) -> Match:
    own = [one for one in passages if not one.not_counted]
    n_covered = union_length(covered(passages, subject.exempt))
    n_counted = subject.exempt.n_counted(len(subject.text))
    return Match(
        document=source.reference,
        containment=share(source.candidate.n_hits, len(subject.sample)),
        n_hits=source.candidate.n_hits,
        n_covered=n_covered,
        coverage=share(n_covered, n_counted),
        longest=max((passage.n_counted for passage in own), default=0),
        passages=tuple(_with_source_share(passage, source.document) for passage in passages),
        problem=problem,
        evidence=round(sum(passage.evidence for passage in own), 1),
        in_order=share(ordered(own, subject.exempt), n_counted),
        certainty=min((one.certainty for one in own or passages if one.certainty), key=CERTAINTIES.index, default=None),
        n_not_counted=union_length([one.query for one in passages]) - n_covered,
    )


def _with_source_share(passage: Passage, document: Document) -> Passage:
    return replace(passage, source_share=round(min(1.0, share(len(passage.source), document.n_chars)), 3))


def _resolved(found: list[Match], *, threshold: float, n_chars: int) -> Confirmed:
    """Return the matches above the threshold, most evidence first. Each passage names other documents with it.

    A match is above it by what counts, or by all that it shares of the whole text: no option hides what another one
    takes out.
    """
    shares = [max(one.coverage, share(one.n_covered + one.n_not_counted, n_chars)) for one in found]
    kept = [one for one, its in zip(found, shares, strict=True) if one.problem or its >= threshold]
    neighbours = verify.with_neighbours({match.document.id: match.passages for match in kept})
    kept = [replace(match, passages=neighbours[match.document.id]) for match in kept]
    ranked = sorted(kept, key=lambda one: (-one.evidence, -one.n_covered, -one.n_not_counted, one.document.path))
    return Confirmed(tuple(ranked), len(found) - len(kept))


def share(part: float, whole: int) -> float:
    """Return a part as a share of the whole; 0 if the whole is empty."""
    return part / whole if whole else 0.0
