"""`ClusterCollection`: a collection on many nodes, with the verbs that `Collection` has for one in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self, Unpack

from pmbf.cluster import checking
from pmbf.cluster import manifest as manifests
from pmbf.cluster.asking import Questions, answers
from pmbf.cluster.calls import Nodes
from pmbf.cluster.changing import Changing
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.holder import Holder
from pmbf.cluster.manifest import Manifest
from pmbf.cluster.noted import require_not_older
from pmbf.cluster.objects import depot_at
from pmbf.cluster.placement import Node, local_nodes
from pmbf.cluster.rows import RowsHere
from pmbf.cluster.spread import Spread, SpreadCatalog, SpreadStore
from pmbf.cluster.status import Status, status_of
from pmbf.cluster.texts import SourceTexts, SpreadTexts
from pmbf.cluster.upkeep import GRACE_S, Upkeep, sweep
from pmbf.cluster.working import fetch, unread_by_all
from pmbf.errors import CorruptError, IncompleteError, NotFoundError, ParameterError
from pmbf.extract import Limits
from pmbf.intake.adding import checked
from pmbf.intake.discovery import discover, is_among, several
from pmbf.intake.labelling import Labelling
from pmbf.intake.loader import LoadReport, Progress
from pmbf.intake.texts import Origin, Text, origins, read_text
from pmbf.jobs.executor import Executor, Local
from pmbf.params import Params
from pmbf.report import Report, Texts
from pmbf.screen import Answer, LeftPaths, Options, OptionValues, reports
from pmbf.store.listing import Listed, as_listed

SHELF = "~/.cache/pmbf/shelf"
"""Where a host keeps its copies, unless the depot is a folder of this machine alone."""


class ClusterCollection:
    """A collection whose documents lie on many nodes. Its reports are those of the same documents in one folder.

    The object shows the last commit at the time it was opened, or its own last change; `refresh` shows the last one.

    Args:
        depot: The folder of the depot, or `s3://bucket/folder`.
        nodes: How many nodes are started, each a process of this machine with its own copies of its volumes; or the
            nodes of an executor.
        executor: Where the nodes run, if not in processes of this machine: it makes and calls their holders.
        shelf: The folder for the nodes' copies, by default `shelf/` in the depot's folder, or `~/.cache/pmbf/shelf`;
            `~` is the home folder on the node.
        timeout_s: Seconds that a node has for an answer; then the nodes with the copies are asked.
        fetch_all: Whether the nodes fetch all their volumes now, and at each `refresh`. Else a node fetches a volume
            when the volume is first asked for.
        create: Whether to make the collection if it is not there.
        params: Parameters of a new collection.

    Raises:
        NotFoundError: There is no collection, and `create` is false.
        ParameterError: `nodes` is less than 1, or `params` differ from those of the collection.
        CorruptError: The last manifest is damaged or missing.

    Thread rule: any thread may screen; one thread at a time changes.

    >>> import tempfile
    >>> with ClusterCollection(tempfile.mkdtemp() + "/depot", nodes=2, create=True) as collection:
    ...     collection.add_many([("sea", "The sea comes in twice a day and goes out twice a day.")])
    ...     [match.document.path for match in collection.screen("The sea comes in twice a day and goes out.").matches]
    ['sea']
    """

    def __init__(
        self,
        depot: str | os.PathLike[str],
        *,
        nodes: int | Sequence[Node] = 3,
        executor: Executor | None = None,
        shelf: str | os.PathLike[str] | None = None,
        timeout_s: float = 30.0,
        fetch_all: bool = False,
        create: bool = False,
        params: Params | None = None,
    ) -> None:
        self._depot = depot_at(depot)
        if create and not manifests.last_number(self._depot):
            manifests.created(self._depot, params or Params())
        is_folder = isinstance(self._depot, FolderDepot)
        where = os.path.abspath(self._depot.address) if is_folder else self._depot.address
        self._shelves = Path(shelf or (f"{where}/shelf" if is_folder else SHELF))
        self.manifest = self._last()
        if params is not None and params != self.params:
            raise ParameterError(f"{self._depot.address}: was made with other parameters; they cannot change")
        started = local_nodes(nodes) if isinstance(nodes, int) else list(nodes)
        self._executor = executor or Local()
        self._executor.start(Holder, [(where, str(self._shelves / one.name), self.params) for one in started])
        self._rows = RowsHere(self._shelves.expanduser() / ".rows", self._depot, self.params)
        self.nodes = Nodes(self._executor, started, timeout_s=timeout_s, rows=self._rows)
        self._fetch_all = fetch_all
        if fetch_all:
            self.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.manifest.n_documents

    def close(self) -> None:
        """End the nodes."""
        self._executor.close()

    @property
    def path(self) -> Path:
        """The folder of the depot, or its address."""
        return Path(self._depot.address)

    @property
    def address(self) -> str:
        """The depot, as a user types it."""
        return self._depot.address

    @property
    def params(self) -> Params:
        """The parameters that the collection was made with."""
        return self.manifest.params

    @property
    def id(self) -> str:
        """Random, and unlike that of every other collection."""
        return self.manifest.id

    @property
    def n_documents(self) -> int:
        """Live documents, those without text included."""
        return self.manifest.n_documents

    @property
    def n_without_text(self) -> int:
        """Live documents without text, which are known by their checksum alone."""
        return sum(one.n_without_text for one in self.manifest.volumes)

    @property
    def generation(self) -> int:
        """Number of the commit that this object shows."""
        return self.manifest.number

    def is_last(self) -> bool:
        """Return whether this object shows the last commit."""
        return manifests.last_number(self._depot) == self.manifest.number

    def refresh(self) -> Manifest:
        """Show the last commit; the nodes keep its volumes and those shown before. Return it.

        Raises:
            CorruptError: The last manifest is damaged or missing, or another collection's; what was shown stays.
        """
        before, found = self.manifest, self._last()
        if (found.id, found.params) != (before.id, before.params):
            raise CorruptError(f"{self._depot.address}: is another collection now; open it anew")
        self.manifest = found
        if self._fetch_all:
            self.open()
        self.nodes.keep({*before.volumes, *self.manifest.volumes})
        return self.manifest

    def _last(self) -> Manifest:
        found = manifests.last(self._depot)
        require_not_older(self._shelves.expanduser(), self._depot, id_=found.id, number=found.number)
        return found

    def open(self) -> dict[str, str]:
        """Have the nodes fetch and open their volumes now; return why volumes cannot be read, by name."""
        volumes = self.manifest.volumes
        return unread_by_all(self.nodes, volumes, fetch(self.nodes, volumes))

    def status(self, *, fetch_all: bool = False) -> Status:
        """Return which volumes nodes have, and which are on their disks; with `fetch_all` they fetch all before."""
        return status_of(self._depot.address, self.nodes, self.manifest, fetch_all=fetch_all)

    # ------------------------------------------------------------------ screening

    def screen(
        self,
        query: str | bytes | os.PathLike[str],
        *,
        name: str = "",
        limits: Limits | None = None,
        **options: Unpack[OptionValues],
    ) -> Report:
        """Return which documents a text shares passages with, as `Collection.screen`.

        Volumes that no node has answered for are named in `problems`. Raises what `Collection.screen` raises.
        """
        origin = Origin.of(query, name)
        [answer] = self.answers([origin], limits=limits, **options)
        if answer.query.unread:
            read_text(origin, limits or Limits())  # raises what stands in the report's problems
        return answer.report

    def screen_many(
        self,
        queries: Iterable[str | bytes | os.PathLike[str]],
        *,
        jobs: int = 1,
        limits: Limits | None = None,
        **options: Unpack[OptionValues],
    ) -> Iterator[Report]:
        """Yield the report of each query, in order, as `Collection.screen_many`; `jobs` threads ask the nodes."""
        return reports(self.answers(origins(several("queries", queries)), limits=limits, jobs=jobs, **options), None)

    def answers(
        self,
        queries: Iterable[Origin | Text],
        *,
        limits: Limits | None = None,
        jobs: int = 1,
        leaving_out: LeftPaths | None = None,
        **options: Unpack[OptionValues],
    ) -> Iterator[Answer]:
        """Yield each query with its report, in order, as `Collection.answers`."""
        if jobs < 1:
            raise ParameterError(f"jobs is {jobs}, expected at least 1")
        questions = Questions(limits or Limits(), Options.of(options), leaving_out, jobs)
        found = answers(self.nodes, self.manifest, self.path, queries, questions)
        return (replace(one, report=self._with_texts(one.report, one.query)) for one in found)

    def _with_texts(self, report: Report, query: Text) -> Report:
        texts = Texts(query.content, SourceTexts(self.nodes, self.manifest))
        return replace(report, query=replace(report.query, kind=query.kind), texts=texts)

    def documents(self) -> Iterator[Listed]:
        """Yield every document by ascending id, as `Collection.documents`.

        Raises:
            IncompleteError: No node can read some volumes; told behind the last document.
        """
        archive = self.archive()
        yield from (as_listed(*entry) for entry in archive.entries())
        if archive.problems:
            raise IncompleteError(f"{self.path}: {archive.problems[0]}")

    def is_among_documents(self, place: str) -> bool:
        """Return whether what is written at a place would be loaded, as `Collection.is_among_documents`."""
        return is_among(SpreadCatalog(Spread(self.nodes, self.manifest)), place)

    def archive(self) -> SpreadTexts:
        """Return the documents of this generation and their texts, for runs over all of them."""
        return SpreadTexts(Spread(self.nodes, self.manifest))

    def text(self, document: int) -> str:
        """Return a document's text.

        Raises:
            NotFoundError: There is no such document.
            IncompleteError: No node can read it.
        """
        return SourceTexts(self.nodes, self.manifest)(document)

    # ------------------------------------------------------------------ changing

    def load(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        prune: bool = False,
        labels: Labelling | None = None,
        limits: Limits | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> LoadReport:
        """Load files and folders that all nodes can read, in one commit, as `Collection.load`.

        `on_progress` is called four times a second. A second commit takes out paths whose file is gone (`prune`), as
        this machine sees it, and changes `labels`.

        Raises:
            BusyError: Somebody else has committed meanwhile; nothing has changed.
            IncompleteError: A volume cannot be read, or nodes failed again and again; nothing has changed.
        """
        roots = [os.fspath(one) for one in several("paths", paths)]
        found = discover(roots, several("include", include), several("exclude", exclude))
        self.manifest, report = self._changing.load(found, limits or Limits(), on_progress)
        if prune or labels:
            self.manifest = self._changing.tend(roots, report, prune=prune, labels=labels)
        return report

    def add_many(self, texts: Iterable[tuple[str, str]]) -> None:
        """Store pairs of a name and a text in one commit; raise what `Collection.add_many` and `load` raise."""
        self.manifest = self._changing.add([one for one in checked(texts) if one])

    def remove(self, *what: int | str | os.PathLike[str]) -> int:
        """Remove documents by id, or take out paths and names, as `Collection.remove`; raise what `load` raises."""
        ids = {one for one in what if isinstance(one, int)}
        names = {os.fspath(one) for one in what if not isinstance(one, int)}
        spread = Spread(self.nodes, self.manifest)
        by_path = SpreadCatalog(spread).some_paths(names | {os.path.abspath(one) for one in names})
        paths = [by_path.get(one) or by_path.get(os.path.abspath(one)) for one in names]
        of_ids = SpreadStore(spread, self.path).listed_of(ids).keys()
        missing: set[object] = (ids - of_ids) | {name for name, one in zip(names, paths, strict=True) if one is None}
        if missing:
            why = f" ({next(iter(spread.unread.values()))})" if spread.unread else ""
            raise NotFoundError(f"{self.path}: has no document {next(iter(missing))!r}{why}")
        self.manifest = self._changing.remove(ids, [one for one in paths if one])
        return len(what)

    # ------------------------------------------------------------------ upkeep

    def compact(self, grace_s: float = GRACE_S) -> Upkeep:
        """Join small volumes in one commit, and delete generations and files that nobody has needed for some time.

        Args:
            grace_s: Seconds that a generation and its files stay after they were replaced.

        Raises:
            BusyError: Somebody else has committed meanwhile; nothing has changed.
            IncompleteError, NotFoundError, CorruptError: A volume or a generation cannot be read.
        """
        self.manifest, n_joined = self._changing.join()
        swept = sweep(self._depot, grace_s)
        return Upkeep(n_joined, len(self.manifest.volumes), swept.n_generations, swept.n_files, swept.n_bytes)

    def check(self) -> dict[str, list[str]]:
        """Compare every file of the depot with its name, and every volume with itself; return problems by volume.

        The nodes share the work. A file that is damaged on a node's disk alone is told, and fetched anew. Problems of
        no volume, such as a missing manifest, are listed under `depot`.
        """
        return checking.problems(self._depot, self.nodes, self.manifest)

    @property
    def _changing(self) -> Changing:
        return Changing(self._depot, self.nodes, self.manifest)
