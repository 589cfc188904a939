"""A tile in a file: the form it is stored in, and what of it is checked when."""

import mmap
from pathlib import Path

import numpy as np
import pytest
from conftest import words

from pmbf import Collection, CorruptError, Params
from pmbf.filter import Tile
from pmbf.store import tilefile
from pmbf.store.files import Identity, write_file
from pmbf.store.folder import Store
from pmbf.store.tilefile import SEALED_ROWS, StoredTile
from pmbf.store.writer import Writer

OURS = Identity(b"collection-one--", b"params-1")


def made(n_rows, row_words=200):
    tile = Tile.new(row_words, n_hashes=3, fpr=0.01)
    for row in range(n_rows):
        tile.insert(tile.add_row(), hashes_of(row))
    entries = np.array([(row, 10 * row, 0, 1) for row in range(n_rows)], np.uint32)
    return StoredTile(tile, entries, growing=True)


def hashes_of(row):
    return np.arange(50, dtype=np.uint32) + np.uint32(50 * row)


def written(folder, stored):
    return write_file(folder, "TILE", OURS, 7, tilefile.payload(stored))


@pytest.mark.parametrize("n_rows", [1, SEALED_ROWS - 1, SEALED_ROWS, 64, 100, 512])
@pytest.mark.parametrize("growing", [True, False])
def test_a_tile_comes_back_from_its_file(tmp_path, n_rows, growing):
    stored = made(n_rows)
    if not growing:
        stored.tile.seal()
        stored.growing = False
    record = written(tmp_path, stored)
    back = tilefile.read(tmp_path, record, OURS)
    assert growing == tilefile.is_growing(tmp_path, record, OURS)
    assert (back.growing, back.tile.sealed) == (growing, not growing or n_rows >= SEALED_ROWS)
    assert stored.entries.tolist() == back.entries.tolist()
    assert stored.tile.popcounts.tolist() == back.tile.popcounts.tolist()
    before, after = stored.tile.writable(), back.tile.writable()
    assert before.bits.tolist() == after.bits.tolist()
    after.insert(after.add_row() if n_rows < 512 else 0, hashes_of(1000))


def test_bits_are_checked_as_far_as_a_query_reads_them(tmp_path):
    stored = made(512, row_words=400)
    record = written(tmp_path, stored)
    path, probe = tmp_path / record.name, hashes_of(3)[:2]
    whole = path.read_bytes()
    expected, outcomes = stored.tile.hits(probe).tolist(), set()
    for offset in range(30_000, len(whole) - 2000, len(whole) // 100):
        path.write_bytes(whole[:offset] + bytes([whole[offset] ^ 1]) + whole[offset + 1 :])
        try:
            assert expected == tilefile.read(tmp_path, record, OURS).tile.hits(probe).tolist()
            outcomes.add("right")
        except CorruptError as error:
            assert "checksum of page" in str(error)
            outcomes.add("refused")
        with pytest.raises(CorruptError, match="checksum of page"):
            tilefile.read(tmp_path, record, OURS).tile.writable()
    assert outcomes == {"right", "refused"}


def test_a_head_that_does_not_fit_is_refused(tmp_path):
    parts = list(tilefile.payload(made(5)))
    record = write_file(tmp_path, "TILE", OURS, 7, [parts[0][:-20]])
    with pytest.raises(CorruptError, match=r"tiles/000007\.tile: the tile's head does not fit its length|a place that"):
        tilefile.read(tmp_path, record, OURS)


def test_a_writer_reads_no_tile_that_is_full(tmp_path, monkeypatch):
    path, read = tmp_path / "c.pmbf", []
    with Collection(path, create=True, params=Params(index="rows", row_capacity=64, segment_chars=1024)) as collection:
        monkeypatch.setattr("pmbf.store.placing.ROWS_PER_TILE", 16)
        collection.add_many([(f"text-{seed}", words(seed)) for seed in range(80)])
        figures = collection.stats()
    assert figures.n_tiles >= 3
    whole = tilefile.read
    monkeypatch.setattr(tilefile, "read", lambda *arguments: read.append(arguments) or whole(*arguments))
    with Store(path, writable=True) as store:
        Writer(store)
    assert figures.n_tiles - figures.n_sealed == len(read)


def test_a_growing_tile_goes_on_growing_from_commit_to_commit(tmp_path):
    path = tmp_path / "c.pmbf"
    params = Params(index="rows", row_capacity=64, segment_chars=1024)
    with Collection(path, create=True, params=params) as collection:
        for first in range(0, 160, 16):
            collection.add_many([(f"text-{seed}", words(seed)) for seed in range(first, first + 16)])
        assert (1, 0) == (collection.stats().n_tiles, collection.stats().n_sealed)
        assert collection.stats().n_rows > 2 * SEALED_ROWS
        assert collection.check().problems == []
        for seed in range(0, 160, 13):
            assert [f"text-{seed}"] == [match.document.path for match in collection.screen(words(seed)).matches]
    with Store(path) as store:
        (stored,) = [one for _, one in store.generation.tiles()]
        assert (True, True) == (stored.growing, stored.tile.sealed)


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system has no large pages")
@pytest.mark.skipif(not Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="the kernel has no large pages")
def test_a_tile_is_mapped_in_large_pages(tmp_path):
    record = written(tmp_path, made(64))
    back = tilefile.read(tmp_path, record, OURS)
    maps = Path("/proc/self/smaps").read_text(encoding="utf-8")
    [flags] = [line for line in maps.partition(str(tmp_path / record.name))[2].splitlines() if "VmFlags" in line][:1]
    assert back.tile.n_rows == 64 and "hg" in flags.split()
