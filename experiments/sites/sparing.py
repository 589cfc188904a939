"""What a site that says alike or not costs an honest asker: sentences that it misses, and questions left out.

A house with one document asks a site, over TLS, for PAN's suspicious texts, until it has asked for the units of a day:
at the level `text`, and at the level `count`. The site answers any number of questions about a unit of its documents,
and writes each of them down, as every site does. So what a limit would leave out is counted afterwards.
"""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import write_figures
from experiments.sites.served import acquainted, collected, made, served
from measure import report
from measure.corpora import described, read
from pmbf import Collection
from pmbf.intake.texts import Text
from pmbf.sentences import SentenceReport
from pmbf.sites import Registry, Sites
from pmbf.sites.registry import USUAL_UNITS_A_DAY
from pmbf.sites.sparing import MOST_QUESTIONS

LIMITS = (8, 16, MOST_QUESTIONS, 64)
Found = set[int]
Figures = dict[str, Any]


def run(pan: Path, *, seed: int, out: Path | None = None, units_a_day: int = USUAL_UNITS_A_DAY) -> str:
    """Return the figures as Markdown.

    Args:
        pan: A corpus of PAN: its sources stand at the site, its suspicious texts are asked for.
        seed: Seed of the order of the texts.
        out: JSON file to write.
        units_a_day: Units that are asked for, at least.
    """
    paths = sorted((pan / "susp").glob("*.txt"))
    random.Random(seed).shuffle(paths)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with Collection(folder / "site.pmbf", create=True) as collection:
            collection.load([pan / "src"])
            collection.build_sentences()
        collected(folder / "home.pmbf", {"own": "Nothing here has been copied from anywhere, has it?"})
        home = made(folder, "home", None)
        home, site = acquainted([home, made(folder, "site", home.folder / "federation.key")])
        counts = dict.fromkeys(("texts", "units", "exact", "blurred", "both"), 0)
        with (
            served(site, folder / "site.pmbf", MOST_QUESTIONS=10**9),
            Collection(folder / "home.pmbf") as at_home,
        ):
            for path in paths:
                if counts["units"] >= units_a_day:
                    break
                query = read(path)
                found = at_home.screen_sentences(query)
                (_, exact), (n_units, blurred) = (
                    _asked(home, site, level, found, query) for level in ("text", "count")
                )
                counts["texts"] += 1
                counts["units"] += n_units
                for name, some in (("exact", exact), ("blurred", blurred), ("both", exact & blurred)):
                    counts[name] += len(some)
        questions = _questions(site)
    figures = {"about": report.about(), "corpora": [described(pan / "src")], "seed": seed, "units_a_day": units_a_day}
    figures |= {"counts": counts, "limits": _left_out(questions)}
    write_figures(figures, out)
    return table(figures)


def _asked(home: Registry, site: Registry, level: Any, found: SentenceReport, query: str) -> tuple[int, Found]:
    """Return how many units were asked for, and which sentences are found at a level of the site."""
    replace(site, level=level).stored()
    told = Sites(home, [*home.partners.values()], texts=True, seconds=300).ask(found, Text("", query))
    if told.problems:
        raise ChildProcessError(told.problems[0])
    return told.sites[0].n_units, {at for at, one in enumerate(told.sentences) if one.outcome == "found"}


def _questions(site: Registry) -> NDArray[np.int64]:
    """Return how often each unit of a document was asked about today (UTC), of those that were."""
    raw = b"".join(file.read_bytes() for file in sorted((site.folder / "questions").glob("*")))
    return np.unique(np.frombuffer(raw, "<u8"), return_counts=True)[1]


def _left_out(questions: NDArray[np.int64]) -> Figures:
    """Return what limits would leave out.

    >>> _left_out(np.array([1, 9, 70]))["64"], _left_out(np.array([1, 9, 70]))["8"]
    ([1, 6], [2, 63])
    """
    limits = {str(most): [int((questions > most).sum()), int(np.maximum(0, questions - most).sum())] for most in LIMITS}
    return {"n_units": len(questions), "n_questions": int(questions.sum()), **limits}


def table(figures: Figures) -> str:
    """Return the figures as two tables in Markdown."""
    counts, limits = figures["counts"], figures["limits"]
    lines = [
        "| texts | units asked for | found at `text` | found at `count` | at both | of those at `text` "
        "| `count` alone finds, of its own |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        f"| {counts['texts']:,} | {counts['units']:,} | {counts['exact']:,} | {counts['blurred']:,} | "
        f"{counts['both']:,} | {counts['both'] / max(1, counts['exact']):.1%} | "
        f"{1 - counts['both'] / max(1, counts['blurred']):.1%} |",
        "",
        "| questions a unit | units of documents asked about more often | questions left out |",
        "|---:|---:|---:|",
    ]
    for most in LIMITS:
        n_units, n_left_out = limits[str(most)]
        share = f"{n_left_out:,} of {limits['n_questions']:,} ({n_left_out / max(1, limits['n_questions']):.1%})"
        lines.append(f"| {most} | {n_units:,} of {limits['n_units']:,} | {share} |")
    return "\n".join(lines)
