"""Many short texts screened against a collection of the same texts, beside rensa's MinHash LSH.

The texts are stretches of 200 words of a folder's documents. A stretch is left out if it shares a fiftieth of its
shingles with an earlier one: so each text has one source, itself, and what else is a candidate is so by chance. Times
are CPU time of one core; those of two jobs and of two threads are told on the clock, too, which only a machine with two
idle cores shows. The engine of an earlier commit screens the same texts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks import earlier_engine
from benchmarks.short_texts import SHORT_WORDS, stretches
from measure import report
from measure.commands import add_folder, add_numbers
from measure.process import FailedError, alone
from measure.timing import processor_s
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
EARLIER_WAYS: dict[str, dict[str, int]] = {"one_job": {}, "two_jobs": {"jobs": 2}}
WAYS = EARLIER_WAYS | {"two_threads": {"threads": 2}}
"""By name, the arguments of `screen_many`."""
_WAY_WORDS = {"one_job": "", "two_jobs": ", two jobs", "two_threads": ", two threads"}
_SHOWN = {"n_candidates": 1, "n_matches": 2, "itself": 3}
HERE = "benchmarks.selfjoin"
_DRAWN = 8
"""Stretches that are drawn for each wanted text, at most: others are left out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the benchmark."""
    add_folder(parser)
    add_numbers(parser, n_texts=(20_000, "texts"), n_rounds=(2, "rounds; the fastest counts"))


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
        given: Figures = {"texts": str(file), "n_rounds": n_rounds}
        measures: dict[str, Callable[[], Figures]] = {
            "pmbf": lambda: earlier_engine.today("self_join", **given, ways=WAYS) | alone(f"{HERE}:pmbf", **given),
            "earlier": lambda: earlier_engine.ours("self_join", **given, ways=EARLIER_WAYS),
            "rensa": lambda: alone(f"{HERE}:rensa", **given),
        }
        figures: Figures = {"n_texts": len(texts), "n_bytes": sum(len(text.encode()) for text in texts)}
        for name, measured in measures.items():
            try:
                figures[name] = measured()
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


def pmbf(texts: str, n_rounds: int) -> Figures:
    """Return the time of finding candidates, and how many there are."""
    some = json.loads(Path(texts).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place, Collection(f"{place}/c.pmbf", create=True) as collection:
        collection.add_many((f"text-{number}", text) for number, text in enumerate(some))
        generation = collection._store.generation

        def candidates() -> list[int]:
            samples = ([query_sample(text, generation.params) for text in batch] for batch in _batches(some))
            return [len(one.candidates) for batch in samples for one in find(generation, batch, Options())]

        n_candidates = sum(candidates())
        return {"candidates_s": processor_s(candidates, n_rounds), "n_candidates": n_candidates / len(some)}


def rensa(texts: str, n_rounds: int) -> Figures:
    """Return the times of rensa's MinHash LSH for the same texts, and how many candidates it has."""
    library: Any = importlib.import_module("rensa")
    some = json.loads(Path(texts).read_text(encoding="utf-8"))

    def hashed() -> Any:
        return library.RMinHash.from_token_sets([_shingles(text) for text in some], NUM_PERM, 42)

    start = process_time()
    hashes = hashed()
    index = library.RMinHashLSH(THRESHOLD, NUM_PERM, N_BANDS)
    index.insert_many(hashes, 0)
    figures: Figures = {"index_s": process_time() - start}
    found = index.query_all(hashes)
    figures["candidates_s"] = processor_s(lambda: index.query_all(hashed()), n_rounds)
    figures["n_candidates"] = sum(map(len, found)) / len(some)
    return figures | {"itself": sum(number in one for number, one in enumerate(found)) / len(some)}


def _shingles(text: str) -> list[str]:
    words = kernels.fold(text.encode()).text.split()
    return [" ".join(words[i : i + SHINGLE_WORDS]) for i in range(len(words) - SHINGLE_WORDS + 1)]


def _batches(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[start : start + MOST_QUERIES] for start in range(0, len(texts), MOST_QUERIES)]


def table(figures: Figures) -> str:
    """Return the figures as Markdown."""
    n, ours, earlier, theirs = (figures.get(name, {}) for name in ("n_texts", "pmbf", "earlier", "rensa"))
    lines = [
        report.line(figures["about"]),
        f"{n:,} texts of {SHORT_WORDS} words, {figures['n_bytes'] / 1e6:.1f} MB, screened against themselves",
        "",
        *report.head(
            "| CPU time of one core | texts a second | a text | on the clock | candidates | sources | finds itself |"
        ),
    ]
    old = f"pmbf {earlier_engine.COMMIT}, whole reports"
    rows = [
        ("pmbf, candidates", ours, "candidates"),
        (f"rensa, {N_BANDS} bands of {NUM_PERM // N_BANDS}", theirs, "candidates"),
    ]
    for name, one in (("pmbf, whole reports", ours), (old, earlier)):
        rows += [(f"{name}{words}", one, way) for way, words in _WAY_WORDS.items()]
    for name, one, way in rows:
        if seconds := one.get(f"{way}_s"):
            clock = report.time(one[f"{way}_clock_s"] / n) if f"{way}_clock_s" in one else ""
            cells = [f"{n / seconds:,.0f}", report.time(seconds / n), clock]
            cells += [f"{one[key]:.{digits}f}" if key in one else "" for key, digits in _SHOWN.items()]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    for name, one in (("pmbf", ours), (old, earlier), ("rensa", theirs)):
        if "failed" in one:
            lines.append(f"\n{name}: {one['failed']}")
    one_job = ours.get("one_job_clock_s", 0)
    for way in WAYS:
        if f"{way}_clock_s" in ours and way != "one_job":
            gain = one_job / ours[f"{way}_clock_s"]
            lines += ["", f"On the clock, {gain:.2f} times as many texts with {way.replace('_', ' ')} as with one."]
    return "\n".join(lines) + "\n"
