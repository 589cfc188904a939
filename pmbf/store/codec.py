"""Word lists, fingerprints and texts as bytes on disk, each record and block with its own checksum.

`docs/format.md` lays them out, kinds `FPRT` and `TEXT`. The gaps of a part are those of Stream VByte (Lemire, Kurz &
Rupp 2018), which a vector unit decodes four at a time.
"""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pmbf import kernels
from pmbf.base.errors import CorruptError
from pmbf.base.hashes import Hashes, hash_dtype
from pmbf.base.params import Params
from pmbf.fingerprint import Fingerprint
from pmbf.kernels import Samples

try:  # the same format, four times as fast, where there is a wheel
    from isal import isal_zlib as deflate
except ImportError:
    import zlib as deflate  # type: ignore[no-redef]

if TYPE_CHECKING:  # the import takes 3 ms of each start
    from concurrent.futures import Executor, Future

Numbers = NDArray[np.int64]
Buffer = bytes | memoryview

BLOCK = struct.Struct("<IIIB3x")
BLOCK_RAW_BYTES = 32 * 1024
"""Texts are compressed together up to this size. A comparison unpacks the blocks of one document: 78 µs for a text of
27 KB. Blocks of 128 KB pack 2 % better, and take 252 µs."""

MOST_RAW_BYTES = 128 * 1024
"""The largest block that is read. Collections made before have such blocks."""

_BLOCKS_WAITING = 256
"""Blocks that may wait for threads to compress them, 8 MB."""

_BLOCKS_WRITTEN = 32
"""Blocks that are written to a file at once, up to 1 MB."""

_COUNT = struct.Struct("<I")
_NO_PARTS = _COUNT.pack(0)
LEAST_WORDED = 12
"""Bytes of a record with an empty word list and no parts: its checksum, and both numbers."""

_PLAIN, _DEFLATE = 0, 1
_DAMAGED: tuple[type[Exception], ...] = (ValueError, struct.error, zlib.error, vars(deflate)["error"])
_DEFLATE_LEVEL = 1  # zlib's level 6 saves a tenth of the bytes and takes three times as long


def has_stored_fingerprint(documents: Any) -> Any:
    """Return whether a document's record has its fingerprint; of columns of `Documents`, of each."""
    return (documents.fingerprint_file > 0) & (documents.text_file == 0) & (documents.n_chars > 0)


def record_of(taken: Fingerprint, params: Params, *, has_text: bool, stretches: bytes = b"") -> bytes:
    """Return the record of a document, empty if it has none.

    Args:
        taken: Its fingerprint.
        params: Those of the collection.
        has_text: Whether its text is stored.
        stretches: The postings of its stretches, if its text is long and stored.
    """
    parts = b"" if has_text else taken.record(params.hash_bits)
    return (parts if params.index == "rows" else worded(taken.words, parts)) + stretches


def records_of(
    samples: Samples, params: Params, *, have_texts: bool, stretches: Mapping[int, bytes] | None = None
) -> tuple[bytes, Numbers]:
    """Return the records of documents, as `record_of` each, end to end, and where each ends.

    `stretches` are by place. Records of stored texts begin at multiples of 4.
    """
    parts, ends = b"", np.zeros(len(samples.n_chars), np.int64)
    if not have_texts:
        hashes = samples.hashes.astype(hash_dtype(params.hash_bits), copy=False)  # none at all are 32 bits wide
        parts, ends = kernels.records(hashes, samples.bounds, samples.firsts, params.hash_bits)
    of_parts = [parts[first:last] for first, last in itertools.pairwise([0, *ends.tolist()])]
    if params.index != "rows":
        words, bounds = samples.words.tobytes(), itertools.pairwise(samples.word_bounds.tolist())
        of_parts = [worded(words[start:stop], one) for (start, stop), one in zip(bounds, of_parts, strict=True)]
    for at, one in (stretches or {}).items():
        of_parts[at] += one
    return b"".join(of_parts), np.cumsum([len(one) for one in of_parts], dtype=np.int64)


def worded(words: bytes, record: bytes = b"") -> bytes:
    """Return a record with a word list, and with the parts of the record of a fingerprint, if there is one.

    One without parts has a multiple of 4 bytes.
    """
    body = b"".join([_COUNT.pack(len(words)), words, record[4:] or _NO_PARTS])
    return b"".join([_COUNT.pack(kernels.checksum(body)), body, b"" if record else bytes(-len(body) % 4)])


def worded_bytes(content: Buffer, offset: int) -> int:
    """Return how many bytes the record at an offset has before stretches: a word list and no parts."""
    n_bytes = LEAST_WORDED + int(_COUNT.unpack_from(content, offset + 4)[0])
    return n_bytes + -n_bytes % 4


def words_in(record: Buffer, where: str) -> bytes:
    """Return the word list of a record that has one; `where` names its file."""
    return bytes(record[8 : _begin_of_parts(record, where, is_worded=True)])


def parts_of(record: Buffer, where: str, hash_bits: int = 32, *, is_worded: bool = False) -> list[Hashes]:
    """Return the parts of a fingerprint.

    Args:
        record: That of a document, or what `Fingerprint.record` returned.
        where: Names its file.
        hash_bits: Bits of a hash.
        is_worded: Whether the record has a word list.
    """
    begin = _begin_of_parts(record, where, is_worded=is_worded)
    parts: list[Hashes] = []
    try:
        n_parts = _COUNT.unpack_from(record, begin)[0]
        counts = np.frombuffer(record, "<u4", n_parts, begin + 4)
        offset = begin + 4 + 4 * n_parts
        for count in counts.tolist():
            part, offset = kernels.decode_gaps(record, offset, count, hash_bits)
            parts.append(part)
    except ValueError:
        raise damaged_fingerprint(where) from None
    return parts


def _begin_of_parts(record: Buffer, where: str, *, is_worded: bool) -> int:
    """Return where the number of parts stands in a record, whose checksum is compared."""
    if len(record) < (LEAST_WORDED if is_worded else 8):
        raise damaged_fingerprint(where)
    begin = 8 + int(_COUNT.unpack_from(record, 4)[0]) if is_worded else 4
    if len(record) < begin + 4:
        raise damaged_fingerprint(where)
    stop = len(record) if _COUNT.unpack_from(record, begin)[0] else begin + 4  # zeros or stretches follow
    if kernels.checksum(record[4:stop]) != _COUNT.unpack_from(record)[0]:
        raise damaged_fingerprint(where)
    return begin


def damaged_fingerprint(where: object) -> CorruptError:
    """Return the error for a record whose checksum or length does not fit."""
    return CorruptError(f"{where}: the checksum of the fingerprint does not fit; run `pmbf check --repair`")


def encode_block(raw: Buffer) -> bytes:
    """Return a block of text bytes, compressed where that makes it smaller.

    >>> bytes(decode_block(memoryview(encode_block(b"tide " * 9)), 0, "here"))[:5]
    b'tide '
    """
    stored: Buffer = deflate.compress(raw, _DEFLATE_LEVEL)
    codec = _DEFLATE
    if len(stored) >= len(raw):
        stored, codec = raw, _PLAIN
    return BLOCK.pack(kernels.checksum(stored), len(raw), len(stored), codec) + stored


def decode_block(content: memoryview, offset: int, where: str) -> bytes:
    """Return the raw bytes of the block at an offset."""
    try:
        crc, raw_bytes, stored_bytes, codec = BLOCK.unpack_from(content, offset)
        stored = content[offset + BLOCK.size : offset + BLOCK.size + stored_bytes]
        if (
            kernels.checksum(stored) != crc
            or len(stored) != stored_bytes
            or codec > _DEFLATE
            or not 0 < raw_bytes <= MOST_RAW_BYTES  # no writer makes an empty one: zeros have the checksum of nothing
        ):
            raise ValueError("checksum")
        raw = deflate.decompress(stored, bufsize=raw_bytes) if codec == _DEFLATE else bytes(stored)
    except _DAMAGED:
        raise CorruptError(f"{where}: the text block at {offset} is damaged; run `pmbf check --repair`") from None
    if len(raw) != raw_bytes:
        raise CorruptError(f"{where}: the text block at {offset} holds {len(raw)} bytes, expected {raw_bytes}")
    return bytes(raw)


def decode_blocks(content: memoryview, offset: int, n_bytes: int, where: str) -> tuple[bytes, int]:
    """Return the bytes of the blocks from an offset on that hold `n_bytes` together, and where the last one ends."""
    blocks, n_read = [], 0
    while n_read < n_bytes:
        blocks.append(decode_block(content, offset, where))
        n_read += len(blocks[-1])
        offset += block_bytes(content, offset)
    return b"".join(blocks), offset


def block_bytes(content: memoryview, offset: int) -> int:
    """Return the length of the block at an offset, its header included."""
    return BLOCK.size + int(BLOCK.unpack_from(content, offset)[2])


def raw_bytes(content: memoryview, offset: int) -> int:
    """Return the length of the text in the block at an offset."""
    return int(BLOCK.unpack_from(content, offset)[1])


class RecordPacker:
    """Fingerprint records, one after another."""

    def __init__(self) -> None:
        self.n_bytes = 0
        self._records: list[bytes] = []

    def add(self, record: bytes) -> tuple[int, int]:
        """Append a record and return its offset, a multiple of 4, and its length."""
        self._records += [bytes(-self.n_bytes % 4), record]
        offset, n_bytes = self.n_bytes + -self.n_bytes % 4, len(record)
        self.n_bytes = offset + n_bytes
        return offset, n_bytes

    def add_all(self, records: bytes, ends: Numbers) -> tuple[Numbers, Numbers]:
        """Append records, end to end, each with its end; return their offsets and lengths."""
        begins = np.append(0, ends[:-1])[: len(ends)]
        self._records.append(records)
        self.n_bytes += len(records)
        return self.n_bytes - len(records) + begins, ends - begins

    def payload(self) -> bytes:
        """Return all records."""
        return b"".join(self._records)


class TextPlace(NamedTuple):
    """Where a text lies: the number of its first block, the bytes of that block before it, and its length."""

    block: int
    skip: int
    n_bytes: int


class TextPacker:
    """Texts, cut into compressed blocks; small ones share a block, large ones span several.

    Args:
        threads: Where blocks are compressed while more texts come; here and at once by default.
    """

    def __init__(self, threads: Executor | None = None) -> None:
        self.n_raw_bytes = 0
        self._threads = threads
        self._blocks: list[bytes | Future[bytes]] = []
        self._open: list[Buffer] = []
        self._n_open = 0

    def add(self, raw: Buffer) -> TextPlace:
        """Append a text and return its place."""
        place = TextPlace(len(self._blocks), self._n_open, len(raw))
        self._open.append(raw)
        self._n_open += len(raw)
        self.n_raw_bytes += len(raw)
        if self._n_open >= BLOCK_RAW_BYTES:
            self._close_full()
        return place

    def add_all(self, content: bytes, starts: Numbers, stops: Numbers) -> Numbers:
        """Append texts and return where each begins among the bytes of all texts, `(n,) int64`.

        Block and place in the block follow: every block but the last has `BLOCK_RAW_BYTES`.

        Args:
            content: Bytes in which the texts lie.
            starts, stops: `(n,) int64`, where each begins and ends in them.
        """
        sizes = stops - starts
        offsets: Numbers = self.n_raw_bytes + np.cumsum(sizes) - sizes
        view, is_first = memoryview(content), np.ones(len(starts) + 1, np.bool_)
        is_first[1:-1] = starts[1:] != stops[:-1]
        cuts = np.flatnonzero(is_first)  # texts that lie end to end are taken as one
        for start, stop in zip(starts[cuts[:-1]].tolist(), stops[cuts[1:] - 1].tolist(), strict=True):
            self.add(view[start:stop])
        return offsets

    def finished(self) -> tuple[list[bytes], list[int]]:
        """Close the last block; return the bytes of all, and where each block begins and the last one ends.

        The bytes come in pieces of several blocks: a file takes them in a third of the time.
        """
        if self._n_open:
            self._close(b"".join(self._open))
            self._open, self._n_open = [], 0
        blocks = [block if isinstance(block, bytes) else block.result() for block in self._blocks]
        pieces = [b"".join(blocks[at : at + _BLOCKS_WRITTEN]) for at in range(0, len(blocks), _BLOCKS_WRITTEN)]
        return pieces, [0, *itertools.accumulate(map(len, blocks))]

    def _close_full(self) -> None:
        raw = memoryview(b"".join(self._open))
        n_full = len(raw) // BLOCK_RAW_BYTES * BLOCK_RAW_BYTES
        for start in range(0, n_full, BLOCK_RAW_BYTES):
            self._close(raw[start : start + BLOCK_RAW_BYTES])
        self._open, self._n_open = [bytes(raw[n_full:])], len(raw) - n_full

    def _close(self, raw: Buffer) -> None:
        self._blocks.append(self._threads.submit(encode_block, raw) if self._threads else encode_block(raw))
        if self._threads and len(self._blocks) > _BLOCKS_WAITING:
            before = self._blocks[-_BLOCKS_WAITING - 1]
            if not isinstance(before, bytes):
                self._blocks[-_BLOCKS_WAITING - 1] = before.result()
