"""Arguments that several benchmarks share, and what is made of them."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measure.commands import add_folder, add_numbers
from measure.planting import plant

Figures = dict[str, Any]
Given = argparse.Namespace


def add_only(one: argparse.ArgumentParser, names: list[str]) -> None:
    """Add the choice of what is measured, beside what was measured before."""
    one.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    one.add_argument("--update", action="store_true", help="keep the other figures in OUT, which had the same input")


def add_texts(one: argparse.ArgumentParser) -> None:
    """Add the folder of real texts, and the texts to screen that are made of it."""
    add_folder(one)
    one.add_argument("--corpus", metavar="WHAT", help="what the documents are, for the page (the folder's name)")
    one.add_argument("--texts", type=Path, metavar="FILE", help="keep the texts here, or take them from here")
    add_numbers(one, n_clean=(100, "clean texts"), n_planted=(84, "texts of a kind"), n_words=(4000, "words of a text"))


def before(given: Given) -> Figures | None:
    """Return the earlier figures if they are to be updated, else None."""
    return json.loads(given.out.read_text(encoding="utf-8")) if given.update else None


def corpus(given: Given) -> Figures:
    """Return what the documents are."""
    return {"corpus": given.corpus or given.folder.name}


@contextmanager
def texts(given: Given) -> Iterator[Path]:
    """Give the file of texts to screen. If it does not exist, then it is made."""
    with tempfile.TemporaryDirectory() as place:
        file = given.texts or Path(place) / "texts.json"
        if not file.exists():
            made = plant(given.folder, n_clean=given.n_clean, n_planted=given.n_planted, n_words=given.n_words)
            made.save(file)
        yield file


def show(figures: Figures) -> None:
    """Print that a part of a benchmark is done, or why it failed."""
    print(f"{figures['name']}: {figures.get('failed', 'done')}", flush=True)
