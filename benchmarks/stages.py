"""Where the time of a query's candidates goes: sampling, looking up, rows, documents, and Python between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks import report
from pmbf.files import StoreFiles
from pmbf.fingerprint import query_sample
from pmbf.screen import candidates, needed
from pmbf.screen.rarity import Stretch, stretches

Figures = dict[str, Any]

STAGES = {
    "sample": "sampling the text",
    "look_up": "rows that each hash hits",
    "rows": "rows with evidence",
    "documents": "what their documents share",
    "rest": "the rest, Python",
}


def measure(files: StoreFiles, texts: Sequence[str]) -> Figures:
    """Return the median seconds of each stage for texts of one length; the collection was asked before."""
    seconds = [_of(files, text) for text in texts for _ in range(2)]
    best = [min(pair, key=lambda one: one["all"]) for pair in zip(seconds[::2], seconds[1::2], strict=True)]
    return {f"stage_{stage}_s": median(one[stage] for one in best) for stage in (*STAGES, "all")}


def _of(files: StoreFiles, text: str) -> dict[str, float]:
    sample, took = query_sample(text, files.params), {}
    took["sample"] = _seconds(lambda: query_sample(text, files.params))
    took["look_up"] = _seconds(lambda: list(stretches(files, sample)))
    looked_up = list(stretches(files, sample))
    least = needed(files.n_documents, files.params.density)
    took["rows"] = _seconds(lambda: [_rows(files, one, least) for one in looked_up])
    hits = [(number, rows) for one in looked_up for number, rows in _rows(files, one, least)]
    parts = np.concatenate([np.empty((0, 3), np.uint32), *(files.rows.parts(*some) for some in hits)])
    weights = np.concatenate([one.weights for one in looked_up])
    took["documents"] = _seconds(lambda: len(parts) and files.shared_hashes(parts, sample.hashes, weights))
    took["all"] = took["sample"] + _seconds(lambda: candidates(files, sample))
    took["rest"] = max(0.0, took["all"] - sum(took[stage] for stage in STAGES if stage != "rest"))
    return took


def _rows(files: StoreFiles, stretch: Stretch, least: float) -> list[tuple[int, Any]]:
    return [(number, stretch.rows(number, least, files.params.shingle_tokens)) for number in stretch.looked_up.hits]


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def table(results: Sequence[Figures]) -> list[str]:
    """Return the lines of a table with its heading, of those results that have stages; none when none has."""
    some = [one for one in results if "stage_all_s" in one]
    if not some:
        return []
    lines = ["", "Where the time of the candidates goes, medians:", ""]
    lines += report.head(f"| documents | {' | '.join(STAGES.values())} | together |")
    for one in some:
        times = " | ".join(report.time(one[f"stage_{stage}_s"]) for stage in (*STAGES, "all"))
        lines.append(f"| {one['name']} | {times} |")
    return lines
