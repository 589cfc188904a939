"""Files on disk and rows of tables: the native twin of `reference_records`."""

from __future__ import annotations

from ctypes import c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.base.listing import Entry
from pmbf.kernels import checks
from pmbf.kernels.native_library import address, function, module

__all__ = ["check_pages", "checksum", "decode_gaps", "list_folder", "page_checksums", "records", "sum_rows"]

Sums = NDArray[np.uint32]
Counts = NDArray[np.int64]
Buffer = bytes | memoryview

_AT, _N = c_void_p, c_size_t

_at = address()
_list_folder = module().list_folder
_records = module().records
_sum_rows = module().sum_rows
_checksum = function("pmbf_checksum", _AT, _N, returns=c_uint32)
_page_checksums = function("pmbf_page_checksums", _AT, _N, _N, _AT)
_decode_gaps = function("pmbf_decode_gaps", _AT, _N, _N, _AT, returns=c_int64)
_decode_wide = function("pmbf_decode_wide", _AT, _N, _N, _N, _AT, returns=c_int64)
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


def list_folder(path: str) -> list[Entry]:
    """See `pmbf.base.listing.list_folder`. A file takes 1.8 µs, half of what it takes there."""
    return sorted(_list_folder(path))


def records(hashes: Hashes, bounds: Counts, firsts: Counts, hash_bits: int = 32) -> tuple[bytes, Counts]:
    """See `reference_records.records`."""
    checks.require_parts(hashes, bounds, firsts, hash_bits)
    content, ends = _records(*map(np.ascontiguousarray, (hashes, bounds, firsts)), hash_bits)
    return content, np.ndarray(len(firsts) - 1, np.int64, ends)


def sum_rows(rows: list[Any], kinds: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """See `reference_records.sum_rows`. A row takes some 0.3 µs."""
    numbers, sums = _sum_rows(rows, kinds)
    return np.ndarray((len(rows), kinds.count("i")), np.int64, numbers), np.ndarray(len(rows), np.int64, sums)


def decode_gaps(content: Buffer, offset: int, count: int, hash_bits: int = 32) -> tuple[Hashes, int]:
    """See `reference_records.decode_gaps`."""
    octets = np.frombuffer(content, np.uint8)
    checks.require_gaps(len(octets), offset, count, hash_bits)
    hashes: Hashes = np.empty(count, hash_dtype(hash_bits))
    begin, n_bytes = _at(octets) + offset, len(octets) - offset
    if hash_bits == 32:
        n_bytes = _decode_gaps(begin, n_bytes, count, _at(hashes))
    else:
        n_bytes = _decode_wide(begin, n_bytes, count, hash_bits, _at(hashes))
    if n_bytes < 0:
        raise checks.cut_gaps(len(octets), offset, count)
    return hashes, offset + n_bytes
