"""A cluster too large to measure, simulated from what was measured on one machine.

A query waits twice for the slowest of all hosts: for candidates, and for comparisons. A host looks its volumes up one
after another. Each wait is drawn around its median as the waits of a measured cluster spread around theirs (lognormal),
and some hosts straggle. With hedging, the other host of the volumes is asked once a host is late.

What is not in it: that hosts share one network switch, and that queries queue up.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import arguments
from measure import report
from pmbf.cluster.changing import PART_DOCUMENTS
from pmbf.cluster.placement import COPIES

Figures = dict[str, Any]
Waits = NDArray[np.float64]

RESULTS = Path(__file__).parent / "results"
SIZES = (10**6, 10**7, 10**8, 10**9)
HOSTS = {10**6: 3, 10**7: 4, 10**8: 8, 10**9: 32}
LARGE_VOLUME = 10**6
"""Documents of a volume, were it as large as the largest folder that was measured."""

CORES, NETWORK_BYTES = 16, 1.25e9
"""Of a host, assumed: processors, and bytes a second of its network (10 Gbit/s)."""

_QUERIES, _STRAGGLING, _SLOWER, _LATE = 20_000, 0.001, 20.0, 0.95
"""Simulated queries; the share of calls that take 20 times as long; from which share of the waits on a call is late."""

_Z99 = 2.326


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured; seconds and bytes.

    Args:
        text_bytes, index_bytes, load_s: Of a document; the last is processor time.
        lookup_s: Of a query in a volume of `PART_DOCUMENTS`.
        large_lookup_s: Of a query among 1,000,000 documents in one volume.
        compare_s: Of a query's comparisons.
        sigma: How waits spread, of their logarithms.
        round_s: What a call of all nodes costs beside their work.
    """

    text_bytes: float
    index_bytes: float
    load_s: float
    lookup_s: float
    large_lookup_s: float
    compare_s: float
    sigma: float
    round_s: float


def add_arguments(some: Any) -> None:
    """Add the benchmark to the command line."""
    arguments.add_benchmark(some, "scaling", "a simulated cluster of up to 1,000,000,000 documents", _run, table)


def _run(given: argparse.Namespace) -> Figures:
    return run(measured())


def measured() -> Measured:
    """Return what `growth` and `spread` have measured; short texts show what each round takes."""
    names = "growth", "spread", "spread_short"
    growth, *spread = (json.loads((RESULTS / f"{name}.json").read_text("utf-8")) for name in names)
    by_name = {one["name"]: one for one in growth["results"]}
    real, large = by_name["80,000 real"], by_name["1,000,000 synthetic"]
    three, short = (next(one for one in some["results"] if one["n_nodes"] == 3) for some in spread)
    return Measured(
        text_bytes=real["disk_text_bytes"] / real["n_documents"],
        index_bytes=real["disk_index_bytes"] / real["n_documents"],
        load_s=real["load_cpu_s"] / real["n_documents"],
        lookup_s=real["candidates_p50_s"],
        large_lookup_s=large["candidates_p50_s"],
        compare_s=real["screen_p50_s"] - real["candidates_p50_s"],
        sigma=math.log(three["p99_s"] / three["p50_s"]) / _Z99,
        round_s=max(0.0, short["p50_added_s"]) / 2,
    )


def run(known: Measured) -> Figures:
    """Return what a cluster of each size needs and takes."""
    results = [_of(known, size, HOSTS[size], large) for size in SIZES for large in (False, True)]
    return {"measured": asdict(known), "cores": CORES, "network_bytes": NETWORK_BYTES, "results": results}


def table(figures: Figures) -> str:
    """Return the figures as two Markdown tables."""
    titles = "documents", "hosts", "volumes of a host", "disk of a host", "memory", "load", "a lost host is copied"
    needs = report.head(f"| {' | '.join(titles)} |")
    waits = report.head("| volumes of | documents | p50 | p99 | p99, hedged | p99 with stragglers | hedged |")
    for one in figures["results"]:
        if not one["is_large"]:
            rooms = [f"{one[name] / 1e9:,.1f} GB" for name in ("disk", "memory")]
            times = [report.time(one[name]) for name in ("load_s", "copy_s")]
            cells = [f"{one['n_documents']:,}", str(one["n_hosts"]), f"{one['n_volumes']:,}", *rooms, *times]
            needs.append(f"| {' | '.join(cells)} |")
        names = ("p50", "p99", "hedged_p99", "straggling_p99", "straggling_hedged_p99")
        size = LARGE_VOLUME if one["is_large"] else PART_DOCUMENTS
        waits.append(f"| {size:,} | {one['n_documents']:,} | {' | '.join(report.time(one[name]) for name in names)} |")
    return "\n".join([*needs, "", *waits]) + "\n"


def _of(known: Measured, n_documents: int, n_hosts: int, is_large: bool) -> Figures:
    size = LARGE_VOLUME if is_large else PART_DOCUMENTS
    asked = math.ceil(n_documents / size / n_hosts)  # of its volumes, a host is asked for half
    look_up = asked * (known.large_lookup_s if is_large else known.lookup_s)
    bytes_of_all = n_documents * (known.text_bytes + known.index_bytes)
    one: Figures = {
        "n_documents": n_documents,
        "is_large": is_large,
        "n_hosts": n_hosts,
        "n_volumes": asked * COPIES,
        "disk": COPIES * bytes_of_all / n_hosts,
        "memory": n_documents * known.index_bytes / n_hosts,
        "load_s": n_documents * known.load_s / (n_hosts * CORES),
        "copy_s": COPIES * bytes_of_all / n_hosts / (n_hosts - 1) / NETWORK_BYTES,
    }
    for name, straggling in (("", 0.0), ("straggling_", _STRAGGLING)):
        for way, is_hedged in (("", False), ("hedged_", True)):
            found = _queries(known, n_hosts, look_up, straggling, is_hedged)
            p50, p99 = np.percentile(found, [50, 99])
            one |= {f"{name}{way}p50": float(p50), f"{name}{way}p99": float(p99)}
    return one


def _queries(known: Measured, n_hosts: int, look_up: float, straggling: float, is_hedged: bool) -> Waits:
    """Return how long some queries take: two rounds, each as long as its slowest call."""
    draw = np.random.default_rng(1)
    total = np.zeros(_QUERIES)
    for work in (look_up, known.compare_s / min(n_hosts, 4)):
        calls = _calls(draw, known, work, (_QUERIES, n_hosts), straggling)
        if is_hedged:
            late = np.quantile(calls, _LATE)
            calls = np.minimum(calls, late + _calls(draw, known, work, calls.shape, straggling))
        total += calls.max(axis=1) + known.round_s
    return total


def _calls(draw: np.random.Generator, known: Measured, work: float, shape: tuple[int, ...], straggling: float) -> Waits:
    waits = work * draw.lognormal(0.0, known.sigma, shape)
    return np.where(draw.random(shape) < straggling, _SLOWER * waits, waits)
