"""A cluster's collection as the stages of a screening ask for it: two rounds of calls for a batch with candidates.

    text ─► sampled hashes                       here
         ─► volumes that may have each hash      here, by the rows of the filter
         ─► documents that have each hash        round 1: the nodes; added up, weighed, candidates chosen here
         ─► texts compared                       round 2: where the texts lie
         ─► resolved, Report                     here

A query with a run of common hashes takes two more rounds, a query that is not compared with some documents one more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from pmbf.cluster.calls import NodeAnswer, Nodes
from pmbf.cluster.comparing import Answered, Learnt, Sent, asked_of
from pmbf.cluster.manifest import Manifest, Volume
from pmbf.cluster.spread import Spread, SpreadCatalog, SpreadGeneration, word_statistics
from pmbf.cluster.texts import unread_problems
from pmbf.jobs.threads import Threads
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.working import Workers
from pmbf.store.catalog_tables import ListedPath


class SpreadBackend:
    """The volumes as one collection; see `pmbf.screen.backend.Backend`.

    Args:
        nodes: The nodes.
        manifest: The generation that answers, whatever is committed meanwhile.
        folder: What messages and reports call the collection.
        before: The object that this one was made by; its problems are told, too.

    Thread rule: one thread per object; threads may share `nodes`.
    """

    def __init__(self, nodes: Nodes, manifest: Manifest, folder: Path, before: SpreadBackend | None = None) -> None:
        self.spread, self.folder = Spread(nodes, manifest), folder
        self.generation, self.catalog = SpreadGeneration(self.spread), SpreadCatalog(self.spread)
        self._before = before

    @property
    def commit_number(self) -> int:
        """Number of the manifest."""
        return self.spread.manifest.number

    def listed_of(self, ids: Iterable[int]) -> dict[int, list[ListedPath]]:
        """Return the paths of live documents as they are listed, sorted, by id."""
        return self.catalog.listed_of(ids)

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
        manifest = self.spread.manifest
        names = {one.document: manifest.volume_of(one.document).name for query in batch for one in query.candidates}
        if not names:
            return
        parts = self._compared(names, partial(asked_of, batch, names), replace(options, labels_of=None), len(batch))
        for number, query in enumerate(batch):
            by_id = {one.source.document.id: one for part in parts for one in part.get(number, ())}
            query.shared = [by_id[one.document] for one in query.candidates if one.document in by_id]

    @contextmanager
    def workers(self, options: Options, jobs: int) -> Iterator[Workers]:
        """Yield workers: threads, of which each call asks the nodes for itself."""
        with Threads(jobs) as threads:
            yield Workers(jobs, threads, (self, options))

    def _compared(
        self, ids: Iterable[int], of: Callable[[Sequence[Volume]], list[Sent]], options: Options, n_queries: int
    ) -> list[Answered]:
        """Return what each node has found that each query shares with its sources.

        Volumes of a node that does not know how rare words are in this generation are asked for once more, with the
        answer: whichever node is asked then can compare.
        """
        spread = self.spread

        def ask_for(volumes: Sequence[Volume], state: str | Learnt) -> list[NodeAnswer]:
            told = spread.nodes.ask("compare", volumes, lambda its: (of(its), options, state), size=n_queries)
            spread.unread |= told.unread
            return told.values

        state = spread.manifest.digest
        told = ask_for(spread.having(ids), state)
        unknown = [volume for one in told if one.value is None for volume in one.volumes]
        if unknown:
            statistics = word_statistics(spread)
            # What is learnt while volumes are missing holds for this query alone.
            state = f"{state} without {sorted(spread.unread)}" if spread.unread else state
            told += ask_for(unknown, Learnt(state, statistics))
        return [one.value for one in told if one.value is not None]
