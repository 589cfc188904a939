"""A cluster's collection as the stages of a screening ask for it: two rounds of calls for a batch with candidates.

    text ─► sampled hashes                       here
         ─► volumes that may have each hash      here, by the rows of the filter
         ─► documents that have each hash        round 1: the nodes; added up, weighed, candidates chosen here
         ─► texts compared                       round 2: where the texts lie
         ─► resolved, Report                     here

A query with a run of common hashes takes two more rounds, a query that is not compared with some documents one more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pmbf.cluster.calls import Answer as NodesAnswer
from pmbf.cluster.calls import Nodes
from pmbf.cluster.comparing import Answered, Asked, Learnt, asked_of
from pmbf.cluster.manifest import Manifest, Volume
from pmbf.cluster.spread import Spread, SpreadStore, word_statistics
from pmbf.cluster.texts import unread_problems
from pmbf.jobs.threads import Threads
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.working import Workers


class SpreadBackend(SpreadStore):
    """The volumes as one collection; see `pmbf.screen.backend.Backend`. One thread per object.

    Args:
        nodes: The nodes.
        manifest: The generation that answers, whatever is committed meanwhile.
        folder: What reports call the collection.
        before: The object that this one was made by; its problems are told, too.
    """

    def __init__(self, nodes: Nodes, manifest: Manifest, folder: Path, before: SpreadBackend | None = None) -> None:
        super().__init__(Spread(nodes, manifest), folder)
        self._before = before

    @property
    def problems(self) -> tuple[str, ...]:
        """The volumes that no node has answered for so far."""
        own = unread_problems(self.spread.manifest, self.spread.unread)
        return (*own, *(one for one in self._before.problems if one not in own)) if self._before else own

    def again(self) -> SpreadBackend:
        """Return the same for another batch, in any thread: volumes without an answer are asked for once more."""
        return SpreadBackend(self.spread.nodes, self.spread.manifest, self.folder, self)

    def compare(self, batch: Sequence[Screened], options: Options) -> None:
        """Compare queries with their candidates, where the texts lie."""
        spread = self.spread
        volumes = spread.having({one.document for query in batch for one in query.candidates})
        if not volumes:
            return
        volume_of = spread.manifest.volume_of
        name_of = {one.document: volume_of(one.document).name for query in batch for one in query.candidates}

        def of(volumes: Sequence[Volume]) -> list[Asked]:
            names = {one.name for one in volumes}
            return asked_of(batch, lambda one: name_of[one.document] in names)

        parts = _compared(spread, volumes, of, replace(options, labels_of=None), len(batch))
        paths = {id_: listed for part in parts for id_, (_, listed) in part.documents.items()}
        for number, query in enumerate(batch):
            candidates = {one.document: one for one in query.candidates}
            by_id = {its.source.document.id: its for part in parts for its in part.shared(number, candidates)}
            found = [by_id[id_] for id_ in candidates if id_ in by_id]
            query.shared = [one._replace(source=one.source.named(paths, query.left_out)) for one in found]

    @contextmanager
    def workers(self, options: Options, jobs: int) -> Iterator[Workers]:
        """Yield workers: threads, of which each call asks the nodes for itself."""
        with Threads(jobs) as threads:
            yield Workers(jobs, threads, (self, options))


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
