"""What a run did, and how long its steps took."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

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


class Clock:
    """Times the steps of a run, and tells how far it is.

    Args:
        on_progress: Told of each step.
    """

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
