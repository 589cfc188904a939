"""Which twin answers: the one that the environment names, else the native one if it is built. Its kernels by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from pmbf.base.errors import ParameterError, UnsupportedError

VARIABLE = "PMBF_KERNELS"
"""Environment variable: `native` or `reference`. If it is empty, then the native twin answers if it is built."""

MODULES = (
    "bits",
    "compare",
    "evident",
    "hash",
    "inverted",
    "postings",
    "records",
    "resultset",
    "text",
    "units",
)
"""The modules of each twin. The module "text" of the twin "native" is `native_text`."""


def kernels_of(twin: str) -> dict[str, Callable[..., Any]]:
    """Return the kernels of a twin by name; an `UnsupportedError` says that the native twin is not built."""
    modules = [import_module(f"pmbf.kernels.{twin}_{module}") for module in MODULES]
    return {name: getattr(module, name) for module in modules for name in module.__all__}


def _why_not_native() -> str | None:
    """Return why the native twin does not answer, or None if it does."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "native", "reference"):
        raise ParameterError(f"{VARIABLE} is {wanted!r}, expected 'native' or 'reference'")
    if wanted == "reference":
        return f"{VARIABLE} is 'reference'"
    try:
        kernels_of("native")
    except UnsupportedError as error:
        if wanted == "native":
            raise
        return str(error)
    return None


_REASON = _why_not_native()
NAME = "reference" if _REASON else "native"
"""The twin that answers."""
NATIVE_MISSING = None if os.environ.get(VARIABLE) else _REASON
"""Why the reference answers although nobody chose it; None if somebody did, or if the native twin answers."""
