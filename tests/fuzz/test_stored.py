"""Files of a collection that somebody forged, checksums included: refused, or answered somehow; never a crash."""

import struct

import numpy as np
import pytest
from conftest import record_of
from hypothesis import given
from hypothesis import strategies as st

from pmbf import kernels
from pmbf.errors import PmbfError
from pmbf.filter import Tile
from pmbf.kernels import Postings
from pmbf.store import codec, directory, tilefile
from pmbf.store.directory import LOCATION, Directory
from pmbf.store.files import Identity, MappedFile, write_file
from pmbf.store.postings import merged
from pmbf.store.tilefile import StoredTile
from tests.fuzz.damage import damaged, fuzzing

OURS = Identity(b"collection-one--", b"params-1")
QUERY = np.arange(40, dtype=np.uint32) * 97


def tile_payload(n_rows):
    tile = Tile.new(16, n_hashes=3, fpr=0.01)
    for row in range(n_rows):
        tile.insert(tile.add_row(), QUERY[row : row + 9])
    entries = np.array([(row, 10 * row, 0, 1) for row in range(n_rows)], np.uint32)
    stored = StoredTile(tile, entries, growing=False)
    added = [(10 * row, QUERY[row : row + 9]) for row in range(n_rows)]
    return b"".join(tilefile.payload(stored, merged(Postings.none(), stored.documents, added)))


def directory_payload(n_entries):
    entries = np.zeros(n_entries, LOCATION)
    entries["state"], entries["n_hashes"], entries["n_bytes"] = 1, 20, 80
    return b"".join(directory.payload(entries))


def with_checksum(body):
    return kernels.checksum(body).to_bytes(4, "little") + body


WORDS = [struct.pack("<I", number) for number in (0, 1, 63, 512, 513, 65_536, 2**31 - 1, 2**31, 2**32 - 1)]
FINGERPRINT = record_of([QUERY, QUERY[:3], QUERY[:0]])
TILES = [tile_payload(n_rows) for n_rows in (1, 31, 33)]
CHUNKS = [directory_payload(n) for n in (0, 1, 70)]
BLOCKS = [codec.encode_block(raw) for raw in (b"tide " * 99, b"x", b"")]


def ends_well(answer):
    try:
        answer()
    except PmbfError as error:
        assert str(error)


@given(damaged([FINGERPRINT[4:]], WORDS))
@fuzzing
def test_a_forged_fingerprint_is_refused_or_decoded(body):
    ends_well(lambda: codec.parts_of(memoryview(with_checksum(body)), "here"))


@given(damaged(BLOCKS, WORDS), st.integers(-3, 30))
@fuzzing
def test_a_forged_text_block_is_refused_or_unpacked(block, offset):
    stored = block[codec.BLOCK.size :]
    forged = kernels.checksum(stored).to_bytes(4, "little") + block[4:]
    ends_well(lambda: codec.decode_block(memoryview(forged), 0, "here"))
    ends_well(lambda: codec.decode_block(memoryview(block), max(0, offset), "here"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("forged")


@given(payload=damaged(TILES, WORDS))
@fuzzing
def test_a_forged_tile_is_refused_or_asked(folder, payload):
    record = write_file(folder, "TILE", OURS, 7, [payload])

    def asked():
        stored = tilefile.read(folder, record, OURS)
        stored.tile.hits(QUERY)
        stored.tile.common_bits(QUERY)
        tilefile.is_growing(folder, record, OURS)
        if stored.postings is not None:
            kernels.find_postings([stored.postings.for_hashes(QUERY)], QUERY, limit=100)
            merged(stored.postings.all(), stored.documents, [])

    ends_well(asked)


@given(payload=damaged(CHUNKS, WORDS))
@fuzzing
def test_a_forged_directory_is_refused_or_asked(folder, payload):
    record = write_file(folder, "DOCS", OURS, 8, [payload])

    def asked():
        found = Directory({0: 8}, lambda _: MappedFile(folder, record, OURS))
        found.locations(np.array([0, 5, 69, 65_535], np.uint32))
        found.totals()
        found.live_ids()

    ends_well(asked)
