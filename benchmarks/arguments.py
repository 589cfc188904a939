"""Arguments that several benchmarks share, and what is made of them. Each benchmark adds its own: `add_arguments`."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measure.planting import plant

Figures = dict[str, Any]
Given = argparse.Namespace


def add_benchmark(
    some: Any, name: str, about: str, run: Callable[[Given], Figures], table: Callable[[Figures], str]
) -> argparse.ArgumentParser:
    """Add a benchmark to the command line, and return its parser."""
    one: argparse.ArgumentParser = some.add_parser(name, help=about, description=about)
    one.add_argument("--json", type=Path, metavar="OUT", help="also write the figures to this file")
    one.set_defaults(run=run, table=table)
    return one


def add_folder(one: argparse.ArgumentParser) -> None:
    """Add the folder of real texts."""
    one.add_argument("folder", type=Path, help="searched recursively for .txt files")


def add_only(one: argparse.ArgumentParser, names: list[str]) -> None:
    """Add the choice of what is measured, beside what was measured before."""
    one.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    one.add_argument("--update", action="store_true", help="keep the other figures in OUT, which had the same input")


def add_texts(one: argparse.ArgumentParser) -> None:
    """Add the folder of real texts, and the texts to screen that are made of it."""
    add_folder(one)
    one.add_argument("--corpus", metavar="WHAT", help="what the documents are, for the page (the folder's name)")
    one.add_argument("--texts", type=Path, metavar="FILE", help="keep the texts here, or take them from here")
    for name, value in (("clean", 100), ("planted", 84), ("words", 4000)):
        one.add_argument(f"--{name}", type=int, default=value, help=f"see measure/planting.py ({value})")


def before(given: Given) -> Figures | None:
    """Return the earlier figures if they are to be updated, else None."""
    return json.loads(given.json.read_text(encoding="utf-8")) if given.update else None


def corpus(given: Given) -> Figures:
    """Return what the documents are."""
    return {"corpus": given.corpus or given.folder.name}


@contextmanager
def texts(given: Given) -> Iterator[Path]:
    """Give the file of texts to screen. If it does not exist, then it is made."""
    with tempfile.TemporaryDirectory() as place:
        file = given.texts or Path(place) / "texts.json"
        if not file.exists():
            made = plant(given.folder, n_clean=given.clean, n_planted=given.planted, n_words=given.words)
            made.save(file)
        yield file


def show(figures: Figures) -> None:
    """Print that a part of a benchmark is done, or why it failed."""
    print(f"{figures['name']}: {figures.get('failed', 'done')}", flush=True)
