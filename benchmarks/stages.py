"""The time of each stage of finding a query's candidates: sampling, postings, and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from measure import report
from measure.timing import processor_s
from pmbf.fingerprint import query_sample
from pmbf.screen import Options, candidates
from pmbf.screen.weighing import common_from
from pmbf.store.generation import Generation

Figures = dict[str, Any]

STAGES = {
    "sample": "sampling the text",
    "postings": "documents that have each hash",
    "rest": "evidence, and the rest in Python",
}


def measure(generation: Generation, texts: Sequence[str]) -> Figures:
    """Return the median seconds of each stage for texts of one length. The collection must have been asked before."""
    seconds = [_of(generation, text) for text in texts for _ in range(2)]
    best = [min(pair, key=lambda one: one["all"]) for pair in zip(seconds[::2], seconds[1::2], strict=True)]
    return {f"stage_{stage}_s": median(one[stage] for one in best) for stage in (*STAGES, "all")}


def _of(generation: Generation, text: str) -> dict[str, float]:
    sample, options = query_sample(text, generation.params), Options()
    limit = common_from(generation.n_documents) - 1
    took = {
        "sample": processor_s(lambda: query_sample(text, generation.params)),
        "postings": processor_s(lambda: generation.documents_having(sample.hashes, limit=limit)),
        "all": processor_s(lambda: candidates(generation, sample, options)),
    }
    took["rest"] = max(0.0, took["all"] - took["postings"])
    took["all"] += took["sample"]
    return took


def table(results: Sequence[Figures]) -> list[str]:
    """Return the lines of a table of the results that have stages, with its heading; no lines if there are none."""
    some = [one for one in results if "stage_postings_s" in one]
    if not some:
        return []
    lines = ["", "Where the time of the candidates goes, medians:", ""]
    lines += report.head(f"| documents | {' | '.join(STAGES.values())} | together |")
    for one in some:
        times = " | ".join(report.time(one[f"stage_{stage}_s"]) for stage in (*STAGES, "all"))
        lines.append(f"| {one['name']} | {times} |")
    return lines
