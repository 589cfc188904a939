"""Is the source among the candidates, and at what price? PAN13's training corpus, loaded as a collection.

- recall: share of the listed pairs with a case of a kind whose source is among the suspicious document's candidates;
- candidates: documents compared in detail per query.

Suspicious documents are in two halves by their number. Settings are chosen on the first half (even numbers); the second
is kept apart. Unrelated texts may be loaded too, which shows how much recall is left as a collection grows.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from experiments.arguments import write_figures
from measure import report
from measure.corpora import PAN13_KINDS, described, half_of, pan13_pairs, read
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.collection import Collection
from pmbf.fingerprint import query_sample
from pmbf.screen import Options, candidates
from pmbf.store.folder import Store

CLEAN = "01-no-plagiarism"
FILLER_SEED = 1


@dataclass(frozen=True)
class Found:
    """The figures of the pairs of one kind; see the module."""

    kind: str
    n_pairs: int
    recall: float
    candidates: float
    ms_per_query: float


def run(
    pan: Path,
    *,
    params: Params,
    half: str | None = None,
    sensitivity: str = "normal",
    filler: Path | None = None,
    n_filler: int | None = None,
    out: Path | None = None,
) -> str:
    """Load the corpus' sources, screen suspicious documents, and return the table in Markdown.

    Args:
        pan: The folder `pan13_train`.
        params: Parameters of the collection.
        half: `first` or `second` half of the suspicious documents; None for all.
        sensitivity: Of the screenings.
        filler: Folder of unrelated `.txt` files to load too, searched recursively.
        n_filler: Number of these files, drawn by chance; None for all.
        out: JSON file to write.
    """
    with tempfile.TemporaryDirectory() as folder:
        with Collection(Path(folder) / "pan.pmbf", create=True, params=params) as collection:
            collection.load([pan / "src", *drawn(filler, n_filler)])
            stats = collection.stats()
        options = Options(sensitivity=sensitivity)
        with Store(Path(folder) / "pan.pmbf") as store:
            found = [measure(store, pan, kind, options, half=half) for kind in [CLEAN, *PAN13_KINDS]]
    size = {name: getattr(stats, name) for name in ("n_documents", "n_chars", "n_hashes", "n_rows")}
    size |= {name: getattr(stats, name) for name in ("tile_bytes", "fingerprint_bytes")}
    figures = {
        "about": report.about(),
        "sources": described(pan / "src"),
        "filler": described(filler) if filler else None,
        "params": asdict(params),
        "half": half,
        "sensitivity": sensitivity,
        "size": size,
        "found": [asdict(one) for one in found],
    }
    write_figures(figures, out)
    return _head(size) + "\n\n" + table(found)


def measure(store: Store, pan: Path, kind: str, options: Options, *, half: str | None = None) -> Found:
    """Screen the suspicious documents of one kind."""
    wanted_of = sources(pan, kind, half)
    n_found, n_candidates, seconds = 0, [], []
    for suspicious, wanted in wanted_of.items():
        sample = query_sample(read(pan / "susp" / suspicious), store.params)
        started = time.process_time()
        ids = [one.document for one in candidates(store.generation, sample, options)]
        seconds.append(time.process_time() - started)
        paths = {path for listed in store.paths_of(ids).values() for path in listed}
        n_found += len(wanted & paths)
        n_candidates.append(len(ids))
    n_pairs = sum(map(len, wanted_of.values()))
    return Found(
        kind=kind,
        n_pairs=n_pairs,
        recall=n_found / n_pairs,
        candidates=float(np.mean(n_candidates)),
        ms_per_query=1000 * median(seconds),
    )


def sources(pan: Path, kind: str, half: str | None) -> dict[str, set[str]]:
    """Return the paths of the sources of each suspicious document of a half that has cases, or of all clean pairs."""
    found: dict[str, set[str]] = {}
    for suspicious, source in pan13_pairs(pan / kind):
        if half is None or half_of(suspicious) == half:
            truth = (pan / kind / f"{Path(suspicious).stem}-{Path(source).stem}.xml").read_text(encoding="utf-8")
            if kind == CLEAN or 'name="plagiarism"' in truth:
                found.setdefault(suspicious, set()).add(str(pan / "src" / source))
    return found


def drawn(filler: Path | None, n_filler: int | None) -> list[Path]:
    """Return the unrelated files to load too."""
    if filler is None:
        if n_filler is not None:
            raise ParameterError("a number of unrelated texts needs the folder they are in: --filler FOLDER")
        return []
    paths = sorted(filler.rglob("*.txt"))
    if n_filler is not None and n_filler > len(paths):
        raise ParameterError(f"{filler}: has {len(paths)} texts, {n_filler} are wanted")
    return paths if n_filler is None else random.Random(FILLER_SEED).sample(paths, n_filler)


def _head(size: dict[str, Any]) -> str:
    of_text = {name: f"{size[name]:,} bytes, {size[name] / size['n_chars']:.1%} of the text" for name in
               ("tile_bytes", "fingerprint_bytes")}  # fmt: skip
    return (
        f"{size['n_documents']} documents, {size['n_chars']} characters, {size['n_hashes']} hashes in {size['n_rows']} "
        f"rows; tiles {of_text['tile_bytes']}; fingerprints {of_text['fingerprint_bytes']}"
    )


def table(found: list[Found]) -> str:
    """Return the figures as a Markdown table."""
    lines = [
        "| pairs | | recall | candidates a query | ms a query |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {one.kind} | {one.n_pairs} | {one.recall:.4f} | {one.candidates:.1f} | {one.ms_per_query:.2f} |"
        for one in found
    ]
    return "\n".join(lines)
