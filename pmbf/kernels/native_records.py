"""The kernels of files on disk in C: the names, results and errors of `reference_records`."""

from __future__ import annotations

from ctypes import c_int64, c_size_t, c_uint32, c_void_p

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes
from pmbf.kernels import checks
from pmbf.kernels.native_library import address, function, module

__all__ = ["check_pages", "checksum", "page_checksums", "record"]

Sums = NDArray[np.uint32]
Counts = NDArray[np.int64]
Buffer = bytes | memoryview

_AT, _N = c_void_p, c_size_t

_at = address()
_record = module().record
_checksum = function("pmbf_checksum", _AT, _N, returns=c_uint32)
_page_checksums = function("pmbf_page_checksums", _AT, _N, _N, _AT)
_check_pages = function("pmbf_check_pages", _AT, _N, _N, _AT, _AT, _AT, _N, _N, returns=c_int64)


def checksum(content: Buffer) -> int:
    """See `reference_records.checksum`."""
    return int(_checksum(_at(content), memoryview(content).nbytes))


def page_checksums(content: Buffer, *, page_bytes: int) -> Sums:
    """See `reference_records.page_checksums`."""
    n_bytes = memoryview(content).nbytes
    sums = np.empty(-(-n_bytes // page_bytes), np.uint32)
    _page_checksums(_at(content), n_bytes, page_bytes, _at(sums))
    return sums


def check_pages(
    content: Buffer, sums: Sums, checked: NDArray[np.uint8], offsets: Counts, size: int, *, page_bytes: int
) -> int | None:
    """See `reference_records.check_pages`."""
    n_bytes = memoryview(content).nbytes
    checks.require_pages(n_bytes, sums, checked, offsets, page_bytes)
    offsets, sums = np.ascontiguousarray(offsets), np.ascontiguousarray(sums)
    damaged = _check_pages(
        _at(content), n_bytes, page_bytes, _at(sums), _at(checked), _at(offsets), len(offsets), max(0, size)
    )
    if damaged < -1 or size < 0:
        checks.require_places(n_bytes, offsets, size)
    return None if damaged < 0 else int(damaged)


def record(hashes: Hashes, bounds: NDArray[np.uint32], hash_bits: int = 32) -> bytes:
    """See `reference_records.record`."""
    checks.require_parts(hashes, bounds, hash_bits)
    made: bytes = _record(np.ascontiguousarray(hashes), np.ascontiguousarray(bounds), hash_bits)
    return made
