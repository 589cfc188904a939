"""The rows of the filter in NumPy: which segments may have a hash. The reference of `native/postings/rows.c`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pmbf.base.hashes import Hashes, first_bits
from pmbf.kernels.postings_layout import Keys, damaged_postings
from pmbf.kernels.reference_bits import OFFSET, SPREAD
from pmbf.kernels.reference_hash import fmix64
from pmbf.kernels.reference_records import check_pages
from pmbf.kernels.segment_rows import BLOCK_LINES, Row, hash_width, require_rows


def segments_having(rows: Sequence[Row | None], hashes: Hashes) -> Keys:
    """Return which segments may have each of some hashes, by the filter alone.

    Args:
        rows: The row of each segment; None: the segment may have all hashes.
        hashes: `(q,)`, any order, repeats allowed.

    Returns:
        `(n,) uint64`, ascending: place in the hashes << 32 | number of the segment.

    >>> from pmbf.kernels.segment_rows import SegmentRows
    >>> words = np.zeros(17, np.uint64)
    >>> row = SegmentRows(words.view(np.uint8), 1, 1024, 2), 0
    >>> for line in lines_of(np.array([7, 9], np.uint32), 1024, 2).ravel().tolist():
    ...     words[line // 64] |= np.uint64(1 << line % 64)
    >>> [divmod(key, 2**32) for key in segments_having([row, None], np.array([9, 8], np.uint32)).tolist()]
    [(0, 0), (0, 1), (1, 1)]
    """
    hash_width(hashes)
    require_rows(rows)
    keys = [np.empty(0, np.uint64)]
    for number, row in enumerate(rows):
        passed = np.flatnonzero(has_passed(row, hashes) if row else np.ones(len(hashes), np.bool_))
        keys.append(passed.astype(np.uint64) << np.uint64(32) | np.uint64(number))
    return np.sort(np.concatenate(keys))


def lines_of(hashes: Hashes, n_lines: int, n_hashes: int) -> NDArray[np.int64]:
    """Return the bits that each hash sets in a row, `(q, n_hashes) int64`.

    Args:
        hashes: `(q,)`, any order.
        n_lines: Bits of the row, a multiple of 512.
        n_hashes: Bits a hash, 1 to 3. Two of them may fall on one position.

    Source:
        Putze, Sanders & Singler 2007: all bits of a hash are in one block.

    >>> lines_of(np.array([7], np.uint32), 1024, 3).tolist()
    [[242, 128, 231]]
    """
    mixed = fmix64(first_bits(hashes).astype(np.uint64) * SPREAD + OFFSET)
    blocks = (mixed >> np.uint64(32)) * np.uint64(n_lines // BLOCK_LINES) >> np.uint64(32)
    inside = mixed[:, None] >> np.uint64(9) * np.arange(n_hashes, dtype=np.uint64) & np.uint64(BLOCK_LINES - 1)
    return (blocks[:, None] * np.uint64(BLOCK_LINES) + inside).astype(np.int64)


def has_passed(row: Row, hashes: Hashes) -> NDArray[np.bool_]:
    """Return whether a row may have each of some hashes. What is read of rows with pages is checked."""
    rows, number = row
    lines = lines_of(hashes, rows.n_lines, rows.n_hashes) * rows.line_bits
    if rows.pages:
        content, sums, checked, page_bytes, bits_at = rows.pages
        at, size = (bits_at + lines // 8).ravel(), max(1, rows.line_bits // 8)
        if check_pages(content.data, sums, checked, at, size, page_bytes=page_bytes) is not None:
            raise damaged_postings()
    at = lines + number
    return np.asarray((rows.bits[at >> 3] >> (at & 7).astype(np.uint8) & 1).all(axis=1))
