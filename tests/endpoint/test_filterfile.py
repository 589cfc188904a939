"""An endpoint filter's file: found is what is in it, and what is damaged, changed, foreign or newer is refused."""

import struct
import zlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pmbf.base.errors import CorruptError, NotFoundError, ParameterError, PmbfError, UnsupportedError
from pmbf.guard.filter import filterfile
from pmbf.guard.filter.filterfile import (
    CAPACITY,
    HEADER_BYTES,
    OVERLAP,
    EndpointFilter,
    Run,
    padded,
    part_bounds,
    sealed_tiles,
    with_fillers,
)
from pmbf.guard.filter.sampling import RUN, KeyedSample, keyed_sample
from pmbf.store.sitekey import SiteKey
from tests.conftest import words
from tests.endpoint.conftest import PLAN

KEY, OTHER_KEY = SiteKey(bytes(16)), SiteKey(bytes(15) + b"\1")
RANDOM = np.random.default_rng(9)


def sample_of(hashes):
    at = np.arange(len(hashes))
    return KeyedSample(np.array(hashes, np.uint32), at, at.astype(np.uint32), at.astype(np.uint32))


def written(path, parts, key=KEY):
    filterfile.write(path, {row: np.unique(np.array(hashes, np.uint32)) for row, hashes in parts.items()}, key)
    return path


def test_a_run_is_found_where_it_is_and_a_shorter_one_is_not(tmp_path):
    own = RANDOM.integers(0, 2**32, 100, np.uint32)
    opened = EndpointFilter(written(tmp_path / "f", {7: own}), KEY)
    foreign = RANDOM.integers(0, 2**32, 50, np.uint32)
    for length in (RUN, 40):
        asked = np.concatenate([foreign[:20], own[30 : 30 + length], foreign[20:]])
        assert opened.runs(sample_of(asked)) == [Run(7, 20, 20 + length)]
    assert opened.runs(sample_of(np.concatenate([foreign[:20], own[30 : 30 + RUN - 1], foreign[20:]]))) == []


def test_one_hash_again_and_again_is_no_run(tmp_path):
    own = RANDOM.integers(0, 2**32, 100, np.uint32)
    opened = EndpointFilter(written(tmp_path / "f", {7: own}), KEY)
    assert opened.runs(sample_of(np.tile(own[: RUN - 1], 9))) == []


@pytest.mark.parametrize("first", [4096 - RUN - 2, 4096 - RUN, 4096 - 3, 4096 - 1, 4096, 8192 - 2 * RUN, 17])
@pytest.mark.parametrize("length", [RUN, 2 * RUN, 5000])
def test_a_run_is_whole_wherever_it_begins_in_a_long_text(tmp_path, first, length):
    own = RANDOM.integers(0, 2**32, length, np.uint32)
    tiles = {row: own[start:stop] for row, (start, stop) in enumerate(part_bounds(length))}
    opened = EndpointFilter(written(tmp_path / "f", tiles), KEY)
    foreign = RANDOM.integers(0, 2**32, 14000, np.uint32)
    found = opened.runs(sample_of(np.concatenate([foreign[:first], own, foreign[first:]])))
    expected = [Run(row, first + start, first + stop) for row, (start, stop) in enumerate(part_bounds(length))]
    # A neighbour of a run may hit by chance, once in a hundred.
    assert [run.row for run in found] == [run.row for run in expected]
    for run, wanted in zip(found, expected, strict=True):
        assert run.start <= wanted.start and run.stop >= wanted.stop
        assert run.stop - run.start <= wanted.stop - wanted.start + 4


def test_more_rows_than_a_tile_are_all_asked(tmp_path):
    parts = {row: RANDOM.integers(0, 2**32, 20, np.uint32) for row in range(1, 1300)}
    opened = EndpointFilter(written(tmp_path / "f", parts), KEY)
    assert len(opened.ids) == 1344
    for row in (1, 600, 1299):
        assert [run.row for run in opened.runs(sample_of(parts[row]))] == [row]


@given(st.integers(0, 3000))
def test_parts_hold_every_hash_and_any_overlap_lies_in_one(n_hashes):
    bounds = list(part_bounds(n_hashes))
    assert bounds[0][0] == 0 and bounds[-1][1] == n_hashes
    assert all(stop - start <= CAPACITY for start, stop in bounds)
    assert all(before[1] - after[0] == OVERLAP for before, after in pairwise(bounds))


# ---------------------------------------------------------------------- nothing tells how long a document is


@settings(max_examples=30)
@given(st.integers(0, CAPACITY), st.integers(0, 2**64 - 1))
def test_every_row_holds_as_many_hashes(n_hashes, row):
    own = np.unique(np.random.default_rng(n_hashes).integers(0, 2**32, n_hashes, np.uint32))
    filled = padded(own, row, KEY)
    assert len(np.unique(filled)) == len(filled) == CAPACITY
    assert np.isin(own, filled).all()


def test_bits_set_do_not_tell_a_short_document_from_a_long_one_or_from_none():
    def bits_set(n_hashes):
        parts = {row: np.unique(RANDOM.integers(0, 2**32, n_hashes, np.uint32)) for row in range(1, 513)}
        [tile] = sealed_tiles(parts, KEY)
        return np.unpackbits(tile.view(np.uint8)).sum() / 512

    # A row's bits vary by some 27; the mean of 512 rows by 1.2.
    assert abs(bits_set(8) - bits_set(500)) < 7
    assert abs(bits_set(0) - bits_set(500)) < 7


def test_the_number_of_rows_is_a_multiple_of_64():
    for n_rows in (0, 1, 64, 65):
        parts = {row: np.empty(0, np.uint32) for row in range(n_rows)}
        assert len(with_fillers(parts, KEY)) == max(1, -(-n_rows // 64)) * 64


def test_the_same_parts_and_key_make_the_same_file(tmp_path):
    parts = {row: RANDOM.integers(0, 2**32, 20, np.uint32) for row in (5, 1, 3)}
    one = written(tmp_path / "a", parts).read_bytes()
    assert written(tmp_path / "b", dict(sorted(parts.items()))).read_bytes() == one
    assert written(tmp_path / "b", parts, OTHER_KEY).read_bytes() != one
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a", "b"]


# ---------------------------------------------------------------------- refused


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return written(tmp_path_factory.mktemp("whole") / "f", {7: keyed_sample(PLAN, KEY).hashes}).read_bytes()


@settings(max_examples=150)
@given(data=st.data())
def test_a_changed_byte_anywhere_is_an_error_that_names_the_file(whole, tmp_path_factory, data):
    at = data.draw(st.one_of(st.integers(0, HEADER_BYTES - 1), st.integers(0, len(whole) - 1)))
    changed = bytearray(whole)
    changed[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.mktemp("changed") / "f"
    path.write_bytes(changed)
    with pytest.raises(PmbfError, match=str(path)):
        EndpointFilter(path, KEY)


@pytest.mark.parametrize("n_bytes", [0, 1, HEADER_BYTES - 1, HEADER_BYTES, 5000, -1])
def test_a_cut_file_is_an_error(whole, tmp_path, n_bytes):
    (tmp_path / "f").write_bytes(whole[:n_bytes])
    with pytest.raises(CorruptError, match="export it again"):
        EndpointFilter(tmp_path / "f", KEY)


def forged(whole, change):
    """Return a file with changed bytes and all the checksums that need no key."""
    content = bytearray(whole)
    change(content)
    struct.pack_into("<I", content, 44, zlib.crc32(content[HEADER_BYTES:]))
    struct.pack_into("<I", content, HEADER_BYTES - 4, zlib.crc32(content[: HEADER_BYTES - 4]))
    return bytes(content)


def test_bits_taken_out_without_the_key_are_noticed(whole, tmp_path):
    (tmp_path / "f").write_bytes(forged(whole, lambda content: None))
    assert EndpointFilter(tmp_path / "f", KEY).runs(keyed_sample(PLAN, KEY))

    def emptied(content):
        content[HEADER_BYTES + 8 * 64 :] = bytes(len(content) - HEADER_BYTES - 8 * 64)

    (tmp_path / "f").write_bytes(forged(whole, emptied))
    with pytest.raises(CorruptError, match="changed by somebody without the site key"):
        EndpointFilter(tmp_path / "f", KEY)


def test_another_key_is_told_from_damage(whole, tmp_path):
    (tmp_path / "f").write_bytes(whole)
    with pytest.raises(ParameterError, match=f"{KEY.id.hex()}, the key file has {OTHER_KEY.id.hex()}"):
        EndpointFilter(tmp_path / "f", OTHER_KEY)


def test_a_newer_version_is_refused(whole, tmp_path):
    (tmp_path / "f").write_bytes(forged(whole, lambda content: struct.pack_into("<H", content, 12, 2)))
    with pytest.raises(UnsupportedError, match="format version is 2, this pmbf reads 1; upgrade"):
        EndpointFilter(tmp_path / "f", KEY)


def test_other_rules_are_refused(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(filterfile, "RULES", "other ones")
    written(tmp_path / "f", {7: keyed_sample(PLAN, KEY).hashes})
    monkeypatch.undo()
    with pytest.raises(UnsupportedError, match="made by other rules"):
        EndpointFilter(tmp_path / "f", KEY)


def test_what_is_no_filter_is_refused(tmp_path):
    (tmp_path / "f").write_text(words(1, 500))
    with pytest.raises(CorruptError, match="is no endpoint filter"):
        EndpointFilter(tmp_path / "f", KEY)
    with pytest.raises(NotFoundError, match="no such endpoint filter"):
        EndpointFilter(tmp_path / "g", KEY)
