"""Which twin answers: the native one where it is built, unless the environment names one."""

from __future__ import annotations

import importlib
import os

from pmbf.errors import ParameterError, UnsupportedError

VARIABLE = "PMBF_KERNELS"
"""Environment variable: `native`, `reference`, or nothing for whichever is there."""


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
        for twin in ("native_align", "native_bits", "native_keyed", "native_records", "native_text"):
            importlib.import_module(f"pmbf.kernels.{twin}")
    except UnsupportedError as error:
        if wanted == "native":
            raise
        return str(error)
    return None


_REASON = _why_not_native()
NATIVE_MISSING = None if os.environ.get(VARIABLE) else _REASON
"""Why the reference answers although nobody chose it."""


def native_answers() -> bool:
    """Return whether the native twin answers."""
    return _REASON is None
