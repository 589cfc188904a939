"""A report, what a screening found: plain, frozen values with JSON in and out.

    Report ── Query                      the text that was screened
           └─ Match …                    one per source, most evidence first
                ├─ DocumentRef           which document
                └─ Passage …             which characters of both texts, in query order

Every span is half-open, `[start, stop]`, in code points of the original text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from pmbf.base.pickled import by_fields
from pmbf.base.places import Place as Place
from pmbf.base.span import Span as Span  # where a report's reader looks for it
from pmbf.base.views import view
from pmbf.report.as_json import AsJson, Readable
from pmbf.report.texts import Texts as Texts
from pmbf.report.values import DocumentRef as DocumentRef
from pmbf.report.values import NotCounted as NotCounted
from pmbf.report.values import Query as Query
from pmbf.report.values import Scores as Scores
from pmbf.report.values import Section as Section

if TYPE_CHECKING:
    import pandas

    from pmbf.report.table import By

SCHEMA_VERSION = 2
"""Raised when a field changes its meaning or goes away; new fields alone do not raise it."""

CERTAINTIES = ("sure", "likely", "worth a look")
"""How sure a passage is, the surest first. docs/certainty.md says how often each of them is wrong."""

OF_THE_FILTER = "the filter "
"""Begins those warnings that do not name a damaged file."""

WHOLE_SHARE = 0.8
"""Share of a document from which a passage is of the whole document: the rest is a heading, or a list of links."""


@by_fields
@dataclass(frozen=True, slots=True)
class Passage:
    """A verified pair of spans.

    Args:
        query, source: Where the passage stands in the screened text and in the document.
        similarity: 0 to 1. For `verbatim` and `edited` passages 1 minus the normalised Levenshtein distance of both
            folded texts; for `reworded` passages the same of their sorted words; for a `summary` the share of its words
            that the source has.
        kind: `verbatim` (equal once folded), `edited`, `reworded` (words replaced or shuffled, or translated and back),
            or `summary` (of the source, or of the stretch of it that was compared: `of_whole_source`).
        also_in: Ids of other matched documents that hold most of the same query characters.
        scores: The similarities one by one.
        within: `quotation` or `bibliography` if most of the query's side stands in one, or None.
        n_excluded: Characters of the query's side that do not count.
        not_counted: Why no character of it counts, or None: `skipped` (its section is), `elsewhere` (it stands in
            another section of the source), `bibliography` or `quotation` (the options exclude them).
        evidence: ln(1/p) in nats, at least 0; p is the chance that unrelated texts share these equal runs (or, if it is
            smaller, that texts of one topic share these words in any order). Long runs of rare words have most
            evidence; lists and trade phrases have little.
        in_order: Share of the query side's words that stand in the source's side in the same order, 0 to 1.
        certainty: How sure it is that both sides share their wording: `sure`, `likely` or `worth a look`.
        source_share: The source's side as a share of the whole document, 0 to 1. None outside a screening.
        query_text, source_text: The words of both sides; None but in a report that `with_words` returned.
        query_place, source_place: Page, line or paragraph where both sides begin; None as the words are.

    `in_order` and `certainty` are None where sentences are shown as passages.
    """

    query: Span
    source: Span
    similarity: float
    kind: str
    also_in: tuple[int, ...] = ()
    scores: Scores | None = None
    within: str | None = None
    evidence: float = 0.0
    n_excluded: int = 0
    in_order: float | None = None
    certainty: str | None = None
    source_share: float | None = None
    not_counted: NotCounted | None = None
    query_text: str | None = None
    source_text: str | None = None
    query_place: Place | None = None
    source_place: Place | None = None

    @property
    def n_counted(self) -> int:
        """Characters of the query's side that count."""
        return len(self.query) - self.n_excluded

    @property
    def of_whole_source(self) -> bool:
        """Whether the source's side is the whole document, or nearly: at least `WHOLE_SHARE` of its characters."""
        return (self.source_share or 0.0) >= WHOLE_SHARE


@by_fields
@dataclass(frozen=True, slots=True)
class Match:
    """A document that shares text with the query.

    Args:
        document: The document.
        containment, n_hits: Share of the query's sampled hashes in the document, 0 to 1 (Broder 1997); their number.
        n_covered: Characters of the query inside this match's passages, each counted once, excluded ones never.
        n_not_counted: Characters of the query inside this match's passages that do not count.
        coverage: `n_covered` as a share of the query's characters that count, 0 to 1; of the same file 1.
        longest: Characters of the longest passage, in the query, excluded ones left out; 0 if no passage counts.
        passages: Verified passages in query order; empty if `problem` says why.
        problem: Why the match could not be verified, or None.
        evidence: Sum of the evidence of its passages that count, in nats, at least 0.
        in_order: As `coverage`, but each passage counts for its share of words in order, 0 to `coverage`.
        certainty: That of its surest passage that counts, or else of its surest passage; `sure` if it is the same file;
            None without a passage.
        same_file: Whether the query has no text and its file is the document's, byte for byte, by its SHA-256. Then
            there are no passages, and `coverage` is 1.
    """

    ALSO: ClassVar[tuple[str, ...]] = ("counts",)

    document: DocumentRef
    containment: float
    n_hits: int
    n_covered: int
    coverage: float
    longest: int
    passages: tuple[Passage, ...]
    problem: str | None = None
    evidence: float = 0.0
    in_order: float | None = None
    certainty: str | None = None
    same_file: bool = False
    n_not_counted: int = 0

    @property
    def shares(self) -> bool:
        """Whether it shares passages with the query, or is the same file; otherwise `problem` says why neither is."""
        return self.same_file or bool(self.passages)

    @property
    def counts(self) -> bool:
        """Whether a passage that it shares with the query counts, or it is the same file."""
        return self.same_file or any(not one.not_counted for one in self.passages)


@by_fields
@dataclass(frozen=True, slots=True)
class Report(Readable):
    """The answer of one screening.

    Args:
        query: The screened text.
        matches: Sources, those with most evidence first.
        n_covered: Characters of the query inside any passage, each counted once, excluded ones never.
        coverage: `n_covered` as a share of the query's characters that count, 0 to 1; 1 if a match is the same file.
        n_documents: Documents with text: the query was compared with them.
        n_candidates: Documents that shared enough to be compared in detail, and were.
        generation: State of the collection that answered.
        problems: Why the answer is incomplete, sources that could not be compared included; empty if it is complete.
        collection: Path of the collection.
        n_below: Sources left out because they cover less of the query than the threshold.
        in_order: As `coverage`, but each character counts for the greatest share of words in order of the passages
            that hold it, 0 to `coverage`. None where sentences are shown as passages.
        n_left_out: Documents that the options left out: the query was not compared with them.
        min_chars: Characters of the shortest passage that counts; 0 where sentences are shown as passages.
        template: Name of the template that cut the query into sections; empty if none was given.
        not_counted: Characters of the query that sources share but that do not count, by the reason: those of
            `Passage.not_counted`, and `ignored`. A passage of an ignored text is in no match.
        sections: The sections, in query order. Empty with a template: it found none, and the whole query was compared.
        warnings: Which files of the collection are damaged that this answer did not need, each with the way out. One
            that begins with `OF_THE_FILTER` tells instead that the filter chose nothing.
        texts: The query's text and a way to the sources' texts, or None for a report from JSON. They stand neither in
            JSON nor in comparisons. `dataclasses.replace(report, texts=None)` lets go of them.

    >>> report = Report(Query("a.txt", 10, 2, 1), (), 0, 0.0, 5, 0, 1)
    >>> Report.from_json(report.to_json()) == report
    True
    >>> Report.from_json("{}")
    Traceback (most recent call last):
    pmbf.base.errors.ParameterError: no report as to_json writes it: it lacks 'schema'
    """

    WHAT: ClassVar[str] = "report"

    query: Query
    matches: tuple[Match, ...]
    n_covered: int
    coverage: float
    n_documents: int
    n_candidates: int
    generation: int
    problems: tuple[str, ...] = ()
    collection: str = ""
    n_below: int = 0
    in_order: float | None = None
    n_left_out: int = 0
    min_chars: int = 0
    template: str = ""
    sections: tuple[Section, ...] = ()
    warnings: tuple[str, ...] = ()
    not_counted: dict[NotCounted, int] = field(default_factory=dict, hash=False)
    schema: int = field(default=SCHEMA_VERSION)
    texts: Texts | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        problems = f", {len(self.problems)} problems" if self.problems else ""
        shared = f"{self.coverage:.0%} in {self.n_sources} of {self.n_documents} documents"
        out = f", {self.n_not_counted / max(1, self.query.n_chars):.0%} not counted" if self.n_not_counted else ""
        below = f", {self.n_below} below the threshold" if self.n_below else ""
        return f"<Report of {self.query.name!r}: {shared}{out}{below}{problems}>"

    def _repr_html_(self) -> str | None:
        return view(self)

    @property
    def found(self) -> bool:
        """Whether any document shares text with the query, be it text that does not count."""
        return bool(self.matches)

    @property
    def n_sources(self) -> int:
        """Sources of which a passage counts, or that are the same file: those that the share is of."""
        return sum(match.counts for match in self.matches)

    @property
    def n_not_counted(self) -> int:
        """Characters of the query that sources share but that do not count, each once."""
        return sum(self.not_counted.values())

    @property
    def certainty(self) -> str | None:
        """That of the surest passage that counts, or else of the surest passage; None without a passage."""
        some = [one for one in self.matches if one.counts] or self.matches
        return min((one.certainty for one in some if one.certainty), key=CERTAINTIES.index, default=None)

    @property
    def too_short(self) -> bool:
        """Whether the text has fewer characters than the shortest passage that counts: nothing can be found then."""
        return self.query.n_chars < self.min_chars

    def with_words(self) -> Report:
        """Return the report with the words of its passages, and the page, line or paragraph where they begin.

        Words and place of a source are None if its text can no longer be read.

        Raises:
            ParameterError: The words are not known: the report has no `texts`, as after `from_json`.
        """
        from pmbf.report.texts import with_words

        return with_words(self)

    def rows(self, by: By = "passages", *, with_text: bool = False) -> list[dict[str, Any]]:
        """Return the report as rows of a table: flat dicts, with the same keys for every report.

        Args:
            by: What a row is: one of the `texts`, `sources` or `passages`. A text without any has one row all the same.
            with_text: Whether the columns `query_text` and `source_text` hold the words of passages.

        Raises:
            ParameterError: `by` is something else; or words are asked for that are not known, or of rows without words.
        """
        from pmbf.report.table import rows

        return rows(self, by, with_text=with_text)

    def to_frame(self, by: By = "passages", *, with_text: bool = False) -> pandas.DataFrame:
        """Return `rows` as a pandas.DataFrame, as `pmbf.frame` does for many reports; raise what `frame` raises."""
        from pmbf.report.table import frame

        return frame([self], by, with_text=with_text)

    def to_dict(self, *, with_text: bool = False) -> dict[str, Any]:
        """Return the report as JSON-ready dicts and lists, spans as `[start, stop]`.

        Args:
            with_text: Whether passages have their words and places; raises what `with_words` raises.
        """
        values = AsJson.to_dict(self.with_words() if with_text else self)
        if not with_text:
            for passage in (one for match in values["matches"] for one in match["passages"]):
                for side in ("query", "source"):
                    del passage[f"{side}_text"], passage[f"{side}_place"]
        return values

    def require_consistent(self) -> None:
        """Refuse spans that end behind the text. Raises `ValueError`."""
        spans = [*self.query.excluded, *(one.span for one in self.sections)]
        spans += [passage.query for match in self.matches for passage in match.passages]
        if max((span.stop for span in spans), default=0) > self.query.n_chars:
            raise ValueError(f"a span ends behind the {self.query.n_chars} characters of the text")
