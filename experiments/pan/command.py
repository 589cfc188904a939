"""`python -m experiments pan …`: takes arguments; writes tables, JSON and a plot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments import pan as about
from experiments.arguments import assignment
from experiments.pan import candidates, halves, losses, rivals, scoring
from experiments.pan.aligning import align
from experiments.pan.candidates import SILVER
from experiments.pan.corpus import Corpus
from experiments.pan.retrieving import retrieve
from experiments.pan.running import Done, of_run
from measure import report
from measure.commands import add_numbers, add_out, write_figures
from measure.plotting import COLOURS, plot

Figures = dict[str, Any]

CORPUS = """\
CORPUS is a folder in any layout that PAN used, or a folder above it:

  2012-14  src/ susp/ pairs, and folders like 02-no-obfuscation with `pairs` and an XML file a pair
  2009-11  source-document(s)/partN/ and suspicious-document(s)/partN/, XML beside the suspicious text

`pairs` may be missing. A listed text may be missing, a file may be no XML, an annotation may be impossible, a run may
be unfinished. All this is told at the end, and stops nothing.

Exit code: 0; 2 for wrong usage; 3 if a part was not done or a file is odd. Standard error then names it."""

ALIGN = f"""\
Compare every listed pair with pmbf's verification, and write an XML file of detections for each.

If a run was killed, then the same command does the pairs without a file. A folder with detections of other parameters
or of another commit is refused, unless --redo is given.

  python -m experiments pan align pan13-training --out found --jobs 4
  python -m experiments pan score pan13-training found

{CORPUS}"""

RETRIEVE = f"""\
Load all sources into a collection (OUT/sources.pmbf). Screen every suspicious document against the collection. Write
the document's candidates (OUT/NAME.candidates.tsv: source, hits, evidence in nats) and its detections (OUT/NAME.xml).

If a run was killed, then the same command does the documents without a file. A folder with detections of other
parameters or of another commit is refused, unless --redo is given.

  python -m experiments pan retrieve pan11/external-detection-corpus --out found --jobs 4
  python -m experiments pan score pan11/external-detection-corpus found --out scores.json --plot scores.svg

{CORPUS}"""

SCORE = f"""\
Score the detections of any program. They are files of PAN's format, one for each pair or one for each document. The
scores are precision, recall, granularity and plagdet, macro and micro; normplagdet; the pairs found (source retrieval).
Each score is given for each kind of obfuscation. After `pan retrieve` the recall of its candidates is given, too. If
the corpus has {SILVER}, then the share of these runs that is found is given.

If the corpus lists pairs, then detections in other pairs do not count, as in PAN 2014. docs/pan.md has the definitions.

{CORPUS}"""


RIVALS = f"""\
Find the passages of the same sampled pairs with other methods: {", ".join(rivals.RIVALS)}.
Each method runs in a process of its own. `pip install 'pmbf[bench]'` installs the methods that are packages. If a
method is not installed, fails or takes too long, then its row says so.

{CORPUS}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a command for each step."""
    parser.description, parser.formatter_class = about.__doc__, argparse.RawDescriptionHelpFormatter
    steps = parser.add_subparsers(dest="step", required=True)
    one = _step(steps, "align", "find the passages of every listed pair", ALIGN)
    _add_run(one, "a setting of the verification, e.g. min_chars=100")
    one.add_argument("--every-pair", action="store_true", help="compare every suspicious document with every source")
    one = _step(steps, "retrieve", "screen every suspicious document against all sources", RETRIEVE)
    _add_run(one, "an option of the screening, e.g. min_hits=4")
    _add_assignments(one, "--param", "a parameter of the collection, e.g. density=0.1")
    one = _step(steps, "score", "score detections: precision, recall, granularity, plagdet", SCORE)
    one.add_argument("detections", type=Path, help="folder of the detections")
    one.add_argument(
        "--truth", type=Path, metavar="FOLDER", help="folder of the annotations, if they are not in CORPUS"
    )
    add_out(one)
    one.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the scores into this file (.svg, .png; needs matplotlib)"
    )
    one = _step(steps, "rivals", "run other methods on a sample of the pairs", RIVALS)
    add_numbers(one, sample=(100, "pairs of each kind"), seed=(1, "seed of the sample"))
    one.add_argument(
        "--timeout", type=float, default=900, metavar="S", help="seconds that a rival may take (default: 900)"
    )
    names = list(rivals.RIVALS)
    one.add_argument(
        "--only",
        nargs="+",
        choices=names,
        default=names,
        metavar="NAME",
        help=f"rivals to run (default: all): {', '.join(names)}",
    )
    add_out(one)


def run(given: argparse.Namespace) -> int:
    """Do a step, print its result, and return the exit code.

    Raises:
        PmbfError: The corpus or the detections cannot be used.
    """
    if given.step == "score":
        return _score(given)
    if given.step == "rivals":
        return _rivals(given)
    corpus = Corpus.at(given.corpus, besides=given.out)
    how = {"jobs": given.jobs, "redo": given.redo}
    if given.step == "align":
        done = align(corpus, given.out, settings=dict(given.set), every=given.every_pair, **how)
        return _told(done, "pairs aligned", corpus, given)
    done = retrieve(corpus, given.out, options=dict(given.set), params=dict(given.param), **how)
    return _told(done, "documents screened", corpus, given)


def score(corpus: Corpus, folder: Path) -> Figures:
    """Return all figures of some detections, ready for JSON, with the commit, the machine and the parameters.

    Args:
        corpus: The truth.
        folder: The detections.

    Raises:
        NotFoundError: `folder` is no folder, or holds no detections.
    """
    detections = scoring.Detections.at(folder)
    found = detections.within(corpus)
    lengths = scoring.lengths(corpus, corpus.cases | detections.all)
    corpus = scoring.within_texts(corpus, lengths)
    made = of_run(folder)
    missing = scoring.unfinished(corpus, folder, made["parameters"])
    problems = (*corpus.problems, *missing, *detections.problems, *scoring.oddities(found, lengths))
    figures: Figures = {
        "corpus": corpus.folder.resolve().name,
        "suspicious": len(corpus.suspicious),
        "sources": len(corpus.sources),
        "about": report.about(),
        "run": made,
        "problems": list(problems),
        "not_counted": len(detections.all) - len(found),
        "scores": _plain(scoring.results(corpus, found, lengths)),
    }
    places = candidates.ranks(folder)
    figures["losses"] = _plain(losses.losses(corpus, found, places))
    figures["halves"] = halves.scores(corpus, found, lengths, places)
    if places:
        figures["candidates"] = {"all": len(places), "recall": _plain(candidates.recalls(corpus, places))}
        if (corpus.folder / SILVER).exists():
            runs = candidates.silver(corpus.folder / SILVER)
            figures["silver"] = _plain(candidates.runs_found(runs, detections.all, places))
            figures["unlisted"] = candidates.unlisted(runs, detections.all - set(found))
    return figures


def tables(figures: Figures) -> str:
    """Return the figures as tables in Markdown."""
    parts = [scoring.table(figures["scores"])]
    if figures["not_counted"]:
        n_counted = figures["scores"][scoring.ALL]["detections"]
        parts.append(
            f"Precision is that of the {n_counted:,} detections in listed pairs. {figures['not_counted']:,} others lie "
            "outside of the listed pairs: no score counts them, neither as right nor as wrong."
        )
    parts.append(halves.table(figures["halves"]))
    if "candidates" in figures:
        some = figures["candidates"]
        counts = {"queries": figures["suspicious"], "candidates": some["all"], "sources": figures["sources"]}
        parts.append(candidates.table(some["recall"], counts))
    if "silver" in figures:
        parts += [candidates.runs_table(figures["silver"]), candidates.unlisted_line(figures["unlisted"])]
    return "\n\n".join(parts)


def draw(axes: Any, figures: Figures) -> None:
    """Draw precision, recall and plagdet by kind, as bars."""
    some = {_short(kind): one for kind, one in figures["scores"].items() if one["cases"]}
    for number, name in enumerate(("precision", "recall", "plagdet")):
        places = [place + 0.27 * (number - 1) for place in range(len(some))]
        values = [one["macro"][name] for one in some.values()]
        axes.bar(places, values, 0.25, color=COLOURS[number], label=name)
    axes.set_xticks(range(len(some)), list(some))
    axes.set_xlabel(f"kind of obfuscation, {figures['corpus']}")
    axes.set_ylim(0, 1)


def _short(kind: str) -> str:
    """Return the name of a kind without its number and without the word `obfuscation`.

    >>> _short("02-no-obfuscation"), _short("03-random-obfuscation"), _short("all")
    ('none', 'random', 'all')
    """
    name = kind.lstrip("0123456789-").removesuffix("-obfuscation")
    return "none" if name == "no" else name


def _score(given: argparse.Namespace) -> int:
    corpus = Corpus.at(given.corpus, truth=given.truth, besides=given.detections)
    figures = score(corpus, given.detections)
    print(tables(figures))
    write_figures(figures, given.out)
    if given.plot:
        with plot(given.plot) as axes:
            draw(axes, figures)
    return _exit_code(figures["problems"])


def _rivals(given: argparse.Namespace) -> int:
    corpus = Corpus.at(given.corpus)
    how = {"n_pairs": given.sample, "seed": given.seed, "timeout_s": given.timeout, "only": given.only}
    figures = rivals.run(corpus, **how)
    print(f"{report.line(figures['about'])}\n{figures['pairs']} pairs\n\n{rivals.table(figures)}")
    write_figures(figures, given.out)
    return _exit_code(corpus.problems)


def _plain(some: Mapping[str, Any]) -> Figures:
    return {name: asdict(one) for name, one in some.items()}


def _told(done: Done, what: str, corpus: Corpus, given: argparse.Namespace) -> int:
    print(f"{done.n_steps} {what} in {done.seconds:.1f} s, {given.jobs} processes; in {given.out}")
    return _exit_code((*corpus.problems, *done.problems))


def _exit_code(problems: Iterable[str]) -> int:
    told = list(problems)
    for problem in told:
        print(problem, file=sys.stderr)
    return 3 if told else 0


def _step(steps: Any, name: str, what: str, text: str) -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    one: argparse.ArgumentParser = steps.add_parser(name, help=what, description=text, formatter_class=formatter)
    one.add_argument("corpus", type=Path, help="folder of the corpus")
    return one


def _add_run(one: argparse.ArgumentParser, settings: str) -> None:
    one.add_argument("--out", type=Path, required=True, metavar="DETECTIONS", help="folder for the detections")
    one.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
    one.add_argument("--redo", action="store_true", help="delete the detections of an earlier run first")
    _add_assignments(one, "--set", settings)


def _add_assignments(one: argparse.ArgumentParser, name: str, what: str) -> None:
    one.add_argument(
        name, action="append", default=[], type=assignment, metavar="NAME=VALUE", help=f"{what} (repeatable)"
    )
