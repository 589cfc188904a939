"""The command line of experiments and benchmarks. Each is a module with `add_arguments`, `run` and `table`.

`run` takes what was given, by the names of its own arguments, and returns figures. `table` returns figures as Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from measure import report
from measure.plotting import check_plot
from pmbf.base.errors import NotFoundError, ParameterError

Figures = dict[str, Any]


def add_all(commands: Any, modules: Mapping[str, tuple[ModuleType, str]]) -> None:
    """Add a command for each module, which measures, prints the table, and writes the figures where they are wanted.

    Args:
        commands: What `add_subparsers` returned.
        modules: By the name of the command, the module and what it measures.
    """
    for name, (module, what) in modules.items():
        formatter = argparse.RawDescriptionHelpFormatter
        parser = commands.add_parser(name, help=what, description=module.__doc__, formatter_class=formatter)
        module.add_arguments(parser)
        add_out(parser)
        parser.set_defaults(run=partial(_measured, module))


def add_out(parser: argparse.ArgumentParser) -> None:
    """Add the file of the figures."""
    parser.add_argument("--out", "--json", type=Path, metavar="FILE", help="write the figures into this file, as JSON")


def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the choice that a page is not written, and only the ages of its figures are told."""
    parser.add_argument(
        "--check", action="store_true", help="write nothing; tell which figures' code has changed since"
    )


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add the folder of real texts."""
    parser.add_argument("folder", type=Path, help="searched recursively for .txt files")


def add_numbers(parser: argparse.ArgumentParser, **usual: tuple[int, str]) -> None:
    """Add options for whole numbers: `n_texts=(40, "sources")` is `--texts`, 40 if it is not given.

    A seed may be any number, all others are at least 1.
    """
    for name, (value, what) in usual.items():
        kind: Callable[[str], int] = int if name == "seed" else positive
        words = f"{what} (default: {value})"
        parser.add_argument(
            f"--{name.removeprefix('n_')}", dest=name, type=kind, default=value, metavar="N", help=words
        )


def positive(words: str) -> int:
    """Return a number that is at least 1; for `argparse`."""
    if not words.isdecimal() or int(words) < 1:
        raise argparse.ArgumentTypeError(f"{words!r} is no number from 1 on")
    return int(words)


def check(given: argparse.Namespace) -> None:
    """Check the folders to read and the file to write, before the work begins: so a mistake costs no result.

    Raises:
        NotFoundError: A folder does not exist, or a folder of texts has no texts.
        ParameterError: A file cannot be written.
        UnsupportedError: A plot is wanted, and matplotlib is not installed.
    """
    paths = {name: value for name, value in vars(given).items() if isinstance(value, Path)}
    texts = [paths[name] for name in ("folder", "of", "corpus", "filler") if name in paths]
    for path in [*texts, *getattr(given, "protected", ()), paths.get("corpora", Path())]:
        if not path.is_dir():
            raise NotFoundError(f"{path}: is no folder")
    for path in texts:
        if not any(path.rglob("*.txt")):
            raise NotFoundError(f"{path}: no .txt file is in it; name a folder of texts")
    check_files(given)


def check_files(given: argparse.Namespace) -> None:
    """Check that the figures and the plot can be written. Raises the errors of `check`."""
    _check_file(getattr(given, "out", None))
    if plot := getattr(given, "plot", None):
        check_plot(plot)
        _check_file(plot)


def write_figures(figures: Any, out: Path | None) -> None:
    """Write figures as JSON, if a file is named."""
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _measured(module: ModuleType, given: argparse.Namespace) -> str:
    every = vars(given) | {"given": given}
    named = {name: every[name] for name in signature(module.run).parameters if name in every}
    figures: Figures = {"about": report.about()} | module.run(**named)
    write_figures(figures, given.out)
    shown: str = module.table(figures)
    return shown


def _check_file(path: Path | None) -> None:
    if not path:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            refusal = "is a folder" if path.is_dir() else "" if os.access(path, os.W_OK) else "permission denied"
        else:
            with tempfile.TemporaryFile(dir=path.parent):
                refusal = ""
    except OSError as error:
        refusal = str(error.strerror)
    if refusal:
        raise ParameterError(f"{path}: cannot be written ({refusal}); name another file")
