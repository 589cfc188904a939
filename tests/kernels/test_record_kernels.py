"""Both twins of the kernels for files on disk, on every instruction set: checksums, and hashes shared with a query."""

from __future__ import annotations

import re
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from conftest import record_of
from hypothesis import given
from hypothesis import strategies as st

from pmbf.errors import ParameterError
from pmbf.kernels import reference_records
from pmbf.kernels.reference_gaps import encode_gaps
from pmbf.kernels.types import CHUNK_DOCUMENTS, DAMAGED, LIVE, LOCATION, MISSING, REMOVED, UNREADY, WHOLE
from pmbf.store.codec import parts_of

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


ALL_PARTS = (0, 2**32 - 1)
PAGE_BYTES = 64


def laid_out(records: list[bytes], n_files: int = 2) -> tuple[dict[int, bytes], np.ndarray]:
    """Return files that hold records by turns, by serial number, and where each record is."""
    serials = [7, 3][:n_files]
    files, entries = dict.fromkeys(serials, b""), np.zeros(len(records), LOCATION)
    for number, record in enumerate(records):
        serial = serials[number % n_files]
        files[serial] += b"\xff"  # records begin anywhere
        entries[number] = (serial, 0, len(files[serial]), len(record), LIVE)
        files[serial] += record
    return files, entries


def shared(
    kernels: Any,
    files: dict[int, bytes],
    entries: np.ndarray,
    hashes: np.ndarray,
    *,
    parts: list[tuple[int, int, int]] | None = None,
    pages: np.ndarray | None = None,
    **changed: Any,
) -> Any:
    """Ask for all parts of all documents, whose checksums are compared."""
    listed = [(number, *ALL_PARTS) for number in range(len(entries))] if parts is None else parts
    flags = np.zeros(1000, np.uint8) if pages is None else pages
    opened = {serial: (content, flags) for serial, content in files.items()}
    asked = {"directory": {0: entries.tobytes()}, "files": opened, "weights": np.ones(len(hashes), np.int32)}
    asked |= {"page_bytes": PAGE_BYTES, "paged_from": 2**40} | changed
    return kernels.shared(np.array(listed, np.uint32).reshape(-1, 3), hashes=hashes, **asked)


def places_of(found: Any, number: int) -> list[int]:
    return found.places[found.bounds[number] : found.bounds[number + 1]].tolist()


def joined(parts: list[np.ndarray]) -> set[int]:
    return set(np.concatenate([np.empty(0, np.uint32), *parts]).tolist())


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
    assert [part.tolist() for part in parts_of(memoryview(record), "here")] == [p.tolist() for p in parts]


def test_a_record_is_made_of_hashes_that_lie_apart(kernels: Any) -> None:
    hashes = np.arange(600, dtype=np.uint32)
    assert kernels.record(hashes[::3], np.array([0, 200], np.uint32)) == record_of([hashes[::3]])


@pytest.mark.parametrize("cuts", [[], [0], [1, 3], [0, 2], [0, 3, 1, 3], [0, 4]])
def test_bounds_that_are_not_those_of_the_hashes_are_refused(kernels: Any, cuts: list[int]) -> None:
    with pytest.raises(ParameterError, match="bounds do not ascend from 0 to 3"):
        kernels.record(np.arange(3, dtype=np.uint32), np.array(cuts, np.uint32))


# ---------------------------------------------------------------------- shared hashes


@given(RECORDS, HASHES, st.randoms(use_true_random=False))
def test_each_document_has_just_the_hashes_it_shares(
    kernels: Any, records: list[Any], wanted: np.ndarray, random: Any
) -> None:
    """Hashes stand in the order of a text, some of them twice: a document has each at its first place."""
    values = [*wanted.tolist(), *wanted[::3].tolist()]
    random.shuffle(values)
    found = shared(kernels, *laid_out([record_of(one) for one in records]), np.array(values, np.uint32))
    assert (WHOLE, list(range(len(records)))) == (found.status, found.ids.tolist())
    documents = [joined(parts) for parts in records]
    for number, hashes in enumerate(documents):
        firsts = [place for place, value in enumerate(values) if value in hashes and value not in values[:place]]
        assert firsts == places_of(found, number)
    assert [sum(value in hashes for hashes in documents) for value in values] == found.n_having.tolist()
    assert (found.ids.dtype, found.bounds.dtype) == (np.uint32, np.int64)
    assert (found.places.dtype, found.n_having.dtype) == (np.uint32, np.int64)


@given(RECORDS, HASHES, st.integers(0, 4), st.integers(0, 4))
def test_only_the_wanted_parts_of_a_record_are_looked_at(
    kernels: Any, records: list[Any], wanted: np.ndarray, first: int, last: int
) -> None:
    parts = [(number, first, last) for number in range(len(records))]
    found = shared(kernels, *laid_out([record_of(one) for one in records]), wanted, parts=parts)
    for number, some in enumerate(records):
        hashes = joined(some[first:last])
        assert [place for place, value in enumerate(wanted.tolist()) if value in hashes] == places_of(found, number)


def test_the_parts_of_a_document_count_together_wherever_they_stand(kernels: Any) -> None:
    a, b, c = (np.array(some, np.uint32) for some in ([1, 5], [5, 9], [2]))
    stored = laid_out([record_of([a, b, c])] * 2)
    parts = [(1, 2, 3), (0, 1, 2), (0, 0, 1)]
    found = shared(kernels, *stored, np.array([9, 5, 2, 1, 5], np.uint32), parts=parts)
    assert [0, 1] == found.ids.tolist()
    assert [[0, 1, 3], [2]] == [places_of(found, number) for number in range(2)]
    assert [1, 1, 1, 1, 1] == found.n_having.tolist()


@given(
    st.lists(st.tuples(st.integers(0, 2**16 - 1), st.integers(0, 99)).map(lambda at: at[0] << 16 | at[1])), st.data()
)
def test_documents_are_looked_up_in_their_chunk_whatever_their_order(
    kernels: Any, ids: list[int], data: st.DataObject
) -> None:
    """Each of them has one hash, its own number, or none when it was removed; one may be in no chunk."""
    record = {id_: record_of([np.array([id_], np.uint32)]) for id_ in ids}
    content = b"".join(record.values())
    offsets = dict(zip(record, np.cumsum([0, *map(len, record.values())]).tolist(), strict=False))
    removed, lost = data.draw(st.sets(st.sampled_from(ids or [0]))), data.draw(st.sampled_from([*ids[:3], None]))
    chunks: dict[int, np.ndarray] = {}
    for id_ in set(ids) - {lost}:
        entries = chunks.setdefault(id_ // CHUNK_DOCUMENTS, np.zeros(100, LOCATION))
        state = REMOVED if id_ in removed else LIVE
        entries[id_ % CHUNK_DOCUMENTS] = (7, 1, offsets[id_], len(record[id_]), state)
    stored = {number: entries.tobytes() for number, entries in chunks.items()}
    hashes = np.array(ids[::-1], np.uint32)
    parts = [(id_, 0, 1) for id_ in ids]
    found = shared(kernels, {7: content}, np.empty(0, LOCATION), hashes, directory=stored, parts=parts)
    if lost is not None:
        assert (MISSING, lost, [], []) == (found.status, found.document, found.ids.tolist(), found.n_having.tolist())
        return
    assert sorted(set(ids)) == found.ids.tolist()
    expected = [[] if id_ in removed else [ids[::-1].index(id_)] for id_ in sorted(set(ids))]
    assert expected == [places_of(found, number) for number in range(len(expected))]


def test_what_weighs_nothing_is_not_looked_for(kernels: Any) -> None:
    record = record_of([np.array([5, 9], np.uint32)])
    hashes, weights = np.array([9, 5, 9], np.uint32), np.array([0, 7, 3], np.int32)
    found = shared(kernels, *laid_out([record]), hashes, weights=weights)
    assert ([1, 2], [0, 1, 1]) == (places_of(found, 0), found.n_having.tolist())


def test_a_removed_document_has_nothing_and_its_record_is_not_read(kernels: Any) -> None:
    record = record_of([np.array([5], np.uint32)])
    files, entries = laid_out([record, b"gone", record])
    entries["state"][1] = REMOVED
    found = shared(kernels, files, entries, np.array([5], np.uint32))
    assert (WHOLE, [0, 1, 1, 2], [2]) == (found.status, found.bounds.tolist(), found.n_having.tolist())


def test_pages_of_large_records_stand_for_their_checksum(kernels: Any) -> None:
    record = record_of([np.arange(100, dtype=np.uint32)])
    files, entries = laid_out([bytes(4) + record[4:]], n_files=1)
    wanted, large = np.array([9], np.uint32), {"paged_from": len(record)}
    assert shared(kernels, files, entries, wanted).status == DAMAGED
    n_pages = -(-len(files[7]) // PAGE_BYTES)
    for checked in range(n_pages + 1):
        pages = (np.arange(n_pages) < checked).astype(np.uint8)
        found = shared(kernels, files, entries, wanted, pages=pages, **large)
        assert ((UNREADY, []) if checked < n_pages else (WHOLE, [0])) == (found.status, found.places.tolist())
    assert shared(kernels, files, entries, wanted, pages=pages[:-1], **large).status == UNREADY


@pytest.mark.parametrize("n_hashes", [1, 20, 600, 40_000])
@pytest.mark.parametrize("n_wanted", [1, 300, 50_000])
def test_large_documents_and_queries_are_compared_exactly(kernels: Any, n_hashes: int, n_wanted: int) -> None:
    random = np.random.default_rng(n_hashes + n_wanted)
    parts = [np.unique(random.integers(0, 2**28, n_hashes, np.uint32)) for _ in range(3)]
    strangers = random.integers(0, 2**29, n_wanted, np.uint32)
    wanted = np.unique(np.concatenate([strangers, parts[1][::7], [0, 2**32 - 1]]).astype(np.uint32))
    random.shuffle(wanted)
    found = shared(kernels, *laid_out([record_of(parts)], n_files=1), wanted)
    assert np.flatnonzero(np.isin(wanted, np.concatenate(parts))).tolist() == found.places.tolist()


@given(st.lists(st.lists(HASHES, max_size=3), min_size=1, max_size=4), HASHES, st.data())
def test_a_flipped_bit_names_the_first_damaged_record(
    kernels: Any, records: list[Any], wanted: np.ndarray, data: st.DataObject
) -> None:
    encoded = [record_of(parts) for parts in records]
    number = data.draw(st.integers(0, len(encoded) - 1))
    bit = data.draw(st.integers(0, 8 * len(encoded[number]) - 1))
    flipped = bytearray(encoded[number])
    flipped[bit // 8] ^= 1 << bit % 8
    files, entries = laid_out([*encoded[:number], bytes(flipped), *encoded[number + 1 :]])
    found = shared(kernels, files, entries, wanted)
    assert (DAMAGED, number, [0], 0) == (found.status, found.document, found.bounds.tolist(), len(found.places))


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4), st.binary(max_size=40))
def test_a_record_that_contradicts_itself_is_read_nowhere_or_within_its_bytes(
    kernels: Any, numbers: list[int], rest: bytes
) -> None:
    """Part counts that do not fit, with a checksum that does: both twins say the same."""
    body = struct.pack(f"<{len(numbers)}I", *numbers) + rest
    files, entries = laid_out([struct.pack("<I", zlib.crc32(body)) + body])
    wanted = np.arange(0, 2**32, 2**22, dtype=np.uint32)
    expected, found = (shared(one, files, entries, wanted) for one in (reference_records, kernels))
    assert (expected.status, expected.document) == (found.status, found.document)
    assert expected.places.tolist() == found.places.tolist()


def test_hashes_that_do_not_ascend_are_found_all_the_same(kernels: Any) -> None:
    body = struct.pack("<II", 1, 5) + encode_gaps(np.array([9, 4, 9, 2**31, 1], np.uint32))
    files, entries = laid_out([struct.pack("<I", zlib.crc32(body)) + body])
    found = shared(kernels, files, entries, np.array([1, 4, 5, 9, 2**31], np.uint32))
    assert [0, 1, 3, 4] == found.places.tolist()


def test_no_documents_share_nothing(kernels: Any) -> None:
    found = shared(kernels, {}, np.empty(0, LOCATION), np.array([1, 2], np.uint32))
    assert (WHOLE, 0, []) == (found.status, found.document, found.ids.tolist())
    assert ([0], [], [0, 0]) == (found.bounds.tolist(), found.places.tolist(), found.n_having.tolist())


@pytest.mark.parametrize(
    ("file", "offset", "n_bytes"),
    [(7, 0, 7), (7, 4, 8), (7, 2**62, 8), (7, 2**64 - 1, 8), (7, 0, 2**32 - 1)],
)
def test_a_record_that_is_not_inside_its_file_is_damaged(kernels: Any, file: int, offset: int, n_bytes: int) -> None:
    entries = np.array([(file, 0, offset, n_bytes, LIVE)], LOCATION)
    found = shared(kernels, {7: bytes(10)}, entries, np.array([5], np.uint32), paged_from=1)
    assert (DAMAGED, 0) == (found.status, found.document)


def test_a_file_that_is_not_open_is_asked_for(kernels: Any) -> None:
    files, entries = laid_out([record_of([np.array([5], np.uint32)])] * 3)
    del files[3]
    found = shared(kernels, files, entries, np.array([5], np.uint32))
    assert (UNREADY, 1, []) == (found.status, found.document, found.ids.tolist())


def test_other_arrays_are_refused(kernels: Any) -> None:
    one, entry = np.zeros(1, np.uint32), np.zeros(1, LOCATION)
    with pytest.raises(ParameterError, match=r"weights is int64 \(1,\), expected int32 \(q,\)"):
        shared(kernels, {}, entry, one, weights=np.zeros(1, np.int64))
    with pytest.raises(ParameterError, match="weights is for 2 hashes, expected 1 as hashes has"):
        shared(kernels, {}, entry, one, weights=np.zeros(2, np.int32))
    with pytest.raises(ParameterError, match=r"hashes is int64 \(1,\), expected uint32 \(q,\)"):
        shared(kernels, {}, entry, np.zeros(1, np.int64))
    for parts in np.zeros((1, 2), np.uint32), np.zeros((1, 3), np.int64), np.zeros(3, np.uint32):
        found = rf"parts is u?int\d+ {re.escape(str(parts.shape))}, expected uint32 \(n, 3\)"
        with pytest.raises(ParameterError, match=found):
            kernels.shared(parts, {}, {}, one, np.ones(1, np.int32), page_bytes=64, paged_from=1)


def test_both_twins_have_the_names_of_the_door(kernels: Any) -> None:
    for name in ("check_pages", "checksum", "page_checksums", "shared"):
        assert getattr(reference_records, name).__annotations__ == getattr(kernels, name).__annotations__, name
