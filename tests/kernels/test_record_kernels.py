"""Both twins of the kernels for files on disk, on every instruction set: checksums and records."""

from __future__ import annotations

import errno
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import record_of
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import ParameterError
from pmbf.base.hashes import first_bits
from pmbf.base.listing import FILE, FOLDER, LINK, OTHER
from pmbf.base.params import HASH_BITS
from pmbf.kernels import reference_records
from pmbf.store.codec import parts_of

HASHES = st.sets(st.integers(0, 300) | st.integers(0, 2**32 - 1), max_size=80).map(
    lambda values: np.array(sorted(values), np.uint32)
)


@pytest.fixture(scope="module")
def kernels(level: str) -> Any:
    """Both twins, the native one on each instruction set that this processor has."""
    if level == "reference":
        return reference_records
    from pmbf.kernels import native_records

    return native_records


def record_by(kernels: Any, hashes: np.ndarray, bounds: np.ndarray, hash_bits: int = 32) -> bytes:
    """Return the record of one fingerprint."""
    content, ends = kernels.records(hashes, bounds, np.array([0, max(0, len(bounds) - 1)]), hash_bits)
    assert ends.tolist() == [len(content)]
    return content


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


WIDE = st.sampled_from(HASH_BITS[1:])


@given(st.lists(st.lists(HASHES, max_size=4), max_size=4))
def test_records_are_the_same_from_both_and_give_their_parts_back(
    kernels: Any, fingerprints: list[list[np.ndarray]]
) -> None:
    parts = [part for some in fingerprints for part in some]
    bounds, firsts = (np.cumsum([0, *map(len, some)], dtype=np.int64) for some in (parts, fingerprints))
    hashes = np.concatenate([np.empty(0, np.uint32), *parts])
    records, ends = kernels.records(hashes, bounds, firsts)
    expected, expected_ends = reference_records.records(hashes, bounds, firsts)
    assert records == expected
    assert ends.tolist() == expected_ends.tolist()
    for some, start, stop in zip(fingerprints, [0, *ends.tolist()], ends.tolist(), strict=False):
        found = parts_of(memoryview(records)[start:stop], "here", 32)
        assert [part.tolist() for part in found] == [part.tolist() for part in some]


@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 2**34), max_size=40), max_size=4), WIDE)
def test_a_record_of_wide_hashes_has_their_gaps_and_then_their_other_bytes(
    kernels: Any, values: list[list[int]], hash_bits: int
) -> None:
    parts = [
        np.sort(np.array(part, np.uint64)) >> np.uint64(64 - hash_bits) << np.uint64(64 - hash_bits) for part in values
    ]
    bounds = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    hashes = np.concatenate([np.empty(0, np.uint64), *parts])
    record = record_by(kernels, hashes, bounds, hash_bits)
    assert record == record_by(reference_records, hashes, bounds, hash_bits)
    narrow = record_by(kernels, first_bits(hashes), bounds)
    assert len(record) == len(narrow) + len(hashes) * (hash_bits - 32) // 8
    assert [part.tolist() for part in parts_of(memoryview(record), "here", hash_bits)] == [p.tolist() for p in parts]


def test_a_width_that_is_not_that_of_the_hashes_is_refused(kernels: Any) -> None:
    bounds = np.array([0, 1])
    with pytest.raises(ParameterError, match=r"hashes is uint64 \(1,\), expected uint32"):
        record_by(kernels, np.ones(1, np.uint64), bounds, 32)
    with pytest.raises(ParameterError, match="hash_bits is 44, expected 32, 40, 48, 56 or 64"):
        record_by(kernels, np.ones(1, np.uint64), bounds, 44)


def test_a_record_is_made_of_hashes_that_lie_apart(kernels: Any) -> None:
    hashes = np.arange(600, dtype=np.uint32)
    assert record_by(kernels, hashes[::3], np.array([0, 200])) == record_of([hashes[::3]])


@pytest.mark.parametrize("cuts", [[], [0], [1, 3], [0, 2], [0, 3, 1, 3], [0, 4]])
def test_bounds_that_are_not_those_of_the_hashes_are_refused(kernels: Any, cuts: list[int]) -> None:
    with pytest.raises(ParameterError, match="bounds do not ascend from 0 to 3"):
        record_by(kernels, np.arange(3, dtype=np.uint32), np.array(cuts, np.int64))
    with pytest.raises(ParameterError, match="firsts do not ascend from 0 to 3"):
        kernels.records(np.arange(3, dtype=np.uint32), np.arange(4), np.array(cuts, np.int64))


# ---------------------------------------------------------------------- folders


def test_a_folder_has_files_with_size_and_time_folders_links_and_others(kernels: Any, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "below").touch()
    (tmp_path / "é.txt").write_text("abc", encoding="utf-8")
    os.utime(tmp_path / "é.txt", ns=(7, 5_123_456_789))
    (tmp_path / ".hidden").touch()
    os.utime(tmp_path / ".hidden", ns=(0, -1_000_000_001))
    (tmp_path / "link").symlink_to("b")
    os.mkfifo(tmp_path / "pipe")
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff")).mkdir()
    assert kernels.list_folder(str(tmp_path)) == [
        (".hidden", FILE, 0, -1_000_000_001),
        ("b", FOLDER, 0, 0),
        ("link", LINK, 0, 0),
        ("pipe", OTHER, 0, 0),
        ("é.txt", FILE, 3, 5_123_456_789),
        ("\udcff", FOLDER, 0, 0),
    ]
    assert kernels.list_folder(str(tmp_path / "b"))[0][:3] == ("below", FILE, 0)


def test_a_folder_of_thousands_is_listed(kernels: Any, tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number:0200}").touch()
    assert [name for name, *_ in kernels.list_folder(str(tmp_path))] == [f"{number:0200}" for number in range(3000)]


@pytest.mark.parametrize("name", ["gone", "file", "file/below"])
def test_what_is_no_folder_is_an_error_that_names_it(kernels: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    expected = FileNotFoundError if name == "gone" else NotADirectoryError
    with pytest.raises(expected) as caught:
        kernels.list_folder(str(tmp_path / name))
    assert caught.value.filename == str(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root looks at everything")
def test_a_file_that_cannot_be_looked_at_has_the_number_of_the_error(kernels: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    tmp_path.chmod(0o400)
    try:
        assert kernels.list_folder(str(tmp_path)) == [("file", FILE, -1, errno.EACCES)]
    finally:
        tmp_path.chmod(0o700)


# ---------------------------------------------------------------------- shared hashes


def test_both_twins_have_the_names_of_the_door(kernels: Any) -> None:
    for name in ("check_pages", "checksum", "list_folder", "page_checksums", "records"):
        assert getattr(reference_records, name).__annotations__ == getattr(kernels, name).__annotations__, name
