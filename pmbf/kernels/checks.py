"""What both twins ask of their arguments, so that both refuse the same ones in the same words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.errors import ParameterError

MAX_RECORD_BYTES = 0xFFFFFFFF


def require(name: str, array: object, dtype: type, shape: str, n_dims: int) -> None:
    """Refuse what is not an array of a dtype and number of dimensions."""
    if isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == n_dims:
        return
    found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
    raise ParameterError(f"{name} is {found}, expected {np.dtype(dtype)} {shape}")


def require_probes(row_bits: int, n_hashes: int) -> None:
    """Refuse rows without bits or over 32-bit positions, and hashes without bits."""
    if not 1 <= row_bits <= 0xFFFFFFFF:
        raise ParameterError(f"row_bits is {row_bits}, expected an integer from 1 to 2^32 - 1")
    if not 1 <= n_hashes <= 0xFFFFFFFF:
        raise ParameterError(f"n_hashes is {n_hashes}, expected at least 1")


def require_writable(name: str, array: NDArray[np.uint64]) -> None:
    """Refuse an array that cannot be changed."""
    if not array.flags.writeable:
        raise ParameterError(f"{name} is read-only, expected a writable array; copy it first")


def require_rows(name: str, words: NDArray[np.uint64], n_rows: int) -> None:
    """Refuse slices or hits that have not just enough words a line for so many rows."""
    if words.shape[1] != -(-n_rows // 64):
        raise ParameterError(f"{name} has {words.shape[1]} words a line, expected {-(-n_rows // 64)} for {n_rows} rows")


def require_whole_words(slices: NDArray[np.uint64]) -> None:
    """Refuse slices that are not those of whole words."""
    if len(slices) % 64:
        raise ParameterError(f"slices has {len(slices)} positions, expected a multiple of 64")


def require_same_width(row: NDArray[np.uint64], rows: NDArray[np.uint64]) -> None:
    """Refuse rows of another width than one row's."""
    if rows.shape[1] != len(row):
        raise ParameterError(f"rows are {rows.shape[1]} words wide, expected {len(row)} as row has")


def require_windows(starts: NDArray[np.int64], stops: NDArray[np.int64], n_hits: int) -> None:
    """Refuse windows that leave the hashes."""
    require("starts", starts, np.int64, "(n_windows,)", 1)
    require("stops", stops, np.int64, "(n_windows,)", 1)
    if len(starts) != len(stops):
        raise ParameterError(f"stops has {len(stops)} windows, expected {len(starts)} as starts has")
    if len(starts) and (starts.min() < 0 or stops.max() > n_hits or (starts > stops).any()):
        raise ParameterError(f"a window is not inside the {n_hits} hashes; expected 0 <= start <= stop <= {n_hits}")


def require_limits(
    hashes: NDArray[np.uint32], windows: NDArray[np.int64], sizes: NDArray[np.int64], limits: NDArray[np.int32]
) -> None:
    """Refuse windows that leave the hashes, and sizes that do not fit the windows or the limits."""
    require_limits_fit(hashes, windows, sizes, limits)
    require_windows(windows[:, 0], windows[:, 1], len(hashes))
    require_sizes(windows[:, 1] - windows[:, 0], sizes)


def require_limits_fit(
    hashes: NDArray[np.uint32], windows: NDArray[np.int64], sizes: NDArray[np.int64], limits: NDArray[np.int32]
) -> None:
    """Refuse arrays of other types or shapes; their values are not looked at."""
    require("hashes", hashes, np.uint32, "(q,)", 1)
    require("windows", windows, np.int64, "(n_windows, 2)", 2)
    require("sizes", sizes, np.int64, "(n_sizes,)", 1)
    require("limits", limits, np.int32, "(n_sizes, n_rows)", 2)
    if windows.shape[1] != 2:
        raise ParameterError(f"windows is int64 {windows.shape}, expected int64 (n_windows, 2)")
    if len(limits) != len(sizes):
        raise ParameterError(f"limits has {len(limits)} lines, expected {len(sizes)} as sizes has")


def require_sizes(used: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
    """Refuse sizes that do not ascend, and windows of other sizes."""
    if (sizes[1:] <= sizes[:-1]).any():
        raise ParameterError("sizes do not ascend; expected each once, the smallest first")
    used = used[used > 0]
    missing = used[~np.isin(used, sizes)]
    if len(missing):
        raise ParameterError(f"a window has {missing[0]} hashes, which is not in sizes")


def require_row_limits(rows: NDArray[np.uint64], limits: NDArray[np.int32]) -> None:
    """Refuse limits of another number of rows."""
    if len(rows) != limits.shape[1]:
        raise ParameterError(f"limits is for {limits.shape[1]} rows, expected {len(rows)} as rows has")


def require_gaps(n_bytes: int, offset: int, count: int) -> None:
    """Refuse gaps whose control bytes are not all there."""
    if offset < 0 or count < 0 or offset + -(-count // 4) > n_bytes:
        raise cut_gaps(n_bytes, offset, count)


def cut_gaps(n_bytes: int, offset: int, count: int) -> ParameterError:
    """Return the error for bytes that end before their gaps do."""
    return ParameterError(f"{n_bytes} bytes do not hold {count} gaps from offset {offset} on")


def require_records(
    files: Sequence[bytes | memoryview],
    file: NDArray[np.int64],
    offsets: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> None:
    """Refuse records that are not inside their files."""
    for name, array in (("file", file), ("offsets", offsets), ("sizes", sizes)):
        require(name, array, np.int64, "(n,)", 1)
        if len(array) != len(file):
            raise ParameterError(f"{name} is for {len(array)} records, expected {len(file)} as file has")
    if not len(file):
        return
    if file.min() < 0 or file.max() >= len(files):
        raise ParameterError(f"a record is in none of the {len(files)} files")
    lengths = np.array([memoryview(one).nbytes for one in files], np.int64)[file]
    outside = (offsets < 0) | (sizes < 0) | (sizes > MAX_RECORD_BYTES) | (offsets > lengths - sizes)
    if outside.any():
        at = int(np.flatnonzero(outside)[0])
        raise ParameterError(
            f"record {at} is {sizes[at]} bytes from {offsets[at]} on, its file has {lengths[at]} bytes"
        )


def require_pages(
    n_bytes: int, sums: NDArray[np.uint32], checked: NDArray[np.uint8], offsets: NDArray[np.int64], page_bytes: int
) -> None:
    """Refuse arrays that are not those of so many bytes' pages."""
    require("sums", sums, np.uint32, "(n_pages,)", 1)
    require("checked", checked, np.uint8, "(n_pages,)", 1)
    require("offsets", offsets, np.int64, "(n,)", 1)
    n_pages = -(-n_bytes // page_bytes)
    for name, array in (("sums", sums), ("checked", checked)):
        if len(array) != n_pages:
            raise ParameterError(f"{name} is for {len(array)} pages, expected {n_pages} for {n_bytes} bytes")
    if not (checked.flags.writeable and checked.flags.c_contiguous):
        raise ParameterError("checked is read-only or strided, expected a plain writable array")


def require_places(n_bytes: int, offsets: NDArray[np.int64], size: int) -> None:
    """Refuse places that leave the bytes."""
    outside = np.flatnonzero((offsets < 0) | (offsets > n_bytes - size))
    if size < 0 or len(outside):
        at = int(offsets[outside[0]]) if len(outside) else 0
        raise ParameterError(f"a place of {size} bytes from {at} on is not inside the {n_bytes} bytes")


def require_parts(hashes: NDArray[np.uint32], bounds: NDArray[np.uint32]) -> None:
    """Refuse bounds that do not cut the hashes into parts."""
    require("hashes", hashes, np.uint32, "(n,)", 1)
    require("bounds", bounds, np.uint32, "(n_parts + 1,)", 1)
    cuts = bounds.tolist()
    if not cuts or cuts[0] or cuts[-1] != len(hashes) or (len(cuts) > 2 and (bounds[1:] < bounds[:-1]).any()):
        raise ParameterError(f"bounds do not ascend from 0 to {len(hashes)}, the number of hashes")
