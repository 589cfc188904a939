"""Many short texts screened against a collection of the same texts, beside rensa's MinHash LSH.

The texts are stretches of 200 words of a folder's documents. A stretch is left out if it shares a fiftieth of its
shingles with an earlier one: so each text has one source, itself, and what else is a candidate is so by chance. Times
are CPU time of one core; that of two jobs is told on the clock, too, which only a machine with two idle cores shows.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.short_texts import SHORT_WORDS, stretches
from measure import report
from measure.commands import add_folder, add_numbers
from measure.process import FailedError, alone
from measure.timing import processor_s, spent_s
from pmbf import Collection, kernels
from pmbf.fingerprint import query_sample
from pmbf.screen import Options
from pmbf.screen.answering import MOST_QUERIES
from pmbf.screen.candidates import find

Figures = dict[str, Any]

SHINGLE_WORDS = 3
LEAST_SHARED = 0.02
THRESHOLD, NUM_PERM, N_BANDS = 0.5, 128, 32
"""rensa's: with 32 bands of 4 MinHashes a pair with a Jaccard index of 0.5 is found with a chance of 0.87."""
_DRAWN = 5
"""Stretches that are drawn for each wanted text, at most: others are left out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    add_folder(parser)
    add_numbers(parser, n_texts=(20_000, "texts"), n_rounds=(3, "rounds; the fastest counts"))


def run(folder: Path, *, n_texts: int, n_rounds: int) -> Figures:
    """Return the figures of both, each from a process of its own.

    Args:
        folder: Searched recursively for .txt files.
        n_texts: Texts of the collection; fewer if the folder has fewer.
        n_rounds: Rounds; each time is that of the fastest.
    """
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "texts.json"
        texts = apart([" ".join(words) for words in stretches(folder, _DRAWN * n_texts)])[:n_texts]
        file.write_text(json.dumps(texts), encoding="utf-8")
        asked: Figures = {"file": str(file), "n_rounds": n_rounds}
        figures: Figures = {"n_texts": len(texts), "n_bytes": sum(len(text.encode()) for text in texts)}
        for name in ("pmbf", "rensa"):
            try:
                figures[name] = alone(f"benchmarks.selfjoin:{name}", **asked)
            except FailedError as error:
                figures[name] = {"failed": str(error)}
    return figures


def apart(texts: Sequence[str]) -> list[str]:
    """Return the texts that share few shingles with any text before them."""
    lists = kernels.chunk_lists([text.encode() for text in texts], n_words=SHINGLE_WORDS)
    joined = kernels.jaccard_join(lists, LEAST_SHARED)
    later = {*np.maximum(joined.lists(), joined.documents).tolist()}
    return [text for number, text in enumerate(texts) if number not in later]


# ---------------------------------------------------------------------- in processes of their own


def pmbf(file: str, n_rounds: int) -> Figures:
    """Return the times of adding, of finding candidates and of whole screenings, and what is found."""
    texts = json.loads(Path(file).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place, Collection(f"{place}/c.pmbf", create=True) as collection:
        start = process_time()
        ids = collection.add_many((f"text-{number}", text) for number, text in enumerate(texts))
        figures: Figures = {"index_s": process_time() - start}
        generation = collection._store.generation

        def candidates() -> list[int]:
            samples = ([query_sample(text, generation.params) for text in batch] for batch in _batches(texts))
            return [len(one.candidates) for some in samples for one in find(generation, some, Options())]

        found = candidates()
        figures["candidates_s"] = processor_s(candidates, n_rounds)
        start = process_time()
        reports = list(collection.screen_many(texts))
        figures["screens_s"] = process_time() - start
        figures["itself"] = sum(
            id_ in {match.document.id for match in one.matches} for id_, one in zip(ids, reports, strict=True)
        ) / len(ids)
        figures["n_candidates"] = sum(found) / len(ids)
        figures["n_matches"] = sum(len(one.matches) for one in reports) / len(ids)
        rounds: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
        for jobs in (1, 2) * max(1, n_rounds - 1):
            before, clock = spent_s(), perf_counter()
            _screened(collection, texts, jobs=jobs)
            rounds[jobs].append((spent_s() - before, perf_counter() - clock))
        figures["screens_s"] = min(figures["screens_s"], *(spent for spent, _ in rounds[1]))
        figures["two_jobs_s"] = min(spent for spent, _ in rounds[2])
        figures["one_job_clock_s"], figures["two_jobs_clock_s"] = (min(clock for _, clock in rounds[j]) for j in (1, 2))
    return figures


def rensa(file: str, n_rounds: int) -> Figures:
    """Return the times of rensa's MinHash LSH for the same texts, and how many candidates it has."""
    library: Any = importlib.import_module("rensa")
    texts = json.loads(Path(file).read_text(encoding="utf-8"))

    def hashed() -> Any:
        return library.RMinHash.from_token_sets([_shingles(text) for text in texts], NUM_PERM, 42)

    start = process_time()
    hashes = hashed()
    index = library.RMinHashLSH(THRESHOLD, NUM_PERM, N_BANDS)
    index.insert_many(hashes, 0)
    figures: Figures = {"index_s": process_time() - start}
    found = index.query_all(hashes)
    figures["candidates_s"] = processor_s(lambda: index.query_all(hashed()), n_rounds)
    figures["n_candidates"] = sum(map(len, found)) / len(texts)
    return figures | {"itself": sum(number in one for number, one in enumerate(found)) / len(texts)}


def _shingles(text: str) -> list[str]:
    words = kernels.fold(text.encode()).text.split()
    return [" ".join(words[i : i + SHINGLE_WORDS]) for i in range(len(words) - SHINGLE_WORDS + 1)]


def _screened(collection: Collection, texts: Sequence[str], *, jobs: int) -> int:
    return sum(report.found for report in collection.screen_many(texts, jobs=jobs))


def _batches(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[start : start + MOST_QUERIES] for start in range(0, len(texts), MOST_QUERIES)]


def table(figures: Figures) -> str:
    """Return the figures as Markdown."""
    n, ours = figures["n_texts"], figures["pmbf"]
    lines = [f"{n:,} texts of {SHORT_WORDS} words, {figures['n_bytes'] / 1e6:.1f} MB, screened against themselves", ""]
    if "failed" in ours:
        return "\n".join([*lines, f"pmbf failed: {ours['failed']}", ""])
    lines += report.head("| CPU time of one core | texts a second | a text | candidates a text | finds itself |")
    rows = [("pmbf, candidates", ours["candidates_s"], ours["n_candidates"], ours["itself"])]
    theirs = figures["rensa"]
    if "failed" not in theirs:
        name = f"rensa, {N_BANDS} bands of {NUM_PERM // N_BANDS}"
        rows.append((name, theirs["candidates_s"], theirs["n_candidates"], theirs["itself"]))
    rows.append(("pmbf, whole reports", ours["screens_s"], ours["n_candidates"], ours["itself"]))
    rows.append(("the same, two jobs", ours["two_jobs_s"], ours["n_candidates"], ours["itself"]))
    for name, seconds, n_candidates, itself in rows:
        pace = f"{n / seconds:,.0f} | {report.time(seconds / n)}"
        lines.append(f"| {name} | {pace} | {n_candidates:.1f} | {itself:.3f} |")
    one, two = ours["one_job_clock_s"], ours["two_jobs_clock_s"]
    lines += [
        "",
        f"A report has {ours['n_matches']:.2f} sources. On the clock a text takes {report.time(one / n)} with",
    ]
    lines += [f"one job, and {report.time(two / n)} with two jobs, the start of their processes included:"]
    lines += [f"{one / two:.2f} times as many texts."]
    return "\n".join(lines) + "\n"
