"""A collection that is spread over nodes, as a screening asks for it: two rounds of calls for a batch with candidates.

    text ─► sampled hashes                       here
         ─► volumes that may have each hash      here, by the rows of the filter
         ─► documents that have each hash        round 1: the nodes; added up, weighed, candidates chosen here
         ─► texts compared                       round 2: where the texts lie
         ─► resolved, Report                     here

A query with a run of common hashes takes two more rounds, a query that is not compared with some documents one more.
A volume that no node could answer for is noted with its reason: who asks tells what was not looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf import verify
from pmbf.base.arrays import distinct
from pmbf.base.errors import NotFoundError
from pmbf.base.hashes import Hashes
from pmbf.base.params import Params
from pmbf.cluster.calls import NodeAnswer, Nodes
from pmbf.cluster.comparing import AnsweredEach, Learnt, SentQuery, asked_of
from pmbf.cluster.filter_rows import Places
from pmbf.cluster.found import Together, are_near, within, without
from pmbf.cluster.manifest import Manifest, Volume
from pmbf.jobs.threads import Threads
from pmbf.kernels import Evident, EvidentRules, Ranges, Sampled
from pmbf.screen.folder import SAMPLED, SAMPLED_CHARS
from pmbf.screen.looking import go_on, leave
from pmbf.screen.options import Options
from pmbf.screen.screened import Screened
from pmbf.screen.working import Workers
from pmbf.store.catalog_tables import Document, ListedPath
from pmbf.store.having import Having, Keys

Ids = NDArray[np.uint32]
_NONE = np.empty(0, np.uint32)


class Spread:
    """A manifest's volumes on nodes. One thread per object; threads may share the nodes."""

    def __init__(self, nodes: Nodes, manifest: Manifest) -> None:
        self.nodes, self.manifest = nodes, manifest
        self.unread: dict[str, str] = {}
        self.warnings: dict[str, str] = {}

    def ask(
        self, method: str, arguments: Any = (), volumes: Sequence[Volume] | None = None, *, size: int = 1
    ) -> list[Any]:
        """Return the nodes' answers for some volumes, all of them by default, as `Nodes.ask`.

        Note those without an answer.

        A volume that had no answer before is not asked for again: a query waits for it once.
        """
        every = self.manifest.volumes if volumes is None else volumes
        wanted = [one for one in every if one.name not in self.unread]
        found = self.nodes.ask(method, wanted, arguments, size=size)
        self.unread |= found.unread
        self.warnings = found.warnings | self.warnings
        return [one.value for one in found.values]

    def asked_for(self, hashes: Hashes) -> dict[str, Places]:
        """Return which of some hashes, in any order, each volume is asked for, by its name.

        One that has none is not there.

        A volume whose rows of the filter cannot be read is asked for all, and a warning tells that.
        """
        if self.nodes.rows is None:
            every = np.arange(len(hashes), dtype=np.uint32)
            return {one.name: every for one in self.manifest.volumes}
        found, unread = self.nodes.rows.having(self.manifest, hashes)
        self.warnings = {**self.warnings, **unread}
        return found

    @property
    def problems(self) -> tuple[str, ...]:
        """Which documents are in volumes that no node answered for so far."""
        return tuple(
            f"not looked at: {one.n_documents} document{'' if one.n_documents == 1 else 's'}, "
            f"ids {one.offset + 1} to {one.offset + one.n_ids}, "
            f"volume {one.name[:12]}: {self.unread[one.name]}"
            for one in self.manifest.volumes
            if one.name in self.unread
        )

    def named(self, names: Iterable[str]) -> list[Volume]:
        """Return volumes by their names, in the order of the manifest."""
        wanted = set(names)
        return [one for one in self.manifest.volumes if one.name in wanted]

    def having(self, ids: Iterable[int]) -> list[Volume]:
        """Return the volumes that have some documents, ascending; ids of no document have none."""
        found: dict[int, Volume] = {}
        for id_ in ids:
            with suppress(NotFoundError):
                one = self.manifest.volume_of(id_)
                found[one.offset] = one
        return [found[offset] for offset in sorted(found)]


class SpreadGeneration:
    """The volumes as one generation; see `pmbf.screen.stores.AnyGeneration`.

    Ids of documents that are left out ascend.
    """

    def __init__(self, spread: Spread, left_out: Ids = _NONE) -> None:
        self._spread, self._left_out = spread, left_out
        volumes = spread.manifest.volumes
        self._n_live, self._n_hashes = sum(one.n_live for one in volumes), sum(one.n_hashes for one in volumes)
        self._known = Together(_NONE, 0, [])

    @property
    def params(self) -> Params:
        return self._spread.manifest.params

    @property
    def n_documents(self) -> int:
        return self._n_live

    @property
    def warnings(self) -> tuple[str, ...]:
        told = self._spread.warnings
        named = [one.name for one in self._spread.manifest.volumes if one.name in told]
        return tuple(f"volume {name[:12]}: {told[name]}" for name in named)

    def without(self, documents: Ids) -> SpreadGeneration:
        remaining = SpreadGeneration(self._spread, documents)
        for n_live, n_hashes in self._spread.ask("totals", (documents,), self._spread.having(documents.tolist())):
            remaining._n_live -= n_live
            remaining._n_hashes -= n_hashes
        return remaining

    @property
    def left_out(self) -> Ids:
        return self._left_out

    def relative_sizes(self, ids: Ids) -> NDArray[np.float64]:
        n_hashes = np.maximum(1, self._known.n_hashes(ids))
        return np.asarray(n_hashes * (max(1, self._n_live) / max(1, self._n_hashes)))

    def evident(self, queries: Sequence[Sampled], rules: EvidentRules) -> Evident:
        """Return the documents with evidence enough of many queries, in one round of calls."""
        hashes = np.concatenate([_NONE, *(one.hashes for one in queries)])
        return self._having(hashes, rules.limit, len(queries)).evident(queries, rules)

    def documents_having(self, hashes: Hashes, *, limit: int) -> Having:
        """Return which live documents have which hashes of a query, and how many documents have each hash.

        A volume's counts leave out the documents that were removed from it, unless more than `limit` have the hash.
        """
        return self._having(hashes, limit).having(hashes, self._left_out)

    def near(self, queries: Sequence[Hashes], among: Sequence[Ranges], *, least: int, window: int) -> list[Keys]:
        queries_of: dict[str, set[int]] = defaultdict(set)
        for number, hashes in enumerate(queries):
            places = self._spread.asked_for(hashes)
            for one in self._spread.named(places):
                if len(within(among[number], one)) and are_near(places[one.name], least, window):
                    queries_of[one.name].add(number)

        def arguments(volumes: Sequence[Volume]) -> tuple[list[Hashes], Sequence[Ranges], int, int]:
            wanted = set[int]().union(*(queries_of[one.name] for one in volumes))
            return [one if number in wanted else one[:0] for number, one in enumerate(queries)], among, least, window

        volumes = self._spread.named(queries_of)
        parts = [part for its in self._spread.ask("near", arguments, volumes, size=len(queries)) for part in its]
        found = [np.sort(np.concatenate([np.empty(0, np.uint64), *of_query])) for of_query in zip(*parts, strict=True)]
        return [without(one, self._left_out) for one in found or [np.empty(0, np.uint64) for _ in queries]]

    def _having(self, hashes: Hashes, limit: int, n_queries: int = 1) -> Together:
        """Return what the volumes have of some hashes that they may have. What was told before is not asked again."""
        if not self._known.knows(hashes, limit):
            asked = distinct(hashes)
            places = self._spread.asked_for(asked)

            def arguments(volumes: Sequence[Volume]) -> tuple[Hashes, int, dict[str, Places]]:
                return asked, limit, {one.name: places[one.name] for one in volumes}

            found = self._spread.ask("having", arguments, self._spread.named(places), size=n_queries)
            self._known = Together(asked, limit, found)
        return self._known

    def require_live(self, ids: Ids) -> None:
        """Do nothing: a holder names live documents only."""


class SpreadCatalog:
    """The catalogs of all volumes; see `pmbf.screen.stores.AnyCatalog`."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread

    def by_sha256(self, contents: Iterable[str]) -> list[Document]:
        found: Iterator[Document] = _all(self._spread.ask("by_sha256", (list(contents),)))
        return sorted(found, key=lambda one: -one.id)

    def unread_documents(self) -> dict[int, tuple[str | None, str]]:
        found: Iterator[tuple[int, str | None, str]] = _all(self._spread.ask("unread_documents"))
        return {id_: (kind, problems) for id_, kind, problems in found}

    def some_paths(self, paths: Iterable[str]) -> dict[str, ListedPath]:
        wanted = list(paths)
        found: Iterator[ListedPath] = _all(self._spread.ask("some_paths", (wanted,)) if wanted else ())
        return {one.path: one for one in found}

    def listed_of(self, ids: Iterable[int]) -> dict[int, list[ListedPath]]:
        wanted = list(ids)
        found: dict[int, list[ListedPath]] = {}
        for one in sorted(_all(self._spread.ask("listed_of", (wanted,), self._spread.having(wanted)))):
            found.setdefault(one.document, []).append(one)
        return found

    def has_below(self, folder: str) -> bool:
        return any(self._spread.ask("has_below", (folder,)))

    def paths(self) -> list[ListedPath]:
        return sorted(_all(self._spread.ask("paths", (False,))))

    def labelled_paths(self) -> list[ListedPath]:
        return sorted(_all(self._spread.ask("paths", (True,))))


class SpreadBackend:
    """The volumes as one collection; see `pmbf.screen.backend.Backend`. One thread per object; threads may share nodes.

    Args:
        nodes: The nodes.
        manifest: The generation that answers, whatever is committed meanwhile.
        folder: What messages and reports call the collection.
        before: The object that this one was made by; its problems are told, too.
    """

    def __init__(self, nodes: Nodes, manifest: Manifest, folder: Path, before: SpreadBackend | None = None) -> None:
        self.spread, self.folder = Spread(nodes, manifest), folder
        self.generation, self.catalog = SpreadGeneration(self.spread), SpreadCatalog(self.spread)
        self._before = before

    @property
    def commit_number(self) -> int:
        return self.spread.manifest.number

    def listed_of(self, ids: Iterable[int]) -> dict[int, list[ListedPath]]:
        return self.catalog.listed_of(ids)

    @property
    def problems(self) -> tuple[str, ...]:
        """The volumes that no node has answered for so far."""
        own = self.spread.problems
        return (*own, *(one for one in self._before.problems if one not in own)) if self._before else own

    def again(self) -> SpreadBackend:
        return SpreadBackend(self.spread.nodes, self.spread.manifest, self.folder, self)

    def compare(self, batch: Sequence[Screened], options: Options) -> None:
        self._compare(batch, options)
        go_on(batch, partial(self._compare, options=options))

    def _compare(self, batch: Sequence[Screened], options: Options) -> None:
        manifest = self.spread.manifest
        names = {one.document: manifest.volume_of(one.document).name for query in batch for one in query.candidates}
        if not names:
            return
        parts = self._compared(names, partial(asked_of, batch, names), replace(options, labels_of=None), len(batch))
        for number, query in enumerate(batch):
            its = [part[number] for part in parts if number in part]
            leave(query, {id_: nats for one in its for id_, nats in one.told.items()}, options)
            by_id = {source.document.id: source for one in its for source in one.shared}
            query.shared = [by_id[one.document] for one in query.candidates if one.document in by_id]

    @contextmanager
    def workers(self, options: Options, jobs: int) -> Iterator[Workers]:
        with Threads(jobs) as threads:
            yield Workers(jobs, threads, (self, options))

    def _compared(
        self, ids: Iterable[int], of: Callable[[Sequence[Volume]], list[SentQuery]], options: Options, n_queries: int
    ) -> list[AnsweredEach]:
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


def word_statistics(spread: Spread) -> verify.Statistics | None:
    """Return the word statistics of a fair sample of the texts; those of one collection with the same documents.

    None if no texts are stored.
    """
    volumes = spread.manifest.volumes
    starts = np.cumsum([0, *(one.n_live for one in volumes)]).tolist()
    drawn = range(starts[-1])
    chosen = sorted(Random(0).sample(drawn, SAMPLED)) if len(drawn) > SAMPLED else list(drawn)
    places = {
        volume.name: [number - start for number in chosen if start <= number < start + volume.n_live]
        for volume, start in zip(volumes, starts, strict=False)
    }
    wanted = [one for one in volumes if places[one.name]]
    found: dict[str, list[str | None]] = {}
    for some in spread.ask(
        "beginnings", lambda its: ({one.name: places[one.name] for one in its}, SAMPLED_CHARS), wanted
    ):
        found |= some
    texts = [text for one in wanted for text in found.get(one.name, ()) if text is not None]
    statistics = verify.Statistics.of(verify.prepare(text).words for text in texts)
    return statistics if statistics.n_words else None


def _all(parts: Iterable[Iterable[Any]]) -> Iterator[Any]:
    return (one for part in parts for one in part)
