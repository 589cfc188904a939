"""Times of a processor and on the clock: of steps, of queries, of whole commands."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from time import perf_counter, process_time
from typing import Any, TypeVar

Query = TypeVar("Query")
Answer = TypeVar("Answer")


def children_s() -> float:
    """Return the processor time of the processes that this one has waited for, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spent_s() -> float:
    """Return the processor time of this process and of those that it has waited for, in seconds."""
    return process_time() + children_s()


def processor_s(step: Callable[[], object], n_rounds: int = 1) -> float:
    """Return the least processor time of a step, in seconds."""
    times = []
    for _ in range(n_rounds):
        start = process_time()
        step()
        times.append(process_time() - start)
    return min(times)


def clock_s(step: Callable[[], object]) -> float:
    """Return the time of a step on the clock, in seconds."""
    start = perf_counter()
    step()
    return perf_counter() - start


def p50_p99(seconds: Iterable[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile.

    >>> p50_p99(range(101))
    (50, 99)
    """
    ordered = sorted(seconds)
    return median(ordered), ordered[int(0.99 * (len(ordered) - 1))]


def asked(ask: Callable[[Query], Answer], queries: Sequence[Query]) -> tuple[list[Answer], list[float]]:
    """Return the answers to some queries, and the processor time of each, in the better of two rounds."""
    answers, seconds = list[Answer](), [float("inf")] * len(queries)
    for _ in range(2):
        answers = []
        for at, query in enumerate(queries):
            start = process_time()
            answers.append(ask(query))
            seconds[at] = min(seconds[at], process_time() - start)
    return answers, seconds


def command_s(command: Sequence[str], n_rounds: int, *, most_code: int = 0, **how: Any) -> tuple[float, float]:
    """Return the least times of a command, on the clock and of the processor. A first run fills caches.

    Args:
        command: The program and its words.
        n_rounds: Runs that count.
        most_code: Its greatest exit code.
        how: For `subprocess.run`.

    Raises:
        RuntimeError: It ended with another code, or said that the service does not answer.
    """
    passed, used = [], []
    for _ in range(n_rounds + 1):
        before, start = children_s(), perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, **how)
        passed.append(perf_counter() - start)
        used.append(children_s() - before)
        if not 0 <= done.returncode <= most_code or "does not answer" in done.stderr:
            raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}{done.stdout[:500]}")
    return min(passed[1:]), min(used[1:])
