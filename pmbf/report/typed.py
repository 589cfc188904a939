"""Types of what JSON brought: every value of a report is of the type that its field names, or the report is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pmbf.errors import ParameterError, UnsupportedError
from pmbf.span import Span

_MOST = 2**63 - 1
_ROUNDED = 1e-9
"""By so much may a share that was summed be above 1."""
_SHARES = {"coverage", "similarity", "in_order", "containment", "source_share", "characters", "words", "sorted_words"}
_SHARES |= {"share", "share_a", "share_b", "whole_a", "whole_b", "threshold"}
_CERTAINTIES = (None, "sure", "likely", "worth a look")

_Check = Callable[[Any], bool]


def require_types(made: Any) -> None:
    """Refuse a value of a dataclass, at any depth, that is of another type than its field, or that no pmbf writes.

    Numbers are finite; evidence and those called `n_…` are at least 0, shares 0 to 1, spans ascending.

    Args:
        made: A dataclass, made of what JSON brought.

    Raises:
        ParameterError: There is such a value; the message names its field.

    >>> require_types(Span(3, 2))
    Traceback (most recent call last):
    pmbf.errors.ParameterError: Span(start=3, stop=2) is no span
    """
    if isinstance(made, Span):
        if not (_is_whole(made.start) and _is_whole(made.stop) and 0 <= made.start <= made.stop):
            raise ParameterError(f"{made!r:.80} is no span")
        return
    for name, is_right in _checks(made.__class__).items():
        if not is_right(value := getattr(made, name)):
            raise ParameterError(f"`{name}` is {value!r:.80}")


@contextmanager
def as_written(what: str) -> Iterator[None]:
    """Raise `ParameterError` for whatever is wrong with JSON that something is made of.

    Args:
        what: What `to_json` would have written.

    >>> with as_written("report"):
    ...     {}["schema"]
    Traceback (most recent call last):
    pmbf.errors.ParameterError: no report as to_json writes it: it lacks 'schema'
    """
    try:
        yield
    except KeyError as error:
        raise ParameterError(f"no {what} as to_json writes it: it lacks {error}") from error
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ParameterError(f"no {what} as to_json writes it: {error}") from error


def require_schema(values: dict[str, Any], expected: int, what: str) -> None:
    """Refuse values of another schema. Raises `UnsupportedError`, and `TypeError` if the schema is no number."""
    schema = values["schema"]
    if type(schema) is not int or schema < 1:
        raise TypeError(f"schema is {schema!r:.80}")
    if schema != expected:
        way_out = "upgrade pmbf" if schema > expected else "make it anew"
        raise UnsupportedError(f"the {what} has schema {schema}, this pmbf reads {expected}; {way_out}")


def tuple_of(value: Any) -> tuple[Any, ...]:
    """Return a list of JSON as a tuple. Raises `TypeError` for a text, whose letters would be entries, and others."""
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.80} is no list")
    return tuple(value)


@cache
def _checks(kind: Any) -> dict[str, _Check]:
    return {name: _ranged(name, _check(hint)) for name, hint in get_type_hints(kind).items()}


def _ranged(name: str, check: _Check) -> _Check:
    if name == "certainty":
        return lambda value: value in _CERTAINTIES and check(value)
    if name in _SHARES:
        return lambda value: check(value) and (value is None or 0 <= value <= 1 + _ROUNDED)
    if name.startswith("n_") or name == "evidence":
        return lambda value: check(value) and (value is None or value >= 0)
    return check


def _check(hint: Any) -> _Check:
    """Return what tells whether a value is of a type; it raises `ParameterError` for one deeper down."""
    inside = get_args(hint)
    match get_origin(hint):
        case origin if origin in (Union, UnionType):
            some = [_check(one) for one in inside]
            return lambda value: any(one(value) for one in some)
        case origin if origin is Literal:
            return lambda value: isinstance(value, str) and value in inside
        case origin if origin is tuple:
            each = _check(inside[0])
            return lambda value: isinstance(value, tuple) and all(map(each, value))
        case origin if origin is dict:
            keys, values = map(_check, inside)
            return lambda value: isinstance(value, dict) and all(map(keys, value)) and all(map(values, value.values()))
    return _PLAIN.get(hint) or (lambda value: _is_made(value, get_origin(hint) or hint))


def _is_made(value: Any, kind: type) -> bool:
    if not isinstance(value, kind):
        return False
    if is_dataclass(value):
        require_types(value)
    return True


def _is_whole(value: Any) -> bool:
    return type(value) is int and -_MOST <= value <= _MOST


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (type(value) is float and math.isfinite(value))


_PLAIN: dict[Any, _Check] = {
    str: lambda value: isinstance(value, str),
    int: _is_whole,
    float: _is_number,
    bool: lambda value: isinstance(value, bool),
    NoneType: lambda value: value is None,
}
