"""Everyone compared with everyone: texts in, a `Comparison` out.

texts ─► a collection of their own       intake/entering.py
      ─► groups                          grouping.py
      ─► pairs of texts compared         pmbf.screen.mutual
      ─► what does not count             masking.py, library collections
      ─► pairs, clusters                 counting.py
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, product
from typing import NamedTuple

from pmbf import verify
from pmbf.base.errors import ParameterError
from pmbf.base.span import Span, merged, union_length
from pmbf.collection import Collection
from pmbf.comparison.counting import clusters, in_same_sections, paired
from pmbf.comparison.grouping import GroupBy, Grouping, TextCard, grouped
from pmbf.comparison.masking import Out, left_out, masked, most_groups
from pmbf.comparison.results import Comparison, ComparisonSettings, Member, Pair, SharedPassage, ranked
from pmbf.extract import Limits
from pmbf.intake.entering import Advance, Entered, EnteredText, Texts, entered
from pmbf.intake.texts import Text
from pmbf.report import Passage
from pmbf.screen import Folder, Options, OptionValues, mutual
from pmbf.screen.sections import all_skipped, told_all_skipped
from pmbf.screen.templates import Template

KEPT_BYTES, MOST_KEPT = 8, 1 << 29
"""Bytes for each character of the texts that are kept ready while they are compared, and in all: each text comes back
with some others, and is made ready anew if it is not kept."""


@dataclass(frozen=True, slots=True)
class How:
    """How texts are compared, as `pmbf.comparison.compare` takes it.

    Args:
        libraries: Collections whose passages are told apart.
        ignored: Names of ignored texts, for the settings; their texts are in `options`.
    """

    group_by: GroupBy = None
    libraries: tuple[Collection, ...] = ()
    ignored: tuple[str, ...] = ()
    common: int | float | None = None
    threshold: float = 0.0
    options: Options = field(default_factory=Options)
    limits: Limits = field(default_factory=Limits)
    jobs: int = 1
    advance: Advance = lambda what, done, total: None

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ParameterError(f"threshold is {self.threshold!r}, expected a share from 0 to 1")
        if self.jobs < 1:
            raise ParameterError(f"jobs is {self.jobs}, expected at least 1")
        most_groups(self.common, 1)


def compared(texts: Texts, how: How) -> Comparison:
    """Return which of some texts share passages with each other.

    Raises:
        ParameterError: `texts` or the groups are not as expected.
        NotFoundError: A path does not exist.
        CorruptError: A file of a library collection is damaged.
    """
    with entered(texts, limits=how.limits, jobs=how.jobs, advance=how.advance) as given:
        given.store.generation.recent.clear()  # the documents have the texts
        names = sorted(name for document in given.documents for name in document.names)
        groups = grouped(names, how.group_by)
        most = most_groups(how.common, groups.n_groups)
        out = left_out(given, groups.numbers(given.documents), most, how.options)
        library = _in_libraries(given.documents, how)
        members = _members(given.documents, groups.cards, out, library.spans)
        with masked(given, out) as counted:
            made = _Pairs(counted, groups, members, how)
            found = list(made.found())
        known = {(pair.a, pair.b) for pair in found}
        by_rule = [
            one for one in _found_without_rules(given, groups, library.spans, out, how) if (one.a, one.b) not in known
        ]
    pairs = ranked([pair for pair in found if pair.n_a or pair.n_b])
    kept = tuple(pair for pair in pairs if pair.share >= how.threshold)
    return Comparison(
        title=given.title,
        members=tuple(members[name] for name in names),
        pairs=kept,
        clusters=clusters(kept, groups.of_name),
        settings=_settings(groups.how, how, most),
        n_below=len(pairs) - len(kept),
        n_only_library=len(found) - len(pairs),
        not_counted=tuple(pair for pair in ranked(by_rule) if pair.share > 0 and pair.share >= how.threshold),
        problems=(*given.problems, *groups.problems, *library.problems, *made.problems, *_skipped(given, out, how)),
        warnings=tuple(library.warnings),
        texts={name: document.text for document in given.documents for name in document.names},
    )


def _found_without_rules(
    given: Entered, groups: Grouping, library: Mapping[int, list[Span]], out: Mapping[int, Out], how: How
) -> list[Pair]:
    """Return the pairs that there are if no rule takes text out: no template, no excluded quotation or bibliography.

    They are looked for if a rule takes out text of these documents; then the comparison takes twice the time.
    """
    template = how.options.template
    has_same = isinstance(template, Template) and "same" in {one.rule for one in template.sections}
    if not has_same and all(one.named is None for one in out.values()):
        return []
    named = {id_: one.by_name for id_, one in out.items()}
    members = _members(given.documents, groups.cards, named, library)
    options = replace(how.options, template=None, exclude_quotations=False, exclude_bibliography=False)
    with masked(given, named) as counted:
        return list(_Pairs(counted, groups, members, replace(how, options=options)).found())


def _settings(grouped_by: str, how: How, most: int) -> ComparisonSettings:
    return ComparisonSettings(
        grouped_by=grouped_by,
        threshold=how.threshold,
        min_chars=how.options.min_chars,
        common=most,
        ignored=how.ignored,
        libraries=tuple(str(one.path) for one in how.libraries),
        sensitivity=how.options.sensitivity,
        template=how.options.template_name,
    )


def _skipped(given: Entered, out: Mapping[int, Out], how: How) -> Iterator[str]:
    """Yield a problem for each text that a template skips as a whole."""
    for document in given.documents:
        sections = out[document.id].sections
        if sections and all_skipped(document.text, sections, how.options):
            yield f"{document.names[0]}: {told_all_skipped(how.options.template_name)}"


def _members(
    documents: Iterable[EnteredText],
    cards: Mapping[str, TextCard],
    out: Mapping[int, Out],
    library: Mapping[int, list[Span]],
) -> dict[str, Member]:
    members = {}
    for document in documents:
        its, shared = out[document.id], library.get(document.id, [])
        for name in document.names:
            card = cards[name]
            members[name] = Member(
                name=name,
                group=card.group,
                n_chars=len(document.text),
                n_tokens=document.n_tokens,
                n_ignored=its.n_ignored,
                n_common=its.n_common,
                n_library=union_length(shared),
                date=card.date,
                label=card.label,
                problems=document.problems,
                excluded=tuple(its.spans),
                sections=tuple(its.sections),
                library=tuple(shared),
            )
    return members


class _Library(NamedTuple):
    """The parts of each document that stand in a library, by id, what was not compared, and what is damaged."""

    spans: dict[int, list[Span]]
    problems: list[str]
    warnings: dict[str, None]


def _in_libraries(documents: Sequence[EnteredText], how: How) -> _Library:
    found = _Library({}, [], {})
    some = [one for one in documents if one.n_tokens and how.libraries]
    texts = [Text(one.names[0], one.text) for one in some]
    asked: OptionValues = {
        "min_chars": how.options.min_chars,
        "min_similarity": how.options.min_similarity,
        "apparatus": False,
    }
    for number, library in enumerate(how.libraries):
        answers = library.answers(texts, jobs=how.jobs, limits=how.limits, **asked)
        for n_done, (document, answer) in enumerate(zip(some, answers, strict=True), 1):
            spans = [one.query for match in answer.report.matches for one in match.passages]
            found.spans[document.id] = merged([*found.spans.get(document.id, []), *spans])
            found.problems.extend(f"{document.names[0]}: {told}" for told in answer.report.problems)
            found.warnings.update(dict.fromkeys(answer.report.warnings))
            n = len(how.libraries) * len(some)
            how.advance("Looking in the library", number * len(some) + n_done, n)
    return found


class _Pairs:
    """The pairs of a comparison, among documents without what does not count."""

    def __init__(self, given: Entered, groups: Grouping, members: Mapping[str, Member], how: How) -> None:
        self._given, self._groups, self._members, self._how = given, groups, members, how
        self._documents = {document.id: document for document in given.documents}
        self.problems: list[str] = []

    def found(self) -> Iterator[Pair]:
        """Yield all pairs of members that share a passage, those of the library included."""
        for one, other, passages in chain(self._equal(), self._shared()):
            yield from self._of_members(one, other, passages)

    def _equal(self) -> Iterator[tuple[int, int, list[SharedPassage]]]:
        """Yield the documents that members of two groups have, each with itself; all are weighed in one call."""
        some = [one for one in self._given.documents if one.n_tokens and len(self._groups.of(one)) > 1]
        texts = [verify.prepare(one.text) for one in some]
        pairs = [verify.TextPair(one, one, verify.Settings()) for one in texts]
        for document, found in zip(some, verify.passages_each(pairs, None, beside=False), strict=True):
            evidence = round(sum(one.evidence for one in found), 1)
            whole = Span(len(document.text) - len(document.text.lstrip()), len(document.text.rstrip()))
            yield document.id, document.id, [SharedPassage(whole, whole, 1.0, "verbatim", "sure", evidence, 1.0)]

    def _shared(self) -> Iterator[tuple[int, int, list[SharedPassage]]]:
        documents = [one for one in self._given.documents if one.n_tokens]
        texts = [(document.id, document.text) for document in documents]
        options = self._how.options
        asked = Options(  # what does not count is masked in both texts
            min_chars=options.min_chars,
            min_similarity=options.min_similarity,
            sensitivity=options.sensitivity,
            summaries=False,  # a text of the class is no source that another text sums up
            apparatus=False,
        )
        not_compared = self._groups.not_compared(self._given.documents)
        backend, recent = Folder.of(self._given.store), self._given.store.generation.recent
        recent.most_bytes = max(recent.most_bytes, min(MOST_KEPT, KEPT_BYTES * sum(len(text) for _, text in texts)))
        found = mutual(backend, texts, left_out=not_compared.__getitem__, options=asked, jobs=self._how.jobs)
        for n_done, one in enumerate(found, 1):
            for source in one.shared:
                if source.problem:
                    self.problems.append(f"{self._documents[one.document].names[0]}: {source.problem}")
                else:
                    ours, theirs = (self._documents[id_].text for id_ in (one.document, source.document.id))
                    kept = in_same_sections(ours, theirs, source.passages, options)
                    yield one.document, source.document.id, _passages(kept)
            self._how.advance("Comparing", n_done, len(documents))

    def _of_members(self, one: int, other: int, passages: Sequence[SharedPassage]) -> Iterator[Pair]:
        """Yield the pairs of the members of two documents that are of two groups."""
        for first, second in self._of_two_groups(one, other):
            a, b = (self._members[name] for name in sorted((first, second)))
            turned = [replace(shared, a=shared.b, b=shared.a) for shared in passages] if second < first else passages
            pair = paired(a, b, turned, min_chars=self._how.options.min_chars, identical=one == other)
            if pair:
                yield pair

    def _of_two_groups(self, one: int, other: int) -> Iterator[tuple[str, str]]:
        names, group = self._documents[one].names, self._groups.cards
        both: Iterable[tuple[str, str]]
        both = combinations(names, 2) if one == other else product(names, self._documents[other].names)
        return (some for some in both if group[some[0]].group != group[some[1]].group)


def _passages(passages: Iterable[Passage]) -> list[SharedPassage]:
    return [
        SharedPassage(
            a=one.query,
            b=one.source,
            similarity=one.similarity,
            kind=one.kind,
            certainty=one.certainty or "worth a look",
            evidence=one.evidence,
            in_order=one.in_order,
        )
        for one in passages
    ]
