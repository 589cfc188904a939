"""Documents that have several hashes of a query near each other, in C: the native twin of `reference_near`."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import addressof, c_int64, c_size_t, c_void_p
from itertools import pairwise

import numpy as np

from pmbf.base.hashes import Hashes
from pmbf.kernels.native_library import address, function
from pmbf.kernels.native_memory import taken
from pmbf.kernels.native_postings import passed_segments, require_done
from pmbf.kernels.postings_layout import Keys, Postings, no_hashes, require_near, require_postings, sought_in

__all__ = ["find_near"]

_AT, _N = c_void_p, c_size_t

_at = address()
_near = function("pmbf_find_near", _AT, _AT, _AT, _N, _N, _N, _AT, _AT, returns=c_int64)


def find_near(postings: Sequence[Postings], queries: Sequence[Hashes], *, least: int, window: int) -> list[Keys]:
    """See `reference_near.find_near`. A posting takes some 3 ns, whether its document is found or not."""
    require_near(least, window)
    for one in queries:
        require_postings(postings, one)
    hashes = sought_in(postings, np.concatenate([no_hashes(postings), *queries]))
    bounds, passed = np.cumsum([0, *map(len, queries)], dtype=np.int64), passed_segments(postings)
    ends, answer = np.zeros(len(queries), np.int64), c_void_p()
    asked = _at(hashes), _at(bounds), len(queries), min(least, len(hashes) + 1), window
    status = _near(passed.at, *asked, _at(ends), addressof(answer))
    keys = taken(answer, int(ends[-1]) if len(ends) and not status else 0, np.dtype(np.uint64))
    require_done(status)
    found = [keys[start:stop] for start, stop in pairwise([0, *ends.tolist()])]
    for one in found:
        one.sort()
    return found
