import contextlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import record_of
from hypothesis import given
from hypothesis import strategies as st

from pmbf.base.errors import CorruptError
from pmbf.store.codec import (
    BLOCK_RAW_BYTES,
    MOST_RAW_BYTES,
    TextPacker,
    block_bytes,
    decode_block,
    encode_block,
    parts_of,
)

PARTS = st.lists(
    st.sets(st.integers(0, 2**32 - 1), max_size=40).map(lambda values: np.array(sorted(values), np.uint32)), max_size=4
)


@given(PARTS)
def test_a_fingerprint_comes_back_as_it_was(parts):
    back = parts_of(memoryview(record_of(parts)), "here")
    assert [part.tolist() for part in back] == [part.tolist() for part in parts]


@given(PARTS, st.data())
def test_a_flipped_bit_in_a_fingerprint_is_noticed(parts, data):
    record = bytearray(record_of(parts))
    bit = data.draw(st.integers(0, 8 * len(record) - 1))
    record[bit // 8] ^= 1 << bit % 8
    with pytest.raises(CorruptError, match="here: the checksum of the fingerprint"):
        parts_of(memoryview(bytes(record)), "here")


@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_flipped_bit_in_a_block_is_noticed_or_harmless(raw, data):
    block = bytearray(encode_block(raw))
    bit = data.draw(st.integers(0, 8 * len(block) - 1))
    block[bit // 8] ^= 1 << bit % 8
    with contextlib.suppress(CorruptError):
        assert decode_block(memoryview(bytes(block)), 0, "here") == raw  # only the padding may change in silence


def test_a_block_cut_short_is_noticed():
    block = encode_block(b"tide after tide " * 50)
    with pytest.raises(CorruptError, match="the text block at 0 is damaged"):
        decode_block(memoryview(block[:-1]), 0, "here")


def test_a_block_four_times_as_large_as_those_written_is_read_and_a_larger_one_refused():
    raw = b"tide after tide " * (MOST_RAW_BYTES // 16)
    assert MOST_RAW_BYTES == 4 * BLOCK_RAW_BYTES
    assert decode_block(memoryview(encode_block(raw)), 0, "here") == raw
    with pytest.raises(CorruptError, match="the text block at 0 is damaged"):
        decode_block(memoryview(encode_block(raw + b"!")), 0, "here")


@pytest.mark.parametrize("threads", [None, ThreadPoolExecutor(2)])
@given(st.lists(st.integers(0, 3 * BLOCK_RAW_BYTES // 2), max_size=6))
def test_texts_share_blocks_and_span_them(threads, sizes):
    packer, texts = TextPacker(threads), [bytes([65 + number % 26]) * size for number, size in enumerate(sizes)]
    places = [packer.add(text) for text in texts]
    blocks, offsets = packer.finished()
    content = memoryview(b"".join(blocks))
    for text, (block, skip, n_bytes) in zip(texts, places, strict=True):
        raw, offset = b"", offsets[block]
        while len(raw) < skip + n_bytes:
            raw += decode_block(content, offset, "here")
            offset += block_bytes(content, offset)
        assert raw[skip : skip + n_bytes] == text
