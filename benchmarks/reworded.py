"""PAN13's suspicious texts screened among its sources and many manuals, by the parameters of two profiles.

The texts are as many of each kind: without plagiarism, verbatim, randomly changed, translated, summarised. Loading and
asking are processes of their own, on one thread. Times are CPU time of whole screens by `Collection.screen`. The
engine of an earlier commit has the same documents, with its default parameters.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import arguments, earlier_engine
from measure import report
from measure.commands import add_numbers, positive
from measure.corpora import PAN13_KINDS, described, pan13_pairs, read
from measure.process import FailedError
from pmbf.base.params import PROFILES

Figures = dict[str, Any]

KINDS = ("01-no-plagiarism", *PAN13_KINDS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    parser.add_argument("corpora", type=Path, help="folder with pan13_train/")
    parser.add_argument("--filler", type=Path, metavar="FOLDER", required=True, help="folder of unrelated .txt files")
    words = "number of these files, drawn by chance (default: all)"
    parser.add_argument("--filler-texts", dest="n_filler", type=positive, metavar="N", help=words)
    add_numbers(parser, n_queries=(40, "texts of a kind"))


def run(corpora: Path, *, filler: Path, n_filler: int | None = None, n_queries: int) -> Figures:
    """Return the times of two profiles, and of the earlier engine.

    Args:
        corpora: A folder with `pan13_train`.
        filler: Unrelated `.txt` files, searched recursively.
        n_filler: How many of them are loaded; None for all.
        n_queries: Texts of each kind.
    """
    pan, unrelated = corpora / "pan13_train", sorted(map(str, filler.rglob("*.txt")))
    random.Random(1).shuffle(unrelated)
    engines: dict[str, tuple[Callable[..., Figures], Figures]] = {
        name: (earlier_engine.today, asdict(PROFILES[name]())) for name in ("default", "obfuscation")
    }
    engines[f"default, pmbf {earlier_engine.COMMIT}"] = (earlier_engine.ours, {})
    results = []
    with tempfile.TemporaryDirectory() as place:
        texts, paths = Path(place) / "texts.json", Path(place) / "paths.json"
        texts.write_text(json.dumps({"texts": queries(pan, n_queries)}), encoding="utf-8")
        paths.write_text(json.dumps([str(pan / "src"), *unrelated[:n_filler]]), encoding="utf-8")
        for name, (ask, params) in engines.items():
            folder = f"{place}/{name}.pmbf"
            one: Figures = {"name": name}
            try:
                one |= ask("load", folder=folder, paths=str(paths), params=params)
                one |= ask("screen", folder=folder, texts=str(texts))["texts"]
            except FailedError as error:
                one["failed"] = str(error)
            results.append(one)
            arguments.show(one)
    return {"filler": described(filler), "results": results}


def queries(pan: Path, n_queries: int) -> list[str]:
    """Return as many suspicious texts of each kind, drawn by chance, always the same."""
    chosen, names = random.Random(1), list[str]()
    for kind in KINDS:
        some = sorted({suspicious for suspicious, _ in pan13_pairs(pan / kind)} - set(names))
        names += chosen.sample(some, min(n_queries, len(some)))
    return [read(pan / "susp" / name) for name in names]


def table(figures: Figures) -> str:
    """Return the figures as a Markdown table."""
    lines = [report.line(figures["about"]), ""]
    lines += report.head("| profile | documents | load, a document | texts | p50 | p99 | longest | sources a text |")
    for one in figures["results"]:
        if "failed" in one:
            lines.append(f"| {one['name']} | failed: {one['failed']} | | | | | | |")
            continue
        times = [report.time(one[key]) for key in ("p50_s", "p99_s", "worst_s")]
        cells = [
            f"{one['n_documents']:,}",
            report.time(one["load_s"] / one["n_documents"]),
            f"{one['n_asked']:,}",
            *times,
        ]
        lines.append(f"| {one['name']} | {' | '.join(cells)} | {one['n_matches'] / one['n_asked']:.1f} |")
    return "\n".join(lines) + "\n"
