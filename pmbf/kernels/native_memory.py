"""Memory that the native kernels allocate: an array of it, which frees it when nobody has the array any more."""

from __future__ import annotations

from ctypes import c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.kernels.native_library import address as addresses
from pmbf.kernels.native_library import function

_free = function("pmbf_free", c_void_p)
_take = function("pmbf_align_take", c_void_p, c_int64, c_int64, c_void_p)

_at = addresses()


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
    """Return an array of n numbers at an address that a kernel allocated, or None. The array frees the memory."""
    return np.asarray(_Block(address, dtype, n)) if address else np.empty(0, dtype)


def taken(address: c_void_p | int, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a copy of the array that a kernel left at an address, and free its memory."""
    found = np.empty(n, dtype)
    _take(address, n, dtype.itemsize, _at(found))
    return found
