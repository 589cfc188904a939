"""Memory that the native kernels allocate: an array of it, which frees it when nobody has the array any more."""

from __future__ import annotations

from ctypes import c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.native_library import function

_free = function("pmbf_free", c_void_p)


class _Block:
    """A block of memory that is freed with this object."""

    def __init__(self, address: int, dtype: Any, n: int) -> None:
        self._address = address
        self.__array_interface__ = {
            "version": 3,
            "shape": (n,),
            "typestr": np.dtype(dtype).str,
            "data": (address, False),
        }

    def __del__(self, free: Any = _free) -> None:
        free(self._address)


def array_of(address: int | None, dtype: Any, n: int) -> NDArray[Any]:
    """Return an array of n numbers at an address that a kernel allocated. The array frees the memory.

    Args:
        address: None if nothing was allocated; then n is 0.
        dtype: The type of a number.
        n: Numbers that the kernel wrote.
    """
    return np.asarray(_Block(address, dtype, n)) if address else np.empty(0, dtype)
