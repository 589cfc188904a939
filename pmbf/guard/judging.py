"""From a checker's report on a payload to findings under a policy."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf.base.span import common, length_in, merged, outside, union_length
from pmbf.extract import Part, part_at
from pmbf.guard.allowing import Allowances, counted_up, passage_fingerprint
from pmbf.guard.escaped import ANEW
from pmbf.guard.pieces import Sliced, sliced, windows
from pmbf.guard.policy import Policy
from pmbf.guard.reading import ReadPayload
from pmbf.guard.types import Action, Finding, Snippet
from pmbf.report import Match, Passage, Report, Span
from pmbf.text import SINGLE_CHARS, fold, tokenise

ORDER = {"block": 0, "warn": 1, "allowed": 2, "trace": 3}
_BLOCK_CHARS = 1 << 16


class Measured:
    """A payload's text whose letters and digits can be counted in any span, without those of public text.

    A letter of a script without spaces counts as `SINGLE_CHARS`, since it says as much.

    Args:
        text: The payload's text.
        public: Spans of public text, which does not count; ascending and disjoint.
        anew: Spans that repeat, read in another way, text that stands elsewhere in the payload's text.
    """

    def __init__(self, text: Sliced, public: Sequence[Span] = (), anew: Sequence[Span] = ()) -> None:
        self.text = text
        self.public = public
        self._anew = anew
        self._weights = np.zeros(len(text), np.uint8)
        for one in windows(text):
            self._weights[one.own.start : one.own.stop] = _weights(text[one.own.start : one.own.stop])

    @cached_property
    def n_chars(self) -> int:
        """Letters and digits of the whole text, each counted once."""
        return self.all_within([Span(0, len(self.text))]) - self.all_within(self._anew)

    def within(self, spans: Sequence[Span]) -> int:
        """Return the letters and digits in some spans that are not public, each counted once."""
        return self.all_within(spans) - self.all_within(
            [piece for one in merged(spans) for piece in self.public_in(one)]
        )

    def public_in(self, span: Span) -> list[Span]:
        """Return what of a span is public. Public spans elsewhere are not looked at: a long text has many."""
        first = bisect_right(self.public, span.start, key=attrgetter("stop"))
        return common([span], self.public[first : bisect_left(self.public, span.stop, key=attrgetter("start"))])

    def all_within(self, spans: Sequence[Span]) -> int:
        """Return the letters and digits in some spans, public text included, each counted once."""
        return sum(int(self._weights[one.start : one.stop].sum(dtype=np.int64)) for one in merged(spans))

    def without_scraps(self, passages: Sequence[Passage], min_chars: int) -> Measured:
        """Return the same text, of whose passages no scrap counts that is shorter than a passage may be.

        Public text in a passage leaves scraps: the holder of a licence, the name of a program between two sentences.
        """
        left = [
            piece
            for passage in passages
            if (public := self.public_in(passage.query))
            for piece in outside([passage.query], public)
        ]
        scraps = [piece for piece in left if self.all_within([piece]) < min_chars]
        if not scraps:
            return self
        other = copy(self)
        other.public = merged([*self.public, *scraps])
        return other

    def lines(self, span: Span, begin: int = 0) -> tuple[int, int]:
        """Return the first and the last line of a span; the line that holds character `begin` is line 1."""
        first = self._line_ends(max(begin, span.start)) - self._line_ends(begin) + 1
        return first, first + self.text.count("\n", span.start, max(span.start, span.stop - 1))

    def _line_ends(self, place: int) -> int:
        """Return how many lines end before a place. A long text is looked through once, for all of its passages."""
        block = place // _BLOCK_CHARS
        return int(self._ends_before[block]) + self.text.count("\n", block * _BLOCK_CHARS, place)

    @cached_property
    def _ends_before(self) -> NDArray[np.int64]:
        starts = range(0, len(self.text), _BLOCK_CHARS)
        counts = (self.text.count("\n", start, start + _BLOCK_CHARS) for start in starts)
        return np.array([*accumulate(counts, initial=0)], np.int64)


def _weights(text: str) -> NDArray[np.uint8]:
    """Return how many letters and digits begin at each character of a text: `(n_chars,) uint8`."""
    folded, tokens = fold(text), tokenise(text)
    counted = np.frombuffer(folded.text.encode("utf-32-le"), np.uint32) != ord(" ")
    weights = np.bincount(folded.origin[:-1][counted], minlength=len(text)).astype(np.uint8)
    weights[tokens.starts[tokens.singles]] += SINGLE_CHARS - 1
    return weights


def findings(read: ReadPayload, report: Report, policy: Policy, allowances: Allowances) -> list[Finding]:
    """Return the findings of a report under a policy, the worst first; a finding below every level is a trace."""
    if not any(match.shares for match in report.matches):
        return []
    judge = _Judge(read, report, policy, allowances)
    made = [finding for match in report.matches for finding in judge.findings(match)]
    return sorted(made, key=lambda one: (ORDER[one.action], -one.n_chars))


class _Judge:
    """Judges the matches of one payload."""

    def __init__(self, read: ReadPayload, report: Report, policy: Policy, allowances: Allowances) -> None:
        self._read, self._policy, self._allowances = read, policy, allowances
        self._text, self._parts = sliced(read.text), _Parts(read.parts)
        found = merged(passage.query for match in report.matches for passage in match.passages)
        public, self._inline = counted_up(self._text, found), frozenset[str]()
        for _, seen in windows(self._text):
            piece = self._text[seen.start : seen.stop]
            self._inline |= allowances.inline_in(piece)
            if length_in(seen, found):
                quoted = allowances.public.spans(piece, policy.min_chars)
                public += [Span(seen.start + one.start, seen.start + one.stop) for one in quoted]
        self._measured = Measured(self._text, merged(public), self._parts.anew)

    def findings(self, match: Match) -> Iterator[Finding]:
        """Yield the finding of a match without public text, and of a file that is the document itself."""
        measured = self._measured.without_scraps(match.passages, self._policy.min_chars)
        left = _once(_without_public(match, measured, self._policy.min_chars), self._parts)
        if left.passages:
            yield self._finding(left, measured)
        if left.same_file:
            yield self._same_file(left)

    def _finding(self, match: Match, measured: Measured) -> Finding:
        snippets = tuple(self._snippet(passage, measured) for passage in match.passages)
        pairs = zip(match.passages, snippets, strict=True)
        shares = _shares([passage for passage, one in pairs if not one.allowed_by], match, measured)
        action: Action | None = _action(shares, self._policy)
        allowed_by = ""
        if action is None and any(one.allowed_by for one in snippets):
            action = "allowed" if _action(_shares(match.passages, match, measured), self._policy) else None
            allowed_by = ", ".join(sorted({one.allowed_by for one in snippets if one.allowed_by}))
        return Finding(
            document_id=match.document.id,
            document_path=match.document.path,
            action=action or "trace",
            allowed_by=allowed_by,
            n_chars=shares.n_chars,
            share_of_document=shares.of_document,
            share_of_payload=shares.of_payload,
            is_plain=self._read.is_plain,
            snippets=snippets,
            payload=self._read.payload,
        )

    def _same_file(self, match: Match) -> Finding:
        """Return the finding of a payload that is a protected document without text: above each level of a policy."""
        fingerprint = passage_fingerprint(f"sha256 {self._read.text.sha256}", self._allowances.key)
        allowed_by = self._allowances.allowed_by(fingerprint, self._inline)
        action = _action(_Shares(sys.maxsize, 1.0, 1.0), self._policy) or "trace"
        return Finding(
            document_id=match.document.id,
            document_path=match.document.path,
            action="allowed" if allowed_by and action != "trace" else action,
            allowed_by=allowed_by,
            n_chars=0,
            share_of_document=1.0,
            share_of_payload=1.0,
            is_plain=False,
            same_file=True,
            snippets=(Snippet(Span(0, 0), (1, 1), 0, fingerprint, "", allowed_by),),
            payload=self._read.payload,
        )

    def _snippet(self, passage: Passage, measured: Measured) -> Snippet:
        span = passage.query
        part = self._parts.at(span)
        text = self._text[span.start : span.stop]
        fingerprint = passage_fingerprint(text, self._allowances.key)
        allowed_by = self._allowances.allowed_by(fingerprint, self._inline)
        lines = measured.lines(span, part.start if part else 0)
        n_chars = measured.within([span])
        return Snippet(span, lines, n_chars, fingerprint, text, allowed_by, part.path if part else "")


class _Shares(NamedTuple):
    """Letters and digits that are shared and not public, and their shares of the two texts."""

    n_chars: int
    of_document: float | None
    """None if the document's length is unknown."""
    of_payload: float


def _shares(passages: Sequence[Passage], match: Match, measured: Measured) -> _Shares:
    spans = [passage.query for passage in passages]
    n_chars, n_all = measured.within(spans), measured.all_within(spans)
    shown = union_length(passage.source for passage in passages) * n_chars / max(1, n_all)
    of_document = min(1.0, shown / match.document.n_chars) if match.document.n_chars else None
    return _Shares(n_chars, of_document, min(1.0, n_chars / max(1, measured.n_chars)))


class _Parts:
    """The documents inside a payload: a long text hides some thousand stretches, which are not gone through one by one.

    Args:
        parts: By their start, outer ones first.

    Attributes:
        anew: The spans of text read anew, which stands elsewhere in the payload's text, too.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._edges = np.array([(one.start, one.stop) for one in parts], np.int64).reshape(-1, 2)
        self.anew = [Span(one.start, one.stop) for one in parts if one.path in ANEW]

    def at(self, span: Span) -> Part | None:
        """Return the innermost document that holds most of a span; None if none does."""
        if not self._parts:
            return None
        met = np.flatnonzero((self._edges[:, 0] < span.stop) & (self._edges[:, 1] > span.start))
        return part_at([self._parts[number] for number in met.tolist()], span.start, span.stop)

    def way(self, span: Span) -> str:
        """Return how a span was read anew; empty if it is text as it stands."""
        part = self.at(span)
        return part.path if part and part.path in ANEW else ""


def _without_public(match: Match, measured: Measured, min_chars: int) -> Match:
    """Return a match without passages that are public but for less than `min_chars` letters and digits.

    A reworded passage that is half public goes, too: it was found by its public words.
    """
    kept = []
    for passage in match.passages:
        if measured.public_in(passage.query):
            n_all, n_own = measured.all_within([passage.query]), measured.within([passage.query])
            if n_own < min_chars or (passage.kind == "reworded" and 2 * n_own <= n_all):
                continue
        kept.append(passage)
    return replace(match, passages=tuple(kept))


def _once(match: Match, parts: _Parts) -> Match:
    """Return a match whose passages cover a place of the source once, though some text was read in several ways.

    If a passage is found in the text as it stands and in text that was read anew, or in two kinds of text read anew,
    then the passage with more of the source and less between is kept. The text as it stands counts double.
    """
    ways = {one: parts.way(one.query) for one in match.passages} if parts.anew else {}
    if not any(ways.values()):
        return match
    bits = {way: 1 << number for number, way in enumerate(dict.fromkeys(ways.values()))}
    # Of each character of the source, in which ways the kept passages that have it were read. A comparison of each
    # passage with those kept before takes 23 s for 8,000 passages, this 0.06 s.
    covered = np.zeros(max(one.source.stop for one in match.passages), np.uint16)
    kept, met = set[Passage](), 0
    for one in sorted(match.passages, key=lambda one: -_gain(one) * (1 if ways[one] else 2)):
        source, own = slice(one.source.start, one.source.stop), bits[ways[one]]
        # An endpoint filter does not say where in the source a passage stands: all of one way are kept.
        n_known = np.count_nonzero(covered[source] & ~np.uint16(own)) if len(one.source) else met & ~own
        if 2 * n_known <= len(one.source):
            kept.add(one)
            covered[source] |= own
            met |= own
    return replace(match, passages=tuple(one for one in match.passages if one in kept))


def _gain(passage: Passage) -> int:
    n_source, n_query = len(passage.source), len(passage.query)
    return 2 * n_source - n_query if n_source else n_query


def _action(shares: _Shares, policy: Policy) -> Action | None:
    """Return the stricter of the two actions whose levels are reached, or None."""
    levels: list[tuple[Action, int | None, float | None, float | None]] = [
        ("block", policy.block_chars, policy.block_document_share, policy.block_payload_share),
        ("warn", policy.warn_chars, policy.warn_document_share, policy.warn_payload_share),
    ]
    n_chars, of_document, of_payload = shares
    enough = n_chars >= policy.share_chars
    for action, chars, document_share, payload_share in levels:
        if (
            (chars is not None and n_chars >= chars)
            or (enough and document_share is not None and of_document is not None and of_document >= document_share)
            or (enough and payload_share is not None and of_payload >= payload_share)
        ):
            return action
    return None
