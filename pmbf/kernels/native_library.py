"""Finds and loads the compiled kernels: plain C functions over buffers. They are called with ctypes, without the GIL.

The library is the extension module `_native`; `setup.py` builds it if there is a C compiler. `interface.h` holds a
number that C includes and Python reads. It is raised with each change of a function's arguments or results. So a
library of an earlier version is refused, not called wrongly.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from pmbf.base.errors import UnsupportedError

INTERFACE = int(Path(__file__).with_name("interface.h").read_text(encoding="ascii").split()[-1])
LIBRARY_VARIABLE = "PMBF_NATIVE_LIBRARY"
"""Environment variable: path of the library to load instead of the installed one, for the sanitizers."""

BUILD = "build it with `pip install .`, in a checkout `python setup.py build_ext --inplace`; both need a C compiler"


def function(name: str, *arguments: Any, returns: Any = None) -> Callable[..., Any]:
    """Return a function of the library with its types set.

    Raises:
        UnsupportedError: The library is missing, cannot be loaded, is of another version, or lacks the function.
    """
    try:
        found = _library()[name]
    except AttributeError:
        raise UnsupportedError(f"{_path()}: has no function {name}; {BUILD}") from None
    found.argtypes, found.restype = arguments, returns
    return found


def address() -> Callable[[Any], int]:
    """Return the library's function that returns the address of an array's bytes. It is ten times as fast as ctypes."""
    found: Callable[[Any], int] = module().address
    return found


@cache
def module() -> Any:
    """Return the library as an extension module, for the functions that take and return Python objects."""
    _library()
    loader = ExtensionFileLoader("_native", str(_path()))
    spec = spec_from_loader("_native", loader)
    assert spec is not None
    loaded = module_from_spec(spec)
    loader.exec_module(loaded)
    return loaded


@cache
def _library() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(str(path))
        found = int(library.pmbf_interface())
    except (OSError, AttributeError) as error:
        raise UnsupportedError(f"the native kernels cannot be loaded ({error}); {BUILD}") from None
    if found != INTERFACE:
        raise UnsupportedError(f"{path}: is of interface {found}, expected {INTERFACE}; {BUILD}")
    return library


def _path() -> Path:
    override = os.environ.get(LIBRARY_VARIABLE)
    if override:
        return Path(override)
    found = sorted(Path(__file__).parent.glob("_native*.so"))
    if not found:
        raise UnsupportedError(f"the native kernels are not built; {BUILD}")
    return found[0]
