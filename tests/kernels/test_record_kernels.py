"""Both twins of the kernels for files on disk, on every instruction set: checksums, and hashes shared with a query."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.codec import decode_fingerprint, encode_fingerprint
from pmbf.errors import ParameterError
from pmbf.kernels import reference_records
from pmbf.kernels.reference_gaps import encode_gaps

HASHES = st.sets(st.integers(0, 300) | st.integers(0, 2**32 - 1), max_size=80).map(
    lambda values: np.array(sorted(values), np.uint32)
)
RECORDS = st.lists(st.lists(HASHES, max_size=3), max_size=6)


@pytest.fixture(scope="module")
def kernels(level: str) -> Any:
    """Both twins, the native one on each instruction set that this processor has."""
    if level == "reference":
        return reference_records
    from pmbf.kernels import native_records

    return native_records


def laid_out(records: list[bytes], n_files: int = 2) -> tuple[list[bytes], np.ndarray, np.ndarray, np.ndarray]:
    """Return files that hold records by turns, and the file, offset and size of each."""
    files, places = [b""] * n_files, []
    for number, record in enumerate(records):
        files[number % n_files] += b"\xff"  # records begin anywhere
        places.append((number % n_files, len(files[number % n_files]), len(record)))
        files[number % n_files] += record
    return files, *np.array(places, np.int64).reshape(-1, 3).T.copy()


def shared(kernels: Any, files: list[bytes], *places_and_wanted: np.ndarray, **changed: np.ndarray) -> Any:
    """Ask for all parts of records that were not checked before."""
    n = len(places_and_wanted[0])
    whole = {"parts": np.array([[0, 2**31]] * n, np.int64).reshape(n, 2), "checked": np.zeros(n, np.bool_)}
    return kernels.shared(files, *places_and_wanted, **(whole | changed))


# ---------------------------------------------------------------------- checksums


@pytest.mark.parametrize("n_bytes", [0, 1, 7, 8, 15, 16, 63, 64, 65, 79, 80, 127, 128, 191, 192, 1000, 4096, 70_001])
def test_a_checksum_is_that_of_zlib(kernels: Any, n_bytes: int) -> None:
    content = np.random.default_rng(n_bytes).bytes(n_bytes + 3)
    for start in range(4):
        part = memoryview(content)[start : start + n_bytes]
        assert zlib.crc32(part) == kernels.checksum(part)


# ---------------------------------------------------------------------- pages


@given(st.binary(max_size=300), st.integers(1, 70), st.lists(st.integers(0, 299)), st.integers(0, 80), st.data())
def test_just_the_touched_pages_are_compared(
    kernels: Any, content: bytes, page_bytes: int, starts: list[int], size: int, data: st.DataObject
) -> None:
    """Beside a plain set of pages; one byte is damaged after the checksums were taken."""
    sums = kernels.page_checksums(content, page_bytes=page_bytes)
    assert [zlib.crc32(content[at : at + page_bytes]) for at in range(0, len(content), page_bytes)] == sums.tolist()
    offsets = np.array([start for start in starts if start + size <= len(content)], np.int64)
    bad = data.draw(st.integers(0, len(content))) if content else 0
    damaged = bytearray(content)
    damaged[bad : bad + 1] = bytes(value ^ 4 for value in damaged[bad : bad + 1])
    touched = [at // page_bytes for start in offsets.tolist() for at in range(start, start + size)]
    checked = np.zeros(len(sums), np.uint8)
    found = kernels.check_pages(bytes(damaged), sums, checked, offsets, size, page_bytes=page_bytes)
    if bad < len(content) and bad // page_bytes in touched:
        assert bad // page_bytes == found
        expected = set(touched[: touched.index(found)])
    else:
        assert found is None
        expected = set(touched)
    assert expected == set(np.flatnonzero(checked).tolist())


def test_a_page_found_right_is_not_compared_again(kernels: Any) -> None:
    content = bytes(range(100))
    sums, checked = kernels.page_checksums(content, page_bytes=10), np.zeros(10, np.uint8)
    place = np.array([35], np.int64)
    assert kernels.check_pages(content, sums, checked, place, 1, page_bytes=10) is None
    assert kernels.check_pages(bytes(100), sums, checked, place, 1, page_bytes=10) is None
    assert kernels.check_pages(bytes(100), sums, checked, place, 6, page_bytes=10) == 4


@pytest.mark.parametrize(("offset", "size"), [(-1, 1), (9, 2), (11, 0), (0, 11), (0, -1), (2**62, 2**62)])
def test_a_place_outside_the_bytes_is_refused(kernels: Any, offset: int, size: int) -> None:
    content, checked = bytes(10), np.zeros(2, np.uint8)
    sums = kernels.page_checksums(content, page_bytes=5)
    with pytest.raises(ParameterError, match=f"a place of {size} bytes from {offset} on is not inside the 10 bytes"):
        kernels.check_pages(content, sums, checked, np.array([offset], np.int64), size, page_bytes=5)
    with pytest.raises(ParameterError, match="sums is for 1 pages, expected 2 for 10 bytes"):
        kernels.check_pages(content, sums[:1], checked, np.array([0], np.int64), 1, page_bytes=5)
    with pytest.raises(ParameterError, match="checked is read-only or strided"):
        kernels.check_pages(content, sums, np.zeros(4, np.uint8)[::2], np.array([0], np.int64), 1, page_bytes=5)


# ---------------------------------------------------------------------- records


@given(st.lists(HASHES, max_size=4))
def test_a_record_is_the_same_from_both_and_gives_its_parts_back(kernels: Any, parts: list[np.ndarray]) -> None:
    bounds = np.cumsum([0, *map(len, parts)], dtype=np.uint32)
    hashes = np.concatenate([np.empty(0, np.uint32), *parts])
    record = kernels.record(hashes, bounds)
    assert record == reference_records.record(hashes, bounds)
    assert [part.tolist() for part in decode_fingerprint(memoryview(record), "here")] == [p.tolist() for p in parts]


def test_a_record_is_made_of_hashes_that_lie_apart(kernels: Any) -> None:
    hashes = np.arange(600, dtype=np.uint32)
    assert kernels.record(hashes[::3], np.array([0, 200], np.uint32)) == encode_fingerprint([hashes[::3]])


@pytest.mark.parametrize("cuts", [[], [0], [1, 3], [0, 2], [0, 3, 1, 3], [0, 4]])
def test_bounds_that_are_not_those_of_the_hashes_are_refused(kernels: Any, cuts: list[int]) -> None:
    with pytest.raises(ParameterError, match="bounds do not ascend from 0 to 3"):
        kernels.record(np.arange(3, dtype=np.uint32), np.array(cuts, np.uint32))


# ---------------------------------------------------------------------- shared hashes


@given(RECORDS, HASHES)
def test_each_document_has_just_the_hashes_it_shares(kernels: Any, records: list[Any], wanted: np.ndarray) -> None:
    files, file, offsets, sizes = laid_out([encode_fingerprint(parts) for parts in records])
    found = shared(kernels, files, file, offsets, sizes, wanted)
    assert found.damaged is None
    for number, parts in enumerate(records):
        hashes = set(np.concatenate([np.empty(0, np.uint32), *parts]).tolist())
        at = found.at[found.bounds[number] : found.bounds[number + 1]]
        assert [place for place, value in enumerate(wanted.tolist()) if value in hashes] == at.tolist()
    assert (found.bounds.dtype, found.at.dtype) == (np.int64, np.uint32)


@given(RECORDS, HASHES, st.integers(-1, 4), st.integers(-1, 4))
def test_only_the_wanted_parts_of_a_record_are_looked_at(
    kernels: Any, records: list[Any], wanted: np.ndarray, first: int, last: int
) -> None:
    files, *places = laid_out([encode_fingerprint(parts) for parts in records])
    ranges = np.array([[first, last]] * len(records), np.int64).reshape(-1, 2)
    found = shared(kernels, files, *places, wanted, parts=ranges)
    for number, parts in enumerate(records):
        some = [part for at, part in enumerate(parts) if first <= at < last]
        hashes = set(np.concatenate([np.empty(0, np.uint32), *some]).tolist())
        at = found.at[found.bounds[number] : found.bounds[number + 1]]
        assert [place for place, value in enumerate(wanted.tolist()) if value in hashes] == at.tolist()


def test_the_checksum_of_a_record_that_was_checked_is_not_compared_again(kernels: Any) -> None:
    record = encode_fingerprint([np.array([5, 9], np.uint32)])
    files, *places = laid_out([bytes(4) + record[4:]])
    wanted = np.array([9], np.uint32)
    assert 0 == shared(kernels, files, *places, wanted).damaged
    assert [0] == shared(kernels, files, *places, wanted, checked=np.ones(1, np.bool_)).at.tolist()


@pytest.mark.parametrize("n_hashes", [1, 20, 600, 40_000])
@pytest.mark.parametrize("n_wanted", [1, 300, 50_000])
def test_large_documents_and_queries_are_compared_exactly(kernels: Any, n_hashes: int, n_wanted: int) -> None:
    random = np.random.default_rng(n_hashes + n_wanted)
    parts = [np.unique(random.integers(0, 2**28, n_hashes, np.uint32)) for _ in range(3)]
    strangers = random.integers(0, 2**29, n_wanted, np.uint32)
    wanted = np.unique(np.concatenate([strangers, parts[1][::7], [0, 2**32 - 1]]).astype(np.uint32))
    files, *places = laid_out([encode_fingerprint(parts)], n_files=1)
    found = shared(kernels, files, *places, wanted)
    assert np.flatnonzero(np.isin(wanted, np.concatenate(parts))).tolist() == found.at.tolist()


@given(st.lists(st.lists(HASHES, max_size=3), min_size=1, max_size=4), HASHES, st.data())
def test_a_flipped_bit_names_the_first_damaged_record(
    kernels: Any, records: list[Any], wanted: np.ndarray, data: st.DataObject
) -> None:
    encoded = [encode_fingerprint(parts) for parts in records]
    number = data.draw(st.integers(0, len(encoded) - 1))
    bit = data.draw(st.integers(0, 8 * len(encoded[number]) - 1))
    flipped = bytearray(encoded[number])
    flipped[bit // 8] ^= 1 << bit % 8
    files, *places = laid_out([*encoded[:number], bytes(flipped), *encoded[number + 1 :]])
    found = shared(kernels, files, *places, wanted)
    assert (number, [0], 0) == (found.damaged, found.bounds.tolist(), len(found.at))


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4), st.binary(max_size=40))
def test_a_record_that_contradicts_itself_is_read_nowhere_or_within_its_bytes(
    kernels: Any, numbers: list[int], rest: bytes
) -> None:
    """Part counts that do not fit, with a checksum that does: both twins say the same."""
    body = struct.pack(f"<{len(numbers)}I", *numbers) + rest
    files, *places = laid_out([struct.pack("<I", zlib.crc32(body)) + body])
    wanted = np.arange(0, 2**32, 2**22, dtype=np.uint32)
    expected, found = shared(reference_records, files, *places, wanted), shared(kernels, files, *places, wanted)
    assert expected.damaged == found.damaged
    assert expected.at.tolist() == found.at.tolist()


def test_hashes_that_do_not_ascend_are_found_all_the_same(kernels: Any) -> None:
    body = struct.pack("<II", 1, 5) + encode_gaps(np.array([9, 4, 9, 2**31, 1], np.uint32))
    files, *places = laid_out([struct.pack("<I", zlib.crc32(body)) + body])
    found = shared(kernels, files, *places, np.array([1, 4, 5, 9, 2**31], np.uint32))
    assert [0, 1, 3, 4] == found.at.tolist()


def test_a_record_of_fewer_bytes_than_its_head_is_damaged(kernels: Any) -> None:
    assert shared(kernels, [b"1234567"], *np.array([[0], [0], [7]], np.int64), np.empty(0, np.uint32)).damaged == 0


def test_no_documents_share_nothing(kernels: Any) -> None:
    none = np.empty(0, np.int64)
    found = shared(kernels, [], none, none, none, np.array([1, 2], np.uint32))
    assert ([0], [], None) == (found.bounds.tolist(), found.at.tolist(), found.damaged)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ((1, 0, 4), "a record is in none of the 1 files"),
        ((-1, 0, 4), "a record is in none of the 1 files"),
        ((0, -1, 4), "record 0 is 4 bytes from -1 on, its file has 10 bytes"),
        ((0, 7, 4), "record 0 is 4 bytes from 7 on, its file has 10 bytes"),
        ((0, 2**62, 2**62), f"record 0 is {2**62} bytes from {2**62} on, its file has 10 bytes"),
        ((0, 0, -1), "record 0 is -1 bytes from 0 on, its file has 10 bytes"),
    ],
)
def test_a_record_outside_its_file_is_refused(kernels: Any, place: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        shared(kernels, [bytes(10)], *np.array([place], np.int64).T.copy(), np.empty(0, np.uint32))


def test_other_arrays_are_refused(kernels: Any) -> None:
    one = np.zeros(1, np.int64)
    with pytest.raises(ParameterError, match=r"sizes is uint32 \(1,\), expected int64 \(n,\)"):
        shared(kernels, [bytes(10)], one, one, one.astype(np.uint32), np.empty(0, np.uint32))
    with pytest.raises(ParameterError, match="offsets is for 2 records, expected 1 as file has"):
        shared(kernels, [bytes(10)], one, np.zeros(2, np.int64), one, np.empty(0, np.uint32))
    with pytest.raises(ParameterError, match=r"parts is int64 \(1, 3\), expected int64 \(n, 2\)"):
        shared(kernels, [bytes(10)], one, one, one, np.empty(0, np.uint32), parts=np.zeros((1, 3), np.int64))
    with pytest.raises(ParameterError, match=r"checked is int64 \(1,\), expected bool \(n,\)"):
        shared(kernels, [bytes(10)], one, one, one, np.empty(0, np.uint32), checked=one)
    with pytest.raises(ParameterError, match=r"wanted is int64 \(1,\), expected uint32 \(q,\)"):
        shared(kernels, [bytes(10)], one, one, one, one)


def test_both_twins_have_the_names_of_the_door(kernels: Any) -> None:
    for name in ("check_pages", "checksum", "page_checksums", "shared"):
        assert getattr(reference_records, name).__annotations__ == getattr(kernels, name).__annotations__, name
