"""Many texts screened against a cluster's collection: two rounds of calls for a text that has candidates.

    text ─► sampled hashes                       here
         ─► volumes that may have each hash      here, by the rows of the filter
         ─► documents that have each hash        round 1: the nodes; added up, weighed, candidates chosen here
         ─► texts compared                       round 2: where the texts lie
         ─► overlaps resolved, Report            here

A query with a run of common hashes takes two more rounds, a query that is not compared with some documents one more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pmbf.cluster.calls import Answer as NodesAnswer
from pmbf.cluster.calls import Nodes
from pmbf.cluster.comparing import Answered, Asked, Learnt
from pmbf.cluster.manifest import Manifest, Volume
from pmbf.cluster.spread import Spread, SpreadStore, word_statistics
from pmbf.cluster.texts import unread_problems
from pmbf.extract import Limits
from pmbf.intake.texts import Origin, Text, read_leniently
from pmbf.jobs.threads import in_order
from pmbf.screen import Answer, LeavingOut, LeftPaths, Options
from pmbf.screen.answering import Screening, ask, report
from pmbf.screen.confirming import Confirmed, confirmed
from pmbf.screen.leaving_out import LeftOut
from pmbf.screen.many import ReadQuery, batches, each_answered

_Query = tuple[Origin | Text, LeftOut]


@dataclass(frozen=True, slots=True)
class Questions:
    """How texts are screened.

    Args:
        limits: Bounds for reading a file.
        options: What to look for.
        leaving_out: Returns further paths that a query is not compared with.
        jobs: Threads that ask, at least 1.
    """

    limits: Limits
    options: Options
    leaving_out: LeftPaths | None = None
    jobs: int = 1


def answers(
    nodes: Nodes, manifest: Manifest, folder: Path, queries: Iterable[Origin | Text], questions: Questions
) -> Iterator[Answer]:
    """Yield the answer to each query, in order: the reports are those of one collection with the same documents.

    A volume that no node answered for is named in `problems` of the reports.

    Args:
        nodes: The nodes.
        manifest: The generation that answers, whatever is committed meanwhile.
        folder: What reports call the collection.
        queries: Origins to read, and texts that were read before.
        questions: How they are screened.
    """
    store = SpreadStore(Spread(nodes, manifest), folder)
    left_out = LeavingOut(store, questions.options, questions.leaving_out)
    asked_for = batches((query, left_out.of(query)) for query in queries)
    calls = (partial(_answered, nodes, manifest, folder, batch, questions) for batch in asked_for)
    for answered in in_order(calls, questions.jobs):
        for one in answered:
            yield _with_problems(one, store.spread)


def screened(store: SpreadStore, read: Text, left_out: LeftOut, options: Options) -> Answer:
    """Return the answer to a text that was read."""
    [answer] = _each_compared(store, options, [(read, left_out)])
    return _with_problems(answer, store.spread)


def _answered(
    nodes: Nodes, manifest: Manifest, folder: Path, batch: Sequence[_Query], questions: Questions
) -> list[Answer]:
    """Return the answer to each query of a batch."""
    store = SpreadStore(Spread(nodes, manifest), folder)
    texts = [(read_leniently(query, questions.limits), left_out) for query, left_out in batch]
    found = each_answered(partial(_each_compared, store, questions.options), texts)
    return [_with_problems(one, store.spread) for one in found]


def _each_compared(store: SpreadStore, options: Options, texts: Sequence[ReadQuery]) -> list[Answer]:
    named = [(text.name, text.content, left_out) for text, left_out in texts]
    asked = [(text, one) for (text, _), one in zip(texts, ask(store.generation, named, options), strict=True)]
    found = []
    for (text, one), matches in zip(asked, _resolved(store, asked, options), strict=True):
        told = report(store, text, one, matches, options)
        found.append(Answer(told, replace(text, unread=text.unread and not told.found)))
    return found


def _resolved(store: SpreadStore, asked: Sequence[tuple[Text, Screening]], options: Options) -> list[Confirmed]:
    """Return the matches of each query, resolved against each other."""
    compared = [{one.document: one for one in query.found[: options.max_candidates]} for _, query in asked]
    volumes = store.spread.having({id_ for some in compared for id_ in some})
    if not volumes:
        return [Confirmed() for _ in asked]
    subjects = [query.subject(text.text if some else "") for (text, query), some in zip(asked, compared, strict=True)]

    volume_of = store.spread.manifest.volume_of
    name_of = {id_: volume_of(id_).name for id_ in {id_ for some in compared for id_ in some}}

    def of(volumes: Sequence[Volume]) -> list[Asked]:
        names = {one.name for one in volumes}
        here = [[one for id_, one in some.items() if name_of[id_] in names] for some in compared]
        return [
            Asked(number, subjects[number], [one.plain for one in some], query.left_out.paths)
            for number, ((_, query), some) in enumerate(zip(asked, here, strict=True))
            if some
        ]

    parts = _compared(store.spread, volumes, of, replace(options, labels_of=None), len(asked))
    paths = {id_: listed for part in parts for id_, (_, listed) in part.documents.items()}
    matches = []
    for number, ((_, query), subject) in enumerate(zip(asked, subjects, strict=True)):
        by_id = {its.source.document.id: its for part in parts for its in part.shared(number, compared[number])}
        in_turn = [by_id[id_] for id_ in compared[number] if id_ in by_id]
        matches.append(confirmed(subject, in_turn, options, paths, query.left_out))
    return matches


def _compared(
    spread: Spread,
    volumes: Sequence[Volume],
    of: Callable[[Sequence[Volume]], list[Asked]],
    options: Options,
    n_queries: int,
) -> list[Answered]:
    """Return what each node has found that each query shares with its sources.

    Volumes of a node that does not know how rare words are in this generation are asked for once more, with the answer:
    whichever node is asked then can compare.
    """

    def ask_for(volumes: Sequence[Volume], state: str | Learnt) -> list[NodesAnswer]:
        told = spread.nodes.ask("compare", volumes, lambda its: (of(its), options, state), size=n_queries)
        spread.unread |= told.unread
        return told.values

    state = spread.manifest.digest
    told = ask_for(volumes, state)
    unknown = [volume for one in told if one.value is None for volume in one.volumes]
    if unknown:
        statistics = word_statistics(spread)
        # What is learnt while volumes are missing holds for this query alone.
        state = f"{state} without {sorted(spread.unread)}" if spread.unread else state
        told += ask_for(unknown, Learnt(state, statistics))
    return [one.value for one in told if one.value is not None]


def _with_problems(answer: Answer, spread: Spread) -> Answer:
    """Return an answer that tells which volumes were not looked at."""
    problems = unread_problems(spread.manifest, spread.unread)
    new = tuple(one for one in problems if one not in answer.report.problems)
    return replace(answer, report=replace(answer.report, problems=(*answer.report.problems, *new))) if new else answer
