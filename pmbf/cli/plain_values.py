"""Values of the command line that need no coercion are not coerced: typer imports pydantic for a coercion.

This import takes a sixth of a whole `pmbf screen`. Words are texts already; a missing option has its default; numbers
and choices are read here, and a wrong one is told in our words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, get_args, get_origin

import typer

_NAMES = re.compile(r"FILE|FOLDER|DEPOT|CSV|PORT|KEY|PATH|OUT|CARD|HEAD")
_NUMBERS: dict[Any, str] = {int: "a whole number", float: "a number"}


def spared(parameters: Sequence[Any]) -> Sequence[Any]:
    """Return a command's parameters; their plain values are taken as they are, other values are coerced."""
    for parameter in parameters:
        if not isinstance(parameter.process_value, partial):
            parameter.process_value = partial(_processed, parameter, parameter.process_value)
    return parameters


def _processed(parameter: Any, process: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    parse = _parser(parameter) if value and isinstance(value, str | list | tuple) else None
    if parse and isinstance(value, str):
        value = _parsed(parse, value, context, parameter)
    elif parse:
        value = [_parsed(parse, word, context, parameter) for word in value]
    elif (parameter.required and not value) or not _is_plain(parameter, value):
        return process(context, value)
    elif isinstance(value, tuple):
        value = list(value)
    is_empty = "" in (value if isinstance(value, tuple | list) else (value,))
    if is_empty and _names_a_file(parameter) and _is_from_the_command_line(parameter, context):
        raise typer.BadParameter("is empty, expected a name", ctx=context, param=parameter)
    return parameter.callback(context, parameter, value) if parameter.callback else value


def _parser(parameter: Any) -> Callable[[str], Any] | None:
    """Return what makes an option's value of a word: its own parser, or one for its type; None if typer does it."""
    if not (descriptor := getattr(parameter, "type_descriptor", None)):
        return None
    if own := descriptor.parameter_info.parser:
        return own  # type: ignore[no-any-return]
    kind = descriptor.annotation
    if get_origin(kind) is Literal:
        return partial(chosen, get_args(kind))
    bounds = descriptor.parameter_info.min, descriptor.parameter_info.max
    return partial(number, kind, *bounds) if kind in _NUMBERS else None


def _names_a_file(parameter: Any) -> bool:
    """Return whether an option or argument names a file, a folder or an address: an empty one names none."""
    return bool(_NAMES.search(parameter.metavar or ""))


def _is_from_the_command_line(parameter: Any, context: Any) -> bool:
    """Return whether a value is neither the default nor that of a variable, which may be empty."""
    source = context.get_parameter_source(parameter.name)
    return source is None or source.name == "COMMANDLINE"


def _is_plain(parameter: Any, value: Any) -> bool:
    if value is None or (isinstance(value, str) and value == parameter.default):
        return True
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    return (kind is str and isinstance(value, str)) or (kind == list[str] and isinstance(value, list | tuple))


def _parsed(parse: Callable[[str], Any], word: str, context: Any, parameter: Any) -> Any:
    try:
        return parse(word)
    except typer.BadParameter as error:
        raise typer.BadParameter(error.message, ctx=context, param=parameter) from None
    except ValueError as error:
        raise typer.BadParameter(str(error), ctx=context, param=parameter) from None


def chosen(choices: Sequence[str], word: str) -> str:
    """Return a word if it is a choice.

    >>> chosen(["a", "b"], "a")
    'a'
    """
    if word not in choices:
        raise typer.BadParameter(f"{word!r} is not one of {', '.join(map(repr, choices))}")
    return word


def number(
    kind: Callable[[str], int | float], least: int | float | None, most: int | float | None, word: str
) -> int | float:
    """Return a number within bounds.

    >>> number(int, 1, None, "7")
    7
    """
    try:
        number = kind(word)
    except ValueError:
        number = math.nan
    if math.isnan(number) or (least is not None and number < least) or (most is not None and number > most):
        expected = _NUMBERS[kind] + ("" if least is None else f", at least {least}")
        expected += "" if most is None else f", at most {most}"
        raise typer.BadParameter(f"{word!r}, expected {expected}")
    return number
