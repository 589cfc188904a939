"""Both twins of the kernel that gives rows their checksums: equal results, equal errors."""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import pytest
from hypothesis import given, seed
from hypothesis import strategies as st

from pmbf.errors import UnsupportedError
from pmbf.kernels import reference_rows

NUMBERS = st.integers() | st.integers(-3, 99)
STRINGS = st.text() | st.text("a'\"\\\x7f\n é", max_size=4) | st.text("ab", min_size=60, max_size=70)
COLUMNS = NUMBERS | STRINGS | st.binary() | st.none()


class Pair(NamedTuple):
    name: str
    number: int


@pytest.fixture(scope="module", params=["reference", "native"])
def kernels(request: pytest.FixtureRequest) -> Any:
    if request.param == "reference":
        return reference_rows
    try:
        from pmbf.kernels import native_records
    except UnsupportedError as error:
        pytest.skip(str(error))
    return native_records


@seed(37)
@given(st.lists(st.lists(COLUMNS, max_size=5).map(tuple), max_size=3))
def test_a_checksum_is_that_of_the_row_as_python_shows_it(kernels: Any, rows: list[tuple[Any, ...]]) -> None:
    expected = [(*row, zlib.crc32(repr(row).encode())) for row in rows]
    assert expected == kernels.checked_rows(rows)


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, True])
def test_numbers_of_any_size_are_shown(kernels: Any, number: int) -> None:
    assert [(number, zlib.crc32(repr((number,)).encode()))] == kernels.checked_rows([(number,)])


def test_a_named_tuple_counts_as_a_tuple(kernels: Any) -> None:
    assert kernels.checked_rows([("a", 1)]) == kernels.checked_rows([Pair("a", 1)])


def test_a_string_that_is_no_unicode_is_refused(kernels: Any) -> None:
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        kernels.checked_rows([(1, "a"), (2, "b\udce9")])


def test_a_row_that_is_no_tuple_is_refused(kernels: Any) -> None:
    with pytest.raises(TypeError, match="a row is no tuple"):
        kernels.checked_rows([(1,), [2]])
