"""A benchmark's results, one by one. Some may be measured again, and the others kept from an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from measure import report
from measure.process import FailedError

Figures = dict[str, Any]


def measure_each(
    names: Iterable[str],
    measure: Callable[[str], Figures],
    *,
    setup: Figures,
    order: Sequence[str],
    on_done: Callable[[Figures], None],
    before: Figures | None = None,
) -> Figures:
    """Return `setup` and the results by name, each with the date and the commit of its measurement.

    Args:
        names: The names to measure.
        measure: Returns the figures of a name. If it fails, then the result says `failed`, and the next name follows.
        setup: The figures that all results have in common.
        order: All possible names, in the order of the results.
        on_done: Called with each result.
        before: Figures of an earlier run. Names that are not measured now keep their figures.

    Raises:
        ValueError: The earlier run had another setup.

    >>> measure_each(["a"], lambda name: {"s": 1}, setup={"n": 3}, order="ab", on_done=print)["results"][0]["s"]
    ... # doctest: +ELLIPSIS
    {'name': 'a', ...}
    1
    """
    if before and (other := {name: before.get(name) for name in setup}) != setup:
        raise ValueError(f"the figures to update are of {other}, not of {setup}")
    results = {one["name"]: one for one in before["results"]} if before else {}
    about = report.about()
    for name in names:
        figures: Figures = {"name": name, "date": about["date"], "commit": about["commit"]}
        try:
            figures |= measure(name)
        except FailedError as error:
            figures["failed"] = str(error)
        on_done(figures)
        results[name] = figures
    return setup | {"results": [results[name] for name in order if name in results]}
