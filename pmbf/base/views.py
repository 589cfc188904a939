"""How a notebook shows data. Data know no pages: who knows both says here which view a class has, by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

VIEWS: dict[str, Callable[[Any], str]] = {}
"""Of each class with a view, what returns the HTML of one of its values."""


def view(shown: object) -> str | None:
    """Return a value as HTML for a notebook; None if its class has no view: then the notebook shows its `repr`."""
    made = VIEWS.get(type(shown).__name__)
    return made(shown) if made else None
