"""A long run that may be killed: units of work, in processes. When a unit is done, its answer is on disk.

OUT/run.json      parameters and machine of the run; a run with other parameters is refused
OUT/*.xml         the files of each finished unit; each file is whole or absent
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from experiments.pan.annotations import write_whole
from measure import report
from pmbf import __version__
from pmbf.base.errors import IncompleteError, NotFoundError, ParameterError

RUN = "run.json"
Outcome = tuple[int, str]
"""Steps of the progress bar that a unit took, and its problem; empty if there is none."""

Work = Callable[[Any], Outcome]
"""The call that does one unit."""


@dataclass(frozen=True, slots=True)
class Done:
    """The steps that a run did, its seconds of wall-clock time, and its problems."""

    n_steps: int
    seconds: float
    problems: tuple[str, ...]


def open_run(out: Path, parameters: dict[str, Any], *, redo: bool = False) -> None:
    """Make a folder of detections, or open the folder that an equal run has begun.

    Args:
        out: The folder.
        parameters: All parameters that change the detections, ready for JSON; the commit is added.
        redo: Whether the detections of an earlier run are deleted first.

    Raises:
        ParameterError: `out` is a file, or holds detections of other parameters or of unknown origin.
    """
    if out.exists() and not out.is_dir():
        raise ParameterError(f"{out}: is a file, and detections are many: name a folder")
    about = report.about()
    wanted = json.loads(json.dumps(parameters | {"pmbf": __version__, "commit": about["commit"]}))
    out.mkdir(parents=True, exist_ok=True)
    if redo:
        for path in [*out.glob("*.xml"), *out.glob("*.tsv"), out / RUN]:
            path.unlink(missing_ok=True)
    advice = "name another folder, or give --redo to throw these away"
    if (out / RUN).exists():
        had = of_run(out)["parameters"]
        if had != wanted:
            changed = [name for name in {**had, **wanted} if had.get(name) != wanted.get(name)]
            told = ", ".join(f"{name} was {had.get(name)!r}, now {wanted.get(name)!r}" for name in changed)
            raise ParameterError(f"{out}: holds detections of another run ({told}); {advice}")
    elif any(out.glob("*.xml")):
        raise ParameterError(f"{out}: holds XML files of unknown origin and no {RUN}; {advice}")
    else:
        write_whole(out / RUN, json.dumps({"parameters": wanted, "about": about, "sittings": []}, indent=1) + "\n")


def of_run(out: Path) -> dict[str, Any]:
    """Return the content of a folder's `run.json`; empty if another program wrote the detections.

    Raises:
        NotFoundError: There is no such folder.
        ParameterError: The file is damaged.
    """
    if not out.is_dir():
        raise NotFoundError(f"{out}: is no folder; detections are written by `pan align` or `pan retrieve`")
    if not (out / RUN).exists():
        return {"parameters": {}}
    try:
        run = json.loads((out / RUN).read_text(encoding="utf-8"))
        return {"parameters": run["parameters"], "about": run["about"], "sittings": run["sittings"]}
    except (ValueError, KeyError, TypeError) as error:
        raise ParameterError(f"{out / RUN}: is damaged ({error}); give --redo to begin again") from None


def processed(out: Path, work: Work, units: Sequence[Any], *, n_steps: int, what: str, jobs: int = 1) -> Done:
    """Do all units, with a progress bar on a terminal. A unit that fails is a problem and stops no other unit.

    Args:
        out: Folder of the run; its `run.json` gets the steps and seconds of this start.
        work: Does a unit; picklable.
        units: The units of work.
        n_steps: Steps of the bar, for all units together.
        what: Name of a step, for the bar.
        jobs: Processes, at least 1.

    Raises:
        ParameterError: `jobs` is below 1.
        IncompleteError: A process died. Finished units keep their files.
    """
    if jobs < 1:
        raise ParameterError(f"jobs is {jobs}, expected at least 1")
    started, n_done, problems = time.perf_counter(), 0, []
    try:
        for steps, problem in _shown(_outcomes(work, units, jobs), n_steps, what):
            n_done += steps
            problems += [problem] if problem else []
    except BrokenProcessPool:
        raise IncompleteError(
            f"{out}: a process died (out of memory?); what was finished is kept: run it again, with fewer --jobs"
        ) from None
    finally:
        seconds = time.perf_counter() - started
        if n_done:
            _note(out, {"steps": n_done, "seconds": round(seconds, 2), "jobs": jobs})
    return Done(n_done, seconds, tuple(problems))


def _outcomes(work: Work, units: Sequence[Any], jobs: int) -> Iterator[Outcome]:
    if jobs == 1:
        for unit in units:
            yield _outcome(work, unit)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start, (work,)) as pool:
        waiting: list[Future[Outcome]] = [pool.submit(_outcome_here, unit) for unit in units]
        try:
            yield from (one.result() for one in as_completed(waiting))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _outcome(work: Work, unit: Any) -> Outcome:
    try:
        return work(unit)
    except Exception as error:  # One bad document must not cost hours of work on the others. It is told at the end.
        name = unit if isinstance(unit, str) else unit[0]
        return 1, f"{name}: {type(error).__name__}: {error}"


_work: list[Work] = []


def _start(work: Work) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent process stops this one.
    _work[:] = [work]


def _outcome_here(unit: Any) -> Outcome:
    [work] = _work
    return _outcome(work, unit)


def _shown(outcomes: Iterable[Outcome], n_steps: int, what: str) -> Iterator[Outcome]:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(what, total=n_steps)
        for outcome in outcomes:
            bar.advance(task, outcome[0])
            yield outcome


def _note(out: Path, sitting: dict[str, Any]) -> None:
    run = of_run(out)
    run["sittings"].append(sitting)
    write_whole(out / RUN, json.dumps(run, indent=1) + "\n")
