"""Both twins of the kernel that sums the rows of a table."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.kernels import reference_records
from pmbf.store.catalog_tables import Document, ListedPath, row_checksum

COLUMN = st.integers(-(2**63), 2**63 - 1) | st.text(max_size=9) | st.just("\udcff") | st.sampled_from([b"t", None, 1.5])
ROW = st.lists(COLUMN | st.just(2**64), max_size=6).map(tuple)


@pytest.fixture(scope="module")
def kernels(level: str) -> Any:
    """Both twins, the native one on each instruction set that this processor has."""
    if level == "reference":
        return reference_records
    from pmbf.kernels import native_records

    return native_records


def expected(row: tuple[Any, ...], kinds: str) -> tuple[list[int], int] | None:
    """Return the integers and the checksum of a row as the docstring tells them, None for a row of other columns."""
    integers = [one for one, kind in zip(row, kinds, strict=False) if kind == "i"]
    texts = [one for one, kind in zip(row, kinds, strict=False) if kind == "s"]
    try:
        raw = [text.encode() for text in texts]
        packed = struct.pack(f"<{len(kinds)}q", *integers, *map(len, raw))
    except (AttributeError, UnicodeEncodeError, struct.error):
        return None
    return integers, zlib.crc32(b"".join([kinds.encode(), packed, *raw]))


@given(rows=st.lists(ROW, max_size=6), kinds=st.text("is", max_size=5))
def test_rows_give_their_integers_and_checksums(kernels: Any, rows: list[tuple[Any, ...]], kinds: str) -> None:
    numbers, sums = kernels.sum_rows(rows, kinds)
    assert (numbers.shape, numbers.dtype, sums.dtype) == ((len(rows), kinds.count("i")), np.int64, np.int64)
    for row, some, total in zip(rows, numbers.tolist(), sums.tolist(), strict=True):
        assert ((some, total) if total >= 0 else None) == expected(row, kinds)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5), st.integers(-(2**63), 2**63 - 1))
def test_a_checksum_is_that_of_the_row_in_the_catalog(kernels: Any, texts: list[str], number: int) -> None:
    rows: list[Any] = [ListedPath(text, number, 1, -1, text) for text in texts]
    assert kernels.sum_rows(rows, "siiis")[1].tolist() == [row_checksum(ListedPath, row) for row in rows]
    documents: list[Any] = [Document(number, text, "txt", *range(12), problems=text) for text in texts]
    assert kernels.sum_rows(documents, "issiiiiiiiiiiiis")[1].tolist() == [
        row_checksum(Document, row) for row in documents
    ]


def test_a_checksum_in_a_column_behind_the_others_does_not_count(kernels: Any) -> None:
    assert kernels.sum_rows([(1, "a", 9)], "is")[1].tolist() == kernels.sum_rows([(1, "a")], "is")[1].tolist()


def test_what_is_no_list_of_rows_is_refused(kernels: Any) -> None:
    with pytest.raises((TypeError, SystemError)):
        kernels.sum_rows(7, "i")
    assert kernels.sum_rows([(1,)], "ii")[1].tolist() == [-1]
