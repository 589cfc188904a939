"""The best that the machine can do: cache lines read anywhere, and one after another. `machine.c` is compiled here.

NumPy reads memory no faster than it computes, so it cannot measure the limit.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from ctypes import c_size_t, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pmbf.errors import ParameterError, UnsupportedError
from pmbf.kernels.native_library import address, function

SOURCE = Path(__file__).with_name("machine.c")


def lines_of(content: NDArray[np.generic]) -> NDArray[np.uint64]:
    """Return the whole lines of 64 bytes of an array, as words. The first begins where a line of the cache begins.

    The array is shared, not copied, whatever its memory is: that of a mapped file for instance.
    """
    octets = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
    begin = -octets.ctypes.data % 64
    return octets[begin : begin + (len(octets) - begin) // 64 * 64].view(np.uint64)


def read_lines(words: NDArray[np.uint64], places: NDArray[np.uint32]) -> int:
    """Read lines of 64 bytes, query by query, and return their sum. A line is prefetched 32 lines before it is read.

    Args:
        words: `(8 n,) uint64`, aligned to 64 bytes; else each line would lie in two lines of the cache.
        places: `(n_queries, n) uint32`, contiguous: where each line is, as a share of 2^32.

    Raises:
        ParameterError: The words are not aligned.
    """
    at = address()
    _require_aligned(words)
    return int(_library().read_lines(at(words), words.size // 8, at(places), places.shape[1], len(places)))


def look_up(slices: NDArray[np.uint64], hashes: NDArray[np.uint32], *, n_hashes: int) -> None:
    """Call the kernel of a sealed tile for each query, without Python in between.

    Args:
        slices: `(64 W, 8) uint64`, aligned to 64 bytes.
        hashes: `(n_queries, n) uint32`, contiguous.
        n_hashes: Bits per hash.

    Raises:
        ParameterError: The slices are not aligned, or are of fewer than 449 rows.
    """
    at, kernel = address(), ctypes.cast(function("pmbf_hits_sealed"), c_void_p)  # type: ignore[arg-type]
    _require_aligned(slices)
    if slices.shape[1] != 8:
        raise ParameterError(f"a slice has {slices.shape[1]} words, expected 8")
    hits = np.empty((hashes.shape[1], 8), np.uint64)
    _library().look_up(kernel, at(slices), len(slices), at(hashes), hashes.shape[1], len(hashes), n_hashes, at(hits))


def read_in_order(words: NDArray[np.uint64]) -> int:
    """Read contiguous words from the first to the last and return their sum."""
    return int(_library().read_in_order(address()(words), words.size // 8))


def _require_aligned(words: NDArray[np.uint64]) -> None:
    if words.ctypes.data % 64:
        raise ParameterError(f"the words begin {words.ctypes.data % 64} bytes after a line of the cache")


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
    library.read_lines.argtypes = (c_void_p, c_size_t, c_void_p, c_size_t, c_size_t)
    library.read_lines.restype = c_uint64
    library.look_up.argtypes = (c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_size_t, c_uint32, c_void_p)
    library.look_up.restype = None
    library.read_in_order.argtypes, library.read_in_order.restype = (c_void_p, c_size_t), c_uint64
    return library
