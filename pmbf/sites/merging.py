"""What sites told goes into the report of a screening at home: sentences, sources, problems.

A site is believed where its words prove it. If an answer says something impossible, then all of it is left out, and the
report says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pmbf.base.errors import WithheldError
from pmbf.base.span import Span, length_in, merged, overlap
from pmbf.report import DocumentRef, Texts
from pmbf.sentences import Sentence, SentenceOrigin, SentenceReport, SentenceSource, SiteAnswer, StretchPair
from pmbf.sentences.beside import LEAST_SIMILARITY, TOUCHING_CHARS, Alike, QueryUnits, plain, similarity
from pmbf.sites.client import PartnerAnswer
from pmbf.sites.protocol import SCALE, MalformedError
from pmbf.sites.registry import Card
from pmbf.sites.sparing import MOST_QUESTIONS
from pmbf.sites.texts import CUT, MOST_UNIT_CHARS, AlikeDocument, Resembling, SharedUnits

_WITHHELD = Span(0, 0)
_ROUNDING = 2 / SCALE


Answered = Sequence[tuple[Card, PartnerAnswer]]
"""The sites that were asked, each with its answer."""


@dataclass(frozen=True, slots=True)
class SiteTexts:
    """The texts of a report's sources: those at home, words that sites gave, and who withholds the others, by id."""

    home: Callable[[int], str]
    given: dict[int, str] = field(default_factory=dict)
    withheld: dict[int, str] = field(default_factory=dict)

    def __call__(self, document: int) -> str:
        """Return the text of a document; raise `WithheldError` if a site has it, and does not show it."""
        if document in self.withheld:
            raise WithheldError(self.withheld[document])
        return self.given[document] if document < 0 else self.home(document)


class _Found(NamedTuple):
    """A document of a site: its source in the report, and the origin of each sentence that stands in it."""

    source: SentenceSource
    origins: dict[int, SentenceOrigin]
    text: str | None


def merged_with(report: SentenceReport, asked: QueryUnits, numbers: Sequence[int], told: Answered) -> SentenceReport:
    """Return the report of a screening at home with what the sites told that were asked for some units of the query."""
    holding = _holding(asked, numbers)
    found: list[_Found] = []
    answers, problems = [], list(report.problems)
    for card, answer in told:
        try:
            documents = list(_documents(card, answer, asked, holding, -1 - len(found)))
        except MalformedError as error:
            answer = PartnerAnswer(answer.hello, answer.n_units, shared=answer.shared)
            answer.problem, documents = f"it answers what cannot be: {error}", []
        found += documents
        problems += [f"{card.name}: {problem}" for problem in _problems(answer)]
        answers.append(_answer(card, answer))
    sources = [*report.sources, *(one.source for one in found)]
    ranked = sorted(sources, key=lambda one: (one.claimed, -one.n_sentences, -one.n_equal, one.document.path))
    sentences = tuple(_sentences(report.sentences, found))
    return replace(
        report,
        sentences=sentences,
        n_not_counted=sum(one.not_counted is not None for one in sentences),
        sources=tuple(ranked),
        problems=tuple(problems),
        sites=tuple(answers),
        texts=report.texts and Texts(report.texts.content, _texts(report.texts, found, told)),
    )


def _problems(answer: PartnerAnswer) -> Iterator[str]:
    if answer.problem:
        yield answer.problem
        return
    yield from answer.hello.problems if answer.hello else ()
    if answer.texts and answer.texts.n_unread:
        yield f"{answer.texts.n_unread:,} of its documents could not be compared"
    if answer.left_out:
        yield f"it leaves out sentences until midnight (UTC) that were asked about {MOST_QUESTIONS} times today"


def _answer(card: Card, answer: PartnerAnswer) -> SiteAnswer:
    problems = [*_problems(answer)]
    return SiteAnswer(
        name=card.name,
        contact=card.contact,
        level=answer.hello.level if answer.hello else "",
        n_documents=answer.hello.n_documents if answer.hello else 0,
        n_units=answer.n_units,
        n_shared=answer.shared.n_chars if answer.shared else 0,
        n_keys=answer.n_keys,
        n_equal=answer.n_equal,
        holds=answer.holds,
        problem="; ".join(problems) or None,
    )


def _texts(texts: Texts, found: Sequence[_Found], told: Answered) -> SiteTexts:
    contacts = {card.name: card.contact for card, _ in told}
    made = SiteTexts(texts.source)
    for one in found:
        id_, site = one.source.document.id, one.source.site
        if one.text is None:
            made.withheld[id_] = withheld(site, contacts[site])
        else:
            made.given[id_] = one.text
    return made


def withheld(site: str, contact: str) -> str:
    """Return who withholds a text, and whom to ask."""
    return f"withheld by {site}" + (f"; ask {contact}" if contact else "")


def _sentences(at_home: Sequence[Sentence], found: Sequence[_Found]) -> Iterator[Sentence]:
    """Yield every sentence with its origins of all sites; those that nobody has compared come last."""
    origins, claimed = defaultdict[int, list[SentenceOrigin]](list), defaultdict[int, list[SentenceOrigin]](list)
    for one in found:
        for number, origin in one.origins.items():
            (claimed if one.source.claimed else origins)[number].append(origin)
    for number, sentence in enumerate(at_home):
        sure = sorted((*sentence.origins, *origins[number]), key=lambda one: (-(one.similarity or 0), one.document < 0))
        outcome = "found" if sure else "claimed" if claimed[number] else sentence.outcome
        counts = sure or claimed[number]
        out = None if counts else sentence.not_counted
        yield replace(sentence, outcome=outcome, origins=(*sure, *claimed[number]), not_counted=out)


# ---------------------------------------------------------------------- the documents of a site


def _holding(asked: QueryUnits, numbers: Sequence[int]) -> dict[int, list[int]]:
    """Return for each sentence the units asked for that hold at least half of it."""
    found = defaultdict[int, list[int]](list)
    for unit in numbers:
        for sentence, _ in asked.parts[unit]:
            whole = asked.sentences[sentence]
            if 2 * overlap(whole, asked.spans[unit]) >= len(whole):
                found[sentence].append(unit)
    return found


def _documents(
    card: Card, answer: PartnerAnswer, asked: QueryUnits, holding: dict[int, list[int]], first_id: int
) -> Iterator[_Found]:
    """Yield the documents of a site, with ids from `first_id` downwards.

    Raise `MalformedError` for what is impossible.
    """
    if answer.problem:
        return
    if answer.texts and answer.shared:
        for number, one in enumerate(answer.texts.documents):
            yield _compared(card, one, answer.shared, asked, first_id - number)
        first_id -= len(answer.texts.documents)
        for number, other in enumerate(answer.texts.resembling):
            yield _resembling(card, other, answer.shared, asked, holding, first_id - number)
        return
    by_document = defaultdict[int, set[int]](set)
    for unit, document in answer.claims:
        by_document[document].add(unit)
    for number, (document, units) in enumerate(sorted(by_document.items())):
        reference = _reference(card, first_id - number, answer.titles[document], 0, "")
        yield _claimed(card, reference, units, asked, holding)


def _compared(card: Card, told: AlikeDocument, shared: SharedUnits, asked: QueryUnits, id_: int) -> _Found:
    """Return a document whose words the site has compared."""
    text = told.text
    alike, pairs = list(_alike(told, shared, asked)), list(_pairs(told, shared))
    if text is not None:
        for one in alike:
            _require_alike(asked.text, text, one, exact=told.is_whole)
        if told.is_whole and asked.pairs(text, alike) != pairs:
            raise MalformedError("its stretches are not those of its units")
    held = merged(one.query for one in alike)
    least = round(SCALE * LEAST_SIMILARITY)
    if any(row[4] < least for row in told.pairs) or not all(length_in(one.query, held) for one in pairs):
        raise MalformedError("a stretch is said to be alike that is not")
    origins: dict[int, SentenceOrigin] = {}
    for one in sorted(alike, key=lambda one: one.similarity):
        origins |= dict.fromkeys(one.sentences, SentenceOrigin(id_, one.source, one.similarity))
    reference = _reference(card, id_, told.title, len(text or ""), told.kind)
    n_equal = sum(one.n_equal for one in alike)
    return _Found(SentenceSource(reference, len(origins), tuple(pairs), n_equal, site=card.name), origins, text)


def _alike(told: AlikeDocument, shared: SharedUnits, asked: QueryUnits) -> Iterator[Alike]:
    for (start, stop, source_start, source_stop, scaled, n_equal), places in zip(
        told.alike, told.sentences, strict=True
    ):
        query, source = shared.back(start, stop), _source(told, source_start, source_stop)
        sentences = tuple(shared.sentence_numbers[place] for place in places)
        if not all(overlap(asked.sentences[number], query) for number in sentences):
            raise MalformedError("a sentence is said to stand in a unit that does not hold it")
        if len(source) > MOST_UNIT_CHARS + 2 * len(query):
            raise MalformedError("a unit of a document is too long to be alike")
        if not LEAST_SIMILARITY <= scaled / SCALE <= 1:
            raise MalformedError("units are said to be alike that are not")
        yield Alike(query, source, scaled / SCALE, n_equal, sentences)


def _pairs(told: AlikeDocument, shared: SharedUnits) -> Iterator[StretchPair]:
    for start, stop, source_start, source_stop, scaled in told.pairs:
        yield StretchPair(shared.back(start, stop), _source(told, source_start, source_stop), scaled / SCALE)


def _source(told: AlikeDocument, start: int, stop: int) -> Span:
    """Return where words stand in what a site gave."""
    if (start, stop) == (0, 0):
        if told.is_whole:
            raise MalformedError("words are withheld of a document that is given whole")
        return _WITHHELD
    if not start < stop:
        raise MalformedError("a stretch of a document is empty")
    return Span(start, stop)


def _require_alike(query: str, text: str, one: Alike, *, exact: bool) -> None:
    """Refuse a unit whose words are not as alike as the site says; of an excerpt the end may be missing."""
    if one.source == _WITHHELD:
        return
    ours, theirs = (plain(side[span.start : span.stop]) for side, span in ((query, one.query), (text, one.source)))
    if exact and abs(similarity(ours, theirs) - one.similarity) > _ROUNDING:
        raise MalformedError("its words are not as alike as it says")


def _resembling(
    card: Card, told: Resembling, shared: SharedUnits, asked: QueryUnits, holding: dict[int, list[int]], id_: int
) -> _Found:
    """Return a document of which the site tells no more than which units are alike to it.

    A sentence is found if half of the units that hold it are alike: a unit with a foreign sentence may be alike, too.
    """
    sources = {shared.numbers[place]: Span(start, stop) for place, start, stop in told.units}
    origins = dict[int, SentenceOrigin]()
    for number in sorted({sentence for unit in sources for sentence, _ in asked.parts[unit]}):
        holders = holding.get(number, [])
        alike = [unit for unit in holders if unit in sources]
        if alike and 2 * len(alike) >= len(holders):
            origins[number] = SentenceOrigin(id_, max((sources[unit] for unit in alike), key=len), None)
    pairs = [StretchPair(query, source, None) for query, source in _stretches(sources, asked, told.text or "")]
    reference = _reference(card, id_, told.title, len(told.text or ""), told.kind)
    return _Found(SentenceSource(reference, len(origins), tuple(pairs), site=card.name), origins, told.text)


def _stretches(sources: dict[int, Span], asked: QueryUnits, text: str) -> list[tuple[Span, Span]]:
    """Return the stretches of the query that units make, each with the excerpt that they stand in, or none."""
    made: list[tuple[Span, Span]] = []
    for unit in sorted(sources):
        query, source = asked.spans[unit], sources[unit]
        last, before = made[-1] if made else (Span(0, 0), source)
        near = made and query.start - last.stop <= TOUCHING_CHARS and bool(source) == bool(before)
        if near and CUT not in text[min(before.stop, source.stop) : max(before.start, source.start)]:
            joined = Span(min(before.start, source.start), max(before.stop, source.stop))
            made[-1] = Span(last.start, max(last.stop, query.stop)), joined
        else:
            made.append((query, source))
    return made


def _claimed(
    card: Card, reference: DocumentRef, units: set[int], asked: QueryUnits, holding: dict[int, list[int]]
) -> _Found:
    """Return a document of which only keys were compared.

    A sentence is claimed if all units that hold it are: of a unit with a foreign sentence, half of the keys are equal.
    """
    origins = dict[int, SentenceOrigin]()
    for number in sorted({sentence for unit in units for sentence, _ in asked.parts[unit]}):
        holders = holding.get(number, [])
        if holders and all(unit in units for unit in holders):
            origins[number] = SentenceOrigin(reference.id, _WITHHELD, None)
    pairs = tuple(
        StretchPair(stretch, _WITHHELD, None) for stretch in merged(asked.spans[unit] for unit in sorted(units))
    )
    return _Found(SentenceSource(reference, len(origins), pairs, site=card.name, claimed=True), origins, None)


def _reference(card: Card, id_: int, title: str, n_chars: int, kind: str) -> DocumentRef:
    path = f"{card.name}: {title or f'document {-id_}'}"
    return DocumentRef(id_, path, (path,), n_chars, kind)
