"""`python -m experiments resultsets FOLDER`: the figures, and their tables for docs/resultsets.md."""

from __future__ import annotations

import argparse
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments.arguments import write_figures
from experiments.corpus.building import summary
from experiments.resultsets import revisions, wire
from experiments.resultsets.methods import methods, timed
from experiments.resultsets.scoring import Score, best, recall_by_kind, scored
from measure import report
from measure.corpora import described, read

Figures = dict[str, Any]

N_BACKGROUND, N_SETS, N_TIMES = 3000, 20, 15
ABOUT = """\
Find duplicates among real revisions and among planted edits, by pmbf and by peers (pip install 'pmbf[bench,stem]').

  python -m experiments corpus revisions revisions      # two releases of the same documents: 90 MB downloaded
  python -m experiments resultsets revisions --out out/resultsets.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the folder, the seed and the file to write."""
    parser.description, parser.formatter_class = ABOUT, argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, help="the corpus `revisions`")
    parser.add_argument("--seed", type=int, default=1, help="seed of all draws (default: 1)")
    parser.add_argument("--out", type=Path, help="write the figures into this file, as JSON")


def run(given: argparse.Namespace) -> str:
    """Return the tables.

    Raises:
        NotFoundError: The folder is not the corpus.
    """
    figures = measured(given.folder, given.seed)
    write_figures(figures, given.out)
    return tables(figures)


def measured(folder: Path, seed: int) -> Figures:
    """Return what each way finds, and how long it takes."""
    halves, others = revisions.drawn(folder, seed)
    real = {half: revisions.labelled(paths) for half, paths in halves.items()}
    random.Random(seed).shuffle(others)
    background = [read(path) for path in others[:N_BACKGROUND]]
    some = wire.articles(
        [path for path in others[N_BACKGROUND:] if path.is_relative_to(folder / revisions.RELEASES[0][1])], 400
    )
    planted = [wire.planted(some, seed + number) for number in range(N_SETS)]
    rows = []
    for method in methods(background):
        found = {half: (timed(method, one.texts, 1)[2], one.copies) for half, one in real.items()}
        chosen, sets = best([found["first"]]), [(timed(method, one.texts, 1)[2], one.copies) for one, _ in planted]
        edited = best(sets[: N_SETS // 2])
        shown = sets[N_SETS // 2 :]
        kinds = [(scores, kinds) for (scores, _), (_, kinds) in zip(shown, planted[N_SETS // 2 :], strict=True)]
        prepared_s, compared_s, _ = timed(method, planted[0][0].texts, N_TIMES)
        rows.append(
            {
                "method": method.name,
                "revisions": _told(chosen, scored([found["second"]], chosen.threshold)),
                "wire": _told(edited, scored(shown, edited.threshold)),
                "recall": recall_by_kind(kinds, edited.threshold),
                "prepared_s": prepared_s,
                "compared_s": compared_s,
            }
        )
    return {
        "about": report.about(),
        "corpus": described(folder),
        "packages": [asdict(one) for one in summary(folder)],
        "seed": seed,
        "halves": {half: {"documents": len(one.texts), "copies": len(one.copies)} for half, one in real.items()},
        "n_background": len(background),
        "n_sets": N_SETS,
        "n_times": N_TIMES,
        "rows": rows,
    }


def _told(chosen: Score, shown: Score) -> Figures:
    return {"f1_chosen": chosen.f1, **asdict(shown), "f1": shown.f1}


# ---------------------------------------------------------------------- tables


def tables(figures: Figures) -> str:
    """Return the tables in Markdown."""
    return "\n\n".join(part(figures) for part in (corpus, quality, kinds, times))


def corpus(figures: Figures) -> str:
    """Return what was compared, in words."""
    first, second = (figures["halves"][half] for half in revisions.HALVES)
    return (
        f"The corpus has {figures['corpus']['documents']:,} documents. Drawn were {first['documents']:,} for the first "
        f"half, with {first['copies']:,} pairs of copies, and {second['documents']:,} for the second, with "
        f"{second['copies']:,}. Boilerplate was learned from {figures['n_background']:,} other documents."
    )


def quality(figures: Figures) -> str:
    """Return F1 on revisions and on edits."""
    lines = report.head("| | threshold | F1, first half | **F1, second half** | precision | recall |")
    for row in figures["rows"]:
        one = row["revisions"]
        lines.append(
            f"| {row['method']} | {one['threshold']:.2f} | {one['f1_chosen']:.3f} | **{one['f1']:.3f}** "
            f"| {one['precision']:.3f} | {one['recall']:.3f} |"
        )
    return "\n".join(lines)


def kinds(figures: Figures) -> str:
    """Return the recall of each planted edit."""
    names = [name for name in wire.EDITS if name != wire.NO_COPY]
    lines = report.head(f"| | threshold | **F1** | {' | '.join(names)} | {wire.NO_COPY}: found |")
    for row in figures["rows"]:
        one = row["wire"]
        cells = " | ".join(f"{row['recall'].get(name, 0.0):.2f}" for name in (*names, wire.NO_COPY))
        lines.append(f"| {row['method']} | {one['threshold']:.2f} | **{one['f1']:.3f}** | {cells} |")
    return "\n".join(lines)


def times(figures: Figures) -> str:
    """Return the times for a hundred articles."""
    lines = report.head("| 100 articles | prepared | compared |")
    lines += [
        f"| {row['method']} | {1e3 * row['prepared_s']:.2f} ms | {1e3 * row['compared_s']:.3f} ms |"
        for row in figures["rows"]
    ]
    return "\n".join(lines)
