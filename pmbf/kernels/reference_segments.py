"""The rows of the filter in NumPy: which segments may have a hash. The reference of `native/postings/rows.c`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmbf.base.hashes import Hashes, first_bits
from pmbf.kernels.postings_layout import Keys, damaged_postings
from pmbf.kernels.reference_bits import spread
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
    >>> for line in lines_of(7, 1024, 2) + lines_of(9, 1024, 2):
    ...     words[line // 64] |= np.uint64(1 << line % 64)
    >>> [divmod(key, 2**32) for key in segments_having([row, None], np.array([9, 8], np.uint32)).tolist()]
    [(0, 0), (0, 1), (1, 1)]
    """
    hash_width(hashes)
    require_rows(rows)
    keys = []
    for number, row in enumerate(rows):
        passed = have_passed(row, hashes) if row else [True] * len(hashes)
        keys += [place << 32 | number for place, one in enumerate(passed) if one]
    return np.array(sorted(keys), np.uint64)


def lines_of(hash: int, n_lines: int, n_hashes: int) -> list[int]:
    """Return the bits that the first 32 bits of a hash set in a row; two of them may be one.

    Source:
        Putze, Sanders & Singler 2007: all bits of a hash are in one block.

    >>> lines_of(7, 1024, 3)
    [242, 128, 231]
    """
    mixed = spread(hash)
    block = (mixed >> 32) * (n_lines // BLOCK_LINES) >> 32
    return [block * BLOCK_LINES + (mixed >> 9 * at) % BLOCK_LINES for at in range(n_hashes)]


def have_passed(row: Row, hashes: Hashes) -> list[bool]:
    """Return whether a row may have each of some hashes. What is read of rows with pages is checked."""
    (rows, number), passed = row, []
    for hash in first_bits(hashes).tolist():
        lines = [line * rows.line_bits for line in lines_of(hash, rows.n_lines, rows.n_hashes)]
        if rows.pages:
            content, sums, checked, page_bytes, bits_at = rows.pages
            at, size = np.array([bits_at + line // 8 for line in lines]), max(1, rows.line_bits // 8)
            if check_pages(content.data, sums, checked, at, size, page_bytes=page_bytes) is not None:
                raise damaged_postings()
        places = [line + number for line in lines]
        passed.append(all(rows.bits[place // 8] >> place % 8 & 1 for place in places))
    return passed
