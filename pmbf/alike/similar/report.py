"""What a run did, and what the table answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from pmbf.alike.similar.rules import TableRules
from pmbf.report.as_json import AsJson

OnProgress = Callable[[str, int, int], None]
"""Called with the step, how much of it is done, and how much there is."""


@dataclass(slots=True)
class RunReport(AsJson):
    """The result of a run.

    Args:
        number: Of the run; 0 if there was nothing to do, and so no run.
        kind: `full` if all was computed, otherwise `incremental`.
        n_documents: Documents with a list.
        n_added: Documents that came since the last run. A modified document was removed and added.
        n_removed: Documents that left.
        n_again: Other documents whose rows were computed again, for they had lost one of the highest.
        n_patched: Other documents whose rows changed.
        n_rows: Rows of the table.
        n_common: Common chunks.
        n_without: Documents without a chunk that counts: too short, or common chunks only.
        incomplete: By path, why a document's text could not be read, or was not read to its end.
        n_unread: Documents whose text could not be read: they have no rows. The next run tries again.
        steps: Seconds of each step.
        seconds: Wall time.
        notes: What should be done, and why.
    """

    number: int = 0
    kind: str = "incremental"
    n_documents: int = 0
    n_added: int = 0
    n_removed: int = 0
    n_again: int = 0
    n_patched: int = 0
    n_rows: int = 0
    n_common: int = 0
    n_without: int = 0
    incomplete: dict[str, str] = field(default_factory=dict)
    n_unread: int = 0
    steps: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """Return what the table of runs keeps."""
        names = "seconds", "kind", "n_documents", "n_added", "n_removed", "n_again", "n_rows", "n_common"
        return {name: getattr(self, name) for name in names} | {"steps": json.dumps(self.steps)}


@dataclass(frozen=True, slots=True)
class Similar:
    """A row of the table: how much of a document is in another one, and the other way round.

    Args:
        document: Its id.
        path: Its first path or name.
        other: Id of the other document.
        other_path: Its first path or name.
        shared: Chunks that both have; common ones left out.
        similarity: Share of the document's chunks.
        reverse: Share of the other document's chunks.
    """

    document: int
    path: str
    other: int
    other_path: str
    shared: int
    similarity: float
    reverse: float


COLUMNS = tuple(one.name for one in fields(Similar))
"""The columns of a table of rows."""


@dataclass(frozen=True, slots=True)
class DocumentCluster(AsJson):
    """Documents that are connected by similarities, directly or through others.

    Args:
        documents: Their ids, ascending.
        paths: The first path or name of each.
    """

    documents: tuple[int, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableStatus(AsJson):
    """What the table is about, and what has changed since.

    Args:
        n_documents: Documents of the table.
        n_rows: Rows.
        n_cut: Documents that more documents are similar to than rows are kept.
        n_without: Documents without a chunk that counts.
        n_common: Common chunks.
        rules: What decides the table.
        n_new: Documents of the collection that the table does not have yet.
        n_gone: Documents of the table that the collection does not have any more.
        incomplete: By path, why a document's text could not be read: it has no rows.
        runs: Each run: number, start, seconds, what changed, seconds of each step.
    """

    n_documents: int
    n_rows: int
    n_cut: int
    n_without: int
    n_common: int
    rules: TableRules
    n_new: int
    n_gone: int
    incomplete: dict[str, str]
    runs: tuple[dict[str, Any], ...]
