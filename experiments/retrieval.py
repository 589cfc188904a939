"""Is the source among the candidates, and at what price? PAN13's training corpus, loaded as a collection.

- recall: share of the listed pairs with a case of a kind whose source is among the suspicious document's candidates;
- candidates: documents compared in detail per query.

Suspicious documents are in two halves by their number. Settings are chosen on the first half (even numbers); the second
is kept apart. Unrelated texts may be loaded too, which shows how much recall is left as a collection grows.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from experiments.arguments import add_half, add_params
from measure import report
from measure.commands import positive
from measure.corpora import PAN13_KINDS, described, half_of, pan13_pairs, read
from pmbf.base.errors import ParameterError
from pmbf.base.params import Params
from pmbf.collection import Collection
from pmbf.fingerprint import query_sample
from pmbf.screen import Options, candidates
from pmbf.screen.options import SENSITIVITIES
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    parser.add_argument("corpora", type=Path, help="folder with pan13_train/")
    add_params(parser)
    add_half(parser)
    parser.add_argument("--sensitivity", choices=SENSITIVITIES, default="normal", help="(default: normal)")
    parser.add_argument("--filler", type=Path, metavar="FOLDER", help="load the .txt files of this folder, too")
    words = "number of these files, drawn by chance (default: all)"
    parser.add_argument("--filler-texts", dest="n_filler", type=positive, metavar="N", help=words)


def run(
    corpora: Path,
    *,
    params: Params,
    half: str | None = None,
    sensitivity: str = "normal",
    filler: Path | None = None,
    n_filler: int | None = None,
) -> dict[str, Any]:
    """Load the corpus' sources, screen suspicious documents, and return the figures.

    Args:
        corpora: A folder with `pan13_train`.
        params: Parameters of the collection.
        half: `first` or `second` half of the suspicious documents; None for all.
        sensitivity: Of the screenings.
        filler: Folder of unrelated `.txt` files to load too, searched recursively.
        n_filler: Number of these files, drawn by chance; None for all.
    """
    pan = corpora / "pan13_train"
    with tempfile.TemporaryDirectory() as folder:
        with Collection(Path(folder) / "pan.pmbf", create=True, params=params) as collection:
            collection.load([pan / "src", *drawn(filler, n_filler)])
            stats = collection.stats()
        options = Options(sensitivity=sensitivity)
        with Store(Path(folder) / "pan.pmbf") as store:
            found = [measure(store, pan, kind, options, half=half) for kind in [CLEAN, *PAN13_KINDS]]
    sizes = ("n_documents", "n_chars", "n_hashes", "n_rows", "tile_bytes", "fingerprint_bytes")
    return {
        "sources": described(pan / "src"),
        "filler": described(filler) if filler else None,
        "params": asdict(params),
        "half": half,
        "sensitivity": sensitivity,
        "size": {name: getattr(stats, name) for name in sizes},
        "found": [asdict(one) for one in found],
    }


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


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown: a line about the index, and a table."""
    size = figures["size"]
    tiles, fingerprints = (
        f"{size[name]:,} bytes, {size[name] / size['n_chars']:.1%} of the text"
        for name in ("tile_bytes", "fingerprint_bytes")
    )
    lines = [
        f"{size['n_documents']} documents, {size['n_chars']} characters, {size['n_hashes']} hashes in {size['n_rows']} "
        f"rows; tiles {tiles}; fingerprints {fingerprints}",
        "",
        *report.head("| pairs | | recall | candidates a query | ms a query |"),
    ]
    for one in figures["found"]:
        cells = f"{one['recall']:.4f} | {one['candidates']:.1f} | {one['ms_per_query']:.2f}"
        lines.append(f"| {one['kind']} | {one['n_pairs']} | {cells} |")
    return "\n".join(lines)
