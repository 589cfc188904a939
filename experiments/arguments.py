"""The arguments of the experiments. They are checked before the work begins, so that a mistake costs no result."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from measure.plotting import check_plot
from pmbf.base.errors import NotFoundError, ParameterError

Chosen = TypeVar("Chosen")


def positive(words: str) -> int:
    """Return a number that is at least 1; for `argparse`."""
    if not words.isdecimal() or int(words) < 1:
        raise argparse.ArgumentTypeError(f"{words!r} is no number from 1 on")
    return int(words)


def assignment(words: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; for `argparse`.

    >>> assignment("density=0.1"), assignment("placement=single-row")
    (('density', 0.1), ('placement', 'single-row'))
    """
    name, equals, value = words.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{words!r} is no NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def chosen(kind: type[Chosen], given: dict[str, Any], **usual: Any) -> Chosen:
    """Return settings of a kind: the given values, and the usual ones for the rest.

    Raises:
        ParameterError: There is no such setting, or a value has another type or is outside its range.
    """
    known = signature(kind).parameters
    for name, value in given.items():
        if name not in known:
            raise ParameterError(f"{name}: is no field of {kind.__name__}, expected one of {', '.join(known)}")
        default = known[name].default
        if not _is_like(value, default):
            raise ParameterError(f"{name} of {kind.__name__} is {value!r}, expected a value like {default!r}")
    return kind(**usual | given)


def check(given: argparse.Namespace) -> None:
    """Check the folders to read and the files to write.

    Raises:
        NotFoundError: A folder does not exist, or a folder of texts has no texts.
        ParameterError: A file cannot be written.
        UnsupportedError: A plot is wanted, and matplotlib is not installed.
    """
    if given.command != "pan":  # a corpus of PAN's may lie deeper, and says so itself
        texts = [getattr(given, name, None) for name in ("folder", "of", "corpus", "filler")]
        for path in [*texts, getattr(given, "corpora", None), *getattr(given, "protected", ())]:
            if path and not path.is_dir():
                raise NotFoundError(f"{path}: is no folder")
        for path in texts:
            if path and not any(path.rglob("*.txt")):
                raise NotFoundError(f"{path}: no .txt file is in it; name a folder of texts")
    if given.command != "corpus" and (given.command != "pan" or given.step in ("score", "rivals")):
        _check_file(getattr(given, "out", None))
    if plot := getattr(given, "plot", None):
        check_plot(plot)
        _check_file(plot)


def write_figures(figures: Any, out: Path | None) -> None:
    """Write figures as JSON, if a file is named."""
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _is_like(value: Any, default: Any) -> bool:
    if default is None:
        return value is None or type(value) in (int, float)
    return type(value) is type(default) or (type(default) is float and type(value) is int)


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
