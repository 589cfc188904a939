from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import BusyError, CorruptError, UnsupportedError
from pmbf.store import files, folders, locks
from pmbf.store.files import FORMAT_VERSION, HEADER_BYTES, PAGE_BYTES, Identity, MappedFile, StoredFile, write_file

OURS = Identity(b"collection-one--", b"params-1")
THEIRS = Identity(b"collection-two--", b"params-1")


@pytest.fixture
def written(tmp_path):
    return tmp_path, write_file(tmp_path, "TILE", OURS, 7, [b"some ", b"bits"])


def test_a_file_holds_what_was_written(written):
    folder, record = written
    assert bytes(MappedFile(folder, record, OURS).verify()) == b"some bits"
    assert record == StoredFile(7, "TILE", 9, record.payload_crc)


def test_files_are_for_their_owner_alone(written):
    folder, record = written
    assert (folder / record.name).stat().st_mode & 0o777 == 0o600


def test_every_flipped_bit_is_noticed(written):
    folder, record = written
    path = folder / record.name
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises((CorruptError, UnsupportedError)):
            MappedFile(folder, record, OURS).verify()


def test_every_cut_is_noticed(written):
    folder, record = written
    path = folder / record.name
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(CorruptError):
            MappedFile(folder, record, OURS)


def test_a_missing_file_is_named(written):
    folder, record = written
    (folder / record.name).unlink()
    with pytest.raises(CorruptError, match=r"tiles/000007\.tile: the file is missing"):
        MappedFile(folder, record, OURS)


def test_a_file_of_another_collection_is_refused(written):
    folder, record = written
    with pytest.raises(CorruptError, match="belongs to another collection"):
        MappedFile(folder, record, THEIRS)


def test_an_older_copy_of_a_file_is_refused(tmp_path):
    old = write_file(tmp_path, "TILE", OURS, 7, [b"old bits"])
    stale = (tmp_path / old.name).read_bytes()
    new = write_file(tmp_path, "TILE", OURS, 7, [b"new bits"])
    (tmp_path / old.name).write_bytes(stale)
    with pytest.raises(CorruptError, match="not the one the catalog names"):
        MappedFile(tmp_path, new, OURS)


@pytest.mark.parametrize("kind", [*files.FILE_KINDS, *files.BESIDE_KINDS])
@pytest.mark.parametrize(
    ("version", "way_out"),
    [(FORMAT_VERSION - 1, "load the documents into a new collection"), (FORMAT_VERSION + 1, "upgrade pmbf")],
)
def test_a_file_of_another_version_is_refused_with_the_way_out(tmp_path, monkeypatch, kind, version, way_out):
    monkeypatch.setattr(files, "FORMAT_VERSION", version)
    record = write_file(tmp_path, kind, OURS, 8, [b"x"])
    monkeypatch.undo()
    told = f"{tmp_path / record.name}: format version is {version}, this pmbf reads {FORMAT_VERSION}; {way_out}"
    with pytest.raises(UnsupportedError) as refused:
        MappedFile(tmp_path, record, OURS)
    assert str(refused.value) == told


@given(st.lists(st.binary(max_size=3 * PAGE_BYTES).map(lambda part: part * 3), max_size=6))
def test_parts_of_any_length_become_one_payload(tmp_path_factory, parts):
    folder = tmp_path_factory.mktemp("storage")
    record = write_file(folder, "TEXT", OURS, 1, parts)
    assert b"".join(parts) == bytes(MappedFile(folder, record, OURS).verify())


@pytest.fixture
def damaged_in_page_2(tmp_path):
    """A file of eight pages and a bit, the third of them damaged."""
    record = write_file(tmp_path, "TILE", OURS, 7, [bytes(range(256)) * 129])
    path = tmp_path / record.name
    content = bytearray(path.read_bytes())
    content[HEADER_BYTES + 2 * PAGE_BYTES + 5] ^= 1
    path.write_bytes(content)
    return MappedFile(tmp_path, record, OURS)


def test_a_page_is_checked_before_its_first_use_and_not_before(damaged_in_page_2):
    file = damaged_in_page_2
    file.check(0, 2 * PAGE_BYTES)
    file.check_places(np.array([3 * PAGE_BYTES, 10], np.int64), 4)
    file.check(2 * PAGE_BYTES, 2 * PAGE_BYTES)
    assert not file.is_checked
    for use in (
        lambda: file.check(2 * PAGE_BYTES - 1, 2 * PAGE_BYTES + 1),
        lambda: file.check_places(np.array([0, 3 * PAGE_BYTES - 1], np.int64), 1),
        file.verify,
    ):
        with pytest.raises(CorruptError, match=r"000007\.tile: checksum of page 2 is .*; run `pmbf check --repair"):
            use()


def test_once_half_the_pages_are_checked_the_rest_is_too(written, damaged_in_page_2):
    with pytest.raises(CorruptError, match="checksum of page 2"):
        damaged_in_page_2.check_places(PAGE_BYTES * np.array([0, 1, 3, 4, 5], np.int64), 1)
    folder, _ = written
    whole = MappedFile(folder, write_file(folder, "TILE", OURS, 8, [bytes(4 * PAGE_BYTES)]), OURS)
    whole.check_places(np.array([0], np.int64), 1)
    assert not whole.is_checked
    whole.check_places(np.array([PAGE_BYTES], np.int64), 1)
    assert whole.is_checked


def test_a_place_outside_the_payload_is_damage(written):
    folder, record = written
    with pytest.raises(CorruptError, match="names a place that it does not have"):
        MappedFile(folder, record, OURS).check(0, 10)


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    def payload():
        yield b"first part"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_file(tmp_path, "TEXT", OURS, 1, payload())
    assert list(tmp_path.rglob("*.t*xt*")) == []


def test_there_is_one_writer_at_a_time(tmp_path):
    with (
        locks.writer_lock(tmp_path),
        pytest.raises(BusyError, match="another process is writing"),
        locks.writer_lock(tmp_path),
    ):
        pass
    with locks.writer_lock(tmp_path):
        pass


def test_files_are_cleaned_only_when_nobody_reads(tmp_path):
    with locks.reader_lock(tmp_path), locks.reader_lock(tmp_path), locks.no_readers(tmp_path) as alone:
        assert not alone
    with locks.no_readers(tmp_path) as alone:
        assert alone


def test_the_error_names_the_way_out(tmp_path):
    error = files.damaged(Path(tmp_path / "tiles" / "000001.tile"), "is odd")
    assert str(error) == f"{tmp_path}/tiles/000001.tile: is odd; run `pmbf check --repair -c {tmp_path}`"
    assert HEADER_BYTES == 64


def test_a_write_that_fails_names_its_file(tmp_path):
    with pytest.raises(OSError, match="No space left") as caught, folders.replacing(tmp_path / "a.tile"):
        raise OSError(28, "No space left on device")
    assert caught.value.filename == str(tmp_path / "a.tile")
    assert list(tmp_path.iterdir()) == []
