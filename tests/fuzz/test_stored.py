"""Files of a collection that somebody forged, checksums included: refused, or answered somehow; never a crash."""

import struct
import zlib

import numpy as np
import pytest
from conftest import record_of
from hypothesis import given
from hypothesis import strategies as st

from pmbf import kernels
from pmbf.base.errors import PmbfError
from pmbf.filter import Tile
from pmbf.kernels import CODES
from pmbf.sentences import segments
from pmbf.sentences.state import NamedSegment, SentencesState, read_state, write_state
from pmbf.store import codec, directory, postings, rowsfile, tilefile
from pmbf.store.directory import LOCATION, Directory
from pmbf.store.files import Identity, MappedFile, write_file
from pmbf.store.postings import StoredPostings
from pmbf.store.rowsfile import StoredRows
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
    return b"".join(tilefile.payload(stored))


def postings_of(n_documents):
    return postings.made(
        postings.Added.of([(10 * number, QUERY[number : number + 9]) for number in range(n_documents)])
    )


def directory_payload(n_entries):
    entries = np.zeros(n_entries, LOCATION)
    entries["state"], entries["n_hashes"], entries["n_bytes"] = 1, 20, 80
    return b"".join(directory.payload(entries))


def with_checksum(body):
    return kernels.checksum(body).to_bytes(4, "little") + body


WORDS = [struct.pack("<I", number) for number in (0, 1, 63, 512, 513, 65_536, 2**31 - 1, 2**31, 2**32 - 1)]
FINGERPRINT = record_of([QUERY, QUERY[:3], QUERY[:0]])
TILES = [tile_payload(n_rows) for n_rows in (1, 31, 33)]
POSTINGS = [b"".join(postings.payload([postings_of(n)], QUERY[:0])) for n in (0, 1, 33)]
ROWS = [b"".join(rowsfile.payload([(n, postings_of(n)) for n in some])) for some in ((3,), (1, 2, 40), range(1, 12))]
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

    ends_well(asked)


@given(payload=damaged(POSTINGS, WORDS))
@fuzzing
def test_forged_postings_are_refused_or_asked_and_joined(folder, payload):
    record = write_file(folder, "POST", OURS, 9, [payload])
    ends_well(lambda: ask_postings(StoredPostings.of_file(MappedFile(folder, record, OURS))))


@given(payload=damaged(ROWS, WORDS))
@fuzzing
def test_forged_rows_of_segments_are_refused_or_asked(folder, payload):
    record = write_file(folder, "ROWS", OURS, 11, [payload])

    def asked():
        stored = StoredRows(MappedFile(folder, record, OURS))
        kernels.segments_having(list(stored.by_serial().values()), QUERY)
        stored.bits_of(0)

    ends_well(asked)


def ask_postings(stored):
    kernels.find_postings([stored.to_find()], QUERY, limit=100)
    for start, stop in postings.ranges_of([stored]):
        postings.listed(stored, start, stop)
    b"".join(postings.payload([stored, postings_of(3)], QUERY[:1]))


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


def segment_payload(n_documents, code="words", key_bits=32):
    """Return a segment of sentences: documents of two units each."""
    keys = np.arange(2 * n_documents * CODES[code], dtype=np.uint64).reshape(-1, CODES[code]) << np.uint64(40)
    spans = np.arange(4 * n_documents, dtype=np.uint32).reshape(-1, 2)
    numbers = np.arange(n_documents, dtype=np.int64)
    units = segments.StoredUnits(numbers * 77, numbers, np.full(n_documents, 2, np.int64), spans, keys)
    return b"".join(bytes(part) for part in segments._payload(units, key_bits, code == "paper"))


SEGMENTS = [segment_payload(0), segment_payload(1), segment_payload(40), segment_payload(9, "paper", 64)]
ASKED = (np.arange(30, dtype=np.uint64) << np.uint64(40)).reshape(-1, 10)
"""Keys of three units, as a query has them."""


@given(payload=damaged(SEGMENTS, WORDS))
@fuzzing
def test_a_forged_segment_of_sentences_is_refused_or_asked(folder, payload):
    record = write_file(folder, segments.KIND, OURS, 11, [payload])

    def asked():
        segment = segments.UnitSegment(folder, record, OURS)
        _, units = segment.find(np.unique(ASKED))
        segment.ids[segment.documents(units)]
        segment.contents[segment.documents(units)]
        segment.spans[units]
        segment.own_keys(units)
        segment.all().without([])
        assert len(segment.counts) == len(segment.ids)

    ends_well(asked)


STATE = SentencesState(
    "words", 32, 3, 4, (NamedSegment(1, 800, 77, (0, 2)), NamedSegment(3, 90, 5)), {7: "no such file"}
)
JSON_WORDS = [b"null", b"{}", b"[]", b'"', b"-1", b"1e400", b'"words"', b'"gone"']


@given(st.data())
@fuzzing
def test_a_forged_state_of_sentences_is_refused_or_read(folder, data):
    write_state(folder, OURS, STATE)
    path = folder / "sentences" / "state"
    line = data.draw(damaged([path.read_bytes().rpartition(b" ")[0]], JSON_WORDS))
    path.write_bytes(line + b" %08x\n" % zlib.crc32(line))
    ends_well(lambda: read_state(folder, OURS))
