"""From a text to its report."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pmbf.fingerprint import QuerySample, query_sample
from pmbf.intake.texts import Text
from pmbf.report import Match, Query, Report
from pmbf.screen.candidates import Candidate, find_all
from pmbf.screen.comparing import Subject, shared
from pmbf.screen.confirming import Confirmed, confirmed, share
from pmbf.screen.copies import same_files
from pmbf.screen.exempt import Exempt, amounts, covered, exempt, ordered
from pmbf.screen.leaving_out import NOTHING, LeftOut
from pmbf.screen.options import Options
from pmbf.screen.sections import all_skipped, told_all_skipped, with_figures
from pmbf.screen.sources import paths_of, sources
from pmbf.screen.stores import AnyGeneration, Named
from pmbf.screen.vocabulary import word_statistics
from pmbf.span import union_length
from pmbf.store.folder import Store
from pmbf.templates import Template

Asked = tuple[str, str | bytes, LeftOut]
"""The name of a query; its text, as a clean `str` or as UTF-8; what it is not compared with."""


@dataclass(frozen=True, slots=True)
class Screening:
    """A query before comparing: its figures, its sampled hashes, its candidates (best first), its exempt spans, and
    the number of documents with text that it is compared with; what it is not compared with, and how many these are;
    which files are damaged that it did not need, and what the filter could not do."""

    query: Query
    sample: QuerySample
    found: list[Candidate]
    exempt: Exempt
    n_documents: int
    left_out: LeftOut = NOTHING
    n_left_out: int = 0
    warnings: tuple[str, ...] = ()

    def subject(self, text: str) -> Subject:
        """Return the query in the form that comparing takes."""
        return Subject(text, self.sample, self.exempt, self.n_documents)


def screen(store: Store, read: Text, *, options: Options | None = None, left_out: LeftOut = NOTHING) -> Report:
    """Return which documents a text shares passages with.

    Args:
        store: The collection, at its generation.
        read: The text as it was read.
        options: What to look for.
        left_out: What the text is not compared with.

    Raises:
        CorruptError: A file of the collection that the answer needs is damaged.
    """
    options = options or Options()
    [asked] = ask(store.generation, [(read.name, read.text, left_out)], options)
    [compared] = sources(store, [(asked.found[: options.max_candidates], left_out)])
    statistics = word_statistics(store) if asked.found else None
    subject = asked.subject(read.text)
    found = shared(subject, [(store.generation, compared)], options, statistics)
    paths = paths_of(store, [one.source for one in found])
    return report(store, read, asked, confirmed(subject, found, options, paths, left_out), options)


def ask(generation: AnyGeneration, texts: Iterable[Asked], options: Options) -> list[Screening]:
    """Return the candidates of some texts."""
    asked = []
    for _, group in itertools.groupby(texts, lambda one: id(one[2].documents)):
        some = list(group)
        left_out = some[0][2]
        remaining = generation.without(left_out.documents) if len(left_out.documents) else generation
        n_left_out = generation.n_documents - remaining.n_documents
        samples = [query_sample(text, generation.params) for _, text, _ in some]
        for (name, text, left_out), sample, found in zip(
            some, samples, find_all(remaining, samples, options), strict=True
        ):
            exempted = exempt(text, options)
            query = _query(name, sample, found.n_common, exempted)
            n_documents = remaining.n_documents
            counted = n_documents, left_out, n_left_out, (*remaining.warnings, *found.warnings)
            asked.append(Screening(query, sample, found.candidates, exempted, *counted))
    return asked


def report(store: Named, read: Text, asked: Screening, matched: Confirmed, options: Options) -> Report:
    """Return the report of a query whose candidates have been compared.

    Args:
        store: The collection.
        read: The query as it was read.
        asked: The query.
        matched: Its matches, and how many lie below the threshold.
        options: What was looked for.
    """
    same = same_files(store, read.sha256, asked.left_out)
    problems = () if same and read.unread else read.problems  # nothing more is to be known of the file
    template = options.template.name if isinstance(options.template, Template) else ""
    if asked.exempt.sections and all_skipped(read.text, asked.exempt.sections, options):
        problems = (*problems, told_all_skipped(template))
    n_found = len(asked.found)
    n_compared = min(n_found, options.max_candidates)
    cut = f"{n_found} candidates, only the best {n_compared} compared; raise max_candidates (--max-candidates)"
    passages = [passage for match in matched.matches for passage in match.passages]
    spans = covered(passages, asked.exempt)
    n_covered = union_length(spans)
    return Report(
        query=asked.query,
        matches=same + matched.matches,
        n_covered=n_covered,
        coverage=1.0 if same else share(n_covered, asked.query.n_counted),
        n_documents=asked.n_documents,
        n_candidates=n_compared,
        generation=store.commit_number,
        problems=(*problems, *((cut,) if n_compared < n_found else ()), *not_compared(matched.matches)),
        collection=str(store.folder),
        n_below=matched.n_below,
        in_order=1.0 if same else share(ordered(passages, asked.exempt), asked.query.n_counted),
        n_left_out=asked.n_left_out,
        min_chars=options.min_chars,
        template=template,
        sections=with_figures(asked.exempt.sections, spans, asked.exempt.excluded, matched.n_elsewhere),
        warnings=asked.warnings,
        not_counted=amounts([*passages, *matched.ignored], asked.exempt),
    )


def not_compared(found: Sequence[Match]) -> Iterator[str]:
    """Yield a line for each reason why sources could not be compared."""
    paths: dict[str, list[str]] = {}
    for match in found:
        if match.problem:
            paths.setdefault(match.problem, []).append(match.document.path)
    for problem, [first, *others] in paths.items():
        more = f" and {len(others)} more" if others else ""
        yield f"not compared with {first}{more}: {problem}"


def _query(name: str, sample: QuerySample, n_common: int, exempted: Exempt) -> Query:
    return Query(
        name=name,
        n_chars=sample.n_chars,
        n_tokens=sample.n_tokens,
        n_hashes=len(sample),
        n_mixed_tokens=sample.n_mixed,
        n_invisible=sample.n_invisible,
        n_common_hashes=n_common,
        n_quoted=union_length(exempted.quoted),
        n_listed=union_length(exempted.listed),
        n_excluded=union_length(exempted.excluded),
        excluded=tuple(exempted.excluded),
    )
