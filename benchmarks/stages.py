"""The time of each stage of finding a query's candidates: sampling, looking up, rows, documents, Python in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from measure import report
from pmbf.fingerprint import query_sample
from pmbf.screen import Options, candidates, rows_looked_into
from pmbf.screen.rarity import stretches
from pmbf.store.generation import Generation

Figures = dict[str, Any]

STAGES = {
    "sample": "sampling the text",
    "look_up": "rows that each hash hits",
    "rows": "rows with evidence",
    "documents": "what their documents share",
    "rest": "the rest, Python",
}


def measure(generation: Generation, texts: Sequence[str]) -> Figures:
    """Return the median seconds of each stage for texts of one length. The collection must have been asked before."""
    seconds = [_of(generation, text) for text in texts for _ in range(2)]
    best = [min(pair, key=lambda one: one["all"]) for pair in zip(seconds[::2], seconds[1::2], strict=True)]
    return {f"stage_{stage}_s": median(one[stage] for one in best) for stage in (*STAGES, "all")}


def _of(generation: Generation, text: str) -> dict[str, float]:
    sample, options = query_sample(text, generation.params), Options()
    took = {
        "sample": _seconds(lambda: query_sample(text, generation.params)),
        "look_up": _seconds(lambda: list(stretches(generation, sample))),
        "rows": _seconds(lambda: list(rows_looked_into(generation, sample, options))),
        "all": _seconds(lambda: candidates(generation, sample, options)),
    }
    hits = rows_looked_into(generation, sample, options)
    parts = np.concatenate([np.empty((0, 3), np.uint32), *(generation.rows.parts(*some) for some in hits)])
    weights = np.concatenate([one.weights for one in stretches(generation, sample)])
    took["documents"] = _seconds(lambda: len(parts) and generation.shared_hashes(parts, sample.hashes, weights))
    took["rest"] = max(0.0, took["all"] - took["rows"] - took["documents"])
    took["rows"] = max(0.0, took["rows"] - took["look_up"])
    took["all"] += took["sample"]
    return took


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def table(results: Sequence[Figures]) -> list[str]:
    """Return the lines of a table of the results that have stages, with its heading; no lines if there are none."""
    some = [one for one in results if "stage_all_s" in one]
    if not some:
        return []
    lines = ["", "Where the time of the candidates goes, medians:", ""]
    lines += report.head(f"| documents | {' | '.join(STAGES.values())} | together |")
    for one in some:
        times = " | ".join(report.time(one[f"stage_{stage}_s"]) for stage in (*STAGES, "all"))
        lines.append(f"| {one['name']} | {times} |")
    return lines
