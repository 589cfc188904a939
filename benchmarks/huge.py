"""One text of 50 MB among 500 manuals: loaded, asked for by 3,000 characters of it, and asked with as a whole.

The text is made of manuals, one after another. Each step is a process of its own, on one thread. Times are CPU time.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from measure import report
from measure.commands import add_folder, add_numbers
from measure.corpora import described, read
from measure.process import alone, peak_bytes, resident_bytes
from measure.timing import processor_s
from pmbf import Collection, Report

Figures = dict[str, Any]

BYTES = 50_000_000
EXTRACT_CHARS = 3000
BREAK = "\n\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    add_folder(parser)
    add_numbers(parser, n_bytes=(BYTES, "bytes of the text"), n_documents=(500, "other documents"))
    add_numbers(parser, n_queries=(20, f"extracts of {EXTRACT_CHARS:,} characters"))


def run(folder: Path, *, n_bytes: int, n_documents: int, n_queries: int) -> Figures:
    """Return the figures.

    Args:
        folder: Searched recursively for .txt files.
        n_bytes: Bytes of the text; fewer if the folder has fewer.
        n_documents: Documents beside it, which are not in it.
        n_queries: Extracts that it is asked for by.
    """
    paths = sorted(folder.rglob("*.txt"))
    random.Random(1).shuffle(paths)
    others, rest = paths[:n_documents], paths[n_documents:]
    with tempfile.TemporaryDirectory() as place:
        text = Path(place) / "huge.txt"
        _join(rest, text, n_bytes)
        figures: Figures = {"n_bytes": text.stat().st_size, "n_documents": len(others), "extract_chars": EXTRACT_CHARS}
        figures |= alone("benchmarks.huge:load", place=place, others=list(map(str, others)))
        figures |= alone("benchmarks.huge:extracts", place=place, n_queries=n_queries)
        figures |= alone("benchmarks.huge:itself", place=place)
    return {"folder": described(folder)} | figures


def _join(paths: Sequence[Path], text: Path, n_bytes: int) -> None:
    with text.open("w", encoding="utf-8") as written:
        for path in paths:
            if written.tell() >= n_bytes:
                return
            written.write(read(path) + BREAK)


# ---------------------------------------------------------------------- in processes of their own


def load(place: str, others: list[str]) -> Figures:
    """Load the other documents, then the text alone."""
    with Collection(f"{place}/c.pmbf", create=True) as collection:
        collection.load(others)
        before = resident_bytes()
        seconds = processor_s(lambda: collection.load([f"{place}/huge.txt"]))
    return {"load_s": seconds, "load_peak_bytes": peak_bytes() - before}


def extracts(place: str, n_queries: int) -> Figures:
    """Screen extracts of the text, the first of them when nothing of the text was read."""
    text, chosen = read(Path(place) / "huge.txt"), random.Random(2)
    starts = [chosen.randrange(max(1, len(text) - EXTRACT_CHARS)) for _ in range(n_queries)]
    some = [text[start : start + EXTRACT_CHARS] for start in starts]
    del text
    before, seconds, n_found = resident_bytes(), list[float](), 0
    with Collection(f"{place}/c.pmbf") as collection:
        for one in some:
            start = process_time()
            found = collection.screen(one)
            seconds.append(process_time() - start)
            n_found += _names(found)
    later = seconds[1:] or seconds
    figures: Figures = {"extract_first_s": seconds[0], "extract_p50_s": median(later), "extract_worst_s": max(later)}
    figures |= {"n_extracts": len(some), "n_extracts_found": n_found}
    return figures | {"extract_held_bytes": resident_bytes() - before}


def itself(place: str) -> Figures:
    """Screen the whole text."""
    text, before = read(Path(place) / "huge.txt"), resident_bytes()
    with Collection(f"{place}/c.pmbf") as collection:
        start = process_time()
        found = collection.screen(text)
        seconds = process_time() - start
    figures: Figures = {"itself_s": seconds, "itself_peak_bytes": peak_bytes() - before}
    return figures | {"is_itself_found": _names(found)}


def _names(found: Report) -> bool:
    return any(match.document.path.endswith("huge.txt") for match in found.matches)


def table(figures: Figures) -> str:
    """Return the figures as Markdown."""
    size = report.size(figures["n_bytes"])
    extract = f"{figures['extract_chars']:,} characters of it"
    rows = [
        ("loaded", report.time(figures["load_s"]), "", report.size(figures["load_peak_bytes"])),
        (f"{extract}, the first time", report.time(figures["extract_first_s"]), "", ""),
        (
            f"{extract}, later: median, longest",
            report.time(figures["extract_p50_s"]),
            report.time(figures["extract_worst_s"]),
            report.size(figures["extract_held_bytes"]),
        ),
        ("the whole text", report.time(figures["itself_s"]), "", report.size(figures["itself_peak_bytes"])),
    ]
    lines = [report.line(figures["about"]), f"a text of {size} among {figures['n_documents']:,} others", ""]
    lines += report.head("| | time | longest | memory |")
    lines += [f"| {' | '.join(cells)} |" for cells in rows]
    found = f"{figures['n_extracts_found']:,} of {figures['n_extracts']:,}"
    whole = "and of itself" if figures["is_itself_found"] else "but not of itself"
    return "\n".join([*lines, "", f"The text is named as the source of {found} extracts, {whole}.", ""])
