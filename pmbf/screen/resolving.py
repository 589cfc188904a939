"""The sources of a query as a report shows them: what of their passages counts, and which of them are matches.

The exempt spans of a query are applied here, once, to each passage. All figures are sums over what is left.
A passage that does not count stays in the answer, with the reason. Only passages of ignored texts go: who names a text
as ignored has seen it. Of these the answer says how much there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple, get_args

from pmbf import verify
from pmbf.base.span import Span, common, length_in, merged, outside, union_length
from pmbf.report import CERTAINTIES, Match, NotCounted, Passage, Section
from pmbf.screen.exempt import Exempt
from pmbf.screen.options import Options
from pmbf.screen.screened import Resolved, Screened
from pmbf.screen.sources import Source
from pmbf.text import SINGLE_CHARS


class Counted(NamedTuple):
    """A passage, marked with what of it does not count, and what of the query in it counts."""

    passage: Passage
    spans: Sequence[Span]


def resolve(query: Screened, options: Options) -> None:
    """Fill in what a report says of the sources of a query that were compared.

    A match is above the threshold by what counts, or by all that it shares of the whole text: no option hides what
    another one takes out.
    """
    if not query.shared:
        return
    exempted, n_chars, n_hashes = query.exempt, query.sample.n_chars, len(query.sample.hashes)
    n_counted = n_chars - union_length(exempted.excluded)
    takes_out = exempted.quoted or exempted.listed or exempted.excluded
    count = _TakingOut(query, options.min_chars).counted if takes_out else _as_it_is
    matches, shown, ignored = list[Match](), list[Counted](), list[Counted]()
    n_below, n_not_counted, n_elsewhere = 0, 0, Counter[str]()
    covered: Sequence[Span] = ()
    for source in query.shared:
        counted = [*map(count, source.passages)]
        if "ignored" in exempted.reasons:
            ignored += [one for one in counted if one.passage.not_counted == "ignored"]
            counted = [one for one in counted if one.passage.not_counted != "ignored"]
        if not (counted or source.problem):
            continue
        if exempted.sections:
            n_elsewhere.update(_elsewhere(counted, exempted.sections))
        its = _covered(counted)
        match = _match(source, counted, its, n_counted, n_hashes)
        of_all = share(match.n_covered + match.n_not_counted, n_chars)
        if match.problem or max(match.coverage, of_all) >= options.threshold:
            matches.append(match)
            shown += counted
            covered = its
            n_not_counted += match.n_not_counted
        else:
            n_below += 1
    in_order = sum((one.in_order or 0.0 for one in matches), 0.0)
    if len(matches) > 1:  # a source alone says how much is covered
        covered, in_order = _covered(shown), share(ordered(shown), n_counted)
    query.resolved = Resolved(
        matches=_ranked(matches) if len(matches) > 1 else tuple(matches),
        n_below=n_below,
        covered=covered,
        coverage=share(sum(map(len, covered)), n_counted),
        in_order=in_order,
        not_counted=_amounts([*shown, *ignored], exempted) if n_not_counted or ignored else {},
        n_elsewhere=n_elsewhere,
    )


def _as_it_is(passage: Passage) -> Counted:
    if passage.not_counted:
        return Counted(replace(passage, n_excluded=len(passage.query)), ())
    return Counted(passage, (passage.query,))


def _covered(counted: Iterable[Counted]) -> list[Span]:
    """Return what of the query stands in passages and counts, ascending and disjoint."""
    return merged([span for one in counted for span in one.spans])


@dataclass(frozen=True)
class _TakingOut:
    """Takes the exempt spans of a query out of its passages; a passage of less than `min_chars` does not count."""

    query: Screened
    min_chars: int

    @cached_property
    def _text(self) -> verify.Prepared:
        return verify.prepare(self.query.read.text)

    @cached_property
    def _least(self) -> int:
        """Characters of a passage that must be left, counted in letters of an alphabet: with less, nothing counts."""
        return min(self.min_chars, self._text.n_letters)

    def counted(self, passage: Passage) -> Counted:
        """Return a passage with the exempt span it mostly stands in, its excluded characters, why it counts not."""
        exempted = self.query.exempt
        within = _within(passage.query, exempted)
        n_excluded = length_in(passage.query, exempted.excluded) if exempted.excluded else 0
        if within or n_excluded:
            passage = replace(passage, within=within, n_excluded=n_excluded)
        if not passage.not_counted and n_excluded and self._n_letters_left(passage) < self._least:
            reason = max(exempted.reasons, key=lambda one: length_in(passage.query, exempted.reasons[one]))
            passage = replace(passage, not_counted=reason)
        if passage.not_counted or not n_excluded:
            return _as_it_is(passage)
        return Counted(passage, outside([passage.query], exempted.excluded))

    def _n_letters_left(self, passage: Passage) -> int:
        """Return the characters of a passage that count, as `Prepared.n_letters` counts those of a whole one."""
        n_singles = self._text.n_singles_in([passage.query])
        if n_singles:
            n_singles -= self._text.n_singles_in(common([passage.query], self.query.exempt.excluded))
        return passage.n_counted + (SINGLE_CHARS - 1) * n_singles


def _within(span: Span, exempted: Exempt) -> str | None:
    for name, spans in (("bibliography", exempted.listed), ("quotation", exempted.quoted)):
        if spans and 2 * length_in(span, spans) > len(span):
            return name
    return None


def _match(source: Source, counted: Sequence[Counted], covered: Sequence[Span], n_counted: int, n_hashes: int) -> Match:
    """Return a source as a match, if a query of so many hashes has so many characters that count.

    `covered` are those of its passages.
    """
    passages = tuple([one.passage for one in counted])
    n_covered, n_hits = sum(map(len, covered)), source.candidate.n_hits
    own, evidence, longest, is_whole = list[Passage](), 0.0, 0, True
    for passage, spans in counted:
        is_whole = is_whole and not passage.not_counted and not passage.n_excluded
        if not passage.not_counted:
            own.append(passage)
            evidence += passage.evidence
            longest = max(longest, sum(map(len, spans)))
    certainties = filter(None, map(attrgetter("certainty"), own or passages))
    return Match(
        document=source.reference,
        containment=share(n_hits, n_hashes),
        n_hits=n_hits,
        n_covered=n_covered,
        coverage=share(n_covered, n_counted),
        longest=longest,
        passages=passages,
        problem=source.problem,
        evidence=round(evidence, 1) if own else 0,
        in_order=share(ordered(counted), n_counted),
        certainty=min(certainties, key=CERTAINTIES.index, default=None),
        n_not_counted=0 if is_whole else union_length(map(attrgetter("query"), passages)) - n_covered,
    )


def _ranked(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Return matches, most evidence first. Each passage names other documents with it."""
    neighbours = verify.with_neighbours({match.document.id: match.passages for match in matches})
    named = [replace(match, passages=neighbours[match.document.id]) for match in matches]
    return tuple(sorted(named, key=lambda one: (-one.evidence, -one.n_covered, -one.n_not_counted, one.document.path)))


def ordered(counted: Iterable[Counted]) -> float:
    """Return the characters of passages that count, each taken for its passage's share of words in order.

    If passages overlap, then the greatest share holds. Shares are taken to the nearest hundredth.
    """
    by_share: dict[float, list[Span]] = {}
    for passage, spans in counted:
        if not passage.not_counted:
            by_share.setdefault(round(passage.in_order or 0.0, 2), []).extend(spans)
    taken: list[Span] = []
    found, n_before = 0.0, 0
    for its_share in sorted(by_share, reverse=True):
        taken = merged([*taken, *by_share[its_share]])
        n_now = union_length(taken)
        found, n_before = found + its_share * (n_now - n_before), n_now
    return found


def _amounts(counted: Sequence[Counted], exempted: Exempt) -> dict[NotCounted, int]:
    """Return the characters of a query that passages hold but that do not count, by the reason.

    A character that counts in one source counts. One that does not count for several reasons has the first of them.
    """
    left = outside([one.passage.query for one in counted], [span for one in counted for span in one.spans])
    found: dict[NotCounted, int] = {}
    for reason in get_args(NotCounted) if left else ():
        own = [one.passage.query for one in counted if one.passage.not_counted == reason]
        spans = merged([*exempted.reasons.get(reason, ()), *own])
        if n_chars := union_length(common(left, spans)):
            found[reason] = n_chars
            left = outside(left, spans)
    return found


def _elsewhere(counted: Sequence[Counted], sections: Sequence[Section]) -> Iterator[str]:
    """Yield the names of the `same` sections with which a source shares text elsewhere."""
    spans = [one.passage.query for one in counted if one.passage.not_counted == "elsewhere"]
    for section in sections if spans else ():
        if section.rule == "same" and length_in(section.span, merged(spans)):
            yield section.name


def share(part: float, whole: int) -> float:
    """Return a part as a share of the whole; 0 if the whole is empty."""
    return part / whole if whole else 0.0
