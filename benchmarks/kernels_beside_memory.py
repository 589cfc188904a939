"""The calls that `benchmarks.limit` times: the kernels of a query, and the same bytes read by `benchmarks.machine`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import machine, memory, sampling
from pmbf import kernels
from pmbf.filter import PseudoMatrixBloomFilter, Tile
from pmbf.kernels import Postings
from pmbf.passages.exploring import compared
from pmbf.passages.source_text import SourceText
from pmbf.store import codec, files, postings, tilefile
from pmbf.store.files import PAGE_BYTES, Identity, MappedFile
from pmbf.store.postings import StoredPostings
from pmbf.verify import Settings, Statistics, prepare

Times = Iterator[tuple[str, float]]
Hashes = NDArray[np.uint32]

SHORT, LONG = 150, 11_400
"""Hashes of a query: a page, and a document of 228,000 characters."""

ASKED = 1200
"""Hashes of a query to postings, as of a text of 4,000 words."""

NAT = 1024
"""Units of a weight in a nat."""

WINDOW, LEAST = 16, 32 * NAT
"""Hashes of a window of the query, and the least evidence of a row, as in a large collection."""

COMPARED_BYTES = 27_000
"""Bytes of each of two texts that are compared."""

_LIMIT_OF_LISTS = 122
"""Hashes of more documents are common among 15,000."""

_AGAIN = 50

_OURS = Identity(bytes(16), bytes(8))


@dataclass(frozen=True, slots=True)
class Size:
    """Sizes: a tile's rows, a row's words, documents and hashes, queries of a round, and bytes of a text."""

    n_rows: int
    row_words: int
    row_documents: int
    row_hashes: int
    n_short: int
    n_long: int
    text_bytes: int
    n_hashes: int = 3

    def to_dict(self) -> dict[str, int]:
        """Return the fields and the bytes of all rows."""
        return asdict(self) | {"n_bytes": 8 * self.n_rows * self.row_words}


class Limit(NamedTuple):
    """Two times of a round, what they are of, and what bounds the first."""

    what: str
    time: str
    limit: str
    limit_time: str
    bound: str
    target: float | None = None


class Files:
    """A full tile: its rows in memory, and its bits and its postings in files that are mapped and checked."""

    def __init__(self, size: Size, folder: Path) -> None:
        self.size = size
        random = np.random.default_rng(1)
        self.stored = [random.integers(0, 2**32, size.row_hashes, np.uint32) for _ in range(size.n_rows)]
        self.rows = np.zeros((size.n_rows, size.row_words), np.uint64)
        self.fill()
        tile = Tile.open_form(self.rows, n_rows=size.n_rows, n_hashes=size.n_hashes, fpr=0.05)
        entries = np.array([(row, row, 0, 1) for row in range(size.n_rows)], np.uint32)
        payload = tilefile.payload(tilefile.StoredTile(tile, entries, False))
        written = files.write_file(folder, "TILE", _OURS, 1, payload)
        lists = postings.payload([self._postings()], np.empty(0, np.uint32))
        posted = MappedFile(folder, files.write_file(folder, "POST", _OURS, 2, lists), _OURS)
        memory.drop_pages(folder)
        self.file = MappedFile(folder, written, _OURS)
        self.octets = np.frombuffer(self.file.verify(), np.uint8)
        posted.verify()
        self.postings, self.tile = StoredPostings.of_file(posted).to_find(), tilefile.read(folder, written, _OURS).tile

    def fill(self) -> None:
        """Fill all rows."""
        for row, hashes in zip(self.rows, self.stored, strict=True):
            kernels.fill(row, hashes, n_hashes=self.size.n_hashes)

    def _postings(self) -> Postings:
        """Return the postings of all rows. Each document has an equal part of its row's hashes."""
        size = self.size
        keys = np.concatenate(self.stored).astype(np.uint64) << np.uint64(32)
        n = size.n_rows * size.row_documents
        keys |= np.arange(len(keys), dtype=np.uint64) * np.uint64(n) // np.uint64(len(keys))
        keys.sort()
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
        documents = np.arange(n, dtype=np.uint32)
        hashes, numbers = (keys >> np.uint64(32)).astype(np.uint32), (keys & np.uint64(2**32 - 1)).astype(np.uint32)
        return kernels.make_postings(hashes, numbers, documents)


class TileKernels:
    """What a query asks of a tile."""

    def __init__(self, size: Size, files: Files) -> None:
        self.size, self.files = size, files
        self.slices = files.tile.bits
        self.lines = machine.lines_of(self.slices)
        self.matrix = PseudoMatrixBloomFilter({0: files.tile})
        at = files.postings
        self.lists = machine.lines_of(at.bits)
        self.directory = machine.lines_of(at.directory)
        self.content = machine.lines_of(files.octets)

    def times(self, random: np.random.Generator) -> Times:
        """Yield the seconds of each call of a round."""
        for n, n_queries in ((SHORT, self.size.n_short), (LONG, self.size.n_long)):
            yield from self._queries(random, n, n_queries)
        yield from self._lists(random)
        yield from self._walks(random)

    def _queries(self, random: np.random.Generator, n: int, n_queries: int) -> Times:
        queries = random.integers(0, 2**32, (n_queries, n), np.uint32)
        places = random.integers(0, 2**32, (n_queries, self.size.n_hashes * n), np.uint32)
        yield f"lines {n}", _seconds(lambda: machine.read_lines(self.lines, places)) / n_queries
        kernel = _seconds(lambda: machine.look_up(self.slices, queries, n_hashes=self.size.n_hashes))
        yield f"kernel {n}", kernel / n_queries
        queries = random.integers(0, 2**32, (n_queries, n), np.uint32)
        yield f"hits {n}", _each(self.matrix.look_up, [(query,) for query in queries])
        queries = random.integers(0, 2**32, (n_queries, n), np.uint32)
        yield f"rows {n}", _each(self._rows, [(query, *_weighed(n)) for query in queries])

    def _rows(self, query: Hashes, weights: NDArray[np.int32], tokens: Hashes) -> None:
        hits = self.matrix.look_up(query).hits
        kernels.rows_with_evidence(hits, weights, tokens, kernels.HitRules(3, WINDOW), least=LEAST)

    def _lists(self, random: np.random.Generator) -> Times:
        n_queries = max(1, self.size.n_short // 10)
        queries, postings = random.integers(0, 2**32, (n_queries, ASKED), np.uint32), [self.files.postings]
        places = random.integers(0, 2**32, (2, n_queries, ASKED), np.uint32)
        directory = _seconds(lambda: machine.read_lines(self.directory, places[0]))
        yield "two lines", (directory + _seconds(lambda: machine.read_lines(self.lists, places[1]))) / n_queries
        find = _each(lambda query: kernels.find_postings(postings, query, limit=_LIMIT_OF_LISTS), queries[:, None])
        yield "postings", find

    def _walks(self, random: np.random.Generator) -> Times:
        files, size = self.files, self.size
        places = random.integers(0, 2**32, (1, size.n_hashes * size.row_hashes), np.uint32)
        rows = [machine.lines_of(row) for row in files.rows[:: max(1, size.n_rows // 9)]]
        yield "row lines", size.n_rows * _each(lambda row: machine.read_lines(row, places), [(row,) for row in rows])
        yield "fill", _seconds(files.fill)
        # The system takes half a second to find 262 MB in large pages for the first time, and nothing afterwards.
        files.rows.copy()
        yield "seal", _seconds(lambda: kernels.seal(files.rows))
        yield "copy", _seconds(files.rows.copy)
        yield "file in order", _seconds(lambda: machine.read_in_order(self.content))
        yield "checksums", _seconds(lambda: kernels.page_checksums(files.file.payload, page_bytes=PAGE_BYTES))

    def limits(self) -> Iterator[Limit]:
        """Yield which times are compared."""
        for n in (SHORT, LONG):
            lines, what = f"{self.size.n_hashes * n:,} lines anywhere", f"query of {n:,} hashes"
            limit, bound = f"lines {n}", "lines"
            short = n == SHORT
            yield Limit(f"{what}, the kernel alone", f"kernel {n}", lines, limit, bound, 1.4 if short else None)
            bound = "lines, then the call from Python" if short else "lines"
            yield Limit(f"{what}, from Python", f"hits {n}", lines, limit, bound, 1.8 if short else None)
            yield Limit(f"{what}, and rows with evidence", f"rows {n}", lines, limit, "lines, then adding weights")
        what = f"{ASKED:,} hashes in the postings of a tile"
        yield Limit(what, "postings", f"{2 * ASKED:,} lines anywhere", "two lines", "decoding half of a bucket")
        n_millions = self.size.n_rows * self.size.row_hashes / 1e6
        yield Limit(f"fill all rows, {n_millions:.3g} M hashes", "fill", "their lines in the row", "row lines", "lines")
        yield Limit("seal all rows", "seal", "copy all rows", "copy", "turning squares of bits")
        yield Limit("checksum of each page of the file", "checksums", "read its words", "file in order", "memory")


class TextKernels:
    """What a comparison does with texts."""

    def __init__(self, size: Size) -> None:
        made = sampling.made("en")
        text = sampling.cut(made * (size.text_bytes // len(made) + 1), size.text_bytes)
        self.text = np.frombuffer(text, np.uint8)
        step = codec.BLOCK_RAW_BYTES
        self.blocks = memoryview(b"".join(codec.encode_block(text[at : at + step]) for at in range(0, len(text), step)))
        n = min(COMPARED_BYTES, size.text_bytes // 3)
        self.query, self.source = (
            sampling.cut(text[at : at + n], n).decode("utf-8", "ignore") for at in (0, len(text) // 2)
        )
        self.statistics = Statistics.of([prepare(self.query).words, prepare(self.source).words])
        self.prepared = prepare(self.query)

    def times(self, random: np.random.Generator) -> Times:
        """Yield the seconds of each call of a round."""
        del random
        yield "copy text", _seconds(self.text.copy)
        yield "blocks", _seconds(lambda: codec.decode_blocks(self.blocks, 0, len(self.text), "here"))
        source = SourceText(self.source)
        ready = _seconds(lambda: source.ready(self.statistics))
        yield "ready", ready
        compared(self.prepared, source, Settings(), self.statistics)
        yield "compare", _again(lambda: compared(self.prepared, source, Settings(), self.statistics))
        words = machine.lines_of(np.zeros(2 * len(self.source), np.uint8))
        yield "read texts", _again(lambda: machine.read_in_order(words))
        yield "read text", _again(lambda: machine.read_in_order(words[: len(words) // 2]))

    def limits(self) -> Iterator[Limit]:
        """Yield which times are compared."""
        yield Limit(
            f"text blocks of {len(self.text) / 1e6:.1f} MB", "blocks", "copy the text", "copy text", "inflating"
        )
        n = f"{len(self.source) / 1e3:.0f} kB"
        yield Limit(f"a text of {n} made ready", "ready", "read it from the cache", "read text", "instructions")
        yield Limit(f"two texts of {n} compared", "compare", "read them from the cache", "read texts", "instructions")


def _weighed(n: int) -> tuple[NDArray[np.int32], Hashes]:
    """Return the weights of n rare hashes, 7 nats each, and where their shingles begin."""
    return np.full(n, 7 * NAT, np.int32), np.arange(0, 7 * n, 7, dtype=np.uint32)


def _each(call: Callable[..., Any], calls: Any) -> float:
    """Return the mean seconds of many calls with different arguments."""
    start = process_time()
    for arguments in calls:
        call(*arguments)
    return (process_time() - start) / len(calls)


def _seconds(call: Callable[[], Any]) -> float:
    start = process_time()
    call()
    return process_time() - start


def _again(call: Callable[[], Any]) -> float:
    """Return the mean seconds of many calls: what they read is in the cache."""
    return _each(call, [()] * _AGAIN)
