"""How a cluster's collection is, and its upkeep: volumes are joined, what nobody needs goes, everything is compared.

A commit does not delete: nodes may be reading the generation before, and a load may be writing files that no manifest
names yet. So files go after a *grace time*, in which they were neither written nor renewed. A load renews its files
just before it commits, and commits nothing if one is gone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmbf.base.errors import CorruptError, IncompleteError, NotFoundError, PmbfError
from pmbf.base.params import Params
from pmbf.cluster.calls import Nodes
from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Manifest, Volume, missing, read
from pmbf.cluster.volumes import Shelf, files_of, require_as_listed
from pmbf.cluster.working import each, fetch, here_of, unread_by_all, work
from pmbf.report.as_json import AsJson
from pmbf.store.check import check
from pmbf.store.folder import Store

GRACE_S = 24 * 3600.0
"""How long a generation and its files stay after they were replaced."""

VOLUME_BYTES, VOLUME_DOCUMENTS = 256 << 20, 65_536
"""The most that joined volumes have together. A volume with less than half of both is small."""

DEPOT = "depot"
"""What problems are listed under that are of no volume."""


@dataclass(frozen=True, slots=True)
class ClusterStatus(AsJson):
    """How a cluster's collection is.

    Args:
        depot: Where it is.
        generation: Number of its last commit.
        n_documents: Its documents.
        n_bytes: Bytes of its volumes, each counted once.
        volumes: The names of its volumes.
        nodes: The volumes that each node has, by the node's name. It fetches one when it is first asked for it.
        here: Those of them that are on the node's disk and can be read.
        hosts: The host of each node.
        missing: Why a node cannot read some of its volumes, by node and volume.
        unread: Why volumes cannot be read on any node, by name.
    """

    depot: str
    generation: int
    n_documents: int
    n_bytes: int
    volumes: list[str]
    nodes: dict[str, list[str]]
    here: dict[str, list[str]]
    hosts: dict[str, str]
    missing: dict[str, dict[str, str]]
    unread: dict[str, str]


def status_of(depot: str, nodes: Nodes, manifest: Manifest, *, fetch_all: bool) -> ClusterStatus:
    """Return how a cluster's collection is; see `ClusterCollection.status`."""
    volumes = manifest.volumes
    missing = fetch(nodes, volumes) if fetch_all else {}
    here, unread = here_of(nodes, volumes)
    missing = unread | missing
    return ClusterStatus(
        depot=depot,
        generation=manifest.number,
        n_documents=manifest.n_documents,
        n_bytes=sum(one.n_bytes for one in volumes),
        volumes=[one.name for one in volumes],
        nodes={node.name: [one.name for one in some] for node, some in nodes.of_nodes(volumes).items()},
        here={node.name: here.get(number, []) for number, node in enumerate(nodes.nodes)},
        hosts={node.name: node.host for node in nodes.nodes},
        missing={nodes.nodes[number].name: some for number, some in missing.items() if some},
        unread=unread_by_all(nodes, volumes, missing),
    )


@dataclass(frozen=True, slots=True)
class Health(AsJson):
    """Whether a cluster answers for all its documents now: how many nodes, volumes and documents there are.

    Late nodes failed or were late within the last seconds. No node answers for unread volumes.
    """

    nodes: int
    late_nodes: list[str]
    volumes: int
    unread_volumes: int
    unread_documents: int


def health(nodes: Nodes, manifest: Manifest) -> Health:
    """Ask each volume of a node that has it, or of the other one; wait as long as a query does. None is fetched."""
    found = nodes.ask("here", manifest.volumes)
    unread = [one for one in manifest.volumes if one.name in found.unread]
    n_documents = sum(one.n_documents for one in unread)
    return Health(len(nodes.nodes), nodes.late(), len(manifest.volumes), len(unread), n_documents)


def problems(depot: Depot, nodes: Nodes, manifest: Manifest) -> dict[str, list[str]]:
    """Return what is wrong, by the name of the volume or `DEPOT`; the nodes share the work, and mend their copies.

    `IncompleteError`: a check failed on as many nodes as there are, or on 3.
    """
    volumes, found = manifest.volumes, defaultdict[str, list[str]](list)
    for number in missing(depot):
        found[DEPOT].append(f"manifest {number} is missing before later ones; put back a copy")
    here = {node: (some,) for node, some in enumerate(nodes.of_nodes(volumes).values())}
    for mended in each(nodes, "mend", here).values():
        for name, some in mended.items() if isinstance(mended, dict) else ():
            found[name] += some
    for name, some in (nodes.rows.mend(volumes) if nodes.rows else {}).items():
        found[name] += some
    for one, some in zip(volumes, work(nodes, "check", [(one,) for one in volumes]), strict=True):
        found[one.name] += some
    return {name: some for name, some in found.items() if some}


def unnamed(depot: Depot) -> list[str]:
    """Return the files that no manifest names: of a load that runs or was ended, or of a generation that is lost."""
    named = named_files(depot, list(depot.generations()))
    return [one for one in depot.files() if one not in named]


# ---------------------------------------------------------------------- upkeep


@dataclass(frozen=True, slots=True)
class Upkeep(AsJson):
    """What a compaction of a depot did.

    Args:
        n_joined: Volumes that were joined.
        n_volumes: Volumes afterwards.
        n_generations: Generations that can no longer be read.
        n_files: Files that were deleted.
        n_bytes: Their bytes.
    """

    n_joined: int
    n_volumes: int
    n_generations: int
    n_files: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Swept:
    """What was deleted: generations, files, and the bytes of these."""

    n_generations: int = 0
    n_files: int = 0
    n_bytes: int = 0


def to_join(volumes: Sequence[Volume]) -> Iterator[list[Volume]]:
    """Yield the volumes that become one each: small ones that follow one another.

    Large ones stay: a document is written again some few times in its life, however many loads there are.
    """
    some: list[Volume] = []
    for one in volumes:
        is_small = 2 * one.n_bytes < VOLUME_BYTES and 2 * one.n_ids < VOLUME_DOCUMENTS
        if not (is_small and _fits([*some, one])):
            if len(some) > 1:
                yield some
            some = []
        if is_small:
            some.append(one)
    if len(some) > 1:
        yield some


def _fits(some: Sequence[Volume]) -> bool:
    return sum(one.n_bytes for one in some) <= VOLUME_BYTES and sum(one.n_ids for one in some) <= VOLUME_DOCUMENTS


def sweep(depot: Depot, grace_s: float) -> Swept:
    """Delete generations that were replaced before the grace time, and old files that no other generation names.

    `NotFoundError`, `CorruptError`: a generation that stays cannot be read; nothing was deleted.
    """
    ages = depot.generations()
    last = max(ages, default=0)
    replaced = {number: ages[after] for number, after in zip(sorted(ages), sorted(ages)[1:], strict=False)}
    gone = [number for number in sorted(ages) if number != last and replaced[number] >= grace_s]
    named = named_files(depot, [number for number in ages if number not in gone])
    for number in gone:
        depot.empty(number)
    sizes = [depot.delete(name, grace_s) for name in list(depot.files()) if name not in named]
    depot.clean(grace_s)
    return Swept(len(gone), sum(size > 0 for size in sizes), sum(sizes))


def named_files(depot: Depot, numbers: Sequence[int]) -> set[str]:
    """Return the files that some generations name."""
    volumes: set[str] = set()
    for number in numbers:
        volumes |= {one.name for one in read(depot, number).volumes}
    files = {file for name in volumes for file in files_of(depot, name).values()}
    return volumes | files


def renew(depot: Depot, volumes: Sequence[Volume]) -> None:
    """Make the files of new volumes young, just before they are committed.

    `IncompleteError`: one is gone, for its load took longer than the grace time; nothing was changed.
    """
    try:
        for one in volumes:
            depot.renew(one.name)
            for file in files_of(depot, one.name).values():
                depot.renew(file)
    except NotFoundError as error:
        raise IncompleteError(f"{error}; nothing was changed: run it again") from error


def volume_problems(depot: Depot, shelf: Shelf, volume: Volume, params: Params | None = None) -> list[str]:
    """Return what is wrong with a volume: its files in the depot, and what they say of each other."""
    found = _damaged_in_depot(depot, volume)
    if found:
        return found
    try:
        with Store(shelf.folder_of(volume.name)) as store:
            require_as_listed(store, volume, params)
            return check(store).problems
    except (PmbfError, OSError) as error:
        return [str(error)]


def _damaged_in_depot(depot: Depot, volume: Volume) -> list[str]:
    found = []
    try:
        depot.verify(volume.name)
        files = files_of(depot, volume.name)
    except (NotFoundError, CorruptError) as error:
        return [str(error)]
    for name in files.values():
        try:
            depot.verify(name)
        except (NotFoundError, CorruptError) as error:
            found.append(str(error))
    return found
