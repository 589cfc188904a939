"""The word lists of many documents, read by their places: no text is read, and no row of the catalog."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pmbf.base.arrays import begins, spans
from pmbf.store.codec import LEAST_WORDED, damaged_fingerprint
from pmbf.store.files import PAGE_BYTES, MappedFile
from pmbf.store.live import LiveFiles

Numbers = NDArray[np.int64]
MOST_BYTES = 1 << 14
"""Bytes of the longest word list that is read, of a text of half a million characters: a longer text is looked at by
its stretches."""

_HEAD_BYTES = 8
"""Of a record before its word list."""
_PLACES_OF_LENGTH = np.arange(4, _HEAD_BYTES)


def read(
    files: LiveFiles, serials: NDArray[np.integer[Any]], offsets: Numbers, sizes: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.uint8], Numbers]:
    """Return the word lists of documents, end to end, and where each begins and the last one ends, `(n + 1,)`.

    A list of more than `MOST_BYTES` counts as none.

    Args:
        files: Those that the records lie in.
        serials, offsets, sizes: `(n,)`, where the record of each document lies; serial 0 if there is none.
    """
    order = np.argsort(serials, kind="stable")
    n_bytes, cuts = sizes.astype(np.int64), [*begins(serials[order]).tolist(), len(serials)]
    bounds, lists = np.zeros(len(serials) + 1, np.int64), list[memoryview | bytes]()
    for first, last in pairwise(cuts):
        some = order[first:last]
        if serial := int(serials[some[0]]):
            file = files.file(serial)
            starts, stops = _spans(file, offsets[some], n_bytes[some])
            stops = np.where(stops - starts > MOST_BYTES, starts, stops)
            bounds[1 + some], payload = stops - starts, file.payload
            lists += [payload[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        else:
            lists += [b""] * len(some)
    if len(cuts) > 2:
        lists = [lists[at] for at in np.argsort(order).tolist()]
    return np.frombuffer(b"".join(lists), np.uint8), np.cumsum(bounds, out=bounds)


def _spans(file: MappedFile, offsets: Numbers, sizes: Numbers) -> tuple[Numbers, Numbers]:
    """Return where the word lists of records begin and end. Their pages are checked."""
    ends = offsets + sizes
    if (sizes < LEAST_WORDED).any() or (ends > len(file.payload)).any():
        raise damaged_fingerprint(file.path)
    file.check_places(offsets, _HEAD_BYTES)
    octets = np.frombuffer(file.payload, np.uint8)
    starts = offsets + _HEAD_BYTES
    stops = starts + octets[offsets[:, None] + _PLACES_OF_LENGTH].view("<u4")[:, 0]
    if (stops + 4 > ends).any():
        raise damaged_fingerprint(file.path)
    if not file.is_checked:
        first = starts // PAGE_BYTES
        file.check_places(spans(first, stops // PAGE_BYTES - first + 1) * PAGE_BYTES, 1)
    return starts, stops
