"""`pan rivals`: all methods find shared passages in the same sampled pairs. Each method has a process of its own.

If a method is not installed, fails or takes too long, then its row says so.
"""

from __future__ import annotations

import importlib.util
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.pan import rival_methods as methods
from experiments.pan.aligning import sampled
from experiments.pan.annotations import Pair, file_name, write_detections
from experiments.pan.corpus import Corpus, Kind
from experiments.pan.plagdet import Annotation
from experiments.pan.rival_methods import MIN_CHARS, Method
from experiments.pan.scoring import ALL, Detections, lengths, plain, results
from measure import report
from measure.corpora import read
from measure.process import FailedError, alone

Figures = dict[str, Any]
PMBF = "pmbf"


@dataclass(frozen=True, slots=True)
class Rival:
    """A method that finds passages.

    Args:
        package: The package that it needs; empty if it needs none.
        learnt: Returns the method, given texts like the sources to learn from; None if the method cannot run here.
        why: A description, or why it cannot run.
    """

    package: str
    learnt: Callable[[Iterable[str]], Method] | None
    why: str


def _rival(package: str, method: Method, why: str) -> Rival:
    return Rival(package, lambda _: method, why)


RIVALS: dict[str, Rival] = {
    PMBF: Rival(PMBF, methods.ours, "`pmbf.verify.passages`"),
    "50-grams": _rival("", methods.grams, "PAN's baseline: equal runs of 50 letters"),
    "copydetect": _rival("copydetect", methods.copydetect_prose, "winnowing, nothing taken for code"),
    "difflib": _rival("", methods.difflib_words, "`SequenceMatcher` on words, blocks of four and more"),
    "rapidfuzz": _rival("rapidfuzz", methods.rapidfuzz_windows, "`partial_ratio_alignment` of windows, 75 and more"),
    "plagdef": Rival(
        "plagdef",
        None,
        "1.5.3 wants Python 3.10 and no other; the last release for newer ones, 1.2.2, wants Qt, PyTorch and models "
        "that Stanza fetches from the network when it runs",
    ),
}


def run(
    corpus: Corpus, *, n_pairs: int, seed: int = 1, timeout_s: float = 900, only: Sequence[str] = tuple(RIVALS)
) -> Figures:
    """Return the scores of each rival on sampled pairs, ready for JSON.

    Args:
        corpus: The corpus, with its cases.
        n_pairs: Pairs of each kind.
        seed: Seed of the sample.
        timeout_s: Seconds of wall-clock time that a rival may take.
        only: Names of rivals.
    """
    small = sample(corpus, n_pairs=n_pairs, seed=seed)
    pairs = small.aligned_pairs()
    figures: Figures = {
        "corpus": corpus.folder.resolve().name,
        "about": report.about(),
        "seed": seed,
        "pairs": len(pairs),
        "timeout_s": timeout_s,
        "kinds": {kind.name: len(kind.pairs or ()) for kind in small.kinds},
        "rivals": {},
    }
    for name in only:
        figures["rivals"][name] = measured(name, small, pairs, timeout_s)
    return figures


def sample(corpus: Corpus, *, n_pairs: int, seed: int) -> Corpus:
    """Return the corpus with some pairs of each kind, drawn by chance. A kind with fewer pairs keeps all."""
    chance = random.Random(seed)
    kinds = []
    for kind in corpus.kinds:
        known = set(corpus.aligned_pairs())
        pairs = kind.pairs if kind.pairs is not None else {(case.suspicious, case.source) for case in kind.cases}
        usable = sorted(pairs & known)
        drawn = frozenset(chance.sample(usable, min(n_pairs, len(usable))))
        cases = frozenset(case for case in kind.cases if (case.suspicious, case.source) in drawn)
        kinds.append(Kind(kind.name, drawn, cases))
    every = frozenset().union(*(kind.pairs or () for kind in kinds))
    return replace(corpus, kinds=tuple(kinds), pairs=every)


def measured(name: str, corpus: Corpus, pairs: Sequence[Pair], timeout_s: float) -> Figures:
    """Return the scores and the time of a rival; if the rival did not finish, the reason."""
    rival = RIVALS[name]
    figures: Figures = {"what": rival.why, "version": report.version(rival.package) if rival.package else ""}
    if rival.learnt is None:
        return figures | {"failed": "does not install here"}
    if rival.package and not importlib.util.find_spec(rival.package):
        return figures | {"failed": f"is not installed: pip install {rival.package}"}
    with tempfile.TemporaryDirectory() as out:
        texts: Figures = {
            "asked": [
                [*pair, *map(_absolute, (corpus.suspicious[pair[0]], corpus.sources[pair[1]]))] for pair in pairs
            ],
            "taught_by": [_absolute(path) for path in sampled(corpus)],
        }
        try:
            took: Figures = alone("experiments.pan.rivals:find", timeout_s=timeout_s, name=name, out=out, **texts)
        except FailedError as error:
            n_done = len(list(Path(out).glob("*.xml")))
            return figures | {"failed": f"{error}; {n_done} of {len(pairs)} pairs done"}
        found = Detections.at(Path(out)).within(corpus)
        scores = results(corpus, found, lengths(corpus, {*corpus.cases, *found}))
    told = {kind: {"cases": one.cases, "found": one.detections, **plain(one.macro)} for kind, one in scores.items()}
    return figures | took | {"scores": told}


def find(name: str, asked: list[list[str]], taught_by: list[str], out: str) -> Figures:
    """Write a rival's detections of each pair, and return its processor time. Runs in a process of its own.

    Args:
        name: The rival's name.
        asked: Names and paths of each pair's texts.
        taught_by: Paths of texts like the sources.
        out: Folder of the detections.
    """
    started = time.process_time()
    learnt = RIVALS[name].learnt
    assert learnt
    method = learnt(read(Path(path)) for path in taught_by)
    for suspicious, source, here, there in asked:
        found = [one for one in method(read(Path(here)), read(Path(there))) if len(one[0]) >= MIN_CHARS]
        passages = [
            Annotation(suspicious, one.start, len(one), source, other.start, len(other)) for one, other in found
        ]
        write_detections(Path(out) / file_name((suspicious, source)), suspicious, passages)
    return {"seconds": time.process_time() - started}


def table(figures: Figures) -> str:
    """Return the figures as a table in Markdown."""
    kinds = [kind for kind, count in figures["kinds"].items() if count]
    lines = report.head(f"| | precision | recall | granularity | plagdet | {' | '.join(kinds)} | ms a pair |")
    for name, one in figures["rivals"].items():
        if "failed" in one:
            lines.append(f"| {name} | {one['failed']} | | | | " + " | ".join("" for _ in kinds) + " | |")
            continue
        scores = one["scores"][ALL]
        cells = [f"{scores[part]:.3f}" for part in ("precision", "recall", "granularity", "plagdet")]
        cells += [_told(one["scores"][kind]) for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} | {1000 * one['seconds'] / figures['pairs']:.2f} |")
    lines.append("")
    lines += [f"- {name} {one['version']}".rstrip() + f": {one['what']}" for name, one in figures["rivals"].items()]
    return "\n".join(lines)


def _absolute(path: Path) -> str:
    return str(path.resolve())


def _told(scores: Figures) -> str:
    """Return plagdet; for a kind without cases, the number of detections."""
    return f"{scores['plagdet']:.3f}" if scores["cases"] else f"{scores['found']} found"
