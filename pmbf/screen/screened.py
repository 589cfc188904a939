"""A query on its way to its report: the record that the stages of a screening fill, one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pmbf import verify
from pmbf.base.span import Span
from pmbf.intake.texts import Text
from pmbf.kernels import Sample
from pmbf.report import Match, NotCounted, Report
from pmbf.screen.candidates import Candidate
from pmbf.screen.exempt import Exempt
from pmbf.screen.leaving_out import NOTHING, LeftOut
from pmbf.screen.sources import Source


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a report says of the sources of a query.

    Args:
        matches: Those above the threshold, most evidence first.
        n_below: How many lie below it.
        covered: What of the query stands in matches and counts, ascending and disjoint.
        coverage: The share of it in what counts of the query, 0 to 1.
        in_order: The same, each character taken for its passage's share of words in order.
        not_counted: Characters that passages hold but that do not count, by the reason.
        n_elsewhere: By the name of a `same` section, the sources that share text with it elsewhere.
    """

    matches: tuple[Match, ...] = ()
    n_below: int = 0
    covered: Sequence[Span] = ()
    coverage: float = 0.0
    in_order: float = 0.0
    not_counted: dict[NotCounted, int] = field(default_factory=dict)
    n_elsewhere: Mapping[str, int] = field(default_factory=dict)


_UNRESOLVED = Resolved()


@dataclass(slots=True)
class Screened:
    """A query, and what the stages have found of it.

    Args:
        read: The text as it was read.
        sample: Its sampled hashes.
        exempt: Its exempt spans.
        left_out: What it is not compared with.
        candidates: The documents that it is compared with, best first.
        n_found: Documents that could be compared: more than `candidates`, if these are too many.
        n_common: Its hashes that are common and therefore say nothing.
        n_documents: Documents with text that it was looked up in.
        n_left_out: Documents that were left out.
        warnings: Which files are damaged that the answer did not need, and what the filter could not do.
        shared: The candidates that share passages with it, or that could not be compared, in the order of the
            candidates.
        same: Documents without a word that are the same file.
        resolved: What the report says of its sources.
        later: Doubtful candidates that it is compared with, too, if those before bring something.
        prepared: The text made ready to be compared, if the second look has made it.
    """

    read: Text
    sample: Sample
    exempt: Exempt = field(default_factory=Exempt)
    left_out: LeftOut = NOTHING
    candidates: Sequence[Candidate] = ()
    n_found: int = 0
    n_common: int = 0
    n_documents: int = 0
    n_left_out: int = 0
    warnings: tuple[str, ...] = ()
    shared: Sequence[Source] = ()
    same: tuple[Match, ...] = ()
    resolved: Resolved = _UNRESOLVED
    later: Sequence[Candidate] = ()
    prepared: verify.Prepared | None = None


AnyReport = TypeVar("AnyReport", covariant=True)


@dataclass(frozen=True)
class AnswerOf(Generic[AnyReport]):
    """A query with its report. If the query is unread and no document is the same file, then the report says why."""

    report: AnyReport
    query: Text


Answer = AnswerOf[Report]
