"""What today's engine and an earlier one are asked alike. Both have `Collection`, and nothing else is imported here."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from measure.timing import asked, spent_s
from pmbf import Collection, Params

Figures = dict[str, Any]


def load(folder: str, paths: str, params: dict[str, Any]) -> Figures:
    """Load files into a new collection. Call it in a process of its own.

    Args:
        folder: The collection.
        paths: A file with a JSON list.
        params: Of `Params`, what differs from the usual.
    """
    some = json.loads(Path(paths).read_text(encoding="utf-8"))
    with Collection(folder, create=True, params=Params(**params)) as collection:
        start = process_time()
        collection.load(some, jobs=1)
        return {"load_s": process_time() - start, "n_documents": collection.stats().n_documents}


def screen(folder: str, texts: str) -> dict[str, Figures]:
    """Return the times of screenings, by kind of text. Call it in a process of its own.

    Args:
        folder: A collection.
        texts: A file with a JSON object: by the name of a kind its texts.
    """
    figures: dict[str, Figures] = {}
    with Collection(folder) as collection:
        for kind, some in json.loads(Path(texts).read_text(encoding="utf-8")).items():
            reports, seconds = asked(collection.screen, some)
            ordered = sorted(seconds)
            times = {"p50_s": median(ordered), "p99_s": ordered[int(0.99 * (len(some) - 1))], "worst_s": ordered[-1]}
            figures[kind] = times | {"n_asked": len(some), "n_matches": sum(len(one.matches) for one in reports)}
    return figures


def self_join(texts: str, n_rounds: int, ways: dict[str, Any]) -> Figures:
    """Add texts to a new collection and screen them all with it. Call it in a process of its own.

    Args:
        texts: A file with a JSON list.
        n_rounds: Rounds of each way, in turn; the fastest counts.
        ways: By name the arguments of `screen_many`.
    """
    some = json.loads(Path(texts).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place, Collection(f"{place}/c.pmbf", create=True) as collection:
        start = process_time()
        ids = collection.add_many((f"text-{number}", text) for number, text in enumerate(some))
        figures: Figures = {"index_s": process_time() - start}
        reports = [{match.document.id for match in one.matches} for one in collection.screen_many(some)]
        figures["itself"] = sum(id_ in found for id_, found in zip(ids, reports, strict=True)) / len(ids)
        figures["n_matches"] = sum(map(len, reports)) / len(ids)
        rounds: dict[str, list[tuple[float, float]]] = {}
        for way in [*ways] * n_rounds:
            before, clock = spent_s(), perf_counter()
            for _ in collection.screen_many(some, **ways[way]):
                pass
            rounds.setdefault(way, []).append((spent_s() - before, perf_counter() - clock))
    for way, times in rounds.items():
        figures |= {f"{way}_s": min(spent for spent, _ in times), f"{way}_clock_s": min(clock for _, clock in times)}
    return figures
