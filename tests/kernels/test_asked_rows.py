"""Rows that are asked again and again answer as rows that are asked once."""

import numpy as np

from pmbf import kernels
from pmbf.filter import row_bits
from pmbf.kernels import AskedRows, SegmentRows, reference_segments
from pmbf.store import postings


def rows_of(hashes):
    made = postings.made(postings.Added.of([(1, hashes)]))
    row = kernels.row_of(made, row_bits(made.n_hashes), 3)
    return SegmentRows(np.append(row.view(np.uint8), np.zeros(8, np.uint8)), 1, 64 * len(row), 3), 0


def test_rows_answer_alike_each_time_and_for_hashes_of_each_width():
    random = np.random.default_rng(5)
    held = [random.integers(0, 2**32, 300, np.uint64).astype(np.uint32) for _ in range(6)]
    rows = AskedRows([*map(rows_of, held), None])
    for _ in range(2):
        for hashes in (np.concatenate(held)[::7], held[2][:5]):
            wide = hashes.astype(np.uint64) << np.uint64(32)
            expected = reference_segments.segments_having(list(rows), hashes)
            assert expected.tolist() == kernels.segments_having(rows, hashes).tolist()
            assert expected.tolist() == kernels.segments_having(rows, wide).tolist()
            assert expected.tolist() == reference_segments.segments_having(rows, wide).tolist()
