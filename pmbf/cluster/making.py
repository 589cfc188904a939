"""What a node makes for the one that commits: new volumes of files and texts, and changed ones in place of old ones.

A volume that is made and not committed is a file nobody names. It does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from pmbf.base.params import Params
from pmbf.cluster.depot import Depot
from pmbf.cluster.manifest import Volume
from pmbf.cluster.volumes import Shelf, seal
from pmbf.cluster.workplace import Workplace
from pmbf.intake.loader import LoadReport
from pmbf.kernels import Samples
from pmbf.store import fingerprints
from pmbf.store.catalog_tables import DocumentRows, ListedPath, made_from
from pmbf.store.compact import compact
from pmbf.store.fingerprints import some_together, texts
from pmbf.store.folder import Store
from pmbf.store.incoming import NewDocuments
from pmbf.store.writer import Writer

COMPACT_SHARE = 4
"""A changed volume is compacted if a fourth of its documents are removed ones."""

_COMMIT_BYTES = 64 << 20
"""Bytes of text that wait for a commit while volumes are joined."""

Content = tuple[str, str]
"""The SHA-256 of a document, and what it was made from (`made_from`): equal ones are one document."""


@dataclass(frozen=True, slots=True)
class Made:
    """A new volume: its contents by the ids of its documents, ascending, its paths by document, and what was loaded."""

    volume: Volume
    contents: dict[int, Content]
    paths: list[ListedPath]
    report: LoadReport


@dataclass(slots=True)
class VolumeEdit:
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


def made(depot: Depot, workplace: Workplace, params: Params, fill: Callable[[Writer], LoadReport]) -> Made:
    """Return a new volume that a function fills."""
    with workplace.new_folder() as beside:
        folder = beside / "volume.pmbf"
        Store.create(folder, params)
        with Store(folder, writable=True) as store:
            report = fill(Writer(store))
            contents = {row.id: (row.sha256, made_from(row.kind)) for row in store.catalog.live_documents()}
            paths = sorted(store.catalog.paths(), key=lambda one: (one.document, one.path))
        return Made(seal(folder, depot), contents, paths, report)


def changed(depot: Depot, shelf: Shelf, volume: Volume, edit: VolumeEdit) -> Volume:
    """Return a volume with a change, to take the place of another one; raise what `Shelf.folder_of` raises."""
    with shelf.workplace.new_folder() as beside:
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


def joined(depot: Depot, shelf: Shelf, params: Params, volumes: Sequence[Volume]) -> Volume:
    """Return a volume with the documents of others, which follow one another, to take their place; all ids stay.

    It raises what `Shelf.folder_of` raises.
    """
    offset, end = volumes[0].offset, volumes[-1].offset + volumes[-1].n_ids
    with shelf.workplace.new_folder() as beside:
        folder = beside / "volume.pmbf"
        Store.create(folder, params)
        with Store(folder, writable=True) as store:
            writer = Writer(store)
            for one in volumes:
                with Store(shelf.folder_of(one.name)) as part:
                    _take_over(writer, part, one.offset - offset)
            writer.commit(is_last=True)
        return replace(seal(folder, depot), offset=offset, n_ids=end - offset)


def _take_over(writer: Writer, part: Store, moved: int) -> None:
    """Add the live documents of a volume to another one, with ids that are higher by `moved`."""
    rows = {row.id: row for row in part.catalog.live_documents()}
    for numbers in some_together(DocumentRows.of(list(rows.values())).numbers):
        ids = numbers.id.tolist()
        some = [rows[id_] for id_ in ids]
        content, starts, stops = texts(part.generation, numbers)
        taken = fingerprints.taken(part, numbers)
        samples = Samples(
            bounds=taken.bounds,
            firsts=taken.firsts,
            n_chars=numbers.n_chars,
            n_tokens=numbers.n_tokens,
            word_bounds=taken.word_bounds,
            hashes=taken.hashes,
            words=taken.words,
        )
        kinds, sums = [one.kind for one in some], [one.sha256 for one in some]
        problems = {at: one.problems for at, one in enumerate(some) if one.problems}
        new = NewDocuments(kinds, sums, content, starts, stops, samples, problems)
        writer.add(new, [id_ + moved for id_ in ids])
        listed = [path for its in part.listed_of(ids).values() for path in its]
        writer.relist([], [one._replace(document=one.document + moved) for one in listed])
        if writer.pending_bytes > _COMMIT_BYTES:
            writer.commit(has_more=True)
