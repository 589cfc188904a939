"""Are the pairs of a class found that share a planted passage, and only they? Texts of `measure.classmates`.

- found: pairs of groups with a planted passage that are in the comparison, by the kind of the passage;
- template, library: pairs that share a template alone, or a passage of the library alone, and are in it all the same;
- others: further pairs of groups, by certainty. No two texts share six words in a row, but two of one topic may share
  words enough to be worth a look;
- seconds: the comparison and its pages, in this process and its workers.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from measure import report
from measure.classmates import KINDS, Classmates, classmates
from measure.commands import add_folder, add_numbers
from measure.corpora import described
from pmbf.collection import Collection
from pmbf.comparison import Comparison, compare
from pmbf.comparison.pages import write_pages
from pmbf.report import CERTAINTIES

LENGTHS = (200, 300, 500, 1000, 2000)
"""Characters of the planted passages, in turn."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Result:
    """The figures; see the module."""

    n_texts: int
    n_chars: int
    planted: dict[str, int]
    found: dict[str, int]
    n_library: int
    others: dict[str, int]
    seconds: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the experiment."""
    add_folder(parser)
    add_numbers(parser, n_texts=(300, "texts of the class"), n_words=(4000, "words of a text"))
    add_numbers(parser, n_copied=(30, "planted pairs of each kind"), jobs=(1, "processes"), seed=(2, "of all choices"))


def run(folder: Path, *, n_texts: int, n_words: int, n_copied: int, seed: int, jobs: int = 1) -> dict[str, Any]:
    """Plant a class, compare it, and return the figures.

    Args:
        folder: Documents, as `.txt` files, searched recursively.
        n_texts, n_words, n_copied, seed: As for `measure.classmates.classmates`.
        jobs: Processes that compare.
    """
    made = classmates(folder, n_texts=n_texts, n_words=n_words, n_copied=n_copied, lengths=LENGTHS, seed=seed)
    return {"corpus": described(folder), "seed": seed, **asdict(measured(made, jobs=jobs))}


def measured(made: Classmates, *, jobs: int = 1) -> Result:
    """Compare a class and write its pages, and return the figures."""
    with tempfile.TemporaryDirectory() as scratch, Collection(f"{scratch}/library.pmbf", create=True) as library:
        library.add_many(made.library.items())
        started = time.perf_counter()
        found = compare(made.texts, group_by="folder", collection=library, jobs=jobs)
        write_pages(found, f"{scratch}/pages")
        seconds = time.perf_counter() - started
    certainty = _certainties(found)
    planted = {_groups(one.a, one.b): one.kind for one in made.copied}
    of_library = {_groups(*pair) for pair in made.only_library}
    others = [sure for pair, sure in certainty.items() if pair not in planted and pair not in of_library]
    return Result(
        n_texts=len(made.texts),
        n_chars=sum(map(len, made.texts.values())),
        planted=dict(Counter(planted.values())),
        found=dict(Counter(kind for pair, kind in planted.items() if pair in certainty)),
        n_library=len(of_library & certainty.keys()),
        others=dict(Counter(others)),
        seconds=round(seconds, 1),
    )


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    others = ", ".join(f"{figures['others'].get(one, 0)} {one}" for one in CERTAINTIES)
    planted, found = figures["planted"], figures["found"]
    lines = [
        f"{figures['n_texts']} texts, {figures['n_chars'] / 1e6:.1f} million characters, {figures['seconds']} s",
        "",
        *report.head("| planted | pairs | found |"),
        *(f"| {kind} | {planted.get(kind, 0)} | {found.get(kind, 0)} |" for kind in KINDS),
        "",
        f"Pairs that share the library alone: {figures['n_library']} named. Other pairs: {others}.",
    ]
    return "\n".join(lines)


def _certainties(found: Comparison) -> dict[Pair, str]:
    """Return the certainty of each pair of groups: that of its surest pair of texts."""
    group = {member.name: member.group for member in found.members}
    best: dict[Pair, str] = {}
    for pair in found.pairs:
        groups = tuple(sorted((group[pair.a], group[pair.b])))
        key = (groups[0], groups[1])
        best[key] = min(best.get(key, pair.certainty), pair.certainty, key=CERTAINTIES.index)
    return best


def _groups(a: str, b: str) -> Pair:
    first, last = sorted(name.partition("/")[0] for name in (a, b))
    return first, last
