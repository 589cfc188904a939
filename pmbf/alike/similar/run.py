"""A run: from what changed in a collection to a table of similarities that equals one computed anew.

    changes ─► lists of what was added ─► segment ─► ranges ─► rows of the targets, patches of others ─► one commit

Targets are the documents that were added, and those whose cut rows lost more than they gained: number 101 must come
back. The others lose and gain single rows. A full run is the same with all documents as targets. The commit is the end
of the run: killed before, a run has changed nothing, and the next one takes the same documents and more.

Source:
    Kasprzak, Brandejs & Brandejsová 2009, Distributed Aspects of the System for Discovering Similar Documents,
    sections 2.4 and 3. Filling up the cut rows is ours: without it, incremental runs differ from a full one.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.alike.similar import schema, tabling
from pmbf.alike.similar.committing import RunChange, commit
from pmbf.alike.similar.counting import Ranges
from pmbf.alike.similar.database import LOCK, SimilarState
from pmbf.alike.similar.documents import Documents, documents_of
from pmbf.alike.similar.known import KNOWN
from pmbf.alike.similar.listing import Changes, ListedChunks, Lister, changes
from pmbf.alike.similar.report import OnProgress, RunReport
from pmbf.alike.similar.rules import TableRules
from pmbf.alike.similar.segments import KIND
from pmbf.alike.similar.tabling import Table
from pmbf.base.errors import CorruptError, NotFoundError, ParameterError, UnsupportedError
from pmbf.base.params import require_within
from pmbf.jobs.executor import Executor, local
from pmbf.store import locks
from pmbf.store.files import BESIDE_KINDS
from pmbf.store.folders import own_folder

_LARGE_CHARS = 50_000_000
"""Characters of all texts from which on a full run uses processes: 10 s of work. An incremental run reads through all
lists and counts little: each range would read them all."""
_GROWN = 4
"""A list of common chunks is too old if there are so many times the documents."""


def update(
    collection: str | os.PathLike[str] | Documents,
    *,
    full: bool = False,
    renew: bool = False,
    jobs: int = 1,
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
    **rules: int,
) -> RunReport:
    """Bring the similarities of a collection's documents up to date, in one commit at the end.

    Args:
        collection: The collection's folder; or `pmbf.cluster.similar.SpreadDocuments`.
        full: Whether to read all texts and compute all rows anew; rules and common chunks stay.
        renew: Whether to make the list of common chunks anew, too, and to follow other rules.
        jobs: Ranges of chunk IDs, at least 1. Without an executor each has a process of its own in a full run of a
            large collection, and other runs have one range, in this process.
        executor: Makes the holders of the ranges.
        on_progress: Called with the step, how much of it is done, and how much there is.
        rules: Fields of `TableRules`, of a first run or with `renew`; a renewal chooses `bits` anew, other rules stay.

    Raises:
        NotFoundError: There is no such collection.
        ParameterError: `jobs` or a rule is outside its range, or a rule differs from that of the runs before.
        BusyError: Another process is updating.
        CorruptError: What the runs before left is damaged; `renew` makes all anew.
        IncompleteError: A process died. Nothing has changed.
        OSError: The disk is full. Nothing has changed.

    >>> import tempfile, pmbf
    >>> with pmbf.Collection(tempfile.mkdtemp() + "/tides.pmbf", create=True) as collection:
    ...     _ = collection.add("The sea comes in twice a day and goes out twice a day.", name="sea")
    ...     _ = collection.add("They say the sea comes in twice a day and goes out twice a day.", name="they")
    >>> update(collection.path).n_rows
    2
    """
    require_within("jobs", jobs, 1, 65_536)
    documents, clock = documents_of(collection), Clock(on_progress)
    folder = documents.folder
    with contextlib.ExitStack() as stack:
        stack.enter_context(_lock(folder))
        documents = stack.enter_context(documents)
        state = stack.enter_context(_opened(documents, renew, rules))
        is_first = renew or not state.n_runs
        n_ranges = jobs if executor or ((full or is_first) and documents.n_chars() > _LARGE_CHARS) else 1
        made = stack.enter_context(contextlib.closing(executor or local(n_ranges)))
        stack.callback(remove_unnamed, folder, state)
        remove_unnamed(folder, state)
        before = state.rules if state.n_runs else TableRules()
        chosen = replace(before, **({"bits": 0} if is_first else {}) | rules)
        return UpdateRun(documents, state, made, n_ranges, full or is_first, is_first, clock).done(chosen)


def _lock(folder: Path) -> contextlib.AbstractContextManager[None]:
    """Return what holds the lock of updates."""
    own_folder(folder / schema.FOLDER)
    return locks.held(folder / schema.FOLDER / LOCK, f"{folder}: another process is computing its similarities")


def _opened(documents: Documents, renew: bool, rules: dict[str, int]) -> SimilarState:
    """Return the state to begin with. A renewal makes a new one only if the old one is none."""
    folder, identity, chosen = documents.folder, documents.identity, TableRules(**rules)
    try:
        state = SimilarState(folder, identity, writable=True, asked_with=documents.asked_with)
        if renew:
            _require_whole(state)
    except (NotFoundError, CorruptError, UnsupportedError) as error:
        if not (renew or isinstance(error, NotFoundError)):
            raise
        schema.create(folder, identity, chosen)
        return SimilarState(folder, identity, writable=True, asked_with=documents.asked_with)
    for name, value in rules.items():
        if state.n_runs and not renew and value != (before := getattr(state.rules, name)):
            state.close()
            raise ParameterError(f"{name} is {value}, but {before} in the runs before; --renew computes all anew")
    return state


def _require_whole(state: SimilarState) -> None:
    """Close a state that is damaged. Raises `CorruptError` then."""
    try:
        state.verify()
    except CorruptError:
        state.close()
        raise


@dataclass(slots=True)
class UpdateRun:
    """One run over an opened collection, under the lock of updates, by `n_shards` holders.

    It `is_full` if all rows are computed, of all documents read anew; it renews if the list of common chunks is made
    anew.
    """

    documents: Documents
    state: SimilarState
    executor: Executor
    n_shards: int
    is_full: bool
    renews: bool
    clock: Clock

    def done(self, rules: TableRules) -> RunReport:
        """Compute by some rules, and commit; return what was done."""
        with self.clock.step("changes"):
            known = np.empty(0, KNOWN) if self.is_full else self.state.verified_documents()
            changed = changes(self.documents, known)
            if not self.is_full and not changed:
                self.state.verify()  # a change compares the rows that it touches
            rules = rules.fitting(sum(document.n_tokens for document in changed.added))
            files = {} if self.is_full else {file.serial: file for file in self.state.segments()}
        if not changed and not self.is_full:
            return self._report(known, changed)
        with self.clock.step("texts") as told:
            lister = Lister(self.documents, self.executor, self.n_shards, rules)
            listed = lister.listed(changed, files, int(self.state.meta["next_serial"]), told)
        is_same = not len(listed.new) and not len(changed.gone) and listed.unread == self.state.incomplete()
        if is_same and not self.is_full:
            return self._report(known, changed, unread=listed.unread)
        with self.clock.step("similarities") as told:
            ranges = Ranges(self.executor, self.n_shards, self.documents.folder, self.documents.identity, rules)
            common = None if self.renews else self.state.common()
            if self.is_full:
                table = tabling.whole(ranges, listed.archive, rules, common, told)
            else:
                assert common is not None, "only a full run makes a list of common chunks"
                near = tabling.Near(ranges, listed.archive, self.state, common, told)
                table = near.table(listed.new, changed.gone["id"])
        return self._committed(rules, changed, listed, table, known)

    def _committed(
        self, rules: TableRules, changed: Changes, listed: ListedChunks, table: Table, before: NDArray[np.void]
    ) -> RunReport:
        report = self._report(table.archive.known, changed, table, listed.unread)
        report.n_rows = int(np.minimum(table.archive.known["n_similar"], rules.keep).sum())

        def row() -> dict[str, Any]:
            report.seconds, report.steps = self.clock.seconds, self.clock.steps
            return report.row() | {"started": self.clock.started}

        with self.clock.step("table"):
            change = RunChange(
                documents=table.archive.known if table.is_whole else differing(table.archive.known, before),
                known=table.archive.known,
                gone=changed.gone["id"].copy(),
                rows=table.rows,
                before=table.before,
                is_whole=table.is_whole,
                row=row,
                segment=listed.segment if listed.has_lists else None,
                lost_segments=[file.serial for file in self.state.segments()] if self.is_full else listed.worn,
                incomplete=listed.unread,
                meta={"rules": rules.to_json(), "next_serial": str(listed.segment.serial + 1)},
                common=table.common if self.renews else None,
            )
            commit(self.state, change)
        report.seconds = self.clock.seconds
        return report

    def _report(
        self,
        known: NDArray[np.void],
        changed: Changes,
        table: Table | None = None,
        unread: dict[int, str] | None = None,
    ) -> RunReport:
        """Return what was done; without a table nothing was."""
        reasons = changed.incomplete | (unread or {})
        entries = self.documents.entries(reasons)
        report = RunReport(
            number=self.state.n_runs + 1 if table else 0,
            kind="full" if self.is_full else "incremental",
            n_documents=len(known),
            n_added=len(changed.added) - len(unread or {}),
            n_removed=len(changed.gone),
            n_without=int(np.count_nonzero(known["n_counted"] == 0)),
            incomplete={entries[id_][1][0].path: reason for id_, reason in sorted(reasons.items())},
            n_unread=len(unread or {}),
            seconds=self.clock.seconds,
            steps=self.clock.steps,
        )
        if table:
            report.notes = self._notes(known)
            report.n_again, report.n_patched, report.n_common = table.n_again, table.n_patched, len(table.common)
        return report

    def _notes(self, known: NDArray[np.void]) -> list[str]:
        """Return why common chunks and the width of the IDs should be chosen anew: the collection has grown."""
        listed = self.state.select("SELECT n_documents FROM common") if not self.renews else []
        if not listed or len(known) <= _GROWN * max(1, listed[0][0]):
            return []
        told = f"common chunks were listed when there were {listed[0][0]:,} documents, now {len(known):,}"
        return [f"{told}: run `pmbf similar update --renew {self.documents.asked_with}`"]


class Clock:
    """Times the steps of a run, and tells how far it is."""

    def __init__(self, on_progress: OnProgress | None = None) -> None:
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.steps: dict[str, float] = {}
        self._begun = time.perf_counter()
        self._on_progress = on_progress or (lambda step, n_done, n: None)

    @property
    def seconds(self) -> float:
        """Wall time since the run began."""
        return time.perf_counter() - self._begun

    @contextmanager
    def step(self, name: str) -> Iterator[Callable[[int, int], None]]:
        """Time a step; yield the function to call with how much of it is done, and how much there is."""
        begun = time.perf_counter()
        self._on_progress(name, 0, 0)
        yield lambda n_done, n: self._on_progress(name, n_done, n)
        self.steps[name] = self.steps.get(name, 0.0) + time.perf_counter() - begun


def differing(known: NDArray[np.void], before: NDArray[np.void]) -> NDArray[np.void]:
    """Return the rows that are not among those of before, `KNOWN` rows by ascending id."""
    at = np.minimum(np.searchsorted(before["id"], known["id"]), max(0, len(before) - 1))
    is_same = before[at] == known if len(before) else np.zeros(len(known), np.bool_)
    return np.asarray(known[~is_same])


def remove_unnamed(folder: Path, state: SimilarState) -> None:
    """Delete what killed runs have left: files of lists that the state does not name."""
    named = {file.name for file in state.segments()}
    for path in (folder / schema.FOLDER).glob(f"[0-9]*.{BESIDE_KINDS[KIND][1]}*"):
        if f"{schema.FOLDER}/{path.name}" not in named:
            path.unlink(missing_ok=True)
