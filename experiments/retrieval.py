"""Does screening find the source, and how many rows pass by chance? PAN13's training corpus, loaded as a collection.

- recall: share of the listed pairs whose source is among the query's candidates;
- candidates: documents compared in detail, per query;
- false rows: rows above the threshold that hold no candidate, per query; expected at most as configured (1).
  Queries share phrases with thousands of sources, so some of these rows are there for a reason too weak to matter.
"""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from experiments.corpora import PAN13_KINDS, pan13_pairs, read
from pmbf.collection import Collection
from pmbf.fingerprint import query_sample
from pmbf.params import Params
from pmbf.screen import Hashes, Options, candidates, informative, rows_above_chance
from pmbf.store import Store


@dataclass(frozen=True)
class Found:
    """What screening found for the pairs of one kind; see the module."""

    kind: str
    n_pairs: int
    recall: float
    candidates: float
    false_rows: float
    ms_per_query: float


def run(pan: Path, *, params: Params, out: Path | None = None) -> str:
    """Load the corpus' sources, screen every suspicious document, and return the table in Markdown.

    Args:
        pan: The folder `pan13_train`.
        params: Of the collection.
        out: JSON file to write.
    """
    with tempfile.TemporaryDirectory() as folder:
        with Collection(Path(folder) / "pan.pmbf", create=True, params=params) as collection:
            collection.load([pan / "src"])
            stats = collection.stats()
        with Store(Path(folder) / "pan.pmbf") as store:
            found = [measure(store, pan, kind) for kind in ["01-no-plagiarism", *PAN13_KINDS]]
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n", encoding="utf-8")
    head = (
        f"{stats.n_documents} documents, {stats.n_chars} characters, {stats.n_hashes} hashes in {stats.n_rows} rows; "
    )
    head += f"tiles {stats.tile_bytes} bytes, fingerprints {stats.fingerprint_bytes} bytes"
    return head + "\n\n" + table(found)


def measure(store: Store, pan: Path, kind: str) -> Found:
    """Screen the suspicious documents of one kind."""
    pairs = pan13_pairs(pan / kind)
    sources: dict[str, set[str]] = {}
    for suspicious, source in pairs:
        sources.setdefault(suspicious, set()).add(str(pan / "src" / source))
    n_found, n_candidates, false_rows, seconds = 0, [], [], 0.0
    for suspicious, wanted in sources.items():
        sample = query_sample(read(pan / "susp" / suspicious), store.params)
        started = time.perf_counter()
        ids = [one.document for one in candidates(store, sample)]
        seconds += time.perf_counter() - started
        paths = {path for listed in store.paths_of(ids).values() for path in listed}
        n_found += len(wanted & paths)
        n_candidates.append(len(ids))
        false_rows.append(_false_rows(store, informative(sample.hashes, store.stop_hashes()), set(ids)))
    return Found(
        kind=kind,
        n_pairs=len(pairs),
        recall=n_found / len(pairs),
        candidates=float(np.mean(n_candidates)),
        false_rows=float(np.mean(false_rows)),
        ms_per_query=1000 * seconds / len(sources),
    )


def _false_rows(store: Store, hashes: Hashes, ids: set[int]) -> int:
    n_rows = 0
    for number, rows in rows_above_chance(store, hashes, Options()):
        n_rows += sum(not ids & set(store.rows.documents(number, [row]).tolist()) for row in rows.tolist())
    return n_rows


def table(found: list[Found]) -> str:
    """Return the figures as a Markdown table."""
    lines = [
        "| pairs | | recall | candidates a query | false rows a query | ms a query |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one.kind} | {one.n_pairs} | {one.recall:.4f} | {one.candidates:.1f} "
        f"| {one.false_rows:.2f} | {one.ms_per_query:.0f} |"
        for one in found
    ]
    return "\n".join(lines)
