"""The progress bars of a load and of a screening, on stderr; rich is imported where one is drawn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import ProgressColumn

    from pmbf.intake.loader import Progress


@contextmanager
def load_progress(*, shown: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Yield what `Collection.load` calls after each batch, to draw speed and time left; None if not shown."""
    if not shown:
        yield None
        return
    from rich.progress import TaskProgressColumn, TextColumn, TransferSpeedColumn

    with _bar(TaskProgressColumn(), TextColumn("{task.fields[files]}"), TransferSpeedColumn()) as bar:
        task = bar.add_task("Looking for files", total=None, files="")

        def show(progress: Progress) -> None:
            files = f"{progress.n_files:,} of {progress.n_files_total:,} files"
            # At least 1, or a load of empty files would never be complete.
            n_bytes, n_bytes_total = max(1, progress.n_bytes), max(1, progress.n_bytes_total)
            bar.update(task, description="Loading", files=files, completed=n_bytes, total=n_bytes_total)

        yield show


@contextmanager
def screen_progress(n_files: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Yield the function to call after each screened file: it draws a bar and the time left; nothing if not shown."""
    if not shown:
        yield lambda: None
        return
    with _steps_bar() as bar:
        task = bar.add_task("Screening", total=n_files)
        yield lambda: bar.advance(task)


@contextmanager
def steps_progress(*, shown: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield the function that `pmbf.compare` calls with a step, how much of it is done and how much there is."""
    if not shown:
        yield None
        return
    with _steps_bar() as bar:
        task = bar.add_task("Reading", total=None)
        yield lambda step, n_done, n: bar.update(task, description=step, completed=n_done, total=n)


def _bar(*between: ProgressColumn) -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description}"), BarColumn(bar_width=None), *between, TimeRemainingColumn(compact=True)
    return Bar(*columns, console=Console(file=sys.stderr), transient=True, expand=True)


def _steps_bar() -> Bar:
    from rich.progress import MofNCompleteColumn

    return _bar(MofNCompleteColumn())
