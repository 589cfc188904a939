"""Values of the command line that need no coercion are not coerced: typer imports pydantic for a coercion.

This import takes a sixth of a whole `pmbf screen`. Words are texts already; a missing option has its default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any


def spared(parameters: Sequence[Any]) -> Sequence[Any]:
    """Return a command's parameters; their plain values are taken as they are, other values are coerced."""
    for parameter in parameters:
        if not isinstance(parameter.process_value, partial):
            parameter.process_value = partial(_processed, parameter, parameter.process_value)
    return parameters


def _processed(parameter: Any, process: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    if (parameter.required and not value) or not _is_plain(parameter, value):
        return process(context, value)
    value = list(value) if isinstance(value, tuple) else value
    return parameter.callback(context, parameter, value) if parameter.callback else value


def _is_plain(parameter: Any, value: Any) -> bool:
    if value is None or (isinstance(value, str) and value == parameter.default):
        return True
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    return (kind is str and isinstance(value, str)) or (kind == list[str] and isinstance(value, list | tuple))
