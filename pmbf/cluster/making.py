"""What a node makes for the one that commits: new volumes of files and texts, and changed ones in place of old ones.

A volume that is made and not committed is a file nobody names. It does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Volume
from pmbf.cluster.volumes import Shelf, seal
from pmbf.extract import Limits
from pmbf.intake.adding import Named, add_texts
from pmbf.intake.discovery import FileFound
from pmbf.intake.loader import Loader, LoadReport
from pmbf.params import Params
from pmbf.store.compact import compact
from pmbf.store.folder import Store
from pmbf.store.folders import temporary_folder
from pmbf.store.tables import ListedPath, made_from
from pmbf.store.writer import Writer

COMPACT_SHARE = 4
"""A changed volume is compacted if a fourth of its documents are removed ones."""

Content = tuple[str, str]
"""The SHA-256 of a document, and what it was made from (`made_from`): equal ones are one document."""


@dataclass(frozen=True, slots=True)
class Made:
    """A new volume.

    Args:
        volume: The volume.
        contents: Its documents' contents by id, ascending.
        paths: Its paths, by document, in the order of the alphabet.
        report: What was loaded.
    """

    volume: Volume
    contents: dict[int, Content]
    paths: list[ListedPath]
    report: LoadReport


@dataclass(slots=True)
class Edit:
    """A change of a volume, in the volume's ids.

    Args:
        attached: Paths that documents of the volume are listed under from now on, with their labels.
        detached: Paths that are taken out; a document goes with its last path.
        removed: Documents that are removed with all their paths.
    """

    attached: list[ListedPath] = field(default_factory=list)
    detached: list[str] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.attached or self.detached or self.removed)


def made_of_files(depot: Depot, params: Params, found: Sequence[FileFound], limits: Limits) -> Made:
    """Return a new volume of the files that can be read.

    Raises:
        OSError: The disk is full.
    """
    return _made(depot, params, lambda writer: Loader(writer, params, limits=limits).load(found))


def made_of_texts(depot: Depot, params: Params, named: Sequence[Named]) -> Made:
    """Return a new volume of texts, each with its name."""

    def add(writer: Writer) -> LoadReport:
        add_texts(writer, named)
        return LoadReport()

    return _made(depot, params, add)


def changed(depot: Depot, shelf: Shelf, volume: Volume, edit: Edit) -> Volume:
    """Return a volume with a change, to take the place of another one.

    Raises:
        NotFoundError, CorruptError: The volume cannot be read.
    """
    with temporary_folder("pmbf-volume-") as beside:
        folder = beside / "volume.pmbf"
        shelf.copy(volume.name, folder)
        with Store(folder, writable=True) as store:
            writer = Writer(store)
            attached = {one.path: one for one in edit.attached}
            writer.relist(list(writer.paths(list(attached)).values()), list(attached.values()))
            writer.detach(sorted(set(edit.detached) - attached.keys()))
            writer.remove(edit.removed)
            writer.commit()
            totals = store.generation.directory.totals()
            if totals.n_removed * COMPACT_SHARE > totals.n_live + totals.n_without_text:
                compact(writer)
        return seal(folder, depot, instead_of=volume)


def _made(depot: Depot, params: Params, fill: Callable[[Writer], LoadReport]) -> Made:
    with temporary_folder("pmbf-volume-") as beside:
        folder = Path(beside) / "volume.pmbf"
        Store.create(folder, params)
        with Store(folder, writable=True) as store:
            report = fill(Writer(store))
            contents = {row.id: (row.sha256, made_from(row.kind)) for row in store.catalog.live_documents()}
            paths = sorted(store.catalog.paths(), key=lambda one: (one.document, one.path))
        return Made(seal(folder, depot), contents, paths, report)
