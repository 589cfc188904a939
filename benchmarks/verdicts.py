"""The verdicts of the figures of `peers`: in what pmbf is ahead of every peer, and in what it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from measure import report

Figures = dict[str, Any]
OURS = "pmbf, candidates"
WHOLE = "pmbf, whole screen"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One comparison.

    Args:
        what: The cost or share that is compared.
        ours, theirs: The values, with units.
        peer: The best peer.
        factor: How many times better pmbf is; below 1 it is worse.
    """

    what: str
    ours: str
    theirs: str
    peer: str
    factor: float


@dataclass(frozen=True, slots=True)
class Measure:
    """A cost: how it is read and shown, and whether more is better."""

    what: str
    key: str
    show: Callable[[float], str]
    more: bool = False


MEASURES = (
    Measure("loading", "load_mb_per_cpu_s", lambda value: f"{value:.1f} MB/s", more=True),
    Measure("a query, median", "query_p50_s", report.time),
    Measure("a query, p99", "query_p99_s", report.time),
    Measure("memory a document", "held_bytes_per_document", report.size),
    Measure("disk a document", "disk_bytes_per_document", report.size),
)


def costs(figures: Figures) -> list[Verdict]:
    """Return pmbf's candidates beside the best peer in each cost; in time also beside the best that finds as much."""
    ours, peers = _ours_and_peers(figures)
    equals = [one for one in peers if _finds(one) >= _finds(ours)]
    found = [_verdict(measure, ours, peers, measure.what) for measure in MEASURES]
    if equals:
        for measure in MEASURES[:3]:
            what = f"{measure.what}, among peers that find as much of the 1 % passages"
            found.append(_verdict(measure, ours, equals, what))
    return [one for one in found if one]


def recalls(figures: Figures) -> Iterator[tuple[str, float, float, float, str]]:
    """Yield for each cell the shares above the cut: candidates, whole screening, the best peer, and its name."""
    ours, peers = _ours_and_peers(figures)
    whole = next((one for one in figures["results"] if one["name"] == WHOLE and "found" in one), ours)
    for cell in ours["found"]["cells"]:
        theirs, name = max((_named(one, cell), one["name"]) for one in peers)
        yield cell, _named(ours, cell), _named(whole, cell), theirs, name


def _ours_and_peers(figures: Figures) -> tuple[Figures, list[Figures]]:
    done = [one for one in figures["results"] if "failed" not in one]
    ours = next(one for one in done if one["name"] == OURS)
    return ours, [one for one in done if not one["name"].startswith("pmbf")]


def _verdict(measure: Measure, ours: Figures, peers: list[Figures], what: str) -> Verdict | None:
    known = [one for one in peers if one[measure.key]]
    if not known:
        return None
    best = (max if measure.more else min)(known, key=lambda one: float(one[measure.key]))
    mine, theirs = float(ours[measure.key]), float(best[measure.key])
    factor = mine / theirs if measure.more else theirs / mine
    return Verdict(what, measure.show(mine), measure.show(theirs), best["name"], factor)


def _finds(one: Figures) -> float:
    return _named(one, "1 % verbatim") + _named(one, "1 % edited")


def _named(one: Figures, cell: str) -> float:
    return float(one["found"]["cells"][cell]["named"])
