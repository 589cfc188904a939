"""`ClusterCollection`: a collection on many nodes, with the verbs that `Collection` has for one in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pmbf.base.errors import CorruptError, IncompleteError, NotFoundError, ParameterError
from pmbf.base.params import Params
from pmbf.cluster import manifest as manifests
from pmbf.cluster.calls import Nodes
from pmbf.cluster.changing import Changing
from pmbf.cluster.depot import FolderDepot
from pmbf.cluster.filter_rows import RowsHere
from pmbf.cluster.holder import Holder
from pmbf.cluster.manifest import Manifest
from pmbf.cluster.noted import require_not_older
from pmbf.cluster.objects import depot_at
from pmbf.cluster.placement import Node, local_nodes
from pmbf.cluster.spread import Spread, SpreadBackend
from pmbf.cluster.texts import SpreadTexts, TextsOnNodes
from pmbf.cluster.upkeep import GRACE_S, ClusterStatus, Upkeep, problems, status_of, sweep
from pmbf.cluster.working import fetch, unread_by_all
from pmbf.extract import Limits
from pmbf.intake.adding import checked
from pmbf.intake.discovery import discover, is_among, several
from pmbf.intake.labelling import Labelling
from pmbf.intake.loader import LoadReport, Progress
from pmbf.jobs.executor import Executor, Local
from pmbf.store.listing import Listed, as_listed
from pmbf.verbs import AnyCollection

SHELF = "~/.cache/pmbf/shelf"
"""Where a host keeps its copies, unless the depot is a folder of this machine alone."""


class ClusterCollection(AnyCollection):
    """A collection whose documents lie on many nodes. Its reports are those of the same documents in one folder.

    The object shows the last commit at the time it was opened, or its own last change; `refresh` shows the last one.
    Any thread may screen; one thread at a time changes.

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
        self.path = Path(self._depot.address)
        if create and not manifests.last_number(self._depot):
            manifests.created(self._depot, params or Params())
        is_folder = isinstance(self._depot, FolderDepot)
        where = os.path.abspath(self._depot.address) if is_folder else self._depot.address
        self._shelves = Path(shelf or (f"{where}/shelf" if is_folder else SHELF))
        self.manifest = self._last()
        if params is not None and params != self.manifest.params:
            raise ParameterError(f"{self._depot.address}: was made with other parameters; they cannot change")
        started = local_nodes(nodes) if isinstance(nodes, int) else list(nodes)
        self._executor = executor or Local()
        self._executor.start(Holder, [(where, str(self._shelves / one.name), self.manifest.params) for one in started])
        self._rows = RowsHere(self._shelves.expanduser() / ".rows", self._depot, self.manifest.params)
        self.nodes = Nodes(self._executor, started, timeout_s=timeout_s, rows=self._rows)
        self._fetch_all = fetch_all
        if fetch_all:
            self.open()

    def close(self) -> None:
        """End the nodes."""
        self._executor.close()

    @property
    def address(self) -> str:
        """The depot, as a user types it."""
        return self._depot.address

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def n_documents(self) -> int:
        return self.manifest.n_documents

    @property
    def n_without_text(self) -> int:
        return sum(one.n_without_text for one in self.manifest.volumes)

    def is_last(self) -> bool:
        """Return whether this object shows the last commit."""
        return manifests.last_number(self._depot) == self.manifest.number

    def refresh(self) -> Manifest:
        """Show the last commit, and return it; the nodes keep its volumes and those shown before.

        If it is damaged, missing or another collection's, then `CorruptError` is raised, and what was shown stays.
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

    def status(self, *, fetch_all: bool = False) -> ClusterStatus:
        """Return which volumes nodes have, and which are on their disks; with `fetch_all` they fetch all before."""
        return status_of(self._depot.address, self.nodes, self.manifest, fetch_all=fetch_all)

    def documents(self) -> Iterator[Listed]:
        """Yield every document by ascending id.

        Behind the last, `IncompleteError` tells that no node can read some volumes.
        """
        archive = self.archive()
        yield from (as_listed(*entry) for entry in archive.entries())
        if archive.problems:
            raise IncompleteError(f"{self.path}: {archive.problems[0]}")

    def is_among_documents(self, place: str) -> bool:
        return is_among(self._backend.catalog, place)

    def archive(self) -> SpreadTexts:
        """Return the documents of this generation and their texts, for runs over all of them."""
        return SpreadTexts(Spread(self.nodes, self.manifest))

    def text(self, document: int) -> str:
        return self._source_texts(document)

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
        wanted = set(self._find(what))
        ids = [one for one in wanted if isinstance(one, int)]
        self.manifest = self._changing.remove(ids, [one for one in wanted if isinstance(one, str)])
        return len(wanted)

    # ------------------------------------------------------------------ upkeep

    def compact(self, grace_s: float = GRACE_S) -> Upkeep:
        """Join small volumes in one commit, and delete generations and files that nobody has needed for `grace_s`.

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
        return problems(self._depot, self.nodes, self.manifest)

    @property
    def _changing(self) -> Changing:
        return Changing(self._depot, self.nodes, self.manifest)

    @property
    def _source_texts(self) -> TextsOnNodes:
        return TextsOnNodes(self.nodes, self.manifest)

    def _find(self, what: Iterable[int | str | os.PathLike[str]]) -> list[int | str]:
        store, asked = self._backend, list(what)
        forms = [(one,) if isinstance(one, int) else (os.fspath(one), os.path.abspath(one)) for one in asked]
        ids = [one for some in forms for one in some if isinstance(one, int)]
        paths = store.catalog.some_paths(one for some in forms for one in some if isinstance(one, str))
        known: set[int | str] = {*paths, *store.listed_of(ids)}
        found = [next((form for form in some if form in known), None) for some in forms]
        if None in found:
            why = f" ({next(iter(store.spread.unread.values()))})" if store.spread.unread else ""
            raise NotFoundError(f"{self.path}: has no document {asked[found.index(None)]!r}{why}")
        return [one for one in found if one is not None]

    @property
    def _backend(self) -> SpreadBackend:
        return SpreadBackend(self.nodes, self.manifest, self.path)
