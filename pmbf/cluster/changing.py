"""Changes of a cluster's collection: nodes make volumes, and one process commits the manifest that names them.

    files, texts ─► parts ─► nodes: a new volume each ─► here: which contents are known
                 ─► nodes: changed volumes ─► here: commit

Equal contents are one document, in whatever volume it lies: the later one is taken out of the new volume, and its path
is listed for the earlier one. Nothing is visible before the commit, and two that commit at the same time do not mix:
the one that comes second is told so, and has changed nothing.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pmbf.base.errors import IncompleteError
from pmbf.cluster.calls import Nodes
from pmbf.cluster.depot import Depot
from pmbf.cluster.making import Content, Made, VolumeEdit
from pmbf.cluster.manifest import Manifest, Volume, commit
from pmbf.cluster.spread import Spread, SpreadCatalog
from pmbf.cluster.upkeep import renew, to_join
from pmbf.cluster.working import OnRound, work
from pmbf.extract import Limits
from pmbf.intake.adding import Named
from pmbf.intake.discovery import FileFound, Problem, below, gone
from pmbf.intake.labelling import Labelling, LabelTable, relabelled
from pmbf.intake.loader import LoadReport, Progress
from pmbf.store.catalog_tables import BINARY_KIND, ListedPath, made_from

Found = TypeVar("Found")

PART_BYTES, PART_DOCUMENTS = 256 << 20, 65_536
"""Files of a new volume: 256 MB of them, or 65,536 of them."""


class Changing:
    """One change of a collection, made from one of its generations."""

    def __init__(self, depot: Depot, nodes: Nodes, manifest: Manifest) -> None:
        self._depot, self._nodes, self._manifest = depot, nodes, manifest

    def load(
        self,
        found: Iterable[FileFound | Problem],
        limits: Limits,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> tuple[Manifest, LoadReport]:
        """Load files and commit; return the new manifest, and what was loaded. Unchanged files are not read.

        `on_progress` is called four times a second or more often. `BusyError`: somebody else has committed meanwhile.
        `IncompleteError`: a volume cannot be read, or nodes failed again and again. Nothing has changed then.
        """
        started, files = time.monotonic(), list(found)
        problems = [one for one in files if isinstance(one, Problem)]
        by_path = {one.path: one for one in files if isinstance(one, FileFound)}
        listed = self._listed(by_path)
        wanted = [one for one in by_path.values() if not _is_unchanged(one, listed.get(one.path))]
        parts = list(_parts(wanted, lambda one: one.size))
        tasks = [(self._manifest.params, part, limits) for part in parts]
        made = work(self._nodes, "load", tasks, _told(on_progress, parts) if on_progress else None)
        manifest, report = self._committed(made, listed)
        self._say_unread(report, [listed[path] for path in by_path.keys() - {one.path for one in wanted}])
        report.problems = problems + report.problems
        report.seconds = time.monotonic() - started
        return manifest, report

    def _say_unread(self, report: LoadReport, unchanged: Iterable[ListedPath]) -> None:
        """Count files as unchanged, and say again which parts of them were not read."""
        spread = Spread(self._nodes, self._manifest)
        unread = _complete(spread, SpreadCatalog(spread).unread_documents())
        for one in sorted(unchanged):
            report.n_unchanged += 1
            if one.document in unread:
                kind, problems = unread[one.document]
                report.say_unread(one.path, problems, is_binary=kind == BINARY_KIND, has_words=kind is None)

    def add(self, named: Sequence[Named]) -> Manifest:
        """Store texts under their names and commit; return the new manifest. Raise what `load` raises."""
        tasks = [(self._manifest.params, part) for part in _parts(list(dict(named).items()), lambda one: len(one[1]))]
        return self._committed(work(self._nodes, "store", tasks), self._listed(dict(named)))[0]

    def remove(self, ids: Iterable[int], paths: Iterable[str]) -> Manifest:
        """Remove documents, take out paths, and commit; return the new manifest. Raise what `load` raises."""
        edits: dict[Volume, VolumeEdit] = defaultdict(VolumeEdit)
        for id_ in ids:
            volume = self._manifest.volume_of(id_)
            edits[volume].removed.append(id_ - volume.offset)
        for one in self._listed(paths).values():
            edits[self._manifest.volume_of(one.document)].detached.append(one.path)
        return self._commit(self._manifest.following(changed=self._changed(edits)))

    def tend(self, roots: Sequence[str], report: LoadReport, *, prune: bool, labels: Labelling | None) -> Manifest:
        """Take out the paths below some roots whose file is gone, change labels of the others, and commit.

        The report gets what was done. If a label is wrong (`ParameterError`), or `load` would raise, then nothing has
        changed.
        """
        spread, edits = Spread(self._nodes, self._manifest), defaultdict[Volume, VolumeEdit](VolumeEdit)
        listed = _complete(spread, SpreadCatalog(spread).paths())
        paths, problems = gone(listed, roots) if prune else ([], [])
        for one in paths:
            edits[self._manifest.volume_of(one.document)].detached.append(one.path)
        taken_out = {one.path for one in paths}
        remaining = below((one for one in listed if one.path not in taken_out), roots)
        changed = relabelled(remaining, labels) if labels else []
        for _, now in changed:
            volume = self._manifest.volume_of(now.document)
            edits[volume].attached.append(now._replace(document=now.document - volume.offset))
        report.n_pruned += len(paths)
        report.n_labelled += len(changed)
        report.problems += [*problems, *(labels.unused() if isinstance(labels, LabelTable) else ())]
        return self._commit(self._manifest.following(changed=self._changed(edits))) if edits else self._manifest

    def _listed(self, paths: Iterable[str]) -> dict[str, ListedPath]:
        spread = Spread(self._nodes, self._manifest)
        return _complete(spread, SpreadCatalog(spread).some_paths(paths))

    def _committed(self, made: Sequence[Made], listed: dict[str, ListedPath]) -> tuple[Manifest, LoadReport]:
        spread = Spread(self._nodes, self._manifest)
        contents = {content[0] for one in made for content in one.contents.values()}
        known = _complete(spread, SpreadCatalog(spread).by_sha256(contents))
        settled = _Settled(self._manifest, {(one.sha256, made_from(one.kind)): one.id for one in known}, listed)
        for part, one in enumerate(made):
            settled.take(part, one)
        of_new = {made[part].volume: edit for part, edit in settled.of_new.items()}
        renewed = dict(zip(of_new, self._changed(of_new), strict=True))
        added = [renewed.get(one.volume, one.volume) for one in made]
        if not (settled.of_old or any(one.n_documents for one in added)):
            return self._manifest, settled.report
        changed = self._changed(settled.of_old)
        following = self._manifest.following(changed=changed, added=[one for one in added if one.n_documents])
        return self._commit(following), settled.report

    def _changed(self, edits: dict[Volume, VolumeEdit]) -> list[Volume]:
        return work(self._nodes, "change", list(edits.items()))

    def join(self) -> tuple[Manifest, int]:
        """Join small volumes and commit; return the new manifest, and how many were joined. Raise what `load` raises.

        Documents keep their ids, and reports stay as they are but for text that some fifty documents share.
        """
        groups = list(to_join(self._manifest.volumes))
        if not groups:
            return self._manifest, 0
        made = work(self._nodes, "join", [(self._manifest.params, some) for some in groups])
        return self._commit(self._manifest.joined(made)), sum(map(len, groups))

    def _commit(self, manifest: Manifest) -> Manifest:
        before = {one.name for one in self._manifest.volumes}
        renew(self._depot, [one for one in manifest.volumes if one.name not in before])
        commit(self._depot, manifest)
        return manifest


@dataclass(slots=True)
class _Settled:
    """Where the documents and paths of new volumes belong.

    Args:
        manifest: The generation that is changed.
        known: The ids of documents that it has, by content.
        listed: How paths are listed before the change.
        of_old: Changes of volumes that the collection has.
        of_new: Changes of new volumes, by part.
        report: What was loaded.
    """

    manifest: Manifest
    known: dict[Content, int]
    listed: dict[str, ListedPath]
    of_old: dict[Volume, VolumeEdit] = field(default_factory=lambda: defaultdict(VolumeEdit))
    of_new: dict[int, VolumeEdit] = field(default_factory=lambda: defaultdict(VolumeEdit))
    report: LoadReport = field(default_factory=LoadReport)
    _made: dict[Content, tuple[int, int]] = field(default_factory=dict)

    def take(self, part: int, made: Made) -> None:
        """Say where the documents and paths of a new volume belong."""
        report = made.report
        self.report.n_bytes += report.n_bytes
        self.report.n_skipped += report.n_skipped
        self.report.problems += report.problems
        self.report.skipped += report.skipped
        self.report.without_text += report.without_text
        seen: set[int] = set()
        for listed in made.paths:
            content = made.contents[listed.document]
            if content in self.known:
                self._to_old(listed, self.known[content])
            else:
                self._to_new(part, listed, content, listed.document not in seen)
            seen.add(listed.document)
        for document, content in made.contents.items():
            if content in self.known or self._made[content] != (part, document):
                self.of_new[part].removed.append(document)

    def _to_old(self, listed: ListedPath, document: int) -> None:
        before = self.listed.get(listed.path)
        if before is not None and before.document != document:
            self.of_old[self.manifest.volume_of(before.document)].detached.append(listed.path)
            self.report.n_replaced += 1
        same = before is not None and before.document == document
        self.report.n_same += not same
        self.report.n_unchanged += same
        labels = before.labels if before else listed.labels
        volume = self.manifest.volume_of(document)
        self.of_old[volume].attached.append(listed._replace(document=document - volume.offset, labels=labels))

    def _to_new(self, part: int, listed: ListedPath, content: Content, is_first: bool) -> None:
        before = self.listed.get(listed.path)
        if before is not None:
            self.of_old[self.manifest.volume_of(before.document)].detached.append(listed.path)
        where = self._made.setdefault(content, (part, listed.document))
        if is_first and where == (part, listed.document):
            self.report.n_added += before is None
        else:
            self.report.n_same += 1
        self.report.n_replaced += before is not None
        labels = before.labels if before else listed.labels
        if where[0] != part or labels != listed.labels:
            self.of_new[where[0]].attached.append(listed._replace(document=where[1], labels=labels))


def _is_unchanged(file: FileFound, listed: ListedPath | None) -> bool:
    return listed is not None and (listed.size, listed.mtime_ns) == (file.size, file.mtime_ns)


def _told(on_progress: Callable[[Progress], None], parts: Sequence[Sequence[FileFound]]) -> OnRound:
    """Return what tells how far all parts are, from how far the nodes are with each."""
    sizes = [(len(part), sum(one.size for one in part)) for part in parts]
    n_files, n_bytes = (sum(column) for column in zip((0, 0), *sizes, strict=True))

    def tell(done: Iterable[int], begun: Mapping[int, Progress]) -> None:
        far = [sizes[part] for part in done] + [(one.n_files, one.n_bytes) for one in begun.values()]
        on_progress(Progress(sum(one for one, _ in far), n_files, sum(one for _, one in far), n_bytes))

    return tell


def _complete(spread: Spread, found: Found) -> Found:
    """Return what the nodes have answered; raise `IncompleteError` if a volume could not be read."""
    if spread.unread:
        name, reason = next(iter(spread.unread.items()))
        raise IncompleteError(f"volume {name[:12]} cannot be read ({reason}); nothing was changed: run it again")
    return found


def _parts(items: Sequence[Any], size_of: Any) -> Iterator[list[Any]]:
    """Yield the items in parts for a volume each, in order."""
    part: list[Any] = []
    n_bytes = 0
    for one in items:
        if part and (n_bytes + size_of(one) > PART_BYTES or len(part) == PART_DOCUMENTS):
            yield part
            part, n_bytes = [], 0
        part.append(one)
        n_bytes += size_of(one)
    if part:
        yield part
