"""Text alignment on a PAN corpus: `align` writes what the verification finds in each pair, `score` measures it.

Both are one command each, since the second also scores detections that another program wrote.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, lru_cache, partial
from itertools import chain, groupby
from pathlib import Path

from experiments.corpora import pan13_pairs, read
from experiments.pan_corpus import DETECTED, Corpus, Pair, annotated, file_name, write_detections
from experiments.plagdet import Annotation, Scores, macro, micro
from pmbf.report import Passage
from pmbf.verify import Prepared, Settings, Statistics, passages, prepare, strongest

SETTINGS = Settings(min_chars=150)
"""PAN's cases have no fewer characters."""

N_SAMPLED = 64
"""Sources whose words are counted."""

Group = tuple[str, tuple[str, ...]]
"""A suspicious document and the sources it is compared with."""


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of some detections, with how many there are."""

    cases: int
    detections: int
    macro: Scores
    micro: Scores

    @classmethod
    def of(cls, cases: set[Annotation], found: set[Annotation]) -> Result:
        """Return the scores of what was found."""
        return cls(len(cases), len(found), macro(cases, found), micro(cases, found))


def align(folder: Path, out: Path, *, jobs: int = 1) -> str:
    """Write a file of detections for every pair, and return what was done in a line.

    Each place of a suspicious document goes to one of its sources, the one that is most alike; so its pairs are aligned
    together, and again while any has no file yet.

    Args:
        folder: The corpus.
        out: Folder of the detections; may hold those of an earlier run, which are kept.
        jobs: Processes, at least 1.
    """
    corpus = Corpus.at(folder)
    out.mkdir(parents=True, exist_ok=True)
    every = [tuple(those) for _, those in groupby(corpus.pairs(), key=lambda pair: pair[0])]
    wanted = [those for those in every if not all((out / file_name(pair)).exists() for pair in those)]
    groups = [(those[0][0], tuple(source for _, source in those)) for those in wanted]
    pairs = list(chain.from_iterable(wanted))
    started = time.perf_counter()
    n_done = 0
    for n_sources in _mapped(partial(_align, corpus, out), groups, jobs):
        n_done += n_sources
        if sys.stderr.isatty():
            print(f"\r{n_done} of {len(pairs)} pairs", end="", file=sys.stderr)
    return f"{len(pairs)} pairs aligned in {time.perf_counter() - started:.1f} s, {jobs} processes; in {out}"


def score(folder: Path, detections: Path, *, out: Path | None = None) -> str:
    """Return the scores of detections, by kind of obfuscation and overall, as a table in Markdown.

    Args:
        folder: The corpus.
        detections: Folder with a file for each pair; a missing file counts as nothing found.
        out: JSON file to write.
    """
    corpus = Corpus.at(folder)
    by_kind: dict[str, tuple[set[Annotation], set[Annotation]]] = {
        kind.name: (corpus.cases(kind), found_in(detections, pan13_pairs(kind), DETECTED)) for kind in corpus.kinds
    }
    by_kind["all"] = (_union(cases for cases, _ in by_kind.values()), _union(found for _, found in by_kind.values()))
    results = {kind: Result.of(cases, found) for kind, (cases, found) in by_kind.items()}
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        plain = {kind: asdict(result) for kind, result in results.items()}
        out.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    return table(results)


def found_in(folder: Path, pairs: Iterable[Pair], name: str) -> set[Annotation]:
    """Return the annotations of some pairs; those that speak of other documents are left out."""
    return {
        one
        for pair in pairs
        for one in annotated(folder / file_name(pair), name)
        if (one.suspicious, one.source) == pair
    }


def table(results: dict[str, Result]) -> str:
    """Return scores as a table in Markdown, macro averages first."""
    lines = [
        "| pairs | cases | found | precision | recall | granularity | plagdet | micro plagdet |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, result in results.items():
        scores = result.macro
        lines.append(
            f"| {kind} | {result.cases} | {result.detections} | {scores.precision:.4f} | {scores.recall:.4f} "
            f"| {scores.granularity:.4f} | {scores.plagdet:.4f} | {result.micro.plagdet:.4f} |"
        )
    return "\n".join(lines)


def _align(corpus: Corpus, out: Path, group: Group) -> int:
    suspicious, sources = group
    query = prepare(read(corpus.suspicious / suspicious))
    statistics = _statistics(corpus.sources)
    found = {
        number: passages(query, _prepared(corpus.sources / source), SETTINGS, statistics)
        for number, source in enumerate(sources)
    }
    for number, kept in strongest(found).items():
        pair = suspicious, sources[number]
        write_detections(out / file_name(pair), suspicious, [_annotation(pair, passage) for passage in kept])
    return len(sources)


@cache
def _statistics(sources: Path) -> Statistics:
    """Return what a fair sample of the sources teaches about words, as a collection learns it from its documents."""
    paths = sorted(sources.glob("*.txt"))
    chosen = random.Random(0).sample(paths, min(N_SAMPLED, len(paths)))
    return Statistics.of(prepare(read(path)).words for path in chosen)


@lru_cache(maxsize=256)
def _prepared(path: Path) -> Prepared:
    return prepare(read(path))


def _annotation(pair: Pair, passage: Passage) -> Annotation:
    query, source = passage.query, passage.source
    return Annotation(pair[0], query.start, len(query), pair[1], source.start, len(source))


def _mapped(work: partial[int], groups: Sequence[Group], jobs: int) -> Iterator[int]:
    if jobs == 1:
        yield from map(work, groups)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, groups, chunksize=16)


def _union(sets: Iterable[set[Annotation]]) -> set[Annotation]:
    return set().union(*sets)
