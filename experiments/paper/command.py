"""`python -m experiments paper NAME`: runs one experiment, prints its table, writes its figures and its curve."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

from experiments.paper import chosen, mistakes, similarity, size, thresholds, uniformity
from measure import report
from measure.commands import add_numbers, add_out, write_figures
from measure.plotting import plot

EXPERIMENTS: dict[str, ModuleType] = {
    "uniformity": uniformity,
    "size": size,
    "similarity": similarity,
    "mistakes": mistakes,
    "chosen": chosen,
    "thresholds": thresholds,
}
"""Each has `SMALL`, `FULL`, `PUBLISHED`, `run`, `table`; those with a curve have `plot`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add one command for each experiment."""
    names = parser.add_subparsers(dest="name", required=True)
    for name, module in EXPERIMENTS.items():
        about = (module.__doc__ or "").splitlines()[0].replace("%", "%%")
        one = names.add_parser(
            name, help=about, description=module.__doc__, formatter_class=argparse.RawTextHelpFormatter
        )
        one.add_argument("--corpus", type=Path, metavar="FOLDER", help="folder of .txt files (default: made-up texts)")
        one.add_argument("--full", action="store_true", help="run the full size: minutes instead of seconds")
        add_numbers(one, seed=(1, "seed of all random draws"))
        add_out(one)
        if hasattr(module, "plot"):
            one.add_argument("--plot", type=Path, metavar="FILE", help="draw the curve (.svg, .png; needs matplotlib)")


def run(given: argparse.Namespace) -> str:
    """Run an experiment and return its table in Markdown.

    Raises:
        ParameterError: The corpus has too few texts, or the experiment takes no corpus.
        UnsupportedError: --plot is given, and matplotlib is not installed.
    """
    module = EXPERIMENTS[given.name]
    size = module.FULL if given.full else module.SMALL
    corpus = given.corpus.resolve().name if given.corpus else "made up"
    about = report.about()
    figures = {"experiment": given.name, "about": about, "corpus": corpus, "seed": given.seed, "size": asdict(size)}
    figures |= {"published": module.PUBLISHED} | module.run(size, corpus=given.corpus, seed=given.seed)
    write_figures(figures, given.out)
    if getattr(given, "plot", None):
        with plot(given.plot) as axes:
            module.plot(figures, axes)
    return f"{report.line(about)}\ntexts: {corpus}; seed {given.seed}\n\n{module.table(figures)}"
