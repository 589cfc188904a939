"""Dataclasses as JSON-ready dicts and lists, and back: what JSON brings has the types of the fields, or is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, Self, cast, get_args, get_origin, get_type_hints

from pmbf.base.errors import ParameterError, UnsupportedError
from pmbf.base.span import Span

_Read = Callable[[Any, str], Any]
"""Returns a value of a field, of what JSON brought; it raises `ValueError` or `TypeError` for anything else."""

_MOST = 2**63 - 1
_ROUNDED = 1e-9
"""By so much may a share that was summed be above 1."""
_SHARES = {"coverage", "similarity", "in_order", "containment", "source_share", "characters", "words", "sorted_words"}
_SHARES |= {"share", "share_a", "share_b", "whole_a", "whole_b", "threshold"}
_CERTAINTIES = (None, "sure", "likely", "worth a look")


class AsJson:
    """A dataclass that is written as JSON: its fields but those that comparisons leave out, and some properties."""

    __slots__ = ()
    ALSO: ClassVar[tuple[str, ...]] = ()
    """Properties that stand in JSON behind the fields; they are not read."""

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON-ready dicts and lists, spans as `[start, stop]`, without texts."""
        values: dict[str, Any] = plain(self)
        return values


class Readable(AsJson):
    """A dataclass that is read from its JSON, too."""

    __slots__ = ()
    WHAT: ClassVar[str]
    """What it is, in words."""

    def to_json(self, indent: int | None = None, **how: Any) -> str:
        """Return `to_dict` as JSON text; `how` as it takes it."""
        return json.dumps(self.to_dict(**how), ensure_ascii=False, indent=indent)

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Return what `to_json` wrote, without texts.

        Raises:
            UnsupportedError: It has another schema.
            ParameterError: It is something else, or holds a value that pmbf does not write.
        """
        try:
            values = json.loads(line)
            _require_schema(values["schema"], cls)
            found: Self = made(cls, values)
            return found
        except KeyError as error:
            raise ParameterError(f"no {cls.WHAT} as to_json writes it: it lacks {error}") from error
        except (TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ParameterError(f"no {cls.WHAT} as to_json writes it: {error}") from error


def plain(value: Any) -> Any:
    """Return a value with dataclasses as dicts, and tuples as lists."""
    kind: Any = type(value)
    if kind in (str, int, float, bool, NoneType):
        return value
    if kind is Span:
        return [value.start, value.stop]
    if kind in (list, tuple):
        return [plain(one) for one in value]
    if kind is dict:
        return {name: plain(one) for name, one in value.items()}
    if not is_dataclass(value):
        return value
    return {name: plain(getattr(value, name)) for name in _names(kind)}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return (*(one.name for one in fields(kind) if one.compare), *getattr(kind, "ALSO", ()))


def _require_schema(schema: Any, kind: Any) -> None:
    """Refuse another schema. Raises `UnsupportedError`, and `TypeError` if the schema is no number."""
    [expected] = (cast(int, one.default) for one in fields(kind) if one.name == "schema")
    if type(schema) is not int or schema < 1:
        raise TypeError(f"schema is {schema!r:.80}")
    if schema != expected:
        way_out = "upgrade pmbf" if schema > expected else "make it anew"
        what = kind.WHAT.partition(" ")[0]
        raise UnsupportedError(f"the {what} has schema {schema}, this pmbf reads {expected}; {way_out}")


def made(kind: Any, values: Any) -> Any:
    """Return a dataclass, of its values in JSON.

    Every value is of the type that its field names. Numbers are finite; evidence and those called `n_…` are at least 0,
    shares 0 to 1, spans ascending. `Annotated[int, n]` is a number from 0 to n; with a text or a list, n is the most
    characters or entries, and the text can be encoded. A class with `WHOLE` needs all its fields, others those without
    a default, and all lists. If there is `require_consistent`, then that is called.

    Raises:
        TypeError, ValueError: A field is missing, or its value is of another type, or is one that pmbf does not write.

    >>> made(Span, [3, 2])
    Traceback (most recent call last):
    ValueError: [3, 2] is no span
    """
    if kind is Span:
        return _span(values)
    if not isinstance(values, dict):
        raise TypeError(f"{values!r:.80} is no object")
    given = dict(values)
    for name in getattr(kind, "ALSO", ()):
        given.pop(name, None)
    for name, (read, is_required) in _readers(kind).items():
        if name in given:
            given[name] = read(given[name], name)
        elif is_required or getattr(kind, "WHOLE", False):
            raise ValueError(f"it lacks {name!r}")
    found = kind(**given)
    if check := getattr(found, "require_consistent", None):
        check()
    return found


def _span(value: Any) -> Span:
    if not (isinstance(value, list) and len(value) == 2 and all(map(_is_whole, value)) and 0 <= value[0] <= value[1]):
        raise ValueError(f"{value!r:.80} is no span")
    return Span(*value)


@cache
def _readers(kind: Any) -> dict[str, tuple[_Read, bool]]:
    """Return what reads each field, and whether the field must be there: lists must, new fields of others need not."""
    hints, found = get_type_hints(kind, include_extras=True), {}
    for one in fields(kind):
        if one.compare:
            hint, has_default = hints[one.name], one.default is not MISSING or one.default_factory is not MISSING
            found[one.name] = (_ranged(one.name, _reader(hint)), not has_default or _is_list(hint))
        else:
            found[one.name] = (_refused, False)
    return found


def _refused(value: Any, name: str) -> Any:
    raise ValueError(f"`{name}` does not stand in JSON")


def _ranged(name: str, read: _Read) -> _Read:
    if name == "certainty":
        return _checked(lambda value: value in _CERTAINTIES, read)
    if name in _SHARES:
        return _checked(lambda value: value is None or 0 <= value <= 1 + _ROUNDED, read)
    if name.startswith("n_") or name == "evidence":
        return _checked(lambda value: value is None or value >= 0, read)
    return read


def _reader(hint: Any) -> _Read:
    inside = get_args(hint)
    match get_origin(hint):
        case origin if origin is Literal:
            return _checked(lambda value: isinstance(value, str) and value in inside)
        case origin if origin is Annotated:
            return _checked(lambda value: _is_within(value, inside[1]), _reader(inside[0]))
        case origin if origin is tuple and inside[-1] is ...:
            each = _reader(inside[0])
            return lambda value, name: tuple(each(one, name) for one in _list(value))
        case origin if origin is tuple:
            some = tuple(map(_reader, inside))
            return lambda value, name: tuple(
                read(one, name) for read, one in zip(some, _list(value, len(some)), strict=True)
            )
        case origin if origin is dict:
            keys, values = map(_reader, inside)
            return lambda value, name: {keys(one, name): values(what, name) for one, what in _items(value, name)}
    if NoneType in inside:
        [other] = (_reader(one) for one in inside if one is not NoneType)
        return lambda value, name: None if value is None else other(value, name)
    return _checked(_PLAIN[hint]) if hint in _PLAIN else lambda value, name: made(hint, value)


def _checked(is_right: Callable[[Any], bool], read: _Read = lambda value, name: value) -> _Read:
    def checked(value: Any, name: str) -> Any:
        if not is_right(found := read(value, name)):
            raise ValueError(f"`{name}` is {value!r:.80}")
        return found

    return checked


def _is_within(value: Any, most: int) -> bool:
    if isinstance(value, str):
        try:
            return len(value) <= most and value.encode() is not None
        except UnicodeEncodeError:  # half a character
            return False
    return 0 <= (value if isinstance(value, int) else len(value)) <= most


def _is_list(hint: Any) -> bool:
    return tuple in (get_origin(hint), get_origin(get_args(hint)[0]) if get_origin(hint) is Annotated else None)


def _list(value: Any, n: int | None = None) -> list[Any]:
    """Return a list. Raises `TypeError` for a text, whose letters would be entries, and others."""
    if not isinstance(value, list) or n not in (None, len(value)):
        raise TypeError(f"{value!r:.80} is no list{'' if n is None else f' of {n}'}")
    return value


def _items(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"`{name}` is {value!r:.80}")
    return value.items()


def _is_whole(value: Any) -> bool:
    return type(value) is int and -_MOST <= value <= _MOST


_PLAIN: dict[Any, Callable[[Any], bool]] = {
    Any: lambda value: True,
    str: lambda value: isinstance(value, str),
    int: _is_whole,
    float: lambda value: _is_whole(value) or (type(value) is float and math.isfinite(value)),
    bool: lambda value: isinstance(value, bool),
}
