"""The best that the machine can do: cache lines read anywhere, and one after another. `machine.c` is compiled here.

NumPy reads memory no faster than it computes, so it cannot measure the limit.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from ctypes import c_size_t, c_uint64, c_void_p
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.errors import UnsupportedError
from pmbf.kernels.native_library import address

SOURCE = Path(__file__).with_name("machine.c")


def aligned(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a copy that begins where a cache line of 64 bytes begins, as the pages of a mapped file do.

    NumPy's own arrays begin at any multiple of 16 bytes. Then what is called a line lies in two lines of the cache.
    """
    room = np.empty(words.size + 7, np.uint64)
    begin = -room.ctypes.data % 64 // 8
    copy = room[begin : begin + words.size].reshape(words.shape)
    copy[...] = words
    return copy


def read_lines(words: NDArray[np.uint64], places: NDArray[np.uint32]) -> int:
    """Read lines of 64 bytes and return their sum. Each line is prefetched 64 lines before it is read.

    Args:
        words: `(n_lines, 8) uint64`, contiguous. If not aligned to 64 bytes, then each line lies in two cache lines.
        places: `(n,) uint32`, contiguous: where each line is, as a share of 2^32.
    """
    at = address()
    return int(_library().read_lines(at(words), words.size // 8, at(places), len(places)))


def read_in_order(words: NDArray[np.uint64]) -> int:
    """Read contiguous words from the first to the last and return their sum."""
    return int(_library().read_in_order(address()(words), words.size // 8))


@cache
def _library() -> ctypes.CDLL:
    """Return the compiled functions.

    Raises:
        UnsupportedError: There is no C compiler.
    """
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "machine.so"
        flags = ["-std=c11", "-O3", "-Wno-psabi", "-shared", "-fPIC"]
        try:
            subprocess.run([os.environ.get("CC", "cc"), *flags, str(SOURCE), "-o", str(built)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise UnsupportedError(f"{SOURCE}: cannot be compiled ({error}); install a C compiler, or set CC") from None
        library = ctypes.CDLL(str(built))
    library.read_lines.argtypes, library.read_lines.restype = (c_void_p, c_size_t, c_void_p, c_size_t), c_uint64
    library.read_in_order.argtypes, library.read_in_order.restype = (c_void_p, c_size_t), c_uint64
    return library
