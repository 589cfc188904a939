"""Upkeep of a depot: small volumes are joined, what no generation needs is deleted, everything is compared.

A commit does not delete: nodes may be reading the generation before, and a load may be writing files that no manifest
names yet. So files go after a *grace time*, in which they were neither written nor renewed. A load renews its files
just before it commits, and commits nothing if one is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmbf.base.errors import CorruptError, IncompleteError, NotFoundError, PmbfError
from pmbf.base.params import Params
from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Volume, read
from pmbf.cluster.volumes import Shelf, files_of, require_as_listed
from pmbf.report.as_json import AsJson
from pmbf.store.check import check
from pmbf.store.folder import Store

GRACE_S = 24 * 3600.0
"""How long a generation and its files stay after they were replaced."""

VOLUME_BYTES, VOLUME_DOCUMENTS = 256 << 20, 65_536
"""The most that joined volumes have together. A volume with less than half of both is small."""


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


def problems(depot: Depot, shelf: Shelf, volume: Volume, params: Params | None = None) -> list[str]:
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
