"""What the native kernels are compared with: the reference; under the sanitizers they stand beside themselves.

A sanitizer watches C alone. Tests of long texts would wait 9 of 10 seconds for the reference, which answers the same
texts outside.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

SANITIZED = bool(os.environ.get("PMBF_NATIVE_LIBRARY"))
"""Whether the kernels were compiled with the sanitizers: `tools/sanitize.sh` names their library."""


def oracle(name: str) -> Any:
    """Return the module of the twin that the native kernels `name` are compared with."""
    return import_module(f"pmbf.kernels.{'native' if SANITIZED else 'reference'}_{name}")
