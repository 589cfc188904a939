"""Which twin answers, the native one where it is built, unless the environment names one; and its kernels by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from pmbf.errors import ParameterError, UnsupportedError

VARIABLE = "PMBF_KERNELS"
"""Environment variable: `native`, `reference`, or nothing for whichever is there."""

MODULES = {
    "native": ("align", "bits", "keyed", "records", "text"),
    "reference": (
        "align",
        "bits",
        "files",
        "gaps",
        "keyed",
        "query",
        "records",
        "runs",
        "text",
        "turning",
        "words",
    ),
}
"""The modules of each twin, less its name before them: `native_align` is the first."""


def kernels_of(twin: str) -> dict[str, Callable[..., Any]]:
    """Return the kernels of a twin by name.

    Raises:
        UnsupportedError: The native twin is not built.
    """
    modules = [import_module(f"pmbf.kernels.{twin}_{module}") for module in MODULES[twin]]
    return {name: getattr(module, name) for module in modules for name in module.__all__}


def _why_not_native() -> str | None:
    """Return why the native twin does not answer, None where it does.

    Raises:
        ParameterError: The environment names a third twin.
        UnsupportedError: It names the native one, which is not there.
    """
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
"""Which twin answers."""
NATIVE_MISSING = None if os.environ.get(VARIABLE) else _REASON
"""Why the reference answers although nobody chose it."""
