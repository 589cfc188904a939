"""Texts screened, a batch at a time, in order and in bounded memory: from texts to their reports.

    queries ─► batches ─► read ─► sampled ─► looked up ─► looked at ─► compared ─► resolved ─► Report
                          a worker's call, if there are workers

Each stage is a function for a batch, and fills in a part of the record `Screened` of each query.
Workers are threads and processes (`working.py`). At most three batches a worker are under way, those that are answered
and wait for their turn included.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pmbf.base.errors import PmbfError, unexamined
from pmbf.base.span import union_length
from pmbf.extract import Limits
from pmbf.fingerprint import query_sample
from pmbf.intake.texts import Origin, Text, read_leniently
from pmbf.jobs import without_garbage_collection
from pmbf.report import Match, Query, Report
from pmbf.screen.backend import Backend
from pmbf.screen.candidates import find
from pmbf.screen.exempt import exempt
from pmbf.screen.leaving_out import NOTHING, LeavingOut, LeftOut
from pmbf.screen.looking import has_words
from pmbf.screen.options import Options
from pmbf.screen.resolving import resolve
from pmbf.screen.screened import Answer, AnswerOf, AnyReport, Screened
from pmbf.screen.sections import all_skipped, told_all_skipped, with_figures
from pmbf.screen.sources import same_files
from pmbf.screen.stores import AnyGeneration

MOST_QUERIES = 64
"""Queries of the largest batch: they are looked up together, and the catalog is asked for the candidates of all."""

MOST_SIZE = 1 << 18
"""Characters, or bytes of files, after which a batch is full."""

_Query = tuple[Origin | Text, LeftOut]
ReadQuery = tuple[Text, LeftOut]
Stages = Callable[[Any, Options, Sequence[ReadQuery]], list[AnswerOf[AnyReport]]]
"""Answers a batch of texts that were read; the first argument is the backend."""


def screen(backend: Backend, read: Text, *, options: Options | None = None, left_out: LeftOut = NOTHING) -> Report:
    """Return which documents a text shares passages with: a batch of one."""
    [answer] = screened(backend, options or Options(), [(read, left_out)])
    return answer.report


def answers(
    backend: Backend,
    queries: Iterable[Origin | Text],
    leaving_out: LeavingOut,
    *,
    limits: Limits,
    options: Options,
    stages: Stages[AnyReport],
    jobs: int = 1,
) -> Iterator[AnswerOf[AnyReport]]:
    """Yield the answer to each query, in order.

    Args:
        backend, leaving_out, limits, options: The collection at its generation, and what holds for all queries.
        queries: Origins to read, and texts that were read before.
        stages: `screened`, or what answers a batch in another way; a function of a module, so that workers find it.
        jobs: Workers that read and compare, at least 1. With 1 this thread does everything, batch by batch, when an
            answer of the batch is asked for.
    """
    asked_for = batches((query, leaving_out.of(query)) for query in queries)
    if jobs == 1:
        for batch in asked_for:
            yield from _answered(backend, options, batch, limits, stages)
        return
    with backend.workers(options, jobs) as work:
        yield from work.in_order(_answered, asked_for, limits, stages)


def reports(found: Iterator[AnswerOf[AnyReport]], on_progress: Callable[[int], None] | None) -> Iterator[AnyReport]:
    """Yield the report of each answer; before each, call `on_progress` with the number of reports so far."""
    for number, answer in enumerate(found, 1):
        if on_progress:
            on_progress(number)
        yield answer.report


def batches(queries: Iterable[_Query]) -> Iterator[list[_Query]]:
    """Yield queries in batches, each of at most twice as many as the one before: so the first answer comes early."""
    remaining, most = iter(queries), 1
    while batch := _batch(itertools.islice(remaining, most)):
        most = min(2 * most, MOST_QUERIES)
        yield batch


def _batch(queries: Iterable[_Query]) -> list[_Query]:
    """Return the first queries, until they have `MOST_SIZE`."""
    batch: list[_Query] = []
    size = 0
    for query in queries:
        batch.append(query)
        size += query[0].size
        if size >= MOST_SIZE:
            break
    return batch


def _answered(
    backend: Backend, options: Options, batch: Sequence[_Query], limits: Limits, stages: Stages[AnyReport]
) -> list[AnswerOf[AnyReport]]:
    """Return the answer to each query of a batch. This is a worker's call."""
    read = [(read_leniently(query, limits), left_out) for query, left_out in batch]
    return _each_screened(backend.again(), options, read, stages)


def _each_screened(
    backend: Backend, options: Options, batch: Sequence[ReadQuery], stages: Stages[AnyReport]
) -> list[AnswerOf[AnyReport]]:
    """Return the answers to a batch; an error of pmbf at one of its texts is the problem of that text alone."""
    try:
        return stages(backend, options, batch)
    except (PmbfError, OSError, MemoryError):
        raise
    except Exception as error:
        if len(batch) > 1:
            return [one for query in batch for one in _each_screened(backend, options, [query], stages)]
        [(text, left_out)] = batch
        told = f"{text.name}: {unexamined(error)}"
        return stages(backend, options, [(Text(text.name, "", (*text.problems, told), unread=True), left_out)])


# ---------------------------------------------------------------------- stages


@without_garbage_collection()
def screened(backend: Backend, options: Options, texts: Sequence[ReadQuery]) -> list[Answer]:
    """Return the answers to some texts, each with what it is not compared with, through all stages."""
    batch = [
        Screened(read, query_sample(read.content, backend.generation.params), exempt(read.content, options), left_out)
        for read, left_out in texts
    ]
    look_up(backend.generation, batch, options, looks=has_words(backend.generation.params))
    backend.compare(batch, options)
    for one in batch:
        resolve(one, options)
        if one.read.sha256:
            one.same = same_files(backend, one.read.sha256, one.left_out)
    return [_answer(backend, one, options) for one in batch]


def look_up(generation: AnyGeneration, batch: Sequence[Screened], options: Options, *, looks: bool = False) -> None:
    """Fill in the candidates of the queries of a batch; with `looks` those that a second look chooses from."""
    for _, group in itertools.groupby(batch, lambda one: id(one.left_out.documents)):
        some = list(group)
        documents = some[0].left_out.documents
        remaining = generation.without(documents) if len(documents) else generation
        for one, found in zip(some, find(remaining, [one.sample for one in some], options, looks=looks), strict=True):
            one.candidates, one.n_found = found.candidates[: options.max_candidates], len(found.candidates)
            one.n_common, one.n_documents = found.n_common, remaining.n_documents
            one.n_left_out = generation.n_documents - remaining.n_documents
            one.warnings = (*remaining.warnings, *found.warnings)


def _answer(backend: Backend, query: Screened, options: Options) -> Answer:
    report, read = _report(backend, query, options), query.read
    return Answer(report, replace(read, unread=not report.found) if read.unread else read)


def _report(backend: Backend, query: Screened, options: Options) -> Report:
    """Return the report of a query that has been through all stages."""
    found, same, asked, sections = query.resolved, query.same, _query(query), query.exempt.sections
    return Report(
        query=asked,
        matches=same + found.matches,
        n_covered=union_length(found.covered),
        coverage=1.0 if same else found.coverage,
        n_documents=query.n_documents,
        n_candidates=len(query.candidates),
        generation=backend.commit_number,
        problems=(*_problems(query, options), *backend.problems),
        collection=str(backend.folder),
        n_below=found.n_below,
        in_order=1.0 if same else found.in_order,
        n_left_out=query.n_left_out,
        min_chars=options.min_chars,
        template=options.template_name,
        sections=with_figures(sections, found.covered, query.exempt.excluded, found.n_elsewhere) if sections else (),
        warnings=query.warnings,
        not_counted=found.not_counted,
    )


def _problems(query: Screened, options: Options) -> Iterator[str]:
    read, n_compared = query.read, len(query.candidates)
    if not (query.same and read.unread):  # else nothing more is to be known of the file
        yield from read.problems
    if query.exempt.sections and all_skipped(read.text, query.exempt.sections, options):
        yield told_all_skipped(options.template_name)
    if n_compared < query.n_found:
        told = f"{query.n_found} candidates, only the best {n_compared} compared"
        yield f"{told}; raise max_candidates"
    yield from not_compared(query.resolved.matches)


def not_compared(found: Sequence[Match]) -> Iterator[str]:
    """Yield a line for each reason why sources could not be compared."""
    paths: dict[str, list[str]] = {}
    for match in found:
        if match.problem:
            paths.setdefault(match.problem, []).append(match.document.path)
    for problem, [first, *others] in paths.items():
        more = f" and {len(others)} more" if others else ""
        yield f"not compared with {first}{more}: {problem}"


def _query(query: Screened) -> Query:
    sample, exempted = query.sample, query.exempt
    return Query(
        name=query.read.name,
        n_chars=sample.n_chars,
        n_tokens=sample.n_tokens,
        n_hashes=len(sample.hashes),
        n_mixed_tokens=sample.n_mixed,
        n_invisible=sample.n_invisible,
        n_common_hashes=query.n_common,
        n_quoted=union_length(exempted.quoted),
        n_listed=union_length(exempted.listed),
        n_excluded=union_length(exempted.excluded),
        excluded=tuple(exempted.excluded),
        kind=query.read.kind,
    )
