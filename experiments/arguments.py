"""Settings that the command line changes: --set NAME=VALUE over a profile."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from inspect import signature
from typing import Any, TypeVar

from measure.corpora import HALVES
from pmbf.base.errors import ParameterError
from pmbf.base.params import PROFILES, Params

Chosen = TypeVar("Chosen")


def add_params(parser: argparse.ArgumentParser) -> None:
    """Add the parameters of the collection: `params_of` makes them of what was given."""
    words = "a parameter of the collection (repeatable)"
    parser.add_argument("--set", action="append", default=[], type=assignment, metavar="NAME=VALUE", help=words)
    parser.add_argument("--profile", choices=PROFILES, default="default", help="parameters that --set changes")


def params_of(given: argparse.Namespace) -> Params:
    """Return the parameters of the collection. Raises the errors of `chosen`."""
    return chosen(Params, dict(given.set), **asdict(PROFILES[given.profile]()))


def add_half(parser: argparse.ArgumentParser) -> None:
    """Add the half of the suspicious documents that are screened."""
    parser.add_argument("--half", choices=HALVES, help="of the suspicious documents, by their numbers (default: both)")


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


def _is_like(value: Any, default: Any) -> bool:
    if default is None:
        return value is None or type(value) in (int, float)
    return type(value) is type(default) or (type(default) is float and type(value) is int)
