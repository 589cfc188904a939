"""Values that workers send: a dataclass pickled as a call with all its fields."""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

Value = TypeVar("Value", bound=type)


def by_fields(kind: Value) -> Value:
    """Make a frozen dataclass of several fields pickle itself as a call; return it.

    That takes half the time of what a frozen dataclass does: to set field by field, each by its name.
    """
    values = attrgetter(*(one.name for one in fields(kind)))

    def reduced(self: Any) -> tuple[type, tuple[Any, ...]]:
        return kind, values(self)

    kind.__reduce__ = reduced  # type: ignore[assignment]
    return kind
