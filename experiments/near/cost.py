"""What the two plans cost as a set grows, and with more processes, and what the plan `term` hands on.

In brackets are the seconds of the processor: of the process that asks, and of its holders together. On a machine that
does other work, they say more than the clock.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import report
from measure.commands import add_folder, positive
from measure.timing import children_s
from pmbf.alike.pairs.features import Features, featured
from pmbf.alike.pairs.linking import joined
from pmbf.alike.pairs.plans import PLANS, Joined, Joining
from pmbf.alike.pairs.work import work_folder
from pmbf.kernels import Lists
from pmbf.text import utf8

SIZES = (2000, 4000, 8000, 16_000)
JOBS = (1, 2)
THRESHOLD = 0.5
_REPEATS = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    add_folder(parser)
    parser.add_argument("--sizes", type=positive, nargs="+", default=SIZES, metavar="N", help="numbers of texts")


def run(folder: Path, sizes: Sequence[int]) -> dict[str, Any]:
    """Measure, and return the figures.

    Args:
        folder: Texts, searched recursively.
        sizes: Numbers of texts, drawn from all.
    """
    paths = sorted(folder.rglob("*.txt"))
    random.Random(3).shuffle(paths)
    rows = []
    for size in [one for one in sizes if one <= len(paths)]:
        texts = [utf8(path.read_text(encoding="utf-8")) for path in paths[:size]]
        start = time.perf_counter()
        lists = featured(texts, Features()).lists
        made_s = time.perf_counter() - start
        n_bytes = sum(map(len, texts))
        del texts
        rows.append({"texts": size, "bytes": n_bytes, "features_s": round(made_s, 3), "plans": _measured(lists)})
        print(table({"rows": rows[-1:]}), flush=True)
    return {"rows": rows}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    columns = " | ".join(f"{plan}, {jobs} {'process' if jobs == 1 else 'processes'}" for plan in PLANS for jobs in JOBS)
    lines = report.head(f"| texts | MB | features | {columns} | pairs | handed on without sums | with sums, 2 ranges |")
    for row in figures["rows"]:
        plans = {(one["plan"], one["jobs"]): one for one in row["plans"]}
        seconds = " | ".join(_told(plans[plan, jobs]) for plan in PLANS for jobs in JOBS)
        last = plans["term", JOBS[-1]]
        lines.append(
            f"| {row['texts']:,} | {row['bytes'] / 1e6:.0f} | {row['features_s']:.2f} s | {seconds} | "
            f"{last['pairs']:,} | {last['raw'] / 1e6:,.0f} MB | {last['summed'] / 1e6:,.1f} MB, "
            f"1/{last['raw'] / last['summed']:.0f} |"
        )
    return "\n".join(lines)


def _told(one: dict[str, Any]) -> str:
    holders = f" + {one['holders_s']:.1f}" if one["jobs"] > 1 else ""
    return f"{one['s']:.1f} s ({one['here_s']:.1f}{holders})"


def _measured(lists: Lists) -> list[dict[str, Any]]:
    """Return the best time of each plan with each number of processes. All of them must find the same pairs."""
    rows, expected = [], None
    for plan in PLANS:
        for jobs in JOBS:
            times = []
            for _ in range(_REPEATS):
                before = (time.perf_counter(), time.process_time(), children_s())
                made = _joined(lists, Joining(THRESHOLD, plan, jobs, max_volume=1 << 40))
                after = (time.perf_counter(), time.process_time(), children_s())
                times.append([stop - start for start, stop in zip(before, after, strict=True)])
                pairs = (made.first.tolist(), made.second.tolist(), made.shared.tolist())
                expected = expected or pairs
                assert expected == pairs, f"{plan} with {jobs} processes finds other pairs"
            volume = {"raw": made.volume.raw, "summed": made.volume.summed}
            taken = dict(zip(("s", "here_s", "holders_s"), (round(one, 3) for one in min(times)), strict=True))
            rows.append({"plan": plan, "jobs": jobs, **taken, "pairs": len(made.first), **volume})
    return rows


def _joined(lists: Lists, how: Joining) -> Joined:
    with work_folder(None) as work:
        return joined(lists, how, work)
