"""What a screening by sentences found: every sentence of the query, and the sentences of documents it is like.

SentenceReport ── Sentence …         every sentence of the query, in order; of short paragraphs too, not compared
               │   └─ SentenceOrigin …   the documents it stands in, the most similar first
               ├─ SentenceSource …   the documents, those with most sentences first
               └─ SiteAnswer …       the sites that were asked, and how each answered
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from pmbf.base.span import Span
from pmbf.report import DocumentRef, NotCounted, Section, Texts
from pmbf.report.as_json import AsJson, Readable

SCHEMA_VERSION = 2
"""Raised when a field changes its meaning or goes away; new fields alone do not raise it."""

Outcome = Literal["found", "claimed", "new", "short", "skipped"]


@dataclass(frozen=True, slots=True)
class SentenceOrigin:
    """Where a sentence of the query stands in the collection.

    Args:
        document: Its id; below 0 if the document is a site's.
        span: The unit of the document that is like the sentence's unit, in code points of the document.
        similarity: Levenshtein similarity of both units; if their lengths differ, of the most similar part. 0 to 1.
            None: a site says that they are alike, or claims it, and not how much.
    """

    document: int
    span: Span
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the query.

    Args:
        span: Where it stands, in code points of the query.
        outcome: `found`; `claimed` if a site says that it has a unit with equal keys, and nobody has compared the
            words; `new` if it was compared and not found; `short` if its paragraph is too short to compare;
            `skipped` if a template skips its section.
        origins: Of a found sentence one for each document, the most similar first.
        not_counted: Why it counts nowhere although it stands in documents, or None: `skipped` (its section is), or
            `elsewhere` (its section is `same`, and they have it in another one).
    """

    span: Span
    outcome: Outcome
    origins: tuple[SentenceOrigin, ...] = ()
    not_counted: NotCounted | None = None


@dataclass(frozen=True, slots=True)
class StretchPair:
    """A stretch of the query and the stretch of a document that is like it: units that touch are one.

    Args:
        query, source: Where both stand. The source's span is empty if its words are withheld.
        similarity: Levenshtein similarity, 0 to 1; None: as of a `SentenceOrigin`.
    """

    query: Span
    source: Span
    similarity: float | None


@dataclass(frozen=True, slots=True)
class SentenceSource:
    """A document that sentences of the query stand in.

    Args:
        document: The document.
        n_sentences: Sentences of the query that stand in it.
        pairs: Where, in query order; empty if `problem` says why it was not compared.
        n_equal: Keys of units that both have.
        problem: Why its text could not be read, or None.
        site: The site that has the document; empty for a document of the collection. Its id is below 0 then, and
            its path begins with the name of the site. Spans are those of the words that the site has given.
        claimed: Whether the site compared keys alone: nobody has compared the words.
    """

    document: DocumentRef
    n_sentences: int
    pairs: tuple[StretchPair, ...]
    n_equal: int = 0
    problem: str | None = None
    site: str = ""
    claimed: bool = False


@dataclass(frozen=True, slots=True)
class SiteAnswer:
    """What a site was asked, and how it answered.

    Args:
        name: The site, as the registry names it.
        contact: Whom to ask there.
        level: How much it shows: `none`, `private`, `count`, `title`, `excerpt` or `text`; empty if it did not say.
        n_documents: Documents that it has.
        n_units: Units whose keyed fingerprints were sent.
        n_shared: Characters of the query that were sent, so that the site could compare words; 0 without consent.
        n_keys: Keys that were asked privately, so that the site learned their number alone; 0: not privately.
        n_equal: Those of these keys that it has.
        holds: Whether it has sentences of the query; None if it did not say.
        problem: Why its answer is missing or incomplete; None if it is complete.
    """

    name: str
    contact: str
    level: str = ""
    n_documents: int = 0
    n_units: int = 0
    n_shared: int = 0
    n_keys: int = 0
    n_equal: int = 0
    holds: bool | None = None
    problem: str | None = None

    @property
    def told(self) -> str:
        """The answer in words.

        >>> SiteAnswer("north", "library@north", "title", 9, 12, holds=True).told
        'north has sentences of this text (12 units asked by keys; it shows title); ask library@north'
        """
        if self.holds is None:
            return f"{self.name} did not answer"
        if not self.n_units:
            return f"{self.name} was asked nothing"
        units = f"{self.n_units:,} unit{'' if self.n_units == 1 else 's'}"
        how = f"{units} asked by keys"
        if self.n_keys:
            how = f"{units} asked privately, {self.n_equal:,} of their {self.n_keys:,} keys are there"
        how += f", {self.n_shared:,} characters of them by words" if self.n_shared else ""
        has = "has sentences of this text" if self.holds else "has no sentence of this text"
        ask = f"; ask {self.contact}" if self.holds and self.contact else ""
        return f"{self.name} {has} ({how}; it shows {self.level}){ask}"


@dataclass(frozen=True, slots=True)
class SentenceReport(Readable):
    """The answer of one screening by sentences.

    Args:
        name: The query's name.
        kind: The file format that it was read from; empty for a text that came from no file.
        n_chars, n_tokens: Its size.
        sentences: All its sentences, in order.
        sources: The documents that they stand in, those with most sentences first.
        n_documents: Documents whose sentences the query was compared with.
        n_left_out: Documents that the options left out.
        generation: The commit of the collection that answered.
        code: The code of the keys.
        collection: Path of the collection.
        problems: Why the answer is incomplete; empty if it is complete.
        template: Name of the template that cut the query into sections; empty if none was given.
        sections: The sections, in query order. Empty with a template: it found none, and the whole query was compared.
        skipped: What of the query the template skips.
        n_not_counted: Sentences that stand in documents, but do not count: their section is skipped, or is a `same`
            section and they stand elsewhere in the document.
        sites: The sites that were asked, and how each answered.
        texts: The query's text and a way to the sources' texts; neither in JSON nor in comparisons.
    """

    WHAT: ClassVar[str] = "report of sentences"
    ALSO: ClassVar[tuple[str, ...]] = ("n_found", "n_claimed", "n_compared")

    name: str
    kind: str
    n_chars: int
    n_tokens: int
    sentences: tuple[Sentence, ...]
    sources: tuple[SentenceSource, ...]
    n_documents: int
    n_left_out: int
    generation: int
    code: str
    collection: str = ""
    problems: tuple[str, ...] = ()
    template: str = ""
    sections: tuple[Section, ...] = ()
    skipped: tuple[Span, ...] = ()
    n_not_counted: int = 0
    sites: tuple[SiteAnswer, ...] = ()
    schema: int = SCHEMA_VERSION
    texts: Texts | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"<SentenceReport of {self.name!r}: {self.summary}>"

    @property
    def found(self) -> bool:
        """Whether any sentence stands in the collection or at a site, or a site claims that one does."""
        return self.n_found + self.n_claimed > 0 or any(one.holds for one in self.sites)

    @property
    def n_found(self) -> int:
        """Sentences that stand in the collection or at a site."""
        return sum(one.outcome == "found" for one in self.sentences)

    @property
    def n_claimed(self) -> int:
        """Sentences that a site claims to have, by keys alone."""
        return sum(one.outcome == "claimed" for one in self.sentences)

    @property
    def n_compared(self) -> int:
        """Sentences that were compared."""
        return sum(one.outcome not in ("short", "skipped") for one in self.sentences)

    @property
    def summary(self) -> str:
        """How many sentences stand in how many documents.

        >>> SentenceReport("a", "", 9, 2, (Sentence(Span(0, 9), "new"),), (), 5, 0, 1, "words").summary
        '0 of 1 sentence, 0 sources'
        """
        n_sources = sum(bool(one.n_sentences) and not one.claimed for one in self.sources)
        sentences = f"{self.n_compared:,} sentence{'' if self.n_compared == 1 else 's'}"
        claimed = f"; {self.n_claimed:,} more claimed by sites" if self.n_claimed else ""
        out = f"; {self.n_not_counted:,} more not counted" if self.n_not_counted else ""
        return f"{self.n_found:,} of {sentences}, {n_sources:,} source{'' if n_sources == 1 else 's'}{claimed}{out}"

    def to_dict(self, *, with_text: bool = False) -> dict[str, Any]:
        """Return the report as JSON-ready dicts and lists, spans as `[start, stop]`.

        Args:
            with_text: Whether each sentence has its words, under `text`; of `short` and `new` ones, too.
        """
        values = AsJson.to_dict(self)
        if with_text and self.texts:
            query = self.texts.query
            for sentence, one in zip(values["sentences"], self.sentences, strict=True):
                sentence["text"] = query[one.span.start : one.span.stop]
        return values

    def require_consistent(self) -> None:
        """Refuse spans that end behind the text. Raises `ValueError`."""
        spans = [*self.skipped, *(one.span for one in self.sentences), *(one.span for one in self.sections)]
        spans += [pair.query for source in self.sources for pair in source.pairs]
        if max((span.stop for span in spans), default=0) > self.n_chars:
            raise ValueError(f"a span ends behind the {self.n_chars} characters of the text")
